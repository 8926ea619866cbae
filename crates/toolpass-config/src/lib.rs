//! toolpass.yaml, and the same thing in code: one parser with lines, one validation, one list of keys.
//!
//! Separate because only this crate knows YAML and reads the file; the engine is given connections, not settings. Both forms
//! become the same raw entries (`raw`) and pass the same checks (`validate`), so they cannot diverge. Which integrations there
//! are is a parameter, never a dependency.
//! Stages: load touches the file and asks whether named files exist; [`build`] reads certificates and builds connections, no
//! network; reading a secret's value is for whoever uses it.
//! INVARIANT: no value of a key stands in a message, a warning or a `Debug`, but ids, and names of keys and integrations.

mod block;
pub mod build;
pub mod config;
pub mod error;
pub mod keys;
pub mod load;
mod near;
mod raw;
mod references;
pub mod server;
#[cfg(test)]
mod testing;
pub mod url;
mod validate;
mod value;
pub mod warnings;
pub mod yaml;
