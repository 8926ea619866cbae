//! `cargo xtask py`: the Python face built in the dev profile, put into an environment, and tested. Also the Python part
//! of `cargo xtask test`.

use std::path::PathBuf;
use std::process::Command;

use crate::Options;
use crate::browser;
use crate::build::{Artifacts, Profile};
use crate::paths;
use crate::python::{Interpreter, Venv};
use crate::stage;
use crate::steps::{Report, Step};

/// The steps of the command.
pub(crate) fn steps(options: &Options) -> anyhow::Result<Vec<Step>> {
    Ok(face(&Interpreter::find()?, options.rest.clone()))
}

/// The steps that make the environment and put the package into it.
pub(crate) fn built(python: &Interpreter) -> Vec<Step> {
    let venv = Venv::named(VENV);
    let (for_venv, for_build) = (python.clone(), python.clone());
    let (venv_made, venv_built) = (venv.clone(), venv);
    vec![
        Step::new(ENVIRONMENT, move |screen| {
            let requirements = paths::root().join(TESTS).join("requirements.txt");
            let how = venv_made.with_requirements(screen, &for_venv, &requirements)?;
            for (name, requirements) in sites()? {
                let site = Venv::named("sites").path().join(name);
                venv_made.with_site(screen, &site, &requirements)?;
            }
            Ok(Report::note(format!("{how}, {}", for_venv.shown())))
        }),
        Step::new(BUILD, move |screen| {
            let artifacts = stage::build_into(screen, &for_build, &venv_built, Profile::Dev)?;
            remember_standin(&artifacts)?;
            Ok(Report::default())
        })
        .needs(&[ENVIRONMENT]),
    ]
}

/// The steps that test the face with an interpreter; `arguments` go to pytest.
pub(crate) fn face(python: &Interpreter, arguments: Vec<String>) -> Vec<Step> {
    let venv = Venv::named(VENV);
    let mut steps = built(python);
    for (name, needs, words) in CHECKS {
        let venv = venv.clone();
        steps.push(
            Step::new(*name, move |screen| {
                let mut command = venv.run(&["-m"]);
                command.args(words.split_whitespace());
                screen.run(&mut command)?.required()?;
                Ok(Report::default())
            })
            .needs(needs),
        );
    }
    let stubs = venv.clone();
    steps.push(
        Step::new("stubtest", move |screen| {
            let mut command = stubs.run(&["-m", "mypy.stubtest", "toolpass._native", "--concise"]);
            let allowed = paths::root()
                .join("python")
                .join("build")
                .join("stubtest-allow.txt");
            if allowed.is_file() {
                command.arg("--allowlist").arg(allowed);
            }
            screen.run(&mut command)?.required()?;
            Ok(Report::default())
        })
        .needs(&[BUILD]),
    );
    steps.push(Step::new("browser", browser::step));
    steps.push(
        Step::new("pytest", move |screen| {
            let mut command = venv.run(&["-m", "pytest", "--color=no"]);
            with_standin(&mut command)?;
            command.env("TOOLPASS_TEST_SITES", Venv::named("sites").path());
            if let Some(program) = browser::find() {
                command.env("TOOLPASS_CHROMIUM", program);
            }
            screen.run(command.args(arguments))?.tests()
        })
        .needs(&[BUILD]),
    );
    steps
}

/// Give a Python program the path of the stand-in that was built, when there is one.
pub(crate) fn with_standin(command: &mut Command) -> anyhow::Result<()> {
    let known = standin_file();
    if known.is_file() {
        command.env("TOOLPASS_STANDIN", std::fs::read_to_string(known)?);
    }
    Ok(())
}

/// Keep the path of the stand-in's program for the steps after the build.
pub(crate) fn remember_standin(artifacts: &Artifacts) -> anyhow::Result<()> {
    if let Some(program) = artifacts.executable("toolpass-standin") {
        std::fs::write(standin_file(), program.to_string_lossy().as_bytes())?;
    }
    Ok(())
}

fn standin_file() -> PathBuf {
    paths::target().join("xtask").join("standin-path")
}

/// Further sets of packages that tests need beside the environment's: `python/tests/sites/NAME.txt`, for versions that
/// exclude each other.
fn sites() -> anyhow::Result<Vec<(String, PathBuf)>> {
    let folder = paths::root().join(TESTS).join("sites");
    let mut found = Vec::new();
    if folder.is_dir() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|end| end == "txt") {
                let name = path
                    .file_stem()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned();
                found.push((name, path));
            }
        }
    }
    found.sort();
    Ok(found)
}

const TESTS: &str = "python/tests";

const ENVIRONMENT: &str = "python environment";

/// The environment of the Python tests, which every tool for them is in.
pub(crate) const VENV: &str = "venv";

/// The step after which the package is in that environment.
pub(crate) const BUILD: &str = "python build";

/// The checks that are one call of a Python module each: name, needed steps, words.
const CHECKS: &[(&str, &[&str], &str)] = &[
    ("ruff format", &[ENVIRONMENT], "ruff format --check"),
    ("ruff check", &[ENVIRONMENT], "ruff check"),
    ("mypy", &[BUILD], "mypy"),
];
