use toolpass_guard::call::Permit;

fn twice(permit: Permit) {
    permit.enter();
    permit.enter();
}

fn main() {}
