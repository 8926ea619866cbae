//! The rules of the page's server, each with the bytes a peer would send.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use toolpass_page::page::Page;
use toolpass_page::row::Row;
use toolpass_page::serve::serve;
use toolpass_page::token::Token;
use toolpass_page::window::InFlight;

struct Served {
    page: Arc<Page>,
    token: Arc<Token>,
    port: u16,
    task: JoinHandle<()>,
}

async fn served() -> Served {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let page = Arc::new(Page::new(100, phrase).unwrap());
    let token = Arc::new(Token::new().unwrap());
    let task = tokio::spawn(serve(listener, Arc::clone(&page), Arc::clone(&token)));
    Served {
        page,
        token,
        port,
        task,
    }
}

fn phrase(action: &str) -> Option<&'static str> {
    (action == "github:pr.create").then_some("open a pull request on")
}

fn row(id: &str) -> Row {
    Row {
        id: id.to_owned(),
        text: format!("{{\"id\":\"{id}\",\"tool\":\"send\",\"outcome\":\"ran\"}}"),
        actions: vec!["github:pr.create".to_owned(), "github:unknown".to_owned()],
    }
}

impl Served {
    async fn connect(&self) -> TcpStream {
        TcpStream::connect(("127.0.0.1", self.port)).await.unwrap()
    }

    /// Send bytes and read until the connection ends.
    async fn raw(&self, bytes: &[u8]) -> String {
        let mut socket = self.connect().await;
        socket.write_all(bytes).await.unwrap();
        let mut answer = Vec::new();
        socket.read_to_end(&mut answer).await.unwrap();
        String::from_utf8(answer).unwrap()
    }

    /// A request whose `{}` is the page's path, with these lines after the first.
    async fn ask(&self, line: &str, headers: &str) -> String {
        let line = line.replace("{}", &format!("/t/{}", self.token.reveal()));
        self.raw(format!("{line} HTTP/1.1\r\n{headers}\r\n").as_bytes())
            .await
    }

    async fn get(&self, name: &str) -> String {
        self.ask(&format!("GET {{}}/{name}"), "Host: localhost\r\n")
            .await
    }
}

fn status(answer: &str) -> u16 {
    answer
        .split(' ')
        .nth(1)
        .unwrap_or_default()
        .parse()
        .unwrap_or(0)
}

fn body(answer: &str) -> serde_json::Value {
    serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
}

#[tokio::test]
async fn only_this_machine_is_a_host() {
    let served = served().await;
    for (hosts, expected) in [
        ("Host: 127.0.0.1\r\n", 200),
        ("Host: 127.0.0.1:8123\r\n", 200),
        ("host: LOCALHOST:1\r\n", 200),
        ("Host: [::1]:80\r\n", 200),
        ("Host: ::1\r\n", 200),
        ("", 403),
        ("Host: \r\n", 403),
        ("Host: evil.example\r\n", 403),
        ("Host: localhost.evil.example\r\n", 403),
        ("Host: localhost.\r\n", 403),
        ("Host: 127.0.0.1.evil.example:80\r\n", 403),
        ("Host: 127.0.0.2\r\n", 403),
        ("Host: 0.0.0.0\r\n", 403),
        ("Host: localhost:80@evil.example\r\n", 403),
        ("Host: localhost:\u{660}\r\n", 403),
        ("Host: localhost\r\nHost: evil.example\r\n", 403),
        ("Host: localhost\r\nHost: localhost\r\n", 403),
    ] {
        let answer = served.ask("GET {}/events", hosts).await;
        assert_eq!(status(&answer), expected, "{hosts:?}");
    }
}

#[tokio::test]
async fn a_foreign_host_is_refused_before_anything_else() {
    let served = served().await;
    for line in [
        "GET /",
        "POST {}/",
        "GET {}/nothing",
        "GET http://localhost{}/",
    ] {
        let answer = served
            .ask(line, "Host: evil.example\r\nTransfer-Encoding: chunked\r\n")
            .await;
        assert_eq!(status(&answer), 403, "{line}");
    }
}

