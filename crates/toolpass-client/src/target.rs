//! To which server a process reports, by its environment and its remote engine.
//!
//! `TOOLPASS_DASHBOARD` wins: a word for "no", or an address. Then the server that is asked anyway; then `TOOLPASS_URL`. Without
//! a key nothing is reported. An address is held to the rules of one that is asked: TLS, but for this machine.

use toolpass_core::secret::Secret;
use toolpass_http::url::Url;

use crate::address::{self, InvalidAddress};

/// A server, and what to be called there.
#[derive(Clone, Debug)]
pub struct Target {
    /// Its base address.
    pub url: Url,
    /// The key.
    pub key: Secret,
    /// What this process is called.
    pub name: String,
    /// Certificates that are trusted instead of the system's.
    pub ca_pem: Option<Vec<u8>>,
}

/// A server that is asked anyway.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// Its base address.
    pub url: &'a Url,
    /// The key.
    pub key: &'a Secret,
    /// Certificates that are trusted instead of the system's.
    pub ca_pem: Option<&'a [u8]>,
}

/// An address nothing is reported to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{variable}: {error}")]
pub struct InvalidTarget {
    /// The variable that holds it.
    variable: &'static str,
    /// Why not.
    error: InvalidAddress,
}

/// The target of a process. `variable` reads its environment, `asked` is the server it asks anyway, `script` its main file.
/// Errors: [`InvalidTarget`].
pub fn target(
    variable: impl Fn(&str) -> Option<String>,
    asked: Option<Asked<'_>>,
    script: Option<&str>,
) -> Result<Option<Target>, InvalidTarget> {
    let read = |name: &str| variable(name).filter(|text| !text.trim().is_empty());
    let name = || name(read(SERVER_NAME), script);
    let key = || read(API_KEY).map(|text| Secret::new(text.trim().to_owned()));
    let to = |variable: &'static str, address: &str, key: Secret| {
        Ok(Some(Target {
            url: address_of(variable, address)?,
            key,
            name: name(),
            ca_pem: None,
        }))
    };
    if let Some(wish) = read(DASHBOARD) {
        let wish = wish.trim();
        if OFF.iter().any(|word| word.eq_ignore_ascii_case(wish)) {
            return Ok(None);
        }
        if wish != "1" {
            let Some(key) = key() else { return Ok(None) };
            return to(DASHBOARD, wish, key);
        }
    }
    if let Some(asked) = asked {
        return Ok(Some(Target {
            url: asked.url.clone(),
            key: asked.key.clone(),
            name: name(),
            ca_pem: asked.ca_pem.map(<[u8]>::to_vec),
        }));
    }
    match (read(URL), key()) {
        (Some(address), Some(key)) => to(URL, address.trim(), key),
        _ => Ok(None),
    }
}

fn address_of(variable: &'static str, text: &str) -> Result<Url, InvalidTarget> {
    // The page's own address, as a person copies it.
    let text = text.trim_end_matches('/');
    let text = text.strip_suffix("/dashboard").unwrap_or(text);
    address::server(text).map_err(|error| InvalidTarget { variable, error })
}

/// What the process is called: as it is told, else as its script, else `python`.
fn name(told: Option<String>, script: Option<&str>) -> String {
    let stem = || {
        let stem = std::path::Path::new(script?).file_stem()?.to_str()?;
        Some(stem.to_owned()).filter(|stem| !stem.is_empty() && stem != "-c" && stem != "-")
    };
    let name = told.map(|text| text.trim().to_owned()).or_else(stem);
    let name = name.unwrap_or_else(|| "python".into());
    name.chars().take(MAX_NAME).collect()
}

const API_KEY: &str = "TOOLPASS_API_KEY";
const DASHBOARD: &str = "TOOLPASS_DASHBOARD";
const SERVER_NAME: &str = "TOOLPASS_SERVER_NAME";
const URL: &str = "TOOLPASS_URL";
const OFF: [&str; 5] = ["0", "false", "off", "no", "none"];
const MAX_NAME: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    fn of(
        environment: &[(&str, &str)],
        asked: Option<&str>,
    ) -> Result<Option<(String, String)>, InvalidTarget> {
        let read = |name: &str| {
            let found = environment.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        let own = Secret::new("own");
        let url = asked.map(|url| Url::parse(url).unwrap());
        let asked = url.as_ref().map(|url| Asked {
            url,
            key: &own,
            ca_pem: None,
        });
        let target = target(read, asked, Some("/app/shop.py"))?;
        Ok(target.map(|target| {
            assert_eq!(target.name, "shop");
            (
                target.url.to_string(),
                String::from_utf8(target.key.expose().to_vec()).unwrap(),
            )
        }))
    }

    #[test]
    fn who_is_reported_to() {
        let key = ("TOOLPASS_API_KEY", "k");
        let url = ("TOOLPASS_URL", "https://a.example");
        let remote = Some("https://r.example");
        let to = |url: &str, key: &str| Ok(Some((url.to_owned(), key.to_owned())));
        for word in ["0", "false", "OFF", "No", "none"] {
            let off = ("TOOLPASS_DASHBOARD", word);
            assert_eq!(of(&[off, key, url], remote), Ok(None), "{word}");
        }
        let dashboard = ("TOOLPASS_DASHBOARD", "https://d.example/dashboard/");
        assert_eq!(
            of(&[dashboard, key, url], remote),
            to("https://d.example/", "k")
        );
        assert_eq!(of(&[dashboard, url], remote), Ok(None));
        let one = ("TOOLPASS_DASHBOARD", "1");
        assert_eq!(
            of(&[one, key, url], remote),
            to("https://r.example/", "own")
        );
        assert_eq!(of(&[key, url], remote), to("https://r.example/", "own"));
        assert_eq!(of(&[key, url], None), to("https://a.example/", "k"));
        assert_eq!(of(&[url], None), Ok(None));
        assert_eq!(of(&[key], None), Ok(None));
        assert_eq!(of(&[], None), Ok(None));
    }

    #[test]
    fn a_key_is_sent_to_no_address_that_gives_it_away() {
        let key = ("TOOLPASS_API_KEY", "k");
        for (address, is_taken) in [
            ("http://127.0.0.1:8080", true),
            ("http://localhost:8080", true),
            ("http://[::1]:8080", true),
            ("http://a.example", false),
            ("http://127.0.0.1.evil.example", false),
            ("https://user:hunter2@a.example", false),
            ("https://a.example/dashboard/#key=secret", false),
            ("ftp://a.example", false),
            ("a.example", false),
        ] {
            let found = of(&[("TOOLPASS_DASHBOARD", address), key], None);
            assert_eq!(found.is_ok(), is_taken, "{address}");
            let said = found
                .err()
                .map(|error| error.to_string())
                .unwrap_or_default();
            assert!(
                !said.contains("secret") && !said.contains("hunter2"),
                "{said}"
            );
        }
    }

    #[test]
    fn names() {
        for (told, script, expected) in [
            (Some(" desk "), Some("/a/shop.py"), "desk"),
            (None, Some("/a/shop.py"), "shop"),
            (None, Some("-c"), "python"),
            (None, Some(""), "python"),
            (None, None, "python"),
        ] {
            assert_eq!(name(told.map(str::to_owned), script), expected);
        }
    }
}
