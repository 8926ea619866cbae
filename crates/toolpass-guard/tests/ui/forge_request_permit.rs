use std::sync::Arc;

use toolpass_guard::call::Call;
use toolpass_guard::request::RequestPermit;
use toolpass_wire::request::WireRequest;

fn forge(call: Arc<Call>, request: Arc<WireRequest>) -> RequestPermit {
    RequestPermit {
        call,
        number: 0,
        request,
        unasked_write: false,
    }
}

fn main() {}
