//! `toolpass probe`: whether each connection's credential works, and what an operator should change about it.

use toolpass_engine::lookup::ProbeReport;
use toolpass_local::Which;

use crate::arguments::Arguments;
use crate::exit::{Done, Exit, Stop};
use crate::output::{Page, quoted};
use crate::{input, local};

/// Run the command. Connections are asked at once, each within twice its timeout.
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
    let reports = local::wait(engine.probe(ids.as_deref()))?;
    let exit = if reports.iter().all(ProbeReport::ok) {
        Exit::Done
    } else {
        Exit::Failed
    };
    Ok(Done {
        page: shown(&reports),
        exit,
    })
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
