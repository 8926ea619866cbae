//! `cargo xtask test`: all that CI and a newcomer run, in one order. Nothing has to be installed beforehand but Rust and
//! Python.

use std::process::{Command, Stdio};

use crate::Options;
use crate::build::{Profile, cargo};
use crate::python::Interpreter;
use crate::steps::{Output, Report, Screen, Step};
use crate::{frameworks, licences, package, py, reference, tidy};

/// The steps, in order.
pub(crate) fn steps(options: &Options) -> anyhow::Result<Vec<Step>> {
    let python = Interpreter::find()?;
    let mut steps = vec![
        step("rustfmt", &python, |screen, python| {
            run(screen, python, &["fmt", "--all", "--check"])?.required()?;
            Ok(Report::default())
        }),
        step("clippy", &python, |screen, python| {
            let words = [
                "clippy",
                "--workspace",
                "--all-targets",
                "--",
                "--deny",
                "warnings",
            ];
            run(screen, python, &words)?.required()?;
            Ok(Report::default())
        }),
    ];
    steps.extend(tidy::steps(options)?);
    steps.push(Step::new("licences", licences::step));
    steps.push(step("rust tests", &python, rust_tests));
    steps.push(step("doc tests", &python, |screen, python| {
        run(
            screen,
            python,
            &["test", "--workspace", "--doc", "--no-fail-fast"],
        )?
        .tests()
    }));
    steps.push(reference::step(python.clone(), true));
    steps.extend(py::face(&python, Vec::new()));
    steps.extend(frameworks::all(&python)?);
    steps.extend(package::install(python, Profile::Dev));
    Ok(steps)
}

fn step(
    name: &str,
    python: &Interpreter,
    work: fn(&mut Screen, &Interpreter) -> anyhow::Result<Report>,
) -> Step {
    let python = python.clone();
    Step::new(name, move |screen| work(screen, &python))
}

fn run(screen: &mut Screen, python: &Interpreter, words: &[&str]) -> anyhow::Result<Output> {
    let mut command = cargo(words);
    python.for_pyo3(&mut command);
    screen.run(&mut command)
}

/// Run the Rust tests, with cargo-nextest where it is installed.
fn rust_tests(screen: &mut Screen, python: &Interpreter) -> anyhow::Result<Report> {
    if has_nextest() {
        run(
            screen,
            python,
            &["nextest", "run", "--workspace", "--no-fail-fast"],
        )?
        .tests()
    } else {
        run(
            screen,
            python,
            &[
                "test",
                "--workspace",
                "--lib",
                "--bins",
                "--tests",
                "--no-fail-fast",
            ],
        )?
        .tests()
    }
}

fn has_nextest() -> bool {
    Command::new("cargo-nextest")
        .args(["nextest", "--version"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
