//! Reporting to a server on a real socket that can be slow, wrong, or gone.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use toolpass_client::report::Reporter;
use toolpass_client::target::Target;
use toolpass_core::secret::Secret;
use toolpass_http::clock::SystemClock;
use toolpass_http::proxy::ProxyEnvironment;
use toolpass_http::url::Url;

const SOON: Duration = Duration::from_secs(20);

/// What a server got: the head and the body.
type Got = (String, Value);

/// A server that answers each request with what `answer` says of its body.
fn serve(
    listener: TcpListener,
    answer: impl Fn(usize, &Value) -> &'static str + Send + 'static,
) -> Receiver<Got> {
    let (told, got) = channel();
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let mut stream = BufReader::new(stream.unwrap());
            let Some(request) = request(&mut stream) else {
                continue;
            };
            let status = answer(number, &request.1);
            let _ = stream.get_mut().write_all(
                format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                    .as_bytes(),
            );
            if Sender::send(&told, request).is_err() {
                return;
            }
        }
    });
    got
}

fn request(stream: &mut impl BufRead) -> Option<Got> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if stream.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length = head.to_ascii_lowercase();
    let length = length
        .split("content-length: ")
        .nth(1)?
        .lines()
        .next()?
        .parse()
        .ok()?;
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some((head, serde_json::from_slice(&body).ok()?))
}

fn listen() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

static SAID: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn say(text: &str) {
    SAID.lock().unwrap().push(text.to_owned());
}

fn said(address: SocketAddr) -> Vec<String> {
    let all = SAID.lock().unwrap();
    all.iter()
        .filter(|text| text.contains(&address.to_string()))
        .cloned()
        .collect()
}

fn reporter(address: SocketAddr, spool: Option<&std::path::Path>) -> Arc<Reporter> {
    let target = Target {
        url: Url::parse(&format!("http://{address}")).unwrap(),
        key: Secret::new("the-key"),
        name: "shop".into(),
        ca_pem: None,
    };
    // A proxy that would be found out at once.
    let environment = ProxyEnvironment {
        http: Some("http://127.0.0.1:1".into()),
        ..ProxyEnvironment::default()
    };
    Arc::new(Reporter::new(target, Arc::new(SystemClock), environment, spool, say).unwrap())
}

fn event(id: usize) -> String {
    format!("{{\"id\":\"{id}\",\"tool\":\"t\",\"outcome\":\"ran\"}}")
}

