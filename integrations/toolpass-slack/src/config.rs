//! The keys of a connection, and what they come to.
//!
//! One connection is one workspace, or one workspace of an organization's installation. Separate so that a value is validated once and
//! every other file sees types.
//! Source: docs.slack.dev "Web API", "Organization-wide app installation"; slack.com/help "Get started using GovSlack"; read 2026-11-30.

use toolpass_core::secret::SecretRef;
use toolpass_integration::fields::{Key, Settings};
use toolpass_integration::parts::ConnectError;
use toolpass_wire::endpoint::Endpoint;

use crate::resource::TeamId;

/// The keys, beyond the common ones.
pub const KEYS: &[Key] = &[
    Key::url("url", "base address of the Web API: of GovSlack, or of a proxy; https://slack.com/api without it"),
    Key::secret("credential", "bot token of an internal app, `xoxb-…`").required(),
    Key::text("team_id", "the workspace, `T…`, where the app is installed in a whole organization").checked(check_team),
    Key::text("assume_default_prefs", "whether preferences that a bot token cannot read count as Slack's defaults instead of unknown")
        .one_of(&["true", "false"])
        .default("false"),
    Key::text("assume_unrestricted_channels", "whether a channel of which Slack shows no posting rule has none")
        .one_of(&["true", "false"])
        .default("false"),
    Key::text("broadcast_mentions", "whether people who administer nothing may notify a channel or a user group")
        .one_of(&["allow", "deny"])
        .default("deny"),
];

/// One connection's settings, read.
#[derive(Clone, Debug)]
pub struct Config {
    /// Base of the Web API.
    pub api: String,
    /// Toolpass's own token.
    pub credential: SecretRef,
    /// The workspace, or the organization, when one is written.
    pub team: Option<TeamId>,
    /// What is assumed where Slack does not say.
    pub policy: Policy,
}

/// What the operator lets be assumed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Preferences that cannot be read are Slack's defaults.
    pub default_preferences: bool,
    /// A channel without a shown posting rule has none.
    pub unrestricted_channels: bool,
    /// Members may notify a whole channel.
    pub broadcasts: bool,
}

impl Config {
    /// Read validated settings.
    /// Errors: a key that is missing or malformed.
    pub fn read(settings: &Settings) -> Result<Config, ConnectError> {
        let team = match settings.text("team_id") {
            None => None,
            Some(text) => {
                let expected = |problem| ConnectError(format!("`team_id`: {problem}"));
                check_team(text).map_err(expected)?;
                TeamId::parse(text)
            }
        };
        let credential = settings
            .secret("credential")
            .ok_or_else(|| ConnectError("`credential` is missing".into()))?;
        let default_preferences = settings.flag("assume_default_prefs", false);
        Ok(Config {
            api: api(settings.text("url")).to_owned(),
            credential: credential.clone(),
            team,
            policy: Policy {
                default_preferences,
                // The older key covers both.
                unrestricted_channels: default_preferences
                    || settings.flag("assume_unrestricted_channels", false),
                broadcasts: settings.text("broadcast_mentions") == Some("allow"),
            },
        })
    }
}

/// Where a connection is reached: its Web API under every name it has, and the hosts beside it, each a face with rows of its own.
/// Errors: `url` names no such place.
pub fn endpoints(url: Option<&str>) -> Result<Vec<Endpoint>, ConnectError> {
    let api = api(url);
    let first = endpoint(api)?;
    let host = first.host.exact().unwrap_or_default();
    let vendor = VENDOR_DOMAINS
        .iter()
        .find(|domain| host == **domain || host.ends_with(&format!(".{domain}")));
    let mut endpoints = vec![first.clone()];
    match vendor {
        Some(domain) => {
            if host != *domain {
                endpoints.push(endpoint(&format!("https://{domain}/api"))?);
            }
            endpoints.push(endpoint(&format!("https://{{workspace+}}.{domain}/api"))?);
            for (name, mount) in [("files", FILES), ("hooks", HOOKS), ("wss-primary", SOCKET)] {
                endpoints.push(endpoint(&format!("https://{name}.{domain}"))?.mounted(mount));
            }
        }
        // A proxy or a stand-in has the other hosts' paths beside its API, when that lies below a path.
        None if !first.prefix.is_empty() => {
            endpoints.push(endpoint(&first.origin())?.mounted(FILES));
        }
        None => {}
    }
    Ok(endpoints)
}

/// The base of the Web API.
fn api(url: Option<&str>) -> &str {
    url.unwrap_or(SLACK)
}

fn endpoint(address: &str) -> Result<Endpoint, ConnectError> {
    Endpoint::parse(address).map_err(|error| ConnectError(format!("`url`: {error}")))
}

fn check_team(text: &str) -> Result<(), String> {
    TeamId::parse(text)
        .map(drop)
        .ok_or_else(|| "expected the id of a workspace, `T…`, or of an organization, `E…`".into())
}

/// Domains of the vendor: a workspace has names below them.
pub const VENDOR_DOMAINS: &[&str] = &["slack-gov.com", "slack.com"];
/// Where uploaded bytes go and private files are read.
pub const FILES: &str = "\\files";
/// Webhooks.
pub const HOOKS: &str = "\\hooks";
/// The socket of events.
pub const SOCKET: &str = "\\socket";
const SLACK: &str = "https://slack.com/api";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn teams() {
        assert!(check_team("T0123456").is_ok() && check_team("E012345678").is_ok());
        for bad in ["", "T01234", "t0123456", "T0123456 ", "acme", "C0123456"] {
            assert!(check_team(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn places() {
        let origins = |url| -> Vec<String> {
            let places = endpoints(url).unwrap().into_iter();
            let shown = places.map(|place| {
                format!(
                    "{}{}{}",
                    place.origin(),
                    place.prefix,
                    place.mount.unwrap_or("")
                )
            });
            shown.collect()
        };
        let vendor = |domain: &str| -> Vec<String> {
            [
                "https://{workspace+}.DOMAIN/api",
                "https://files.DOMAIN\\files",
                "https://hooks.DOMAIN\\hooks",
                "https://wss-primary.DOMAIN\\socket",
            ]
            .map(|place| place.replace("DOMAIN", domain))
            .to_vec()
        };
        assert_eq!(
            origins(None),
            [
                vec!["https://slack.com/api".to_owned()],
                vendor("slack.com")
            ]
            .concat()
        );
        let gov = [
            vec!["https://slack-gov.com/api".to_owned()],
            vendor("slack-gov.com"),
        ]
        .concat();
        assert_eq!(origins(Some("https://slack-gov.com/api/")), gov);
        let own = vec![
            "https://acme.slack.com/api".to_owned(),
            "https://slack.com/api".to_owned(),
        ];
        assert_eq!(
            origins(Some("https://acme.slack.com/api")),
            [own, vendor("slack.com")].concat()
        );
        assert_eq!(
            origins(Some("http://localhost:4000/api")),
            ["http://localhost:4000/api", "http://localhost:4000\\files"]
        );
        assert_eq!(
            origins(Some("http://localhost:4000")),
            ["http://localhost:4000"]
        );
    }
}
