//! What the stand-in GitHub consists of: plain data, in Rust and in JSON world files.
//!
//! Everything is keyed by its name, so that a merge patch can change one grant. A member that is left out has GitHub's own default;
//! missing ids are given by [`GithubWorld::complete`]. Sizes of answers, not rules, live elsewhere in this folder.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A GitHub with its accounts, organizations, repositories and credentials.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GithubWorld {
    /// The one App.
    pub app: App,
    /// Organizations by login.
    pub organizations: BTreeMap<String, Organization>,
    /// Accounts by login; those only mentioned elsewhere are added.
    pub users: BTreeMap<String, Account>,
    /// Tokens that exist from the start, by their value.
    pub tokens: BTreeMap<String, StaticToken>,
    /// Repositories by `owner/name`.
    pub repositories: BTreeMap<String, Repository>,
    /// How long a minted installation token lives; not positive: it is born expired. GitHub's is an hour.
    pub token_life_seconds: Option<i64>,
}

/// A GitHub App.
#[derive(Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct App {
    /// The App id.
    pub id: u64,
    /// The client id, the other accepted issuer.
    pub client_id: String,
    /// The name in URLs.
    pub slug: String,
    /// The shown name.
    pub name: String,
    /// Its key: `RSA PRIVATE KEY`, `PRIVATE KEY` or `PUBLIC KEY`, as PEM. The public half verifies.
    pub key: String,
}

/// An account.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Account {
    /// The numeric id.
    pub id: u64,
    /// `User` or `Bot`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The public name.
    pub name: Option<String>,
    /// The public e-mail.
    pub email: Option<String>,
    /// When it was suspended, as the vendor writes times.
    pub suspended_at: Option<String>,
}

/// An organization.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Organization {
    /// The numeric id.
    pub id: u64,
    /// What every member may do on every repository: `none`, `read`, `write` or `admin`.
    pub default_repository_permission: String,
    /// The `members_can_...` members of the record, and others that are true or false. One left out is not in the answer.
    pub flags: BTreeMap<String, bool>,
    /// The App's installation; absent: not installed.
    pub installation: Option<Installation>,
    /// Memberships by login. Roles: `member`, `admin`.
    pub members: BTreeMap<String, Membership>,
    /// Teams by slug.
    pub teams: BTreeMap<String, Team>,
    /// Custom repository roles by name.
    pub custom_roles: BTreeMap<String, CustomRole>,
    /// Rulesets by id that hold for every repository.
    pub rulesets: BTreeMap<u64, Ruleset>,
    /// The SAML identity provider; absent: none.
    pub saml: Option<SamlProvider>,
}

/// An App in an organization.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Installation {
    /// The installation id.
    pub id: u64,
    /// `read`, `write` or `admin` by permission, such as `members`.
    pub permissions: BTreeMap<String, String>,
    /// The chosen repositories as `owner/name`; absent: all.
    pub repositories: Option<BTreeSet<String>>,
    /// When it was suspended.
    pub suspended_at: Option<String>,
}

/// Somebody's place in an organization or a team.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Membership {
    /// `active` or `pending`.
    pub state: String,
    /// `member`, or `admin` in an organization, `maintainer` in a team.
    pub role: String,
}

/// A team.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Team {
    /// The numeric id.
    pub id: u64,
    /// The shown name; the slug when absent.
    pub name: Option<String>,
    /// `closed` or `secret`.
    pub privacy: String,
    /// The parent's slug.
    pub parent: Option<String>,
    /// Memberships by login. Roles: `member`, `maintainer`.
    pub members: BTreeMap<String, Membership>,
    /// Roles by repository, `owner/name`.
    pub repositories: BTreeMap<String, String>,
}

/// A custom repository role.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CustomRole {
    /// The numeric id.
    pub id: u64,
    /// `read`, `triage`, `write` or `maintain`.
    pub base_role: String,
    /// The added permissions.
    pub permissions: Vec<String>,
}

