//! A request as the API server itself reads it: namespace, kind, name and verb, from path, method and query.
//!
//! The server reads every path of resources by one rule, whichever group serves them, custom resources and aggregated APIs included. So do
//! we: [`object`] and its kin are that rule, and only what the server asks besides has files of its own.
//! INVARIANT: every piece of a path has its form before it becomes part of a question; what has another form is unresolved.
//! INVARIANT: whatever the server may ask besides its first question is asked, or the request is unresolved.
//! Source: k8s.io/apiserver `endpoints/request/requestinfo.go`, `filters/impersonation.go`, `handlers/{delete,patch,update}.go`;
//! KEP-4006, KEP-5681; read 2026-12-01.

pub mod path;
mod rights;
mod selector;
mod verb;

use toolpass_core::question::Facts;
use toolpass_wire::extract::{Extracted, Pair, Target};
use toolpass_wire::field::Unresolved;
use toolpass_wire::json::Json;
use toolpass_wire::reading::Reading;
use toolpass_wire::table::Audience;

use crate::actions;
use crate::facts;
use crate::resource::{Kind, Object, is_name, is_namespace, is_version};

/// A request for an object, a collection, or a part of an object.
pub(crate) struct Sought {
    /// The version of the API.
    pub(crate) version: String,
    /// What is asked first.
    pub(crate) object: Object,
}

/// A request for what the path names.
pub fn object(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let mut sought = sought(reading)?;
    let mut said = impersonated(reading)?;
    let selectors = selector::facts(reading, &sought.object)?;
    if let Some(name) = selector::only_name(&selectors, &sought.object) {
        sought.object.name = name;
    }
    said.extend(selectors);
    let kind = &sought.object.kind;
    let mut pairs = vec![pair(&sought.object)];
    pairs.extend(verb::besides(reading, &sought)?);
    pairs.extend(rights::besides(reading, &sought)?);
    for pair in &mut pairs {
        pair.facts.extend(said.clone());
    }
    let mut found = Extracted::pairs(pairs).with_effect(verb::effect(reading, &sought.object));
    if opens_a_way_out(kind) {
        found = found.sending_to(Audience::Resource);
    }
    match hands_out_secrets(&sought.object) {
        true => Ok(found.sensitive()),
        false => Ok(found),
    }
}

/// Namespace, kind, name and verb.
/// Errors: [`Unresolved`] for a piece that is not of its form, and for the old ways to watch and to proxy.
fn sought(reading: &Reading<'_>) -> Result<Sought, Unresolved> {
    let (namespace, resource) = (reading.path("ns"), reading.path("res"));
    let (name, part) = (reading.path("name"), reading.path("sub"));
    // The server reads these two words after the version as ways to do, not as resources.
    if namespace.is_empty() && matches!(resource, "watch" | "proxy") {
        return Err(Unresolved::new(
            "an address of old: watch with `?watch=true`, and proxy below the object",
        ));
    }
    // These two follow a namespace as parts of it; anything else there is a collection in it.
    if !namespace.is_empty() && name.is_empty() && matches!(resource, "status" | "finalize") {
        return assembled(reading, namespace, "namespaces", namespace, resource);
    }
    if namespace.is_empty() && resource == "namespaces" && !name.is_empty() {
        return assembled(reading, name, resource, name, part);
    }
    assembled(reading, namespace, resource, name, part)
}

fn assembled(
    reading: &Reading<'_>,
    namespace: &str,
    resource: &str,
    name: &str,
    part: &str,
) -> Result<Sought, Unresolved> {
    let odd = |piece: &str| Unresolved::new(format!("the path names no {piece} of Kubernetes"));
    let version = match reading.path("version") {
        "" => "v1",
        version => version,
    };
    let kind = Kind::of(reading.path("group"), resource, part).ok_or_else(|| odd("resource"))?;
    if !namespace.is_empty() && !is_namespace(namespace) {
        return Err(odd("namespace"));
    }
    if !name.is_empty() && !is_name(name, &kind) {
        return Err(odd("object"));
    }
    if !is_version(version) {
        return Err(odd("version of an API"));
    }
    Ok(Sought {
        version: version.to_owned(),
        object: Object {
            verb: verb::of(reading, name)?.to_owned(),
            kind,
            namespace: (!namespace.is_empty()).then(|| namespace.to_owned()),
            name: name.to_owned(),
        },
    })
}

