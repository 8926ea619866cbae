//! From keys and values as written to a configuration without mistakes, every problem of the pass told at once.
//!
//! The order is top-level keys, each connection by itself, then, over the connections that validated, their references.
//! A value's problem stands at the value's line, an unknown or repeated key's at the key's, a missing key's at the `id`, a
//! missing `id` or `integration` and a bad reference at the connection's first line.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use toolpass_core::secret::SecretRef;
use toolpass_integration::fields::{KeyKind, Settings};
use toolpass_integration::integration::Integration;

use crate::block::{Block, Checked, repeated, shown};
use crate::config::{Config, ConnectionConfig, DecisionLog, LogMask, TransportConfig, Tuning};
use crate::error::{Errors, Problem};
use crate::keys::{COMMON, TOP};
use crate::load::Integrations;
use crate::near::{hint, listed};
use crate::raw::{API_KEYS, CONNECTIONS, Entry, Input, Raw, RawConnection, SERVER};
use crate::value::{
    Empty, Origin, ca_mode, caller_groups, concurrency, flag, is_id, log_mask, seconds, timeout,
};
use crate::{references, server, url, warnings};

/// Validate a configuration. `problems` are those its shape already has.
/// Errors: [`Errors`], with every problem of the pass.
pub(crate) fn validate(
    file: &str,
    origin: Origin<'_>,
    integrations: Integrations<'_>,
    raw: Raw,
    problems: Vec<Problem>,
) -> Result<Config, Errors> {
    let mut pass = Pass {
        origin,
        integrations,
        problems,
        declared: Vec::new(),
        id_lines: BTreeMap::new(),
    };
    let top = pass.top(&raw);
    let server_entries: Vec<&Entry> = raw.server.iter().collect();
    let server = server::server(origin, &server_entries, raw.server_line, &mut pass.problems);
    let only = top.as_ref().and_then(|top| top.api_key.as_ref());
    let api_keys = server::api_keys(origin, only, &raw.api_keys, &mut pass.problems);
    let connections: Vec<ConnectionConfig> = raw
        .connections
        .iter()
        .enumerate()
        .filter_map(|(index, connection)| pass.connection(index, connection))
        .collect();
    references::check(&connections, &pass.declared, &mut pass.problems);
    if pass.problems.is_empty() && connections.len() != raw.connections.len() {
        // INVARIANT: no connection is left out in silence.
        pass.problems
            .push(Problem::at(None, "a connection could not be read"));
    }
    let (Some(top), Some(server), true) = (top, server, pass.problems.is_empty()) else {
        return Err(Errors::new(file, pass.problems));
    };
    let order =
        references::order(&connections).map_err(|problem| Errors::new(file, vec![problem]))?;
    let mut config = Config {
        file: file.into(),
        api_key: top.api_key,
        api_keys,
        server,
        listen: top.listen,
        decision_log: top.decision_log,
        decision_log_mask: top.decision_log_mask,
        decision_log_otlp: top.decision_log_otlp,
        decision_log_refuses: top.decision_log_refuses,
        digest: raw.digest(),
        decision_cache: top.decision_cache,
        identity_cache: top.identity_cache,
        connections,
        order,
        warnings: Vec::new(),
    };
    config.warnings = warnings::of_settings(&config);
    Ok(config)
}

struct Pass<'a> {
    origin: Origin<'a>,
    integrations: Integrations<'a>,
    problems: Vec<Problem>,
    /// Every well-formed id so far, with its integration when that is known.
    declared: Vec<(String, Option<&'static str>)>,
    /// Where each of them was first given.
    id_lines: BTreeMap<String, Option<usize>>,
}

struct Top {
    api_key: Option<SecretRef>,
    listen: String,
    decision_log: DecisionLog,
    decision_log_mask: LogMask,
    decision_log_otlp: Option<String>,
    decision_log_refuses: bool,
    decision_cache: Duration,
    identity_cache: Duration,
}

