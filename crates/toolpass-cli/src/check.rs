//! `toolpass check`: one question, or many, asked of the systems themselves or of a server, and their decisions.
//!
//! The exit is the decision's, or the worst of many, so a script needs no more. For one question only the connection asked and those
//! it references are built.

use toolpass_core::codes::Code;
use toolpass_core::decision::Decision;
use toolpass_core::question::Question;
use toolpass_engine::caller::Caller;
use toolpass_engine::engine::{Engine, MAX_BATCH};
use toolpass_local::Which;

use crate::arguments::Arguments;
use crate::exit::{Done, Exit, Stop};
use crate::output::Page;
use crate::{decision, input, local, question, remote};

/// Run the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Done, Stop> {
    if arguments.value("server").is_none()
        && let Some(flag) = remote::OWN
            .iter()
            .find(|flag| arguments.value(flag).is_some())
    {
        return Err(Stop::Usage(format!("-{flag} goes with -server only")));
    }
    match arguments.value("batch") {
        Some(_) if arguments.value("server").is_some() => {
            Err(Stop::Usage("-batch does not go with -server".into()))
        }
        Some(file) => many(arguments, file),
        None => one(arguments),
    }
}

fn one(arguments: &Arguments) -> Result<Done, Stop> {
    let missing: Vec<_> = REQUIRED
        .iter()
        .filter(|flag| arguments.value(flag).is_none_or(str::is_empty))
        .map(|flag| format!("-{flag}"))
        .collect();
    if !missing.is_empty() {
        return Err(Stop::Usage(format!("required: {}", missing.join(", "))));
    }
    let question = question::of_flags(arguments)?;
    if let Some(server) = arguments.value("server") {
        return remote::ask(arguments, server, &question);
    }
    let config = input::config_without_traces(arguments)?;
    let engine = local::engine(&config, Which::Only(&question.connection))?;
    let caller = Caller::default();
    let explained = local::wait(engine.explain(&question, &caller))?;
    let decided = &explained.decision;
    let explains = arguments.is_on("explain");
    let page = match arguments.value("json") {
        Some("v1") => decision::json(decided, true)?,
        Some("true") if explains => Page::of_json(&explained.json()),
        Some("true") => decision::json(decided, false)?,
        _ => {
            let mut page = Page::new();
            page.line(decided.outcome().as_str());
            page.line(&format!("  {}", decided.reason()));
            for line in explained.lines().iter().filter(|_| explains) {
                page.line(&format!("  {line}"));
            }
            page
        }
    };
    let exit = decision::exit(decided);
    Ok(Done { page, exit })
}

/// Every line of a file is a question; every line printed is its decision. The flags say what a line does not.
fn many(arguments: &Arguments, file: &str) -> Result<Done, Stop> {
    if arguments.is_on("explain") {
        return Err(Stop::Usage(
            "-explain is for one question, not for -batch".into(),
        ));
    }
    if file.is_empty() || (file == input::STDIN && arguments.value("config") == Some(input::STDIN))
    {
        return Err(Stop::Usage(
            "-batch: expected a file, or `-` for standard input when -config is not read from there"
                .into(),
        ));
    }
    let otherwise = question::of_flags(arguments)?;
    let text = String::from_utf8(input::bytes("batch", file)?)
        .map_err(|_| Stop::Failed(format!("-batch `{file}`: expected a text in UTF-8")))?;
    let lines: Vec<Result<Question, String>> = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(number, line)| {
            question::of_line(line, &otherwise).map_err(|why| format!("line {}: {why}", number + 1))
        })
        .collect();
    let config = input::config_for_many(arguments)?;
    let engine = local::engine(&config, Which::All)?;
    let is_v1 = arguments.value("json") == Some("v1");
    let answers = local::wait(answer(&engine, &lines))?;
    let mut page = Page::new();
    let mut worst = Exit::Done;
    for answer in &answers {
        page.append(decision::json(answer, is_v1)?);
        worst = worse(worst, decision::exit(answer));
    }
    Ok(Done { page, exit: worst })
}

/// The answers in order of the lines, asked a batch at a time.
async fn answer(engine: &Engine, lines: &[Result<Question, String>]) -> Vec<Decision> {
    let mut answers = Vec::with_capacity(lines.len());
    for batch in lines.chunks(MAX_BATCH) {
        let asked: Vec<Question> = batch.iter().flatten().cloned().collect();
        // A batch is never larger than is taken.
        let decided = engine.check_many(&asked).await.unwrap_or_default();
        let mut decided = decided.into_iter();
        answers.extend(batch.iter().map(|line| match line {
            Ok(_) => decided.next().unwrap_or_else(unanswered),
            Err(why) => {
                let mut refused = Decision::unknown(Code::InvalidRequest, why);
                refused.status = 400;
                refused
            }
        }));
    }
    answers
}

fn unanswered() -> Decision {
    Decision::unknown(Code::UpstreamError, "the question was not answered")
}

/// Unknown is worse than deny, which is worse than allow.
fn worse(one: Exit, other: Exit) -> Exit {
    if other.code() > one.code() {
        other
    } else {
        one
    }
}

const REQUIRED: [&str; 4] = ["connection", "user", "action", "resource"];
