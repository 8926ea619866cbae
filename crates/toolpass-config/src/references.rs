//! References between connections: that they lead somewhere, and an order in which everything referenced comes first.

use toolpass_integration::fields::KeyKind;

use crate::config::ConnectionConfig;
use crate::error::Problem;
use crate::near::{hint, listed};

/// Check every reference of the connections that validated. `declared` holds all ids and integrations of the file, so that
/// a connection with a mistake of its own is not called unknown.
pub(crate) fn check(
    connections: &[ConnectionConfig],
    declared: &[(String, Option<&'static str>)],
    problems: &mut Vec<Problem>,
) {
    for connection in connections {
        for key in connection.integration.keys() {
            let KeyKind::Connection(wanted) = key.kind else {
                continue;
            };
            let Some(id) = connection.settings.text(key.name) else {
                continue;
            };
            let problem = if id == connection.id {
                Some("it refers to itself".into())
            } else {
                match declared.iter().find(|(known, _)| known == id) {
                    None => {
                        let ids = declared
                            .iter()
                            .map(|(known, _)| known.as_str())
                            .filter(|known| *known != connection.id);
                        Some(format!("no connection has the id `{id}`{}", hint(id, ids)))
                    }
                    Some((_, Some(found))) if !wanted.contains(found) => {
                        let wanted = listed(wanted.iter().copied(), "or");
                        Some(format!(
                            "expected a connection of {wanted}; `{id}` is of `{found}`"
                        ))
                    }
                    Some(_) => None,
                }
            };
            if let Some(problem) = problem {
                let message = format!(
                    "connection \"{}\": `{}`: {problem}",
                    connection.id, key.name
                );
                problems.push(Problem::at(connection.line, message));
            }
        }
    }
}

/// Places in `connections`, each after all it references, otherwise as they stand.
/// Errors: a cycle, naming its members in order.
pub(crate) fn order(connections: &[ConnectionConfig]) -> Result<Vec<usize>, Problem> {
    let mut walk = Walk {
        connections,
        state: vec![State::Unseen; connections.len()],
        path: Vec::new(),
        order: Vec::new(),
    };
    for place in 0..connections.len() {
        walk.visit(place)?;
    }
    Ok(walk.order)
}

struct Walk<'a> {
    connections: &'a [ConnectionConfig],
    state: Vec<State>,
    path: Vec<usize>,
    order: Vec<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Unseen,
    Open,
    Done,
}

impl Walk<'_> {
    /// Goes no deeper than a chain of references is long, and a file's connections are few.
    fn visit(&mut self, place: usize) -> Result<(), Problem> {
        let Some(connection) = self.connections.get(place) else {
            return Ok(());
        };
        match self.state.get(place) {
            Some(State::Unseen) => {}
            Some(State::Open) => return Err(self.cycle(place)),
            Some(State::Done) | None => return Ok(()),
        }
        self.mark(place, State::Open);
        self.path.push(place);
        for id in &connection.references {
            if let Some(next) = self.connections.iter().position(|other| other.id == *id) {
                self.visit(next)?;
            }
        }
        self.path.pop();
        self.mark(place, State::Done);
        self.order.push(place);
        Ok(())
    }

    fn mark(&mut self, place: usize, state: State) {
        if let Some(slot) = self.state.get_mut(place) {
            *slot = state;
        }
    }

    fn cycle(&self, place: usize) -> Problem {
        let members = self
            .path
            .iter()
            .skip_while(|member| **member != place)
            .chain([&place]);
        let ids: Vec<&str> = members
            .filter_map(|member| self.connections.get(*member))
            .map(|member| member.id.as_str())
            .collect();
        let line = self
            .connections
            .get(place)
            .and_then(|connection| connection.line);
        Problem::at(
            line,
            format!(
                "connections refer to each other in a circle: {}",
                ids.join(" -> ")
            ),
        )
    }
}
