//! The names of log and span fields. One list: a field that is not here is not logged.

/// Every field of the operational log, lower case, in alphabetical order.
pub const FIELDS: &[&str] = &[
    "action",
    "attempt",
    "cache",
    "cached",
    "code",
    "connection",
    "duration_ms",
    "effect",
    "fresh",
    "host",
    "integration",
    "location",
    "method",
    "outcome",
    "path",
    "remote",
    "resource",
    "status",
    "tool",
];
