//! Jira: project SHOP with two issues. Dana develops in it, Sam may browse. A customer's comment waits on SHOP-14.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use toolpass_standin::jira::world::{JiraWorld, Note};
use toolpass_standin::jira::{JiraStandin, demo};
use toolpass_standin::server::Transport;

use super::{Api, System, secret};
use crate::error::Error;
use crate::script::injection::COMMENT;

/// Start it.
pub(super) fn start(folder: &Path) -> Result<System, Error> {
    let running = JiraStandin::start(world(), &Transport::Plain)?;
    let login = STANDARD.encode(format!("{}:{}", demo::BOT, demo::AGENT_TOKEN));
    Ok(System {
        id: "jira",
        keys: vec![
            ("url", running.url.clone()),
            ("username", demo::BOT.to_owned()),
            ("credential", secret(folder, "jira", demo::ENGINE_TOKEN)?),
        ],
        api: Api {
            base: running.url.clone(),
            authorization: format!("Basic {login}"),
        },
        running,
    })
}

/// The stand-in's own world, with the comment.
fn world() -> JiraWorld {
    let mut world = demo::world();
    if let Some(issue) = world.issues.get_mut("SHOP-14") {
        let comment = Note {
            author: demo::SAM.to_owned(),
            body: document(COMMENT),
            role: None,
        };
        issue.comments.insert(30_101, comment);
    }
    world
}

/// A text as Jira's document format has it.
pub(crate) fn document(text: &str) -> Value {
    json!({
        "type": "doc",
        "version": 1,
        "content": [{"type": "paragraph", "content": [{"type": "text", "text": text}]}],
    })
}

/// The text of a document, its parts one after another.
pub(crate) fn text(document: &Value) -> String {
    let own = document.get("text").and_then(Value::as_str);
    let parts = document.get("content").and_then(Value::as_array);
    let parts = parts.into_iter().flatten().map(text);
    let own = own.unwrap_or_default().to_owned();
    std::iter::once(own).chain(parts).collect()
}