fn ids(body: &Value) -> Vec<usize> {
    let runs = body["runs"].as_array().unwrap();
    runs.iter()
        .map(|run| run["id"].as_str().unwrap().parse().unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_arrive_in_order_in_batches() {
    let (listener, address) = listen();
    let got = serve(listener, |_, _| "202 Accepted");
    let reporter = reporter(address, None);
    for id in 0..120 {
        reporter.push(event(id));
    }
    let running = Arc::clone(&reporter);
    tokio::spawn(async move { running.run().await });
    let mut seen = Vec::new();
    while seen.len() < 120 {
        let (head, body) = got.recv_timeout(SOON).unwrap();
        assert!(head.starts_with("POST /runs HTTP/1.1\r\n"));
        assert!(
            head.to_ascii_lowercase()
                .contains("authorization: bearer the-key")
        );
        assert_eq!(body["server"], "shop");
        assert!(body.get("dropped").is_none());
        let batch = ids(&body);
        assert!(batch.len() <= 50);
        seen.extend(batch);
    }
    assert_eq!(seen, (0..120).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_fails_is_told_again() {
    let (listener, address) = listen();
    let got = serve(listener, |number, _| match number {
        0 => "503 Service Unavailable",
        1 => "429 Too Many Requests\r\nRetry-After: 0",
        _ => "202 Accepted",
    });
    let reporter = reporter(address, None);
    reporter.push(event(7));
    let running = Arc::clone(&reporter);
    tokio::spawn(async move { running.run().await });
    for _ in 0..3 {
        assert_eq!(ids(&got.recv_timeout(SOON).unwrap().1), [7]);
    }
    let said = said(address);
    assert!(
        said.len() == 1 && said[0].contains("reported later") && !said[0].contains("the-key"),
        "{said:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_that_is_too_large_is_halved() {
    let (listener, address) = listen();
    let got = serve(listener, |_, body| {
        if ids(body).len() > 1 {
            "413 Content Too Large"
        } else {
            "202 Accepted"
        }
    });
    let reporter = reporter(address, None);
    (0..4).for_each(|id| reporter.push(event(id)));
    let running = Arc::clone(&reporter);
    tokio::spawn(async move { running.run().await });
    let mut kept = Vec::new();
    while kept.len() < 4 {
        let batch = ids(&got.recv_timeout(SOON).unwrap().1);
        if batch.len() == 1 {
            kept.extend(batch);
        }
    }
    assert_eq!(kept, [0, 1, 2, 3]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refusal_is_said_once_and_counted_in_the_next_batch() {
    let (listener, address) = listen();
    let got = serve(listener, |number, _| {
        if number < 2 {
            "403 Forbidden"
        } else {
            "202 Accepted"
        }
    });
    let reporter = reporter(address, None);
    let running = Arc::clone(&reporter);
    tokio::spawn(async move { running.run().await });
    for id in 0..2 {
        reporter.push(event(id));
        assert_eq!(ids(&got.recv_timeout(SOON).unwrap().1), [id]);
    }
    reporter.push(event(2));
    let body = loop {
        let (_, body) = got.recv_timeout(SOON).unwrap();
        if ids(&body) == [2] {
            break body;
        }
    };
    assert_eq!(body["dropped"], 2);
    let said = said(address);
    assert!(
        said.len() == 1 && said[0].contains("scope `report`"),
        "{said:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_redirect_is_not_followed() {
    let (listener, address) = listen();
    let (other, elsewhere) = listen();
    let stolen = serve(other, |_, _| "202 Accepted");
    let to: &'static str =
        format!("307 Temporary Redirect\r\nLocation: http://{elsewhere}/runs").leak();
    let got = serve(listener, move |_, _| to);
    let reporter = reporter(address, None);
    reporter.push(event(1));
    reporter.finish(SOON).await;
    assert_eq!(ids(&got.recv_timeout(SOON).unwrap().1), [1]);
    assert!(stolen.try_recv().is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_begin_of_a_call_is_news_only_while_it_runs() {
    let (listener, address) = listen();
    let got = serve(listener, |_, _| "202 Accepted");
    let reporter = reporter(address, None);
    reporter.begin("1", event(1));
    reporter.begin("2", event(2));
    reporter.complete("1", event(10));
    let running = Arc::clone(&reporter);
    tokio::spawn(async move { running.run().await });
    assert_eq!(ids(&got.recv_timeout(SOON).unwrap().1), [2, 10]);
    reporter.complete("2", event(20));
    reporter.complete("3", event(30));
    assert_eq!(ids(&got.recv_timeout(SOON).unwrap().1), [20, 30]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn that_a_call_began_is_no_loss() {
    let (listener, address) = listen();
    let got = serve(listener, |_, _| "202 Accepted");
    let reporter = reporter(address, None);
    (0..10).for_each(|id| reporter.begin(&id.to_string(), event(id)));
    (10..10_005).for_each(|id| reporter.push(event(id)));
    let running = Arc::clone(&reporter);
    tokio::spawn(async move { running.run().await });
    let (_, body) = got.recv_timeout(SOON).unwrap();
    assert_eq!(body.get("dropped"), None);
    assert_eq!(ids(&body)[0], 5);
    assert!(said(address).is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_end_sends_what_is_queued() {
    let (listener, address) = listen();
    let got = serve(listener, |_, _| "202 Accepted");
    let reporter = reporter(address, None);
    (0..60).for_each(|id| reporter.push(event(id)));
    reporter.finish(SOON).await;
    let seen: usize = got.try_iter().map(|(_, body)| ids(&body).len()).sum();
    assert_eq!(seen, 60);
    assert!(said(address).is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dead_server_keeps_nobody_from_ending_and_what_is_lost_is_said() {
    let (listener, address) = listen();
    drop(listener);
    let reporter = reporter(address, None);
    (0..3).for_each(|id| reporter.push(event(id)));
    reporter.finish(SOON).await;
    let said = said(address);
    assert!(
        said.iter()
            .any(|text| text.contains("3 calls could not be reported")),
        "{said:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_put_aside_is_sent_by_the_next_process() {
    let (listener, address) = listen();
    drop(listener);
    let folder = std::env::temp_dir().join(format!("toolpass-spool-{}", std::process::id()));
    {
        let reporter = reporter(address, Some(&folder));
        (0..120).for_each(|id| reporter.push(event(id)));
        reporter.finish(SOON).await;
    }
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 3);
    let got = serve(TcpListener::bind(address).unwrap(), |_, _| "202 Accepted");
    let next = reporter(address, Some(&folder));
    tokio::spawn(async move { next.run().await });
    let mut seen = Vec::new();
    while seen.len() < 120 {
        seen.extend(ids(&got.recv_timeout(SOON).unwrap().1));
    }
    seen.sort_unstable();
    assert_eq!(seen, (0..120).collect::<Vec<_>>());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_oldest_are_lost_and_counted() {
    let (listener, address) = listen();
    let got = serve(listener, |_, _| "202 Accepted");
    let reporter = reporter(address, None);
    (0..10_005).for_each(|id| reporter.push(event(id)));
    let running = Arc::clone(&reporter);
    tokio::spawn(async move { running.run().await });
    let (_, body) = got.recv_timeout(SOON).unwrap();
    assert_eq!(body["dropped"], 5);
    assert_eq!(ids(&body)[0], 5);
    assert!(said(address)[0].contains("oldest are left out"));
}
