//! The five systems, each a stand-in on loopback laid out as the company has it.
//!
//! One file a system: what it holds, the connection that toolpass asks it by, and the login that the tools use. A stand-in
//! answers toolpass's look-ups and the tools' work alike, in the vendor's own protocol, and refuses a wrong credential.

pub(crate) mod github;
pub(crate) mod jira;
mod kubernetes;
pub(crate) mod linear;
pub(crate) mod slack;

use std::path::Path;

use toolpass_standin::server::Running;

use crate::error::Error;

/// A system that runs.
pub(crate) struct System {
    /// The connection's id, and the name of the integration.
    pub(crate) id: &'static str,
    /// The stand-in.
    pub(crate) running: Running,
    /// The connection's keys, beside its id and integration.
    pub(crate) keys: Vec<(&'static str, String)>,
    /// How tools reach it.
    pub(crate) api: Api,
}

/// How tools reach a system: where its interface is, and the header that says who they are.
#[derive(Clone)]
pub(crate) struct Api {
    /// The start of every address.
    pub(crate) base: String,
    /// `Authorization`, of the agent's own login.
    pub(crate) authorization: String,
}

/// Start all of them. What toolpass logs in with is put into `folder`.
pub(crate) fn start(folder: &Path) -> Result<Vec<System>, Error> {
    Ok(vec![
        github::start(folder)?,
        jira::start(folder)?,
        kubernetes::start(folder)?,
        linear::start(folder)?,
        slack::start(folder)?,
    ])
}

/// The connections of a configuration, as YAML.
pub(crate) fn connections<'s>(systems: impl Iterator<Item = &'s System>) -> String {
    let mut text = String::from("connections:\n");
    for System { id, keys, .. } in systems {
        text.push_str(&format!("  - id: {id}\n    integration: {id}\n"));
        for (key, value) in keys {
            let value = serde_json::Value::from(value.as_str());
            text.push_str(&format!("    {key}: {value}\n"));
        }
    }
    text
}

/// Put what toolpass logs in with into a file of the folder; how the configuration names it.
fn secret(folder: &Path, name: &str, value: &str) -> Result<String, Error> {
    std::fs::write(folder.join(name), value)?;
    Ok(format!("file:{name}"))
}
