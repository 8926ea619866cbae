//! The queries put to GitHub's GraphQL API, and what its errors mean.
//!
//! Values of a question are variables, never parts of a document. An answer is 200 with errors inside, so those are looked at
//! before the data; "could not resolve" is a null and is left to the reader of the data.
//! Source: GitHub's GraphQL schema (octokit/graphql-schema, 2026-07); docs.github.com "Rate limits and query limits for the GraphQL API",
//! read 2026-11-30.

use serde_json::Value;
use toolpass_core::codes::Code;
use toolpass_http::error::Error;
use toolpass_http::json::Json;
use toolpass_http::response::Response;

use super::failure::{Asker, names_a_rate_limit};

/// Where a node belongs, who wrote it, whether it is locked. Read by `records::node`.
/// One type the server does not have refuses the whole query, so only types that are here to stay are asked about. A repository that may be
/// null has a name of its own, because a field of one name must be null or not in all of them.
pub const NODE: &str = "query($id: ID!) { node(id: $id) { __typename \
    ... on Repository { nameWithOwner } ... on Organization { login } ... on Team { slug organization { login } } \
    ... on RepositoryNode { repository { nameWithOwner } } ... on GitObject { repository { nameWithOwner } } \
    ... on Comment { author { __typename login } } ... on Lockable { locked } ... on PullRequest { number } \
    ... on BranchProtectionRule { perhaps: repository { nameWithOwner } } ... on CheckRun { repository { nameWithOwner } } \
    ... on CheckSuite { repository { nameWithOwner } } ... on Deployment { repository { nameWithOwner } } \
    ... on Label { repository { nameWithOwner } } ... on Milestone { repository { nameWithOwner } } \
    ... on Ref { repository { nameWithOwner } } ... on Release { repository { nameWithOwner } } \
    ... on RepositoryRuleset { source { ... on Repository { nameWithOwner } ... on Organization { login } } } \
    ... on IssueComment { issue { locked } } ... on PullRequestReviewComment { pullRequest { locked } } \
    ... on PullRequestReview { pullRequest { locked } } \
    ... on PullRequestReviewThread { repository { nameWithOwner } pullRequest { locked author { __typename login } } } \
    ... on DiscussionComment { discussion { locked repository { nameWithOwner } } } \
    ... on ProjectV2 { owner { ... on Organization { login } } } \
    ... on ProjectV2Item { project { owner { ... on Organization { login } } } } \
    ... on ProjectV2StatusUpdate { project { owner { ... on Organization { login } } } } \
    ... on ProjectV2Workflow { project { owner { ... on Organization { login } } } } } }";

/// Read the `data` of an answer.
/// Errors: what the errors inside mean; `upstream_error` when there is no data.
pub fn data(response: &Response, asker: Asker) -> Result<Value, Error> {
    let answer = response.json()?;
    let spent = response
        .headers
        .get("x-ratelimit-remaining")
        .is_some_and(|left| left.as_bytes() == b"0");
    let json = Json::new(&answer);
    if let Some(errors) = json.member("errors")? {
        for error in errors.array()? {
            let kind = error
                .member("type")?
                .map(|kind| kind.string())
                .transpose()?
                .unwrap_or_default();
            let message = error
                .member("message")?
                .map(|message| message.string())
                .transpose()?
                .unwrap_or_default();
            if let Some(failure) = meaning(kind, message, spent, asker) {
                return Err(failure);
            }
        }
    }
    let data = json
        .member("data")?
        .ok_or_else(|| Error::malformed("GitHub's GraphQL answer has no data"))?;
    if data.value().is_object() {
        Ok(data.value().clone())
    } else {
        Err(Error::malformed(
            "the data of GitHub's GraphQL answer is no object",
        ))
    }
}

/// External identities of the organization whose user name is `$email`, or a page of all of them. Read by `identity::saml`.
pub const ORGANIZATION_IDENTITIES: &str = "query($org: String!, $first: Int!, $after: String, $email: String) { organization(login: $org) { \
    samlIdentityProvider { externalIdentities(first: $first, after: $after, userName: $email) { nodes { user { login } \
    samlIdentity { nameId username emails { value } } scimIdentity { username emails { value } } } \
    pageInfo { hasNextPage endCursor } } } } }";

/// The same of an enterprise, by SAML or by OpenID Connect.
pub const ENTERPRISE_IDENTITIES: &str = "query($enterprise: String!, $first: Int!, $after: String, $email: String) { enterprise(slug: $enterprise) { ownerInfo { \
    samlIdentityProvider { externalIdentities(first: $first, after: $after, userName: $email) { ...identities } } \
    oidcProvider { externalIdentities(first: $first, after: $after, userName: $email) { ...identities } } } } } \
    fragment identities on ExternalIdentityConnection { nodes { user { login } \
    samlIdentity { nameId username emails { value } } scimIdentity { username emails { value } } } \
    pageInfo { hasNextPage endCursor } }";

/// A page of the organization's members with their verified e-mails in its verified domains. Read by `identity::saml`.
pub const MEMBERS: &str = "query($org: String!, $first: Int!, $after: String) { organization(login: $org) { \
    membersWithRole(first: $first, after: $after) { nodes { login organizationVerifiedDomainEmails(login: $org) } \
    pageInfo { hasNextPage endCursor } } } }";

/// What one error of an answer means; `None` when the data says it better.
fn meaning(kind: &str, message: &str, spent: bool, asker: Asker) -> Option<Error> {
    if kind == "RATE_LIMITED" || spent || names_a_rate_limit(message) {
        return Some(Error::coded(
            Code::UpstreamRateLimited,
            format!("GitHub limits how often {} may ask", asker.as_str()),
        ));
    }
    match (kind, asker) {
        ("NOT_FOUND", _) => None,
        ("FORBIDDEN" | "INSUFFICIENT_SCOPES", Asker::App) => Some(Error::coded(
            Code::CredentialRejected,
            "GitHub refuses the App this GraphQL read; grant organization Members: read",
        )),
        ("FORBIDDEN" | "INSUFFICIENT_SCOPES", Asker::Token) => Some(Error::coded(
            Code::NotConfigured,
            "the token may not make this GraphQL read; use an App, or an owner's classic token with `read:org`",
        )),
        (_, _) => Some(Error::malformed("GitHub's GraphQL answer holds an error")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors() {
        let code = |kind, message, spent, asker| {
            meaning(kind, message, spent, asker).map(|error| error.code())
        };
        assert_eq!(
            code("NOT_FOUND", "Could not resolve", false, Asker::App),
            None
        );
        assert_eq!(
            code("FORBIDDEN", "", false, Asker::App),
            Some(Code::CredentialRejected)
        );
        assert_eq!(
            code("INSUFFICIENT_SCOPES", "", false, Asker::Token),
            Some(Code::NotConfigured)
        );
        assert_eq!(
            code("RATE_LIMITED", "", false, Asker::App),
            Some(Code::UpstreamRateLimited)
        );
        assert_eq!(
            code(
                "FORBIDDEN",
                "exceeded a secondary rate limit",
                false,
                Asker::App
            ),
            Some(Code::UpstreamRateLimited)
        );
        assert_eq!(
            code("NOT_FOUND", "", true, Asker::App),
            Some(Code::UpstreamRateLimited)
        );
        assert_eq!(
            code("", "something", false, Asker::App),
            Some(Code::UpstreamError)
        );
    }
}
