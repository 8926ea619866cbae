use toolpass_guard::call::Permit;
use toolpass_guard::request::RequestPermit;

fn copies(permit: &Permit, request: &RequestPermit) -> (Permit, RequestPermit) {
    (permit.clone(), request.clone())
}

fn main() {}
