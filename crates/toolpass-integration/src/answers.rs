//! How pure rules and reads at the edge work together: a rule asks, the edge reads, the rule runs again.
//!
//! A rule is a plain function written as if everything were known. It asks [`Answers`] for what it needs; what is not there yet stops it
//! with [`Stop::Missing`]. [`settle`] makes those reads, several at a time, and runs the rule again from the top, with more known, until it
//! ends. So a vendor's rules stay pure, decide themselves what is worth reading, and run over answers from a file as well as over its
//! system's. A read is the vendor's own closed type, one variant per endpoint.
//!
//! INVARIANT: a failed read is never an absent record. A run ends: every round reads something new, and at most [`MAX_READS`] are made.

use std::collections::BTreeMap;

use serde_json::Value;
use toolpass_core::codes::Code;
use toolpass_http::error::Error;
use toolpass_http::json::Json;

use crate::failure::Failure;

/// The most reads one run makes.
pub const MAX_READS: usize = 64;

/// What a system answered to one read.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A record or a whole list.
    Body(Value),
    /// The read did not come to an answer.
    Failed(Failure),
    /// Our credential may not read it, and that is no question of how often it asks.
    Forbidden,
    /// It is not there, or our credential does not see it.
    Missing {
        /// What the system says is missing; compared with its fixed texts, never shown.
        message: String,
    },
    /// It is somewhere else now; a redirection is never followed.
    Moved,
}

/// A record as a rule sees it.
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
pub enum Stop<R> {
    /// The system positively says no, for this reason.
    Denied(String),
    /// There is no answer.
    Failed(Failure),
    /// These must be read first.
    Missing(Vec<R>),
}

/// What was answered so far.
#[derive(Clone, Debug)]
pub struct Answers<R> {
    by_read: BTreeMap<R, Answer>,
}

/// Run `rule`, make the reads it asks for, and run it again, until it ends.
/// Errors: what a read failed with; `unsupported` when the rule denies though it was asked for something else than a decision,
/// or asks for more than [`MAX_READS`].
pub async fn settle<R, T, F>(
    read: impl Fn(Vec<R>) -> F,
    rule: impl Fn(&Answers<R>) -> Result<T, Stop<R>>,
) -> Result<T, Failure>
where
    R: Ord,
    F: Future<Output = Vec<(R, Answer)>>,
{
    let mut answers = Answers::default();
    loop {
        let wanted = match rule(&answers) {
            Ok(end) => return Ok(end),
            Err(Stop::Denied(text)) => return Err(Failure::unsupported(text)),
            Err(Stop::Failed(failure)) => return Err(failure),
            Err(Stop::Missing(wanted)) => wanted,
        };
        let known = answers.by_read.len();
        if known + wanted.len() > MAX_READS {
            return Err(Failure::unsupported(
                "one check would have to read more than is read for one",
            ));
        }
        for (read, answer) in read(wanted).await {
            answers.insert(read, answer);
        }
        if answers.by_read.len() == known {
            return Err(Failure::new(
                Code::UpstreamError,
                "a rule asks again for what was read",
            ));
        }
    }
}

impl<R: Ord> Answers<R> {
    /// Take an answer.
    pub fn insert(&mut self, read: R, answer: Answer) {
        self.by_read.insert(read, answer);
    }

    /// Ask for several reads that do not wait for each other.
    /// Errors: [`Stop::Missing`] with those that were not made.
    pub fn all(&self, reads: impl IntoIterator<Item = R>) -> Result<(), Stop<R>> {
        let missing: Vec<R> = reads
            .into_iter()
            .filter(|read| !self.by_read.contains_key(read))
            .collect();
        if missing.is_empty() {
            Ok(())
        } else {
            Err(Stop::Missing(missing))
        }
    }

    /// The answer to a read.
    /// Errors: [`Stop::Missing`] when it was not made.
    pub fn get(&self, read: R) -> Result<&Answer, Stop<R>> {
        match self.by_read.get(&read) {
            Some(answer) => Ok(answer),
            None => Err(Stop::Missing(vec![read])),
        }
    }

