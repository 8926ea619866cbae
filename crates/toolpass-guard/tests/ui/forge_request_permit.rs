use std::sync::Arc;

use toolpass_guard::call::Call;
use toolpass_guard::request::RequestPermit;

fn forge(call: Arc<Call>) -> RequestPermit {
    RequestPermit {
        call,
        number: 0,
        sending: [0; 32],
        unasked_write: false,
    }
}

fn main() {}
