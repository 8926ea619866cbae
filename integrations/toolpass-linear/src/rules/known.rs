//! The records of Linear as the rules ask for them: one accessor each, over what was read so far.
//!
//! Asking for what was not read stops the rule until it is (see `toolpass_integration::answers`). Each record is compared with
//! what was asked for: a record of something else answers nothing.

use toolpass_core::codes::Code;
use toolpass_http::error::Error;
use toolpass_http::json::Json;
use toolpass_integration::answers::{self, Answers, Found};

use super::standing::Standing;
use crate::resource::{Kind, Name};
use crate::upstream::read::Read;
use crate::upstream::records::{
    self, Account, Children, Issue, Project, Shares, Team, TeamSettings, Thing,
};

/// What was read so far for one question.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a>(&'a Answers<Read>);

/// Why a rule about Linear did not come to its end.
pub type Stop = answers::Stop<Read>;

impl<'a> Known<'a> {
    /// Look at what was read so far.
    pub fn new(answers: &'a Answers<Read>) -> Known<'a> {
        Known(answers)
    }

    /// Ask for several reads that do not wait for each other.
    /// Errors: [`Stop::Missing`](answers::Stop::Missing) with those that were not made.
    pub fn all(&self, reads: impl IntoIterator<Item = Read>) -> Result<(), Stop> {
        self.0.all(reads)
    }

    /// The user's own account and memberships.
    pub fn standing(&self, user: &Name, shown: &str) -> Result<Standing, Stop> {
        let account = self.account_of(Read::User(user.clone()), user)?;
        Ok(Standing::new(account, shown))
    }

    /// Somebody else's account.
    pub fn account(&self, id: &Name) -> Result<Account, Stop> {
        self.account_of(Read::Account(id.clone()), id)
    }

    /// A team.
    pub fn team(&self, name: &Name) -> Result<Team, Stop> {
        let found = self.seen(Read::Team(name.clone()), records::teams, "team")?;
        let is_asked = |team: &Team| {
            let found = if name.is_id() { &team.id } else { &team.key };
            found.eq_ignore_ascii_case(name.as_str())
        };
        match <[Team; 1]>::try_from(found) {
            Ok([team]) if is_asked(&team) => Ok(team),
            Ok(_) => Err(another()),
            Err(found) if found.is_empty() => Err(hidden("team")),
            Err(_) => Err(Stop::new(
                Code::UpstreamError,
                "Linear answered with several teams of one name",
            )),
        }
    }

    /// A team's settings.
    pub fn team_settings(&self, id: &Name) -> Result<TeamSettings, Stop> {
        self.seen(
            Read::TeamSettings(id.clone()),
            records::team_settings,
            "team",
        )
    }

    /// The id of the private team around a restricted one.
    pub fn boundary(&self, id: &Name) -> Result<Option<String>, Stop> {
        self.seen(Read::Boundary(id.clone()), records::boundary, "team")
    }

    /// An issue. Under an identifier it had before it is the same issue.
    pub fn issue(&self, name: &Name) -> Result<Issue, Stop> {
        let issue = self.seen(Read::Issue(name.clone()), records::issue, "issue")?;
        let is = |text: &String| text.eq_ignore_ascii_case(name.as_str());
        let is_asked = if name.is_id() {
            is(&issue.id)
        } else {
            is(&issue.identifier) || issue.previous.iter().any(is)
        };
        if is_asked { Ok(issue) } else { Err(another()) }
    }

    /// With whom an issue is shared.
    pub fn shares(&self, id: &Name) -> Result<Shares, Stop> {
        self.seen(Read::Shares(id.clone()), records::shares, "issue")
    }

    /// The issues below an issue.
    pub fn children(&self, id: &Name) -> Result<Children, Stop> {
        self.seen(Read::Children(id.clone()), records::children, "issue")
    }

    /// A project. Its address holds its name before the slug.
    pub fn project(&self, name: &Name) -> Result<Project, Stop> {
        let project = self.seen(Read::Project(name.clone()), records::project, "project")?;
        if is_named(name, &project.id, project.slug.as_deref()) {
            Ok(project)
        } else {
            Err(another())
        }
    }

    /// Something that belongs to one of the others.
    pub fn thing(&self, kind: Kind, name: &Name) -> Result<Thing, Stop> {
        let thing = self.seen(Read::Thing(kind, name.clone()), records::thing, kind.name())?;
        if is_named(name, &thing.id, thing.slug.as_deref()) {
            Ok(thing)
        } else {
            Err(another())
        }
    }

    /// The plan; nothing when the workspace pays for none.
    pub fn plan(&self) -> Result<Option<String>, Stop> {
        self.seen(Read::Plan, records::plan, "workspace")
    }

    /// Which role may do what in the workspace.
    pub fn roles(&self) -> Result<Vec<(String, String)>, Stop> {
        self.seen(Read::Roles, records::roles, "workspace")
    }

    /// Whether guests are kept from starting agents.
    pub fn keeps_guests_from_agents(&self) -> Result<Option<bool>, Stop> {
        self.seen(Read::AgentPolicy, records::agent_policy, "workspace")
    }

    fn account_of(&self, read: Read, id: &Name) -> Result<Account, Stop> {
        let account = self.seen(read, records::account, "account")?;
        if account.id.eq_ignore_ascii_case(id.as_str()) {
            Ok(account)
        } else {
            Err(another())
        }
    }

    /// A record without which there is no answer.
    fn seen<T>(
        &self,
        read: Read,
        parse: fn(Json<'_>) -> Result<T, Error>,
        what: &str,
    ) -> Result<T, Stop> {
        match self.0.record(read, parse)? {
            Found::Here(record) => Ok(record),
            Found::Missing => Err(hidden(what)),
            Found::Forbidden => Err(Stop::new(
                Code::CredentialRejected,
                "Linear refuses our credential this read",
            )),
        }
    }
}

/// An id that Linear gave, to read what it leads to.
/// Errors: it is none.
pub fn id(text: &str) -> Result<Name, Stop> {
    Name::id(text).ok_or_else(|| {
        Stop::new(
            Code::UpstreamError,
            "Linear answered with an id that is none",
        )
    })
}

fn is_named(name: &Name, id: &str, slug: Option<&str>) -> bool {
    let asked = name.as_str();
    let ends_in = |slug: &str| {
        asked
            .strip_suffix(slug)
            .is_some_and(|before| before.is_empty() || before.ends_with('-'))
    };
    id.eq_ignore_ascii_case(asked)
        || slug.is_some_and(|slug| !slug.is_empty() && !name.is_id() && ends_in(slug))
}

fn hidden(what: &str) -> Stop {
    Stop::new(
        Code::ResourceNotVisible,
        format!(
            "our credential sees no such {what}; it may be in a private team the credential's account has not joined"
        ),
    )
}

fn another() -> Stop {
    Stop::new(
        Code::UpstreamError,
        "Linear answered with something else than was asked for",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs() {
        let name = |text: &str| Name::project(text).unwrap();
        assert!(is_named(&name("plan-3a4b"), "x", Some("3a4b")));
        assert!(is_named(&name("3a4b"), "x", Some("3a4b")));
        assert!(!is_named(&name("plan3a4b"), "x", Some("3a4b")));
        assert!(!is_named(&name("plan-3a4b"), "x", Some("")));
        assert!(!is_named(&name("plan-3a4b"), "x", None));
        let id = "9cfb482a-81e3-4154-b5b9-2c805e70a02d";
        assert!(is_named(&name(id), id, None));
        // An id that happens to end like another thing's slug.
        assert!(!is_named(&name(id), "x", Some("2c805e70a02d")));
    }
}
