//! What an observed request says besides its resource, and what the rules take it to mean.
//!
//! The one agreement between the route table, which writes these, and the rules, which read them: the names are the
//! constants below, the values a closed grammar. Separate so that both sides fail together.
//! INVARIANT: a fact that is not known, not well formed, or not for the action is never ignored: the question is
//! `unsupported`.

use toolpass_core::question::Facts;
use toolpass_integration::failure::Failure;

use crate::actions::Action;
use crate::resource::{Branch, Kind, Login, Repo};

/// The request is also open to the one who wrote the subject, with plain read.
pub const AUTHOR_OF: &str = "author_of";
/// `1`: the subject is opened again, which its author may only when they closed it themselves.
pub const REOPENS: &str = "reopens";
/// A comment on the subject: a locked conversation needs push.
pub const LOCKED_OF: &str = "locked_of";
/// A reaction to the subject: a locked conversation takes none.
pub const REACTION_ON: &str = "reaction_on";
/// `1`: changes something though the action is a read.
pub const WRITES: &str = "writes";
/// The pull request that is merged: its base is the branch.
pub const BASE_OF_PULL: &str = "base_of_pull";
/// `1`: GitHub merges once everything that is required is met, whatever the state is now.
pub const WHEN_READY: &str = "when_ready";
/// The number of a pull request that is merged with all that are stacked below it.
pub const STACK_OF_PULL: &str = "stack_of_pull";
/// The pull request whose head branch is pushed to.
pub const HEAD_OF_PULL: &str = "head_of_pull";
/// `1`: the repository's default branch is meant.
pub const DEFAULT_BRANCH: &str = "default_branch";
/// What happens to the branch: see [`RefOperation`].
pub const REF_OPERATION: &str = "ref_operation";
/// The branch that is renamed.
pub const RENAME_BRANCH: &str = "rename_branch";
/// `<run id>/<environment id>[,<environment id>…]`: the deployments that are approved or rejected.
pub const REVIEWERS_OF: &str = "reviewers_of";
/// The pull request that is approved or sent back.
pub const APPROVES_PULL: &str = "approves_pull";
/// The pull request of which a review is dismissed.
pub const DISMISSES_REVIEW: &str = "dismisses_review";
/// `1`: the pull request's head is in the same repository.
pub const HEAD_SAME_REPO: &str = "head_same_repo";
/// `node/<id>`: the repository of the pull request's head, which may be the same one.
pub const HEAD_REPO: &str = "head_repo";
/// `1`: the repository is copied.
pub const FORKS: &str = "forks";
/// `1`: open on an archived repository too.
pub const ARCHIVED_OK: &str = "archived_ok";
/// What owners may have reserved for themselves: see [`Switch`].
pub const ORGANIZATION_SWITCH: &str = "organization_switch";
/// The login that becomes a collaborator: whoever is no member is an outsider, whom owners may keep out.
pub const INVITES: &str = "invites";
/// The tag that is changed as `ref_operation` says; with `run` it comes to be.
pub const TAG: &str = "tag";
/// The collaborator who is removed: may be the user.
pub const COLLABORATOR_SELF: &str = "collaborator_self";
/// `1`: asks for admin on GitHub Enterprise Server.
pub const ADMIN_ON_GHES: &str = "admin_on_ghes";
/// `1`: others may hold the right through something that cannot be read.
pub const DELEGABLE: &str = "delegable";
/// Fine-grained permissions of custom roles, any of which grants it.
pub const CUSTOM_PERMISSION: &str = "custom_permission";
/// The kind of repository that is created.
pub const VISIBILITY: &str = "visibility";
/// `1`: only sees the team.
pub const TEAM_SIGHT: &str = "team_sight";
/// The login that is put into the team.
pub const TEAM_ADD_MEMBER: &str = "team_add_member";
/// The role it gets there.
pub const TEAM_ADD_ROLE: &str = "team_add_role";
/// A repository whose administrators may do it too.
pub const OR_ADMIN_OF: &str = "or_admin_of";

