//! The three types of resource, and the names they are made of.
//!
//! `repo:<owner>/<name>[@branch]`, `org:<login>[?visibility=<kind>]`, `team:<org>/<slug>`. Every name is a type of its own that only
//! its grammar makes, so a path is never built from unread text. Owners compare without regard to case and are kept as
//! configured. What the grammar lets through and GitHub does not know, GitHub's 404 decides.
//! Source: docs.github.com "Username considerations for external authentication", "About repositories"; read 2026-11-30.

use std::fmt;
use std::sync::Arc;

use toolpass_core::quoted::Quoted;
use toolpass_core::resource::Resource;
use toolpass_integration::failure::Failure;

/// What a question is about, inside the connection's organization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The organization, and the kind of repository when one is to be created in it.
    Org(Option<Kind>),
    /// A repository, and a branch of it when one is named.
    Repo(Repo, Option<Branch>),
    /// A team.
    Team(Slug),
}

/// An account's name: `[A-Za-z0-9]([A-Za-z0-9-]{0,37}[A-Za-z0-9])?` without `--`, at most 39 characters; a managed user's ends in
/// `_` and a short code of 3 to 8 letters and digits (`admin` for the setup user). Compares without regard to case.
#[derive(Clone, Debug)]
pub struct Login(Arc<str>);

/// A repository: its owner's login and its name, `[A-Za-z0-9._-]{1,100}` but not `.` or `..`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Repo {
    /// The organization, spelled as configured.
    pub owner: Login,
    name: Arc<str>,
}

/// A branch name: 1 to 255 bytes, no leading `-`, no `..`, no control or space, none of `\ ~ ^ : ? * [`, no `@{`, not `@`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Branch(Arc<str>);

/// A team's name in addresses: `[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?`, at most 255 bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Slug(Arc<str>);

/// Who may see a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The enterprise's members.
    Internal,
    /// Those with access.
    Private,
    /// Everyone.
    Public,
}

impl Target {
    /// Read a resource of a connection to `organization`.
    /// Errors: `invalid_request` for another type, another owner, or a name outside its grammar.
    pub fn read(organization: &Login, resource: &Resource) -> Result<Target, Failure> {
        let own = |owner: &str| match Login::parse(owner) {
            Some(owner) if owner == *organization => Ok(()),
            Some(_) => Err(Failure::invalid(format!(
                "this connection answers for the organization `{organization}` only"
            ))),
            None => Err(Failure::invalid(
                "expected a login before the `/` of the resource",
            )),
        };
        if resource.kind() != "org" && resource.as_str().contains('?') {
            return Err(Failure::invalid(format!(
                "a `{}` resource takes no query",
                resource.kind()
            )));
        }
        match resource.kind() {
            "repo" => {
                let (owner, rest) = resource
                    .id()
                    .split_once('/')
                    .ok_or_else(|| Failure::invalid(EXPECTED_REPO))?;
                own(owner)?;
                let (name, branch) = match rest.split_once('@') {
                    Some((name, branch)) => (
                        name,
                        Some(
                            Branch::parse(branch)
                                .ok_or_else(|| Failure::invalid(EXPECTED_BRANCH))?,
                        ),
                    ),
                    None => (rest, None),
                };
                let repo =
                    Repo::new(organization, name).ok_or_else(|| Failure::invalid(EXPECTED_REPO))?;
                Ok(Target::Repo(repo, branch))
            }
            "org" => {
                own(resource.id())?;
                Ok(Target::Org(kind_of(resource)?))
            }
            "team" => {
                let (owner, slug) = resource
                    .id()
                    .split_once('/')
                    .ok_or_else(|| Failure::invalid(EXPECTED_TEAM))?;
                own(owner)?;
                Ok(Target::Team(
                    Slug::parse(slug).ok_or_else(|| Failure::invalid(EXPECTED_TEAM))?,
                ))
            }
            other => Err(Failure::invalid(format!(
                "expected a resource of type `repo`, `org` or `team`, found {}",
                Quoted::new(other)
            ))),
        }
    }

