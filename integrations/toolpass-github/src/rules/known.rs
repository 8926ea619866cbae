//! The records of GitHub as the rules ask for them: one accessor each, over what was read so far.
//!
//! Asking for what was not read stops the rule until it is (see `toolpass_integration::answers`). What a missing record means is
//! the asking rule's to say, but for those without which there is no answer.

use toolpass_core::codes::Code;
use toolpass_http::error::Error;
use toolpass_http::json::Json;
use toolpass_integration::answers::{self, Answer, Answers, Found};

use crate::resource::{Branch, Login, Repo, Slug};
use crate::upstream::read::Read;
use crate::upstream::records::branch::{self, BranchRule, Protection, Ruleset};
use crate::upstream::records::people::{self, Membership, Organization, Team};
use crate::upstream::records::repository::{self, CustomRole, Permission, Repository};
use crate::upstream::records::work::{self, Pull, Stack};

/// What was read so far for one question.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a>(&'a Answers<Read>);

/// Why a rule about GitHub did not come to its end.
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

    /// A record, whatever its absence means.
    /// Errors: as [`Answers::record`].
    pub fn record<T>(
        &self,
        read: Read,
        parse: fn(Json<'_>) -> Result<T, Error>,
    ) -> Result<Found<T>, Stop> {
        self.0.record(read, parse)
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
        if let Answer::Missing { message } = self.0.get(read.clone())? {
            if message == "Branch not protected" {
                return Ok(Found::Here(None));
            }
            let read = Read::Branch(repo.clone(), branch.clone());
            if let Answer::Missing { message } = self.0.get(read.clone())? {
                return Ok(if message == "Branch not found" {
                    Found::Here(None)
                } else {
                    Found::Forbidden
                });
            }
            return Ok(match self.record(read, branch::branch_is_protected)? {
                Found::Here(Some(false)) => Found::Here(None),
                Found::Here(Some(true) | None) | Found::Missing | Found::Forbidden => {
                    Found::Forbidden
                }
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

    /// A record without which there is no answer.
    pub fn seen<T>(&self, read: Read, parse: fn(Json<'_>) -> Result<T, Error>) -> Result<T, Stop> {
        let permission = read.permission();
        match self.record(read, parse)? {
            Found::Here(record) => Ok(record),
            Found::Missing => Err(Stop::new(
                Code::ResourceNotVisible,
                "our credential does not see what is asked about",
            )),
            Found::Forbidden => Err(forbidden(permission)),
        }
    }
}

/// Our credential lacks a permission.
pub fn forbidden(permission: &str) -> Stop {
    Stop::new(
        Code::CredentialRejected,
        format!("GitHub refuses our credential this read; grant {permission}"),
    )
}
