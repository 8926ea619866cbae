//! Values that must never be seen, and the references that name them.
//!
//! INVARIANT: a [`Secret`] cannot be printed, logged, serialised or compared in variable time, and is wiped when dropped.
//! Reading a reference touches the environment or a file, so it lives at the edge (`toolpass-http::secrets`).

use std::fmt;
use std::path::PathBuf;

use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// What stands wherever a secret would be shown.
pub const REDACTED: &str = "[REDACTED]";

/// A hidden value. Bytes are kept as they are, UTF-8 or not.
#[derive(Clone)]
pub struct Secret(Zeroizing<Vec<u8>>);

impl Secret {
    /// Hide a value.
    pub fn new(value: impl Into<Vec<u8>>) -> Secret {
        Secret(Zeroizing::new(value.into()))
    }

    /// The bytes, for the one place that sends or parses them.
    pub fn expose(&self) -> &[u8] {
        &self.0
    }

    /// The text, when the bytes are UTF-8.
    pub fn expose_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// Compare in time that does not depend on the contents.
    pub fn matches(&self, other: &[u8]) -> bool {
        self.0.as_slice().ct_eq(other).into()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

/// Where a secret is kept. Parsed at load, read at every use, so that it can be rotated in place.
#[derive(Clone)]
pub enum SecretRef {
    /// `env:NAME`: an environment variable.
    Env(String),
    /// `file:PATH`: the content of a file, trailing white space trimmed.
    File(PathBuf),
    /// A value given in code only.
    Literal(Secret),
}

/// The text is no secret reference. The text is never repeated: it may be the secret itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSecretRef {
    /// Neither prefix.
    #[error("expected `env:NAME` or `file:/path`; inline secrets are not accepted")]
    Inline,
    /// `env:` with something that is no variable name.
    #[error(
        "expected `env:` and a variable name of letters, digits and `_` that does not begin with a digit"
    )]
    Name,
    /// `file:` with nothing after it.
    #[error("expected a path after `file:`")]
    Path,
}

impl SecretRef {
    /// Read a reference. The prefixes are case-sensitive; environment names are `[A-Za-z_][A-Za-z0-9_]*`.
    /// Errors: [`InvalidSecretRef`], which never holds the text.
    pub fn parse(text: &str) -> Result<SecretRef, InvalidSecretRef> {
        if let Some(name) = text.strip_prefix("env:") {
            let mut bytes = name.bytes();
            let first_fits = bytes
                .next()
                .is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
            if !first_fits || !bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_') {
                return Err(InvalidSecretRef::Name);
            }
            return Ok(SecretRef::Env(name.into()));
        }
        match text.strip_prefix("file:") {
            Some("") => Err(InvalidSecretRef::Path),
            Some(path) if path.contains('\0') => Err(InvalidSecretRef::Path),
            Some(path) => Ok(SecretRef::File(path.into())),
            None => Err(InvalidSecretRef::Inline),
        }
    }

    /// What may be shown: `env:NAME`, `file:PATH`, or `literal`.
    pub fn shown(&self) -> String {
        match self {
            SecretRef::Env(name) => format!("env:{name}"),
            SecretRef::File(path) => format!("file:{}", path.display()),
            SecretRef::Literal(_) => "literal".into(),
        }
    }
}

impl fmt::Debug for SecretRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_shows_nothing() {
        let secret = Secret::new("hunter2hunter2");
        assert_eq!(
            format!(
                "{secret} {secret:?} {:?}",
                SecretRef::Literal(secret.clone())
            ),
            "[REDACTED] [REDACTED] literal"
        );
        assert!(secret.matches(b"hunter2hunter2"));
        assert!(!secret.matches(b"hunter2hunter3"));
    }

    #[test]
    fn references_are_parsed_strictly() {
        assert!(
            matches!(SecretRef::parse("env:JIRA_TOKEN"), Ok(SecretRef::Env(name)) if name == "JIRA_TOKEN")
        );
        assert!(matches!(
            SecretRef::parse("file:/run/x"),
            Ok(SecretRef::File(_))
        ));
        assert_eq!(
            SecretRef::parse("env:T\n").unwrap_err(),
            InvalidSecretRef::Name
        );
        assert_eq!(
            SecretRef::parse("env:9T").unwrap_err(),
            InvalidSecretRef::Name
        );
        assert_eq!(
            SecretRef::parse("env:").unwrap_err(),
            InvalidSecretRef::Name
        );
        assert_eq!(
            SecretRef::parse("file:").unwrap_err(),
            InvalidSecretRef::Path
        );
        let refused = SecretRef::parse("ghp_0123456789abcdef").unwrap_err();
        assert!(!refused.to_string().contains("ghp_"));
    }
}
