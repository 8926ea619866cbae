//! `toolpass probe`: whether each connection's credential works, and what an operator should change about it.

use serde::Serialize;
use toolpass_core::duration;
use toolpass_engine::lookup::ProbeReport;
use toolpass_local::Which;

use crate::arguments::Arguments;
use crate::exit::{Done, Exit, Stop};
use crate::output::{Page, quoted};
use crate::{input, local};

/// Run the command. Connections are asked at once, each within twice its timeout or within `-timeout`.
pub(crate) fn run(arguments: &Arguments) -> Result<Done, Stop> {
    let config = input::config_without_traces(arguments)?;
    let only = arguments.value("connection");
    if let Some(id) = only
        && !config
            .connections
            .iter()
            .any(|connection| connection.id == id)
    {
        let known = quoted(
            config
                .connections
                .iter()
                .map(|connection| connection.id.as_str()),
        );
        return Err(Stop::Failed(format!(
            "-connection: no connection has the id `{id}`; there are {known}"
        )));
    }
    let engine = local::engine(&config, only.map_or(Which::All, Which::Only))?;
    let ids = only.map(|id| vec![id.to_owned()]);
    let patience = match arguments.value("timeout") {
        Some(given) => {
            let read = duration::parse(given).ok().filter(|time| !time.is_zero());
            Some(read.ok_or_else(|| {
                Stop::Usage("-timeout: expected a duration above 0, such as `5s`".into())
            })?)
        }
        None => None,
    };
    let reports = local::wait(engine.probe_within(ids.as_deref(), patience))?;
    let warns = reports
        .iter()
        .flat_map(|report| &report.result)
        .any(|probe| !probe.warnings.is_empty());
    let exit = if !reports.iter().all(ProbeReport::ok) {
        Exit::Failed
    } else if warns && arguments.is_on("require-no-warnings") {
        Exit::Warned
    } else {
        Exit::Done
    };
    let page = if arguments.is_on("json") {
        json(&reports)?
    } else {
        shown(&reports)
    };
    Ok(Done { page, exit })
}

/// One JSON object a connection.
#[derive(Serialize)]
struct Line<'a> {
    connection: &'a str,
    integration: &'a str,
    ok: bool,
    text: String,
    warnings: &'a [String],
}

fn json(reports: &[ProbeReport]) -> Result<Page, Stop> {
    let mut page = Page::new();
    for report in reports {
        page.append(Page::json(&Line {
            connection: &report.id,
            integration: report.integration,
            ok: report.ok(),
            text: report.text(),
            warnings: report
                .result
                .as_ref()
                .map_or(&[], |probe| probe.warnings.as_slice()),
        })?);
    }
    Ok(page)
}

fn shown(reports: &[ProbeReport]) -> Page {
    let mut page = Page::new();
    for report in reports {
        let state = if report.ok() { "ok" } else { "FAIL" };
        page.line(&format!(
            "{state:4}  {:24}  {:16}  {}",
            report.id,
            report.integration,
            report.text()
        ));
        for warning in report.result.iter().flat_map(|probe| &probe.warnings) {
            page.line(&format!("      warning: {warning}"));
        }
    }
    page
}
