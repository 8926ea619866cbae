//! What may be asked about: an object or a collection of a namespace or of the cluster, or a path of the API server.
//!
//! Separate from the rules because requests are turned into the same values. An [`Asked`] is what one review asks; it exists only with
//! pieces of the right form, so nothing else reaches the API server.
//! Source: k8s.io/api `authorization/v1`, k8s.io/apiserver `endpoints/request/requestinfo.go`; read 2026-12-01.

use std::fmt;

use toolpass_core::resource::Resource;
use toolpass_integration::failure::Failure;

use crate::actions::Meaning;

/// A kind of object: `deployments.apps/scale`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kind {
    /// The API group; empty is the core group.
    pub group: String,
    /// The plural.
    pub resource: String,
    /// A part of the object; empty is the object.
    pub subresource: String,
}

/// An object or a collection, and what is done to it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Object {
    /// The verb.
    pub verb: String,
    /// The kind.
    pub kind: Kind,
    /// The namespace; `None` is the cluster, or all namespaces.
    pub namespace: Option<String>,
    /// The name; empty is the collection.
    pub name: String,
}

/// What one review asks.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Asked {
    /// Something the API serves.
    Object(Object),
    /// A path of the API server that is no resource.
    Path {
        /// The method, in lower case.
        verb: String,
        /// The path.
        path: String,
    },
}

impl Kind {
    /// Read `resource[.group][/subresource]`; `None` for a piece that is not of its form.
    pub fn parse(text: &str) -> Option<Kind> {
        let (head, subresource) = match text.split_once('/') {
            Some((head, subresource)) if is_resource(subresource) => (head, subresource),
            Some(_) => return None,
            None => (text, ""),
        };
        let (resource, group) = match head.split_once('.') {
            Some((resource, group)) if is_group(group) => (resource, group),
            Some(_) => return None,
            None => (head, ""),
        };
        is_resource(resource).then(|| Kind {
            group: group.to_owned(),
            resource: resource.to_owned(),
            subresource: subresource.to_owned(),
        })
    }

    /// A kind of these pieces; `None` when one is not of its form.
    pub fn of(group: &str, resource: &str, subresource: &str) -> Option<Kind> {
        let fits = is_resource(resource)
            && (group.is_empty() || is_group(group))
            && (subresource.is_empty() || is_resource(subresource));
        fits.then(|| Kind {
            group: group.to_owned(),
            resource: resource.to_owned(),
            subresource: subresource.to_owned(),
        })
    }

    /// Whether it is this resource of this group, whichever part.
    pub fn is(&self, group: &str, resource: &str) -> bool {
        self.group == group && self.resource == resource
    }
}

/// As an action and a resource write it.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.resource)?;
        if !self.group.is_empty() {
            write!(f, ".{}", self.group)?;
        }
        if !self.subresource.is_empty() {
            write!(f, "/{}", self.subresource)?;
        }
        Ok(())
    }
}

impl Object {
    /// As a resource is written.
    pub fn resource(&self) -> String {
        let place = match &self.namespace {
            Some(namespace) => format!("namespace:{namespace}"),
            None => "cluster".to_owned(),
        };
        let name = match self.name.is_empty() {
            true => String::new(),
            false => format!("&name={}", self.name),
        };
        format!("{place}?resource={}{name}", self.kind)
    }
}

/// As texts show it: `patch deployments.apps shop/web`.
impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Asked::Path { verb, path } => write!(f, "{verb} {path}"),
            Asked::Object(object) => {
                let place = object.namespace.as_deref().unwrap_or("*");
                write!(f, "{} {} {place}", object.verb, object.kind)?;
                match object.name.is_empty() {
                    true => Ok(()),
                    false => write!(f, "/{}", object.name),
                }
            }
        }
    }
}

impl Asked {
    /// What an action on a resource asks.
    /// Errors: `invalid_request`, saying which piece is wrong.
    pub fn read(meaning: &Meaning, resource: &Resource) -> Result<Asked, Failure> {
        match resource.kind() {
            "nonresource" => path(meaning, resource),
            "namespace" => {
                let namespace = resource.id();
                if !is_namespace(namespace) {
                    return Err(Failure::invalid("expected the name of a namespace"));
                }
                object(meaning, resource, Some(namespace))
            }
            "cluster" if resource.as_str().starts_with("cluster:") => {
                Err(Failure::invalid("expected `cluster` without an id"))
            }
            "cluster" => object(meaning, resource, None),
            _ => Err(Failure::invalid(
                "expected `namespace:NAME`, `cluster` or `nonresource:PATH`",
            )),
        }
    }
}