/// Who is who at the identity provider.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SamlProvider {
    /// In the order GitHub pages them.
    pub identities: Vec<ExternalIdentity>,
    /// Whether the `userName` filter is ignored and everything answered, as a filter that is not to be trusted might.
    pub ignore_filter: bool,
}

/// One person at the identity provider.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExternalIdentity {
    /// The linked account; absent: not linked yet.
    pub login: Option<String>,
    /// The SAML NameID.
    pub name_id: Option<String>,
    /// The SAML user name.
    pub username: Option<String>,
    /// The SCIM user name.
    pub scim_username: Option<String>,
}

/// A token that exists from the start.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StaticToken {
    /// What sort it is.
    pub kind: TokenKind,
    /// Its user, or for an installation token its organization.
    pub owner: String,
    /// Of a classic token: its scopes, such as `repo`.
    pub scopes: BTreeSet<String>,
    /// Of the others: `read`, `write` or `admin` by permission. `*` stands for those not listed.
    pub permissions: BTreeMap<String, String>,
    /// Whether it was revoked.
    pub revoked: bool,
    /// Whether it has expired.
    pub expired: bool,
}

/// The sorts of tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenKind {
    /// A personal access token (classic).
    #[default]
    Classic,
    /// A fine-grained personal access token.
    FineGrained,
    /// An App's installation token.
    Installation,
}

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

impl GithubWorld {
    /// Give ids, commits and accounts to what has none, so that answers can name them.
    pub(super) fn complete(&mut self) {
        let mut logins: BTreeSet<String> = self
            .tokens
            .values()
            .filter(|t| t.kind != TokenKind::Installation)
            .map(|t| t.owner.clone())
            .collect();
        for organization in self.organizations.values() {
            logins.extend(organization.members.keys().cloned());
            logins.extend(
                organization
                    .teams
                    .values()
                    .flat_map(|team| team.members.keys().cloned()),
            );
            logins.extend(
                organization
                    .saml
                    .iter()
                    .flat_map(|saml| saml.identities.iter().filter_map(|one| one.login.clone())),
            );
        }
        for repository in self.repositories.values() {
            logins.extend(repository.collaborators.keys().cloned());
            logins.extend(repository.issues.values().map(|issue| issue.author.clone()));
            logins.extend(repository.pulls.values().map(|pull| pull.author.clone()));
            logins.extend(
                repository
                    .comments
                    .values()
                    .map(|comment| comment.author.clone()),
            );
            logins.extend(
                repository
                    .reviews
                    .values()
                    .map(|review| review.author.clone()),
            );
        }
        for login in logins {
            if !login.is_empty() && !self.organizations.contains_key(&login) {
                self.users.entry(login).or_default();
            }
        }
        number(
            FIRST_USER_ID,
            self.users.values_mut().map(|user| &mut user.id),
        );
        number(
            FIRST_ORGANIZATION_ID,
            self.organizations
                .values_mut()
                .map(|organization| &mut organization.id),
        );
        number(
            FIRST_TEAM_ID,
            self.organizations
                .values_mut()
                .flat_map(|o| o.teams.values_mut())
                .map(|team| &mut team.id),
        );
        number(
            FIRST_ROLE_ID,
            self.organizations
                .values_mut()
                .flat_map(|o| o.custom_roles.values_mut())
                .map(|role| &mut role.id),
        );
        number(
            FIRST_INSTALLATION_ID,
            self.organizations
                .values_mut()
                .filter_map(|o| o.installation.as_mut())
                .map(|i| &mut i.id),
        );
        number(
            FIRST_REPOSITORY_ID,
            self.repositories
                .values_mut()
                .map(|repository| &mut repository.id),
        );
        number(
            FIRST_ENVIRONMENT_ID,
            self.repositories
                .values_mut()
                .flat_map(|r| r.environments.values_mut())
                .map(|e| &mut e.id),
        );
        for (name, repository) in &mut self.repositories {
            let default = repository.default_branch.clone();
            repository.branches.entry(default).or_default();
            for (branch, record) in &mut repository.branches {
                if record.sha.is_empty() {
                    record.sha = sha1_hex(format!("{name}@{branch}").as_bytes());
                }
            }
        }
    }
}

