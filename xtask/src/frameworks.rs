//! `cargo xtask frameworks`: the tests under each agent framework, every framework in an environment of its own, because
//! their dependencies exclude each other. Also part of `cargo xtask test`.
//!
//! A framework is a folder `python/tests/frameworks/NAME` with a `requirements.txt`; there is no other list of them. The
//! package is the one that `py` has built. Environments are made by uv, which keeps one copy of a wheel for all of them.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;

use crate::Options;
use crate::paths;
use crate::py;
use crate::python::{Interpreter, Venv, Versions};
use crate::stage;
use crate::steps::{Report, Screen, Step};

/// The steps of the command: environment, build, and one for each framework that is named, or for all.
pub(crate) fn steps(options: &Options) -> anyhow::Result<Vec<Step>> {
    let python = Interpreter::find()?;
    let known = known()?;
    if let Some(unknown) = options.words.iter().find(|word| !known.contains(word)) {
        anyhow::bail!(
            "there is no framework `{unknown}`; known: {}",
            known.join(", ")
        );
    }
    let named = if options.words.is_empty() {
        &known
    } else {
        &options.words
    };
    let versions = if options.has("oldest") {
        Versions::Oldest
    } else {
        Versions::Newest
    };
    let mut steps = py::built(&python);
    steps.extend(
        named
            .iter()
            .map(|name| step(name, &python, versions, options.rest.clone())),
    );
    Ok(steps)
}

/// One step for each framework, on the newest versions, after `py` has built.
pub(crate) fn all(python: &Interpreter) -> anyhow::Result<Vec<Step>> {
    let names = known()?;
    let steps = names
        .iter()
        .map(|name| step(name, python, Versions::Newest, Vec::new()));
    Ok(steps.collect())
}

/// The frameworks there are tests for, by name.
fn known() -> anyhow::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder()).context("cannot read the frameworks' tests")? {
        let entry = entry?;
        if entry.path().join("requirements.txt").is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

fn step(name: &str, python: &Interpreter, versions: Versions, arguments: Vec<String>) -> Step {
    let (name, python) = (name.to_owned(), python.clone());
    Step::new(format!("framework {name}"), move |screen| {
        run(screen, &name, &python, versions, &arguments)
    })
    .needs(&[py::BUILD])
}

fn run(
    screen: &mut Screen,
    name: &str,
    python: &Interpreter,
    versions: Versions,
    arguments: &[String],
) -> anyhow::Result<Report> {
    let suffix = match versions {
        Versions::Newest => "",
        Versions::Oldest => "-oldest",
    };
    let tools = Venv::named(py::VENV);
    let venv = Venv::named("frameworks").inner(&format!("{name}{suffix}"));
    let requirements = [
        folder().join("requirements.txt"),
        folder().join(name).join("requirements.txt"),
    ];
    let how = venv.with_uv(screen, &tools, python, &requirements, versions)?;
    stage::share(screen, &tools, &venv)?;
    let mut report = screen.run(&mut pytest(&venv, name, arguments)?)?.tests()?;
    report.note = format!("environment {how}");
    Ok(report)
}

fn pytest(venv: &Venv, name: &str, arguments: &[String]) -> anyhow::Result<Command> {
    let mut command = venv.run(&["-m", "pytest", "--color=no"]);
    py::with_standin(&mut command)?;
    command.env("TOOLPASS_TEST_FRAMEWORK", name);
    // A folder is always named, so that arguments such as `-k` select within it.
    command.arg(relative(&folder().join(name)));
    command.args(arguments);
    Ok(command)
}

fn folder() -> PathBuf {
    paths::root()
        .join("python")
        .join("tests")
        .join("frameworks")
}

fn relative(path: &Path) -> &Path {
    path.strip_prefix(paths::root()).unwrap_or(path)
}
