//! Objects and collections: read, watched, created, changed and deleted under their paths.

use bytes::Bytes;
use serde_json::{Value, json};

use super::call::Call;
use super::discovery::kinds;
use super::standin::status;
use super::world::{KubernetesWorld, at};
use crate::control::merge;
use crate::message::{Received, Reply};

/// Do what a call asks.
pub(super) fn answer(world: &mut KubernetesWorld, call: &Call, request: &Received) -> Reply {
    let path = call.path();
    match call.verb {
        "list" => Reply::json(200, &list(world, call)),
        "watch" => watch(world, call),
        "get" => match world.objects.get(&path) {
            Some(object) => Reply::json(200, object),
            None => missing(call),
        },
        "create" if !call.part.is_empty() => Reply::json(
            201,
            &json!({"kind": "Status", "apiVersion": "v1", "status": "Success"}),
        ),
        "create" => create(world, call, request.json()),
        "update" | "patch" => change(world, call, request),
        "delete" => match world.objects.remove(&path) {
            Some(_) => Reply::json(
                200,
                &json!({"kind": "Status", "apiVersion": "v1", "status": "Success"}),
            ),
            None => missing(call),
        },
        _ => {
            let start = format!("{}/", call.collection());
            world.objects.retain(|path, _| !path.starts_with(&start));
            Reply::json(
                200,
                &json!({"kind": "Status", "apiVersion": "v1", "status": "Success"}),
            )
        }
    }
}

fn items<'w>(world: &'w KubernetesWorld, call: &'w Call) -> impl Iterator<Item = &'w Value> {
    let start = format!("{}/", call.collection());
    let tail = format!("/{}/", call.resource);
    let base = start
        .find(&tail)
        .map(|at| start.get(..at).unwrap_or_default().to_owned());
    let found = world.objects.iter().filter(move |(path, object)| {
        let within = match (&call.namespace, &base) {
            (None, Some(base)) => {
                path.starts_with(&format!("{base}/namespaces/")) && path.contains(&tail)
                    || path.starts_with(&start)
            }
            _ => path.starts_with(&start),
        };
        within && (call.name.is_empty() || at(object, &["metadata", "name"]) == call.name.as_str())
    });
    found.map(|(_, object)| object)
}

fn list(world: &KubernetesWorld, call: &Call) -> Value {
    let (version, kind) = kind(call);
    let items: Vec<&Value> = items(world, call).collect();
    json!({"kind": format!("{kind}List"), "apiVersion": version, "metadata": {"resourceVersion": "1"}, "items": items})
}

/// What is there, as events; then the watch ends.
fn watch(world: &KubernetesWorld, call: &Call) -> Reply {
    let lines: String = items(world, call)
        .map(|object| format!("{}\n", json!({"type": "ADDED", "object": object})))
        .collect();
    let mut reply = Reply::json(200, &Value::Null);
    reply.body = Bytes::from(lines);
    reply
}

fn create(world: &mut KubernetesWorld, call: &Call, object: Value) -> Reply {
    let Some(name) = at(&object, &["metadata", "name"])
        .as_str()
        .map(str::to_owned)
    else {
        return status(422, "Invalid", "metadata.name: Required value");
    };
    let path = format!("{}/{name}", call.collection());
    if world.objects.contains_key(&path) {
        return status(
            409,
            "AlreadyExists",
            &format!("{} \"{name}\" already exists", call.resource),
        );
    }
    Reply::json(201, keep(world, call, path, object))
}

fn change(world: &mut KubernetesWorld, call: &Call, request: &Received) -> Reply {
    let (path, body) = (call.path(), request.json());
    let content_type = request.header("content-type").unwrap_or_default();
    let is_apply = content_type.starts_with("application/apply-patch");
    let stored = match world.objects.get(&path) {
        Some(stored) => stored.clone(),
        None if is_apply => json!({}),
        None => return missing(call),
    };
    let object = match (call.verb, body.is_array()) {
        ("update", _) if call.part.is_empty() => body,
        (_, true) => stored,
        _ => {
            let mut object = stored;
            merge(&mut object, &body);
            object
        }
    };
    Reply::json(200, keep(world, call, path, object))
}

fn keep<'w>(
    world: &'w mut KubernetesWorld,
    call: &Call,
    path: String,
    mut object: Value,
) -> &'w Value {
    let (version, kind) = kind(call);
    if let Value::Object(members) = &mut object {
        members.entry("apiVersion").or_insert(json!(version));
        members.entry("kind").or_insert(json!(kind));
        if let (Some(namespace), Some(Value::Object(metadata))) =
            (&call.namespace, members.get_mut("metadata"))
        {
            metadata.insert("namespace".to_owned(), json!(namespace));
        }
    }
    let place = world.objects.entry(path).or_default();
    *place = object;
    place
}

fn kind(call: &Call) -> (String, &'static str) {
    let version = match call.group.as_str() {
        "" => call.version.clone(),
        group => format!("{group}/{}", call.version),
    };
    let known = kinds(&call.group)
        .iter()
        .find(|(plural, _, _)| *plural == call.resource);
    (version, known.map_or("Object", |(_, kind, _)| kind))
}

fn missing(call: &Call) -> Reply {
    status(
        404,
        "NotFound",
        &format!("{} \"{}\" not found", call.resource, call.name),
    )
}
