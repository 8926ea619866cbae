//! `toolpass validate`: what is wrong with configurations, without asking any system.

use serde::Serialize;
use toolpass_config::config::Config;
use toolpass_config::warnings;
use toolpass_local::Which;

use crate::arguments::Arguments;
use crate::exit::{Done, Exit, Stop};
use crate::output::{Page, counted, note};
use crate::{input, local};

/// What became of one file.
#[derive(Serialize)]
struct Report {
    file: String,
    ok: bool,
    connections: Vec<Connection>,
    problems: Vec<String>,
    warnings: Vec<String>,
    /// Whether there is a key that callers of `serve` could show.
    serves: bool,
}

#[derive(Serialize)]
struct Connection {
    id: String,
    integration: &'static str,
}

/// Run the command. Secrets of connections are looked at for warnings; only `api_key` must be readable.
pub(crate) fn run(arguments: &Arguments) -> Result<Done, Stop> {
    let files = match arguments.operands.as_slice() {
        [] => vec![input::config_path(arguments)?],
        _ if arguments.value("config").is_some() => {
            return Err(Stop::Usage(
                "-config and files after the flags exclude each other".into(),
            ));
        }
        files => files.to_vec(),
    };
    let is_strict = arguments.is_on("strict");
    let reports = files.iter().map(|file| examine(file, is_strict));
    let reports = reports.collect::<Result<Vec<Report>, Stop>>()?;
    let is_fine = reports.iter().all(|report| report.ok);
    let page = if arguments.is_on("json") {
        let mut page = Page::new();
        for report in &reports {
            page.append(Page::json(report)?);
        }
        page
    } else {
        for report in &reports {
            for problem in &report.problems {
                note(problem);
            }
            for warning in &report.warnings {
                note(&format!("warning: {warning}"));
            }
            if report.problems.is_empty() && !report.serves {
                note(&format!(
                    "note: {}: without `api_key` or `api_keys`; fine in process, `serve` needs one",
                    report.file
                ));
            }
        }
        shown(&reports)
    };
    Ok(Done {
        page,
        exit: if is_fine { Exit::Done } else { Exit::Failed },
    })
}

/// Errors: only what makes the command line wrong.
fn examine(file: &str, is_strict: bool) -> Result<Report, Stop> {
    let mut report = Report {
        file: file.to_owned(),
        ok: false,
        connections: Vec::new(),
        problems: Vec::new(),
        warnings: Vec::new(),
        serves: false,
    };
    let config = input::load(file).and_then(|config| {
        let config = input::without_traces(config);
        local::engine(&config, Which::All)?;
        readable_key(&config)?;
        Ok(config)
    });
    match config {
        Ok(config) => {
            report.file.clone_from(&config.file);
            report.warnings.extend(config.warnings.iter().cloned());
            report.warnings.extend(warnings::of_secrets(&config));
            let connections = config.connections.iter();
            report.connections = connections
                .map(|connection| Connection {
                    id: connection.id.clone(),
                    integration: connection.integration.name(),
                })
                .collect();
            report.serves = !config.api_keys.is_empty();
            report.ok = !is_strict || report.warnings.is_empty();
        }
        Err(Stop::Problems(lines)) => report.problems = lines,
        Err(Stop::Failed(text)) => report.problems.push(text),
        Err(Stop::Usage(text)) => return Err(Stop::Usage(text)),
    }
    Ok(report)
}

fn readable_key(config: &Config) -> Result<(), Stop> {
    let Some(secret) = &config.api_key else {
        return Ok(());
    };
    toolpass_http::secrets::read(secret)
        .map(drop)
        .map_err(|error| Stop::Problems(vec![format!("{}: `api_key`: {error}", config.file)]))
}

fn shown(reports: &[Report]) -> Page {
    let mut page = Page::new();
    for report in reports.iter().filter(|report| report.problems.is_empty()) {
        let state = if report.ok { "ok" } else { "warnings" };
        page.line(&format!(
            "{}: {state}, {}",
            report.file,
            counted(report.connections.len(), "connection")
        ));
        for connection in &report.connections {
            page.line(&format!("{:24}  {}", connection.id, connection.integration));
        }
    }
    page
}
