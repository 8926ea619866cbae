//! What a request does: the verb of the API server, the effect, and the second verbs that follow from the method alone.
//!
//! Source: k8s.io/apiserver `endpoints/request/requestinfo.go` (verbs, `watch`), `handlers/{create,delete,patch,update}.go`,
//! `registry/generic/registry/store.go` (`AllowCreateOnUpdate`); KEP-4006 (streams by GET); read 2026-12-01.

use toolpass_core::effect::Effect;
use toolpass_wire::extract::Pair;
use toolpass_wire::field::Unresolved;
use toolpass_wire::json::Json;
use toolpass_wire::reading::Reading;

use super::{Sought, body, inner, is_proxy, is_stream, media_type, pair};
use crate::facts;
use crate::resource::{Kind, Object};

/// The verb of a request for `name`, or for a collection when that is empty.
/// Errors: [`Unresolved`] for a method the server has no verb for.
pub(super) fn of(reading: &Reading<'_>, name: &str) -> Result<&'static str, Unresolved> {
    match (reading.method(), name.is_empty()) {
        ("GET" | "HEAD", false) => Ok("get"),
        ("GET" | "HEAD", true) => match is_watch(reading)? {
            true => Ok("watch"),
            false => Ok("list"),
        },
        ("POST", _) => Ok("create"),
        ("PUT", _) => Ok("update"),
        ("PATCH", _) => Ok("patch"),
        ("DELETE", false) => Ok("delete"),
        ("DELETE", true) => Ok("deletecollection"),
        _ => Err(Unresolved::new("the API server has no verb for the method")),
    }
}

/// Any value but `false` and `0` is a yes, an empty one too.
fn is_watch(reading: &Reading<'_>) -> Result<bool, Unresolved> {
    let value = reading.query("watch").known()?;
    Ok(value.is_some_and(|value| !matches!(value.to_ascii_lowercase().as_str(), "0" | "false")))
}

/// How much the request can do.
pub(super) fn effect(reading: &Reading<'_>, object: &Object) -> Effect {
    let kind = &object.kind;
    let by_method = Effect::of_method(reading.method());
    if object.verb == "create" && is_review(kind) {
        return Effect::Read;
    }
    let ends = kind.is("", "pods") && kind.subresource == "eviction"
        || kind.is("", "namespaces") && kind.subresource == "finalize"
        || kind.subresource == "scale" && !keeps_running(reading);
    if ends && by_method != Effect::Read {
        return Effect::Destructive;
    }
    let acts = is_stream(kind) || (is_proxy(kind) && kind.resource == "nodes");
    if acts {
        by_method.max(Effect::Write)
    } else {
        by_method
    }
}

/// A question, answered and stored nowhere.
fn is_review(kind: &Kind) -> bool {
    let names: &[&str] = match kind.group.as_str() {
        "authorization.k8s.io" => &[
            "localsubjectaccessreviews",
            "selfsubjectaccessreviews",
            "selfsubjectrulesreviews",
            "subjectaccessreviews",
        ],
        "authentication.k8s.io" => &["selfsubjectreviews", "tokenreviews"],
        _ => &[],
    };
    names.contains(&kind.resource.as_str()) && kind.subresource.is_empty()
}

/// Whether a scale is set to more than nothing. Unread is nothing.
fn keeps_running(reading: &Reading<'_>) -> bool {
    let Ok(Some(body)) = body(reading) else {
        return false;
    };
    match inner(&body, &["spec", "replicas"]) {
        Ok(Some(Json::Number(number))) => number.parse::<u32>().is_ok_and(|count| count > 0),
        Ok(_) | Err(_) => false,
    }
}

/// The verbs that are asked besides the first.
pub(super) fn besides(reading: &Reading<'_>, sought: &Sought) -> Result<Vec<Pair>, Unresolved> {
    let object = &sought.object;
    let also = |verb: &str| {
        pair(&Object {
            verb: verb.to_owned(),
            ..object.clone()
        })
    };
    if is_stream(&object.kind) && object.verb == "get" {
        return Ok(vec![also("create")]);
    }
    if object.verb == "delete" || object.verb == "deletecollection" {
        return Ok(match is_unsafe_deletion(reading)? {
            true => vec![also("unsafe-delete-ignore-read-errors")],
            false => Vec::new(),
        });
    }
    let creates = object.verb == "patch" && is_apply(reading)?
        || object.verb == "update" && creates_on_update(&object.kind);
    match creates && !object.name.is_empty() && object.kind.subresource.is_empty() {
        true => Ok(vec![
            also("create").fact(facts::UNLESS_EXISTS, sought.version.as_str()),
        ]),
        false => Ok(Vec::new()),
    }
}

/// Whether a deletion is asked to pass over objects that cannot be read.
fn is_unsafe_deletion(reading: &Reading<'_>) -> Result<bool, Unresolved> {
    let says_yes = |text: &str| !matches!(text.to_ascii_lowercase().as_str(), "0" | "false");
    if reading
        .query(UNSAFE)
        .known()?
        .is_some_and(|value| says_yes(&value))
    {
        return Ok(true);
    }
    let Some(body) = body(reading)? else {
        return Ok(false);
    };
    match inner(&body, &[UNSAFE])? {
        None => Ok(false),
        Some(value) => Ok(value.as_bool() != Some(false)),
    }
}

/// Server-side apply, by its content type.
fn is_apply(reading: &Reading<'_>) -> Result<bool, Unresolved> {
    let content_type = reading.header("content-type").known()?;
    Ok(content_type.is_some_and(|value| media_type(value).starts_with("application/apply-patch+")))
}

/// Kinds of which an update creates what is not there.
fn creates_on_update(kind: &Kind) -> bool {
    let names: &[&str] = match kind.group.as_str() {
        "" => &["endpoints", "events", "limitranges", "services"],
        "coordination.k8s.io" => &["leases"],
        "events.k8s.io" => &["events"],
        "rbac.authorization.k8s.io" => &[
            "clusterrolebindings",
            "clusterroles",
            "rolebindings",
            "roles",
        ],
        _ => &[],
    };
    names.contains(&kind.resource.as_str())
}

const UNSAFE: &str = "ignoreStoreReadErrorWithClusterBreakingPotential";
