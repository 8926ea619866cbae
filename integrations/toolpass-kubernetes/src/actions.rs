//! The action table: the API server's own verbs on its own resources, and names for the common ones.
//!
//! Two rows are patterns: `raw:<verb>:<resource>` says everything the API server is asked, so no resource, custom ones included, needs a
//! row. The others are names for one verb on one resource, matched in full by [`Meaning::of`].
//! Source: kubernetes.io "Authorization", "Using RBAC Authorization"; read 2026-12-01.

use toolpass_integration::actions;

use crate::resource::{self, Kind};

actions! { // name                            on                  effect       phrase, completed by the resource
    RawOn             "raw:<verb>:<resource>" namespace|cluster   write        "use any verb on";
    Raw               "raw:<verb>"            nonresource|namespace|cluster write "use any verb on";
    PodsExec          "pods.exec"             namespace           write        "run commands in pods of";
    PodsLogs          "pods.logs"             namespace           read         "read logs in";
    PodsPortForward   "pods.portforward"      namespace           write        "open connections to pods of";
    PodsAttach        "pods.attach"           namespace           write        "attach to pods of";
    Scale             "scale"                 namespace|cluster   write        "scale workloads of";
    SecretsRead       "secrets.read"          namespace|cluster   read         "read secrets of";
    SecretsList       "secrets.list"          namespace|cluster   read         "list secrets of";
    Impersonate       "impersonate"           namespace|cluster   write        "act as others in";
    DeploymentCreate  "deployment.create"     namespace           write        "create deployments in";
    DeploymentUpdate  "deployment.update"     namespace           write        "change deployments of";
    DeploymentDelete  "deployment.delete"     namespace           destructive  "delete deployments of";
    DeploymentRestart "deployment.restart"    namespace           write        "restart deployments of";
    NamespaceCreate   "namespace.create"      namespace|cluster   write        "create namespaces in";
    NamespaceDelete   "namespace.delete"      namespace|cluster   destructive  "delete namespaces of";
    RbacBind          "rbac.bind"             namespace           write        "bind roles in";
}

/// What an action asks the API server: a verb, and the kind of object when the action names one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meaning {
    /// The verb.
    pub verb: String,
    /// The kind of object, when the action says it.
    pub kind: Option<Kind>,
    /// The kind when neither the action nor the resource says one.
    pub usual: Option<Kind>,
    /// A part of the object that the action means, whatever the object is.
    pub subresource: Option<&'static str>,
}

impl Meaning {
    /// The meaning of an action's name; `None` for what is no action.
    pub fn of(name: &str) -> Option<Meaning> {
        match name.strip_prefix("raw:") {
            Some(rest) => raw(rest),
            None => named(Action::parse(name)?),
        }
    }
}

/// The name of the action that is `verb` on `kind`.
pub fn name(verb: &str, kind: &Kind) -> String {
    format!("raw:{verb}:{kind}")
}

fn raw(rest: &str) -> Option<Meaning> {
    let (verb, kind) = match rest.split_once(':') {
        Some((verb, kind)) => (verb, Some(Kind::parse(kind)?)),
        None => (rest, None),
    };
    resource::is_verb(verb).then(|| Meaning {
        verb: verb.to_owned(),
        kind,
        usual: None,
        subresource: None,
    })
}

fn named(action: Action) -> Option<Meaning> {
    let on = |verb: &str, kind: &str| {
        Some(Meaning {
            verb: verb.to_owned(),
            kind: Some(Kind::parse(kind)?),
            usual: None,
            subresource: None,
        })
    };
    match action {
        // Patterns of names: no name themselves.
        Action::Raw | Action::RawOn => None,
        Action::PodsExec => on("create", "pods/exec"),
        Action::PodsLogs => on("get", "pods/log"),
        Action::PodsPortForward => on("create", "pods/portforward"),
        Action::PodsAttach => on("create", "pods/attach"),
        Action::Scale => Some(Meaning {
            verb: "update".to_owned(),
            kind: None,
            usual: None,
            subresource: Some("scale"),
        }),
        Action::SecretsRead => on("get", "secrets"),
        Action::SecretsList => on("list", "secrets"),
        Action::Impersonate => Some(Meaning {
            verb: "impersonate".to_owned(),
            kind: None,
            usual: Kind::parse("users"),
            subresource: None,
        }),
        Action::DeploymentCreate => on("create", "deployments.apps"),
        Action::DeploymentUpdate => on("update", "deployments.apps"),
        Action::DeploymentDelete => on("delete", "deployments.apps"),
        Action::DeploymentRestart => on("patch", "deployments.apps"),
        Action::NamespaceCreate => on("create", "namespaces"),
        Action::NamespaceDelete => on("delete", "namespaces"),
        Action::RbacBind => on("create", "rolebindings.rbac.authorization.k8s.io"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_but_the_patterns_has_a_meaning() {
        for action in Action::ALL {
            let has_one = Meaning::of(action.name()).is_some();
            assert_eq!(has_one, !action.name().contains('<'), "{}", action.name());
        }
    }

    #[test]
    fn what_is_no_action() {
        for name in [
            "raw:Get:pods",
            "raw:get:",
            "raw::pods",
            "raw:",
            "get:pods",
            "raw:get:pods.-bad",
            "raw:get:pods/",
            "raw:get:pods:x",
            "raw:<verb>",
            "raw:<verb>:<resource>",
            "pods",
            "",
        ] {
            assert_eq!(Meaning::of(name), None, "{name}");
        }
    }

    #[test]
    fn a_name_reads_back() {
        for kind in [
            "pods",
            "deployments.apps/scale",
            "widgets.example.com",
            "pods/log",
        ] {
            let kind = Kind::parse(kind).unwrap();
            let meaning = Meaning::of(&name("patch", &kind)).unwrap();
            assert_eq!((meaning.verb.as_str(), meaning.kind), ("patch", Some(kind)));
        }
    }
}
