//! `toolpass catalog`: the integrations, and the keys and actions of one.

use serde::Serialize;
use toolpass_config::keys::COMMON;
use toolpass_integration::actions::ActionSpec;
use toolpass_integration::fields::{Key, KeyKind};
use toolpass_integration::integration::Integration;

use crate::arguments::Arguments;
use crate::exit::{Done, Exit, Stop};
use crate::output::{Page, counted, is_sought, quoted};

/// Run the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Done, Stop> {
    let (json, word) = (arguments.is_on("json"), arguments.value("search"));
    let page = match (arguments.operand(), word) {
        (Some(name), word) => {
            let entry = entry(integration(name)?, word);
            let is_empty =
                entry.actions.is_empty() && entry.keys.is_empty() && entry.common_keys.is_empty();
            found(is_empty, word)?;
            if json {
                Page::json(&entry)?
            } else {
                shown(&entry)
            }
        }
        (None, Some(word)) => {
            let entries: Vec<Entry<'_>> = sorted()
                .into_iter()
                .map(|one| entry(one, Some(word)))
                .collect();
            let entries: Vec<_> = entries
                .into_iter()
                .filter(|entry| !entry.actions.is_empty())
                .collect();
            found(entries.is_empty(), Some(word))?;
            if json {
                Page::json(&entries)?
            } else {
                listed(&entries)
            }
        }
        (None, None) => {
            let counts: Vec<_> = sorted().into_iter().map(count).collect();
            if json {
                Page::json(&counts)?
            } else {
                counted_actions(&counts)
            }
        }
    };
    Ok(Done {
        page,
        exit: Exit::Done,
    })
}

/// The integration of that name.
/// Errors: there is none; those there are.
pub(crate) fn integration(name: &str) -> Result<&'static dyn Integration, Stop> {
    toolpass_registry::find(name).ok_or_else(|| {
        let known = quoted(sorted().into_iter().map(Integration::name));
        Stop::Failed(format!(
            "there is no integration `{name}`; there are {known}"
        ))
    })
}

/// Every integration, by name.
pub(crate) fn sorted() -> Vec<&'static dyn Integration> {
    let mut all = toolpass_registry::all().to_vec();
    all.sort_by_key(|integration| integration.name());
    all
}

/// Errors: there is nothing to show.
pub(crate) fn found(is_empty: bool, word: Option<&str>) -> Result<(), Stop> {
    match word {
        Some(word) if is_empty => Err(Stop::Failed(format!("-search: nothing contains `{word}`"))),
        Some(_) | None => Ok(()),
    }
}

/// An integration in the list.
#[derive(Serialize)]
struct Count {
    integration: &'static str,
    actions: usize,
}

/// An integration by itself.
#[derive(Serialize)]
struct Entry<'a> {
    integration: &'static str,
    keys: Vec<KeyRow<'a>>,
    common_keys: Vec<KeyRow<'a>>,
    actions: Vec<ActionRow>,
}

#[derive(Serialize)]
struct KeyRow<'a> {
    name: &'a str,
    help: &'a str,
    required: bool,
    secret: bool,
    code_only: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    one_of: &'a [&'a str],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    connection_of: &'a [&'a str],
}

#[derive(Serialize)]
struct ActionRow {
    action: &'static str,
    effect: &'static str,
    resources: &'static [&'static str],
    description: String,
}

fn count(integration: &dyn Integration) -> Count {
    Count {
        integration: integration.name(),
        actions: integration.actions().len(),
    }
}

fn entry(integration: &dyn Integration, word: Option<&str>) -> Entry<'static> {
    let actions = integration.actions().iter().map(action_row);
    Entry {
        integration: integration.name(),
        keys: key_rows(integration.keys(), word),
        common_keys: key_rows(COMMON, word),
        actions: actions
            .filter(|row| is_sought(word, [row.action, &row.description]))
            .collect(),
    }
}

/// The keys as rows, required ones first.
fn key_rows(keys: &'static [Key], word: Option<&str>) -> Vec<KeyRow<'static>> {
    let sought = keys
        .iter()
        .filter(|key| is_sought(word, [key.name, key.help]));
    let mut rows: Vec<_> = sought.map(key_row).collect();
    rows.sort_by_key(|row| !row.required);
    rows
}

fn key_row(key: &'static Key) -> KeyRow<'static> {
    KeyRow {
        name: key.name,
        help: key.help,
        required: key.required,
        secret: key.kind == KeyKind::Secret,
        code_only: key.kind == KeyKind::Code,
        default: key.default,
        one_of: key.one_of,
        connection_of: match key.kind {
            KeyKind::Connection(integrations) => integrations,
            KeyKind::Code | KeyKind::File | KeyKind::Secret | KeyKind::Text | KeyKind::Url => &[],
        },
    }
}

fn action_row(spec: &'static ActionSpec) -> ActionRow {
    ActionRow {
        action: spec.name,
        effect: spec.effect.as_str(),
        resources: spec.on,
        description: format!("{} {}", spec.phrase, spec.on.join(" or ")),
    }
}

fn counted_actions(counts: &[Count]) -> Page {
    let mut page = Page::new();
    let rows: Vec<_> = counts
        .iter()
        .map(|row| [row.integration.into(), counted(row.actions, "action")])
        .collect();
    page.columns("", &rows);
    page
}

/// Actions of several integrations, each under its full name.
fn listed(entries: &[Entry<'_>]) -> Page {
    let rows = entries.iter().flat_map(|entry| {
        let full = |row: &ActionRow| format!("{}:{}", entry.integration, row.action);
        entry
            .actions
            .iter()
            .map(move |row| [full(row), row.effect.into(), row.description.clone()])
    });
    let mut page = Page::new();
    page.columns("", &rows.collect::<Vec<_>>());
    page
}

fn shown(entry: &Entry<'_>) -> Page {
    let mut page = Page::new();
    page.line(entry.integration);
    for (title, keys) in [
        ("keys", &entry.keys),
        ("keys of every connection", &entry.common_keys),
    ] {
        if !keys.is_empty() {
            page.line("");
            page.line(title);
            let rows: Vec<_> = keys
                .iter()
                .map(|row| [row.name.into(), format!("{}{}", row.help, notes(row))])
                .collect();
            page.columns("  ", &rows);
        }
    }
    if !entry.actions.is_empty() {
        page.line("");
        page.line("actions");
        let rows = entry.actions.iter().map(|row| {
            [
                row.action.into(),
                row.effect.into(),
                row.description.clone(),
            ]
        });
        page.columns("  ", &rows.collect::<Vec<_>>());
    }
    page
}

/// What else there is to know of a key, in parentheses.
fn notes(row: &KeyRow<'_>) -> String {
    let mut notes = Vec::new();
    for (holds, note) in [
        (row.required, "required"),
        (row.secret, "secret"),
        (row.code_only, "in code only"),
    ] {
        if holds {
            notes.push(note.to_owned());
        }
    }
    if !row.connection_of.is_empty() {
        notes.push(format!(
            "id of a connection of {}",
            row.connection_of.join(" or ")
        ));
    }
    if !row.one_of.is_empty() {
        notes.push(row.one_of.join(" | "));
    }
    if let Some(default) = row.default {
        notes.push(format!("default {default}"));
    }
    if notes.is_empty() {
        String::new()
    } else {
        format!(" ({})", notes.join("; "))
    }
}