impl Pass<'_> {
    fn top(&mut self, raw: &Raw) -> Option<Top> {
        if !raw.has_connections {
            self.problems.push(Problem::at(
                None,
                "`connections` is missing; write `connections: []` for none",
            ));
        }
        let (again, entries): (Vec<&Entry>, Vec<&Entry>) = raw
            .top
            .iter()
            .partition(|entry| matches!(entry.key.as_str(), API_KEYS | CONNECTIONS | SERVER));
        for entry in again {
            let first = match entry.key.as_str() {
                API_KEYS => raw.api_keys_line,
                SERVER => raw.server_line,
                _ => raw.connections_line,
            };
            self.problems
                .push(Problem::at(entry.key_line, repeated(&entry.key, first)));
        }
        let block = Block {
            about: String::new(),
            keys: TOP.iter().collect(),
            empty: Empty::Accepted,
            closed: true,
            line: None,
            id_line: None,
        };
        let mut checked = block.check(self.origin, &entries, &mut self.problems);
        let decision_cache = checked.typed(&mut self.problems, "decision_cache_seconds", |text| {
            seconds(text, HOUR)
        });
        let identity_cache = checked.typed(&mut self.problems, "identity_cache_seconds", |text| {
            seconds(text, DAY)
        });
        let mask = checked.typed(&mut self.problems, "decision_log_mask", log_mask);
        Some(Top {
            decision_log_mask: mask?.unwrap_or_default(),
            decision_log_otlp: checked.text("decision_log_otlp"),
            decision_log_refuses: checked.text("decision_log_on_error")? == "refuse",
            decision_log: match checked.text("decision_log")?.as_str() {
                "" | "none" => DecisionLog::None,
                "stderr" => DecisionLog::Stderr,
                "stdout" => DecisionLog::Stdout,
                path => DecisionLog::File(self.origin.folder.join(path)),
            },
            listen: checked.text("listen")?,
            api_key: checked.secret("api_key"),
            decision_cache: decision_cache??,
            identity_cache: identity_cache??,
        })
    }

    fn connection(&mut self, index: usize, raw: &RawConnection) -> Option<ConnectionConfig> {
        let before = self.problems.len();
        let entries: Vec<&Entry> = raw.entries.iter().collect();
        let id_entry = entries.iter().find(|entry| entry.key == "id");
        let id = id_entry.and_then(|entry| match &entry.input {
            Input::Text(text) if is_id(text) => Some(text.clone()),
            Input::Code(_) | Input::Nested | Input::Null | Input::Secret(_) | Input::Text(_) => {
                None
            }
        });
        let about = match &id {
            Some(id) => format!("connection \"{id}\": "),
            None => format!("connection {}: ", index + 1),
        };
        let integration = self.integration(&about, &entries);
        self.declare(&about, id.as_deref(), integration, id_entry.copied());
        let block = Block {
            about,
            keys: COMMON
                .iter()
                .chain(integration.map(Integration::keys).unwrap_or_default())
                .collect(),
            empty: Empty::Refused,
            closed: integration.is_some(),
            line: raw.line,
            id_line: id_entry.and_then(|entry| entry.line),
        };
        let mut checked = block.check(self.origin, &entries, &mut self.problems);
        let transport = self.transport(&mut checked);
        let tuning = self.tuning(&checked);
        let timeout = checked.typed(&mut self.problems, "timeout", timeout);
        let private = checked.typed(&mut self.problems, "private", flag);
        let strict_reads = checked.typed(&mut self.problems, "strict_reads", flag);
        let caller_groups = checked.typed(&mut self.problems, "caller_groups", caller_groups);
        if self.problems.len() > before {
            return None;
        }
        let integration = integration?;
        let settings = self.settings(integration, &mut checked)?;
        Some(ConnectionConfig {
            id: id?,
            integration,
            references: referenced(integration, &settings),
            settings,
            transport: transport?,
            timeout: timeout??,
            tuning: tuning?,
            caller_groups: caller_groups??,
            private: private??,
            strict_reads: strict_reads??,
            line: raw.line,
            digest: raw.digest(),
        })
    }

    /// The integration a connection names. Its absence and its form are for the block to report, not here.
    fn integration(&mut self, about: &str, entries: &[&Entry]) -> Option<&'static dyn Integration> {
        let entry = entries.iter().find(|entry| entry.key == "integration")?;
        let Input::Text(name) = &entry.input else {
            return None;
        };
        let found = self
            .integrations
            .iter()
            .copied()
            .find(|integration| integration.name() == name);
        if found.is_none() && !name.is_empty() {
            let mut known: Vec<&str> = self
                .integrations
                .iter()
                .map(|integration| integration.name())
                .collect();
            known.sort_unstable();
            let hint = hint(name, known.iter().copied());
            let message = format!(
                "{about}unknown integration `{}`{hint}; known: {}",
                shown(name),
                listed(known, "and")
            );
            self.problems.push(Problem::at(entry.line, message));
        }
        found
    }

    /// Hold an id against its grammar and against those before it.
    fn declare(
        &mut self,
        about: &str,
        id: Option<&str>,
        integration: Option<&'static dyn Integration>,
        entry: Option<&Entry>,
    ) {
        let Some(entry) = entry else { return };
        let Some(id) = id else {
            if matches!(&entry.input, Input::Text(text) if !text.is_empty()) {
                let accepted = "expected lower-case letters, digits and `-`, at most 64, not beginning with `-`";
                self.problems
                    .push(Problem::at(entry.line, format!("{about}`id`: {accepted}")));
            }
            return;
        };
        match self.id_lines.get(id) {
            Some(first) => {
                let first = first
                    .map(|line| format!(" on line {line}"))
                    .unwrap_or_default();
                self.problems.push(Problem::at(
                    entry.line,
                    format!("{about}the id is taken by another connection{first}"),
                ));
            }
            None => {
                self.id_lines.insert(id.into(), entry.line);
                self.declared
                    .push((id.into(), integration.map(|integration| integration.name())));
            }
        }
    }

    fn tuning(&mut self, checked: &Checked) -> Option<Tuning> {
        let decision_cache = checked.typed(&mut self.problems, "decision_cache_seconds", |text| {
            seconds(text, HOUR)
        });
        let deny_cache = checked.typed(&mut self.problems, "deny_cache_seconds", |text| {
            seconds(text, HOUR)
        });
        let identity_cache = checked.typed(&mut self.problems, "identity_cache_seconds", |text| {
            seconds(text, DAY)
        });
        let not_found_cache =
            checked.typed(&mut self.problems, "not_found_cache_seconds", |text| {
                seconds(text, HOUR)
            });
        let max_concurrency = checked.typed(&mut self.problems, "max_concurrency", concurrency);
        Some(Tuning {
            decision_cache: decision_cache?,
            deny_cache: deny_cache?,
            identity_cache: identity_cache?,
            not_found_cache: not_found_cache?,
            max_concurrency: max_concurrency??,
        })
    }

    fn transport(&mut self, checked: &mut Checked) -> Option<TransportConfig> {
        let proxy_url = checked.typed(&mut self.problems, "proxy_url", url::proxy);
        let ca_mode = checked.typed(&mut self.problems, "ca_mode", ca_mode);
        for (key, needs) in [
            ("ca_mode", "ca_file"),
            ("proxy_username", "proxy_url"),
            ("proxy_username", "proxy_credential"),
            ("proxy_credential", "proxy_username"),
        ] {
            if checked.is_given(key) && !checked.is_given(needs) {
                checked.refuse(
                    &mut self.problems,
                    key,
                    &format!("it needs `{needs}` beside it"),
                );
            }
        }
        Some(TransportConfig {
            ca_file: checked.text("ca_file").map(PathBuf::from),
            ca_mode: ca_mode??,
            tls_server_name: checked.text("tls_server_name"),
            proxy_url: proxy_url?,
            proxy_username: checked.text("proxy_username"),
            proxy_credential: checked.secret("proxy_credential"),
            no_proxy: checked.text("no_proxy"),
        })
    }

    /// The values of the integration's own keys, held against what no single key can say.
    fn settings(
        &mut self,
        integration: &'static dyn Integration,
        checked: &mut Checked,
    ) -> Option<Settings> {
        let own = integration
            .keys()
            .iter()
            .filter_map(|key| checked.take(key.name))
            .collect();
        let settings = Settings::new(own);
        let problems = integration.check(&settings);
        for (key, problem) in &problems {
            checked.refuse(&mut self.problems, key, problem);
        }
        problems.is_empty().then_some(settings)
    }
}

/// The ids a connection's reference keys hold, each once.
fn referenced(integration: &dyn Integration, settings: &Settings) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for key in integration
        .keys()
        .iter()
        .filter(|key| matches!(key.kind, KeyKind::Connection(_)))
    {
        if let Some(id) = settings.text(key.name)
            && !ids.iter().any(|known| known == id)
        {
            ids.push(id.into());
        }
    }
    ids
}

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(86_400);

#[cfg(test)]
mod tests;
