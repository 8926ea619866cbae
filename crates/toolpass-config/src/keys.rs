//! Every key that is not an integration's: one row each. Help, the reference and the schema are made from these rows.

use toolpass_integration::fields::Key;

use crate::raw;

/// The keys at the top of the file, but `connections`, whose value is the list.
pub const TOP: &[Key] = &[
    Key::secret("api_key", "the key callers of `toolpass serve` show"),
    Key::text("decision_cache_seconds", "how long an answer may be reused: whole seconds or a duration up to 1h, 0 for never").default("30"),
    Key::text("decision_log", "where each decision is written: `stderr`, `stdout`, `none` or a file").default("stderr"),
    Key::text("decision_log_mask", "what lines of the decision log do not tell: `user`, `groups`, `remote`, separated by commas"),
    Key::text("decision_log_on_error", "what becomes of an allow whose line cannot be written: it stands, or is refused").one_of(&["ignore", "refuse"]).default("ignore"),
    Key::url("decision_log_otlp", "the address of an OpenTelemetry collector that lines are sent to as well, by `toolpass serve`; its headers: OTEL_EXPORTER_OTLP_HEADERS"),
    Key::text("identity_cache_seconds", "how long a user's account may be remembered: whole seconds or a duration up to 24h, 0 for never").default("900"),
    Key::text("listen", "the address `toolpass serve` listens on").default(":8080"),
];

/// The keys of every connection.
pub const COMMON: &[Key] = &[
    Key::file("ca_file", "a PEM file of the certificates to trust"),
    Key::text(
        "ca_mode",
        "whether `ca_file` replaces the system's certificates or is added to them",
    )
    .one_of(&["replace", "add"])
    .default("replace"),
    Key::text("caller_groups", "what to do with groups the caller sends")
        .one_of(&["accept", "ignore", "refuse"])
        .default("accept"),
    Key::text(
        "decision_cache_seconds",
        "as at the top, for this connection",
    ),
    Key::text(
        "deny_cache_seconds",
        "how long a deny may be reused; as `decision_cache_seconds` when absent",
    ),
    Key::text(
        "id",
        "the connection's name: lower-case letters, digits and `-`, at most 64",
    )
    .required(),
    Key::text(
        "identity_cache_seconds",
        "as at the top, for this connection",
    ),
    Key::text("integration", "the product").required(),
    Key::text(
        "max_concurrency",
        "how many checks may ask the system at once, 1 to 1000",
    )
    .default("32"),
    Key::text(
        "no_proxy",
        "hosts asked without the proxy, separated by commas",
    ),
    Key::text(
        "not_found_cache_seconds",
        "how long an unknown user stays unknown: whole seconds or a duration up to 1h",
    ),
    Key::text("private", "`true`: what is read through it is private data").default("false"),
    Key::secret("proxy_credential", "the password for the proxy"),
    Key::text("proxy_url", "the proxy for every host of this connection"),
    Key::text("proxy_username", "the user name for the proxy"),
    Key::text(
        "strict_reads",
        "`true`: reads that no route names are refused",
    )
    .default("false"),
    Key::text(
        "timeout",
        "the budget of one check, more than 0 and at most 5m",
    )
    .default("8s"),
    Key::text(
        "tls_server_name",
        "the name sent to and verified for the connection's own host",
    ),
];

/// Whether a name is taken by this crate, so that no integration may declare it.
pub fn is_shared(name: &str) -> bool {
    COMMON.iter().any(|key| key.name == name)
}

/// The keys of one of `api_keys`.
pub const API_KEY: &[Key] = &[
    Key::text("caller_groups", "what to do with groups its holder sends; the stricter of this and the connection's counts").one_of(&["accept", "ignore", "refuse"]).default("accept"),
    Key::text("certificate", "instead of `key`: the DNS name or URI in the client certificate that stands for it"),
    Key::text("connections", "globs of the connections it may ask about, as a list or separated by commas; all when absent"),
    Key::secret("key", "its value"),
    Key::text("name", "what it is called in logs").required(),
    Key::text("rate_limit", "how often it may ask, as `50/s`, `600/m` or `1000/h`"),
    Key::text("scopes", "what it may do, among `check`, `report`, `dashboard` and `admin`, as a list or separated by commas").required(),
    Key::text("users", "globs of the users it may ask about, as a list or separated by commas; all when absent"),
];

/// The keys of the mapping `server`.
pub const SERVER: &[Key] = &[
    Key::text(
        "admin_listen",
        "a second address, for probes and metrics alone",
    ),
    Key::text("authzen", "whether the AuthZEN paths are served")
        .one_of(&["on", "off"])
        .default("on"),
    Key::text(
        "authzen_domain",
        "the mail domain of AuthZEN subjects that are plain names",
    ),
    Key::file(
        "client_ca_file",
        "a PEM file of the certificates that client certificates must lead to",
    ),
    Key::text("dashboard", "whether the page is served")
        .one_of(&["on", "off"])
        .default("on"),
    Key::text("data", "the folder of what is kept"),
    Key::text(
        "drain",
        "how long to go on serving after SIGTERM, up to 10m",
    )
    .default("5s"),
    Key::text("max_connections", "how many clients may be connected").default("1024"),
    Key::text("max_in_flight", "how many checks may ask systems at once").default("512"),
    Key::text(
        "metrics",
        "who may read `/metrics`: a key with the scope `admin`, everybody, or nobody",
    )
    .one_of(&["admin", "open", "off"])
    .default("admin"),
    Key::text(
        "require_tls",
        "`true`: an address that others reach needs TLS",
    )
    .default("false"),
    Key::url(
        "runs_forward_url",
        "a server that reported runs are forwarded to",
    ),
    Key::text(
        "runs_max_bytes",
        "how many bytes of runs are kept, as `64 MiB`",
    ),
    Key::text("runs_retention", "how long runs are kept, as `30d`"),
    Key::secret("runs_store", "the database of runs, a `postgresql://` URL"),
    Key::secret(
        "session_store",
        "the database of sessions, a `postgresql://` or `valkey://` URL",
    ),
    Key::text(
        "shutdown_grace",
        "how long requests in flight may take to finish once no more are accepted, up to 10m",
    )
    .default("10s"),
    Key::file(
        "tls_cert_file",
        "a PEM file of the server's certificate and those it leads to",
    ),
    Key::secret("tls_key", "its private key, PEM"),
    Key::text(
        "trusted_proxies",
        "addresses or ranges of proxies whose `X-Forwarded-For` is believed, as a list or separated by commas",
    ),
];

/// The names of all top-level keys, sorted.
pub(crate) fn top_names() -> Vec<&'static str> {
    let mut names: Vec<&str> = TOP
        .iter()
        .map(|key| key.name)
        .chain([raw::API_KEYS, raw::CONNECTIONS, raw::SERVER])
        .collect();
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpass_core::resource::is_name;

    #[test]
    fn rows_are_sorted_well_named_and_explained() {
        for table in [TOP, COMMON, API_KEY, SERVER] {
            assert!(table.windows(2).all(|pair| pair[0].name < pair[1].name));
            assert!(
                table
                    .iter()
                    .all(|key| is_name(key.name) && !key.help.is_empty())
            );
        }
    }
}
