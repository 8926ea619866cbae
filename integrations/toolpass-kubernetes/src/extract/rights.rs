//! Writes that hand out rights: what the server asks besides, in its handlers and its admission.
//!
//! It asks them of who sends the request, which is the agent; a user's request would get the agent's rights if they were not asked here.
//! Source: kubernetes/kubernetes `pkg/registry/rbac`, `plugin/pkg/admission/certificates`,
//! `pkg/registry/admissionregistration/*/authz.go`; kubernetes.io "Using RBAC Authorization", "Certificate Signing Requests"; KEP-5681;
//! read 2026-12-01.

use serde_json::{Value, json};
use toolpass_core::question::Pointer;
use toolpass_wire::extract::{Pair, Target};
use toolpass_wire::field::Unresolved;
use toolpass_wire::json::Json;
use toolpass_wire::reading::Reading;

use super::{Sought, body, inner, pair};
use crate::facts;
use crate::pointer::{self, CERTIFICATES, RBAC};
use crate::resource::{Kind, Object, is_name};
use crate::rules::rights::EVERYTHING;

/// The pairs that are asked besides the first.
pub(super) fn besides(reading: &Reading<'_>, sought: &Sought) -> Result<Vec<Pair>, Unresolved> {
    let object = &sought.object;
    if !matches!(object.verb.as_str(), "create" | "patch" | "update") {
        return Ok(Vec::new());
    }
    let kind = &object.kind;
    match (
        kind.group.as_str(),
        kind.resource.as_str(),
        kind.subresource.as_str(),
    ) {
        (RBAC, "clusterrolebindings" | "rolebindings", _) => binding(reading, sought),
        (RBAC, "clusterroles" | "roles", _) => role(reading, sought),
        (CERTIFICATES, "certificatesigningrequests", "approval") => {
            Ok(vec![stored_signer(sought, "approve")])
        }
        (CERTIFICATES, "certificatesigningrequests", "status") => {
            Ok(vec![stored_signer(sought, "sign")])
        }
        (CERTIFICATES, "clustertrustbundles", "") => trust(reading, sought),
        ("admissionregistration.k8s.io", policy, _) if is_policy(policy) => admission(reading),
        (OPENSHIFT, kind, _) if is_of_rights(kind) => Err(Unresolved::new(
            "OpenShift's own roles and bindings are written with the agent's rights; use those of rbac.authorization.k8s.io",
        )),
        _ => Ok(Vec::new()),
    }
}

/// The kinds of OpenShift's own group that are RBAC's under another name.
fn is_of_rights(kind: &str) -> bool {
    matches!(
        kind,
        "clusterrolebindings" | "clusterroles" | "rolebindings" | "roles"
    )
}

/// A binding: the right to bind the role, or everything the role allows.
fn binding(reading: &Reading<'_>, sought: &Sought) -> Result<Vec<Pair>, Unresolved> {
    let (object, version) = (&sought.object, sought.version.as_str());
    let named = match edit(reading)? {
        Edit::Object(body) => inner(&body, &["roleRef"])?.map(role_ref).transpose()?,
        Edit::Steps => None,
    };
    let asked = match named {
        Some((resource, name)) => {
            let kind = Kind::of(RBAC, resource, "").filter(|kind| is_name(&name, kind));
            let kind =
                kind.ok_or_else(|| Unresolved::new("`roleRef` names a role of an odd name"))?;
            pair(&Object {
                verb: "bind".to_owned(),
                kind,
                namespace: object.namespace.clone(),
                name,
            })
        }
        None if object.verb == "patch" && !object.name.is_empty() => at(
            "raw:bind",
            pointer::pointer(
                pointer::ROLE_OF_BINDING,
                &object.kind.resource,
                version,
                object.namespace.as_deref(),
                &object.name,
            ),
        ),
        None => return Err(Unresolved::new("expected `roleRef` in a binding")),
    };
    Ok(vec![asked.fact(facts::UNLESS_ROLE_HELD, version)])
}

fn role_ref(found: &Json) -> Result<(&'static str, String), Unresolved> {
    let text = |name| inner(found, &[name]).map(|value| value.and_then(Json::as_str));
    let resource = match text("kind")? {
        Some("Role") => "roles",
        Some("ClusterRole") => "clusterroles",
        _ => {
            return Err(Unresolved::new(
                "expected `Role` or `ClusterRole` as `roleRef.kind`",
            ));
        }
    };
    let name = text("name")?.ok_or_else(|| Unresolved::new("expected `roleRef.name`"))?;
    Ok((resource, name.to_owned()))
}

/// A role: the right to escalate, or everything the role will allow.
fn role(reading: &Reading<'_>, sought: &Sought) -> Result<Vec<Pair>, Unresolved> {
    let object = &sought.object;
    let asked = pair(&Object {
        verb: "escalate".to_owned(),
        ..object.clone()
    });
    let Edit::Object(body) = edit(reading)? else {
        return Ok(vec![asked]);
    };
    if inner(&body, &["aggregationRule"])?.is_some() {
        return Ok(vec![asked.fact(facts::UNLESS_HELD, EVERYTHING)]);
    }
    let whole = object.verb != "patch";
    Ok(vec![match inner(&body, &["rules"])? {
        Some(rules) => match written(rules) {
            Some(rules) => unless_held(asked, sought, &rules),
            None => asked,
        },
        None if whole => unless_held(asked, sought, "[]"),
        // A patch of something else leaves the rules, which the server looks at all the same.
        None => asked.fact(facts::UNLESS_ROLE_HELD, sought.version.as_str()),
    }])
}

