//! URL keys: where a vendor's system is, written by an operator, held to one spelling.
//!
//! Stricter than `toolpass_http::url`, which also reads addresses out of answers: https, or http on this machine only; no
//! query, fragment or user in it. The text itself is never repeated: it may hold a password.

use std::net::IpAddr;

use toolpass_http::url::{InvalidUrl, Scheme, Url};

/// Check a URL and bring scheme, host and port to their one spelling; the path stays as written.
/// Errors: what is accepted instead.
pub fn normalised(text: &str) -> Result<String, String> {
    check_characters(text)?;
    let url = Url::parse(text).map_err(|error| error.to_string())?;
    if url.host().split('.').any(str::is_empty) {
        return Err(InvalidUrl::Host.to_string());
    }
    if url.scheme() == Scheme::Http && !is_this_machine(url.host()) {
        return Err("expected an `https://` URL; `http://` is accepted for `localhost` and loopback addresses only".into());
    }
    let rest = text
        .split_once("://")
        .map(|(_, rest)| rest)
        .unwrap_or_default();
    let path = rest
        .find('/')
        .and_then(|at| rest.get(at..))
        .unwrap_or_default();
    Ok(format!(
        "{}://{}{path}",
        url.scheme().as_str(),
        url.authority()
    ))
}

/// Check the address of a proxy.
/// Errors: what is accepted instead.
pub(crate) fn proxy(text: &str) -> Result<String, String> {
    check_characters(text)?;
    match Url::parse(text) {
        Ok(url) if url.path() == "/" => Ok(format!("{}://{}", url.scheme().as_str(), url.authority())),
        Ok(_) => Err("expected the address of a proxy without a path".into()),
        Err(InvalidUrl::Userinfo) => Err("user and password are not accepted in the address; give `proxy_username` and `proxy_credential`".into()),
        Err(error) => Err(error.to_string()),
    }
}

fn check_characters(text: &str) -> Result<(), String> {
    if text
        .chars()
        .any(|c| c.is_whitespace() || c.is_control() || matches!(c, '?' | '#' | '\\'))
    {
        return Err("expected a URL without spaces, control characters, `?`, `#` and `\\`".into());
    }
    let is_escape = |after: &str| {
        after
            .as_bytes()
            .get(..2)
            .is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    if !text.split('%').skip(1).all(is_escape) {
        return Err("expected two hex digits after each `%` of the URL".into());
    }
    Ok(())
}

/// Whether a host is exactly `localhost`, or an address in 127.0.0.0/8, `::1`, or one of these mapped into IPv6.
fn is_this_machine(host: &str) -> bool {
    match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => address.is_loopback(),
        Ok(IpAddr::V6(address)) => address
            .to_ipv4_mapped()
            .map_or(address.is_loopback(), |mapped| mapped.is_loopback()),
        Err(_) => host == "localhost",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_spelling() {
        for (text, expected) in [
            ("https://acme.atlassian.net", "https://acme.atlassian.net"),
            (
                "HTTPS://API.Example.com:443/api/V3/",
                "https://api.example.com/api/V3/",
            ),
            ("https://h:8443", "https://h:8443"),
            ("http://localhost:8080/x", "http://localhost:8080/x"),
            ("http://127.9.8.7", "http://127.9.8.7"),
            ("http://[::1]:80", "http://[::1]"),
            ("http://[::ffff:127.0.0.1]", "http://[::ffff:127.0.0.1]"),
            ("https://h/a%20b", "https://h/a%20b"),
        ] {
            assert_eq!(normalised(text).as_deref(), Ok(expected), "{text}");
            assert_eq!(normalised(expected).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn refused() {
        for text in [
            "h",
            "h:8080/x",
            "https:x",
            "https://",
            "https:///x",
            "https://x:99999",
            "https://x:0",
            "https://x:",
            "https://x:8a",
            "ftp://x",
            "https://@x",
            "https://u:p@x",
            "https://x?a",
            "https://x#a",
            "https://x y",
            "https://x/\t",
            "https://x/\n",
            "https://x\\y",
            "https://a..b",
            "https://.a",
            "https://a.",
            "https://[::1",
            "https://x/%zz",
            "https://x/%2",
            "https://é.example",
            "https://x\u{0}",
            "http://example.com",
            "http://localhost.example.com",
            "http://127.0.0.1.evil.com",
            "http://localhost@evil.com",
            "http://[::2]",
            "http://[::1%25lo]",
            "http://127.000.0.1",
            "http://127.1",
            "http://0.0.0.0",
            "http://localhost.",
            "http://[::ffff:10.0.0.1]",
        ] {
            assert!(normalised(text).is_err(), "{text}");
        }
    }

    #[test]
    fn proxies_have_no_password_in_them() {
        assert_eq!(
            proxy("http://Proxy.corp:3128/").as_deref(),
            Ok("http://proxy.corp:3128")
        );
        assert_eq!(proxy("https://proxy").as_deref(), Ok("https://proxy"));
        for text in [
            "socks5://p",
            "p:3128",
            "http://",
            "http://p/x",
            "http://p?x",
        ] {
            assert!(proxy(text).is_err(), "{text}");
        }
        let error = proxy("http://bot:s3cret@proxy:3128").unwrap_err();
        assert!(error.contains("proxy_credential") && !error.contains("s3cret"));
    }

    proptest! {
        #[test]
        fn what_is_accepted_has_one_spelling(text in "https?://[a-zA-Z0-9.:\\[\\]@%-]{0,20}(/[a-z%0-9./]{0,10})?|\\PC{0,30}") {
            if let Ok(url) = normalised(&text) {
                prop_assert_eq!(normalised(&url), Ok(url.clone()));
                prop_assert!(!url.contains('@'));
            }
        }
    }
}