/// The question whether the object's verb is allowed.
pub(crate) fn pair(object: &Object) -> Pair {
    Pair {
        action: Some(actions::name(&object.verb, &object.kind).into()),
        target: Some(Target::Resource(object.resource())),
        effect: None,
        facts: Facts::new(),
    }
}

/// What impersonation headers say, for the rules to compare with the user.
/// Errors: [`Unresolved`] for those that say more than a user and a group.
pub(crate) fn impersonated(reading: &Reading<'_>) -> Result<Facts, Unresolved> {
    let mut found = Facts::new();
    if !reading.has_header_starting("impersonate-") {
        return Ok(found);
    }
    if reading.has_header_starting("impersonate-extra-")
        || reading.header("impersonate-uid").known()?.is_some()
    {
        return Err(Unresolved::new(
            "the request acts as a user by more than a name and a group",
        ));
    }
    for (header, fact) in [
        ("impersonate-user", facts::AS_USER),
        ("impersonate-group", facts::AS_GROUP),
    ] {
        if let Some(value) = reading.header(header).known()? {
            found.insert(fact.to_owned(), value.to_owned());
        }
    }
    match found.contains_key(facts::AS_USER) {
        true => Ok(found),
        false => Err(Unresolved::new(
            "the request acts as a user without naming one",
        )),
    }
}

/// The body as JSON; `None` without one.
/// Errors: [`Unresolved`] for another form: the server takes YAML and a binary one too.
pub(crate) fn body(reading: &Reading<'_>) -> Result<Option<Json>, Unresolved> {
    if reading.body_absent() {
        return Ok(None);
    }
    // Clients write JSON under the type of YAML, of which it is a part.
    let is_yaml = reading
        .header("content-type")
        .known()?
        .is_some_and(|value| media_type(value).ends_with("yaml"));
    if is_yaml {
        let bytes = reading.bytes().required("body")?;
        return Json::parse(bytes)
            .map(Some)
            .map_err(|_| Unresolved::new("the body is YAML; send it as JSON"));
    }
    reading.json().known().map(|body| body.cloned())
}

/// The media type of a header, in lower case, without parameters.
pub(crate) fn media_type(value: &str) -> String {
    let end = value.find(';').unwrap_or(value.len());
    value
        .get(..end)
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase()
}

/// A member of a member: `spec.replicas`.
/// Errors: [`Unresolved`] where a reader that ignores case could find another.
pub(crate) fn inner<'j>(body: &'j Json, path: &[&str]) -> Result<Option<&'j Json>, Unresolved> {
    let mut at = body;
    for name in path {
        match at.member(name).known()? {
            None | Some(Json::Null) => return Ok(None),
            Some(found) => at = found,
        }
    }
    Ok(Some(at))
}

/// What goes through these is a stream of the caller's, or a request to somebody else's program.
fn opens_a_way_out(kind: &Kind) -> bool {
    is_stream(kind) || is_proxy(kind)
}

/// The parts of a pod that are a stream in both directions.
pub(crate) fn is_stream(kind: &Kind) -> bool {
    kind.is("", "pods") && matches!(kind.subresource.as_str(), "attach" | "exec" | "portforward")
}

/// The parts behind which another program answers.
pub(crate) fn is_proxy(kind: &Kind) -> bool {
    kind.group.is_empty()
        && matches!(kind.resource.as_str(), "nodes" | "pods" | "services")
        && kind.subresource == "proxy"
}

fn hands_out_secrets(object: &Object) -> bool {
    let kind = &object.kind;
    let reads = matches!(object.verb.as_str(), "get" | "list" | "watch");
    (kind.is("", "secrets") && reads)
        || (kind.is("", "serviceaccounts") && kind.subresource == "token")
        || kind.is("authentication.k8s.io", "tokenreviews")
        || (kind.is("", "nodes") && kind.subresource == "proxy")
        || (kind.is("", "pods")
            && matches!(kind.subresource.as_str(), "exec" | "ephemeralcontainers"))
}
