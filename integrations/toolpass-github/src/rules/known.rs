//! What has been read so far for one question, and how a rule asks for what has not.
//!
//! A rule is written as if everything were known. What is not known yet stops it with [`Stop::Missing`]; the edge reads
//! that and runs the rule again, from the top, with more known. So the rules stay pure, decide themselves what is worth reading, and run
//! over answers from a file as well as over GitHub's.
//! INVARIANT: a rule never sees a failed read as an absent record.

use std::collections::BTreeMap;

use serde_json::Value;
use toolpass_core::codes::Code;
use toolpass_http::error::Error;
use toolpass_http::json::Json;
use toolpass_integration::failure::Failure;

use crate::resource::{Branch, Login, Repo, Slug};
use crate::upstream::read::Read;
use crate::upstream::records::branch::{self, BranchRule, Protection, Ruleset};
use crate::upstream::records::people::{self, Membership, Organization, Team};
use crate::upstream::records::repository::{self, CustomRole, Permission, Repository};
use crate::upstream::records::work::{self, Pull, Stack};

/// What GitHub answered to one read.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A record or a whole list.
    Body(Value),
    /// The read did not come to an answer.
    Failed(Failure),
    /// 403, and not for a rate limit: our credential may not read it.
    Forbidden,
    /// 404.
    Missing {
        /// What GitHub says is missing; compared with its fixed texts, never shown.
        message: String,
    },
    /// A redirection: renamed or transferred, and never followed.
    Moved,
}

/// A record as the rules see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found<T> {
    /// It is there.
    Here(T),
    /// It is not there, or our credential does not see it.
    Missing,
    /// Our credential may not read it.
    Forbidden,
}

/// Why a rule did not come to its end.
#[derive(Clone, Debug)]
pub enum Stop {
    /// GitHub positively says no, for this reason.
    Denied(String),
    /// There is no answer.
    Failed(Failure),
    /// These must be read first.
    Missing(Vec<Read>),
}

/// The answers so far.
#[derive(Clone, Debug, Default)]
pub struct Known {
    answers: BTreeMap<Read, Answer>,
}

impl Known {
    /// Take an answer.
    pub fn insert(&mut self, read: Read, answer: Answer) {
        self.answers.insert(read, answer);
    }

    /// How many answers there are.
    pub fn count(&self) -> usize {
        self.answers.len()
    }

    /// Ask for several reads that do not wait for each other.
    /// Errors: [`Stop::Missing`] with those that are not known.
    pub fn all(&self, reads: impl IntoIterator<Item = Read>) -> Result<(), Stop> {
        let missing: Vec<Read> = reads
            .into_iter()
            .filter(|read| !self.answers.contains_key(read))
            .collect();
        if missing.is_empty() {
            Ok(())
        } else {
            Err(Stop::Missing(missing))
        }
    }

    /// The user's permission on a repository.
    pub fn permission(&self, repo: &Repo, user: &Login) -> Result<Found<Permission>, Stop> {
        self.record(
            Read::Permission(repo.clone(), user.clone()),
            repository::permission,
        )
    }

    /// A repository, which must be seen.
    pub fn repository(&self, repo: &Repo) -> Result<Repository, Stop> {
        self.seen(Read::Repository(repo.clone()), repository::repository)
    }

    /// The active rules of a branch.
    pub fn branch_rules(
        &self,
        repo: &Repo,
        branch: &Branch,
    ) -> Result<Found<Vec<BranchRule>>, Stop> {
        self.record(
            Read::BranchRules(repo.clone(), branch.clone()),
            branch::branch_rules,
        )
    }

    /// A ruleset.
    pub fn ruleset(&self, repo: &Repo, id: u64) -> Result<Found<Ruleset>, Stop> {
        self.record(Read::Ruleset(repo.clone(), id), branch::ruleset)
    }

    /// The protection of a branch; `None` when GitHub says that there is none.
    /// GitHub answers "Not Found" to who may not read it, so only "Branch not protected" is believed, and anything else compared
    /// with the branch itself. A branch that does not exist has none.
    pub fn protection(
        &self,
        repo: &Repo,
        branch: &Branch,
    ) -> Result<Found<Option<Protection>>, Stop> {
        let read = Read::Protection(repo.clone(), branch.clone());
        if let Answer::Missing { message } = self.get(&read)? {
            if message == "Branch not protected" {
                return Ok(Found::Here(None));
            }
            let seen = self.record(
                Read::Branch(repo.clone(), branch.clone()),
                branch::branch_is_protected,
            )?;
            return Ok(match seen {
                Found::Here(Some(false)) | Found::Missing => Found::Here(None),
                Found::Here(Some(true) | None) | Found::Forbidden => Found::Forbidden,
            });
        }
        Ok(match self.record(read, branch::protection)? {
            Found::Here(protection) => Found::Here(Some(protection)),
            Found::Missing | Found::Forbidden => Found::Forbidden,
        })
    }

