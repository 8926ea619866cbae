//! What a request leaves to the stored object: the role a binding names, the signer a certificate is asked of.
//!
//! Both are fixed once the object is there, so a change of it does not say them again.
//! Source: k8s.io/api `rbac/v1`, `certificates/v1`; kubernetes.io "Certificate Signing Requests"; read 2026-12-01.

use toolpass_core::question::Pointer;
use toolpass_core::resource::Resource;
use toolpass_http::error::Error;
use toolpass_http::json::Json;
use toolpass_integration::answers::{Answers, Found, Stop};
use toolpass_integration::failure::Failure;

use crate::resource::{Kind, Object, is_name, is_namespace, is_resource, is_version};
use crate::upstream::{Read, Stored};

/// The role that a stored binding names.
pub const ROLE_OF_BINDING: &str = "role_of_binding";
/// The signer that a stored certificate request or trust bundle names.
pub const SIGNER_OF: &str = "signer_of";

/// The pointer of `kind` to an object of `resource`.
pub fn pointer(
    kind: &str,
    resource: &str,
    version: &str,
    namespace: Option<&str>,
    name: &str,
) -> Pointer {
    let parts = [
        ("resource", Some(resource)),
        ("version", Some(version)),
        ("namespace", namespace),
    ];
    Pointer {
        kind: kind.to_owned(),
        value: name.to_owned(),
        parts: parts
            .into_iter()
            .filter_map(|(part, value)| Some((part.to_owned(), value?.to_owned())))
            .collect(),
    }
}

/// What a pointer leads to; `None` when the object is not there.
/// Errors: [`Stop`]: not read yet, failed, or a pointer that is none.
pub fn target(pointer: &Pointer, answers: &Answers<Read>) -> Result<Option<Resource>, Stop<Read>> {
    let (group, parse): (&str, Parse) = match pointer.kind.as_str() {
        ROLE_OF_BINDING => (RBAC, role),
        SIGNER_OF => (CERTIFICATES, signer),
        _ => return Err(Failure::invalid("a pointer that is not understood").into()),
    };
    let part = |name: &str| {
        pointer
            .parts
            .get(name)
            .map(String::as_str)
            .unwrap_or_default()
    };
    let namespace = pointer.parts.get("namespace").cloned();
    let kind = Kind::of(group, part("resource"), "");
    let fits = is_resource(part("resource"))
        && is_version(part("version"))
        && kind.is_some_and(|kind| is_name(&pointer.value, &kind))
        && namespace.as_deref().is_none_or(is_namespace);
    if !fits {
        return Err(Failure::invalid("a pointer that leads to no object").into());
    }
    let read = Read::Object(Stored {
        group: group.to_owned(),
        version: part("version").to_owned(),
        resource: part("resource").to_owned(),
        namespace: namespace.clone(),
        name: pointer.value.clone(),
    });
    match answers.record(read, parse)? {
        Found::Here((kind, name)) => resource(kind, name, namespace).map(Some),
        Found::Missing => Ok(None),
        Found::Forbidden => Err(Stop::unsupported(
            "the token may not read the object that says which further right is needed",
        )),
    }
}

/// Kind and name of what a record leads to.
type Parse = fn(Json<'_>) -> Result<(&'static str, String), Error>;

fn role(json: Json<'_>) -> Result<(&'static str, String), Error> {
    let found = json.required("roleRef")?;
    let kind = match found.required("kind")?.string()? {
        "Role" => "roles",
        "ClusterRole" => "clusterroles",
        _ => {
            return Err(Error::malformed(
                "the binding names neither a Role nor a ClusterRole",
            ));
        }
    };
    Ok((kind, found.required("name")?.string()?.to_owned()))
}

fn signer(json: Json<'_>) -> Result<(&'static str, String), Error> {
    let name = json.required("spec")?.required("signerName")?.string()?;
    Ok(("signers", name.to_owned()))
}

fn resource(
    resource: &'static str,
    name: String,
    namespace: Option<String>,
) -> Result<Resource, Stop<Read>> {
    let group = if resource == "signers" {
        CERTIFICATES
    } else {
        RBAC
    };
    let found = Kind::of(group, resource, "")
        .filter(|kind| is_name(&name, kind))
        .map(|kind| Object {
            verb: String::new(),
            kind,
            namespace: namespace.filter(|_| resource != "signers"),
            name,
        });
    let text = found.map(|object| object.resource()).unwrap_or_default();
    Resource::parse(&text)
        .map_err(|_| Stop::unsupported("the object names a role or a signer of an odd name"))
}

/// The group of roles and bindings.
pub const RBAC: &str = "rbac.authorization.k8s.io";
/// The group of certificates and signers.
pub const CERTIFICATES: &str = "certificates.k8s.io";
