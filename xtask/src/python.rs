//! The Python to build and test with: finding an interpreter that is new enough, and environments of our own.
//!
//! Separate because the native module belongs to one Python version: what PyO3 builds for and what makes the
//! environment must be the same interpreter.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};

use crate::paths;
use crate::steps::Screen;

/// A Python that is new enough.
#[derive(Debug, Clone)]
pub(crate) struct Interpreter {
    program: PathBuf,
    version: String,
    /// Whether PyO3 would find another one by itself.
    hidden: bool,
}

/// An environment of ours, under `target/`.
#[derive(Debug, Clone)]
pub(crate) struct Venv {
    folder: PathBuf,
}

/// Which versions of what is required are installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Versions {
    Newest,
    /// The lower bounds of what is required itself.
    Oldest,
}

/// The folders of an environment, as its own Python gives them.
pub(crate) struct Folders {
    pub(crate) packages: PathBuf,
    pub(crate) scripts: PathBuf,
    /// How a file of a native module ends.
    pub(crate) native_suffix: String,
}

impl Interpreter {
    /// The first interpreter on the path that is new enough; `TOOLPASS_PYTHON` names another.
    /// Errors: none found, naming what was tried.
    pub(crate) fn find() -> anyhow::Result<Self> {
        if let Some(named) = std::env::var_os("TOOLPASS_PYTHON") {
            let found = probe(&named.to_string_lossy(), true)?;
            return found.with_context(|| {
                format!(
                    "TOOLPASS_PYTHON={} is no Python >= {MINIMUM}",
                    named.to_string_lossy()
                )
            });
        }
        // PyO3 takes the first of these two that runs, so any later one has to be named to it.
        let mut hidden = false;
        for name in CANDIDATES {
            match probe(name, hidden) {
                Ok(Some(found)) => return Ok(found),
                Ok(None) => hidden = true,
                Err(_) => {}
            }
        }
        bail!(
            "no Python >= {MINIMUM} on the path (tried {})",
            CANDIDATES.join(", ")
        )
    }

    /// `3.12.1 (path)`.
    pub(crate) fn shown(&self) -> String {
        format!("Python {} ({})", self.version, self.program.display())
    }

    /// Let a build of PyO3 use this interpreter. Left alone when it would anyway: a change of the variable rebuilds.
    pub(crate) fn for_pyo3(&self, command: &mut Command) {
        command.env_remove("VIRTUAL_ENV");
        if self.hidden {
            command.env("PYO3_PYTHON", &self.program);
        }
    }

    /// The path of the program.
    pub(crate) fn program(&self) -> &Path {
        &self.program
    }
}

impl Venv {
    /// The environment of this name, which may not exist yet.
    pub(crate) fn named(name: &str) -> Self {
        Self {
            folder: paths::target().join(name),
        }
    }

    /// Make a new environment without pip, dropping an old one. Needs nothing from the net.
    pub(crate) fn make_bare(
        &self,
        screen: &mut Screen,
        python: &Interpreter,
    ) -> anyhow::Result<()> {
        self.make(screen, python, &["--without-pip"])
    }

    /// Make a new environment with pip in it, dropping an old one.
    pub(crate) fn make_with_pip(
        &self,
        screen: &mut Screen,
        python: &Interpreter,
    ) -> anyhow::Result<()> {
        self.make(screen, python, &[]).context(
            "cannot make an environment; Debian and Ubuntu need their package python3-venv for it",
        )
    }

