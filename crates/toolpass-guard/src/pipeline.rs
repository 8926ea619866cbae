//! The order of checks around a call, and nothing but that order.
//!
//! [`begin`] runs the steps that need nobody: session, authority, arguments, entitlements, limits. From then on
//! [`Admission::next`] says what must be known next, until it hands out the [`Permit`] or a [`Refusal`]. An admission that is
//! dropped gives back what it took.

use std::collections::VecDeque;
use std::sync::Arc;

use toolpass_core::clock::{Monotonic, Wall};
use toolpass_core::codes::RefusalCode;
use toolpass_core::decision::Decision;
use toolpass_core::question::{Freshness, Question};

use crate::arguments::{self, Argument};
use crate::audit::shortened;
use crate::authorization::{self, AuthorizerAnswer};
use crate::call::{Asked, Call, Permit};
use crate::entitlements::arguments::{Arguments, filled};
use crate::json::Object;
use crate::refusal::Refusal;
use crate::scope::{AskText, Host};
use crate::session::{Cap, Key, Session, Slots};
use crate::taint::Given;
