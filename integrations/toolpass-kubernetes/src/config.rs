//! The keys of a cluster's connection, and what they say.

use toolpass_core::secret::SecretRef;
use toolpass_integration::fields::{Key, Settings};
use toolpass_integration::oidc;
use toolpass_integration::parts::ConnectError;

/// The keys.
pub const KEYS: &[Key] = &[
    Key::url("url", "address of the API server; a path before `/api` is kept").required(),
    Key::secret("credential", "bearer token of a ServiceAccount that may create subjectaccessreviews; read again for every request").required(),
    Key::text("username_template", "the user's name in the cluster, made of `{email}`, `{local}` and `{domain}`").default("{email}").checked(check_template),
    Key::text("username_case", "whether the e-mail is put into lower case first; names in a cluster are case-sensitive").one_of(&["lower", "keep"]).default("lower"),
    Key::text("group_prefix", "put before every group of a caller or a token, as the API server's `--oidc-groups-prefix`").checked(check_prefix),
    Key::text("add_authenticated_group", "whether `system:authenticated` is sent as well").one_of(&["true", "false"]).default("true"),
    oidc::ISSUER,
    oidc::AUDIENCE,
    oidc::CA_FILE,
    oidc::EMAIL_CLAIM,
    oidc::GROUPS_CLAIM,
];

/// One connection's settings, read.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where the API server is.
    pub url: String,
    /// Toolpass's own token.
    pub credential: SecretRef,
    /// How names are made.
    pub names: Names,
}

/// How a person's name and groups in the cluster are made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// The template of the name.
    pub template: String,
    /// Whether the e-mail keeps its case.
    pub keeps_case: bool,
    /// Put before every group.
    pub group_prefix: String,
    /// Whether everybody is in `system:authenticated`.
    pub authenticated: bool,
}

impl Config {
    /// Read validated settings.
    /// Errors: the first problem [`check`] would name.
    pub fn read(settings: &Settings) -> Result<Config, ConnectError> {
        if let Some((key, problem)) = check(settings).into_iter().next() {
            return Err(ConnectError(format!("`{key}`: {problem}")));
        }
        let missing = |key: &str| ConnectError(format!("`{key}` is missing"));
        Ok(Config {
            url: settings
                .text("url")
                .ok_or_else(|| missing("url"))?
                .to_owned(),
            credential: settings
                .secret("credential")
                .ok_or_else(|| missing("credential"))?
                .clone(),
            names: Names {
                template: settings
                    .text("username_template")
                    .unwrap_or("{email}")
                    .to_owned(),
                keeps_case: settings.text("username_case") == Some("keep"),
                group_prefix: settings.text("group_prefix").unwrap_or_default().to_owned(),
                authenticated: settings.flag("add_authenticated_group", true),
            },
        })
    }
}

/// What no single key can say: pairs of (key, problem).
pub fn check(settings: &Settings) -> Vec<(&'static str, String)> {
    oidc::check(settings)
}

fn check_template(text: &str) -> Result<(), String> {
    let rest = PLACEHOLDERS
        .iter()
        .fold(text.to_owned(), |rest, placeholder| {
            rest.replace(placeholder, "")
        });
    if rest.contains(['{', '}']) || text.chars().any(char::is_control) {
        return Err(
            "expected only the placeholders `{email}`, `{local}` and `{domain}`, braces balanced"
                .into(),
        );
    }
    if !text.contains("{email}") && !text.contains("{local}") {
        return Err(
            "expected `{email}` or `{local}` in it, or everybody gets the same name".into(),
        );
    }
    if text.starts_with("system:") {
        return Err("expected no name of the cluster's own, which begin with `system:`".into());
    }
    Ok(())
}

fn check_prefix(text: &str) -> Result<(), String> {
    if text.chars().any(char::is_control) || text.starts_with("system:") {
        Err("expected text before the name of a group, not `system:`, which the cluster's own groups begin with".into())
    } else {
        Ok(())
    }
}

/// What a template of a name may hold.
pub const PLACEHOLDERS: &[&str] = &["{email}", "{local}", "{domain}"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates() {
        for text in [
            "{email}",
            "oidc:{email}",
            "{local}",
            "{local}@{domain}",
            "u-{local}",
        ] {
            assert_eq!(check_template(text), Ok(()), "{text}");
        }
        for text in [
            "",
            "admin",
            "{domain}",
            "{email",
            "{mail}",
            "{email}}",
            "system:{email}",
            "{em{email}ail}",
        ] {
            assert!(check_template(text).is_err(), "{text}");
        }
    }
}
