//! `toolpass audit verify`: whether audit files are as they were written.

use std::path::Path;

use toolpass_audit::line::Hash;
use toolpass_audit::verify::{Report, holds, verify};

use crate::arguments::Arguments;
use crate::exit::{Done, Exit, Stop};
use crate::output::{Page, counted};

/// Run the command. Each file must continue the one named before it.
pub(crate) fn run(arguments: &Arguments) -> Result<Done, Stop> {
    let noted = arguments.value("holds").map(noted).transpose()?;
    let mut page = Page::new();
    let mut exit = Exit::Done;
    let mut before = None;
    for file in &arguments.operands {
        let report = verify(Path::new(file), before).map_err(failed)?;
        show(&mut page, file, &report, before.is_some());
        before = report.last.filter(|_| report.problem.is_none());
        if report.problem.is_some() {
            exit = Exit::Failed;
        }
    }
    if let Some(hash) = noted
        && !any_holds(&arguments.operands, hash)?
    {
        page.line(&format!("no file holds the line {hash}"));
        exit = Exit::Failed;
    }
    Ok(Done { page, exit })
}

fn show(page: &mut Page, file: &str, report: &Report, follows: bool) {
    let lines = counted(usize::try_from(report.lines).unwrap_or(usize::MAX), "line");
    match &report.problem {
        None => page.line(&format!("{file}: ok, {lines}")),
        Some(problem) => {
            page.line(&format!("{file}:{}: {}", problem.line, problem.fault));
            page.line(&format!("  unharmed   {lines} before it"));
        }
    }
    if let Some(hash) = report.continues.filter(|_| !follows) {
        page.line(&format!("  continues  {hash}"));
    }
    if report.dropped > 0 {
        let dropped = usize::try_from(report.dropped).unwrap_or(usize::MAX);
        page.line(&format!(
            "  dropped    {}",
            counted(dropped, "unfinished line")
        ));
    }
    if let Some(hash) = report.last {
        page.line(&format!("  last       {hash}"));
    }
}

fn any_holds(files: &[String], hash: Hash) -> Result<bool, Stop> {
    for file in files {
        if holds(Path::new(file), hash).map_err(failed)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn noted(text: &str) -> Result<Hash, Stop> {
    Hash::parse(text.as_bytes())
        .ok_or_else(|| Stop::Usage("-holds takes 64 digits from `0` to `9` and `a` to `f`".into()))
}

fn failed(error: toolpass_audit::error::Error) -> Stop {
    Stop::Failed(error.to_string())
}
