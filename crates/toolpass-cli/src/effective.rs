//! The configuration as it counts: defaults filled in, flags over keys, secrets as their references.
//!
//! What is printed can be read back as a configuration.
//! INVARIANT: no secret's value stands in it.

use std::path::Path;

use toolpass_config::config::{CallerGroups, Config, ConnectionConfig, DecisionLog, LogMask};
use toolpass_config::keys::SERVER;
use toolpass_config::server::{ApiKeyConfig, Metrics, ONLY, ServerConfig};
use toolpass_core::duration::shown;
use toolpass_core::glob::Glob;
use toolpass_core::secret::SecretRef;
use toolpass_http::tls::CaMode;
use toolpass_integration::fields::KeyKind;

use crate::output::Page;

/// The page.
pub(crate) fn page(config: &Config) -> Page {
    let mut page = Page::new();
    let mut top = vec![
        ("decision_cache_seconds", shown(config.decision_cache)),
        ("decision_log", decision_log(&config.decision_log)),
        ("decision_log_mask", mask(config.decision_log_mask)),
        ("decision_log_on_error", on_error(config).into()),
        (
            "decision_log_otlp",
            config.decision_log_otlp.clone().unwrap_or_default(),
        ),
        ("identity_cache_seconds", shown(config.identity_cache)),
        ("listen", config.listen.clone()),
    ];
    top.retain(|(_, value)| !value.is_empty());
    if let Some(key) = &config.api_key {
        top.insert(0, ("api_key", key.shown()));
    }
    lines(&mut page, "", &top);
    let keys = config.api_keys.iter().filter(|key| key.name != ONLY);
    list(&mut page, "api_keys", keys.map(api_key).collect());
    page.line("server:");
    lines(&mut page, "  ", &server(&config.server));
    list(
        &mut page,
        "connections",
        config.connections.iter().map(connection).collect(),
    );
    page
}

