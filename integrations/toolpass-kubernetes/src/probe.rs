//! Whether the token works, and what an operator should change about it.
//!
//! Source: k8s.io/api `authorization/v1` (SelfSubjectRulesReview); kubernetes.io "Authorization"; read 2026-12-01.

use std::fmt::Write as _;

use toolpass_core::codes::Code;
use toolpass_http::budget::Context;
use toolpass_http::error::Error;
use toolpass_http::json::Json;
use toolpass_integration::connection::Probe;
use toolpass_integration::failure::Failure;

use crate::facts::Selectors;
use crate::identity::Subject;
use crate::resource::{Asked, Kind, Object};
use crate::rules::rights::{self, PolicyRule};
use crate::rules::verdict::{self, Verdict};
use crate::upstream::{Cluster, Review};

/// Verify the token without a user.
pub(crate) async fn probe(ctx: &Context, cluster: &Cluster) -> Result<Probe, Failure> {
    let answer = cluster.review(ctx, &nobody()?).await?;
    let mut warnings = Vec::new();
    if let Verdict::Allowed(_) = verdict::parse(Json::new(&answer))? {
        warnings.push(
            "the API server allows everybody everything: is authorization switched on?".to_owned(),
        );
    }
    match cluster.own_rules(ctx, "kube-system").await {
        Ok(answer) => warnings.extend(surplus(Json::new(&answer))?),
        Err(error) => warnings.push(format!(
            "what else the token may do could not be found out: {error}"
        )),
    }
    Ok(Probe {
        summary: "the token creates access reviews".to_owned(),
        warnings,
    })
}

/// A question about a user nobody is.
fn nobody() -> Result<Review, Failure> {
    let kind = Kind::parse("namespaces")
        .ok_or_else(|| Failure::new(Code::Unsupported, "namespaces are no kind"))?;
    Ok(Review {
        subject: Subject {
            user: "toolpass:probe".to_owned(),
            groups: Vec::new(),
        },
        asked: Asked::Object(Object {
            verb: "get".to_owned(),
            kind,
            namespace: None,
            name: "default".to_owned(),
        }),
        selectors: Selectors::default(),
    })
}

/// What the token may do beyond asking.
fn surplus(answer: Json<'_>) -> Result<Vec<String>, Error> {
    let status = answer.required("status")?;
    let rules = rights::rules(status.required("resourceRules")?)?;
    let mut warnings = Vec::new();
    let incomplete = match status.member("incomplete")? {
        Some(incomplete) => incomplete.bool()?,
        None => false,
    };
    if incomplete {
        warnings.push(
            "the cluster cannot list all the token may do, so more than needed may stay unseen"
                .to_owned(),
        );
    }
    let beyond: Vec<String> = rules
        .iter()
        .filter(|rule| !is_needed(rule))
        .map(shown)
        .collect();
    if let Some(first) = beyond
        .get(..beyond.len().min(SHOWN))
        .filter(|rules| !rules.is_empty())
    {
        let mut text = format!("the token may also {}", first.join("; "));
        if beyond.len() > SHOWN {
            // Writing to a string cannot fail.
            let _ = write!(text, "; and {} more", beyond.len() - SHOWN);
        }
        warnings.push(text);
    }
    Ok(warnings)
}

/// Asking about others and oneself, and reading roles: what this connection is for.
fn is_needed(rule: &PolicyRule) -> bool {
    let all = |list: &[String], known: &[&str]| {
        !list.is_empty() && list.iter().all(|one| known.contains(&one.as_str()))
    };
    let reviews = [
        "subjectaccessreviews",
        "selfsubjectaccessreviews",
        "selfsubjectrulesreviews",
        "selfsubjectreviews",
    ];
    let roles = [
        "roles",
        "clusterroles",
        "rolebindings",
        "clusterrolebindings",
    ];
    let asks = all(&rule.resources, &reviews) && all(&rule.verbs, &["create"]);
    let reads = all(&rule.groups, &["rbac.authorization.k8s.io"])
        && all(&rule.resources, &roles)
        && all(&rule.verbs, &["get"]);
    asks || reads || rule.resources.is_empty()
}

fn shown(rule: &PolicyRule) -> String {
    format!("{} {}", rule.verbs.join(","), rule.resources.join(","))
}

const SHOWN: usize = 8;
