//! The file of recorded entitlements, on disk: read, recorded to, replaced.
//!
//! Separate because `toolpass-guard` knows what an entry means and touches no file, and `toolpass-config` knows YAML and no
//! entry; the command and the Python face need both in the same way. It holds no rule: [`load`] turns a file into the tree that
//! `guard` reads, [`recorder`] puts what `guard` recorded into the file.

mod file;
pub mod load;
pub mod recorder;