/// A role of the cluster that is there may be filled from others, which its new rules do not say.
fn unless_held(asked: Pair, sought: &Sought, rules: &str) -> Pair {
    let object = &sought.object;
    let asked = asked.fact(facts::UNLESS_HELD, rules);
    match object.verb != "create" && object.kind.resource == "clusterroles" {
        true => asked.fact(facts::UNLESS_GATHERED, sought.version.as_str()),
        false => asked,
    }
}

/// The rules as a fact; `None` for those that are none, or too long: then only the right itself counts.
fn written(rules: &Json) -> Option<String> {
    let text = value(rules).to_string();
    let parsed = toolpass_http::json::parse(text.as_bytes()).ok()?;
    crate::rules::rights::rules(toolpass_http::json::Json::new(&parsed)).ok()?;
    (text.len() <= MAX_RULES).then_some(text)
}

fn value(json: &Json) -> Value {
    match json {
        Json::Array(items) => Value::Array(items.iter().map(value).collect()),
        Json::Object(members) => Value::Object(
            members
                .iter()
                .map(|(name, member)| (name.clone(), value(member)))
                .collect(),
        ),
        Json::String(text) => json!(text),
        Json::Bool(truth) => json!(truth),
        // No rule holds a number; as a text it stays no rule.
        Json::Number(_) => json!({}),
        Json::Null => Value::Null,
    }
}

/// A bundle of trusted certificates: the signer it is published for, when it names one.
fn trust(reading: &Reading<'_>, sought: &Sought) -> Result<Vec<Pair>, Unresolved> {
    let object = &sought.object;
    let named = match edit(reading)? {
        Edit::Object(body) => match inner(&body, &["spec", "signerName"])? {
            Some(name) => Some(name.as_str().unwrap_or_default().to_owned()),
            None if object.verb != "patch" => return Ok(Vec::new()),
            None => None,
        },
        Edit::Steps => None,
    };
    let Some(name) = named else {
        return Ok(vec![stored_signer(sought, "attest")]);
    };
    let kind = Kind::of(CERTIFICATES, "signers", "").filter(|kind| is_name(&name, kind));
    let kind = kind.ok_or_else(|| Unresolved::new("`spec.signerName` is no name of a signer"))?;
    Ok(vec![pair(&Object {
        verb: "attest".to_owned(),
        kind,
        namespace: None,
        name,
    })])
}

fn stored_signer(sought: &Sought, verb: &'static str) -> Pair {
    let object = &sought.object;
    let action = match verb {
        "approve" => "raw:approve:signers.certificates.k8s.io",
        "sign" => "raw:sign:signers.certificates.k8s.io",
        _ => "raw:attest:signers.certificates.k8s.io",
    };
    at(
        action,
        pointer::pointer(
            pointer::SIGNER_OF,
            &object.kind.resource,
            &sought.version,
            None,
            &object.name,
        ),
    )
}

fn is_policy(resource: &str) -> bool {
    matches!(
        resource,
        "mutatingadmissionpolicies"
            | "mutatingadmissionpolicybindings"
            | "validatingadmissionpolicies"
            | "validatingadmissionpolicybindings"
    )
}

/// A policy with parameters: reading them is asked too, of a kind that only the cluster knows the resource of.
fn admission(reading: &Reading<'_>) -> Result<Vec<Pair>, Unresolved> {
    let has_parameters = match edit(reading)? {
        Edit::Object(body) => {
            inner(&body, &["spec", "paramKind"])?.is_some()
                || inner(&body, &["spec", "paramRef"])?.is_some()
        }
        Edit::Steps => true,
    };
    match has_parameters {
        true => Err(Unresolved::new(
            "an admission policy with parameters also needs to read those, which cannot be told from the request",
        )),
        false => Ok(Vec::new()),
    }
}

/// A body that says what an object is or becomes.
enum Edit {
    /// Members.
    Object(Json),
    /// A list of steps, whose end is not told here.
    Steps,
}

/// Errors: [`Unresolved`] for no body, or one that cannot be read.
fn edit(reading: &Reading<'_>) -> Result<Edit, Unresolved> {
    match body(reading)? {
        Some(body @ Json::Object(_)) => Ok(Edit::Object(body)),
        Some(Json::Array(_)) => Ok(Edit::Steps),
        Some(_) | None => Err(Unresolved::new("expected an object as the body")),
    }
}

fn at(action: &'static str, pointer: Pointer) -> Pair {
    Pair {
        action: Some(action.into()),
        target: Some(Target::Pointer(pointer)),
        effect: None,
        facts: Default::default(),
    }
}

/// The longest rules that are looked at one by one.
const MAX_RULES: usize = 8192;

/// Its server hands writes on to RBAC as who sent them. SOURCE: openshift/openshift-apiserver `pkg/authorization/apiserver/registry`.
const OPENSHIFT: &str = "authorization.openshift.io";
