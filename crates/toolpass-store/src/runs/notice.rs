//! What one server tells the others that keep their runs in the same place: what is to be forgotten.

use std::time::Duration;

/// What is to be forgotten: of a connection, of a user, of a user in a connection, or everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notice {
    /// The connection; every one when absent.
    pub connection: Option<String>,
    /// The user's e-mail; everybody when absent.
    pub user: Option<String>,
}

/// Notices, oldest first, and the number of the last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// What to ask from next time.
    pub last: u64,
    /// Those past the number asked from.
    pub notices: Vec<Notice>,
}

/// How long a notice can be read. Whoever did not look for longer may lack one.
pub const KEPT_FOR: Duration = Duration::from_secs(3600);
