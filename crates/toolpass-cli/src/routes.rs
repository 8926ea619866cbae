//! `toolpass routes`: the requests an integration understands, and with `-match` what one request is.

mod difference;
mod explained;
mod request;

use serde::Serialize;
use toolpass_integration::integration::Integration;
use toolpass_wire::table::{Audience, Route, Unrouted};

use crate::arguments::Arguments;
use crate::catalog::{found, integration, sorted};
use crate::exit::{Done, Exit, Stop};
use crate::output::{Page, counted, is_sought};

/// Run the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Done, Stop> {
    let (json, word) = (arguments.is_on("json"), arguments.value("search"));
    if let Some(file) = arguments.value("diff") {
        return diff(arguments, file, json);
    }
    if let Some(text) = arguments.value("match") {
        return match word {
            Some(_) => Err(Stop::Usage("-search and -match exclude each other".into())),
            None => request::explain(arguments, text),
        };
    }
    for flag in ["body", "config"] {
        if arguments.value(flag).is_some() {
            return Err(Stop::Usage(format!("-{flag} goes with -match only")));
        }
    }
    let page = match (arguments.operand(), word) {
        (Some(name), word) => {
            let table = table(integration(name)?, word).ok_or_else(|| no_table(name))?;
            found(table.routes.is_empty() && table.left_out.is_empty(), word)?;
            if json {
                Page::json(&table)?
            } else {
                shown(&table)
            }
        }
        (None, Some(word)) => {
            let tables = sorted()
                .into_iter()
                .filter_map(|one| table(one, Some(word)));
            let tables: Vec<_> = tables.filter(|table| !table.routes.is_empty()).collect();
            found(tables.is_empty(), Some(word))?;
            if json {
                Page::json(&tables)?
            } else {
                listed(&tables)
            }
        }
        (None, None) => {
            let counts: Vec<_> = sorted().into_iter().map(count).collect();
            if json {
                Page::json(&counts)?
            } else {
                counted_routes(&counts)
            }
        }
    };
    Ok(Done {
        page,
        exit: Exit::Done,
    })
}

fn diff(arguments: &Arguments, file: &str, json: bool) -> Result<Done, Stop> {
    if let Some(flag) = ["match", "search"]
        .iter()
        .find(|flag| arguments.value(flag).is_some())
    {
        return Err(Stop::Usage(format!("-{flag} and -diff exclude each other")));
    }
    let Some(name) = arguments.operand() else {
        return Err(Stop::Usage(
            "-diff needs the INTEGRATION whose table is compared".into(),
        ));
    };
    let one = integration(name)?;
    let table = one.routes().ok_or_else(|| no_table(name))?;
    difference::done(one.name(), table, file, json)
}

fn no_table(name: &str) -> Stop {
    Stop::Failed(format!(
        "the requests of `{name}` are not described: it has no route table"
    ))
}

/// An integration in the list; no number when it has no table.
#[derive(Serialize)]
struct Count {
    integration: &'static str,
    routes: Option<usize>,
}

/// An integration's table.
#[derive(Serialize)]
struct Table<'a> {
    integration: &'static str,
    version: &'a str,
    routes: Vec<RouteRow<'a>>,
    left_out: Vec<LeftOut<'a>>,
}

#[derive(Serialize)]
struct RouteRow<'a> {
    method: &'a str,
    path: &'a str,
    action: Option<&'a str>,
    resource: Option<&'a str>,
    /// Absent where the method says it.
    effect: Option<&'static str>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct LeftOut<'a> {
    method: &'a str,
    path: &'a str,
    reason: &'a str,
}

fn count(integration: &'static dyn Integration) -> Count {
    Count {
        integration: integration.name(),
        routes: integration.routes().map(|table| table.rows().len()),
    }
}

fn table(integration: &'static dyn Integration, word: Option<&str>) -> Option<Table<'static>> {
    let table = integration.routes()?;
    let routes = table.rows().iter().map(route_row);
    let left_out = table.unrouted().iter().map(
        |Unrouted {
             method,
             path,
             reason,
         }| LeftOut {
            method,
            path,
            reason,
        },
    );
    Some(Table {
        integration: integration.name(),
        version: table.version(),
        routes: routes
            .filter(|row| {
                is_sought(
                    word,
                    [
                        row.path,
                        row.action.unwrap_or(""),
                        row.resource.unwrap_or(""),
                    ],
                )
            })
            .collect(),
        left_out: left_out
            .filter(|row| is_sought(word, [row.path, row.reason]))
            .collect(),
    })
}

fn route_row(route: &Route) -> RouteRow<'_> {
    let by_method = route.method == "*" && route.effect.is_none();
    RouteRow {
        method: &route.method,
        path: &route.path,
        action: route.action.as_deref(),
        resource: route.resource.as_deref(),
        effect: (!by_method).then(|| route.effect_of(&route.method).as_str()),
        notes: notes(route),
    }
}

fn notes(route: &Route) -> Vec<String> {
    let mut notes = Vec::new();
    notes.extend(route.sends_out.map(sends_out));
    if route.reads.is_some() {
        notes.push("resource from the body".into());
    }
    match route.untrusted_output {
        Some(true) => notes.push("answer untrusted".into()),
        Some(false) => notes.push("answer trusted".into()),
        None => {}
    }
    if route.sensitive {
        notes.push("answer holds a secret".into());
    }
    if route.agent_sight {
        notes.push("answer follows the agent's sight".into());
    }
    notes.extend(
        route
            .agent_only
            .as_ref()
            .map(|why| format!("as the agent only: {why}")),
    );
    notes
}

/// That a request puts text where others read it, and where.
fn sends_out(audience: Audience) -> String {
    let to = match audience {
        Audience::Public => " to anyone",
        Audience::Org => " to the organization",
        Audience::Internal => " to a closed circle",
        Audience::Resource => "",
    };
    format!("sends out{to}")
}

fn counted_routes(counts: &[Count]) -> Page {
    let number = |routes: Option<usize>| {
        routes.map_or_else(|| "no routes".into(), |count| counted(count, "route"))
    };
    let rows: Vec<_> = counts
        .iter()
        .map(|row| [row.integration.into(), number(row.routes)])
        .collect();
    let mut page = Page::new();
    page.columns("", &rows);
    page
}

/// Rows of several tables, each after the name of its integration.
fn listed(tables: &[Table<'_>]) -> Page {
    let rows = tables.iter().flat_map(|table| {
        table
            .routes
            .iter()
            .map(|row| [&[table.integration.to_owned()], cells(row).as_slice()].concat())
    });
    let mut page = Page::new();
    page.columns("", &rows.collect::<Vec<_>>());
    page
}

fn shown(table: &Table<'_>) -> Page {
    let mut page = Page::new();
    page.line(&format!(
        "{}: {}",
        table.integration,
        counted(table.routes.len(), "route")
    ));
    page.columns("  ", &table.routes.iter().map(cells).collect::<Vec<_>>());
    if !table.left_out.is_empty() {
        let rows = table
            .left_out
            .iter()
            .map(|row| [row.method, row.path, row.reason].map(str::to_owned));
        page.line("");
        page.line("left out on purpose");
        page.columns("  ", &rows.collect::<Vec<_>>());
    }
    page
}

fn cells(row: &RouteRow<'_>) -> [String; 6] {
    let notes = if row.notes.is_empty() {
        String::new()
    } else {
        format!("({})", row.notes.join("; "))
    };
    [
        row.method.into(),
        row.path.into(),
        row.action.unwrap_or("-").into(),
        row.resource.unwrap_or("-").into(),
        row.effect.unwrap_or("by method").into(),
        notes,
    ]
}
