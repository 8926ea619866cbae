//! Load a configuration: from a file, from its text, or from values given in code.
//!
//! INVARIANT: the three end in one validation, so a key that works in one works in all.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use toolpass_core::secret::SecretRef;
use toolpass_integration::fields::CodeValue;
use toolpass_integration::integration::Integration;

use crate::config::Config;
use crate::error::{Errors, Problem};
use crate::raw::{self, Entry, Input, Raw, RawConnection};
use crate::validate::validate;
use crate::value::Origin;
use crate::yaml;

/// The products a configuration may name.
pub type Integrations<'a> = &'a [&'static dyn Integration];

/// A value given in code.
#[derive(Clone)]
pub enum CodeInput {
    /// What only code can give, such as a callable.
    Code(CodeValue),
    /// Nothing.
    Null,
    /// A secret.
    Secret(SecretRef),
    /// A text; numbers and booleans as their text (`true`, `5`).
    Text(String),
}

/// The top-level keys the code form takes; an absent one is the default.
#[derive(Clone, Debug, Default)]
pub struct CodeOptions {
    /// `decision_cache_seconds`.
    pub decision_cache_seconds: Option<String>,
    /// `decision_log`; `none` when absent.
    pub decision_log: Option<String>,
    /// `identity_cache_seconds`.
    pub identity_cache_seconds: Option<String>,
}

/// Load a file. Relative paths in it start from its folder.
/// Errors: [`Errors`], every problem with its line.
pub fn load_file(path: &Path, integrations: Integrations<'_>) -> Result<Config, Errors> {
    let name = path.display().to_string();
    let text =
        read(path).map_err(|message| Errors::new(&name, vec![Problem::at(None, message)]))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    load_text(&name, &text, folder, integrations)
}

/// Load the text of a file called `name`. Relative paths in it start from `folder`.
/// Errors: [`Errors`], every problem with its line.
pub fn load_text(
    name: &str,
    text: &str,
    folder: &Path,
    integrations: Integrations<'_>,
) -> Result<Config, Errors> {
    let tree = yaml::read(text).map_err(|problem| Errors::new(name, vec![problem]))?;
    let mut problems = Vec::new();
    let raw = raw::from_tree(tree, &mut problems);
    validate(
        name,
        Origin {
            folder,
            in_code: false,
        },
        integrations,
        raw,
        problems,
    )
}

/// Load connections given in code, under the name [`CODE`]. Relative paths start from the working directory.
/// Errors: [`Errors`], without lines.
pub fn from_values(
    connections: Vec<Vec<(String, CodeInput)>>,
    options: CodeOptions,
    integrations: Integrations<'_>,
) -> Result<Config, Errors> {
    let CodeOptions {
        decision_cache_seconds,
        decision_log,
        identity_cache_seconds,
    } = options;
    let top = [
        ("decision_cache_seconds", decision_cache_seconds),
        (
            "decision_log",
            Some(decision_log.unwrap_or_else(|| "none".into())),
        ),
        ("identity_cache_seconds", identity_cache_seconds),
    ];
    let top = top
        .into_iter()
        .filter_map(|(key, text)| Some(entry(key.into(), Input::Text(text?))))
        .collect();
    let connections = connections
        .into_iter()
        .map(|keys| RawConnection {
            line: None,
            entries: keys
                .into_iter()
                .map(|(key, value)| entry(key, input(value)))
                .collect(),
        })
        .collect();
    let raw = Raw {
        top,
        connections,
        has_connections: true,
        ..Raw::default()
    };
    validate(
        CODE,
        Origin {
            folder: Path::new(""),
            in_code: true,
        },
        integrations,
        raw,
        Vec::new(),
    )
}

fn entry(key: String, input: Input) -> Entry {
    Entry {
        key,
        key_line: None,
        line: None,
        input,
    }
}

fn input(value: CodeInput) -> Input {
    match value {
        CodeInput::Code(code) => Input::Code(code),
        CodeInput::Null => Input::Null,
        CodeInput::Secret(secret) => Input::Secret(secret),
        CodeInput::Text(text) => Input::Text(text),
    }
}

/// The text of a file.
/// Limits: 1 MiB.
fn read(path: &Path) -> Result<String, String> {
    let unreadable = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "the file may not be read by this process".into(),
        std::io::ErrorKind::IsADirectory => "expected a file, found a directory".into(),
        _ => "the file cannot be read".into(),
    };
    let mut bytes = Vec::new();
    File::open(path)
        .map_err(unreadable)?
        .take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err("the file is larger than 1 MiB".into());
    }
    String::from_utf8(bytes).map_err(|_| "expected a text in UTF-8".into())
}

/// The name under which problems of the code form are shown.
pub const CODE: &str = "<connections>";

const MAX_BYTES: u64 = 1024 * 1024;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ALL;

    #[test]
    fn files() {
        let folder =
            std::env::temp_dir().join(format!("toolpass-config-load-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("toolpass.yaml");
        let shown = path.display().to_string();
        let check = |content: &[u8], expected: Result<usize, String>| {
            std::fs::write(&path, content).unwrap();
            let found = load_file(&path, ALL)
                .map(|config| config.connections.len())
                .map_err(|errors| errors.to_string());
            assert_eq!(found, expected);
        };
        check(b"connections: [{id: a, integration: sample, url: 'https://h', credential: 'file:t', map_file: toolpass.yaml}]", Ok(1));
        check(
            b"connections: []\nx: \xff\n",
            Err(format!("{shown}: expected a text in UTF-8")),
        );
        check(
            &[b'#'; 1024 * 1024 + 1],
            Err(format!("{shown}: the file is larger than 1 MiB")),
        );
        assert_eq!(
            load_file(&folder, ALL).unwrap_err().to_string(),
            format!("{}: expected a file, found a directory", folder.display())
        );
        std::fs::remove_dir_all(folder).unwrap();
        assert_eq!(
            load_file(&path, ALL).unwrap_err().to_string(),
            format!("{shown}: there is no such file")
        );
    }

    #[test]
    fn paths_start_from_the_file() {
        let text =
            "connections: [{id: a, integration: sample, url: 'https://h', credential: 'file:t'}]";
        let secret = |folder: &str| {
            let config = load_text("f", text, Path::new(folder), ALL).unwrap();
            config.connections[0]
                .settings
                .secret("credential")
                .unwrap()
                .shown()
        };
        assert_eq!(
            (secret("/etc/x"), secret("")),
            ("file:/etc/x/t".into(), "file:t".into())
        );
    }
}
