//! Why a request is what [`Systems::observe`] says it is: where it went, which rows came into question, why each lost.
//!
//! Separate because it may be slow and is only read by people (`toolpass routes -match`). It decides nothing: the answer in it
//! is the observation itself.

use std::cmp::Reverse;

use crate::matcher::Candidate;
use crate::observe::attribution::{Attribution, Start, without_own_prefix};
use crate::observe::{Observation, Systems, find};
use crate::request::WireRequest;
use crate::table::{Route, Text};
use crate::template::Mismatch;

/// An observation and how it came about.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The request, without its query.
    pub request: String,
    /// Where it goes, in words.
    pub place: String,
    /// The connections it could belong to.
    pub connections: Vec<String>,
    /// The rows that came into question, most specific first: all whose template matches, or the nearest when none answers.
    pub rows: Vec<ExplainedRow>,
    /// Why the table leaves this shape out, when it does.
    pub left_out: Option<Text>,
    /// The answer.
    pub observation: Observation,
}

/// A row that came into question.
#[derive(Clone, Debug)]
pub struct ExplainedRow {
    /// Its method.
    pub method: Text,
    /// Its template.
    pub template: Text,
    /// Its action.
    pub action: Option<Text>,
    /// Its resource template.
    pub resource: Option<Text>,
    /// What came of it.
    pub verdict: Verdict,
}

/// What came of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It answers.
    Answers,
    /// It matches, and a more specific row answers.
    LessSpecific,
    /// Its template matches, and it does not take the method.
    OtherMethod,
    /// Its template does not match.
    OtherPath(Mismatch),
}

impl Systems {
    /// Say what a request is, and why.
    pub fn explain(&self, request: &WireRequest) -> Explanation {
        let observation = self.observe(request);
        let mut explanation = Explanation {
            request: request.describe(),
            place: String::new(),
            connections: Vec::new(),
            rows: Vec::new(),
            left_out: None,
            observation,
        };
        if let Observation::HostMismatch { reason } = &explanation.observation {
            explanation.place.clone_from(reason);
            return explanation;
        }
        match self.attribute(request) {
            Attribution::Mismatch(reason) => explanation.place = reason,
            Attribution::Unknown {
                vendor_of,
                other_name,
                other_port,
            } => {
                let vendor = vendor_of.map(|vendor| format!("a host of {vendor}"));
                let port = other_port.then(|| "a host of a connection on another port".to_string());
                let besides = [other_name, vendor, port]
                    .into_iter()
                    .flatten()
                    .map(|what| format!("; it is {what}"));
                let place = format!("no connection answers `{}`", explanation.request);
                explanation.place = place + &besides.collect::<String>();
            }
            Attribution::Unclear { systems, reason } => {
                explanation.connections = self.names(&systems);
                explanation.place = reason.to_string();
            }
            Attribution::Known { systems, start, .. } => {
                explanation.connections = self.names(&systems);
                explanation.place = format!(
                    "`{}` belongs to {}",
                    request.host_key(),
                    listed(&explanation.connections)
                );
                self.explain_rows(request, &systems, start, &mut explanation);
            }
        }
        explanation
    }

    fn explain_rows(
        &self,
        request: &WireRequest,
        systems: &[usize],
        start: Start,
        explanation: &mut Explanation,
    ) {
        let table = systems
            .first()
            .and_then(|index| self.get(*index))
            .and_then(|system| system.table);
        let (Some(table), Ok(path)) = (table, request.path()) else {
            return;
        };
        let path = start.of(path);
        let path = without_own_prefix(table, path).unwrap_or(path);
        let winner = find(table, request.method(), path).map(|found| found.route);
        explanation.rows = explained(table.candidates(request.method(), path), winner);
        explanation.left_out = table
            .left_out(request.method(), path)
            .map(|row| row.reason.clone());
    }

    fn names(&self, systems: &[usize]) -> Vec<String> {
        systems
            .iter()
            .filter_map(|index| self.get(*index))
            .map(|system| system.connection.clone())
            .collect()
    }
}

fn explained(candidates: Vec<Candidate<'_>>, winner: Option<&Route>) -> Vec<ExplainedRow> {
    let closest = candidates
        .iter()
        .map(|candidate| candidate.agreement)
        .max()
        .unwrap_or(0);
    let is_near = |candidate: &&Candidate<'_>| {
        candidate.path.is_err() && winner.is_none() && closest > 0 && candidate.agreement == closest
    };
    let mut near: Vec<_> = candidates.iter().filter(is_near).collect();
    near.sort_by_key(|candidate| Reverse((candidate.takes_method, candidate.similarity)));
    let fitting = candidates.iter().filter(|candidate| candidate.path.is_ok());
    fitting
        .take(MAX_ROWS)
        .chain(near.into_iter().take(MAX_NEAR))
        .map(|candidate| explain_row(candidate, winner))
        .collect()
}

fn explain_row(candidate: &Candidate<'_>, winner: Option<&Route>) -> ExplainedRow {
    let route = candidate.route;
    let verdict = match &candidate.path {
        Err(mismatch) => Verdict::OtherPath(mismatch.clone()),
        Ok(()) if winner.is_some_and(|winner| std::ptr::eq(winner, route)) => Verdict::Answers,
        Ok(()) if !candidate.takes_method => Verdict::OtherMethod,
        Ok(()) => Verdict::LessSpecific,
    };
    ExplainedRow {
        method: route.method.clone(),
        template: route.path.clone(),
        action: route.action.clone(),
        resource: route.resource.clone(),
        verdict,
    }
}

fn listed(names: &[String]) -> String {
    names
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// How many rows are shown whose template matches.
const MAX_ROWS: usize = 20;

/// How many rows are shown that only come close: those that take the method first, then the most similar.
const MAX_NEAR: usize = 5;