    /// Have an environment with everything the requirements file lists; one that already has is kept as it is.
    pub(crate) fn with_requirements(
        &self,
        screen: &mut Screen,
        python: &Interpreter,
        requirements: &Path,
    ) -> anyhow::Result<&'static str> {
        let wanted = format!("{}\n{}", python.shown(), read(requirements)?);
        let stamp = self.folder.join("toolpass-requirements");
        if self.python().exists()
            && std::fs::read_to_string(&stamp).is_ok_and(|found| found == wanted)
        {
            return Ok("reused");
        }
        self.make_with_pip(screen, python)?;
        self.pip(
            screen,
            &["install", "--requirement", &requirements.to_string_lossy()],
        )?;
        std::fs::write(&stamp, wanted)?;
        Ok("new")
    }

    /// Have an environment with what several requirements files list, made by the uv of `tools`; kept as above.
    pub(crate) fn with_uv(
        &self,
        screen: &mut Screen,
        tools: &Venv,
        python: &Interpreter,
        requirements: &[PathBuf],
        versions: Versions,
    ) -> anyhow::Result<&'static str> {
        let mut wanted = format!("{}\n{versions:?}\n", python.shown());
        for file in requirements {
            wanted.push_str(&read(file)?);
        }
        let stamp = self.folder.join("toolpass-requirements");
        if self.python().exists()
            && std::fs::read_to_string(&stamp).is_ok_and(|found| found == wanted)
        {
            return Ok("reused");
        }
        if self.folder.exists() {
            std::fs::remove_dir_all(&self.folder)?;
        }
        let uv = |words: &[&str]| {
            let mut command = tools.run(&["-m", "uv", "--no-progress", "--no-config"]);
            command.args(words).env_remove("UV_PYTHON");
            // In the same file system, so that environments share files instead of copying them.
            command.env(
                "UV_CACHE_DIR",
                paths::target().join("frameworks").join("cache"),
            );
            command
        };
        let mut make = uv(&["venv", "--python"]);
        screen
            .run(make.arg(python.program()).arg(&self.folder))?
            .required()?;
        let mut install = uv(&["pip", "install", "--python"]);
        install.arg(self.python());
        if versions == Versions::Oldest {
            install.args(["--resolution", "lowest-direct"]);
        }
        for file in requirements {
            install.arg("--requirement").arg(file);
        }
        screen.run(&mut install)?.required()?;
        std::fs::write(&stamp, wanted)?;
        Ok("new")
    }

    /// Have a folder of further packages, installed by this environment's pip. Kept like an environment.
    pub(crate) fn with_site(
        &self,
        screen: &mut Screen,
        site: &Path,
        requirements: &Path,
    ) -> anyhow::Result<()> {
        let wanted = read(requirements)?;
        let stamp = site.join("toolpass-requirements");
        if std::fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
            return Ok(());
        }
        if site.exists() {
            std::fs::remove_dir_all(site)?;
        }
        let (requirements, target) = (requirements.to_string_lossy(), site.to_string_lossy());
        self.pip(
            screen,
            &[
                "install",
                "--target",
                &target,
                "--requirement",
                &requirements,
            ],
        )?;
        std::fs::write(&stamp, wanted)?;
        Ok(())
    }

    /// Run pip in the environment.
    fn pip(&self, screen: &mut Screen, arguments: &[&str]) -> anyhow::Result<()> {
        let mut command = self.run(&["-m", "pip", "--disable-pip-version-check", "--no-input"]);
        screen.run(command.args(arguments))?.required()?;
        Ok(())
    }

    /// A call of the environment's Python, with the environment first on the path.
    pub(crate) fn run(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.python());
        command
            .args(arguments)
            .env("VIRTUAL_ENV", &self.folder)
            .env_remove("PYTHONPATH")
            .env_remove("PYTHONHOME")
            .env("PYTHONUNBUFFERED", "1");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let scripts = self.python().parent().map(Path::to_path_buf);
        if let Ok(joined) =
            std::env::join_paths(scripts.into_iter().chain(std::env::split_paths(&path)))
        {
            command.env("PATH", joined);
        }
        command
    }

    /// Where the environment keeps packages and scripts.
    pub(crate) fn folders(&self, screen: &mut Screen) -> anyhow::Result<Folders> {
        let output = screen.run(&mut self.run(&["-c", FOLDERS]))?.required()?;
        let mut lines = output.stdout.lines();
        let (Some(packages), Some(scripts), Some(native_suffix)) =
            (lines.next(), lines.next(), lines.next())
        else {
            bail!(
                "Python did not say where its environment is: {}",
                output.stdout
            );
        };
        Ok(Folders {
            packages: packages.into(),
            scripts: scripts.into(),
            native_suffix: native_suffix.to_owned(),
        })
    }

    /// An environment in this one's folder.
    pub(crate) fn inner(&self, name: &str) -> Self {
        Self {
            folder: self.folder.join(name),
        }
    }

    /// The folder of the environment.
    pub(crate) fn path(&self) -> &Path {
        &self.folder
    }

    fn make(
        &self,
        screen: &mut Screen,
        python: &Interpreter,
        options: &[&str],
    ) -> anyhow::Result<()> {
        if self.folder.exists() {
            std::fs::remove_dir_all(&self.folder)?;
        }
        let mut command = Command::new(python.program());
        command.args(["-m", "venv"]).args(options).arg(&self.folder);
        screen.run(command.env_remove("VIRTUAL_ENV"))?.required()?;
        Ok(())
    }

    /// The environment's Python.
    pub(crate) fn python(&self) -> PathBuf {
        if cfg!(windows) {
            self.folder.join("Scripts").join("python.exe")
        } else {
            self.folder.join("bin").join("python")
        }
    }
}

/// What `name` is: an error when it does not run, nothing when it is too old.
fn probe(name: &str, hidden: bool) -> anyhow::Result<Option<Interpreter>> {
    let output = Command::new(name).args(["-c", PROBE]).output()?;
    anyhow::ensure!(output.status.success(), "`{name}` did not run");
    let answer = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut lines = answer.lines();
    let (Some("new enough"), Some(version), Some(program)) =
        (lines.next(), lines.next(), lines.next())
    else {
        return Ok(None);
    };
    Ok(Some(Interpreter {
        program: program.into(),
        version: version.to_owned(),
        hidden,
    }))
}

fn read(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

const MINIMUM: &str = "3.10";

const CANDIDATES: &[&str] = &[
    "python",
    "python3",
    "python3.14",
    "python3.13",
    "python3.12",
    "python3.11",
    "python3.10",
];

const PROBE: &str = "import sys
print('new enough' if sys.version_info >= (3, 10) else 'too old')
print(sys.version.split()[0])
print(sys.executable)";

const FOLDERS: &str = "import sysconfig
print(sysconfig.get_path('platlib'))
print(sysconfig.get_path('scripts'))
print(sysconfig.get_config_var('EXT_SUFFIX'))";