fn path(meaning: &Meaning, resource: &Resource) -> Result<Asked, Failure> {
    let plain = meaning.kind.is_none() && meaning.usual.is_none() && meaning.subresource.is_none();
    if !plain || !resource.query().is_empty() {
        return Err(Failure::invalid(
            "expected only `raw:VERB` on a path, and nothing after the path",
        ));
    }
    match is_path(resource.id()) {
        true => Ok(Asked::Path {
            verb: meaning.verb.clone(),
            path: resource.id().to_owned(),
        }),
        false => Err(Failure::invalid(
            "expected a path of letters, digits and `/ . _ ~ * -`",
        )),
    }
}

fn object(
    meaning: &Meaning,
    resource: &Resource,
    namespace: Option<&str>,
) -> Result<Asked, Failure> {
    if let Some((key, _)) = resource
        .query()
        .iter()
        .find(|(key, _)| !["name", "resource", "subresource"].contains(&key.as_str()))
    {
        return Err(Failure::invalid(format!(
            "`{key}`: expected only `resource`, `name` and `subresource`"
        )));
    }
    let kind = kind(meaning, resource)?;
    let name = resource.param("name").unwrap_or_default();
    if resource.param("name").is_some() && !is_name(name, &kind) {
        return Err(Failure::invalid("`name`: expected the name of an object"));
    }
    Ok(Asked::Object(Object {
        verb: meaning.verb.clone(),
        kind,
        namespace: namespace.map(str::to_owned),
        name: name.to_owned(),
    }))
}

/// The kind that action and resource agree on.
fn kind(meaning: &Meaning, resource: &Resource) -> Result<Kind, Failure> {
    let written = match resource.param("resource") {
        Some(text) => Some(Kind::parse(text).ok_or_else(|| {
            Failure::invalid("`resource`: expected `RESOURCE[.GROUP][/SUBRESOURCE]`")
        })?),
        None => None,
    };
    let same = |a: &Kind, b: &Kind| a.is(&b.group, &b.resource);
    let mut kind = match (&meaning.kind, written.clone()) {
        (Some(named), Some(written)) if !same(named, &written) => {
            return Err(Failure::invalid(
                "`resource`: the action names another kind of object",
            ));
        }
        (Some(named), _) => named.clone(),
        (None, Some(written)) => written,
        (None, None) => meaning
            .usual
            .clone()
            .ok_or_else(|| Failure::invalid("expected `?resource=` to say the kind of object"))?,
    };
    let parts = [
        Some(kind.subresource.as_str()),
        written.as_ref().map(|kind| kind.subresource.as_str()),
        resource.param("subresource"),
        meaning.subresource,
    ];
    let mut said: Vec<&str> = parts
        .into_iter()
        .flatten()
        .filter(|part| !part.is_empty())
        .collect();
    said.dedup();
    let subresource = match said.as_slice() {
        [] => "",
        [one] if is_resource(one) => one,
        _ => {
            return Err(Failure::invalid(
                "`subresource`: expected one part of the object",
            ));
        }
    };
    kind.subresource = subresource.to_owned();
    Ok(kind)
}

/// Whether `text` can be a verb of an action.
pub fn is_verb(text: &str) -> bool {
    (1..=63).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')
        && text.starts_with(|c: char| c.is_ascii_lowercase())
}

/// Whether `text` is a plural or a part of an object.
pub fn is_resource(text: &str) -> bool {
    let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    text.len() <= 63
        && text.bytes().next().is_some_and(fits)
        && text.bytes().all(|b| fits(b) || b == b'-')
}

/// Whether `text` is an API group other than the core one.
pub fn is_group(text: &str) -> bool {
    let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    text.len() <= 253
        && text.bytes().next().is_some_and(fits)
        && text.bytes().last().is_some_and(fits)
        && text.bytes().all(|b| fits(b) || matches!(b, b'-' | b'.'))
}

/// Whether `text` is a namespace.
pub fn is_namespace(text: &str) -> bool {
    is_resource(text) && !text.ends_with('-')
}

/// Whether `text` is the version of an API.
pub fn is_version(text: &str) -> bool {
    is_resource(text)
}

