//! `cargo xtask demo`: the main job, shown. Builds what users get, puts it into an environment of its own, runs the tour of
//! `toolpass demo`, and then the examples on stand-ins. Needs no package but Rust's, so a cold clone is through in a few minutes.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Options;
use crate::build::Profile;
use crate::python::{Interpreter, Venv};
use crate::steps::{Report, Step};
use crate::{paths, py, stage};

/// The steps: environment, build, the tour, one per example.
pub(crate) fn steps(_: &Options) -> anyhow::Result<Vec<Step>> {
    let mut steps = run(EXAMPLES)?;
    let venv = Venv::named(VENV);
    let tour = Step::new(TOUR, move |screen| {
        screen.show();
        let program = venv.folders(screen)?.scripts.join("toolpass");
        let mut command = Command::new(program);
        screen
            .run(command.args(["demo", "-no-dashboard"]))?
            .required()?;
        Ok(Report::note(
            "`toolpass demo -open` also shows the dashboard",
        ))
    });
    steps.insert(BEFORE_EXAMPLES, tour.needs(&[BUILD]));
    Ok(steps)
}

/// The steps of `cargo xtask watch`, whose example runs until it is stopped.
pub(crate) fn watch(_: &Options) -> anyhow::Result<Vec<Step>> {
    run(WATCHED)
}

fn run(examples: &'static [&'static str]) -> anyhow::Result<Vec<Step>> {
    let python = Interpreter::find()?;
    let venv = Venv::named(VENV);
    let (made, built, builds) = (venv.clone(), venv.clone(), python.clone());
    let mut steps = vec![
        Step::new(ENVIRONMENT, move |screen| {
            made.make_bare(screen, &python)?;
            Ok(Report::note(python.shown()))
        }),
        Step::new(BUILD, move |screen| {
            let artifacts = stage::build_into(screen, &builds, &built, Profile::Release)?;
            py::remember_standin(&artifacts)?;
            Ok(Report::default())
        })
        .needs(&[ENVIRONMENT]),
    ];
    for example in examples {
        let (venv, path) = (venv.clone(), paths::root().join(example));
        steps.push(
            Step::new(title(&path), move |screen| {
                screen.show();
                let mut command = venv.run(&[]);
                py::with_standin(&mut command)?;
                screen.run(command.arg(path))?.required()?;
                Ok(Report::default())
            })
            .needs(&[BUILD]),
        );
    }
    Ok(steps)
}

fn title(example: &Path) -> String {
    PathBuf::from(example.file_name().unwrap_or_default())
        .display()
        .to_string()
}

const VENV: &str = "demo-venv";

const TOUR: &str = "toolpass demo";

/// How many steps stand before those of the examples.
const BEFORE_EXAMPLES: usize = 2;

const ENVIRONMENT: &str = "environment";

const BUILD: &str = "build and install";

/// What the demo shows, in order: requests seen at the wire, then the checks around calls.
const EXAMPLES: &[&str] = &["examples/wire_agent.py", "examples/ops_agent.py"];

/// What `cargo xtask watch` shows.
const WATCHED: &[&str] = &["examples/watch_agent.py"];
