//! `cargo xtask package`: `pip install` of the clone into a new environment, and a look at what it brought: the package
//! with its native module, the command as a program of its own, `python -m toolpass`.

use std::process::Command;

use anyhow::{Context as _, ensure};

use crate::Options;
use crate::build::Profile;
use crate::paths;
use crate::python::{Interpreter, Venv};
use crate::steps::{Report, Screen, Step};

/// The steps of the command.
pub(crate) fn steps(options: &Options) -> anyhow::Result<Vec<Step>> {
    let profile = if options.has("release") {
        Profile::Release
    } else {
        Profile::Dev
    };
    Ok(install(Interpreter::find()?, profile))
}

/// Install in a profile, then look.
pub(crate) fn install(python: Interpreter, profile: Profile) -> Vec<Step> {
    let venv = Venv::named("package-venv");
    let installed = venv.clone();
    vec![
        Step::new(INSTALL, move |screen| {
            venv.make_with_pip(screen, &python)?;
            let mut command = venv.run(&[
                "-m",
                "pip",
                "--disable-pip-version-check",
                "--no-input",
                "install",
            ]);
            python.for_pyo3(&mut command);
            if profile == Profile::Dev {
                command.env("TOOLPASS_BUILD_PROFILE", "dev");
            }
            screen.run(command.arg(paths::root()))?.required()?;
            Ok(Report::default())
        }),
        Step::new("what it brought", move |screen| look(screen, &installed)).needs(&[INSTALL]),
    ]
}

fn look(screen: &mut Screen, venv: &Venv) -> anyhow::Result<Report> {
    let folders = venv.folders(screen)?;
    let program = folders.scripts.join(if cfg!(windows) {
        "toolpass.exe"
    } else {
        "toolpass"
    });
    let start =
        std::fs::read(&program).with_context(|| format!("there is no {}", program.display()))?;
    ensure!(
        !start.starts_with(b"#!"),
        "{} is a script, not a program",
        program.display()
    );
    let direct = screen
        .run(Command::new(&program).arg("version"))?
        .required()?
        .stdout;
    let module = screen
        .run(&mut venv.run(&["-m", "toolpass", "version"]))?
        .required()?
        .stdout;
    let package = screen
        .run(&mut venv.run(&["-c", VERSION]))?
        .required()?
        .stdout;
    let version = direct.trim();
    ensure!(
        !version.is_empty() && module.trim() == version && package.trim() == version,
        "the versions differ: command {version}, `python -m toolpass` {}, package {}",
        module.trim(),
        package.trim()
    );
    Ok(Report::note(format!("version {version}")))
}

const INSTALL: &str = "pip install";

const VERSION: &str = "import importlib.metadata, toolpass, toolpass._native
print(importlib.metadata.version('toolpass'))";
