//! The pages of an integration: keys and actions on one, routes on another.

use toolpass_core::effect::Effect;
use toolpass_integration::integration::Integration;
use toolpass_wire::matcher::RouteTable;
use toolpass_wire::table::{Audience, Route};

use super::configuration::{COLUMNS, rows};
use super::page::{code, start, table};

/// The list of integrations.
pub(super) fn index() -> String {
    let mut page = start(
        "Integrations",
        "The systems that can be asked, in the order of their registration.",
    );
    let list: Vec<Vec<String>> = toolpass_registry::all()
        .iter()
        .map(|product| {
            let name = product.name();
            let routes = product.routes().map_or_else(String::new, |table| {
                format!("[{}]({name}.routes.md)", table.rows().len())
            });
            vec![
                format!("[{name}]({name}.md)"),
                product.actions().len().to_string(),
                routes,
            ]
        })
        .collect();
    table(&mut page, "", &["integration", "actions", "routes"], &list);
    page
}

/// Its keys and actions.
pub(super) fn page(product: &dyn Integration) -> String {
    let name = product.name();
    let about = format!(
        "What it answers, the credential it needs and its limits: [its page for operators](../../integrations/toolpass-{name}/README.md). \
         Connections also take the keys of [every connection](../reference/configuration.md#of-every-connection)."
    );
    let mut page = start(name, &about);
    table(&mut page, "Keys", COLUMNS, &rows(product.keys()));
    let actions: Vec<Vec<String>> = product
        .actions()
        .iter()
        .map(|action| {
            vec![
                code(action.name),
                action
                    .on
                    .iter()
                    .map(|kind| code(kind))
                    .collect::<Vec<_>>()
                    .join(", "),
                action.effect.as_str().to_owned(),
                action.phrase.to_owned(),
            ]
        })
        .collect();
    table(
        &mut page,
        "Actions",
        &["action", "on", "effect", "in words"],
        &actions,
    );
    page
}

/// Its route table.
pub(super) fn routes(name: &str, rows: &RouteTable) -> String {
    let about = format!(
        "Which request is which action on which resource. `{{x}}` is one segment of the path, `{{x+}}` one or more to its end. Without an action \
         nothing is asked. A write in no row is refused. `toolpass routes -match 'METHOD URL' {name}` explains one request."
    );
    let mut page = start(&format!("Routes of {name}"), &about);
    let list: Vec<Vec<String>> = rows.rows().iter().map(route).collect();
    table(
        &mut page,
        "",
        &["method", "path", "action", "resource", "effect", "notes"],
        &list,
    );
    let left_out: Vec<Vec<String>> = rows
        .unrouted()
        .iter()
        .map(|shape| {
            vec![
                shape.method.to_string(),
                code(&shape.path),
                shape.reason.to_string(),
            ]
        })
        .collect();
    table(
        &mut page,
        "Left out on purpose",
        &["method", "path", "why"],
        &left_out,
    );
    page
}

fn route(route: &Route) -> Vec<String> {
    vec![
        route.method.to_string(),
        code(&route.path),
        route
            .action
            .as_ref()
            .map(|action| code(action))
            .unwrap_or_default(),
        route
            .resource
            .as_ref()
            .map(|resource| code(resource))
            .unwrap_or_default(),
        route
            .effect
            .map(Effect::as_str)
            .unwrap_or_default()
            .to_owned(),
        notes(route).join(", "),
    ]
}

fn notes(route: &Route) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(audience) = route.sends_out {
        notes.push(format!("sends out to {}", readers(audience)));
    }
    match route.untrusted_output {
        Some(true) => notes.push("outside text comes back".to_owned()),
        Some(false) => notes.push("no outside text comes back".to_owned()),
        None => {}
    }
    if route.sensitive {
        notes.push("hands out a secret".to_owned());
    }
    if route.agent_sight {
        notes.push("lists what the agent's login sees".to_owned());
    }
    if let Some(reason) = &route.agent_only {
        notes.push(format!("only as the agent: {reason}"));
    }
    if route.reads.is_some() {
        notes.push("read further".to_owned());
    }
    notes
}

fn readers(audience: Audience) -> &'static str {
    match audience {
        Audience::Public => "anyone",
        Audience::Org => "the organization",
        Audience::Internal => "a closed circle",
        Audience::Resource => "readers of the resource",
    }
}
