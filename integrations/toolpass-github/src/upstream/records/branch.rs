//! A branch: the rules of its rulesets, who passes them, and its classic protection.
//!
//! Source: docs.github.com REST "Rules", "Protected branches"; read 2026-11-30.

use toolpass_http::error::Error;
use toolpass_http::json::Json;

use super::{flag, number, text};

/// One active rule of a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchRule {
    /// Its type.
    pub kind: String,
    /// The ruleset it stands in, which says who passes it.
    pub ruleset_id: Option<u64>,
}

/// Who passes one ruleset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ruleset {
    /// `None` when our credential may not see them, which is never "nobody".
    pub bypass_actors: Option<Vec<BypassActor>>,
    /// The patterns of the refs it is about; `None` when the record does not say.
    pub includes: Option<Vec<String>>,
    /// The types of its rules; `None` when the record does not say.
    pub rules: Option<Vec<String>>,
}

/// A ruleset in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulesetHead {
    /// Its number.
    pub id: u64,
    /// Whether it is in force, neither switched off nor on trial, and about tags for all that is said.
    pub binds: bool,
}

/// One who passes a ruleset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BypassActor {
    /// Its number; of no meaning for some types.
    pub id: Option<u64>,
    /// Its type.
    pub kind: String,
    /// `always`, `exempt`, `pull_request`.
    pub mode: Option<String>,
}

/// The classic protection of a branch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Protection {
    /// Whether administrators are bound too.
    pub enforce_admins: Option<bool>,
    /// Whether it is read-only.
    pub lock_branch: bool,
    /// Whether it may be deleted.
    pub allow_deletions: bool,
    /// Whether everyone with write may force-push.
    pub allow_force_pushes: bool,
    /// Whether `restrictions` bind the making of branches of this name too.
    pub block_creations: bool,
    /// Who may push at all; everyone with write without it.
    pub restrictions: Option<Actors>,
    /// Changes come by pull request.
    pub reviews: Option<Reviews>,
    /// What is required of the commits themselves, by GitHub's names.
    pub requirements: Vec<&'static str>,
}

/// The part of a protection about pull requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reviews {
    /// Who needs none.
    pub bypass_allowances: Actors,
    /// Who may dismiss a review; everyone with write without it.
    pub dismissal_restrictions: Option<Actors>,
}

/// A list of people and teams. Apps in it are no people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Actors {
    /// Logins.
    pub users: Vec<String>,
    /// Slugs.
    pub teams: Vec<String>,
}

/// Read the rules of a branch.
pub fn branch_rules(json: Json<'_>) -> Result<Vec<BranchRule>, Error> {
    let rule = |rule: Json<'_>| -> Result<_, Error> {
        Ok(BranchRule {
            kind: rule.required("type")?.string()?.to_owned(),
            ruleset_id: number(rule, "ruleset_id")?,
        })
    };
    json.array()?.map(rule).collect()
}

/// Read a ruleset.
pub fn ruleset(json: Json<'_>) -> Result<Ruleset, Error> {
    let actor = |actor: Json<'_>| -> Result<_, Error> {
        let kind = actor.required("actor_type")?.string()?.to_owned();
        Ok(BypassActor {
            id: number(actor, "actor_id")?,
            kind,
            mode: text(actor, "bypass_mode")?,
        })
    };
    let actors = json
        .member("bypass_actors")?
        .map(|actors| actors.array()?.map(actor).collect::<Result<_, Error>>())
        .transpose()?;
    let names = json
        .member("conditions")?
        .map(|conditions| conditions.member("ref_name"))
        .transpose()?
        .flatten();
    let includes = names
        .map(|names| names.member("include"))
        .transpose()?
        .flatten();
    let kind = |rule: Json<'_>| Ok::<_, Error>(rule.required("type")?.string()?.to_owned());
    Ok(Ruleset {
        bypass_actors: actors,
        includes: includes
            .map(|patterns| {
                patterns
                    .array()?
                    .map(|pattern| Ok(pattern.string()?.to_owned()))
                    .collect::<Result<_, Error>>()
            })
            .transpose()?,
        rules: json
            .member("rules")?
            .map(|rules| rules.array()?.map(kind).collect::<Result<_, Error>>())
            .transpose()?,
    })
}

