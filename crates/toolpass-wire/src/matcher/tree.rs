//! A tree of path segments for the rows of one method.
//!
//! Every node knows the best rank at or below it, so a search leaves a branch as soon as it cannot win any more, and visits
//! no node twice. It allocates nothing.

use std::cmp::Ordering;

use crate::template::{Part, Path, PathTemplate};

/// The tree. Node 0 is the root.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    fold_case: bool,
}

#[derive(Clone, Debug)]
struct Node {
    /// Children by literal, sorted.
    literals: Vec<(Box<str>, usize)>,
    variable: Option<usize>,
    /// Rank of the row that ends here, of the one whose tail begins here, and the best at or below this node.
    ends: u32,
    tail: u32,
    best: u32,
}

impl Tree {
    pub(super) fn new(fold_case: bool) -> Tree {
        Tree {
            nodes: vec![Node::EMPTY],
            fold_case,
        }
    }

    /// Add a row; of two that end at one node the lower rank stays.
    pub(super) fn insert(&mut self, template: &PathTemplate, rank: u32) {
        let mut at = 0;
        self.improve(at, rank);
        for part in template.parts() {
            at = self.child(at, part);
            self.improve(at, rank);
        }
        if let Some(node) = self.nodes.get_mut(at) {
            let place = if template.tail().is_some() {
                &mut node.tail
            } else {
                &mut node.ends
            };
            *place = rank.min(*place);
        }
    }

    /// The lowest rank that matches.
    pub(super) fn find(&self, path: Path<'_>) -> Option<u32> {
        let mut best = NONE;
        if !path.is_gapped() {
            self.search(0, path, &mut best);
        }
        (best != NONE).then_some(best)
    }

    fn search(&self, at: usize, path: Path<'_>, best: &mut u32) {
        let Some(node) = self.nodes.get(at).filter(|node| node.best < *best) else {
            return;
        };
        let Some(segment) = path.get(0) else {
            *best = node.ends.min(*best);
            return;
        };
        if !path.is_mounted() {
            *best = node.tail.min(*best);
        }
        if let Ok(found) = node
            .literals
            .binary_search_by(|(literal, _)| self.order(literal, segment.text))
            && let Some((_, child)) = node.literals.get(found)
        {
            self.search(*child, path.skip(1), best);
        }
        if let Some(child) = node.variable
            && !path.is_mounted()
        {
            self.search(child, path.skip(1), best);
        }
    }

    fn child(&mut self, at: usize, part: &Part) -> usize {
        let next = self.nodes.len();
        let fold_case = self.fold_case;
        let Some(node) = self.nodes.get_mut(at) else {
            return at;
        };
        let (child, is_new) = match part {
            Part::Variable(_) => {
                let is_new = node.variable.is_none();
                (*node.variable.get_or_insert(next), is_new)
            }
            Part::Literal(text) => {
                let text = if fold_case {
                    text.to_ascii_lowercase()
                } else {
                    text.to_string()
                };
                match node
                    .literals
                    .binary_search_by(|(literal, _)| literal.as_ref().cmp(&text))
                {
                    Ok(found) => (
                        node.literals.get(found).map_or(next, |(_, child)| *child),
                        false,
                    ),
                    Err(place) => {
                        node.literals.insert(place, (text.into(), next));
                        (next, true)
                    }
                }
            }
        };
        if is_new {
            self.nodes.push(Node::EMPTY);
        }
        child
    }

    fn improve(&mut self, at: usize, rank: u32) {
        if let Some(node) = self.nodes.get_mut(at) {
            node.best = rank.min(node.best);
        }
    }

    fn order(&self, literal: &str, given: &str) -> Ordering {
        if self.fold_case {
            literal
                .bytes()
                .cmp(given.bytes().map(|b| b.to_ascii_lowercase()))
        } else {
            literal.cmp(given)
        }
    }
}

impl Node {
    const EMPTY: Node = Node {
        literals: Vec::new(),
        variable: None,
        ends: NONE,
        tail: NONE,
        best: NONE,
    };
}

/// No row.
const NONE: u32 = u32::MAX;
