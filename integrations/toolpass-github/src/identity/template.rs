//! A login made of the e-mail, for companies whose logins follow a rule; GitHub is asked whether there is one.
//!
//! INVARIANT: only e-mails of the configured domains become logins, so `root@attacker.example` is never `root`.
//! Source: docs.github.com REST "Get a user", read 2026-11-30.

use toolpass_core::codes::Code;
use toolpass_http::budget::Context;
use toolpass_http::json::Json;
use toolpass_integration::failure::Failure;

use super::not_found;
use crate::resource::Login;
use crate::upstream::github::Github;

pub(super) struct Template {
    github: Github,
    template: String,
    domains: Vec<String>,
}

impl Template {
    pub(super) fn new(github: Github, template: String, domains: Vec<String>) -> Template {
        Template {
            github,
            template,
            domains,
        }
    }

    pub(super) async fn find(&self, ctx: &Context, email: &str) -> Result<Login, Failure> {
        let domain = email
            .split_once('@')
            .map_or("", |(_, domain)| domain)
            .to_ascii_lowercase();
        if !self.domains.contains(&domain) {
            return Err(Failure::unsupported(
                "the e-mail's domain is not in `email_domains`",
            ));
        }
        let login = Login::parse(&rendered(&self.template, email))
            .ok_or_else(|| not_found("the e-mail makes no GitHub login"))?;
        let response = self.github.get(ctx, ["users", login.as_str()]).await?;
        if response.status == 404 {
            return Err(not_found(
                "GitHub has no account of the login the e-mail makes",
            ));
        }
        let answer = response.json()?;
        let found = account(Json::new(&answer))?;
        if found == login {
            Ok(found)
        } else {
            Err(Failure::unsupported(
                "GitHub answered with another account than was asked for",
            ))
        }
    }
}

/// The login of an account that is a person's and not suspended.
fn account(json: Json<'_>) -> Result<Login, Failure> {
    if json
        .member("type")?
        .map(|kind| kind.string())
        .transpose()?
        .is_some_and(|kind| kind != "User")
    {
        return Err(not_found("the login the e-mail makes is no person's"));
    }
    if json.member("suspended_at")?.is_some() {
        return Err(Failure::new(Code::Denied, "the account is suspended"));
    }
    let login = json.required("login")?.string()?;
    Login::returned(login).ok_or_else(|| {
        Failure::unsupported("GitHub's name of the account cannot stand in an address")
    })
}

/// Fill the template in one pass: what is filled in is not looked at again.
fn rendered(template: &str, email: &str) -> String {
    let (local, domain) = email.split_once('@').unwrap_or((email, ""));
    let values = [("{email}", email), ("{local}", local), ("{domain}", domain)];
    let mut text = String::new();
    let mut rest = template;
    while let Some(start) = rest.find('{') {
        let (before, tail) = rest.split_at(start);
        text.push_str(before);
        let Some((name, value)) = values.iter().find(|(name, _)| tail.starts_with(name)) else {
            text.push_str(tail);
            return text;
        };
        text.push_str(value);
        rest = tail.get(name.len()..).unwrap_or_default();
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn templates_are_filled_once() {
        for (template, email, expected) in [
            ("{local}", "dana@example.com", "dana"),
            ("{local}_acme", "dana@example.com", "dana_acme"),
            ("{local}-{domain}", "{domain}@e", "{domain}-e"),
            ("{email}", "a@b", "a@b"),
        ] {
            assert_eq!(rendered(template, email), expected, "{template}");
        }
    }

    #[test]
    fn accounts() {
        let read = |value| {
            account(Json::new(&value))
                .map(|login| login.to_string())
                .map_err(|failure| failure.code())
        };
        assert_eq!(
            read(json!({"login": "Dana", "type": "User", "suspended_at": null})),
            Ok("Dana".into())
        );
        assert_eq!(read(json!({"login": "dana"})), Ok("dana".into()));
        assert_eq!(
            read(json!({"login": "acme", "type": "Organization"})),
            Err(Code::UserNotFound)
        );
        assert_eq!(
            read(json!({"login": "dana", "type": "User", "suspended_at": "2026-01-01T00:00:00Z"})),
            Err(Code::Denied)
        );
        assert_eq!(read(json!({"type": "User"})), Err(Code::UpstreamError));
        assert_eq!(
            read(json!({"login": 7, "type": "User"})),
            Err(Code::UpstreamError)
        );
    }
}
