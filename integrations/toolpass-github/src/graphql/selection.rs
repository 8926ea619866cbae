//! What is selected below a field: whether it stays inside the thing that was asked about.
//!
//! Every object of GitHub's schema leads on: a repository to its owner, an owner to all repositories the agent sees. So below a
//! repository only fields on a closed list may have fields of their own; people show what everybody sees of them, other repositories their names.
//! INVARIANT: a field that is not listed and goes deeper is unresolved.
//! Source: GitHub's GraphQL schema, read 2026-11-30.

use toolpass_wire::field::Unresolved;
use toolpass_wire::graphql::Selection;

use crate::actions::Action;

/// Where a selection stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In a repository.
    Content,
    /// At a person, a team, an organization: what everybody sees of them.
    Account,
    /// At another repository: its name.
    Elsewhere,
    /// At something a mutation answers with that is none of these: plain values.
    Plain,
}

/// What reading a selection of a repository needs.
pub(super) fn of_repository(selections: &[Selection]) -> Result<Action, Unresolved> {
    let mut needed = Action::RepoRead;
    walk(Place::Content, selections, &mut needed)?;
    Ok(needed)
}

/// A selection of people, teams or organizations: what everybody sees of them.
pub(super) fn of_account(selections: &[Selection]) -> Result<(), Unresolved> {
    walk(Place::Account, selections, &mut Action::RepoRead)
}

/// A selection of public data: nothing in it leads to people or repositories.
pub(super) fn of_public(selections: &[Selection]) -> Result<(), Unresolved> {
    for field in selections {
        if !field.selections.is_empty()
            && !PLUMBING.contains(&field.name.as_str())
            && !PUBLIC.contains(&field.name.as_str())
        {
            return Err(leads_on(&field.name));
        }
        of_public(&field.selections)?;
    }
    Ok(())
}

/// What a mutation answers with: no more than its pair covers, and of what is no part of a repository plain values.
pub(super) fn of_payload(selections: &[Selection]) -> Result<(), Unresolved> {
    for field in selections {
        let name = field.name.as_str();
        let is_content = CONTENT.contains(&name) || PAYLOADS.contains(&name);
        let place = if is_content {
            Place::Content
        } else if ACCOUNTS.contains(&name) {
            Place::Account
        } else {
            Place::Plain
        };
        let mut needed = Action::RepoRead;
        walk(place, &field.selections, &mut needed)?;
        if needed != Action::RepoRead {
            return Err(Unresolved::new(format!(
                "what is selected below `{name}` needs more than reading"
            )));
        }
    }
    Ok(())
}

fn walk(place: Place, selections: &[Selection], needed: &mut Action) -> Result<(), Unresolved> {
    for field in selections {
        let name = field.name.as_str();
        if field.selections.is_empty() {
            let is_shown = match place {
                Place::Account => PROFILE.contains(&name),
                Place::Content | Place::Plain => !CREDENTIALS.contains(&name),
                Place::Elsewhere => NAMES.contains(&name),
            };
            if !is_shown {
                return Err(leads_on(name));
            }
            continue;
        }
        walk(below(place, name, needed)?, &field.selections, needed)?;
    }
    Ok(())
}

/// Where a field with fields of its own leads.
fn below(place: Place, name: &str, needed: &mut Action) -> Result<Place, Unresolved> {
    if PLUMBING.contains(&name) {
        return Ok(place);
    }
    match place {
        Place::Account | Place::Plain if name == "user" => Ok(Place::Account),
        Place::Elsewhere if name == "owner" => Ok(Place::Account),
        Place::Account | Place::Elsewhere | Place::Plain => Err(leads_on(name)),
        Place::Content if ACCOUNTS.contains(&name) => Ok(Place::Account),
        Place::Content if OTHERS.contains(&name) => Ok(Place::Elsewhere),
        Place::Content if CONTENT.contains(&name) => Ok(Place::Content),
        Place::Content if OF_WRITERS.contains(&name) => {
            if *needed == Action::RepoRead {
                *needed = Action::RepoPush;
            }
            Ok(if name == "collaborators" {
                Place::Account
            } else {
                Place::Content
            })
        }
        Place::Content if OF_ADMINISTRATORS.contains(&name) => {
            *needed = Action::RepoAdmin;
            Ok(Place::Content)
        }
        Place::Content => Err(leads_on(name)),
    }
}

fn leads_on(name: &str) -> Unresolved {
    Unresolved::new(format!(
        "`{name}` leads to what the agent sees, not only to what was asked about"
    ))
}

/// The parts of a list.
const PLUMBING: &[&str] = &["edges", "node", "nodes", "pageInfo"];

