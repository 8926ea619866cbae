//! What is read from GitHub, and with which credential.

pub mod read;
pub mod records;