#[tokio::test]
async fn a_body_is_framed_by_one_plain_length_or_refused() {
    let served = served().await;
    for (headers, expected) in [
        ("Content-Length: 0\r\n", 200),
        ("Content-Length: 65536\r\n", 200),
        ("Content-Length: 65537\r\n", 413),
        ("Content-Length: 99999999999999999999\r\n", 413),
        ("Content-Length: +5\r\n", 413),
        ("Content-Length: -5\r\n", 413),
        ("Content-Length: 5_0\r\n", 413),
        ("Content-Length: 5, 5\r\n", 413),
        ("Content-Length: 0x5\r\n", 413),
        ("Content-Length: \r\n", 413),
        ("Content-Length: \u{665}\r\n", 413),
        ("Content-Length: 5\r\nContent-Length: 5\r\n", 413),
        ("Content-Length: 5\r\nCONTENT-LENGTH: 6\r\n", 413),
        ("Transfer-Encoding: chunked\r\n", 413),
        ("Transfer-Encoding: identity\r\n", 413),
        ("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", 413),
    ] {
        let headers = format!("Host: localhost\r\n{headers}");
        let answer = served.ask("GET {}/events", &headers).await;
        assert_eq!(status(&answer), expected, "{headers:?}");
        let answer = served.ask("POST {}/events", &headers).await;
        let expected = if expected == 200 { 405 } else { 413 };
        assert_eq!(status(&answer), expected, "POST {headers:?}");
    }
}

#[tokio::test]
async fn no_byte_after_a_head_is_another_request() {
    let served = served().await;
    served.page.complete(row("a"));
    let path = format!("/t/{}/events", served.token.reveal());
    let inner = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    for outer in [
        format!("GET /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: +5\r\n\r\n{inner}"),
        format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{inner}"
        ),
        format!("GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n{inner}"),
        format!(
            "GET /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n{inner}"
        ),
    ] {
        let answer = served.raw(outer.as_bytes()).await;
        assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{answer}");
        assert!(answer.contains("Connection: close\r\n"));
        assert!(!answer.contains("\"events\""));
    }
}

#[tokio::test]
async fn only_the_secret_path_leads_anywhere() {
    let served = served().await;
    let token = served.token.reveal().to_owned();
    let longer = format!("GET /t/{token}x/");
    let shorter = format!("GET /t/{}/", &token[1..]);
    let other_case = format!("GET /t/{}/", token.to_uppercase());
    let twice = format!("GET /t//{token}/");
    let bare = format!("GET /t/{token}");
    let deep = format!("GET /t/{token}/../{token}/");
    let absolute = format!("GET http://localhost/t/{token}/");
    for line in [
        "GET /",
        "GET /t/",
        "GET /t//",
        "GET /events",
        "GET /t/é/",
        "GET /t/\u{1f600}/events",
        "POST /t/wrong/",
        &longer,
        &shorter,
        &other_case,
        &twice,
        &bare,
        &deep,
        &absolute,
        "GET {}/nothing",
        "GET {}/watch.js/",
        "GET {}//",
        "GET {}/events/",
        "GET {}/%65vents",
    ] {
        let answer = served.ask(line, "Host: localhost\r\n").await;
        assert_eq!(status(&answer), 404, "{line}");
    }
}