/// The facts of one question, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Circumstances {
    /// See [`AUTHOR_OF`].
    pub author_of: Option<Subject>,
    /// See [`REOPENS`].
    pub reopens: bool,
    /// See [`LOCKED_OF`].
    pub locked_of: Option<Subject>,
    /// See [`REACTION_ON`].
    pub reaction_on: Option<Subject>,
    /// See [`WRITES`]; implied by the three above.
    pub writes: bool,
    /// See [`BASE_OF_PULL`].
    pub base_of_pull: Option<Subject>,
    /// See [`WHEN_READY`].
    pub when_ready: bool,
    /// See [`STACK_OF_PULL`].
    pub stack_of_pull: Option<u64>,
    /// See [`HEAD_OF_PULL`].
    pub head_of_pull: Option<Subject>,
    /// See [`DEFAULT_BRANCH`].
    pub default_branch: bool,
    /// See [`REF_OPERATION`].
    pub ref_operation: RefOperation,
    /// See [`RENAME_BRANCH`].
    pub rename_branch: Option<Branch>,
    /// See [`REVIEWERS_OF`].
    pub reviewers_of: Option<Deployments>,
    /// See [`APPROVES_PULL`].
    pub approves_pull: Option<Subject>,
    /// See [`DISMISSES_REVIEW`].
    pub dismisses_review: Option<Subject>,
    /// See [`HEAD_SAME_REPO`].
    pub head_same_repo: bool,
    /// See [`HEAD_REPO`].
    pub head_repo: Option<Subject>,
    /// See [`FORKS`].
    pub forks: bool,
    /// See [`ARCHIVED_OK`].
    pub archived_ok: bool,
    /// See [`ORGANIZATION_SWITCH`].
    pub organization_switch: Option<Switch>,
    /// See [`INVITES`].
    pub invites: Option<Login>,
    /// See [`TAG`].
    pub tag: Option<Branch>,
    /// See [`COLLABORATOR_SELF`].
    pub collaborator_self: Option<Login>,
    /// See [`ADMIN_ON_GHES`].
    pub admin_on_ghes: bool,
    /// See [`DELEGABLE`].
    pub delegable: bool,
    /// See [`CUSTOM_PERMISSION`].
    pub custom_permissions: Vec<String>,
    /// See [`VISIBILITY`].
    pub visibility: Option<Kind>,
    /// See [`TEAM_SIGHT`].
    pub team_sight: bool,
    /// See [`TEAM_ADD_MEMBER`].
    pub team_add_member: Option<Login>,
    /// See [`TEAM_ADD_ROLE`].
    pub team_add_maintainer: bool,
    /// See [`OR_ADMIN_OF`].
    pub or_admin_of: Option<Repo>,
}

/// Something with an author, named as the request names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// `commit_comment/<id>`.
    CommitComment(u64),
    /// `issue/<number>`.
    Issue(u64),
    /// `issue_comment/<id>`.
    IssueComment(u64),
    /// `node/<id>`: by its id in GraphQL.
    Node(String),
    /// `pull/<number>`.
    Pull(u64),
    /// `pull_comment/<id>`.
    PullComment(u64),
    /// `review/<pull>/<id>`.
    Review(u64, u64),
}

/// Environments of one run that wait for a reviewer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deployments {
    /// The workflow run.
    pub run: u64,
    /// The environments by id.
    pub environments: Vec<u64>,
}

/// What happens to a branch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RefOperation {
    /// It comes to be.
    Create,
    /// It goes.
    Delete,
    /// It is moved to commits that do not follow.
    Force,
    /// Another branch is merged into it, not through a pull request.
    Merge,
    /// It is only run or read.
    Run,
    /// It gets new commits.
    #[default]
    Update,
}

/// What owners may have reserved for themselves, each by a field of the organization's record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// Creating teams.
    CreateTeams,
    /// Deleting a repository.
    Delete,
    /// Deleting an issue.
    DeleteIssues,
    /// Opening a discussion with read only.
    Discussions,
    /// Publishing a site.
    Pages,
    /// Transferring a repository: the same field as deleting.
    Transfer,
    /// Changing who sees a repository.
    Visibility,
}

impl Circumstances {
    /// Read the facts of a question about `action`.
    /// Errors: `unsupported`, naming the fact.
    pub fn read(action: Action, facts: &Facts) -> Result<Circumstances, Failure> {
        let mut read = Circumstances::default();
        for (name, value) in facts {
            if !is_for(name, action) {
                return Err(Failure::unsupported(format!(
                    "the request's fact `{name}` has no meaning for `{}`",
                    action.name()
                )));
            }
            read.take(name, value).ok_or_else(|| {
                Failure::unsupported(format!("the request's fact `{name}` cannot be read"))
            })?;
        }
        read.writes |=
            read.author_of.is_some() || read.locked_of.is_some() || read.reaction_on.is_some();
        Ok(read)
    }

