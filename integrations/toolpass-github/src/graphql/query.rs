//! The roots of a query.
//!
//! Source: docs.github.com/graphql/reference/queries, read 2026-11-30.

use toolpass_wire::extract::{Pair, Target};
use toolpass_wire::field::Unresolved;
use toolpass_wire::graphql::{RootField, Selection};
use toolpass_wire::json::Json;

use super::{at_node, selection};
use crate::actions::Action;
use crate::extract::search;
use crate::facts;
use crate::resource::{Login, Repo, Slug};

/// What reading a root needs; nothing for public data.
/// Errors: [`Unresolved`] for a root that is not known, or that shows what the agent sees.
pub(super) fn pairs(root: &RootField) -> Result<Vec<Pair>, Unresolved> {
    match root.name.as_str() {
        "repository" => repository(text(root, "owner")?, root),
        "organization" => organization(root),
        "node" => node(text(root, "id")?, root).map(|pair| vec![pair]),
        "nodes" => nodes(root),
        "search" => search_in(root),
        "viewer" | "user" | "repositoryOwner" | "topic" | "sponsorables" => {
            selection::of_account(&root.selections).map(|()| Vec::new())
        }
        "__schema" | "__type" | "__typename" => Ok(Vec::new()),
        "marketplaceListing" | "marketplaceListings"
            if VIEWERS.iter().any(|name| root.argument(name).is_some()) =>
        {
            Err(Unresolved::new(format!(
                "`{}` is asked for what the agent administers",
                root.name
            )))
        }
        name if PUBLIC.contains(&name) => {
            selection::of_public(&root.selections).map(|()| Vec::new())
        }
        name if name.starts_with("enterprise") => {
            Err(Unresolved::new("an enterprise is its owners'"))
        }
        _ => Err(Unresolved::new(format!(
            "the GraphQL root `{}` is not known to name what it reads",
            root.name
        ))),
    }
}

fn repository(owner: &str, root: &RootField) -> Result<Vec<Pair>, Unresolved> {
    let expected = || Unresolved::new("expected the owner and the name of a repository");
    let repo = Repo::new(
        &Login::parse(owner).ok_or_else(expected)?,
        text(root, "name")?,
    )
    .ok_or_else(expected)?;
    let action = selection::of_repository(&root.selections)?;
    Ok(vec![Pair::on(action.name(), format!("repo:{repo}"))])
}

fn organization(root: &RootField) -> Result<Vec<Pair>, Unresolved> {
    let login = Login::parse(text(root, "login")?)
        .ok_or_else(|| Unresolved::new("expected the login of an organization"))?;
    let mut pairs = vec![Pair::on(Action::OrgMember.name(), format!("org:{login}"))];
    for field in &root.selections {
        match field.name.as_str() {
            "repository" => pairs.extend(repository(login.as_str(), field)?),
            "team" => pairs.push(team(&login, field)?),
            "membersWithRole" => selection::of_account(&field.selections)?,
            name if OF_OWNERS.contains(&name) => {
                owned(&field.selections)?;
                pairs.push(Pair::on(Action::OrgAdmin.name(), format!("org:{login}")));
            }
            name if field.selections.is_empty() && OF_MEMBERS.contains(&name) => {}
            _ if field.selections.is_empty() => {
                pairs.push(Pair::on(Action::OrgAdmin.name(), format!("org:{login}")))
            }
            name => {
                return Err(Unresolved::new(format!(
                    "`organization.{name}` lists what the agent sees"
                )));
            }
        }
    }
    Ok(pairs)
}

fn team(organization: &Login, root: &Selection) -> Result<Pair, Unresolved> {
    let slug = Slug::parse(text(root, "slug")?)
        .ok_or_else(|| Unresolved::new("expected the slug of a team"))?;
    let mut sees_only = true;
    for field in &root.selections {
        match field.name.as_str() {
            "members" => {
                selection::of_account(&field.selections)?;
                sees_only = false;
            }
            _ if field.selections.is_empty() => {}
            name => {
                return Err(Unresolved::new(format!(
                    "`team.{name}` lists what the agent sees"
                )));
            }
        }
    }
    let pair = Pair::on(
        Action::TeamMember.name(),
        format!("team:{organization}/{}", slug.as_str()),
    );
    Ok(if sees_only {
        pair.fact(facts::TEAM_SIGHT, "1")
    } else {
        pair
    })
}