    /// A membership in the organization.
    pub fn org_membership(&self, user: &Login) -> Result<Found<Membership>, Stop> {
        self.record(Read::OrgMembership(user.clone()), people::membership)
    }

    /// What the organization lets its members do.
    pub fn organization(&self) -> Result<Organization, Stop> {
        self.seen(Read::Organization, people::organization)
    }

    /// A membership in a team.
    pub fn team_membership(&self, team: &Slug, user: &Login) -> Result<Found<Membership>, Stop> {
        self.record(
            Read::TeamMembership(team.clone(), user.clone()),
            people::membership,
        )
    }

    /// A team.
    pub fn team(&self, team: &Slug) -> Result<Found<Team>, Stop> {
        self.record(Read::Team(team.clone()), people::team)
    }

    /// A team by its number.
    pub fn team_by_id(&self, id: u64) -> Result<Found<Team>, Stop> {
        self.record(Read::TeamById(id), people::team)
    }

    /// The custom roles of the organization.
    pub fn custom_roles(&self) -> Result<Found<Vec<CustomRole>>, Stop> {
        self.record(Read::CustomRoles, repository::custom_roles)
    }

    /// A pull request by its number, which must be seen.
    pub fn pull(&self, repo: &Repo, number: u64) -> Result<Pull, Stop> {
        self.seen(Read::Pull(repo.clone(), number), work::pull)
    }

    /// The stacks a pull request stands in.
    pub fn stacks(&self, repo: &Repo, pull: u64) -> Result<Vec<Stack>, Stop> {
        self.seen(Read::Stacks(repo.clone(), pull), work::stacks)
    }

    /// A record that a read answers with.
    /// Errors: [`Stop::Missing`] when it was not read, [`Stop::Failed`] when it could not be.
    pub fn record<T>(
        &self,
        read: Read,
        parse: fn(Json<'_>) -> Result<T, Error>,
    ) -> Result<Found<T>, Stop> {
        match self.get(&read)? {
            Answer::Body(value) => Ok(Found::Here(parse(Json::new(value))?)),
            Answer::Failed(failure) => Err(Stop::Failed(failure.clone())),
            Answer::Forbidden => Ok(Found::Forbidden),
            Answer::Missing { .. } => Ok(Found::Missing),
            Answer::Moved => Err(Stop::unsupported(
                "it was renamed or transferred; name it as it is called now",
            )),
        }
    }

    /// A record without which there is no answer.
    pub fn seen<T>(&self, read: Read, parse: fn(Json<'_>) -> Result<T, Error>) -> Result<T, Stop> {
        let permission = read.permission();
        match self.record(read, parse)? {
            Found::Here(record) => Ok(record),
            Found::Missing => Err(Stop::new(
                Code::ResourceNotVisible,
                "our credential does not see what is asked about",
            )),
            Found::Forbidden => Err(Stop::forbidden(permission)),
        }
    }

    fn get(&self, read: &Read) -> Result<&Answer, Stop> {
        self.answers
            .get(read)
            .ok_or_else(|| Stop::Missing(vec![read.clone()]))
    }
}

impl Stop {
    /// There is no answer, for the reason of `code`.
    pub fn new(code: Code, text: impl AsRef<str>) -> Stop {
        Stop::Failed(Failure::new(code, text))
    }

    /// It cannot be evaluated.
    pub fn unsupported(text: impl AsRef<str>) -> Stop {
        Stop::Failed(Failure::unsupported(text))
    }

    /// Our credential lacks a permission.
    pub fn forbidden(permission: &str) -> Stop {
        Stop::new(
            Code::CredentialRejected,
            format!("GitHub refuses our credential this read; grant {permission}"),
        )
    }

    /// GitHub positively says no.
    pub fn deny(text: impl Into<String>) -> Stop {
        Stop::Denied(text.into())
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Failed(error.into())
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        Stop::Failed(failure)
    }
}
