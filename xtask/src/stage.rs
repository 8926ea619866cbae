//! Putting the package into an environment without pip: the Python files, the native module, the command, and the
//! record that tells Python its version.
//!
//! For the demo, tests and benches, where building a wheel and unpacking it again would only cost time. The wheel
//! itself is tested by `package`.

use std::path::Path;

use anyhow::Context as _;

use crate::build::{self, Artifacts, Profile};
use crate::paths;
use crate::python::{Interpreter, Venv};
use crate::steps::Screen;

/// Build for an environment and put the package into it.
pub(crate) fn build_into(
    screen: &mut Screen,
    python: &Interpreter,
    venv: &Venv,
    profile: Profile,
) -> anyhow::Result<Artifacts> {
    let artifacts = build::build(screen, python, profile)?;
    install(screen, venv, &artifacts)?;
    Ok(artifacts)
}

/// Put the package that one environment has into another, sharing its files where the file system can.
pub(crate) fn share(screen: &mut Screen, from: &Venv, to: &Venv) -> anyhow::Result<()> {
    let (from, to) = (from.folders(screen)?, to.folders(screen)?);
    for folder in ["toolpass".to_owned(), record()] {
        let target = to.packages.join(&folder);
        if target.exists() {
            std::fs::remove_dir_all(&target)?;
        }
        copy_tree(&from.packages.join(&folder), &target, &share_file)?;
    }
    Ok(())
}

/// Put the package into an environment, replacing an older one.
fn install(screen: &mut Screen, venv: &Venv, artifacts: &Artifacts) -> anyhow::Result<()> {
    let folders = venv.folders(screen)?;
    let package = folders.packages.join("toolpass");
    if package.exists() {
        std::fs::remove_dir_all(&package)?;
    }
    copy_tree(
        &paths::root().join("python").join("toolpass"),
        &package,
        &copy_source,
    )?;
    let native = package.join(format!("_native{}", folders.native_suffix));
    replace(&artifacts.native, &native)?;
    if let Some(command) = artifacts.executable("toolpass") {
        let name = if cfg!(windows) {
            "toolpass.exe"
        } else {
            "toolpass"
        };
        replace(command, &folders.scripts.join(name))?;
    }
    let version = env!("CARGO_PKG_VERSION");
    let record = folders.packages.join(record());
    std::fs::create_dir_all(&record)?;
    std::fs::write(
        record.join("METADATA"),
        format!("Metadata-Version: 2.1\nName: toolpass\nVersion: {version}\n"),
    )?;
    std::fs::write(record.join("INSTALLER"), "xtask\n")?;
    screen.tell(&format!("installed into {}", package.display()))
}

/// The folder that tells Python the package's version.
fn record() -> String {
    format!("toolpass-{}.dist-info", env!("CARGO_PKG_VERSION"))
}

/// Copy a folder, each file as `copy` does it, without what Python left in it.
fn copy_tree(
    from: &Path,
    to: &Path,
    copy: &dyn Fn(&Path, &Path) -> std::io::Result<()>,
) -> anyhow::Result<()> {
    std::fs::create_dir_all(to)?;
    let entries =
        std::fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))?;
    for entry in entries {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            if entry.file_name() != "__pycache__" {
                copy_tree(&entry.path(), &target, copy)?;
            }
        } else {
            copy(&entry.path(), &target)
                .with_context(|| format!("cannot copy {}", entry.path().display()))?;
        }
    }
    Ok(())
}

/// Copy a file of the sources, unless another build left it there.
fn copy_source(from: &Path, to: &Path) -> std::io::Result<()> {
    if is_native(from) {
        return Ok(());
    }
    std::fs::copy(from, to).map(drop)
}

/// Have the same file twice: as a link, or copied where that cannot be.
fn share_file(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::hard_link(from, to).or_else(|_| std::fs::copy(from, to).map(drop))
}

/// Copy over an older file. That goes first, so that a process which has it open keeps what it opened.
fn replace(from: &Path, to: &Path) -> anyhow::Result<()> {
    if to.exists() {
        std::fs::remove_file(to)?;
    }
    std::fs::copy(from, to).with_context(|| format!("cannot copy {}", from.display()))?;
    Ok(())
}

fn is_native(path: &Path) -> bool {
    path.extension()
        .is_some_and(|end| ["so", "pyd", "dylib"].iter().any(|known| end == *known))
}
