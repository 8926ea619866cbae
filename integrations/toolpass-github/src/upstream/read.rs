//! Every read a decision may rest on: its address, and the permission toolpass needs for it.
//!
//! A read is a value, so the pure rules can ask for one and the edge can make it. One variant per endpoint.
//! Source: docs.github.com REST reference, the page named at each variant; read 2026-11-30.

use toolpass_http::path::PathBuilder;

use crate::resource::{Branch, Login, Repo, Slug};

/// One thing to read. The organization is the connection's.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Read {
    /// Repositories › Branches, "Get a branch".
    Branch(Repo, Branch),
    /// Repositories › Rules, "Get rules for a branch": active rules of every level; the branch need not exist.
    BranchRules(Repo, Branch),
    /// Commits › Commit comments, "Get a commit comment".
    CommitComment(Repo, u64),
    /// Organizations › Custom roles, "List custom repository roles in an organization".
    CustomRoles,
    /// Deployments › Environments, "Get an environment".
    Environment(Repo, String),
    /// Interactions › Repository, "Get interaction restrictions for a repository".
    InteractionLimits(Repo),
    /// Issues, "Get an issue".
    Issue(Repo, u64),
    /// Issues › Comments, "Get an issue comment".
    IssueComment(Repo, u64),
    /// GraphQL, `node(id:)`.
    Node(String),
    /// Organizations, "Get an organization".
    Organization,
    /// Organizations › Members, "Get organization membership for a user".
    OrgMembership(Login),
    /// Actions › Workflow runs, "Get pending deployments for a workflow run".
    PendingDeployments(Repo, u64),
    /// Collaborators, "Get repository permissions for a user": the highest role over every grant.
    Permission(Repo, Login),
    /// Branches › Protection, "Get branch protection".
    Protection(Repo, Branch),
    /// Pulls, "Get a pull request".
    Pull(Repo, u64),
    /// Pulls › Review comments, "Get a review comment for a pull request".
    PullComment(Repo, u64),
    /// Repositories, "Get a repository".
    Repository(Repo),
    /// Repositories, by the number of its id: the documented alias of the above.
    RepositoryById(u64),
    /// Pulls › Reviews, "Get a review for a pull request": pull request, review.
    Review(Repo, u64, u64),
    /// Repositories › Rules, "Get a repository ruleset".
    Ruleset(Repo, u64),
    /// Actions › Workflow runs, "Get a workflow run".
    Run(Repo, u64),
    /// Pulls › Stacks, "List pull request stacks": those with this pull request.
    Stacks(Repo, u64),
    /// Repositories › Rules, "Get all repository rulesets": those of every level that are about tags.
    TagRulesets(Repo),
    /// Teams, "Get a team by name".
    Team(Slug),
    /// Teams, "Get a team (Legacy)".
    TeamById(u64),
    /// Teams › Members, "Get team membership for a user": members of child teams count.
    TeamMembership(Slug, Login),
}

