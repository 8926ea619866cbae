//! How a row of the tables says what is asked of which id.
//!
//! A path is the name of an argument, or of a member of the argument `input` (`input.teamId`); a list is asked about element by
//! element. An id becomes part of a resource only after its type in `resource` took it.

use toolpass_core::question::Pointer;
use toolpass_wire::extract::Pair;
use toolpass_wire::field::Unresolved;
use toolpass_wire::graphql::input::Input;
use toolpass_wire::json::Json;

use crate::actions::Action;
use crate::pointer::WANT;
use crate::resource::{Kind, Name};

/// An action asked of what an id names.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ask {
    action: Action,
    on: On,
    path: &'static str,
    maybe: bool,
    fact: Option<&'static str>,
}

/// What an id names.
#[derive(Clone, Copy, Debug)]
enum On {
    Issue,
    Project,
    Team,
    Thing(Kind),
    /// What a thing belongs to: `issue`, `project`, `team` or `pipeline`.
    Via(Kind, &'static str),
    Workspace,
}

impl Ask {
    /// Only where the path says something.
    pub(super) const fn maybe(mut self) -> Ask {
        self.maybe = true;
        self
    }

    /// With a fact that is set.
    pub(super) const fn with(mut self, fact: &'static str) -> Ask {
        self.fact = Some(fact);
        self
    }

    /// The argument or member it reads.
    pub(super) const fn path(&self) -> &'static str {
        self.path
    }

    /// Whether its path must be given.
    pub(super) const fn is_needed(&self) -> bool {
        !self.maybe && !self.path.is_empty()
    }

    /// Whether the arguments say something at its path.
    pub(super) fn is_given(&self, arguments: Input<'_>) -> Result<bool, Unresolved> {
        let (input, name) = place(arguments, self.path)?;
        Ok(input.member(name).is_some())
    }

    /// The pairs of a root with these arguments.
    /// Errors: [`Unresolved`] for an id that is absent, of another type or outside its grammar.
    pub(super) fn pairs(&self, arguments: Input<'_>) -> Result<Vec<Pair>, Unresolved> {
        if let On::Workspace = self.on {
            let asks = self.path.is_empty() || self.is_given(arguments)?;
            let pair = asks.then(|| self.pair("workspace".to_owned(), None));
            return Ok(pair.into_iter().collect());
        }
        let (input, name) = place(arguments, self.path)?;
        let ids = match input.member(name) {
            None if self.maybe => Vec::new(),
            Some(Json::Array(_)) => input.texts(name)?,
            Some(_) | None => vec![input.text(name)?],
        };
        if ids.is_empty() && !self.maybe {
            return Err(Unresolved::new(format!("the list `{name}` is empty")));
        }
        ids.into_iter().map(|id| self.of(id)).collect()
    }

    /// The pair of one id.
    /// Errors: as [`Ask::pairs`].
    pub(super) fn of(&self, id: &str) -> Result<Pair, Unresolved> {
        let expected = |what: &str| Unresolved::new(format!("expected {what} as `{}`", self.path));
        let named = |name: Option<Name>, kind: &str, what: &str| match name {
            Some(name) => Ok(self.pair(format!("{kind}:{name}"), None)),
            None => Err(expected(what)),
        };
        match self.on {
            On::Issue => named(Name::issue(id), "issue", "an issue's identifier or id"),
            On::Project => named(Name::project(id), "project", "a project's slug or id"),
            On::Team => named(Name::team(id), "team", "a team's key or id"),
            On::Thing(kind) => named(Name::thing(id), kind.name(), "an id"),
            On::Via(kind, want) => {
                let name = Name::thing(id).ok_or_else(|| expected("an id"))?;
                Ok(self.pair(name.to_string(), Some((kind, want))))
            }
            On::Workspace => Ok(self.pair("workspace".to_owned(), None)),
        }
    }

    fn pair(&self, name: String, via: Option<(Kind, &str)>) -> Pair {
        let action = self.action.name();
        let pair = match via {
            None => Pair::on(action, name),
            Some((kind, want)) => Pair::at(
                action,
                Pointer {
                    kind: kind.name().to_owned(),
                    value: name,
                    parts: [(WANT.to_owned(), want.to_owned())].into(),
                },
            ),
        };
        match self.fact {
            Some(fact) => pair.fact(fact, "1"),
            None => pair,
        }
    }
}

/// Asked of the workspace.
pub(super) const fn workspace(action: Action) -> Ask {
    ask(action, On::Workspace, "")
}

/// Asked of the workspace, because of what stands at the path.
pub(super) const fn workspace_by(action: Action, path: &'static str) -> Ask {
    ask(action, On::Workspace, path)
}

/// Asked of an issue.
pub(super) const fn issue(action: Action, path: &'static str) -> Ask {
    ask(action, On::Issue, path)
}

/// Asked of a project.
pub(super) const fn project(action: Action, path: &'static str) -> Ask {
    ask(action, On::Project, path)
}

/// Asked of a team.
pub(super) const fn team(action: Action, path: &'static str) -> Ask {
    ask(action, On::Team, path)
}

/// Asked of a thing.
pub(super) const fn thing(action: Action, kind: Kind, path: &'static str) -> Ask {
    ask(action, On::Thing(kind), path)
}

/// Asked of what a thing belongs to.
pub(super) const fn via(action: Action, kind: Kind, want: &'static str, path: &'static str) -> Ask {
    ask(action, On::Via(kind, want), path)
}

const fn ask(action: Action, on: On, path: &'static str) -> Ask {
    Ask {
        action,
        on,
        path,
        maybe: false,
        fact: None,
    }
}

/// Where a path leads: the arguments or the input, and the name in it.
pub(super) fn place<'f>(
    arguments: Input<'f>,
    path: &'static str,
) -> Result<(Input<'f>, &'static str), Unresolved> {
    match path.split_once('.') {
        Some((outer, name)) => Ok((arguments.object(outer)?, name)),
        None => Ok((arguments, path)),
    }
}