    /// The type the resource has.
    pub fn type_name(&self) -> &'static str {
        match self {
            Target::Org(_) => "org",
            Target::Repo(..) => "repo",
            Target::Team(_) => "team",
        }
    }
}

/// Whether the resource can belong to `organization`: its owner says so, whatever else stands in it. Pure.
pub fn is_owned_by(organization: &Login, resource: &Resource) -> bool {
    let owner = resource
        .id()
        .split_once('/')
        .map_or(resource.id(), |(owner, _)| owner);
    Login::parse(owner).is_some_and(|owner| owner == *organization)
}

fn kind_of(resource: &Resource) -> Result<Option<Kind>, Failure> {
    match resource.query() {
        [] => Ok(None),
        [(key, value)] if key == "visibility" => {
            let kind = Kind::parse(value).ok_or_else(|| {
                Failure::invalid("expected `public`, `private` or `internal` as `visibility`")
            })?;
            Ok(Some(kind))
        }
        _ => Err(Failure::invalid(
            "an `org` resource takes no query but `visibility`",
        )),
    }
}

impl Login {
    /// Read a login.
    pub fn parse(text: &str) -> Option<Login> {
        let (name, short_code) = match text.split_once('_') {
            Some((name, short_code)) => (name, Some(short_code)),
            None => (text, None),
        };
        let name_fits = !name.starts_with('-')
            && !name.ends_with('-')
            && !name.contains("--")
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        let code_fits = short_code.is_none_or(|code| {
            (3..=8).contains(&code.len()) && code.bytes().all(|b| b.is_ascii_alphanumeric())
        });
        ((1..=39).contains(&text.len()) && !name.is_empty() && name_fits && code_fits)
            .then(|| Login(text.into()))
    }

    /// Take a login that GitHub itself returned: older accounts break the grammar, so any name that needs no escaping in an
    /// address is taken.
    pub fn returned(text: &str) -> Option<Login> {
        let fits = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
        ((1..=100).contains(&text.len()) && text.bytes().all(fits)).then(|| Login(text.into()))
    }

    /// The login as spelled.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn folded(&self) -> impl Iterator<Item = u8> + '_ {
        self.0.bytes().map(|b| b.to_ascii_lowercase())
    }
}

impl PartialEq for Login {
    fn eq(&self, other: &Login) -> bool {
        self.0.eq_ignore_ascii_case(&other.0)
    }
}

impl Eq for Login {}

impl PartialOrd for Login {
    fn partial_cmp(&self, other: &Login) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Login {
    fn cmp(&self, other: &Login) -> std::cmp::Ordering {
        self.folded().cmp(other.folded())
    }
}

impl Repo {
    /// The repository `name` of `owner`.
    pub fn new(owner: &Login, name: &str) -> Option<Repo> {
        let fits = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
        let named = (1..=100).contains(&name.len())
            && name != "."
            && name != ".."
            && name.bytes().all(fits);
        named.then(|| Repo {
            owner: owner.clone(),
            name: name.into(),
        })
    }

    /// Read `owner/name`.
    pub fn parse(text: &str) -> Option<Repo> {
        let (owner, name) = text.split_once('/')?;
        Repo::new(&Login::parse(owner)?, name)
    }

    /// The name without the owner.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether both are the same repository: GitHub compares names without regard to case.
    pub fn is_same(&self, other: &Repo) -> bool {
        self.owner == other.owner && self.name.eq_ignore_ascii_case(&other.name)
    }
}

impl Branch {
    /// Read a branch name.
    pub fn parse(text: &str) -> Option<Branch> {
        let refused = |c: char| c <= ' ' || c == '\u{7f}' || "\\~^:?*[".contains(c);
        let fits = (1..=255).contains(&text.len())
            && !text.starts_with('-')
            && !text.contains("..")
            && !text.contains("@{")
            && text != "@"
            && !text.contains(refused);
        fits.then(|| Branch(text.into()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Slug {
    /// Read a team's slug.
    pub fn parse(text: &str) -> Option<Slug> {
        let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_');
        let shaped =
            (1..=255).contains(&text.len()) && !text.starts_with('-') && !text.ends_with('-');
        (shaped && text.bytes().all(fits)).then(|| Slug(text.into()))
    }

    /// The slug.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Kind {
    /// Read a kind.
    pub fn parse(text: &str) -> Option<Kind> {
        match text {
            "internal" => Some(Kind::Internal),
            "private" => Some(Kind::Private),
            "public" => Some(Kind::Public),
            _ => None,
        }
    }

    /// GitHub's word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Internal => "internal",
            Kind::Private => "private",
            Kind::Public => "public",
        }
    }
}

impl fmt::Display for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Repo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.name)
    }
}

