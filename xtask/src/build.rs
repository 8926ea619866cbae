//! Building what Python needs: the native module, the command, and the stand-in, by one call of cargo, so that no
//! dependency is compiled twice.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Context as _;
use serde_json::Value;

use crate::python::Interpreter;
use crate::steps::Screen;

/// The optimisation of a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    /// Quick to build: for tests.
    Dev,
    /// As users get it: for the demo and benches.
    Release,
}

/// The files a build made.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Artifacts {
    /// The library that becomes `toolpass._native`.
    pub(crate) native: PathBuf,
    /// Executables by name.
    pub(crate) executables: Vec<(String, PathBuf)>,
}

impl Artifacts {
    /// The path of an executable.
    pub(crate) fn executable(&self, name: &str) -> Option<&PathBuf> {
        self.executables
            .iter()
            .find_map(|(known, path)| (known == name).then_some(path))
    }
}

/// A call of the cargo that runs us.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).env("CARGO_TERM_COLOR", "never");
    if std::env::var_os("CI").is_some() {
        command.env("CARGO_INCREMENTAL", "0");
    }
    command
}

/// Build the native module, the command and the stand-in for an interpreter.
pub(crate) fn build(
    screen: &mut Screen,
    python: &Interpreter,
    profile: Profile,
) -> anyhow::Result<Artifacts> {
    let mut command = cargo(&["build", "--message-format=json-render-diagnostics"]);
    for package in PACKAGES {
        command.args(["--package", package]);
    }
    if profile == Profile::Release {
        command.arg("--release");
    }
    python.for_pyo3(&mut command);
    let output = screen.run(&mut command)?.required()?;
    let artifacts = artifacts(&output.stdout)?;
    anyhow::ensure!(
        artifacts.native.is_file(),
        "cargo made no library `_native`: see crates/toolpass-python/Cargo.toml"
    );
    Ok(artifacts)
}

/// Read the artifact messages of cargo, one JSON object a line.
fn artifacts(messages: &str) -> anyhow::Result<Artifacts> {
    let mut artifacts = Artifacts::default();
    for line in messages.lines().filter(|line| line.starts_with('{')) {
        let message: Value =
            serde_json::from_str(line).context("a message of cargo is not JSON")?;
        let Some(name) = message.pointer("/target/name").and_then(Value::as_str) else {
            continue;
        };
        if let Some(path) = message.get("executable").and_then(Value::as_str) {
            artifacts.executables.push((name.to_owned(), path.into()));
        } else if name == "_native" {
            let files = message.get("filenames").and_then(Value::as_array);
            let library = files
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .find(|path| {
                    [".so", ".dylib", ".dll"]
                        .iter()
                        .any(|end| path.ends_with(end))
                });
            artifacts.native = library.unwrap_or_default().into();
        }
    }
    Ok(artifacts)
}

const PACKAGES: &[&str] = &["toolpass-python", "toolpass-cli", "toolpass-standin"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn artifacts_are_read_from_the_messages() {
        let messages = r#"
{"reason":"compiler-artifact","target":{"name":"serde"},"filenames":["/t/libserde.rlib"],"executable":null}
{"reason":"compiler-artifact","target":{"name":"_native"},"filenames":["/t/lib_native.d","/t/lib_native.so"],"executable":null}
{"reason":"compiler-artifact","target":{"name":"toolpass"},"filenames":["/t/toolpass"],"executable":"/t/toolpass"}
{"reason":"build-finished","success":true}
"#;
        let artifacts = artifacts(messages).unwrap();
        assert_eq!(artifacts.native, PathBuf::from("/t/lib_native.so"));
        assert_eq!(
            artifacts.executable("toolpass"),
            Some(&PathBuf::from("/t/toolpass"))
        );
        assert_eq!(artifacts.executable("serde"), None);
    }
}
