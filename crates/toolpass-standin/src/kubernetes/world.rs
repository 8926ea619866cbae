//! What exists in a cluster, as data.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A cluster.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KubernetesWorld {
    /// Every object by its path: `/api/v1/namespaces/shop/pods/web`.
    pub objects: BTreeMap<String, Value>,
    /// Who a bearer token is.
    pub tokens: BTreeMap<String, Account>,
    /// What reviews answer instead of looking: the message of an authorizer that failed.
    pub authorizer_error: Option<String>,
}

/// A user of the cluster.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Account {
    /// Its name.
    pub user: String,
    /// Its groups.
    pub groups: Vec<String>,
    /// Whether the token is refused.
    pub revoked: bool,
}

/// A member of a member; null where there is none.
pub(super) fn at<'v>(value: &'v Value, path: &[&str]) -> &'v Value {
    path.iter()
        .try_fold(value, |value, name| value.get(name))
        .unwrap_or(&Value::Null)
}