/// People, teams and organizations.
#[rustfmt::skip]
const ACCOUNTS: &[&str] = &[
    "actor", "answerChosenBy", "app", "assignableUsers", "assignees", "author", "authors", "committer", "creator", "editor",
    "enabledBy", "enterprise", "headRepositoryOwner", "mentionableUsers", "mergedBy", "organization", "owner", "participants",
    "reactors", "requestedReviewer", "signer", "stargazers", "team", "uploadedBy", "user", "viewer", "watchers",
];

/// Repositories that may be others than the one asked about.
const OTHERS: &[&str] = &[
    "baseRepository",
    "headRepository",
    "parent",
    "repository",
    "templateRepository",
];

/// What belongs to a repository.
#[rustfmt::skip]
const CONTENT: &[&str] = &[
    "annotations", "answer", "autoMergeRequest", "baseRef", "blame", "category", "checkRuns", "checkSuite", "checkSuites",
    "codeOfConduct", "codeowners", "comments", "commit", "commitComments", "commits", "contactLinks", "contexts",
    "contributingGuidelines", "defaultBranchRef", "discussion", "discussionCategories", "discussionCategory", "discussions",
    "entries", "errors", "file", "files", "fundingLinks", "history", "issue", "issueOrPullRequest", "issueTemplates", "issues",
    "label", "labels", "languages", "latestOpinionatedReviews", "latestRelease", "latestReviews", "licenseInfo", "mergeCommit",
    "milestone", "milestones", "object", "pinnedDiscussions", "pinnedIssues", "poll", "potentialMergeCommit", "primaryLanguage",
    "pullRequest", "pullRequestReview", "pullRequestTemplates", "pullRequests", "ranges", "reactionGroups", "reactions", "ref",
    "refs", "releaseAssets", "repositoryTopics", "reviewRequests", "reviewThreads", "reviews", "signature", "status",
    "statusCheckRollup", "steps", "tag", "tagCommit", "tagger", "target", "topic", "tree", "workflow", "workflowRun",
];

/// What mutations call a part of a repository in their answers.
#[rustfmt::skip]
const PAYLOADS: &[&str] = &[
    "assignable", "branchProtectionRule", "checkRun", "comment", "commentEdge", "deployment", "deploymentStatus", "duplicate",
    "environment", "issueComment", "labelable", "linkedBranch", "lockedRecord", "mergeQueueEntry", "minimizedComment",
    "pollOption", "pullRequestReviewComment", "reaction", "repository", "repositoryVulnerabilityAlert", "revertPullRequest", "reviewEdge",
    "ruleset", "subject", "thread", "unlockedRecord", "unminimizedComment",
];

/// Drafts, alerts and collaborators.
const OF_WRITERS: &[&str] = &[
    "collaborators",
    "release",
    "releases",
    "vulnerabilityAlert",
    "vulnerabilityAlerts",
];

/// Keys and protections.
const OF_ADMINISTRATORS: &[&str] = &[
    "branchProtectionRule",
    "branchProtectionRules",
    "deployKeys",
];

/// What lies below public data.
#[rustfmt::skip]
const PUBLIC: &[&str] = &[
    "advisory", "conditions", "cvss", "cvssSeverities", "cvssV3", "cvssV4", "cwes", "epss", "firstPatchedVersion", "identifiers", "limitations", "package",
    "permissions", "primaryCategory", "references", "secondaryCategory", "subCategories", "vulnerabilities",
];

/// What is shown of another repository.
const NAMES: &[&str] = &[
    "__typename",
    "databaseId",
    "id",
    "login",
    "name",
    "nameWithOwner",
    "resourcePath",
    "url",
];

/// What everybody sees of a person, a team, an organization or an App, and of a list of them. Other values are for owners: verified
/// addresses, two-factor authentication, bills.
#[rustfmt::skip]
const PROFILE: &[&str] = &[
    "__typename", "avatarUrl", "bio", "bioHTML", "clientId", "clientMutationId", "combinedSlug", "company", "companyHTML", "createdAt",
    "cursor", "databaseId", "date", "description", "descriptionHTML", "email", "endCursor", "hasNextPage", "hasPreviousPage", "id",
    "isEmployee", "isHireable", "isVerified", "isViewer", "location", "login", "logoUrl", "name", "permission", "privacy", "pronouns",
    "resourcePath", "role", "slug", "stargazerCount", "starredAt", "startCursor", "totalCount", "twitterUsername", "updatedAt", "url",
    "userCount", "websiteUrl",
];

/// Values that are credentials.
const CREDENTIALS: &[&str] = &["tempCloneToken"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_and_no_name_stands_in_two() {
        let lists = [
            PLUMBING,
            ACCOUNTS,
            OTHERS,
            CONTENT,
            OF_WRITERS,
            OF_ADMINISTRATORS,
        ];
        for list in lists.iter().chain([&PAYLOADS, &PUBLIC, &NAMES, &PROFILE]) {
            assert!(
                list.is_sorted_by(|before, after| before < after),
                "{list:?}"
            );
        }
        let mut all: Vec<&str> = lists.concat();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
