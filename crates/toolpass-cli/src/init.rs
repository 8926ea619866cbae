//! `toolpass init`: a first configuration for named integrations, every key explained, and the least credential each needs.
//!
//! Made of the tables the integrations declare, so it says what `validate` accepts.

use std::fs::OpenOptions;
use std::io::Write as _;

use toolpass_config::keys::{COMMON, TOP};
use toolpass_integration::fields::{Key, KeyKind};
use toolpass_integration::integration::Integration;

use crate::arguments::Arguments;
use crate::exit::{Done, Exit, Stop};
use crate::output::{Page, quoted};

/// Run the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Done, Stop> {
    let mut chosen: Vec<&dyn Integration> = Vec::new();
    for name in &arguments.operands {
        let found = toolpass_registry::find(name).ok_or_else(|| {
            let known = quoted(toolpass_registry::all().iter().map(|one| one.name()));
            Stop::Failed(format!(
                "there is no integration `{name}`; there are {known}"
            ))
        })?;
        chosen.push(found);
    }
    let mut page = Page::new();
    page.line("# toolpass.yaml: what is asked, and with which credential. `toolpass validate` checks it, `toolpass probe` tries it.");
    for key in TOP {
        explained(&mut page, "", key);
    }
    page.line("connections:");
    for (index, integration) in chosen.iter().enumerate() {
        let again = chosen
            .iter()
            .take(index)
            .filter(|earlier| earlier.name() == integration.name())
            .count();
        connection(&mut page, *integration, again);
    }
    let Some(path) = arguments.value("out") else {
        return Ok(Done {
            page,
            exit: Exit::Done,
        });
    };
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
        .and_then(|mut file| file.write_all(page.text().as_bytes()));
    written.map_err(|error| Stop::Failed(format!("-out `{path}`: {error}")))?;
    let mut done = Page::new();
    done.line(&format!(
        "{path}: written; fill it in, then `toolpass validate -config {path}`"
    ));
    Ok(Done {
        page: done,
        exit: Exit::Done,
    })
}

fn connection(page: &mut Page, integration: &dyn Integration, again: usize) {
    let name = integration.name();
    let id = if again == 0 {
        name.to_owned()
    } else {
        format!("{name}-{}", again + 1)
    };
    page.line(&format!("  - id: {id}"));
    page.line(&format!("    integration: {name}"));
    for line in integration.least_credential() {
        page.line(&format!("    # {line}"));
    }
    let (required, optional): (Vec<&Key>, Vec<&Key>) =
        integration.keys().iter().partition(|key| key.required);
    for key in required {
        page.line(&format!("    # {}", key.help));
        page.line(&format!("    {}: {}", key.name, example(name, key)));
    }
    for key in optional.into_iter().filter(|key| key.kind != KeyKind::Code) {
        page.line(&format!(
            "    # {}: {}  # {}",
            key.name,
            example(name, key),
            key.help
        ));
    }
    let common = COMMON.iter().filter(|key| !key.required);
    let common: Vec<&str> = common.map(|key| key.name).collect();
    page.line(&format!(
        "    # Also taken, as by every connection: {}.",
        common.join(", ")
    ));
}

fn explained(page: &mut Page, indent: &str, key: &Key) {
    let value = example("toolpass", key);
    page.line(&format!("{indent}# {}: {value}  # {}", key.name, key.help));
}

/// A value that shows the form.
fn example(integration: &str, key: &Key) -> String {
    if let Some(default) = key.default.or(key.one_of.first().copied()) {
        return if default.contains([':', '{', '#']) {
            format!("'{default}'")
        } else {
            default.to_owned()
        };
    }
    match key.kind {
        KeyKind::Secret => format!("env:{}_{}", integration, key.name)
            .to_ascii_uppercase()
            .replacen("ENV:", "env:", 1),
        KeyKind::Url => "https://CHANGE.example".to_owned(),
        KeyKind::Connection(integrations) => {
            integrations.first().copied().unwrap_or("other").to_owned()
        }
        KeyKind::Code | KeyKind::File | KeyKind::Text => "CHANGE".to_owned(),
    }
}
