//! Proving who we are: a refused token is replaced once, an unreadable secret sends nothing.

mod loopback;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use loopback::{Act, Server, check, json, serve};
use toolpass_core::codes::Code;
use toolpass_core::secret::{Secret, SecretRef};
use toolpass_http::auth::{Bearer, TokenBearer};
use toolpass_http::client::Client;
use toolpass_http::token::{Fetched, TokenSource};

/// A client whose tokens are `t1`, `t2`, …, each fetched from `mint`.
fn minted(api: &Server, mint: &Server) -> (Client, Arc<AtomicUsize>) {
    let fetches = Arc::new(AtomicUsize::new(0));
    let (counter, minter) = (fetches.clone(), mint.client());
    let source = TokenSource::new(Arc::new(move |ctx| {
        let (number, minter) = (counter.fetch_add(1, Ordering::SeqCst) + 1, minter.clone());
        Box::pin(async move {
            minter.post(["tokens"]).send(&ctx).await?;
            Ok(Fetched {
                secret: Secret::new(format!("t{number}")),
                life: Some(Duration::from_secs(3600)),
            })
        })
    }));
    (
        api.client().with_auth(Arc::new(TokenBearer::new(source))),
        fetches,
    )
}

/// Accepts one token only.
fn accepting(token: &'static str) -> impl Fn(usize, &str) -> Act {
    move |_, request| {
        let accepted = request.contains(&format!("authorization: Bearer {token}\r\n"));
        Act::Answer(json(if accepted { 200 } else { 401 }, &[], "{}"))
    }
}

#[tokio::test(start_paused = true)]
async fn a_refused_token_is_replaced_once() {
    let mint = serve(|_, _| Act::Answer(json(201, &[], "{}"))).await;
    // The token accepted, whether it is a POST, requests seen, tokens fetched, the code.
    let rows = [
        ("t1", false, 1, 1, None),
        ("t2", false, 2, 2, None),
        ("t3", false, 2, 2, Some(Code::CredentialRejected)),
        ("t2", true, 1, 1, Some(Code::CredentialRejected)),
    ];
    for (token, post, seen, fetched, code) in rows {
        let api = serve(accepting(token)).await;
        let (client, fetches) = minted(&api, &mint);
        let ctx = check(8);
        let request = if post {
            client.post(["x"])
        } else {
            client.get(["x"])
        };
        let result = request.send(&ctx).await;
        assert_eq!(
            result.err().map(|error| error.code()),
            code,
            "{token} {post}"
        );
        assert_eq!(
            (api.requests().len(), fetches.load(Ordering::SeqCst)),
            (seen, fetched),
            "{token} {post}"
        );
        // One answer is told, and no token exchange.
        let recorded = ctx.recorder().take().upstream;
        assert_eq!(recorded.len(), 1, "{token} {post}");
        assert_eq!(recorded[0].path, "/api/x");
    }
}

#[tokio::test(start_paused = true)]
async fn a_revoked_token_is_replaced_for_all_at_once() {
    let mint = serve(|_, _| Act::Answer(json(201, &[], "{}"))).await;
    let api = serve(|number, request| {
        // From the sixth request on, `t1` is revoked.
        let refused = number > 5 && request.contains("Bearer t1\r\n");
        Act::Answer(json(if refused { 401 } else { 200 }, &[], "{}"))
    })
    .await;
    let (client, fetches) = minted(&api, &mint);
    for _ in 0..5 {
        client.get(["x"]).send(&check(8)).await.unwrap();
    }
    let ctx = check(8);
    let results =
        futures_util::future::join_all((0..10).map(|_| client.get(["x"]).send(&ctx))).await;
    assert!(results.iter().all(Result::is_ok));
    assert_eq!(fetches.load(Ordering::SeqCst), 2);
}

#[tokio::test(start_paused = true)]
async fn a_failing_token_endpoint_is_the_error_and_nothing_is_asked() {
    let mint = serve(|_, _| Act::Answer(json(500, &[], "{}"))).await;
    let api = serve(accepting("t1")).await;
    let (client, _) = minted(&api, &mint);
    let ctx = check(8);
    let error = client.get(["x"]).send(&ctx).await.unwrap_err();
    assert_eq!(
        (error.code(), error.status()),
        (Code::UpstreamError, Some(500))
    );
    assert!(api.requests().is_empty());
    assert!(ctx.recorder().take().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_secret_is_read_at_every_attempt() {
    let api =
        serve(|number, _| Act::Answer(json(if number == 1 { 503 } else { 200 }, &[], "{}"))).await;
    let reads = AtomicUsize::new(0);
    let read = move || {
        Ok(Secret::new(format!(
            "s{}",
            reads.fetch_add(1, Ordering::SeqCst)
        )))
    };
    let client = api
        .client()
        .with_auth(Arc::new(Bearer::new(Arc::new(read))));
    client.get(["x"]).send(&check(8)).await.unwrap();
    assert!(api.requests()[0].contains("Bearer s0\r\n"));
    assert!(api.requests()[1].contains("Bearer s1\r\n"));
}

#[tokio::test(start_paused = true)]
async fn an_unreadable_secret_sends_nothing() {
    let api = serve(|_, _| Act::Answer(json(200, &[], "{}"))).await;
    let missing = SecretRef::Env("TOOLPASS_TEST_SURELY_UNSET".into());
    let client = api.client().with_auth(Arc::new(Bearer::from_ref(missing)));
    let error = client.get(["x"]).send(&check(8)).await.unwrap_err();
    assert_eq!(error.code(), Code::CredentialRejected);
    assert!(
        error
            .to_string()
            .contains("`env:TOOLPASS_TEST_SURELY_UNSET`"),
        "{error}"
    );
    assert_eq!(api.connections(), 0);
}

#[tokio::test(start_paused = true)]
async fn getting_a_credential_ends_with_the_budget() {
    let mint = serve(|_, _| Act::Hang).await;
    let api = serve(accepting("t1")).await;
    let (client, _) = minted(&api, &mint);
    let error = client.get(["x"]).send(&check(3)).await.unwrap_err();
    assert_eq!(error.code(), Code::UpstreamTimeout);
    assert!(api.requests().is_empty());
}
