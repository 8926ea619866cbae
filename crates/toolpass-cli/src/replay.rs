//! `toolpass replay`: what a decision log's questions are answered now, where that is something else.
//!
//! Asks the systems of the configuration, so it tells a change of the configuration from none only while the systems stay as they are.
//! Tokens are in no log: a question whose groups came from one cannot be asked again, and is told so.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use toolpass_core::decision::Decision;
use toolpass_core::question::Question;
use toolpass_core::secret::REDACTED;
use toolpass_engine::engine::{Engine, MAX_BATCH};
use toolpass_local::Which;

use crate::arguments::Arguments;
use crate::exit::{Done, Exit, Stop};
use crate::output::{Page, counted};
use crate::{input, local};

/// Run the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Done, Stop> {
    let mut logged = Vec::new();
    let mut skipped = 0;
    for file in &arguments.operands {
        let text = String::from_utf8_lossy(&input::bytes("", file)?).into_owned();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            match serde_json::from_str::<Line>(line) {
                Ok(line) if line.can_be_asked() => logged.push(line),
                Ok(_) | Err(_) => skipped += 1,
            }
        }
    }
    if logged.is_empty() {
        return Err(Stop::Failed(format!(
            "no line can be asked again ({skipped} skipped); expected a decision log with whole lines whose users are not masked"
        )));
    }
    // The newest answer to a question is the one to compare with.
    let mut seen = HashSet::new();
    logged.reverse();
    logged.retain(|line| seen.insert(line.key()));
    logged.reverse();
    let config = input::config_for_many(arguments)?;
    let engine = local::engine(&config, Which::All)?;
    let answers = local::wait(ask(&engine, &logged))?;
    let pairs = logged.iter().zip(&answers);
    let changed: Vec<_> = pairs
        .filter(|(line, answer)| line.decision != answer.outcome().as_str())
        .collect();
    let mut page = Page::new();
    for (line, answer) in &changed {
        if arguments.is_on("json") {
            page.append(Page::json(&Changed::new(line, answer))?);
        } else {
            page.line(&format!(
                "{} -> {}  {}  {}  {}  {}",
                line.decision,
                answer.outcome().as_str(),
                line.user,
                line.connection,
                line.action,
                line.resource
            ));
            page.line(&format!("  was  {}: {}", line.code, line.reason));
            page.line(&format!("  now  {}", answer.reason()));
        }
    }
    if !arguments.is_on("json") {
        page.line(&format!(
            "{} asked again, {} answered otherwise, {} skipped",
            counted(logged.len(), "question"),
            changed.len(),
            counted(skipped, "line")
        ));
    }
    let exit = if changed.is_empty() {
        Exit::Done
    } else {
        Exit::Failed
    };
    Ok(Done { page, exit })
}

async fn ask(engine: &Engine, logged: &[Line]) -> Vec<Decision> {
    let mut answers = Vec::with_capacity(logged.len());
    for batch in logged.chunks(MAX_BATCH) {
        let asked: Vec<Question> = batch.iter().map(Line::question).collect();
        // A batch is never larger than is taken.
        answers.extend(engine.check_many(&asked).await.unwrap_or_default());
    }
    answers
}

/// What is read of a line of the log.
#[derive(Deserialize)]
struct Line {
    connection: String,
    user: String,
    #[serde(default)]
    groups: Vec<String>,
    action: String,
    resource: String,
    decision: String,
    code: String,
    #[serde(default)]
    reason: String,
}

impl Line {
    fn can_be_asked(&self) -> bool {
        self.user != REDACTED && !self.groups.iter().any(|group| group == REDACTED)
    }

    fn key(&self) -> (String, String, Vec<String>, String, String) {
        (
            self.connection.clone(),
            self.user.clone(),
            self.groups.clone(),
            self.action.clone(),
            self.resource.clone(),
        )
    }

    fn question(&self) -> Question {
        let (connection, user, groups, action, resource) = self.key();
        Question {
            user,
            groups,
            connection,
            action,
            resource,
            ..Question::default()
        }
    }
}

#[derive(Serialize)]
struct Changed<'a> {
    user: &'a str,
    connection: &'a str,
    action: &'a str,
    resource: &'a str,
    was: &'a str,
    was_reason: String,
    now: &'a str,
    now_reason: String,
}

impl<'a> Changed<'a> {
    fn new(line: &'a Line, answer: &'a Decision) -> Changed<'a> {
        Changed {
            user: &line.user,
            connection: &line.connection,
            action: &line.action,
            resource: &line.resource,
            was: &line.decision,
            was_reason: format!("{}: {}", line.code, line.reason),
            now: answer.outcome().as_str(),
            now_reason: answer.reason(),
        }
    }
}