impl Repository {
    /// The next number for an issue or a pull request.
    pub(super) fn next_number(&self) -> u64 {
        self.issues
            .keys()
            .chain(self.pulls.keys())
            .max()
            .map_or(1, |last| last + 1)
    }
}

/// Give the zeros among `ids` numbers from `first` on that no other has.
fn number<'a>(first: u64, ids: impl Iterator<Item = &'a mut u64>) {
    let all: Vec<&mut u64> = ids.collect();
    let mut taken: BTreeSet<u64> = all.iter().map(|id| **id).collect();
    let mut next = first;
    for id in all {
        if *id != 0 {
            continue;
        }
        while !taken.insert(next) {
            next += 1;
        }
        *id = next;
    }
}

/// The SHA-1 of some bytes as 40 hexadecimal digits: what git calls things by.
pub(super) fn sha1_hex(bytes: &[u8]) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA1_FOR_LEGACY_USE_ONLY, bytes);
    digest
        .as_ref()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

impl Default for App {
    fn default() -> App {
        App {
            id: 777,
            client_id: "Iv23standinclient".to_owned(),
            slug: "toolpass-standin".to_owned(),
            name: "Toolpass stand-in".to_owned(),
            key: APP_KEY.to_owned(),
        }
    }
}

impl Default for Account {
    fn default() -> Account {
        Account {
            id: 0,
            kind: "User".to_owned(),
            name: None,
            email: None,
            suspended_at: None,
        }
    }
}

impl Default for Organization {
    fn default() -> Organization {
        Organization {
            id: 0,
            default_repository_permission: "none".to_owned(),
            flags: BTreeMap::new(),
            installation: None,
            members: BTreeMap::new(),
            teams: BTreeMap::new(),
            custom_roles: BTreeMap::new(),
            rulesets: BTreeMap::new(),
            saml: None,
        }
    }
}

impl Default for Membership {
    fn default() -> Membership {
        Membership {
            state: "active".to_owned(),
            role: "member".to_owned(),
        }
    }
}

impl Default for Team {
    fn default() -> Team {
        Team {
            id: 0,
            name: None,
            privacy: "closed".to_owned(),
            parent: None,
            members: BTreeMap::new(),
            repositories: BTreeMap::new(),
        }
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

/// The key of the default App; public on purpose, see `keys/README.md`.
pub const APP_KEY: &str = include_str!("../../keys/app.pem");
/// A key no App of the default world has.
pub const STRANGER_KEY: &str = include_str!("../../keys/stranger.pem");

const FIRST_USER_ID: u64 = 101;
const FIRST_ORGANIZATION_ID: u64 = 1001;
const FIRST_TEAM_ID: u64 = 2001;
const FIRST_ROLE_ID: u64 = 3001;
const FIRST_INSTALLATION_ID: u64 = 4001;
const FIRST_REPOSITORY_ID: u64 = 5001;
const FIRST_ENVIRONMENT_ID: u64 = 6001;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_given_once_and_kept() {
        let mut world = GithubWorld::default();
        world.repositories.insert(
            "acme/a".to_owned(),
            Repository {
                id: 5001,
                ..Repository::default()
            },
        );
        world
            .repositories
            .insert("acme/b".to_owned(), Repository::default());
        world.complete();
        assert_eq!(world.repositories["acme/a"].id, 5001);
        assert_eq!(world.repositories["acme/b"].id, 5002);
        assert_eq!(world.repositories["acme/b"].branches["main"].sha.len(), 40);
    }

    #[test]
    fn a_misspelt_member_is_named() {
        let error = serde_json::from_str::<GithubWorld>(
            r#"{"repositories":{"acme/a":{"visibilty":"public"}}}"#,
        )
        .err()
        .unwrap();
        assert!(error.to_string().contains("visibilty"), "{error}");
    }
}
