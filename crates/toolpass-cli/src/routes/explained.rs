//! What `toolpass routes -match` prints: the answer first, then what it was made of.

use serde::Serialize;
use toolpass_core::question::Facts;
use toolpass_core::resource::Resource;
use toolpass_wire::explain::{ExplainedRow, Explanation, Verdict};
use toolpass_wire::extract::{Need, Target};
use toolpass_wire::observe::{Observation, RowInfo, Systems};

use super::sends_out;
use crate::exit::{Done, Exit, Stop};
use crate::output::Page;

/// The page and the exit of an explanation: done when the request is understood.
pub(super) fn done(systems: &Systems, explanation: Explanation, json: bool) -> Result<Done, Stop> {
    let report = report(systems, explanation);
    let page = if json {
        Page::json(&report)?
    } else {
        shown(&report)
    };
    Ok(Done {
        page,
        exit: if report.outcome == MAPPED {
            Exit::Done
        } else {
            Exit::Failed
        },
    })
}

#[derive(Serialize)]
struct Report {
    outcome: &'static str,
    request: String,
    /// Why it is not understood.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Where it goes.
    place: String,
    connections: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    route: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    effect: Option<&'static str>,
    needs: Vec<Needed>,
    notes: Vec<String>,
    considered: Vec<Considered>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<String>,
}

/// A pair that must be allowed.
#[derive(Serialize)]
struct Needed {
    /// Whom it is asked of, when that is known.
    connection: Option<String>,
    action: Option<String>,
    target: Option<String>,
    /// The target is to be looked up first.
    is_pointer: bool,
    effect: &'static str,
    #[serde(skip_serializing_if = "Facts::is_empty")]
    facts: Facts,
}

/// A row that came into question.
#[derive(Serialize)]
struct Considered {
    verdict: String,
    method: String,
    path: String,
    action: Option<String>,
    resource: Option<String>,
}

