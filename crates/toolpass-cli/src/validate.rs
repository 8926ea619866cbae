//! `toolpass validate`: what is wrong with a configuration, without asking any system.

use toolpass_config::warnings;
use toolpass_local::Which;

use crate::arguments::Arguments;
use crate::exit::{Done, Exit, Stop};
use crate::output::{Page, counted, note};
use crate::{input, local};

/// Run the command. Secrets of connections are looked at for warnings; only `api_key` must be readable.
pub(crate) fn run(arguments: &Arguments) -> Result<Done, Stop> {
    let config = input::config_without_traces(arguments)?;
    local::engine(&config, Which::All)?;
    if let Some(secret) = &config.api_key {
        let read = toolpass_http::secrets::read(secret);
        read.map_err(|error| Stop::Problems(vec![format!("{}: `api_key`: {error}", config.file)]))?;
    }
    for warning in config.warnings.iter().chain(&warnings::of_secrets(&config)) {
        note(&format!("warning: {warning}"));
    }
    let mut page = Page::new();
    page.line(&format!(
        "{}: ok, {}",
        config.file,
        counted(config.connections.len(), "connection")
    ));
    for connection in &config.connections {
        page.line(&format!(
            "{:24}  {}",
            connection.id,
            connection.integration.name()
        ));
    }
    Ok(Done {
        page,
        exit: Exit::Done,
    })
}