/// How a read is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// One REST record.
    One(PathBuilder, &'static [(&'static str, &'static str)]),
    /// A REST list, every page of it.
    List(PathBuilder, Vec<(&'static str, String)>),
    /// The GraphQL node of this id.
    Node(String),
}

impl Read {
    /// How it is asked of the GitHub that has `organization`.
    pub fn call(&self, organization: &Login) -> Call {
        let org = organization.as_str();
        let team = |slug: &Slug| PathBuilder::from(["orgs", org, "teams", slug.as_str()]);
        let one = |path: PathBuilder| Call::One(path, &[]);
        match self {
            Read::Branch(repo, branch) => one(of(repo).segments(["branches", branch.as_str()])),
            Read::BranchRules(repo, branch) => Call::List(
                of(repo).segments(["rules", "branches", branch.as_str()]),
                vec![("per_page", "100".into())],
            ),
            Read::CommitComment(repo, id) => {
                one(of(repo).segment("comments").segment(&id.to_string()))
            }
            Read::CustomRoles => one(["orgs", org, "custom-repository-roles"].into()),
            Read::Environment(repo, name) => {
                one(of(repo).segments(["environments", name.as_str()]))
            }
            Read::InteractionLimits(repo) => one(of(repo).segment("interaction-limits")),
            Read::Issue(repo, number) => {
                one(of(repo).segment("issues").segment(&number.to_string()))
            }
            Read::IssueComment(repo, id) => one(of(repo)
                .segments(["issues", "comments"])
                .segment(&id.to_string())),
            Read::Node(id) => Call::Node(id.clone()),
            Read::Organization => one(["orgs", org].into()),
            Read::OrgMembership(login) => one(["orgs", org, "memberships", login.as_str()].into()),
            Read::PendingDeployments(repo, run) => one(of(repo)
                .segments(["actions", "runs"])
                .segment(&run.to_string())
                .segment("pending_deployments")),
            Read::Permission(repo, login) => {
                one(of(repo).segments(["collaborators", login.as_str(), "permission"]))
            }
            Read::Protection(repo, branch) => {
                one(of(repo).segments(["branches", branch.as_str(), "protection"]))
            }
            Read::Pull(repo, number) => one(of(repo).segment("pulls").segment(&number.to_string())),
            Read::PullComment(repo, id) => one(of(repo)
                .segments(["pulls", "comments"])
                .segment(&id.to_string())),
            Read::Repository(repo) => one(of(repo)),
            Read::RepositoryById(id) => one(PathBuilder::new()
                .segment("repositories")
                .segment(&id.to_string())),
            Read::Review(repo, pull, id) => one(of(repo)
                .segment("pulls")
                .segment(&pull.to_string())
                .segment("reviews")
                .segment(&id.to_string())),
            Read::Ruleset(repo, id) => Call::One(
                of(repo).segment("rulesets").segment(&id.to_string()),
                &[("includes_parents", "true")],
            ),
            Read::Run(repo, run) => one(of(repo)
                .segments(["actions", "runs"])
                .segment(&run.to_string())),
            Read::Stacks(repo, pull) => Call::List(
                of(repo).segment("stacks"),
                vec![
                    ("per_page", "100".into()),
                    ("pull_request", pull.to_string()),
                ],
            ),
            Read::TagRulesets(repo) => Call::List(
                of(repo).segment("rulesets"),
                vec![
                    ("includes_parents", "true".into()),
                    ("per_page", "100".into()),
                    ("targets", "tag".into()),
                ],
            ),
            Read::Team(slug) => one(team(slug)),
            Read::TeamById(id) => one(PathBuilder::new().segment("teams").segment(&id.to_string())),
            Read::TeamMembership(slug, login) => {
                one(team(slug).segments(["memberships", login.as_str()]))
            }
        }
    }

    /// The permission toolpass's App or token needs for it, in GitHub's words.
    pub fn permission(&self) -> &'static str {
        match self {
            Read::Permission(..) => {
                "repository Metadata: read, and of a token's user write access to the repository"
            }
            Read::BranchRules(..)
            | Read::Repository(_)
            | Read::RepositoryById(_)
            | Read::Ruleset(..)
            | Read::TagRulesets(_) => "repository Metadata: read",
            Read::Protection(..) | Read::InteractionLimits(_) => "repository Administration: read",
            Read::Branch(..) | Read::CommitComment(..) => "repository Contents: read",
            Read::Issue(..) | Read::IssueComment(..) => "repository Issues: read",
            Read::Pull(..) | Read::PullComment(..) | Read::Review(..) | Read::Stacks(..) => {
                "repository Pull requests: read"
            }
            Read::Environment(..) | Read::PendingDeployments(..) | Read::Run(..) => {
                "repository Actions: read"
            }
            Read::CustomRoles => "organization Custom repository roles: read",
            Read::Organization => "organization Administration: read",
            Read::OrgMembership(_)
            | Read::Team(_)
            | Read::TeamById(_)
            | Read::TeamMembership(..) => "organization Members: read",
            Read::Node(_) => "read access to what the request names by its node id",
        }
    }
}

fn of(repo: &Repo) -> PathBuilder {
    PathBuilder::from(["repos", repo.owner.as_str(), repo.name()])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(read: Read) -> String {
        match read.call(&Login::parse("acme").unwrap()) {
            Call::One(path, _) | Call::List(path, _) => path.build().unwrap().to_owned(),
            Call::Node(id) => id,
        }
    }

    #[test]
    fn addresses() {
        let repo = Repo::parse("acme/shop").unwrap();
        let dana = Login::parse("dana").unwrap();
        assert_eq!(
            path(Read::Permission(repo.clone(), dana.clone())),
            "/repos/acme/shop/collaborators/dana/permission"
        );
        assert_eq!(
            path(Read::BranchRules(
                repo.clone(),
                Branch::parse("feature/x").unwrap()
            )),
            "/repos/acme/shop/rules/branches/feature%2Fx"
        );
        assert_eq!(
            path(Read::Environment(repo, "prod/../x y".into())),
            "/repos/acme/shop/environments/prod%2F..%2Fx%20y"
        );
        assert_eq!(
            path(Read::TeamMembership(Slug::parse("payments").unwrap(), dana)),
            "/orgs/acme/teams/payments/memberships/dana"
        );
    }
}