/// Read a list of rulesets about tags; a server that does not filter lists others too.
pub fn rulesets(json: Json<'_>) -> Result<Vec<RulesetHead>, Error> {
    let head = |head: Json<'_>| -> Result<_, Error> {
        let (enforcement, about) = (text(head, "enforcement")?, text(head, "target")?);
        let about_tags = about.is_none_or(|about| about == "tag");
        Ok(RulesetHead {
            id: head.required("id")?.uint()?,
            binds: about_tags && !matches!(enforcement.as_deref(), Some("disabled" | "evaluate")),
        })
    };
    json.array()?.map(head).collect()
}

/// Whether a branch is protected by anything, as anyone with read may see.
pub fn branch_is_protected(json: Json<'_>) -> Result<Option<bool>, Error> {
    flag(json, "protected")
}

/// Read a branch protection.
pub fn protection(json: Json<'_>) -> Result<Protection, Error> {
    let enabled = |name: &'static str| {
        Ok::<_, Error>(
            json.member(name)?
                .map(|part| flag(part, "enabled"))
                .transpose()?
                .flatten(),
        )
    };
    let mut requirements = Vec::new();
    if json.member("required_status_checks")?.is_some() {
        requirements.push("required_status_checks");
    }
    for name in ["required_linear_history", "required_signatures"] {
        if enabled(name)? == Some(true) {
            requirements.push(name);
        }
    }
    Ok(Protection {
        enforce_admins: enabled("enforce_admins")?,
        lock_branch: enabled("lock_branch")? == Some(true),
        allow_deletions: enabled("allow_deletions")? == Some(true),
        allow_force_pushes: enabled("allow_force_pushes")? == Some(true),
        block_creations: enabled("block_creations")? == Some(true),
        restrictions: json.member("restrictions")?.map(actors).transpose()?,
        reviews: json
            .member("required_pull_request_reviews")?
            .map(reviews)
            .transpose()?,
        requirements,
    })
}

fn actors(json: Json<'_>) -> Result<Actors, Error> {
    let named = |list: &'static str, name: &'static str| {
        let Some(list) = json.member(list)? else {
            return Ok(Vec::new());
        };
        list.array()?
            .map(|entry| Ok(entry.required(name)?.string()?.to_owned()))
            .collect::<Result<Vec<_>, Error>>()
    };
    Ok(Actors {
        users: named("users", "login")?,
        teams: named("teams", "slug")?,
    })
}

fn reviews(json: Json<'_>) -> Result<Reviews, Error> {
    Ok(Reviews {
        bypass_allowances: json
            .member("bypass_pull_request_allowances")?
            .map(actors)
            .transpose()?
            .unwrap_or_default(),
        dismissal_restrictions: json
            .member("dismissal_restrictions")?
            .map(actors)
            .transpose()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_unseen_list_is_no_empty_list() {
        assert_eq!(
            ruleset(Json::new(&json!({"id": 1}))).unwrap().bypass_actors,
            None
        );
        assert_eq!(
            ruleset(Json::new(&json!({"bypass_actors": []})))
                .unwrap()
                .bypass_actors,
            Some(vec![])
        );
    }

    #[test]
    fn a_protection_of_another_shape_is_a_failure() {
        for wrong in [
            json!({"enforce_admins": true}),
            json!({"restrictions": {"users": [{"id": 1}]}}),
            json!({"lock_branch": {"enabled": "no"}}),
        ] {
            assert!(protection(Json::new(&wrong)).is_err(), "{wrong}");
        }
    }
}