impl fmt::Display for Branch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

const EXPECTED_REPO: &str =
    "expected `repo:<owner>/<name>[@branch]`, the name of letters, digits, `.`, `_` and `-`";
const EXPECTED_BRANCH: &str = "expected a branch name after the `@` of the resource";
const EXPECTED_TEAM: &str =
    "expected `team:<organization>/<slug>`, the slug of lower-case letters, digits, `-` and `_`";

#[cfg(test)]
mod tests {
    use super::*;
    use toolpass_core::codes::Code;

    fn read(text: &str) -> Result<Target, Failure> {
        Target::read(
            &Login::parse("Acme").unwrap(),
            &Resource::parse(text).unwrap(),
        )
    }

    #[test]
    fn logins() {
        for good in [
            "a",
            "dana",
            "Dana-Ops",
            "a1",
            "dana_acme",
            "ACME_admin",
            "octo-cat_short123",
            &"a".repeat(39),
        ] {
            assert!(Login::parse(good).is_some(), "{good}");
        }
        for bad in [
            "",
            "-a",
            "a-",
            "a--b",
            "a.b",
            "a b",
            "dana_ab",
            "dana_abcdefghi",
            "a_b_acme",
            "_acme",
            "é",
            "a/b",
            &"a".repeat(40),
        ] {
            assert!(Login::parse(bad).is_none(), "{bad}");
        }
        assert_eq!(Login::parse("DANA"), Login::parse("dana"));
        assert!(Login::returned("old--name-").is_some());
        assert!(Login::returned("a/b").is_none());
    }

    #[test]
    fn resources_are_spelled_as_configured() {
        let Target::Repo(repo, branch) = read("repo:ACME/.github@feature/x@2").unwrap() else {
            panic!("a repository")
        };
        assert_eq!(
            (repo.to_string(), branch.unwrap().to_string()),
            ("Acme/.github".into(), "feature/x@2".into())
        );
        assert_eq!(
            read("org:aCME?visibility=internal").unwrap(),
            Target::Org(Some(Kind::Internal))
        );
        assert_eq!(read("team:acme/payments_eu").unwrap().type_name(), "team");
    }

    #[test]
    fn what_is_no_resource_of_the_connection() {
        for bad in [
            "repo:other/x",
            "repo:acme",
            "repo:acme/",
            "repo:acme/a/b",
            "repo:acme/..",
            "repo:acme/x@",
            "repo:acme/x?a=1",
            "repo:acme/x?",
            "repo:acme/x@a..b",
            "repo:acme/x@-a",
            "repo:acme/x@a b",
            "org:other",
            "org:",
            "org:acme?visibility=secret",
            "org:acme?x=1",
            "team:acme/Payments",
            "team:acme",
            "team:acme/a?x=1",
            "team:acme/-a",
            "issue:acme/x",
        ] {
            assert_eq!(read(bad).unwrap_err().code(), Code::InvalidRequest, "{bad}");
        }
    }

    #[test]
    fn ownership_is_the_owner() {
        let acme = Login::parse("acme").unwrap();
        for (text, owned) in [
            ("repo:ACME/x@m", true),
            ("org:acme", true),
            ("team:acme/x", true),
            ("repo:acme2/x", false),
            ("org:", false),
        ] {
            assert_eq!(
                is_owned_by(&acme, &Resource::parse(text).unwrap()),
                owned,
                "{text}"
            );
        }
    }
}
