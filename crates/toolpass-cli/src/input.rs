//! What the command reads: the configuration, a body, the environment.
//!
//! The one place for it, so that every command takes `-` and the same defaults.

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use toolpass_config::config::{Config, DecisionLog};
use toolpass_config::error::Errors;
use toolpass_config::load::{load_file, load_text};

use crate::arguments::Arguments;
use crate::exit::Stop;

/// The file of `-config`, else of `TOOLPASS_CONFIG`.
/// Errors: the flag is empty, or the variable is no UTF-8.
pub(crate) fn named_config(arguments: &Arguments) -> Result<Option<String>, Stop> {
    if let Some(path) = arguments.value("config") {
        return match path {
            "" => Err(Stop::Usage(
                "-config is empty; expected a file, or `-` for standard input".into(),
            )),
            path => Ok(Some(path.to_owned())),
        };
    }
    let text = |value: OsString| {
        value
            .into_string()
            .map_err(|_| Stop::Failed(format!("{CONFIG_VARIABLE} is no text in UTF-8")))
    };
    variable(CONFIG_VARIABLE).map(text).transpose()
}

/// The configuration of `-config`, `TOOLPASS_CONFIG` or the default path.
/// Errors: everything that is wrong with it.
pub(crate) fn config(arguments: &Arguments) -> Result<Config, Stop> {
    load(&config_path(arguments)?)
}

/// Where the configuration is: `-config`, `TOOLPASS_CONFIG` or the default path.
/// Errors: as [`named_config`].
pub(crate) fn config_path(arguments: &Arguments) -> Result<String, Stop> {
    Ok(named_config(arguments)?.unwrap_or_else(|| DEFAULT_CONFIG.into()))
}

/// The file of the configuration; none for standard input.
/// Errors: as of [`named_config`].
pub(crate) fn config_file(arguments: &Arguments) -> Result<Option<PathBuf>, Stop> {
    let path = named_config(arguments)?.unwrap_or_else(|| DEFAULT_CONFIG.into());
    Ok((path != STDIN).then(|| path.into()))
}

/// A configuration, `-` for standard input.
/// Errors: everything that is wrong with it.
pub(crate) fn load(path: &str) -> Result<Config, Stop> {
    let all = toolpass_registry::all();
    if path == STDIN {
        let text = String::from_utf8(stdin()?)
            .map_err(|_| Stop::Failed("standard input: expected a text in UTF-8".into()))?;
        return load_text("<stdin>", &text, Path::new(""), all)
            .map_err(|errors| problems(&errors, false));
    }
    let path = Path::new(path);
    load_file(path, all).map_err(|errors| problems(&errors, !path.exists()))
}

/// The same, for a command whose answers are nobody's but its caller's: nothing is kept and nothing is logged.
/// Errors: everything that is wrong with it.
pub(crate) fn config_without_traces(arguments: &Arguments) -> Result<Config, Stop> {
    Ok(without_traces(config(arguments)?))
}

/// A configuration under which nothing is kept and nothing is logged.
pub(crate) fn without_traces(config: Config) -> Config {
    Config {
        decision_cache: std::time::Duration::ZERO,
        decision_log: DecisionLog::None,
        identity_cache: std::time::Duration::ZERO,
        ..config
    }
}

/// The same for many questions: what is found out is kept for as long as the command runs.
/// Errors: everything that is wrong with it.
pub(crate) fn config_for_many(arguments: &Arguments) -> Result<Config, Stop> {
    Ok(Config {
        decision_log: DecisionLog::None,
        ..config(arguments)?
    })
}

/// The bytes of a file, `-` for standard input. It was named by `flag`, or as an operand when that is empty.
/// Limits: 8 MiB, as much as is read of any request's body.
/// Errors: it cannot be read, or is larger.
pub(crate) fn bytes(flag: &str, path: &str) -> Result<Vec<u8>, Stop> {
    if path == STDIN {
        return stdin();
    }
    let read = std::fs::File::open(path).and_then(limited);
    let named = if flag.is_empty() {
        String::new()
    } else {
        format!("-{flag} ")
    };
    read.map_err(|error| Stop::Failed(format!("{named}`{path}`: {error}")))
}

/// The bytes of a large file, `-` for standard input, named by `flag`: a vendor's description of a whole API.
/// Limits: 128 MiB.
/// Errors: it cannot be read, or is larger.
pub(crate) fn large(flag: &str, path: &str) -> Result<Vec<u8>, Stop> {
    let read = if path == STDIN {
        within(io::stdin().lock(), MAX_LARGE_BYTES)
    } else {
        std::fs::File::open(path).and_then(|file| within(file, MAX_LARGE_BYTES))
    };
    read.map_err(|error| Stop::Failed(format!("-{flag} `{path}`: {error}")))
}

/// An environment variable that is set and not empty.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// What `-` stands for.
pub(crate) const STDIN: &str = "-";

fn stdin() -> Result<Vec<u8>, Stop> {
    limited(io::stdin().lock()).map_err(|error| Stop::Failed(format!("standard input: {error}")))
}

fn limited(reader: impl Read) -> io::Result<Vec<u8>> {
    within(reader, MAX_BYTES)
}

fn within(reader: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!("larger than {} MiB", most >> 20)));
    }
    Ok(bytes)
}

fn problems(errors: &Errors, is_missing: bool) -> Stop {
    let file = errors.file();
    let mut lines: Vec<String> = errors
        .problems()
        .iter()
        .map(|problem| match problem.line {
            Some(line) => format!("{file}:{line}: {}", problem.message),
            None => format!("{file}: {}", problem.message),
        })
        .collect();
    if is_missing {
        lines.push(format!(
            "hint: name the configuration with -config FILE or {CONFIG_VARIABLE}"
        ));
    }
    Stop::Problems(lines)
}

const CONFIG_VARIABLE: &str = "TOOLPASS_CONFIG";
const DEFAULT_CONFIG: &str = "/etc/toolpass/toolpass.yaml";
const MAX_BYTES: u64 = 8 << 20;
const MAX_LARGE_BYTES: u64 = 128 << 20;
