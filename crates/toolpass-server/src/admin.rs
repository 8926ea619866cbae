//! What is not a question: looking a pointer up, and who can read a resource; forgetting what is known.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};
use http::StatusCode;
use serde::Serialize;
use toolpass_core::codes::Code;
use toolpass_core::decision::Decision;
use toolpass_core::question::{Facts, Freshness, Pointer, Question};
use toolpass_core::resource::{Resource, Visibility};
use toolpass_wire::json::Json;

use crate::exchange::Asked;
use crate::members::{Members, Names, json};
use crate::notices;
use crate::reply::{Form, Reply};

#[derive(Serialize)]
struct Resolved {
    /// Null when the pointer leads nowhere.
    resource: Option<String>,
}

#[derive(Serialize)]
struct Visible {
    /// Null when there is nothing to be known.
    visibility: Option<&'static str>,
}

#[derive(Serialize)]
struct Unresolved<'a> {
    code: &'static str,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_ms: Option<u64>,
}

#[derive(Serialize)]
struct Invalidated {
    invalidated: bool,
}

/// Answer `/v1/resolve`.
pub(crate) fn resolve(asked: Asked) -> BoxFuture<'static, Reply> {
    async move {
        let (connection, pointer, fresh) = match json(&asked.body).and_then(pointer) {
            Ok(read) => read,
            Err(text) => return invalid(&text),
        };
        let freshness = Freshness {
            fresh,
            max_age: None,
        };
        let live = Arc::clone(&asked.live);
        let looking = live.engine.resolve(&connection, &pointer, freshness);
        looked_up(&asked, &connection, looking, |found| Resolved {
            resource: found.map(|resource| resource.as_str().to_owned()),
        })
        .await
    }
    .boxed()
}

/// Answer `/v1/visibility`.
pub(crate) fn visibility(asked: Asked) -> BoxFuture<'static, Reply> {
    async move {
        let (connection, resource) = match json(&asked.body).and_then(visible) {
            Ok(read) => read,
            Err(text) => return invalid(&text),
        };
        let live = Arc::clone(&asked.live);
        let looking = live
            .engine
            .visibility(&connection, &resource, Freshness::default());
        looked_up(&asked, &connection, looking, |found| Visible {
            visibility: found.map(Visibility::as_str),
        })
        .await
    }
    .boxed()
}

/// What a look-up in a connection came to, as far as the key covers it and there is room.
async fn looked_up<T, S: Serialize>(
    asked: &Asked,
    connection: &str,
    looking: impl Future<Output = Result<T, Decision>>,
    shown: impl FnOnce(T) -> S,
) -> Reply {
    let question = Question {
        connection: connection.to_owned(),
        ..Question::default()
    };
    let place = asked
        .may_look_up(&question)
        .and_then(|()| asked.place(connection));
    let _place = match place {
        Ok(place) => place,
        Err(refused) => return refused.reply(Form::Coded),
    };
    match asked.unless_gone(looking).await {
        Ok(Ok(found)) => Reply::json(StatusCode::OK, &shown(found)),
        Ok(Err(decision)) if decision.status != StatusCode::OK.as_u16() => Reply::wrong(
            Form::Coded,
            crate::reply::status_of(&decision),
            decision.code(),
            decision.text(),
        ),
        Ok(Err(decision)) => Reply::json(
            StatusCode::OK,
            &Unresolved {
                code: decision.code().as_str(),
                text: decision.text(),
                retry_after_ms: decision.retry_after_ms,
            },
        ),
        Err(refused) => refused.reply(Form::Coded),
    }
}

/// Answer `/v1/invalidate`.
pub(crate) fn invalidate(asked: Asked) -> BoxFuture<'static, Reply> {
    async move {
        let read = json(&asked.body).and_then(|body| {
            let mut members =
                Members::of("the request", body, &["connection", "user"], Names::Exact)?;
            Ok((
                members.text_if_given("connection")?,
                members.text_if_given("user")?,
            ))
        });
        let (connection, user) = match read {
            Ok(read) => read,
            Err(text) => return invalid(&text),
        };
        if let Some(id) = &connection
            && !asked
                .live
                .config
                .connections
                .iter()
                .any(|one| one.id == *id)
        {
            let text = "no connection has that id";
            return Reply::wrong(
                Form::Coded,
                StatusCode::BAD_REQUEST,
                Code::UnknownConnection,
                text,
            );
        }
        asked
            .live
            .engine
            .invalidate(connection.as_deref(), user.as_deref());
        tracing::info!(
            key = asked.key.as_ref().map(|key| key.name.as_str()),
            connection = connection.as_deref(),
            "invalidated"
        );
        if let Err(error) = notices::tell(&asked.app, connection.as_deref(), user.as_deref()).await
        {
            let text = format!("forgotten here, but the other servers could not be told: {error}");
            return Reply::wrong(
                Form::Coded,
                StatusCode::SERVICE_UNAVAILABLE,
                Code::UpstreamError,
                &text,
            );
        }
        Reply::json(StatusCode::OK, &Invalidated { invalidated: true })
    }
    .boxed()
}

fn visible(body: Json) -> Result<(String, Resource), String> {
    let fields = &["connection", "resource"];
    let mut members = Members::of("the request", body, fields, Names::Exact)?;
    let connection = members.required_text("connection")?;
    let resource = Resource::parse(&members.required_text("resource")?);
    Ok((
        connection,
        resource.map_err(|error| format!("resource: {error}"))?,
    ))
}

fn pointer(body: Json) -> Result<(String, Pointer, bool), String> {
    let mut members = Members::of(
        "the request",
        body,
        &["connection", "fresh", "pointer"],
        Names::Exact,
    )?;
    let (connection, fresh) = (members.required_text("connection")?, members.flag("fresh")?);
    let given = members
        .take("pointer")
        .ok_or("the field \"pointer\" is missing")?;
    let mut parts = Members::of(
        "the pointer",
        given,
        &["kind", "parts", "value"],
        Names::Exact,
    )?;
    let (kind, value) = (parts.required_text("kind")?, parts.required_text("value")?);
    let texts = match parts.take("parts") {
        None => Facts::new(),
        Some(Json::Object(given)) => {
            let texts = given.into_iter().map(|(name, value)| match value {
                Json::String(text) => Ok((name, text)),
                other => Err(parts.wrong("parts", &other, "only strings in the object")),
            });
            texts.collect::<Result<Facts, String>>()?
        }
        Some(other) => return Err(parts.wrong("parts", &other, "an object of strings")),
    };
    if kind.is_empty() || value.is_empty() {
        return Err("the pointer's kind and value are each a text that is not empty".into());
    }
    let pointer = Pointer {
        kind,
        value,
        parts: texts,
    };
    Ok((connection, pointer, fresh))
}

fn invalid(text: &str) -> Reply {
    Reply::wrong(
        Form::Coded,
        StatusCode::BAD_REQUEST,
        Code::InvalidRequest,
        text,
    )
}
