//! What a user holds on a repository: a level of the ladder, a custom role, or something that cannot be told.
//!
//! Rule 2 of the specification. The booleans of the record come before its lossy word, a word that is not known is never guessed,
//! and a custom role is looked up before it is called too little.
//! Source: docs.github.com "Repository roles for an organization", "About custom repository roles", REST "Get repository permissions for a
//! user"; read 2026-11-30.

use toolpass_core::codes::Code;
use toolpass_core::quoted::Quoted;
use toolpass_integration::answers::Found;

use super::Question;
use super::known::{self, Known, Stop};
use crate::resource::{Login, Repo};
use crate::upstream::read::Read;
use crate::upstream::records::repository::Permission;

/// The ladder of base roles; each includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Read.
    Pull,
    /// Manage issues and pull requests.
    Triage,
    /// Write.
    Push,
    /// Manage the repository without its sensitive settings.
    Maintain,
    /// Everything.
    Admin,
}

/// What one user holds on one repository.
#[derive(Clone, Debug)]
pub struct Grant {
    repo: Repo,
    record: Permission,
}

/// Whether a level is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// It is.
    Yes,
    /// The record says it is not.
    No,
    /// The record does not say.
    Untold,
}

impl Level {
    /// Every level, weakest first.
    pub const ALL: [Level; 5] = [
        Level::Pull,
        Level::Triage,
        Level::Push,
        Level::Maintain,
        Level::Admin,
    ];

    /// The role that has it, as GitHub's pages call it.
    pub fn role(self) -> &'static str {
        match self {
            Level::Pull => "read",
            Level::Triage => "triage",
            Level::Push => "write",
            Level::Maintain => "maintain",
            Level::Admin => "admin",
        }
    }

    /// The level of a base role, by any of the words GitHub has for it.
    pub fn of_role(role: &str) -> Option<Level> {
        match role {
            "read" | "pull" => Some(Level::Pull),
            "triage" => Some(Level::Triage),
            "write" | "push" => Some(Level::Push),
            "maintain" => Some(Level::Maintain),
            "admin" => Some(Level::Admin),
            _ => None,
        }
    }
}

impl Grant {
    /// What `user` holds on `repo`.
    /// Errors: the record is missing, forbidden or failed.
    pub fn of(
        question: &Question,
        known: &Known,
        repo: &Repo,
        user: &Login,
    ) -> Result<Grant, Stop> {
        match known.permission(repo, user)? {
            Found::Here(record) => Ok(Grant {
                repo: repo.clone(),
                record,
            }),
            Found::Forbidden => Err(known::forbidden(
                Read::Permission(repo.clone(), user.clone()).permission(),
            )),
            Found::Missing if question.missing_collaborator_denies => {
                known.repository(repo)?;
                Err(Stop::deny(format!(
                    "`{user}` is no collaborator of `{repo}`"
                )))
            }
            Found::Missing => Err(Stop::new(
                Code::ResourceNotVisible,
                format!(
                    "GitHub has no permission record of `{user}` on `{repo}`: no collaborator, or we do not see the repository"
                ),
            )),
        }
    }

    /// Whether `level` is held.
    pub fn holds(&self, level: Level) -> Held {
        match self.record.levels {
            Some(levels) => {
                let told = Level::ALL
                    .into_iter()
                    .zip(levels)
                    .filter(|(each, _)| *each >= level);
                let mut untold = false;
                for (_, value) in told {
                    match value {
                        Some(true) => return Held::Yes,
                        Some(false) => {}
                        None => untold = true,
                    }
                }
                if untold { Held::Untold } else { Held::No }
            }
            None => match self.record.base.as_deref() {
                Some("none") => Held::No,
                Some(base) => match Level::of_role(base) {
                    Some(held) if held >= level => Held::Yes,
                    Some(_) => Held::No,
                    None => Held::Untold,
                },
                None => Held::Untold,
            },
        }
    }

    /// Whether `level` is positively held.
    pub fn has(&self, level: Level) -> bool {
        self.holds(level) == Held::Yes
    }

    /// The strongest level that is positively held.
    pub fn level(&self) -> Option<Level> {
        Level::ALL.into_iter().rev().find(|level| self.has(*level))
    }

    /// The name of a role of the organization's own making.
    pub fn custom_role(&self) -> Option<&str> {
        let name = self.record.role_name.as_deref()?;
        (!name.is_empty() && name != "none" && Level::of_role(name).is_none()).then_some(name)
    }

    /// The user's number, as rulesets name users.
    pub fn user_id(&self) -> Option<u64> {
        self.record.user_id
    }

    /// The role for a reason: the one GitHub names, else the level.
    pub fn shown(&self) -> String {
        match (self.record.role_name.as_deref(), self.level()) {
            (Some(role), _) if !role.is_empty() => Quoted::new(role).to_string(),
            (_, Some(level)) => format!("\"{}\"", level.role()),
            (_, None) => "\"none\"".into(),
        }
    }

    /// `level` must be held.
    /// Errors: it is not, or that cannot be told. Never ends in an allow by itself but for a custom role's named permission.
    pub fn require(&self, question: &Question, known: &Known, level: Level) -> Result<(), Stop> {
        match self.holds(level) {
            Held::Yes => Ok(()),
            Held::Untold => Err(Stop::unsupported(format!(
                "GitHub's permission record of `{}` on `{}` does not tell whether {} is held",
                question.user,
                self.repo,
                level.role()
            ))),
            Held::No => self.lacks(question, known, level),
        }
    }

    /// The base role has too little: a custom role may add it, a delegated right may give it, else it is a no.
    fn lacks(&self, question: &Question, known: &Known, level: Level) -> Result<(), Stop> {
        if let Some(role) = self.custom_role() {
            return custom(question, known, self, role, level);
        }
        if question.said.delegable {
            return Err(Stop::unsupported(format!(
                "`{}` lacks {} on `{}`, but others may hold this right too and who does cannot be read",
                question.user,
                level.role(),
                self.repo
            )));
        }
        Err(self.too_little(question, level))
    }

    fn too_little(&self, question: &Question, level: Level) -> Stop {
        Stop::deny(format!(
            "`{}` has the role {} on `{}`; `{}` needs {}",
            question.user,
            self.shown(),
            self.repo,
            question.action.name(),
            level.role()
        ))
    }
}

/// A custom role whose base lacks the level. None adds code push, so for that it is a no; for the rest its own list decides.
fn custom(
    question: &Question,
    known: &Known,
    grant: &Grant,
    role: &str,
    level: Level,
) -> Result<(), Stop> {
    let untold = || {
        Stop::unsupported(format!(
            "`{}` has the custom role {} on `{}`, and whether it includes {} cannot be told",
            question.user,
            Quoted::new(role),
            grant.repo,
            level.role()
        ))
    };
    let Found::Here(roles) = known.custom_roles()? else {
        return Err(untold());
    };
    let mut named = roles
        .iter()
        .filter(|each| each.name.as_deref() == Some(role));
    let (Some(found), None) = (named.next(), named.next()) else {
        return Err(untold());
    };
    let base = found.base_role.as_deref().and_then(Level::of_role);
    if found
        .permissions
        .iter()
        .any(|held| question.said.custom_permissions.contains(held))
    {
        return Ok(());
    }
    if level == Level::Push && question.pushes_code() && base.is_some_and(|base| base < Level::Push)
    {
        return Err(grant.too_little(question, level));
    }
    Err(untold())
}
