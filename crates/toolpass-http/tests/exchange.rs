//! Plain exchanges: what leaves, what counts as an answer, what is tried again, and that everything ends.

mod loopback;

use std::time::Duration;

use loopback::{Act, check, json, serve, transport};
use toolpass_core::codes::Code;
use toolpass_http::client::Client;
use toolpass_http::paging::{Flow, paginate_links};
use toolpass_http::transport::TransportSettings;
use toolpass_http::url::Url;

#[tokio::test(start_paused = true)]
async fn a_request_has_what_it_needs_and_nothing_else() {
    let server = serve(|_, _| Act::Answer(json(200, &["ETag: \"v1\""], "{}"))).await;
    let ctx = check(8);
    let client = server.client();
    client
        .get(["repos", "a/b"])
        .query("b", "2 3")
        .query("a", "é")
        .send(&ctx)
        .await
        .unwrap();
    client.post(["x"]).send(&ctx).await.unwrap();
    client
        .post(["x"])
        .json(&serde_json::json!({"a": "é"}))
        .send(&ctx)
        .await
        .unwrap();
    client
        .post(["x"])
        .form(&[("b", "1 2"), ("a", "")])
        .header("X-One", "1")
        .send(&ctx)
        .await
        .unwrap();
    let requests = server.requests();
    let host = server.address;
    let fixed =
        format!("accept: application/json\r\nuser-agent: toolpass/0.0.0\r\nhost: {host}\r\n");
    assert_eq!(
        requests[0],
        format!("GET /api/repos/a%2Fb?a=%C3%A9&b=2+3 HTTP/1.1\r\n{fixed}\r\n")
    );
    assert_eq!(
        requests[1],
        format!("POST /api/x HTTP/1.1\r\n{fixed}content-length: 0\r\n\r\n")
    );
    assert!(requests[2].contains("content-type: application/json\r\n"));
    assert!(requests[2].ends_with("content-length: 10\r\n\r\n{\"a\":\"é\"}"));
    assert!(requests[3].contains("x-one: 1\r\n"));
    assert!(requests[3].ends_with("\r\n\r\nb=1+2&a="));
    assert_eq!(server.connections(), 1);
    let evidence = ctx.recorder().take();
    assert_eq!(evidence.upstream.len(), 4);
    assert_eq!(evidence.upstream[0].path, "/api/repos/a%2Fb");
    assert_eq!(
        (&evidence.upstream[0].etag, &evidence.upstream[0].sha256),
        (&Some("\"v1\"".into()), &None)
    );
    assert_eq!(evidence.upstream[0].host, None);
}

#[tokio::test(start_paused = true)]
async fn evidence_names_the_host_only_when_the_call_left_the_base() {
    let server = serve(|number, _| match number {
        1 => Act::Answer(json(404, &["ETag: with space"], "{}")),
        _ => Act::Answer(json(204, &[], "")),
    })
    .await;
    let client = Client::without_base(transport(TransportSettings::default()));
    let ctx = check(8);
    let url = server.url("http", "127.0.0.1");
    client
        .absolute(http::Method::GET, url.clone())
        .accept_status(&[404])
        .send(&ctx)
        .await
        .unwrap();
    client
        .absolute(http::Method::GET, url)
        .send(&ctx)
        .await
        .unwrap();
    let calls = ctx.recorder().take().upstream;
    assert_eq!(
        calls[0].host.as_deref(),
        Some(server.address.to_string().as_str())
    );
    assert_eq!((calls[0].status, &calls[0].etag), (404, &None));
    // SHA-256 of `{}`.
    assert_eq!(
        calls[0].sha256.as_deref(),
        Some("44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a")
    );
    assert_eq!(calls[1].sha256, None);
}

