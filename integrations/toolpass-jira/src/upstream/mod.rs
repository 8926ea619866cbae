//! What is read from Jira, and with which credential.
//!
//! | file | holds |
//! |---|---|
//! | `read` | every read the rules may ask for: its address |
//! | `records` | what its answer says, strictly |
//! | `site` | making a read: where, how many at once, what a refusal means |
//! | `auth` | the credential: token, scoped token, OAuth client; the site's cloud id |

pub mod auth;
pub mod read;
pub mod records;
pub mod site;