type Pairs = Vec<(&'static str, String)>;

fn lines(page: &mut Page, indent: &str, pairs: &[(&'static str, String)]) {
    for (key, value) in pairs {
        page.line(&format!("{indent}{key}: {}", quoted(value)));
    }
}

fn list(page: &mut Page, key: &str, items: Vec<Pairs>) {
    if items.is_empty() {
        page.line(&format!("{key}: []"));
        return;
    }
    page.line(&format!("{key}:"));
    for pairs in items {
        for (index, (key, value)) in pairs.iter().enumerate() {
            let start = if index == 0 { "  - " } else { "    " };
            page.line(&format!("{start}{key}: {}", quoted(value)));
        }
    }
}

/// A text as a YAML scalar: plain where that cannot be misread, else as JSON, which YAML reads alike.
fn quoted(value: &str) -> String {
    let is_plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '@' | '+');
    let starts = value
        .chars()
        .next()
        .is_some_and(|c| c.is_ascii_alphanumeric() || c == '/');
    if starts && value != "null" && value.chars().all(is_plain) {
        value.to_owned()
    } else {
        serde_json::Value::from(value).to_string()
    }
}

fn api_key(key: &ApiKeyConfig) -> Pairs {
    let mut pairs = vec![("name", key.name.clone())];
    pairs.extend(key.key.as_ref().map(|secret| ("key", secret.shown())));
    pairs.extend(key.certificate.clone().map(|name| ("certificate", name)));
    let scopes: Vec<&str> = key.scopes.iter().map(|scope| scope.as_str()).collect();
    pairs.push(("scopes", scopes.join(", ")));
    let globs = |globs: &[Glob]| {
        globs
            .iter()
            .map(Glob::as_str)
            .collect::<Vec<_>>()
            .join(", ")
    };
    for (name, given) in [("connections", &key.connections), ("users", &key.users)] {
        if !given.is_empty() {
            pairs.push((name, globs(given)));
        }
    }
    pairs.push(("caller_groups", caller_groups(key.caller_groups).into()));
    if let Some(rate) = key.rate_limit {
        pairs.push(("rate_limit", format!("{:.0}/h", rate * 3600.0)));
    }
    pairs
}

fn server(server: &ServerConfig) -> Pairs {
    let switch = |on| if on { "on" } else { "off" }.to_owned();
    let path = |path: &Option<std::path::PathBuf>| path.as_deref().map(shown_path);
    let secret = |secret: &Option<SecretRef>| secret.as_ref().map(SecretRef::shown);
    let networks: Vec<String> = server
        .trusted_proxies
        .iter()
        .map(ToString::to_string)
        .collect();
    let value = |key: &str| match key {
        "admin_listen" => server.admin_listen.clone(),
        "authzen" => Some(switch(server.authzen)),
        "authzen_domain" => server.authzen_domain.clone(),
        "client_ca_file" => path(&server.client_ca_file),
        "dashboard" => Some(switch(server.dashboard)),
        "data" => path(&server.data),
        "drain" => Some(shown(server.drain)),
        "max_connections" => Some(server.max_connections.to_string()),
        "max_in_flight" => Some(server.max_in_flight.to_string()),
        "metrics" => Some(metrics(server.metrics).into()),
        "require_tls" => Some(server.require_tls.to_string()),
        "runs_forward_url" => server.runs_forward_url.clone(),
        "runs_max_bytes" => server.runs_max_bytes.map(|bytes| bytes.to_string()),
        "runs_retention" => server.runs_retention.map(shown),
        "runs_store" => secret(&server.runs_store),
        "session_store" => secret(&server.session_store),
        "shutdown_grace" => Some(shown(server.shutdown_grace)),
        "tls_cert_file" => path(&server.tls_cert_file),
        "tls_key" => secret(&server.tls_key),
        "trusted_proxies" => Some(networks.join(", ")).filter(|text| !text.is_empty()),
        _ => None,
    };
    SERVER
        .iter()
        .filter_map(|key| Some((key.name, value(key.name)?)))
        .collect()
}

fn connection(connection: &ConnectionConfig) -> Pairs {
    let mut pairs = vec![
        ("id", connection.id.clone()),
        ("integration", connection.integration.name().to_owned()),
    ];
    for key in connection.integration.keys() {
        let value = match key.kind {
            KeyKind::Secret => connection.settings.secret(key.name).map(SecretRef::shown),
            KeyKind::Code => None,
            KeyKind::Connection(_) | KeyKind::File | KeyKind::Text | KeyKind::Url => {
                connection.settings.text(key.name).map(str::to_owned)
            }
        };
        pairs.extend(value.map(|value| (key.name, value)));
    }
    pairs.extend(shared(connection));
    pairs
}

fn shared(connection: &ConnectionConfig) -> Pairs {
    let (way, tuning) = (&connection.transport, &connection.tuning);
    let mut pairs: Pairs = vec![(
        "caller_groups",
        caller_groups(connection.caller_groups).into(),
    )];
    if let Some(file) = &way.ca_file {
        let mode = match way.ca_mode {
            CaMode::Add => "add",
            CaMode::Replace => "replace",
        };
        pairs.push(("ca_file", shown_path(file)));
        pairs.push(("ca_mode", mode.into()));
    }
    let caches = [
        ("decision_cache_seconds", tuning.decision_cache),
        ("deny_cache_seconds", tuning.deny_cache),
        ("identity_cache_seconds", tuning.identity_cache),
        ("not_found_cache_seconds", tuning.not_found_cache),
    ];
    pairs.extend(
        caches
            .into_iter()
            .filter_map(|(key, cache)| Some((key, shown(cache?)))),
    );
    pairs.push(("max_concurrency", tuning.max_concurrency.to_string()));
    let texts = [
        ("no_proxy", &way.no_proxy),
        ("proxy_url", &way.proxy_url),
        ("proxy_username", &way.proxy_username),
        ("tls_server_name", &way.tls_server_name),
    ];
    pairs.extend(
        texts
            .into_iter()
            .filter_map(|(key, text)| Some((key, text.clone()?))),
    );
    pairs.extend(
        way.proxy_credential
            .as_ref()
            .map(|secret| ("proxy_credential", secret.shown())),
    );
    pairs.push(("private", connection.private.to_string()));
    pairs.push(("strict_reads", connection.strict_reads.to_string()));
    pairs.push(("timeout", shown(connection.timeout)));
    pairs
}

fn caller_groups(policy: CallerGroups) -> &'static str {
    match policy {
        CallerGroups::Accept => "accept",
        CallerGroups::Ignore => "ignore",
        CallerGroups::Refuse => "refuse",
    }
}

fn metrics(metrics: Metrics) -> &'static str {
    match metrics {
        Metrics::Admin => "admin",
        Metrics::Off => "off",
        Metrics::Open => "open",
    }
}

fn mask(mask: LogMask) -> String {
    let parts = [
        ("user", mask.user),
        ("groups", mask.groups),
        ("remote", mask.remote),
    ];
    let hidden: Vec<&str> = parts
        .iter()
        .filter(|(_, is)| *is)
        .map(|(name, _)| *name)
        .collect();
    hidden.join(", ")
}

fn on_error(config: &Config) -> &'static str {
    if config.decision_log_refuses {
        "refuse"
    } else {
        "ignore"
    }
}

fn decision_log(log: &DecisionLog) -> String {
    match log {
        DecisionLog::File(path) => shown_path(path),
        DecisionLog::None => "none".into(),
        DecisionLog::Stderr => "stderr".into(),
        DecisionLog::Stdout => "stdout".into(),
    }
}

fn shown_path(path: &Path) -> String {
    path.display().to_string()
}
