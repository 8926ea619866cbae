//! Which addresses of servers a key is sent to: over TLS, or to this machine.
//!
//! Separate because whoever asks a server and whoever reports to one must agree on it.

use toolpass_http::url::{InvalidUrl, Scheme, Url};

/// An address that no key is sent to. Holds nothing of the text, which may hold a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidAddress {
    /// It is no address.
    #[error("{0}")]
    NoAddress(#[from] InvalidUrl),
    /// It holds a query or a fragment, in which a key may stand.
    #[error("expected an address without `?` and `#`")]
    NotPlain,
    /// It holds spaces or control characters.
    #[error("expected an address without spaces")]
    Spaces,
    /// Others would see the key.
    #[error(
        "expected https, or an address of this machine, since the key would be sent unencrypted"
    )]
    Unencrypted,
}

/// Read the base address of a server; slashes at its end are dropped.
/// Errors: [`InvalidAddress`].
pub fn server(text: &str) -> Result<Url, InvalidAddress> {
    if text.contains(['?', '#']) {
        return Err(InvalidAddress::NotPlain);
    }
    if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err(InvalidAddress::Spaces);
    }
    let url = Url::parse(text.trim_end_matches('/'))?;
    if url.scheme() == Scheme::Http && !is_this_machine(url.host()) {
        return Err(InvalidAddress::Unencrypted);
    }
    Ok(url)
}

/// The address as it is shown and asked, without a slash at its end.
pub fn shown(url: &Url) -> String {
    let (scheme, place) = (url.scheme().as_str(), url.authority());
    format!("{scheme}://{place}{}", url.path().trim_end_matches('/'))
}

fn is_this_machine(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || bare
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.to_canonical().is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_goes_encrypted_or_nowhere() {
        for (text, expected) in [
            ("https://a.example", Ok("https://a.example")),
            ("https://a.example/", Ok("https://a.example")),
            (
                "https://a.example:8443/pass//",
                Ok("https://a.example:8443/pass"),
            ),
            ("http://localhost:8080", Ok("http://localhost:8080")),
            ("http://127.3.2.1:1", Ok("http://127.3.2.1:1")),
            ("http://[::1]:8080/", Ok("http://[::1]:8080")),
            (
                "http://[::ffff:127.0.0.1]:1",
                Ok("http://[::ffff:127.0.0.1]:1"),
            ),
            ("http://a.example", Err(InvalidAddress::Unencrypted)),
            (
                "http://localhost.evil.example",
                Err(InvalidAddress::Unencrypted),
            ),
            (
                "http://127.0.0.1.evil.example",
                Err(InvalidAddress::Unencrypted),
            ),
            ("http://[::2]", Err(InvalidAddress::Unencrypted)),
            (
                "https://u:hunter2@a.example",
                Err(InvalidUrl::Userinfo.into()),
            ),
            ("https://a.example?key=x", Err(InvalidAddress::NotPlain)),
            ("https://a.example#key=x", Err(InvalidAddress::NotPlain)),
            ("https://a example", Err(InvalidAddress::Spaces)),
            (" https://a.example", Err(InvalidAddress::Spaces)),
            ("https://a.example\n", Err(InvalidAddress::Spaces)),
            ("ftp://a.example", Err(InvalidUrl::Scheme.into())),
            ("a.example", Err(InvalidUrl::Scheme.into())),
        ] {
            let found = server(text).map(|url| shown(&url));
            assert_eq!(found, expected.map(str::to_owned), "{text}");
        }
    }
}
