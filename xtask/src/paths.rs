//! Where things are in the clone. Every command works from any folder of it.

use std::path::{Path, PathBuf};

/// The root of the clone: the folder above this crate's.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap_or(Path::new("."))
}

/// The folder for what commands make: environments, logs, the wheel's data.
pub(crate) fn target() -> PathBuf {
    root().join("target")
}