    /// The record a read answers with, read strictly.
    /// Errors: [`Stop::Missing`] when it was not made, [`Stop::Failed`] when it failed, moved, or answers with another shape.
    pub fn record<T>(
        &self,
        read: R,
        parse: fn(Json<'_>) -> Result<T, Error>,
    ) -> Result<Found<T>, Stop<R>> {
        match self.get(read)? {
            Answer::Body(value) => Ok(Found::Here(parse(Json::new(value))?)),
            Answer::Failed(failure) => Err(Stop::Failed(failure.clone())),
            Answer::Forbidden => Ok(Found::Forbidden),
            Answer::Missing { .. } => Ok(Found::Missing),
            Answer::Moved => Err(Stop::unsupported(
                "it was renamed or moved; name it as it is called now",
            )),
        }
    }
}

impl<R> Default for Answers<R> {
    fn default() -> Answers<R> {
        Answers {
            by_read: BTreeMap::new(),
        }
    }
}

impl<R> Stop<R> {
    /// There is no answer, for the reason of `code`.
    pub fn new(code: Code, text: impl AsRef<str>) -> Stop<R> {
        Stop::Failed(Failure::new(code, text))
    }

    /// It cannot be evaluated.
    pub fn unsupported(text: impl AsRef<str>) -> Stop<R> {
        Stop::Failed(Failure::unsupported(text))
    }

    /// The system positively says no.
    pub fn deny(text: impl Into<String>) -> Stop<R> {
        Stop::Denied(text.into())
    }
}

impl<R> From<Error> for Stop<R> {
    fn from(error: Error) -> Stop<R> {
        Stop::Failed(error.into())
    }
}

impl<R> From<Failure> for Stop<R> {
    fn from(failure: Failure) -> Stop<R> {
        Stop::Failed(failure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn number(json: Json<'_>) -> Result<u64, Error> {
        json.uint()
    }

    /// Answers a read with itself.
    async fn echo(reads: Vec<u64>) -> Vec<(u64, Answer)> {
        reads
            .into_iter()
            .map(|read| (read, Answer::Body(json!(read))))
            .collect()
    }

    #[tokio::test]
    async fn a_rule_is_run_until_it_knows_enough() {
        let sum = |answers: &Answers<u64>| {
            answers.all([1, 2])?;
            let Found::Here(more) = answers.record(40, number)? else {
                return Err(Stop::unsupported("gone"));
            };
            Ok(more + 2)
        };
        assert_eq!(settle(echo, sum).await.unwrap(), 42);
    }

    #[tokio::test]
    async fn a_run_ends() {
        let greedy =
            |answers: &Answers<u64>| -> Result<(), Stop<u64>> { answers.all(0..=MAX_READS as u64) };
        assert_eq!(
            settle(echo, greedy).await.unwrap_err().code(),
            Code::Unsupported
        );
        let deaf = |reads: Vec<u64>| async move {
            drop(reads);
            Vec::new()
        };
        let asks = |answers: &Answers<u64>| answers.record(1, number);
        assert_eq!(
            settle(deaf, asks).await.unwrap_err().code(),
            Code::UpstreamError
        );
    }

    #[test]
    fn each_answer_has_its_meaning() {
        let mut answers = Answers::default();
        let failed = Failure::new(Code::UpstreamTimeout, "late");
        for (read, answer) in [
            (1, Answer::Body(json!(7))),
            (2, Answer::Body(json!("7"))),
            (3, Answer::Failed(failed)),
            (4, Answer::Forbidden),
            (
                5,
                Answer::Missing {
                    message: String::new(),
                },
            ),
            (6, Answer::Moved),
        ] {
            answers.insert(read, answer);
        }
        let code = |read| match answers.record(read, number) {
            Err(Stop::Failed(failure)) => Err(failure.code()),
            Err(Stop::Denied(_) | Stop::Missing(_)) => panic!("{read}"),
            Ok(found) => Ok(found),
        };
        assert_eq!(code(1), Ok(Found::Here(7)));
        assert_eq!(code(2), Err(Code::UpstreamError));
        assert_eq!(code(3), Err(Code::UpstreamTimeout));
        assert_eq!(code(4), Ok(Found::Forbidden));
        assert_eq!(code(5), Ok(Found::Missing));
        assert_eq!(code(6), Err(Code::Unsupported));
        assert!(matches!(answers.record(7, number), Err(Stop::Missing(reads)) if reads == [7]));
    }
}
