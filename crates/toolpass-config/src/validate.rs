//! From keys and values as written to a configuration without mistakes, every problem of the pass told at once.
//!
//! The order is top-level keys, each connection by itself, then, over the connections that validated, their references.
//! A value's problem stands at the value's line, an unknown or repeated key's at the key's, a missing key's at the `id`, a
//! missing `id` or `integration` and a bad reference at the connection's first line.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use toolpass_core::quoted::clipped;
use toolpass_core::secret::SecretRef;
use toolpass_integration::fields::{Key, KeyKind, Settings, Value};
use toolpass_integration::integration::Integration;

use crate::config::{Config, ConnectionConfig, DecisionLog, TransportConfig, Tuning};
use crate::error::{Errors, Problem};
use crate::keys::{COMMON, TOP, is_common, top_names};
use crate::load::Integrations;
use crate::near::{hint, listed};
use crate::raw::{CONNECTIONS, Entry, Input, Raw, RawConnection};
use crate::value::{
    Empty, Origin, ca_mode, caller_groups, concurrency, flag, is_id, seconds, timeout, validated,
};
use crate::{references, url, warnings};

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
    let connections: Vec<ConnectionConfig> = raw
        .connections
        .iter()
        .enumerate()
        .filter_map(|(index, connection)| pass.connection(index, connection))
        .collect();
    references::check(&connections, &pass.declared, &mut pass.problems);
    let Some(top) = top.filter(|_| pass.problems.is_empty()) else {
        return Err(Errors::new(file, pass.problems));
    };
    let order =
        references::order(&connections).map_err(|problem| Errors::new(file, vec![problem]))?;
    let mut config = Config {
        file: file.into(),
        api_key: top.api_key,
        listen: top.listen,
        decision_log: top.decision_log,
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
    decision_cache: Duration,
    identity_cache: Duration,
}

/// Keys and values being checked together.
struct Block<'b> {
    /// `connection "id": `, or nothing at the top.
    about: String,
    keys: Vec<&'b Key>,
    empty: Empty,
    /// Whether keys outside `keys` are a mistake; not so while the integration is unknown.
    closed: bool,
    /// Where a missing key is reported.
    line: Option<usize>,
    id_line: Option<usize>,
}

/// The values of a block that passed, and where they stand.
struct Checked {
    about: String,
    values: BTreeMap<String, Value>,
    lines: BTreeMap<String, Option<usize>>,
    /// For what has no line of its own.
    line: Option<usize>,
}

