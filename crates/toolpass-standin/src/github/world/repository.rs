//! A repository: its settings, who may do what, its branches and rules, its conversations.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A repository.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Repository {
    /// The numeric id.
    pub id: u64,
    /// `public`, `private` or `internal`.
    pub visibility: String,
    /// What it is for.
    pub description: Option<String>,
    /// Read-only for everyone.
    pub archived: bool,
    /// Switched off by GitHub.
    pub disabled: bool,
    /// Whether it is a template.
    pub is_template: bool,
    /// Whether issues are on.
    pub has_issues: bool,
    /// Whether pull requests are on.
    pub has_pull_requests: bool,
    /// `all` or `collaborators_only`.
    pub pull_request_creation_policy: String,
    /// Whether it may be forked.
    pub allow_forking: bool,
    /// Members of the record that are left out of every answer, as an older server or a weak credential would have it.
    pub omit: BTreeSet<String>,
    /// The branch clones start with.
    pub default_branch: String,
    /// The names (`owner/name`) it had, which still redirect.
    pub former_names: BTreeSet<String>,
    /// Roles by login: `pull` or `read`, `triage`, `push` or `write`, `maintain`, `admin`, or a custom role's name.
    pub collaborators: BTreeMap<String, String>,
    /// Branches by name.
    pub branches: BTreeMap<String, Branch>,
    /// Rulesets by id.
    pub rulesets: BTreeMap<u64, Ruleset>,
    /// Issues by number; they share numbers with `pulls`.
    pub issues: BTreeMap<u64, Issue>,
    /// Pull requests by number.
    pub pulls: BTreeMap<u64, Pull>,
    /// Comments by id, of issues, pull requests, reviews and commits.
    pub comments: BTreeMap<u64, Comment>,
    /// Reviews by id.
    pub reviews: BTreeMap<u64, Review>,
    /// Environments by name.
    pub environments: BTreeMap<String, Environment>,
    /// Workflow runs by id.
    pub runs: BTreeMap<u64, Run>,
    /// `existing_users`, `contributors_only` or `collaborators_only`.
    pub interaction_limit: Option<String>,
}

/// A branch.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Branch {
    /// The commit; given when absent.
    pub sha: String,
    /// Text files by path.
    pub files: BTreeMap<String, String>,
    /// Classic protection.
    pub protection: Option<Protection>,
}

/// Classic branch protection. An absent switch is not in the answer.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Protection {
    /// Whether administrators are bound.
    pub enforce_admins: Option<bool>,
    /// Required reviews.
    pub required_pull_request_reviews: Option<RequiredReviews>,
    /// Who may push at all.
    pub restrictions: Option<Actors>,
    /// Required status checks by context.
    pub required_status_checks: Option<Vec<String>>,
    /// Read-only.
    pub lock_branch: Option<bool>,
    /// Whether it may be deleted.
    pub allow_deletions: Option<bool>,
    /// Whether it may be force-pushed.
    pub allow_force_pushes: Option<bool>,
    /// Whether creation is restricted.
    pub block_creations: Option<bool>,
    /// Whether commits must be signed.
    pub required_signatures: Option<bool>,
    /// Whether history must be linear.
    pub required_linear_history: Option<bool>,
}

/// Required reviews of a protected branch.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RequiredReviews {
    /// How many approvals.
    pub required_approving_review_count: u64,
    /// Who may dismiss one.
    pub dismissal_restrictions: Option<Actors>,
    /// Who may do without.
    pub bypass_pull_request_allowances: Option<Actors>,
}

/// People, teams and Apps.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Actors {
    /// Logins.
    pub users: Vec<String>,
    /// Slugs.
    pub teams: Vec<String>,
    /// Slugs.
    pub apps: Vec<String>,
}

/// A ruleset for branches.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ruleset {
    /// Its name.
    pub name: String,
    /// `active`, `evaluate` or `disabled`.
    pub enforcement: String,
    /// Patterns of refs: `~ALL`, `~DEFAULT_BRANCH`, `refs/heads/release/*`.
    pub include: Vec<String>,
    /// Patterns of refs it does not hold for.
    pub exclude: Vec<String>,
    /// Rules as the vendor writes them: `{"type": "pull_request", "parameters": {...}}`.
    pub rules: Vec<Value>,
    /// Who may bypass, as the vendor writes it: `{"actor_id": 5, "actor_type": "RepositoryRole", "bypass_mode": "always"}`.
    pub bypass_actors: Vec<Value>,
}

