//! `cargo xtask bench`: the numbers of the design, measured. Rust's by criterion, Python's by `benches/python/run.py`
//! on the release build; with `--peer`, the published package beside ours in the same run.

use crate::Options;
use crate::build::{Profile, cargo};
use crate::python::{Interpreter, Venv};
use crate::steps::{Report, Step};
use crate::{paths, py, stage};

/// The steps: Rust, environment, build, the peer when asked for, Python.
pub(crate) fn steps(options: &Options) -> anyhow::Result<Vec<Step>> {
    let python = Interpreter::find()?;
    let (venv, peer) = (Venv::named("bench-venv"), Venv::named("peer-venv"));
    let with_peer = options.has("peer");
    let names = options.rest.clone();
    let mut steps = vec![
        Step::new("rust", {
            let (python, names) = (python.clone(), names.clone());
            move |screen| {
                screen.show();
                let mut command = cargo(&["bench", "--package", "toolpass-benches", "--"]);
                python.for_pyo3(&mut command);
                screen.run(command.args(names))?.required()?;
                Ok(Report::default())
            }
        }),
        Step::new(BUILD, {
            let (python, venv) = (python.clone(), venv.clone());
            move |screen| {
                venv.with_requirements(screen, &python, &paths::root().join(REQUIREMENTS))?;
                let artifacts = stage::build_into(screen, &python, &venv, Profile::Release)?;
                py::remember_standin(&artifacts)?;
                Ok(Report::note(python.shown()))
            }
        }),
    ];
    let mut needs = vec![BUILD];
    if with_peer {
        let peer = peer.clone();
        steps.push(Step::new(PEER, move |screen| {
            peer.with_requirements(screen, &python, &paths::root().join(PEER_REQUIREMENTS))?;
            Ok(Report::default())
        }));
        needs.push(PEER);
    }
    steps.push(
        Step::new("python", move |screen| {
            screen.show();
            let mut command = venv.run(&[]);
            py::with_standin(&mut command)?;
            command.arg(paths::root().join("benches").join("python").join("run.py"));
            if with_peer {
                command.arg("--peer").arg(peer.python());
            }
            screen.run(command.args(names))?.required()?;
            Ok(Report::default())
        })
        .needs(&needs),
    );
    Ok(steps)
}

const BUILD: &str = "build and install";

const PEER: &str = "published package";

const REQUIREMENTS: &str = "benches/python/requirements.txt";

const PEER_REQUIREMENTS: &str = "benches/python/requirements-peer.txt";
