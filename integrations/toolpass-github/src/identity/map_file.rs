//! A file of e-mails and logins, looked at again at most once a minute.
//!
//! Lines `email login` or `email=login`, `#` begins a comment. One malformed line makes the whole file invalid, because half a list
//! would say "nobody" of the other half. A file that cannot be read again leaves the list as it was.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use toolpass_core::clock::Monotonic;
use toolpass_core::codes::Code;
use toolpass_core::user::is_plain_email;
use toolpass_http::budget::Context;
use toolpass_integration::failure::Failure;

use super::not_found;
use crate::resource::Login;

pub(super) struct MapFile {
    path: PathBuf,
    read: Mutex<Option<(Monotonic, Arc<Logins>)>>,
}

type Logins = HashMap<String, Login>;

impl MapFile {
    pub(super) fn new(path: PathBuf) -> MapFile {
        MapFile {
            path,
            read: Mutex::new(None),
        }
    }

    pub(super) async fn find(&self, ctx: &Context, email: &str) -> Result<Login, Failure> {
        let logins = self.logins(ctx).await?;
        logins
            .get(&email.to_ascii_lowercase())
            .cloned()
            .ok_or_else(|| not_found("`user_map_file` has no line for this e-mail"))
    }

    async fn logins(&self, ctx: &Context) -> Result<Arc<Logins>, Failure> {
        let now = ctx.now();
        let known = self
            .read
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        if let Some((at, logins)) = &known
            && now.since(*at) < LOOK_EVERY
        {
            return Ok(Arc::clone(logins));
        }
        let path = self.path.clone();
        let read = tokio::task::spawn_blocking(move || read(&path))
            .await
            .unwrap_or_else(|_| Err("cannot be read".into()));
        let logins = match (read, known) {
            (Ok(logins), _) => Arc::new(logins),
            (Err(_), Some((_, logins))) => {
                tracing::warn!(
                    integration = "github",
                    "`user_map_file` could not be read again, the list stays as it was"
                );
                logins
            }
            (Err(why), None) => {
                return Err(Failure::new(
                    Code::UpstreamError,
                    format!("`user_map_file` {why}"),
                ));
            }
        };
        *self.read.lock().unwrap_or_else(PoisonError::into_inner) =
            Some((now, Arc::clone(&logins)));
        Ok(logins)
    }
}

fn read(path: &std::path::Path) -> Result<Logins, String> {
    let size = std::fs::metadata(path).map_err(|_| "cannot be read")?.len();
    if size > MAX_BYTES {
        return Err("is larger than 64 MiB".into());
    }
    parse(&std::fs::read(path).map_err(|_| "cannot be read")?)
}

/// Read the lines. Errors: the number of the first that is malformed, never its text.
fn parse(bytes: &[u8]) -> Result<Logins, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "is not UTF-8")?;
    let mut logins = Logins::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let malformed = || {
            format!(
                "line {}: expected `email login` or `email=login`, each e-mail once",
                number + 1
            )
        };
        let (email, login) = pair(line)
            .filter(|_| line.len() < MAX_LINE)
            .ok_or_else(malformed)?;
        let login = Login::parse(login).ok_or_else(malformed)?;
        match logins.insert(email.to_ascii_lowercase(), login.clone()) {
            Some(other) if other != login => return Err(malformed()),
            Some(_) | None => {}
        }
    }
    Ok(logins)
}

fn pair(line: &str) -> Option<(&str, &str)> {
    let (email, login) = line
        .split_once(char::is_whitespace)
        .or_else(|| line.split_once('='))?;
    let login = login.trim();
    is_plain_email(email).then_some((email, login))
}

const LOOK_EVERY: Duration = Duration::from_secs(60);
const MAX_BYTES: u64 = 64 * 1024 * 1024;
const MAX_LINE: usize = 1024 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let logins = parse(b"# people\r\nDana@Example.com dana\r\nsam@example.com=sam_acme # managed\n\n  a=b@example.com\tx  \n").unwrap();
        let login = |email: &str| logins.get(email).map(Login::to_string);
        assert_eq!(login("dana@example.com").as_deref(), Some("dana"));
        assert_eq!(login("sam@example.com").as_deref(), Some("sam_acme"));
        assert_eq!(login("a=b@example.com").as_deref(), Some("x"));
    }

    #[test]
    fn one_bad_line_spoils_the_file() {
        for bad in [
            "dana",
            "dana@example.com",
            "dana@example.com dana extra",
            "dana@example.com -",
            "x y",
            "a@b c\na@b d",
            "a@b\u{0} c",
        ] {
            let why = parse(bad.as_bytes()).unwrap_err();
            assert!(
                why.starts_with("line ") && !why.contains("dana"),
                "{bad}: {why}"
            );
        }
        assert!(parse(&[0xff]).is_err());
    }
}
