//! The keys of a connection, and what they come to.
//!
//! One connection is one organization of one GitHub: github.com, a GitHub Enterprise Server, or a company's own
//! subdomain of ghe.com. Separate so that a value is validated once and every other file sees types.
//! Source: docs.github.com "About GitHub Apps", "Getting started with the REST API" (Enterprise Server), "Feature overview for
//! GitHub Enterprise Cloud with data residency"; read 2026-11-30.

use std::path::PathBuf;
use std::sync::Arc;

use toolpass_core::secret::SecretRef;
use toolpass_integration::fields::{CodeValue, Key, Lookup, Settings};
use toolpass_integration::parts::ConnectError;

use crate::resource::Login;

/// The keys, beyond the common ones.
pub const KEYS: &[Key] = &[
    Key::url("url", "base address of a GitHub Enterprise Server or a ghe.com subdomain; github.com without it"),
    Key::text("organization", "the organization this connection answers for").required().checked(check_login),
    Key::text("app_id", "client id or numeric id of the GitHub App; needs `credential`").checked(check_app_id),
    Key::text("installation_id", "the App's installation; looked up by the organization without it").checked(check_installation_id),
    Key::secret("credential", "private key of the GitHub App: PEM, RSA"),
    Key::secret("token", "fine-grained, classic or installation token, instead of an App"),
    Key::text("identity_mode", "how an e-mail becomes a login").one_of(&["saml", "enterprise_saml", "verified_email", "template", "map_file", "http", "callable"]),
    Key::text("enterprise", "slug of the enterprise whose identities are asked in mode `enterprise_saml`").checked(check_enterprise),
    Key::text("login_template", "login made of `{email}`, `{local}` and `{domain}`").default("{local}").checked(check_template),
    Key::text("email_domains", "domains whose users mode `template` answers for, comma-separated").checked(check_domains),
    Key::file("user_map_file", "file of `email login` lines for mode `map_file`"),
    Key::text("identity_url", "service asked by mode `http`: answers a JSON string, the login").checked(check_identity_url),
    Key::text("identity_allow_http", "whether `identity_url` may be plain http to another machine").one_of(&["true", "false"]).default("false"),
    Key::secret("identity_token", "sent to `identity_url` as a bearer token"),
    Key::code("identity", "callable from an e-mail to a login or nothing"),
    Key::text("collaborator_404", "what a missing permission record means: the repository may be invisible, or the user no collaborator")
        .one_of(&["unknown", "deny"])
        .default("unknown"),
];

/// One connection's settings, read.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where this GitHub is reached.
    pub site: Site,
    /// The organization, spelled as configured.
    pub organization: Login,
    /// How toolpass proves who it is.
    pub credential: Credential,
    /// How an e-mail becomes a login.
    pub identity: IdentityMode,
    /// Whether a missing permission record of a visible repository is a no.
    pub missing_collaborator_denies: bool,
}

/// Which GitHub, and the addresses of its faces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Which product.
    pub edition: Edition,
    /// Base of the REST API.
    pub rest: String,
    /// Address of the GraphQL API.
    pub graphql: String,
    /// Base of uploads of release assets.
    pub uploads: String,
}

/// A product called GitHub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edition {
    /// github.com, free or Enterprise Cloud.
    Cloud,
    /// A subdomain of ghe.com.
    DataResidency,
    /// A machine of the customer.
    Server,
}

/// Toolpass's own credential.
#[derive(Clone, Debug)]
pub enum Credential {
    /// A GitHub App.
    App {
        /// The `iss` of its assertions.
        app_id: String,
        /// Its installation, when given.
        installation_id: Option<u64>,
        /// Its private key.
        key: SecretRef,
    },
    /// A token given as it is.
    Token(SecretRef),
}

/// How an e-mail becomes a login.
#[derive(Clone)]
pub enum IdentityMode {
    /// The application is asked.
    Callable(Arc<dyn Lookup>),
    /// Single sign-on identities of the enterprise with this slug.
    EnterpriseSaml(String),
    /// A service is asked.
    Http {
        /// Its address.
        url: String,
        /// Sent as a bearer token.
        token: Option<SecretRef>,
    },
    /// A file is read.
    MapFile(PathBuf),
    /// Single sign-on identities of the organization.
    Saml,
    /// The login is made of the e-mail.
    Template {
        /// The template.
        template: String,
        /// The domains answered for, in lower case.
        domains: Vec<String>,
    },
    /// Verified e-mails of members in the organization's verified domains.
    VerifiedEmail,
}

impl Config {
    /// Read validated settings.
    /// Errors: the first problem [`check`] would name.
    pub fn read(settings: &Settings) -> Result<Config, ConnectError> {
        if let Some((key, problem)) = check(settings).into_iter().next() {
            return Err(ConnectError(format!("`{key}`: {problem}")));
        }
        let organization = settings
            .text("organization")
            .and_then(Login::parse)
            .ok_or_else(|| missing("organization"))?;
        Ok(Config {
            site: Site::of(settings.text("url")),
            organization,
            credential: credential(settings)?,
            identity: identity(settings)?,
            missing_collaborator_denies: settings.text("collaborator_404") == Some("deny"),
        })
    }
}

