//! `toolpass entitlements check` and `diff`: what a person or a build should know before a file of entitlements is used.

use std::path::Path;

use toolpass_entitlements::load::{Error, load};
use toolpass_guard::entitlements::diff::diff as changes;
use toolpass_guard::entitlements::read::Reading;
use toolpass_guard::entitlements::review::review;

use crate::arguments::Arguments;
use crate::exit::{Done, Exit, Stop};
use crate::output::{Page, counted, note};

/// Run `entitlements check`: what deserves a look is no failure, because a person may have looked already.
pub(crate) fn check(arguments: &Arguments) -> Result<Done, Stop> {
    let mut page = Page::new();
    for file in &arguments.operands {
        let entitlements = read(file)?.entitlements;
        let remarks = review(&entitlements);
        let tools = counted(entitlements.len(), "tool");
        let looks = match remarks.len() {
            0 => "nothing deserves a look".into(),
            1 => "1 entry deserves a look".into(),
            several => format!("{several} entries deserve a look"),
        };
        page.line(&format!("{file}: ok, {tools}, {looks}"));
        for remark in remarks {
            page.line(&format!("  {remark}"));
        }
    }
    Ok(Done {
        page,
        exit: Exit::Done,
    })
}

/// Run `entitlements diff`.
pub(crate) fn diff(arguments: &Arguments) -> Result<Done, Stop> {
    let [old, new] = arguments.operands.as_slice() else {
        return Err(Stop::Usage("expected OLD and NEW".into()));
    };
    let (old, new) = (read(old)?.entitlements, read(new)?.entitlements);
    let mut page = Page::new();
    let mut exit = Exit::Done;
    for change in changes(&old, &new) {
        let more = if change.widens() {
            exit = Exit::Failed;
            "!"
        } else {
            " "
        };
        page.line(&format!("{more} {change}"));
    }
    Ok(Done { page, exit })
}

fn read(file: &str) -> Result<Reading, Stop> {
    let reading = load(Path::new(file)).map_err(|error| match error {
        Error::Invalid(invalid) => {
            Stop::Problems(invalid.to_string().lines().map(str::to_owned).collect())
        }
        Error::Missing(_) => Stop::Failed(format!("{file}: there is no such file")),
        Error::Unusable { .. } => Stop::Failed(error.to_string()),
    })?;
    for ignored in &reading.ignored {
        match ignored.line {
            Some(line) => note(&format!("warning: {file}:{line}: {ignored}")),
            None => note(&format!("warning: {file}: {ignored}")),
        }
    }
    Ok(reading)
}
