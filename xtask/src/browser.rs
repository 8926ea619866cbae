//! The browser that the tests of the live page need: the machine's own Chromium.
//!
//! Separate because it is the one thing that is neither a package of Rust nor of Python. Where it is missing and may be
//! installed (Debian or Ubuntu, as root, as in CI) it is; elsewhere the step says aloud that the page is not tested.

use std::path::PathBuf;
use std::process::Command;

use crate::steps::{Report, Screen, say};

/// The step: find a browser, or get one.
pub(crate) fn step(screen: &mut Screen) -> anyhow::Result<Report> {
    if let Some(program) = find() {
        return Ok(Report::note(program.display().to_string()));
    }
    if may_install() {
        for words in [
            &["update", "--quiet"][..],
            &[
                "install",
                "--quiet",
                "--yes",
                "--no-install-recommends",
                "chromium",
            ],
        ] {
            let mut command = Command::new("apt-get");
            command.args(words).env("DEBIAN_FRONTEND", "noninteractive");
            // Without the net there is no browser; that is said below.
            if screen.run(&mut command)?.required().is_err() {
                break;
            }
        }
        if let Some(program) = find() {
            return Ok(Report::note(format!("installed {}", program.display())));
        }
    }
    say(MISSING);
    Ok(Report::note("NO BROWSER: the live page is not tested"))
}

/// The browser's program: what `TOOLPASS_CHROMIUM` names, or the first on the path.
pub(crate) fn find() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("TOOLPASS_CHROMIUM") {
        return Some(named.into());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .flat_map(|folder| NAMES.map(|name| folder.join(name)))
        .find(|program| program.is_file())
}

/// Whether Debian's packages are here and this is root.
fn may_install() -> bool {
    let is_root = Command::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|output| output.stdout.starts_with(b"0\n"));
    is_root && Command::new("apt-get").arg("--version").output().is_ok()
}

const NAMES: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

const MISSING: &str = "no Chromium on the path: the tests of the live page in a browser are SKIPPED. Install one \
    (Debian: apt-get install chromium) or name it in TOOLPASS_CHROMIUM";
