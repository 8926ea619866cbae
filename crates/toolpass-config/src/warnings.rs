//! What a configuration may say, and an operator should still look at.

use std::path::Path;
use std::time::Duration;

use toolpass_core::duration;
use toolpass_core::secret::SecretRef;
use toolpass_http::secrets;
use toolpass_integration::fields::KeyKind;

use crate::config::Config;
use crate::server::ONLY;

/// What the settings alone give cause for.
pub(crate) fn of_settings(config: &Config) -> Vec<String> {
    let mut warnings = Vec::new();
    let mut long = |what: &str, cache: Duration| {
        if cache > LONG {
            let shown = duration::shown(cache);
            warnings.push(format!("{what}: answers may be reused for {shown}, so for that long a permission taken away still counts"));
        }
    };
    long("`decision_cache_seconds`", config.decision_cache);
    for connection in &config.connections {
        if let Some(cache) = connection.tuning.decision_cache {
            long(
                &format!("connection \"{}\": `decision_cache_seconds`", connection.id),
                cache,
            );
        }
    }
    warnings
}

/// What the secrets give cause for, read now: unset or unreadable ones, and files others on this machine may read.
pub fn of_secrets(config: &Config) -> Vec<String> {
    let mut warnings = Vec::new();
    let mut look = |what: &str, secret: &SecretRef| {
        if let Err(error) = secrets::read(secret) {
            warnings.push(format!("{what}: {error}"));
        }
        if let SecretRef::File(path) = secret
            && is_open_to_others(path)
        {
            warnings.push(format!(
                "{what}: `{}` may be read by others on this machine; `chmod 600` it",
                secret.shown()
            ));
        }
    };
    for key in &config.api_keys {
        let Some(secret) = &key.key else { continue };
        match key.name.as_str() {
            ONLY => look("`api_key`", secret),
            name => look(&format!("api key \"{name}\""), secret),
        }
    }
    let server = &config.server;
    for (name, secret) in [
        ("runs_store", &server.runs_store),
        ("session_store", &server.session_store),
        ("tls_key", &server.tls_key),
    ] {
        if let Some(secret) = secret {
            look(&format!("`server`: `{name}`"), secret);
        }
    }
    for connection in &config.connections {
        let own = connection
            .integration
            .keys()
            .iter()
            .filter(|key| key.kind == KeyKind::Secret);
        let own = own.filter_map(|key| Some((key.name, connection.settings.secret(key.name)?)));
        let proxy = connection
            .transport
            .proxy_credential
            .iter()
            .map(|secret| ("proxy_credential", secret));
        for (name, secret) in own.chain(proxy) {
            look(
                &format!("connection \"{}\": `{name}`", connection.id),
                secret,
            );
        }
    }
    warnings
}

#[cfg(unix)]
fn is_open_to_others(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o044 != 0)
}

#[cfg(not(unix))]
fn is_open_to_others(_: &Path) -> bool {
    false
}

/// Beyond this a cached answer outlives what a person expects after taking a permission away.
const LONG: Duration = Duration::from_secs(300);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::load;

    #[test]
    fn secrets_are_looked_at_without_being_shown() {
        let folder =
            std::env::temp_dir().join(format!("toolpass-config-warnings-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("token");
        std::fs::write(&path, "hunter2").unwrap();
        let text = format!(
            "api_key: env:TOOLPASS_TEST_SURELY_UNSET\nconnections:\n  - {{id: a, integration: sample, url: 'https://h', credential: 'file:{}'}}\n",
            path.display()
        );
        let found = of_secrets(&load(&text).unwrap());
        std::fs::remove_dir_all(folder).unwrap();
        assert!(
            found[0].starts_with("`api_key`: secret `env:TOOLPASS_TEST_SURELY_UNSET`"),
            "{found:?}"
        );
        assert_eq!(found.len(), if cfg!(unix) { 2 } else { 1 });
        assert!(!found.concat().contains("hunter2"));
    }
}