    /// Take one fact; `None` when it is unknown or malformed.
    fn take(&mut self, name: &str, value: &str) -> Option<()> {
        match name {
            AUTHOR_OF => self.author_of = Some(Subject::parse(value)?),
            REOPENS => self.reopens = set(value)?,
            LOCKED_OF => self.locked_of = Some(Subject::parse(value)?),
            REACTION_ON => self.reaction_on = Some(Subject::parse(value)?),
            WRITES => self.writes = set(value)?,
            BASE_OF_PULL => self.base_of_pull = Some(pull(value)?),
            WHEN_READY => self.when_ready = set(value)?,
            STACK_OF_PULL => self.stack_of_pull = Some(number(value)?),
            HEAD_OF_PULL => self.head_of_pull = Some(pull(value)?),
            DEFAULT_BRANCH => self.default_branch = set(value)?,
            REF_OPERATION => self.ref_operation = RefOperation::parse(value)?,
            RENAME_BRANCH => self.rename_branch = Some(Branch::parse(value)?),
            REVIEWERS_OF => self.reviewers_of = Some(Deployments::parse(value)?),
            APPROVES_PULL => self.approves_pull = Some(pull(value)?),
            DISMISSES_REVIEW => self.dismisses_review = Some(pull(value)?),
            HEAD_SAME_REPO => self.head_same_repo = set(value)?,
            HEAD_REPO => {
                self.head_repo = Some(Subject::Node(node_id(value.strip_prefix("node/")?)?))
            }
            FORKS => self.forks = set(value)?,
            ARCHIVED_OK => self.archived_ok = set(value)?,
            ORGANIZATION_SWITCH => self.organization_switch = Some(Switch::parse(value)?),
            INVITES => self.invites = Some(Login::parse(value)?),
            TAG => self.tag = Some(Branch::parse(value)?),
            COLLABORATOR_SELF => self.collaborator_self = Some(Login::parse(value)?),
            ADMIN_ON_GHES => self.admin_on_ghes = set(value)?,
            DELEGABLE => self.delegable = set(value)?,
            CUSTOM_PERMISSION => self.custom_permissions = names(value)?,
            VISIBILITY => self.visibility = Some(Kind::parse(value)?),
            TEAM_SIGHT => self.team_sight = set(value)?,
            TEAM_ADD_MEMBER => self.team_add_member = Some(Login::parse(value)?),
            TEAM_ADD_ROLE => {
                self.team_add_maintainer = ["member", "maintainer"]
                    .iter()
                    .position(|role| *role == value)?
                    == 1
            }
            OR_ADMIN_OF => self.or_admin_of = Some(Repo::parse(value)?),
            _ => return None,
        }
        Some(())
    }
}

impl Subject {
    /// Read a subject.
    pub fn parse(text: &str) -> Option<Subject> {
        let (kind, id) = text.split_once('/')?;
        match kind {
            "commit_comment" => number(id).map(Subject::CommitComment),
            "issue" => number(id).map(Subject::Issue),
            "issue_comment" => number(id).map(Subject::IssueComment),
            "node" => node_id(id).map(Subject::Node),
            "pull" => number(id).map(Subject::Pull),
            "pull_comment" => number(id).map(Subject::PullComment),
            "review" => {
                let (pull, id) = id.split_once('/')?;
                Some(Subject::Review(number(pull)?, number(id)?))
            }
            _ => None,
        }
    }
}

impl Deployments {
    fn parse(text: &str) -> Option<Deployments> {
        let (run, environments) = text.split_once('/')?;
        let environments: Vec<u64> = environments.split(',').map(number).collect::<Option<_>>()?;
        Some(Deployments {
            run: number(run)?,
            environments,
        })
    }
}

impl RefOperation {
    fn parse(text: &str) -> Option<RefOperation> {
        match text {
            "create" => Some(RefOperation::Create),
            "delete" => Some(RefOperation::Delete),
            "force" => Some(RefOperation::Force),
            "merge" => Some(RefOperation::Merge),
            "run" => Some(RefOperation::Run),
            "update" => Some(RefOperation::Update),
            _ => None,
        }
    }
}

impl Switch {
    fn parse(text: &str) -> Option<Switch> {
        match text {
            "create_teams" => Some(Switch::CreateTeams),
            "delete" => Some(Switch::Delete),
            "delete_issues" => Some(Switch::DeleteIssues),
            "discussions" => Some(Switch::Discussions),
            "pages" => Some(Switch::Pages),
            "transfer" => Some(Switch::Transfer),
            "visibility" => Some(Switch::Visibility),
            _ => None,
        }
    }
}