/// An issue.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Issue {
    /// Its title.
    pub title: String,
    /// Its text.
    pub body: Option<String>,
    /// Who opened it.
    pub author: String,
    /// `open` or `closed`.
    pub state: String,
    /// Whether its conversation is locked.
    pub locked: bool,
    /// Labels by name.
    pub labels: BTreeSet<String>,
    /// Logins.
    pub assignees: BTreeSet<String>,
}

/// A pull request.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Pull {
    /// Its title.
    pub title: String,
    /// Its text.
    pub body: Option<String>,
    /// Who opened it.
    pub author: String,
    /// `open` or `closed`.
    pub state: String,
    /// Whether its conversation is locked.
    pub locked: bool,
    /// Labels by name.
    pub labels: BTreeSet<String>,
    /// Logins.
    pub assignees: BTreeSet<String>,
    /// Whether it is a draft.
    pub draft: bool,
    /// Whether it was merged.
    pub merged: bool,
    /// `clean`, `blocked`, `draft`, `dirty`, `unknown`, ...
    pub mergeable_state: String,
    /// The branch to merge into.
    pub base: String,
    /// The branch to merge.
    pub head: String,
    /// The repository of `head`, `owner/name`; this one when absent.
    pub head_repository: Option<String>,
}

/// A comment.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Comment {
    /// What it is a comment on.
    pub on: CommentOn,
    /// The issue's or pull request's number; none on a commit.
    pub number: u64,
    /// The commit, on commits.
    pub commit: Option<String>,
    /// Who wrote it.
    pub author: String,
    /// What it says.
    pub body: String,
}

/// What a comment is on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommentOn {
    /// A commit.
    Commit,
    /// The diff of a pull request.
    Diff,
    /// The conversation of an issue or pull request.
    #[default]
    Issue,
}

/// A review of a pull request.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Review {
    /// The pull request.
    pub number: u64,
    /// Who wrote it.
    pub author: String,
    /// What it says.
    pub body: String,
    /// `PENDING`, `COMMENTED`, `APPROVED`, `CHANGES_REQUESTED` or `DISMISSED`.
    pub state: String,
}

/// A deployment environment.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Environment {
    /// The numeric id.
    pub id: u64,
    /// Required reviewers: logins and slugs.
    pub reviewers: Option<Actors>,
    /// Whether one may not approve one's own run.
    pub prevent_self_review: bool,
}

/// A workflow run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Run {
    /// Who started it.
    pub actor: String,
    /// The branch it runs on.
    pub head_branch: String,
    /// The environments it waits for, by name.
    pub waiting_for: Vec<String>,
}

impl Repository {
    /// The next number for an issue or a pull request.
    pub(in crate::github) fn next_number(&self) -> u64 {
        self.issues
            .keys()
            .chain(self.pulls.keys())
            .max()
            .map_or(1, |last| last + 1)
    }
}

impl Default for Repository {
    fn default() -> Repository {
        Repository {
            id: 0,
            visibility: "private".to_owned(),
            description: None,
            archived: false,
            disabled: false,
            is_template: false,
            has_issues: true,
            has_pull_requests: true,
            pull_request_creation_policy: "all".to_owned(),
            allow_forking: false,
            omit: BTreeSet::new(),
            default_branch: "main".to_owned(),
            former_names: BTreeSet::new(),
            collaborators: BTreeMap::new(),
            branches: BTreeMap::new(),
            rulesets: BTreeMap::new(),
            issues: BTreeMap::new(),
            pulls: BTreeMap::new(),
            comments: BTreeMap::new(),
            reviews: BTreeMap::new(),
            environments: BTreeMap::new(),
            runs: BTreeMap::new(),
            interaction_limit: None,
        }
    }
}

impl Default for Ruleset {
    fn default() -> Ruleset {
        Ruleset {
            name: "ruleset".to_owned(),
            enforcement: "active".to_owned(),
            include: vec!["~DEFAULT_BRANCH".to_owned()],
            exclude: Vec::new(),
            rules: Vec::new(),
            bypass_actors: Vec::new(),
        }
    }
}

impl Default for Issue {
    fn default() -> Issue {
        Issue {
            title: "an issue".to_owned(),
            body: None,
            author: String::new(),
            state: "open".to_owned(),
            locked: false,
            labels: BTreeSet::new(),
            assignees: BTreeSet::new(),
        }
    }
}

impl Default for Pull {
    fn default() -> Pull {
        Pull {
            title: "a pull request".to_owned(),
            body: None,
            author: String::new(),
            state: "open".to_owned(),
            locked: false,
            labels: BTreeSet::new(),
            assignees: BTreeSet::new(),
            draft: false,
            merged: false,
            mergeable_state: "clean".to_owned(),
            base: "main".to_owned(),
            head: "feature".to_owned(),
            head_repository: None,
        }
    }
}