/// What no single key can say: pairs of (key, problem).
pub fn check(settings: &Settings) -> Vec<(&'static str, String)> {
    let mut problems = Vec::new();
    let mut refuse = |key: &'static str, when: bool, problem: &str| {
        if when {
            problems.push((key, problem.to_owned()));
        }
    };
    let (app, token) = (settings.has("credential"), settings.has("token"));
    refuse(
        "credential",
        app == token,
        "expected exactly one of `credential` (with `app_id`) and `token`",
    );
    refuse(
        "app_id",
        app && !settings.has("app_id"),
        "expected with `credential`",
    );
    refuse(
        "app_id",
        token && !app && settings.has("app_id"),
        "belongs to `credential`, not to `token`",
    );
    refuse(
        "installation_id",
        token && !app && settings.has("installation_id"),
        "belongs to `credential`, not to `token`",
    );

    let mode = mode_name(settings);
    let explicit = settings.has("identity_mode");
    refuse(
        "email_domains",
        mode == "template" && !settings.has("email_domains"),
        "expected in mode `template`: other domains must not become logins",
    );
    refuse(
        "user_map_file",
        mode == "map_file" && !settings.has("user_map_file"),
        "expected in mode `map_file`",
    );
    refuse(
        "enterprise",
        mode == "enterprise_saml" && !settings.has("enterprise"),
        "expected in mode `enterprise_saml`",
    );
    refuse(
        "identity",
        mode == "callable" && settings.code("identity").is_none(),
        "expected in mode `callable`; it can only be given in code",
    );
    refuse(
        "identity",
        settings.has("identity") && explicit && mode != "callable",
        "belongs to mode `callable`",
    );
    refuse(
        "identity_url",
        mode == "http" && !settings.has("identity_url"),
        "expected in mode `http`",
    );
    refuse(
        "identity_url",
        mode != "http" && settings.has("identity_url"),
        "belongs to mode `http`",
    );
    refuse(
        "identity_token",
        mode != "http" && settings.has("identity_token"),
        "belongs to mode `http`",
    );
    let allow_http = settings.flag("identity_allow_http", false);
    refuse(
        "identity_allow_http",
        mode != "http" && allow_http,
        "belongs to mode `http`",
    );
    let plain = settings
        .text("identity_url")
        .is_some_and(|url| !is_https(url) && !is_loopback(url));
    refuse(
        "identity_url",
        mode == "http" && plain && !allow_http,
        "expected https, or `identity_allow_http: true`",
    );
    problems
}

impl Site {
    /// The addresses behind `url`; github.com without one.
    pub fn of(url: Option<&str>) -> Site {
        let Some(url) = url
            .map(|url| url.trim_end_matches('/'))
            .filter(|url| !url.is_empty())
        else {
            return Site {
                edition: Edition::Cloud,
                rest: "https://api.github.com".into(),
                graphql: "https://api.github.com/graphql".into(),
                uploads: "https://uploads.github.com".into(),
            };
        };
        match subdomain_of_ghe(url) {
            Some(subdomain) => Site {
                edition: Edition::DataResidency,
                rest: format!("https://api.{subdomain}.ghe.com"),
                graphql: format!("https://api.{subdomain}.ghe.com/graphql"),
                uploads: format!("https://uploads.{subdomain}.ghe.com"),
            },
            None => Site {
                edition: Edition::Server,
                rest: format!("{url}/api/v3"),
                graphql: format!("{url}/api/graphql"),
                uploads: format!("{url}/api/uploads"),
            },
        }
    }
}

impl IdentityMode {
    /// Its name in the configuration.
    pub fn name(&self) -> &'static str {
        match self {
            IdentityMode::Callable(_) => "callable",
            IdentityMode::EnterpriseSaml(_) => "enterprise_saml",
            IdentityMode::Http { .. } => "http",
            IdentityMode::MapFile(_) => "map_file",
            IdentityMode::Saml => "saml",
            IdentityMode::Template { .. } => "template",
            IdentityMode::VerifiedEmail => "verified_email",
        }
    }
}

impl std::fmt::Debug for IdentityMode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// The mode in force: as written, else by the key that was given.
fn mode_name(settings: &Settings) -> &str {
    match settings.text("identity_mode") {
        Some(mode) => mode,
        None if settings.has("identity") => "callable",
        None if settings.has("identity_url") => "http",
        None => "saml",
    }
}

fn credential(settings: &Settings) -> Result<Credential, ConnectError> {
    if let Some(token) = settings.secret("token") {
        return Ok(Credential::Token(token.clone()));
    }
    Ok(Credential::App {
        app_id: settings
            .text("app_id")
            .ok_or_else(|| missing("app_id"))?
            .to_owned(),
        installation_id: settings
            .text("installation_id")
            .and_then(|id| id.parse().ok()),
        key: settings
            .secret("credential")
            .ok_or_else(|| missing("credential"))?
            .clone(),
    })
}