#[tokio::test]
async fn a_path_that_is_no_text_is_refused() {
    let served = served().await;
    let answer = served
        .raw(b"GET /t/\xff\xfe/ HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .await;
    assert!([400, 404].contains(&status(&answer)), "{answer}");
}

#[tokio::test]
async fn only_get() {
    let served = served().await;
    for method in [
        "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "HEAD", "CONNECT", "X",
    ] {
        let answer = served
            .ask(&format!("{method} {{}}/events"), "Host: localhost\r\n")
            .await;
        assert_eq!(status(&answer), 405, "{method}");
        assert!(answer.contains("\r\nAllow: GET\r\n"));
    }
}

#[tokio::test]
async fn what_is_no_request_is_refused() {
    let served = served().await;
    for (bytes, expected) in [
        (
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n".to_vec(),
            400,
        ),
        (b"GET / HTTP/3.0\r\nHost: localhost\r\n\r\n".to_vec(), 400),
        (b"GET / HTTP/1.1\r\nHost : localhost\r\n\r\n".to_vec(), 400),
        (
            b"GET / HTTP/1.1\r\nHost: localhost\r\n folded\r\n\r\n".to_vec(),
            400,
        ),
        (
            format!(
                "GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "x".repeat(20_000)
            )
            .into_bytes(),
            431,
        ),
        (
            format!(
                "GET / HTTP/1.1\r\nHost: localhost\r\n{}\r\n",
                "A: b\r\n".repeat(200)
            )
            .into_bytes(),
            431,
        ),
    ] {
        let answer = served.raw(&bytes).await;
        assert_eq!(status(&answer), expected, "{answer}");
    }
}

#[tokio::test]
async fn every_answer_has_the_safety_headers_and_the_page_a_policy() {
    let served = served().await;
    for name in [
        "",
        "watch.js",
        "watch.css",
        "feed.js",
        "words.js",
        "rows.js",
        "map.js",
        "events",
        "nothing",
    ] {
        let answer = served.get(name).await;
        for header in [
            "Cache-Control: no-store",
            "X-Content-Type-Options: nosniff",
            "X-Frame-Options: DENY",
            "Referrer-Policy: no-referrer",
            "Cross-Origin-Resource-Policy: same-origin",
            "Connection: close",
        ] {
            assert!(
                answer.contains(&format!("\r\n{header}\r\n")),
                "{name}: {header}"
            );
        }
        let has_policy =
            answer.contains("\r\nContent-Security-Policy: default-src 'none'; script-src 'self'");
        assert_eq!(has_policy, name.is_empty(), "{name}");
    }
    let wrong = served.ask("GET {}/", "Host: evil.example\r\n").await;
    assert!(wrong.contains("\r\nX-Frame-Options: DENY\r\n"));
}

#[tokio::test]
async fn the_files_have_their_types() {
    let served = served().await;
    for (name, kind) in [
        ("", "text/html; charset=utf-8"),
        ("watch.js", "text/javascript; charset=utf-8"),
        ("watch.css", "text/css; charset=utf-8"),
        ("events", "application/json; charset=utf-8"),
    ] {
        let answer = served.get(name).await;
        assert_eq!(status(&answer), 200);
        assert!(
            answer.contains(&format!("\r\nContent-Type: {kind}\r\n")),
            "{name}"
        );
    }
}

#[tokio::test]
async fn events_are_the_rows_past_a_number() {
    let served = served().await;
    for id in ["a", "b", "c"] {
        served.page.complete(row(id));
    }
    for (query, expected) in [
        ("", vec![1, 2, 3]),
        ("?since=0", vec![1, 2, 3]),
        ("?since=2", vec![3]),
        ("?since=3", vec![]),
        ("?since=99", vec![]),
        ("?since=x", vec![1, 2, 3]),
        ("?since=-1", vec![1, 2, 3]),
        ("?since=", vec![1, 2, 3]),
        ("?since=99999999999999999999999", vec![1, 2, 3]),
        ("?other=1&since=1", vec![2, 3]),
    ] {
        let said = body(&served.get(&format!("events{query}")).await);
        let seqs: Vec<u64> = said["events"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["seq"].as_u64().unwrap())
            .collect();
        assert_eq!(seqs, expected, "{query}");
        assert_eq!(said["next"], 3);
        assert_eq!(
            (&said["kind"], &said["title"]),
            (&"toolkit".into(), &"toolpass".into())
        );
    }
    let said = body(&served.get("events").await);
    assert_eq!(
        said["phrases"]["github:pr.create"],
        "open a pull request on"
    );
    assert_eq!(said["phrases"].as_object().unwrap().len(), 1);
    assert_eq!(said["events"][0]["tool"], "send");
    assert_eq!(said["epoch"].as_str().unwrap().len(), 12);
}

struct Running;

impl InFlight for Running {
    fn progress(&self) -> usize {
        1
    }
    fn row(&self) -> Row {
        Row {
            id: "r".to_owned(),
            text: "{\"id\":\"r\",\"outcome\":\"started\"}".to_owned(),
            actions: Vec::new(),
        }
    }
}

#[tokio::test]
async fn a_running_call_is_shown_until_its_row_completes_it() {
    let served = served().await;
    served.page.complete(row("a"));
    served.page.begin("r", Arc::new(Running));
    let said = body(&served.get("events?since=1").await);
    assert_eq!(said["events"][0]["outcome"], "started");
    assert_eq!(
        (&said["events"][0]["seq"], &said["next"]),
        (&2.into(), &1.into())
    );
    served.page.complete(row("r"));
    let said = body(&served.get("events?since=1").await);
    assert_eq!(said["events"].as_array().unwrap().len(), 1);
    assert_eq!(said["events"][0]["outcome"], "ran");
    assert_eq!(
        (&said["events"][0]["seq"], &said["next"]),
        (&2.into(), &2.into())
    );
}

/// A reader of the stream.
struct Reader(TcpStream, String);

impl Reader {
    async fn open(served: &Served, headers: &str) -> Reader {
        let mut socket = served.connect().await;
        let path = format!("/t/{}/events/stream", served.token.reveal());
        socket
            .write_all(
                format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n").as_bytes(),
            )
            .await
            .unwrap();
        let mut reader = Reader(socket, String::new());
        let head = reader.until("\r\n\r\n").await;
        assert!(
            head.contains("\r\nContent-Type: text/event-stream; charset=utf-8\r\n"),
            "{head}"
        );
        reader
    }

    async fn until(&mut self, end: &str) -> String {
        while !self.1.contains(end) {
            let mut bytes = [0; 4096];
            let read = self.0.read(&mut bytes).await.unwrap();
            assert_ne!(read, 0, "the stream ended");
            self.1
                .push_str(std::str::from_utf8(&bytes[..read]).unwrap());
        }
        let at = self.1.find(end).unwrap() + end.len();
        self.1.drain(..at).collect()
    }

    async fn message(&mut self) -> (String, serde_json::Value) {
        loop {
            let text = self.until("\n\n").await;
            if let Some(rest) = text.strip_prefix("id: ") {
                let (id, data) = rest.trim_end().split_once("\ndata: ").unwrap();
                return (id.to_owned(), serde_json::from_str(data).unwrap());
            }
        }
    }
}

fn ids(said: &serde_json::Value) -> Vec<&str> {
    said["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["id"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn a_stream_tells_what_there_is_and_what_comes() {
    let served = served().await;
    served.page.complete(row("a"));
    let mut one = Reader::open(&served, "").await;
    let mut other = Reader::open(&served, "").await;
    assert_eq!(ids(&one.message().await.1), ["a"]);
    assert_eq!(ids(&other.message().await.1), ["a"]);
    served.page.begin("r", Arc::new(Running));
    let (_, said) = one.message().await;
    assert_eq!(said["events"][0]["outcome"], "started");
    served.page.complete(row("r"));
    let (id, said) = one.message().await;
    assert_eq!((ids(&said), &said["next"]), (vec!["r"], &2.into()));
    assert!(id.ends_with(".2"));
}

#[tokio::test]
async fn a_stream_goes_on_after_the_message_seen_last() {
    let served = served().await;
    served.page.complete(row("a"));
    let (id, _) = Reader::open(&served, "").await.message().await;
    served.page.complete(row("b"));
    let mut again = Reader::open(&served, &format!("Last-Event-ID: {id}\r\n")).await;
    assert_eq!(ids(&again.message().await.1), ["b"]);
    for stranger in ["other.1", "1", "", "\u{e9}.1"] {
        let mut reader = Reader::open(&served, &format!("Last-Event-ID: {stranger}\r\n")).await;
        assert_eq!(ids(&reader.message().await.1), ["a", "b"], "{stranger}");
    }
}

#[tokio::test]
async fn closing_ends_the_streams_the_server_and_the_record() {
    let served = served().await;
    served.page.complete(row("a"));
    let mut reader = Reader::open(&served, "").await;
    reader.message().await;
    served.page.close();
    served.task.await.unwrap();
    let mut rest = Vec::new();
    reader.0.read_to_end(&mut rest).await.unwrap();
    assert!(
        TcpStream::connect(("127.0.0.1", served.port))
            .await
            .is_err()
    );
    served.page.complete(row("b"));
    served.page.begin("r", Arc::new(Running));
    assert_eq!(served.page.rows(0).0, "[]");
}

#[tokio::test]
async fn a_dropped_connection_concerns_nobody_else() {
    let served = served().await;
    let mut half = served.connect().await;
    half.write_all(b"GET /t/").await.unwrap();
    drop(half);
    let reader = Reader::open(&served, "").await;
    drop(reader);
    served.page.complete(row("a"));
    assert_eq!(status(&served.get("events").await), 200);
}

#[tokio::test]
async fn a_reader_that_waits_keeps_nobody_waiting() {
    let served = served().await;
    let mut idle = Vec::new();
    for _ in 0..40 {
        idle.push(served.connect().await);
    }
    assert_eq!(status(&served.get("events").await), 200);
}

/// The clock runs ahead while everybody waits.
#[tokio::test(start_paused = true)]
async fn a_peer_that_says_nothing_is_let_go() {
    let served = served().await;
    let mut half = served.connect().await;
    half.write_all(b"GET /t/").await.unwrap();
    let (mut silent, mut answer) = (served.connect().await, Vec::new());
    let began = tokio::time::Instant::now();
    silent.read_to_end(&mut answer).await.unwrap();
    half.read_to_end(&mut answer).await.unwrap();
    assert!(answer.is_empty());
    let waited = began.elapsed().as_secs();
    assert!((14..=20).contains(&waited), "{waited} s");
    assert_eq!(status(&served.get("events").await), 200);
}

#[tokio::test(start_paused = true)]
async fn a_stream_with_nothing_to_say_shows_that_it_is_there() {
    let served = served().await;
    let mut reader = Reader::open(&served, "").await;
    reader.message().await;
    for _ in 0..3 {
        reader.until(": still there\n\n").await;
    }
}