/// A node id as a request carried it: opaque to us, so only its shape is looked at.
pub fn node_id(text: &str) -> Option<String> {
    let fits = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'=' | b'+' | b'/');
    ((1..=256).contains(&text.len()) && text.bytes().all(fits)).then(|| text.to_owned())
}

/// A positive whole number in plain decimal digits.
pub fn number(text: &str) -> Option<u64> {
    let plain = !text.starts_with('0') && text.bytes().all(|b| b.is_ascii_digit());
    if plain { text.parse().ok() } else { None }
}

fn is_for(name: &str, action: Action) -> bool {
    let (on, repo) = (action.spec().on, ["repo"].as_slice());
    match name {
        AUTHOR_OF | ARCHIVED_OK | CUSTOM_PERMISSION => on == repo,
        LOCKED_OF | REACTION_ON | WRITES | FORKS | REVIEWERS_OF => action == Action::RepoRead,
        REOPENS => matches!(action, Action::RepoTriage | Action::RepoPush),
        BASE_OF_PULL | STACK_OF_PULL | WHEN_READY => action == Action::PrMerge,
        DEFAULT_BRANCH => matches!(action, Action::RepoPush | Action::PrMerge),
        HEAD_OF_PULL | REF_OPERATION | RENAME_BRANCH | APPROVES_PULL | DISMISSES_REVIEW
        | ADMIN_ON_GHES => action == Action::RepoPush,
        HEAD_REPO | HEAD_SAME_REPO => action == Action::PrCreate,
        TAG => action == Action::RepoPush,
        COLLABORATOR_SELF | INVITES => action == Action::RepoAdmin,
        ORGANIZATION_SWITCH => matches!(
            action,
            Action::RepoRead | Action::RepoMaintain | Action::RepoAdmin | Action::OrgAdmin
        ),
        DELEGABLE => matches!(action, Action::RepoAdmin | Action::OrgAdmin),
        VISIBILITY => action == Action::OrgRepoCreate,
        TEAM_SIGHT => action == Action::TeamMember,
        TEAM_ADD_MEMBER | TEAM_ADD_ROLE | OR_ADMIN_OF => action == Action::TeamMaintainer,
        _ => false,
    }
}

fn set(text: &str) -> Option<bool> {
    (text == "1").then_some(true)
}

fn pull(text: &str) -> Option<Subject> {
    match text.strip_prefix("node/") {
        Some(id) => node_id(id).map(Subject::Node),
        None => number(text).map(Subject::Pull),
    }
}

fn names(text: &str) -> Option<Vec<String>> {
    let named = |name: &str| {
        !name.is_empty()
            && name
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
    };
    text.split(',')
        .map(|name| named(name).then(|| name.to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(action: Action, pairs: &[(&str, &str)]) -> Result<Circumstances, Failure> {
        Circumstances::read(
            action,
            &pairs
                .iter()
                .map(|(name, value)| (name.to_string(), value.to_string()))
                .collect(),
        )
    }

    #[test]
    fn subjects() {
        assert_eq!(Subject::parse("review/7/9"), Some(Subject::Review(7, 9)));
        assert_eq!(
            Subject::parse("node/I_kwDO/+x="),
            Some(Subject::Node("I_kwDO/+x=".into()))
        );
        for bad in [
            "issue/0",
            "issue/01",
            "issue/",
            "issue/+1",
            "issue/1/2",
            "review/7",
            "node/",
            "node/a b",
            "gist/1",
            "1",
        ] {
            assert_eq!(Subject::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_fact_that_is_not_understood_is_never_ignored() {
        assert!(read(Action::RepoRead, &[("no_such_fact", "1")]).is_err());
        assert!(read(Action::RepoRead, &[(WRITES, "true")]).is_err());
        assert!(read(Action::OrgMember, &[(AUTHOR_OF, "issue/1")]).is_err());
        assert!(read(Action::RepoPush, &[(REF_OPERATION, "rewrite")]).is_err());
        assert!(read(Action::OrgAdmin, &[(ORGANIZATION_SWITCH, "create_teams")]).is_ok());
    }

    #[test]
    fn what_acts_on_a_subject_writes() {
        for name in [AUTHOR_OF, LOCKED_OF, REACTION_ON] {
            assert!(
                read(Action::RepoRead, &[(name, "issue/1")]).unwrap().writes,
                "{name}"
            );
        }
        assert!(!read(Action::RepoRead, &[]).unwrap().writes);
    }
}
