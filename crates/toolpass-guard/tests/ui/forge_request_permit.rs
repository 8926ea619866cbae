use toolpass_guard::request::RequestPermit;

fn main() {
    let _ = RequestPermit { digest: [0; 32] };
}
