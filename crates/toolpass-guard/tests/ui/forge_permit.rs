use std::sync::Arc;

use toolpass_guard::call::{Call, Permit};
use toolpass_guard::session::Slots;

fn forge(call: Arc<Call>, slots: Slots) -> Permit {
    Permit { call, slots }
}

fn main() {}