/// An outcome and the reason for it.
type Problem = (&'static str, String);

fn report(systems: &Systems, explanation: Explanation) -> Report {
    let blank = Report {
        outcome: MAPPED,
        request: explanation.request,
        reason: None,
        place: explanation.place,
        connections: explanation.connections,
        route: None,
        effect: None,
        needs: Vec::new(),
        notes: Vec::new(),
        considered: explanation.rows.into_iter().map(considered).collect(),
        left_out: explanation.left_out.map(String::from),
    };
    match explanation.observation {
        Observation::HostMismatch { reason } => Report {
            outcome: "host mismatch",
            reason: Some(reason),
            ..blank
        },
        Observation::Served { .. } => Report {
            outcome: "named by the server",
            ..blank
        },
        Observation::UnknownHost { .. } => Report {
            outcome: "unknown host",
            reason: Some(blank.place.clone()),
            ..blank
        },
        Observation::Unmapped { effect, .. } => Report {
            outcome: "unmapped",
            reason: Some(
                blank
                    .left_out
                    .clone()
                    .unwrap_or_else(|| "no route describes it".into()),
            ),
            effect: Some(effect.as_str()),
            ..blank
        },
        Observation::Unresolved {
            row,
            effect,
            reason,
            ..
        } => Report {
            outcome: "unresolved",
            reason: Some(reason.to_string()),
            route: row.as_ref().map(route),
            effect: Some(effect.as_str()),
            notes: row.as_ref().map(notes).unwrap_or_default(),
            ..blank
        },
        Observation::Mapped {
            systems: candidates,
            row,
            needs,
            effect,
        } => {
            let (needs, problems): (Vec<_>, Vec<_>) = needs
                .into_iter()
                .map(|need| needed(systems, &candidates, need))
                .unzip();
            let (outcome, reason) = problems.into_iter().flatten().next().unzip();
            Report {
                outcome: outcome.unwrap_or(MAPPED),
                reason,
                route: Some(route(&row)),
                effect: Some(effect.as_str()),
                notes: notes(&row),
                needs,
                ..blank
            }
        }
    }
}

fn route(row: &RowInfo) -> String {
    format!("{} {}", row.method, row.template)
}

fn notes(row: &RowInfo) -> Vec<String> {
    let mut notes = Vec::new();
    notes.extend(row.sends_out.map(sends_out));
    let marks = [
        (row.untrusted_output, "answer untrusted"),
        (row.sensitive, "answer holds a secret"),
        (row.agent_sight, "answer follows the agent's sight"),
    ];
    notes.extend(
        marks
            .into_iter()
            .filter(|(holds, _)| *holds)
            .map(|(_, mark)| mark.to_owned()),
    );
    notes.extend(
        row.agent_only
            .as_ref()
            .map(|why| format!("as the agent only: {why}")),
    );
    notes
}

/// A need as it is printed; besides, when there is not one connection to ask about it, the outcome and the reason.
fn needed(systems: &Systems, candidates: &[usize], need: Need) -> (Needed, Option<Problem>) {
    let is_pointer = matches!(need.target, Some(Target::Pointer(_)));
    let selected = match (&need.target, candidates) {
        (Some(Target::Resource(text)), _) => select(systems, candidates, text).map(Some),
        (Some(Target::Pointer(_)), [only]) => Ok(Some(*only)),
        (Some(Target::Pointer(_)) | None, _) => Ok(None),
    };
    let (connection, problem) = match selected {
        Ok(index) => (index.and_then(|index| systems.get(index)), None),
        Err(problem) => (None, Some(problem)),
    };
    let needed = Needed {
        connection: connection.map(|system| system.connection.clone()),
        action: need.action.map(String::from),
        target: need.target.map(|target| match target {
            Target::Resource(resource) => resource,
            Target::Pointer(pointer) => format!("{} {}", pointer.kind, pointer.value),
        }),
        is_pointer,
        effect: need.effect.as_str(),
        facts: need.facts,
    };
    (needed, problem)
}

/// The one connection whose resource it is.
fn select(systems: &Systems, candidates: &[usize], text: &str) -> Result<usize, Problem> {
    let resource = Resource::parse(text).map_err(|invalid| ("unresolved", invalid.to_string()))?;
    let selected = systems.select(candidates, &resource);
    selected.map_err(|ambiguous| ("ambiguous connection", ambiguous.to_string()))
}

fn considered(row: ExplainedRow) -> Considered {
    Considered {
        verdict: match row.verdict {
            Verdict::Answers => "answers".into(),
            Verdict::LessSpecific => "less specific".into(),
            Verdict::OtherMethod => "other method".into(),
            Verdict::OtherPath(mismatch) => mismatch.to_string(),
        },
        method: row.method.into(),
        path: row.template.into(),
        action: row.action.map(String::from),
        resource: row.resource.map(String::from),
    }
}

fn shown(report: &Report) -> Page {
    let mut page = Page::new();
    page.line(&format!("{}  {}", report.outcome, report.request));
    let fact = |name: &str, value: &str| [name.to_owned(), value.to_owned()];
    let mut facts = Vec::new();
    facts.extend(report.reason.iter().map(|reason| fact("reason", reason)));
    if report.reason.as_ref() != Some(&report.place) {
        facts.push(fact("place", &report.place));
    }
    facts.extend(report.route.iter().map(|route| fact("route", route)));
    facts.extend(
        report
            .needs
            .iter()
            .map(|need| fact("needs", &need_line(need))),
    );
    facts.extend(report.effect.iter().map(|effect| fact("effect", effect)));
    facts.extend(report.notes.iter().map(|note| fact("note", note)));
    page.columns("  ", &facts);
    if !report.considered.is_empty() {
        page.line("considered");
        let rows = report.considered.iter().map(|row| {
            let or_none = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".into());
            [
                row.verdict.clone(),
                row.method.clone(),
                row.path.clone(),
                or_none(&row.action),
                or_none(&row.resource),
            ]
        });
        page.columns("  ", &rows.collect::<Vec<_>>());
    }
    page
}

/// `pr.create on repo:acme/app`, or that no permission is needed.
fn need_line(need: &Needed) -> String {
    let Some(action) = &need.action else {
        return "no permission".into();
    };
    let target = need.target.as_deref().unwrap_or("-");
    let facts: String = need
        .facts
        .iter()
        .map(|(name, value)| format!("  {name}={value}"))
        .collect();
    let looked_up = if need.is_pointer {
        ", to be looked up"
    } else {
        ""
    };
    let asked = need
        .connection
        .iter()
        .map(|id| format!(", asked of `{id}`"));
    format!(
        "{action} on {target}{looked_up}{}{facts}",
        asked.collect::<String>()
    )
}

const MAPPED: &str = "mapped";