/// What only owners see of their organization; still nothing beyond it.
fn owned(selections: &[Selection]) -> Result<(), Unresolved> {
    for field in selections {
        let goes_on = !field.selections.is_empty();
        if goes_on && ["actor", "user", "guid"].contains(&field.name.as_str()) {
            selection::of_account(&field.selections)?;
        } else if goes_on && !INSIDE_OWNED.contains(&field.name.as_str()) {
            return Err(Unresolved::new(format!(
                "`{}` leads out of what was asked about",
                field.name
            )));
        } else {
            owned(&field.selections)?;
        }
    }
    Ok(())
}

fn node(id: &str, root: &RootField) -> Result<Pair, Unresolved> {
    let mut pair = at_node(selection::of_repository(&root.selections)?, id)?;
    if pair.action.as_deref() == Some(Action::RepoRead.name())
        && let Some(Target::Pointer(pointer)) = &mut pair.target
    {
        pointer.parts.insert("shown".to_owned(), "1".to_owned());
    }
    Ok(pair)
}

fn nodes(root: &RootField) -> Result<Vec<Pair>, Unresolved> {
    let Some(Json::Array(ids)) = root.argument("ids") else {
        return Err(Unresolved::new("expected a list as `ids`"));
    };
    ids.iter()
        .map(|id| node(id.as_str().unwrap_or_default(), root))
        .collect()
}

fn search_in(root: &RootField) -> Result<Vec<Pair>, Unresolved> {
    let kind = text(root, "type")?;
    if kind == "USER" {
        return selection::of_account(&root.selections).map(|()| Vec::new());
    }
    if selection::of_repository(&root.selections)? != Action::RepoRead {
        return Err(Unresolved::new(
            "what is selected below `search` needs more than reading",
        ));
    }
    search::scopes(text(root, "query")?)
}

fn text<'f>(field: &'f RootField, name: &str) -> Result<&'f str, Unresolved> {
    field.argument(name).and_then(Json::as_str).ok_or_else(|| {
        Unresolved::new(format!(
            "`{}` is asked without the text `{name}`",
            field.name
        ))
    })
}

/// Public data, the same for everybody.
#[rustfmt::skip]
const PUBLIC: &[&str] = &[
    "codeOfConduct", "codesOfConduct", "license", "licenses", "marketplaceCategories", "marketplaceCategory", "marketplaceListing",
    "marketplaceListings", "meta", "rateLimit", "securityAdvisories", "securityAdvisory", "securityVulnerabilities",
];

/// Arguments that ask for what the asking account administers.
const VIEWERS: &[&str] = &[
    "adminId",
    "allPublished",
    "organizationId",
    "viewerCanAdmin",
];

/// Plain values of an organization that every member sees.
#[rustfmt::skip]
const OF_MEMBERS: &[&str] = &[
    "__typename", "avatarUrl", "createdAt", "databaseId", "description", "descriptionHTML", "email", "id", "isVerified", "location",
    "login", "name", "newTeamResourcePath", "newTeamUrl", "resourcePath", "teamsResourcePath", "teamsUrl", "twitterUsername", "url", "viewerIsAMember", "websiteUrl",
];

/// What owners alone see of an organization.
const OF_OWNERS: &[&str] = &[
    "auditLog",
    "domains",
    "ipAllowListEntries",
    "pendingMembers",
    "samlIdentityProvider",
];

/// The objects those are made of.
#[rustfmt::skip]
const INSIDE_OWNED: &[&str] = &[
    "actorLocation", "edges", "emails", "externalIdentities", "groups", "node", "nodes", "pageInfo", "samlIdentity", "scimIdentity",
];
