//! Requests of a body: each is asked about before it leaves.

use bytes::Bytes;
use http::{Method, Request};
use serde_json::{Value, json};
use toolpass::Effect;
use toolpass::tool::{BodyError, Tool};
use toolpass::toolkit::Options;
use toolpass_server::server::Signal;

use crate::house::{House, open, pull};

/// A tool that reads as the agent and writes as the person.
fn propose(house: &House) -> Tool {
    let read = house.request(Method::GET, "/repos/acme/shop", None);
    let write = house.request(Method::POST, "/repos/acme/shop/pulls", Some(pull()));
    Tool::named("propose").runs(move |context, _| {
        let (read, write) = (read.clone(), write.clone());
        async move {
            context.as_agent().send(read).await?;
            let made = context.send(write).await?;
            Ok(Value::from(made.status().as_u16()))
        }
    })
}

#[tokio::test]
async fn a_refused_request_never_arrives() {
    let house = open(Options::default()).await;
    let tool = propose(&house);
    assert_eq!(house.code("dana", &tool, json!({})).await, "not_authorized");
    assert_eq!(house.github.count("POST", "/repos/acme/shop/pulls"), 0);
    let event = house.event();
    let seen: Vec<_> = event
        .actions
        .iter()
        .map(|seen| (seen.action.as_deref().unwrap(), seen.allowed, seen.as_agent))
        .collect();
    assert_eq!(
        seen,
        [
            ("github:repo.read", true, true),
            ("github:pr.create", false, false)
        ]
    );
    assert_eq!(house.code("admin", &tool, json!({})).await, "ran: 201");
    assert_eq!(house.github.count("POST", "/repos/acme/shop/pulls"), 1);
}

#[tokio::test]
async fn the_refusal_is_the_outcome_whatever_the_body_does() {
    let house = open(Options::default()).await;
    let write = house.request(Method::POST, "/repos/acme/shop/pulls", Some(pull()));
    let stubborn = Tool::named("stubborn").runs(move |context, _| {
        let write = write.clone();
        async move {
            let first = context.send(write.clone()).await;
            let second = context.send(write).await;
            assert!(first.is_err() && second.is_err());
            Ok(Value::from("all is well"))
        }
    });
    assert_eq!(
        house.code("dana", &stubborn, json!({})).await,
        "not_authorized"
    );
    assert_eq!(house.github.count("POST", "/repos/acme/shop/pulls"), 0);
}

#[tokio::test]
async fn what_cannot_be_asked_is_refused() {
    let house = open(Options::default()).await;
    let tool = propose(&house);
    assert_eq!(house.code("admin", &tool, json!({})).await, "ran: 201");
    house.signals.send(Signal::Interrupt).await.unwrap();
    house.signals.closed().await;
    assert_eq!(
        house.code("admin", &tool, json!({})).await,
        "authorization_error"
    );
    assert_eq!(house.github.count("POST", "/repos/acme/shop/pulls"), 1);
}

#[tokio::test]
async fn a_server_that_never_told_its_connections_refuses_all() {
    let house = open(Options::default()).await;
    let tool = propose(&house);
    house.signals.send(Signal::Interrupt).await.unwrap();
    house.signals.closed().await;
    assert_eq!(
        house.code("admin", &tool, json!({})).await,
        "not_configured"
    );
    assert!(house.github.requests().is_empty());
}

#[tokio::test]
async fn no_route_and_no_framing_of_the_bodys_own() {
    let house = open(Options::default()).await;
    let unknown = house.request(Method::POST, "/repos/acme/shop/unheard-of", Some(json!({})));
    let mut framed = house.request(Method::GET, "/repos/acme/shop", None);
    framed
        .headers_mut()
        .insert("host", "elsewhere.example".parse().unwrap());
    let send = |request: Request<Bytes>| {
        Tool::named("send").runs(move |context, _| {
            let request = request.clone();
            async move { Ok(Value::from(context.send(request).await?.status().as_u16())) }
        })
    };
    assert_eq!(
        house.code("admin", &send(unknown), json!({})).await,
        "unmapped_action"
    );
    let code = house.code("admin", &send(framed), json!({})).await;
    assert!(code.starts_with("raised: InvalidRequest"), "{code}");
    assert_eq!(house.github.count("POST", "/repos/acme/shop/unheard-of"), 0);
}

#[tokio::test]
async fn a_stronger_request_than_the_tool_declares() {
    let house = open(Options::default()).await;
    let write = house.request(Method::POST, "/repos/acme/shop/pulls", Some(pull()));
    let tool = Tool::named("look")
        .effect(Effect::Read)
        .runs(move |context, _| {
            let write = write.clone();
            async move {
                context.send(write).await?;
                Err(BodyError::new("NotReached", "it was sent"))
            }
        });
    assert_eq!(
        house.code("admin", &tool, json!({})).await,
        "effect_exceeded"
    );
    assert_eq!(house.github.count("POST", "/repos/acme/shop/pulls"), 0);
}
