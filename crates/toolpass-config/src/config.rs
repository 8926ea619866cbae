//! A validated configuration: what the engine is given, in types that need no further checking.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use toolpass_core::secret::SecretRef;
use toolpass_http::tls::CaMode;
use toolpass_integration::fields::Settings;
use toolpass_integration::integration::Integration;

use crate::server::{ApiKeyConfig, ServerConfig};

/// A configuration without mistakes.
#[derive(Clone, Debug)]
pub struct Config {
    /// The name errors are shown under: the file's path, or `<connections>`.
    pub file: String,
    /// What callers of the server show.
    pub api_key: Option<SecretRef>,
    /// The same with `api_keys`: every key there is.
    pub api_keys: Vec<ApiKeyConfig>,
    /// Where the server listens.
    pub listen: String,
    /// Where decisions are written.
    pub decision_log: DecisionLog,
    /// What lines of the decision log do not tell.
    pub decision_log_mask: LogMask,
    /// The address of a collector that `serve` sends lines to as well.
    pub decision_log_otlp: Option<String>,
    /// An allow whose line cannot be written is refused.
    pub decision_log_refuses: bool,
    /// A digest of all keys and values, secrets by their references: 16 hexadecimal digits, the same for the same settings.
    pub digest: String,
    /// How long an answer may be reused; zero for never.
    pub decision_cache: Duration,
    /// How long an identity may be reused; zero for never.
    pub identity_cache: Duration,
    /// What only the server reads.
    pub server: ServerConfig,
    /// The connections, in the order of the file.
    pub connections: Vec<ConnectionConfig>,
    /// Places in `connections`, each after all it references.
    pub order: Vec<usize>,
    /// What is accepted and should still be looked at.
    pub warnings: Vec<String>,
}

/// Where decisions are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecisionLog {
    /// A file, appended to.
    File(PathBuf),
    /// Nowhere.
    None,
    /// The standard error output.
    Stderr,
    /// The standard output.
    Stdout,
}

/// What lines of the decision log do not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogMask {
    /// Users and their accounts.
    pub user: bool,
    /// Groups.
    pub groups: bool,
    /// Who asked.
    pub remote: bool,
}

/// One connection.
#[derive(Clone)]
pub struct ConnectionConfig {
    /// Its id.
    pub id: String,
    /// The product.
    pub integration: &'static dyn Integration,
    /// The values of the integration's keys, defaults applied.
    pub settings: Settings,
    /// Its way to the network.
    pub transport: TransportConfig,
    /// The budget of one check.
    pub timeout: Duration,
    /// Caches and limits of its own.
    pub tuning: Tuning,
    /// What to do with groups the caller sends.
    pub caller_groups: CallerGroups,
    /// What is read through it is private data.
    pub private: bool,
    /// Reads that no route names are refused.
    pub strict_reads: bool,
    /// The ids of the connections its reference keys name.
    pub references: Vec<String>,
    /// Where it begins in the file.
    pub line: Option<usize>,
    /// A digest of its keys and values, as of the whole.
    pub digest: String,
}

/// A connection's way to the network.
#[derive(Clone, Debug, Default)]
pub struct TransportConfig {
    /// The certificates to trust.
    pub ca_file: Option<PathBuf>,
    /// Whether they replace the system's.
    pub ca_mode: CaMode,
    /// The name sent to and verified for the connection's own host.
    pub tls_server_name: Option<String>,
    /// The proxy for every host.
    pub proxy_url: Option<String>,
    /// The proxy's user.
    pub proxy_username: Option<String>,
    /// The proxy's password.
    pub proxy_credential: Option<SecretRef>,
    /// Hosts asked without the proxy.
    pub no_proxy: Option<String>,
}

/// What to do with groups the caller sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallerGroups {
    /// Believe them.
    Accept,
    /// As if none were sent.
    Ignore,
    /// Answer `invalid_request`.
    Refuse,
}

/// Caches and limits of one connection; what is absent is as for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// How long an answer may be reused.
    pub decision_cache: Option<Duration>,
    /// How long a deny may be reused.
    pub deny_cache: Option<Duration>,
    /// How long an identity may be reused.
    pub identity_cache: Option<Duration>,
    /// How long an unknown user stays unknown.
    pub not_found_cache: Option<Duration>,
    /// How many checks may ask the system at once.
    pub max_concurrency: usize,
}

impl fmt::Debug for ConnectionConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectionConfig")
            .field("id", &self.id)
            .field("integration", &self.integration.name())
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