#[tokio::test(start_paused = true)]
async fn what_is_tried_again() {
    // Statuses answered in turn (0 closes the connection), whether it is a POST, requests seen, final code.
    let rows: [(&[u16], bool, usize, Option<Code>); 11] = [
        (&[200], false, 1, None),
        (&[503, 200], false, 2, None),
        (&[502, 504, 200], false, 3, None),
        (&[503, 503, 503, 200], false, 3, Some(Code::UpstreamError)),
        (&[429, 429, 429], false, 3, Some(Code::UpstreamRateLimited)),
        (&[500, 200], false, 1, Some(Code::UpstreamError)),
        (&[403, 200], false, 1, Some(Code::UpstreamError)),
        (&[401, 200], false, 1, Some(Code::CredentialRejected)),
        (&[0, 200], false, 2, None),
        (&[503, 200], true, 1, Some(Code::UpstreamError)),
        (&[0, 200], true, 1, Some(Code::UpstreamError)),
    ];
    for (statuses, post, seen, code) in rows {
        let server = serve(move |number, _| match statuses[number - 1] {
            0 => Act::Close,
            status => Act::Answer(json(status, &[], "{}")),
        })
        .await;
        let ctx = check(8);
        let client = server.client();
        let request = if post {
            client.post(["x"])
        } else {
            client.get(["x"])
        };
        let result = request.send(&ctx).await;
        assert_eq!(
            result.as_ref().err().map(toolpass_http::error::Error::code),
            code,
            "{statuses:?} {post}"
        );
        assert_eq!(server.requests().len(), seen, "{statuses:?} {post}");
        let recorded: Vec<u16> = ctx
            .recorder()
            .take()
            .upstream
            .iter()
            .map(|call| call.status)
            .collect();
        let last = statuses[seen - 1];
        assert_eq!(
            recorded,
            if last == 0 { vec![] } else { vec![last] },
            "{statuses:?} {post}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_post_marked_idempotent_is_repeated() {
    let server =
        serve(|number, _| Act::Answer(json(if number == 1 { 503 } else { 200 }, &[], "{}"))).await;
    server
        .client()
        .post(["x"])
        .json(&serde_json::json!({}))
        .idempotent()
        .send(&check(8))
        .await
        .unwrap();
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_short_retry_after_is_waited_for() {
    let server = serve(|number, _| match number {
        1 => Act::Answer(json(429, &["Retry-After: 3"], "{}")),
        _ => Act::Answer(json(200, &[], "{}")),
    })
    .await;
    let ctx = check(8);
    server.client().get(["x"]).send(&ctx).await.unwrap();
    assert_eq!(ctx.remaining(), Duration::from_secs(5));
}

#[tokio::test(start_paused = true)]
async fn a_long_retry_after_ends_it_at_once_and_pauses_all_callers() {
    let server = serve(|number, _| match number {
        1 => Act::Answer(json(429, &["Retry-After: 30"], "{}")),
        _ => Act::Answer(json(200, &[], "{}")),
    })
    .await;
    let client = server.client();
    let ctx = check(60);
    let error = client.get(["x"]).send(&ctx).await.unwrap_err();
    assert_eq!(
        (error.code(), error.retry_after()),
        (Code::UpstreamRateLimited, Some(Duration::from_secs(30)))
    );
    let paused = client.get(["y"]).send(&ctx).await.unwrap_err();
    assert_eq!(paused.code(), Code::UpstreamRateLimited);
    assert_eq!(server.requests().len(), 1);
    tokio::time::advance(Duration::from_secs(30)).await;
    client.get(["y"]).send(&ctx).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_budget_that_ends_while_waiting_is_a_timeout_that_says_what_came_before() {
    let server = serve(|_, _| Act::Answer(json(503, &["Retry-After: 4"], "{}"))).await;
    let ctx = check(3);
    let error = server
        .client()
        .get(["x"])
        .query("secret", "s3cr3t")
        .send(&ctx)
        .await
        .unwrap_err();
    assert_eq!(error.code(), Code::UpstreamTimeout);
    assert_eq!(
        error.to_string(),
        format!(
            "no time left to ask again after: GET http://{}/api/x: status 503",
            server.address
        )
    );
    assert_eq!(ctx.recorder().take().upstream[0].status, 503);
}

#[tokio::test(start_paused = true)]
async fn everything_ends_within_the_budget() {
    let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    let silent: [fn(Vec<u8>) -> Act; 3] = [
        |_| Act::Hang,
        Act::Drip,
        |head| Act::Drip([head, b"1\r\nx\r\n".repeat(99)].concat()),
    ];
    for act in silent {
        let head = chunked.clone();
        let server = serve(move |_, _| act(head.clone())).await;
        let ctx = check(20);
        let began = tokio::time::Instant::now();
        let error = server.client().get(["x"]).send(&ctx).await.unwrap_err();
        // The transport's own 8 s, in the runtime's paused time; not tried again.
        assert_eq!(
            (error.code(), began.elapsed().as_secs()),
            (Code::UpstreamTimeout, 8)
        );
        assert_eq!(server.requests().len(), 1);
        let began = tokio::time::Instant::now();
        let error = server
            .client()
            .get(["x"])
            .send(&check(3))
            .await
            .unwrap_err();
        assert!(error.is_deadline());
        assert_eq!(began.elapsed().as_secs(), 3);
        assert!(ctx.recorder().take().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_over_the_limit_is_refused() {
    let part = [
        b"100000\r\n".to_vec(),
        vec![b'x'; 0x10_0000],
        b"\r\n".to_vec(),
    ]
    .concat();
    let rows = [
        Some((
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec(),
            part,
        )),
        Some((b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), vec![b'x'; 65536])),
        None,
    ];
    for row in rows {
        let server = serve(move |_, _| match row.clone() {
            Some((head, part)) => Act::Endless(head, part),
            None => Act::Answer(b"HTTP/1.1 200 OK\r\nContent-Length: 10485761\r\n\r\n".to_vec()),
        })
        .await;
        let error = server
            .client()
            .get(["x"])
            .send(&check(8))
            .await
            .unwrap_err();
        assert_eq!(error.code(), Code::UpstreamError);
        assert!(
            error
                .to_string()
                .ends_with("the answer is larger than 10 MiB"),
            "{error}"
        );
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn broken_answers_are_upstream_errors() {
    // What is sent, and how often it is asked: what is not HTTP stays that, a cut answer may be whole next time.
    let rows: [(&str, usize); 4] = [
        ("SSH-2.0-OpenSSH\r\n", 1),
        ("HTTP/1.1 200 OK\r\nbad header\r\n\r\n", 1),
        ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort", 3),
        ("HTTP/1.1 200 OK\r\nContent-Le", 3),
    ];
    for (answer, asked) in rows {
        let server = serve(move |_, _| Act::AnswerAndClose(answer.into())).await;
        let ctx = check(8);
        let error = server.client().get(["x"]).send(&ctx).await.unwrap_err();
        assert_eq!(error.code(), Code::UpstreamError, "{answer}");
        assert_eq!(server.requests().len(), asked, "{answer}");
        assert!(ctx.recorder().take().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn a_refused_connection_is_an_upstream_error() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = Url::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    drop(listener);
    let error = Client::new(transport(TransportSettings::default()), url)
        .get(["x"])
        .send(&check(8))
        .await
        .unwrap_err();
    assert_eq!(error.code(), Code::UpstreamError);
    assert!(
        error
            .to_string()
            .ends_with("cannot be connected to: connection refused"),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_kept_connection_the_server_closed_is_replaced() {
    // The second request reaches a connection that is closed instead of answered.
    let script = |number: usize, _: &str| match number {
        2 => Act::Close,
        _ => Act::Answer(json(200, &[], "{}")),
    };
    for (method, key, replaced) in [
        ("GET", false, true),
        ("POST", false, false),
        ("POST", true, true),
    ] {
        let server = serve(script).await;
        let client = server.client();
        client.get(["x"]).send(&check(8)).await.unwrap();
        let request = client.request(method.parse().unwrap(), ["x"]).once();
        let request = if key {
            request.header("Idempotency-Key", "1")
        } else {
            request
        };
        assert_eq!(
            request.send(&check(8)).await.is_ok(),
            replaced,
            "{method} {key}"
        );
        assert_eq!(
            server.connections(),
            if replaced { 2 } else { 1 },
            "{method} {key}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_connection_closed_after_its_answer_is_not_used_again() {
    let server = serve(|_, _| Act::AnswerAndClose(json(200, &[], "{}"))).await;
    let client = server.client();
    for _ in 0..5 {
        client.post(["x"]).send(&check(8)).await.unwrap();
    }
    assert_eq!((server.requests().len(), server.connections()), (5, 5));
}

#[tokio::test(start_paused = true)]
async fn redirects_are_answers() {
    let server = serve(|_, _| {
        Act::Answer(json(
            302,
            &["Location: https://login.example.com/?s=secret"],
            "",
        ))
    })
    .await;
    let response = server.client().get(["x"]).send(&check(8)).await.unwrap();
    assert_eq!(response.status, 302);
    let error = response.json().unwrap_err().to_string();
    assert!(
        error.ends_with("redirected to login.example.com, expected JSON"),
        "{error}"
    );
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn error_statuses_keep_what_an_integration_needs_and_show_none_of_it() {
    let server = serve(|_, _| Act::Answer(json(403, &["X-Reason: sso"], &"s".repeat(1000)))).await;
    let client = server.client();
    let error = client
        .get(["x"])
        .query("q", "secret")
        .send(&check(8))
        .await
        .unwrap_err();
    assert_eq!(
        (error.status(), error.body_prefix().len()),
        (Some(403), 256)
    );
    assert_eq!(error.headers().unwrap().get("x-reason").unwrap(), "sso");
    assert_eq!(
        error.to_string(),
        format!("GET http://{}/api/x: status 403", server.address)
    );
    assert_eq!(
        client
            .get(["x"])
            .accept_4xx()
            .send(&check(8))
            .await
            .unwrap()
            .status,
        403
    );
    assert_eq!(
        client
            .get(["x"])
            .accept_status(&[403])
            .send(&check(8))
            .await
            .unwrap()
            .status,
        403
    );
    assert!(
        client
            .get(["x"])
            .accept_status(&[404])
            .send(&check(8))
            .await
            .is_err()
    );
}

#[tokio::test(start_paused = true)]
async fn pages_are_read_to_the_end_or_not_at_all() {
    let with_next = |last: usize| {
        move |number: usize, _: &str| match number {
            n if n < last => Act::Answer(json(
                200,
                &[&format!("Link: </api/x?page={}>; rel=\"next\"", n + 1)],
                "[1]",
            )),
            _ => Act::Answer(json(200, &[], "[1]")),
        }
    };
    for (last, whole) in [(1, true), (3, true), (50, true), (51, false)] {
        let server = serve(with_next(last)).await;
        let mut seen = 0;
        let first = server
            .client()
            .get(["x"])
            .query("page", "1")
            .header("X-One", "1");
        let result = paginate_links(&check(8), first, |page| {
            seen += page.json()?.as_array().map_or(0, Vec::len);
            Ok(Flow::More)
        })
        .await;
        assert_eq!(result.is_ok(), whole, "{last}");
        assert_eq!(seen, last.min(50));
        assert!(
            server
                .requests()
                .iter()
                .all(|request| request.contains("x-one: 1"))
        );
    }
    let server = serve(with_next(10)).await;
    paginate_links(&check(8), server.client().get(["x"]), |_| Ok(Flow::Stop))
        .await
        .unwrap();
    assert_eq!(server.requests().len(), 1);
    let server = serve(|_, _| {
        Act::Answer(json(
            200,
            &["Link: <https://evil.example/api/x>; rel=next"],
            "[]",
        ))
    })
    .await;
    let error = paginate_links(&check(8), server.client().get(["x"]), |_| Ok(Flow::More))
        .await
        .unwrap_err();
    assert_eq!(error.code(), Code::UpstreamError);
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_address_learned_from_an_answer_may_not_lead_inside() {
    let server = serve(|_, _| Act::Answer(json(200, &[], "{}"))).await;
    let learned = |own_host: Option<&str>, url: Url| {
        let settings = TransportSettings {
            own_host: own_host.map(str::to_owned),
            ..TransportSettings::default()
        };
        Client::without_base(transport(settings)).learned(url)
    };
    for (own_host, allowed) in [
        (None, false),
        (Some("192.0.2.1"), false),
        (Some("127.0.0.1"), true),
        (Some("localhost"), true),
    ] {
        for host in ["127.0.0.1", "localhost"] {
            let result = learned(own_host, server.url("http", host))
                .send(&check(8))
                .await;
            assert_eq!(
                result.is_ok(),
                allowed,
                "{own_host:?} {host} {:?}",
                result.err()
            );
        }
    }
    assert_eq!(server.requests().len(), 4);
    let metadata = Url::parse("http://169.254.169.254/latest/meta-data/").unwrap();
    let error = learned(None, metadata).send(&check(8)).await.unwrap_err();
    assert!(
        error
            .to_string()
            .contains("loopback, link-local or metadata address"),
        "{error}"
    );
}
