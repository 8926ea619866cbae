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

/// The names of all top-level keys, sorted.
pub(crate) fn top_names() -> Vec<&'static str> {
    let mut names: Vec<&str> = TOP
        .iter()
        .map(|key| key.name)
        .chain([raw::CONNECTIONS])
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
        for table in [TOP, COMMON] {
            assert!(table.windows(2).all(|pair| pair[0].name < pair[1].name));
            assert!(
                table
                    .iter()
                    .all(|key| is_name(key.name) && !key.help.is_empty())
            );
        }
    }
}