impl Pass<'_> {
    fn top(&mut self, raw: &Raw) -> Option<Top> {
        if !raw.has_connections {
            self.problems.push(Problem::at(
                None,
                "`connections` is missing; write `connections: []` for none",
            ));
        }
        let (again, entries): (Vec<&Entry>, Vec<&Entry>) =
            raw.top.iter().partition(|entry| entry.key == CONNECTIONS);
        for entry in again {
            self.problems.push(Problem::at(
                entry.key_line,
                repeated(CONNECTIONS, raw.connections_line),
            ));
        }
        let block = Block {
            about: String::new(),
            keys: TOP.iter().collect(),
            empty: Empty::Accepted,
            closed: true,
            line: None,
            id_line: None,
        };
        let mut checked = self.block(block, &entries);
        let folder = self.origin.folder;
        Some(Top {
            decision_cache: self.typed(&checked, "decision_cache_seconds", |text| {
                seconds(text, HOUR)
            })??,
            identity_cache: self.typed(&checked, "identity_cache_seconds", |text| {
                seconds(text, DAY)
            })??,
            decision_log: match checked.text("decision_log")?.as_str() {
                "" | "none" => DecisionLog::None,
                "stderr" => DecisionLog::Stderr,
                "stdout" => DecisionLog::Stdout,
                path => DecisionLog::File(folder.join(path)),
            },
            listen: checked.text("listen")?,
            api_key: checked.secret("api_key"),
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
        let mut checked = self.block(block, &entries);
        let transport = self.transport(&mut checked);
        let tuning = self.tuning(&checked);
        let timeout = self.typed(&checked, "timeout", timeout);
        let private = self.typed(&checked, "private", flag);
        let strict_reads = self.typed(&checked, "strict_reads", flag);
        let caller_groups = self.typed(&checked, "caller_groups", caller_groups);
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

    /// Check keys and values against their rows: repeats, unknown keys, each value, what is missing; then fill in defaults.
    fn block(&mut self, block: Block<'_>, entries: &[&Entry]) -> Checked {
        let about = &block.about;
        let mut lines: BTreeMap<String, Option<usize>> = BTreeMap::new();
        let mut values = BTreeMap::new();
        for entry in entries {
            if let Some(first) = lines.get(&entry.key) {
                self.problems.push(Problem::at(
                    entry.key_line,
                    format!("{about}{}", repeated(&entry.key, *first)),
                ));
                continue;
            }
            lines.insert(entry.key.clone(), entry.line);
            match block.keys.iter().find(|key| key.name == entry.key) {
                Some(key) => match validated(self.origin, key, &entry.input, block.empty) {
                    Ok(value) => {
                        values.insert(entry.key.clone(), value);
                    }
                    Err(problem) => self.problems.push(Problem::at(
                        entry.line,
                        format!("{about}`{}`: {problem}", key.name),
                    )),
                },
                None if block.closed => {
                    let names = block.names();
                    let hint = hint(&entry.key, names.iter().copied());
                    let message = format!(
                        "{about}unknown key `{}`{hint}; accepted: {}",
                        shown(&entry.key),
                        listed(names, "and")
                    );
                    self.problems.push(Problem::at(entry.key_line, message));
                }
                None => {}
            }
        }
        for key in &block.keys {
            if lines.contains_key(key.name) {
                continue;
            }
            if key.required {
                let line = if is_common(key.name) {
                    block.line
                } else {
                    block.id_line.or(block.line)
                };
                self.problems.push(Problem::at(
                    line,
                    format!("{about}`{}` is missing", key.name),
                ));
            } else if let Some(default) = key.default {
                values.insert(key.name.into(), Value::Text(default.into()));
            }
        }
        Checked {
            line: block.id_line.or(block.line),
            about: block.about,
            values,
            lines,
        }
    }

    /// The value of a key in its own type: `None` when it has a problem, `Some(None)` when it is absent.
    fn typed<T>(
        &mut self,
        checked: &Checked,
        key: &str,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<Option<T>> {
        let Some(Value::Text(text)) = checked.values.get(key) else {
            return (!checked.lines.contains_key(key)).then_some(None);
        };
        match parse(text) {
            Ok(value) => Some(Some(value)),
            Err(problem) => {
                self.refuse(checked, key, &problem);
                None
            }
        }
    }

    fn refuse(&mut self, checked: &Checked, key: &str, problem: &str) {
        let line = checked.lines.get(key).copied().flatten().or(checked.line);
        self.problems.push(Problem::at(
            line,
            format!("{}`{key}`: {problem}", checked.about),
        ));
    }

    fn tuning(&mut self, checked: &Checked) -> Option<Tuning> {
        let decision_cache = self.typed(checked, "decision_cache_seconds", |text| {
            seconds(text, HOUR)
        });
        let deny_cache = self.typed(checked, "deny_cache_seconds", |text| seconds(text, HOUR));
        let identity_cache =
            self.typed(checked, "identity_cache_seconds", |text| seconds(text, DAY));
        let not_found_cache = self.typed(checked, "not_found_cache_seconds", |text| {
            seconds(text, HOUR)
        });
        let max_concurrency = self.typed(checked, "max_concurrency", concurrency);
        Some(Tuning {
            decision_cache: decision_cache?,
            deny_cache: deny_cache?,
            identity_cache: identity_cache?,
            not_found_cache: not_found_cache?,
            max_concurrency: max_concurrency??,
        })
    }

    fn transport(&mut self, checked: &mut Checked) -> Option<TransportConfig> {
        let proxy_url = self.typed(checked, "proxy_url", url::proxy);
        let ca_mode = self.typed(checked, "ca_mode", ca_mode);
        for (key, needs) in [
            ("ca_mode", "ca_file"),
            ("proxy_username", "proxy_url"),
            ("proxy_username", "proxy_credential"),
            ("proxy_credential", "proxy_username"),
        ] {
            if checked.lines.contains_key(key) && !checked.lines.contains_key(needs) {
                self.refuse(checked, key, &format!("it needs `{needs}` beside it"));
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
            .filter_map(|key| checked.values.remove_entry(key.name))
            .collect();
        let settings = Settings::new(own);
        let problems = integration.check(&settings);
        for (key, problem) in &problems {
            self.refuse(checked, key, problem);
        }
        problems.is_empty().then_some(settings)
    }
}

impl Block<'_> {
    fn names(&self) -> Vec<&str> {
        if self.about.is_empty() {
            return top_names();
        }
        let mut names: Vec<&str> = self.keys.iter().map(|key| key.name).collect();
        names.sort_unstable();
        names
    }
}

impl Checked {
    fn text(&mut self, key: &str) -> Option<String> {
        match self.values.remove(key) {
            Some(Value::Text(text)) => Some(text),
            Some(Value::Code(_) | Value::Secret(_)) | None => None,
        }
    }

    fn secret(&mut self, key: &str) -> Option<SecretRef> {
        match self.values.remove(key) {
            Some(Value::Secret(secret)) => Some(secret),
            Some(Value::Code(_) | Value::Text(_)) | None => None,
        }
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

fn repeated(key: &str, first: Option<usize>) -> String {
    let first = first
        .map(|line| format!("; it is already on line {line}"))
        .unwrap_or_default();
    format!("the key `{}` stands twice{first}", shown(key))
}

/// A name from the file, fit to be repeated in one line.
fn shown(name: &str) -> String {
    clipped(name, 64).replace('`', "'")
}

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(86_400);

#[cfg(test)]
mod tests;
