//! Running pure rules over the answers of a case, and what must hold however those answers are changed.
//!
//! The rules of a vendor ask for reads of its own closed type; a case knows answers by address. [`run`] joins the two. The properties
//! then break one answer at a time: trouble never decides, and nothing wrong or missing makes an allow.

use std::fmt::Write as _;

use serde_json::{Value, json};
use toolpass_core::codes::{Code, Outcome};
use toolpass_core::decision::Decision;
use toolpass_integration::answers::{Answer, Answers, Stop};
use toolpass_integration::failure::Failure;

use crate::corpus::Case;

/// What is answered at an address, given what the case has there.
pub type Answering<'a> = &'a dyn Fn(&str, &Value) -> Result<Answer, String>;

/// A vendor's rules over a case, its reads answered by the second argument.
/// Errors: the case does not answer what is read.
pub type Decide<'a> = &'a dyn Fn(&Case, Answering<'_>) -> Result<Decision, String>;

/// Run a rule, answering what it asks for, until it ends.
/// Errors: an answer that is not there; a no that the rule did not make a decision of.
pub fn run<R: Ord + Clone>(
    rule: impl Fn(&Answers<R>) -> Result<Decision, Stop<R>>,
    answer: impl Fn(&R) -> Result<Answer, String>,
) -> Result<Decision, String> {
    let mut answers = Answers::default();
    loop {
        match rule(&answers) {
            Ok(decision) => return Ok(decision),
            Err(Stop::Failed(failure)) => return Ok(Decision::new(failure.code(), failure.text())),
            Err(Stop::Denied(_)) => return Err("a no that is no answer".into()),
            Err(Stop::Missing(reads)) => {
                for read in reads {
                    let found = answer(&read)?;
                    answers.insert(read, found);
                }
            }
        }
    }
}

/// What an answer of a case stands for: a record, or `{"$status": 404, "message": "…"}`.
/// Errors: a status nobody thought of.
pub fn answered(_: &str, value: &Value) -> Result<Answer, String> {
    let Some(status) = value.get("$status") else {
        return Ok(Answer::Body(value.clone()));
    };
    let message = value.get("message").and_then(Value::as_str);
    match status.as_u64() {
        Some(301) => Ok(Answer::Moved),
        Some(403) => Ok(Answer::Forbidden),
        Some(404) => Ok(Answer::Missing {
            message: message.unwrap_or("Not Found").to_owned(),
        }),
        Some(429) => Ok(failed(Code::UpstreamRateLimited, "limited")),
        Some(500) => Ok(failed(Code::UpstreamError, "status 500")),
        _ => Err(format!("no answer for the status {status}")),
    }
}

/// A read that fails, or answers with something else than it should, never says yes or no.
/// Errors: every case in which it did.
pub fn trouble_decides_nothing(cases: &[(usize, Case)], decide: Decide<'_>) -> Result<(), String> {
    let troubles = [
        ("500", failed(Code::UpstreamError, "status 500")),
        ("a timeout", failed(Code::UpstreamTimeout, "late")),
        ("another type", Answer::Body(json!("text"))),
        ("a move", Answer::Moved),
    ];
    let mut problems = Problems::default();
    for (line, case) in cases {
        let usual = case.expected().outcome();
        for (trouble, answer) in &troubles {
            for at in addresses(case) {
                let broken = |address: &str, value: &Value| {
                    if address == at {
                        Ok(answer.clone())
                    } else {
                        answered(address, value)
                    }
                };
                // A read the other answer would have asked for is not in the case: as unknown as a failure.
                let Ok(decision) = decide(case, &broken) else {
                    continue;
                };
                if decision.outcome() != usual && decision.outcome() != Outcome::Unknown {
                    problems.add(*line, case, &format!("{trouble} at {at}"), &decision);
                }
            }
        }
    }
    problems.end()
}

/// Any one member of a record of the wrong type, or gone, never turns a no into a yes; but for those whose absence says so.
/// Errors: every case in which it did.
pub fn nothing_wrong_makes_an_allow(
    cases: &[(usize, Case)],
    absence_says_no: &[&str],
    decide: Decide<'_>,
) -> Result<(), String> {
    let mut problems = Problems::default();
    for (line, case) in cases {
        if case.expected().outcome() == Outcome::Allow {
            continue;
        }
        for at in addresses(case) {
            let Ok(Value::Object(record)) = case.answers.get(&at).cloned() else {
                continue;
            };
            if record.contains_key("$status") {
                continue; // no record
            }
            let names = record.keys();
            for name in names.filter(|name| !absence_says_no.contains(&name.as_str())) {
                for change in [None, Some(json!([7]))] {
                    let mut changed = record.clone();
                    match change {
                        Some(wrong) => changed.insert(name.clone(), wrong),
                        None => changed.remove(name),
                    };
                    let changed = Value::Object(changed);
                    let altered = |address: &str, value: &Value| {
                        answered(address, if address == at { &changed } else { value })
                    };
                    match decide(case, &altered) {
                        Ok(decision) if decision.outcome() == Outcome::Allow => {
                            problems.add(*line, case, &format!("`{name}` at {at}"), &decision);
                        }
                        Ok(_) | Err(_) => {}
                    }
                }
            }
        }
    }
    problems.end()
}

fn addresses(case: &Case) -> Vec<String> {
    case.answers.addresses().map(str::to_owned).collect()
}

fn failed(code: Code, text: &str) -> Answer {
    Answer::Failed(Failure::new(code, text))
}

#[derive(Default)]
struct Problems(String);

impl Problems {
    fn add(&mut self, line: usize, case: &Case, what: &str, found: &Decision) {
        // Writing to a string cannot fail.
        let _ = write!(
            self.0,
            "\nline {line}, {}: {what} made it {}",
            case.name,
            found.reason()
        );
    }

    fn end(self) -> Result<(), String> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(self.0)
        }
    }
}