/// Whether `text` is the name of an object of `kind`. A signer's has a slash; that of a proxied port may end in a colon.
pub fn is_name(text: &str, kind: &Kind) -> bool {
    let starts = |b: u8| b.is_ascii_alphanumeric();
    let signer = kind.is("certificates.k8s.io", "signers");
    let proxy = kind.subresource == "proxy";
    let fits = |b: u8| {
        starts(b) || matches!(b, b'.' | b'_' | b':' | b'-') || (signer && matches!(b, b'/' | b'*'))
    };
    let ends = |b: u8| starts(b) || (proxy && b == b':') || (signer && b == b'*');
    text.len() <= 254
        && text.bytes().next().is_some_and(starts)
        && text.bytes().last().is_some_and(ends)
        && text.bytes().all(fits)
}

/// Whether `text` is a path of the API server.
pub fn is_path(text: &str) -> bool {
    text.len() <= 1001
        && text.starts_with('/')
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"/._~*-".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(action: &str, resource: &str) -> Result<String, String> {
        let meaning = Meaning::of(action).ok_or("no action")?;
        let resource = Resource::parse(resource).map_err(|error| error.to_string())?;
        Asked::read(&meaning, &resource)
            .map(|asked| asked.to_string())
            .map_err(|failure| failure.text().to_owned())
    }

    #[test]
    fn actions_and_resources_make_questions() {
        for (action, resource, expected) in [
            ("raw:get:pods", "namespace:shop", "get pods shop"),
            (
                "raw:get:pods",
                "namespace:shop?name=web",
                "get pods shop/web",
            ),
            (
                "raw:get:pods",
                "namespace:shop?resource=pods",
                "get pods shop",
            ),
            (
                "raw:get:pods",
                "namespace:shop?subresource=log",
                "get pods/log shop",
            ),
            (
                "raw:get",
                "cluster?resource=nodes&name=n1",
                "get nodes */n1",
            ),
            ("raw:get", "nonresource:/metrics", "get /metrics"),
            (
                "raw:update:deployments.apps/scale",
                "namespace:shop?name=web&subresource=scale",
                "update deployments.apps/scale shop/web",
            ),
            (
                "scale",
                "namespace:shop?resource=deployments.apps&name=web",
                "update deployments.apps/scale shop/web",
            ),
            (
                "scale",
                "namespace:shop?resource=deployments.apps/scale",
                "update deployments.apps/scale shop",
            ),
            (
                "impersonate",
                "cluster?name=dana",
                "impersonate users */dana",
            ),
            (
                "impersonate",
                "cluster?resource=groups&name=dev",
                "impersonate groups */dev",
            ),
            (
                "pods.exec",
                "namespace:shop?name=web",
                "create pods/exec shop/web",
            ),
            (
                "raw:approve",
                "cluster?resource=signers.certificates.k8s.io&name=example.com/one",
                "approve signers.certificates.k8s.io */example.com/one",
            ),
            (
                "raw:get:services/proxy",
                "namespace:shop?name=https:web:",
                "get services/proxy shop/https:web:",
            ),
        ] {
            assert_eq!(
                read(action, resource).as_deref(),
                Ok(expected),
                "{action} {resource}"
            );
        }
    }

    #[test]
    fn what_is_no_question() {
        for (action, resource) in [
            ("raw:get:pods", "pod:web"),
            ("raw:get:pods", "cluster:x"),
            ("raw:get:pods", "namespace:Shop"),
            ("raw:get:pods", "namespace:"),
            ("raw:get:pods", "namespace:shop?namespace=prod"),
            ("raw:get:pods", "namespace:shop?resource=secrets"),
            ("raw:get:pods", "namespace:shop?resource=pods.example.com"),
            ("raw:get:pods/log", "namespace:shop?subresource=exec"),
            ("raw:get:pods", "namespace:shop?name=a/b"),
            ("raw:get:pods", "namespace:shop?name="),
            ("raw:get:pods", "namespace:shop?name=web:"),
            ("scale", "namespace:shop"),
            ("scale", "namespace:shop?resource=pods/exec"),
            ("raw:get", "namespace:shop"),
            ("raw:get:pods", "nonresource:/metrics"),
            ("pods.exec", "nonresource:/metrics"),
            ("raw:get", "nonresource:metrics"),
            ("raw:get", "nonresource:/a b"),
            ("raw:get", "nonresource:/metrics?name=x"),
        ] {
            assert!(read(action, resource).is_err(), "{action} {resource}");
        }
    }
}