fn identity(settings: &Settings) -> Result<IdentityMode, ConnectError> {
    let text = |key: &'static str| {
        settings
            .text(key)
            .map(str::to_owned)
            .ok_or_else(|| missing(key))
    };
    Ok(match mode_name(settings) {
        "callable" => match settings.code("identity") {
            Some(CodeValue::Lookup(lookup)) => IdentityMode::Callable(lookup.clone()),
            Some(CodeValue::Other(_)) | None => {
                return Err(ConnectError(
                    "`identity`: expected a callable from an e-mail to a login".into(),
                ));
            }
        },
        "enterprise_saml" => IdentityMode::EnterpriseSaml(text("enterprise")?),
        "http" => IdentityMode::Http {
            url: text("identity_url")?,
            token: settings.secret("identity_token").cloned(),
        },
        "map_file" => IdentityMode::MapFile(text("user_map_file")?.into()),
        "template" => IdentityMode::Template {
            template: settings
                .text("login_template")
                .unwrap_or(DEFAULT_TEMPLATE)
                .to_owned(),
            domains: domains(&text("email_domains")?)
                .map_err(|problem| ConnectError(format!("`email_domains`: {problem}")))?,
        },
        "verified_email" => IdentityMode::VerifiedEmail,
        _ => IdentityMode::Saml,
    })
}

fn missing(key: &str) -> ConnectError {
    ConnectError(format!("`{key}` is missing"))
}

fn check_login(text: &str) -> Result<(), String> {
    Login::parse(text).map(drop).ok_or_else(|| {
        "expected a login: letters, digits and single hyphens, at most 39 characters".into()
    })
}

fn check_app_id(text: &str) -> Result<(), String> {
    let fits = (1..=100).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'));
    if fits {
        Ok(())
    } else {
        Err("expected a client id or number: letters, digits, `.`, `_` and `-`, at most 100 characters".into())
    }
}

fn check_installation_id(text: &str) -> Result<(), String> {
    let digits = (1..=20).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    if digits && text.parse::<u64>().is_ok() {
        Ok(())
    } else {
        Err("expected a number of at most 20 digits".into())
    }
}

fn check_enterprise(text: &str) -> Result<(), String> {
    let fits = (1..=100).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    if fits {
        Ok(())
    } else {
        Err("expected the slug of an enterprise: letters, digits, `_` and `-`".into())
    }
}

fn check_template(text: &str) -> Result<(), String> {
    let rest = PLACEHOLDERS
        .iter()
        .fold(text.to_owned(), |rest, placeholder| {
            rest.replace(placeholder, "")
        });
    if rest.contains(['{', '}']) {
        return Err(
            "expected only the placeholders `{email}`, `{local}` and `{domain}`, braces balanced"
                .into(),
        );
    }
    if !text.contains("{email}") && !text.contains("{local}") {
        return Err(
            "expected `{email}` or `{local}` in it, or everybody gets the same login".into(),
        );
    }
    Ok(())
}

fn check_domains(text: &str) -> Result<(), String> {
    domains(text).map(drop)
}

/// A comma-separated list of DNS names, trimmed and in lower case.
fn domains(text: &str) -> Result<Vec<String>, String> {
    let mut kept: Vec<String> = Vec::new();
    for entry in text
        .split(',')
        .map(|entry| entry.trim().to_ascii_lowercase())
    {
        if !is_domain(&entry) {
            return Err(
                "expected domains separated by commas, each of letters, digits, `-` and `.`".into(),
            );
        }
        if !kept.contains(&entry) {
            kept.push(entry);
        }
    }
    Ok(kept)
}

fn is_domain(text: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    text.len() <= 253 && text.split('.').all(is_label)
}

fn check_identity_url(text: &str) -> Result<(), String> {
    let expected = || {
        "expected an address that begins with `https://`, without query, fragment, user or password"
            .to_owned()
    };
    if text.contains(['?', '#', '@', ' ', '\\']) || text.chars().any(char::is_control) {
        return Err(expected());
    }
    toolpass_http::url::Url::parse(text)
        .map(drop)
        .map_err(|_| expected())
}

fn is_https(url: &str) -> bool {
    url.get(..8)
        .is_some_and(|start| start.eq_ignore_ascii_case("https://"))
}

fn is_loopback(url: &str) -> bool {
    let Ok(url) = toolpass_http::url::Url::parse(url) else {
        return false;
    };
    url.host() == "localhost"
        || url
            .host()
            .parse::<std::net::IpAddr>()
            .is_ok_and(|ip| ip.to_canonical().is_loopback())
}

/// The company's part of `https://[api.]company.ghe.com`.
fn subdomain_of_ghe(url: &str) -> Option<String> {
    let url = toolpass_http::url::Url::parse(url).ok()?;
    let subdomain = url.host().strip_suffix(".ghe.com")?;
    let subdomain = subdomain.strip_prefix("api.").unwrap_or(subdomain);
    (url.path() == "/" && !subdomain.contains('.')).then(|| subdomain.to_owned())
}

const DEFAULT_TEMPLATE: &str = "{local}";
const PLACEHOLDERS: &[&str] = &["{email}", "{local}", "{domain}"];

#[cfg(test)]
mod tests;
