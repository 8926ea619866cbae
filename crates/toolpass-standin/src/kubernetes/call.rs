//! One request as an API server reads it.

use crate::message::{Received, segments};

/// What a request asks for.
pub(super) struct Call {
    /// The verb.
    pub(super) verb: &'static str,
    /// The API group; empty is the core group.
    pub(super) group: String,
    /// The version of the API.
    pub(super) version: String,
    /// The namespace.
    pub(super) namespace: Option<String>,
    /// The plural.
    pub(super) resource: String,
    /// The name; empty is the collection.
    pub(super) name: String,
    /// A part of the object.
    pub(super) part: String,
}

impl Call {
    /// Read a request; `None` for a path that is no resource.
    pub(super) fn read(request: &Received) -> Option<Call> {
        let segments = segments(&request.path);
        let names: Vec<&str> = segments.iter().map(String::as_str).collect();
        let (group, version, rest) = match names.as_slice() {
            ["api", version, rest @ ..] if !rest.is_empty() => ("", *version, rest),
            ["apis", group, version, rest @ ..] if !rest.is_empty() => (*group, *version, rest),
            _ => return None,
        };
        let (namespace, rest) = match rest {
            ["namespaces", namespace, after @ ..]
                if !after.is_empty() && !matches!(after, ["finalize" | "status"]) =>
            {
                (Some((*namespace).to_owned()), after)
            }
            _ => (None, rest),
        };
        let piece = |at: usize| rest.get(at).copied().unwrap_or_default().to_owned();
        let (resource, mut name, part) = (piece(0), piece(1), piece(2));
        let is_watch = request
            .query_value("watch")
            .is_some_and(|value| !matches!(value.to_ascii_lowercase().as_str(), "0" | "false"));
        let verb = match (request.method.as_str(), name.is_empty()) {
            ("DELETE", true) => "deletecollection",
            ("DELETE", false) => "delete",
            ("PATCH", _) => "patch",
            ("POST", _) => "create",
            ("PUT", _) => "update",
            (_, false) => "get",
            (_, true) if is_watch => "watch",
            (_, true) => "list",
        };
        let selected = request.query_value("fieldSelector");
        if let (true, Some(selected)) = (matches!(verb, "list" | "watch"), &selected) {
            name = selected
                .strip_prefix("metadata.name=")
                .unwrap_or_default()
                .to_owned();
        }
        let namespace = match resource.as_str() {
            "namespaces" if !name.is_empty() => Some(name.clone()),
            _ => namespace,
        };
        Some(Call {
            verb,
            group: group.to_owned(),
            version: version.to_owned(),
            namespace,
            resource,
            name,
            part,
        })
    }

    /// The path of the collection.
    pub(super) fn collection(&self) -> String {
        let base = match self.group.as_str() {
            "" => format!("/api/{}", self.version),
            group => format!("/apis/{group}/{}", self.version),
        };
        match &self.namespace {
            Some(namespace) if self.resource != "namespaces" => {
                format!("{base}/namespaces/{namespace}/{}", self.resource)
            }
            _ => format!("{base}/{}", self.resource),
        }
    }

    /// The path of the object.
    pub(super) fn path(&self) -> String {
        format!("{}/{}", self.collection(), self.name)
    }
}
