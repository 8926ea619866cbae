//! Whether the token works, and what an operator should change about it.
//!
//! Source: docs.slack.dev `auth.test`, "Scopes" (the header `X-OAuth-Scopes`), `team.preferences.list`, `usergroups.list`; read 2026-11-30.

use toolpass_core::codes::Code;
use toolpass_core::quoted::clipped;
use toolpass_http::budget::Context;
use toolpass_http::json::Json;
use toolpass_integration::answers::Answer;
use toolpass_integration::connection::Probe;
use toolpass_integration::failure::Failure;

use crate::config::Config;
use crate::upstream::read::{Call, Read};
use crate::upstream::records::{self, Auth};
use crate::upstream::slack::Slack;

/// Verify the credential without a user.
pub(crate) async fn probe(ctx: &Context, config: &Config, slack: &Slack) -> Result<Probe, Failure> {
    let answered = slack.method(ctx, "auth.test", &[]).await?;
    let auth = match answered.answer {
        Answer::Body(body) => records::auth(Json::new(&body))?,
        other => return Err(refused(other)),
    };
    let scopes = scopes(answered.scopes.as_deref());
    let mut warnings = Vec::new();
    if auth.is_enterprise_install == Some(true) && config.team.is_none() {
        warnings.push(
            "the app is installed in a whole organization; name the workspace as `team_id`".into(),
        );
    }
    warnings.extend(scopes.iter().filter_map(|scope| warning(scope)));
    for needed in NEEDED
        .iter()
        .filter(|needed| !scopes.iter().any(|scope| scope == *needed))
    {
        warnings.push(format!(
            "the token lacks the scope `{needed}`, without which most checks stay unknown"
        ));
    }
    let nobody = [("email", NOBODY.to_owned())];
    match slack
        .method(ctx, "users.lookupByEmail", &nobody)
        .await?
        .answer
    {
        Answer::Body(_) | Answer::Missing { .. } => {}
        Answer::Forbidden => warnings
            .push("the token may not look people up by e-mail; grant `users:read.email`".into()),
        other => return Err(refused(other)),
    }
    for (read, without) in OPTIONAL {
        match slack.read(ctx, &read).await {
            Answer::Body(_) => {}
            Answer::Forbidden => {
                warnings.push(format!("without the scope {} {without}", read.scope()))
            }
            other => return Err(refused(other)),
        }
    }
    warnings.extend(general(ctx, slack).await?);
    Ok(Probe {
        summary: summary(&auth, &scopes),
        warnings,
    })
}

/// What can be seen of the channel everybody is in.
async fn general(ctx: &Context, slack: &Slack) -> Result<Option<String>, Failure> {
    let call = Call {
        method: "conversations.list",
        query: vec![
            ("types", "public_channel".into()),
            ("exclude_archived", "true".into()),
            ("limit", "200".into()),
        ],
        list: None,
        life: None,
    };
    let body = match slack.list(ctx, &call, "channels", 5).await? {
        Answer::Body(body) => body,
        Answer::Forbidden => return Ok(None), // warned of above
        other => return Err(refused(other)),
    };
    for channel in Json::new(&body).required("channels")?.array()? {
        let flag = channel
            .member("is_general")?
            .map(|flag| flag.bool())
            .transpose()?;
        if flag == Some(true) {
            return Ok(channel.member("properties")?.is_none().then(|| {
                "Slack shows the token no posting rules of channels; without `assume_unrestricted_channels` posting stays unknown".into()
            }));
        }
    }
    Ok(Some(
        "among the public channels the token sees, none is the one everybody is in".into(),
    ))
}

fn summary(auth: &Auth, scopes: &[String]) -> String {
    let unnamed = "unnamed";
    let shown = if scopes.is_empty() {
        "no scopes shown".to_owned()
    } else {
        format!("scopes {}", scopes.join(" "))
    };
    let name = |text: &Option<String>| clipped(text.as_deref().unwrap_or(unnamed), 64);
    format!(
        "bot {} ({}) reads {}; {shown}",
        name(&auth.user),
        name(&auth.bot_id),
        name(&auth.team)
    )
}

/// An answer that is no record.
fn refused(answer: Answer) -> Failure {
    match answer {
        Answer::Failed(failure) => failure,
        Answer::Forbidden => Failure::new(
            Code::CredentialRejected,
            "Slack refuses our token this read",
        ),
        Answer::Body(_) | Answer::Missing { .. } | Answer::Moved => Failure::new(
            Code::UpstreamError,
            "Slack's answer is not the one expected",
        ),
    }
}

/// The scopes Slack names, in alphabetical order.
fn scopes(header: Option<&str>) -> Vec<String> {
    let mut scopes: Vec<String> = header
        .unwrap_or_default()
        .split(',')
        .map(|scope| scope.trim().to_owned())
        .filter(|scope| !scope.is_empty())
        .collect();
    scopes.sort();
    scopes.dedup();
    scopes
}

/// What is wrong with a scope.
fn warning(scope: &str) -> Option<String> {
    let writes = scope.starts_with("admin")
        || scope.contains(":write")
        || scope.contains(":manage")
        || matches!(scope, "commands" | "incoming-webhook");
    writes.then(|| {
        format!(
            "the token holds the scope `{}`; reading is enough",
            clipped(scope, 64)
        )
    })
}

const NEEDED: [&str; 4] = [
    "channels:read",
    "groups:read",
    "users:read",
    "users:read.email",
];
const OPTIONAL: [(Read, &str); 2] = [
    (
        Read::Preferences,
        "posting in #general and uploads stay unknown",
    ),
    (Read::Usergroups, "user groups stay unknown"),
];
/// An address that nobody has: the domain is reserved.
const NOBODY: &str = "toolpass-probe@nobody.invalid";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_sorted_and_judged() {
        let all = scopes(Some("users:read, chat:write,admin.users:read, ,users:read"));
        assert_eq!(all, ["admin.users:read", "chat:write", "users:read"]);
        let warned: Vec<&String> = all
            .iter()
            .filter(|scope| warning(scope).is_some())
            .collect();
        assert_eq!(warned, ["admin.users:read", "chat:write"]);
        assert!(warning("users:read.email").is_none());
        assert!(NEEDED.is_sorted());
    }
}
