//! The records of Jira as the rules ask for them, over what was read so far.
//!
//! Asking for what was not read stops the rule until it is (see `toolpass_integration::answers`).

use std::collections::BTreeMap;

use toolpass_core::codes::Code;
use toolpass_http::error::Error;
use toolpass_http::json::Json;
use toolpass_integration::answers::{self, Answers, Found};

use crate::resource::{Issue, Project};
use crate::upstream::read::{Check, Read};
use crate::upstream::records::permission::{self, Granted};
use crate::upstream::records::work;

/// What was read so far for one question.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    answers: &'a Answers<Read>,
    /// The account asked about.
    pub user: &'a str,
}

/// Why a rule about Jira did not come to its end.
pub type Stop = answers::Stop<Read>;

/// A project or an issue, as Jira knows it now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// What it is.
    pub on: On,
    /// Its id.
    pub id: u64,
    /// Its project's id.
    pub project: u64,
    /// `project OPS`, `issue OPS-1`: its key now, for texts.
    pub name: String,
    /// It is in a service project.
    pub is_service: bool,
    /// It cannot be changed.
    pub is_archived: bool,
}

/// What a place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// An issue.
    Issue,
    /// A project.
    Project,
}

impl<'a> Known<'a> {
    /// Look at what was read so far about `user`.
    pub fn new(answers: &'a Answers<Read>, user: &'a str) -> Known<'a> {
        Known { answers, user }
    }

    /// Ask for several reads that do not wait for each other.
    /// Errors: [`Stop::Missing`](answers::Stop::Missing) with those that were not made.
    pub fn all(&self, reads: impl IntoIterator<Item = Read>) -> Result<(), Stop> {
        self.answers.all(reads)
    }

    /// A record without which there is no answer.
    /// Errors: `resource_not_visible` when it is not there or our credential may not see it.
    pub fn seen<T>(&self, read: Read, parse: fn(Json<'_>) -> Result<T, Error>) -> Result<T, Stop> {
        match self.answers.record(read, parse)? {
            Found::Here(record) => Ok(record),
            Found::Missing => Err(Stop::new(
                Code::ResourceNotVisible,
                "our credential does not see what is asked about",
            )),
            Found::Forbidden => Err(Stop::new(
                Code::CredentialRejected,
                "Jira refuses our credential this read; grant it Browse projects there, and Administer Jira",
            )),
        }
    }

    /// The keys Jira has.
    pub fn catalogue(&self) -> Result<BTreeMap<String, Option<String>>, Stop> {
        self.seen(Read::Catalogue, permission::catalogue)
    }

    /// A project.
    pub fn project(&self, project: &Project) -> Result<Place, Stop> {
        let record = self.seen(Read::Project(project.clone()), work::project)?;
        Ok(place(On::Project, record.id, record.key.clone(), &record))
    }

    /// An issue.
    pub fn issue(&self, issue: &Issue) -> Result<Place, Stop> {
        let record = self.seen(Read::Issue(issue.clone()), work::issue)?;
        Ok(place(On::Issue, record.id, record.key, &record.project))
    }

    /// What the user holds of the site.
    pub fn global(&self, keys: &[&str]) -> Result<Granted, Stop> {
        self.check(Check {
            global: owned(keys),
            ..self.of_user()
        })
    }

    /// What the user holds of projects or issues.
    pub fn held(&self, keys: &[&str], places: &[&Place]) -> Result<Granted, Stop> {
        self.check(self.wanted(keys, places))
    }

    /// The same, and of the site.
    pub fn held_and_global(
        &self,
        keys: &[&str],
        places: &[&Place],
        global: &[&str],
    ) -> Result<Granted, Stop> {
        self.check(Check {
            global: owned(global),
            ..self.wanted(keys, places)
        })
    }

    fn wanted(&self, keys: &[&str], places: &[&Place]) -> Check {
        let ids = |on: On| {
            let mut ids: Vec<u64> = places
                .iter()
                .filter(|place| place.on == on)
                .map(|place| place.id)
                .collect();
            ids.sort_unstable();
            ids.dedup();
            ids
        };
        Check {
            keys: owned(keys),
            projects: ids(On::Project),
            issues: ids(On::Issue),
            ..self.of_user()
        }
    }

    fn of_user(&self) -> Check {
        Check {
            account: self.user.to_owned(),
            ..Check::default()
        }
    }

    fn check(&self, check: Check) -> Result<Granted, Stop> {
        match self
            .answers
            .record(Read::Check(check), permission::granted)?
        {
            Found::Here(granted) => Ok(granted),
            Found::Missing => Err(Stop::new(
                Code::UpstreamError,
                "Jira does not know its own permission check",
            )),
            Found::Forbidden => Err(Stop::new(
                Code::CredentialRejected,
                "Jira refuses our credential to ask about others; grant it Administer Jira",
            )),
        }
    }
}

impl Granted {
    /// Whether a key is held there.
    /// Errors: `unsupported` when Jira did not evaluate it: an evaluated key stands in the answer even when it is held nowhere.
    pub fn has(&self, key: &str, place: &Place) -> Result<bool, Stop> {
        let places = self
            .keys
            .get(key)
            .ok_or_else(|| Stop::unsupported(format!("Jira did not evaluate `{key}`")))?;
        Ok(match place.on {
            On::Issue => places.issues.contains(&place.id),
            On::Project => places.projects.contains(&place.id),
        })
    }

    /// Whether a key of the site is held.
    pub fn has_global(&self, key: &str) -> bool {
        self.global.iter().any(|held| held == key)
    }
}

fn place(on: On, id: u64, key: Option<String>, project: &work::Project) -> Place {
    let what = match on {
        On::Issue => "issue",
        On::Project => "project",
    };
    Place {
        on,
        id,
        project: project.id,
        name: format!("{what} {}", key.unwrap_or_else(|| id.to_string())),
        // A kind that is not said or not known may be one of those.
        is_service: !matches!(
            project.kind.as_deref(),
            Some("business" | "product_discovery" | "software")
        ),
        is_archived: project.archived == Some(true),
    }
}

fn owned(keys: &[&str]) -> Vec<String> {
    keys.iter().map(|key| (*key).to_owned()).collect()
}
