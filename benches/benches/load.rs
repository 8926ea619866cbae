//! The server under load, beside a bare axum echo of JSON in the same run: `cargo bench -p toolpass-benches --bench load`.
//!
//! Both servers and the clients share this process and its cores, so the ratio is what counts, not the requests per second.
//! Every connection sends its next request when the last was answered. `--quick` only shows that it runs.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a program for a person at a terminal"
)]

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::routing::post;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;
use toolpass_config::load::load_text;
use toolpass_http::clock::SystemClock;
use toolpass_server::server::{Server, Signal};

const BODY: &str =
    r#"{"user":"dana@example.com","connection":"fake","action":"thing.read","resource":"thing:1"}"#;
const CONFIG: &str = "
api_key: file:key
listen: 127.0.0.1:0
decision_log: none
decision_cache_seconds: 1h
server: {max_connections: 10000}
connections:
  - {id: fake, integration: fake, users: dana@example.com}
";

fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let time = if quick {
        Duration::from_millis(200)
    } else {
        Duration::from_secs(10)
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let echo = echo().await;
        let (ours, _signals) = ours().await;
        println!("| connections | server | requests/s | p50 µs | p99 µs | p99.9 µs | ratio |");
        println!("|---|---|---|---|---|---|---|");
        for connections in [16, 256, 2000] {
            let floor = measure(echo, connections, time).await;
            let found = measure(ours, connections, time).await;
            let ratio = found.per_second / floor.per_second;
            floor.print(connections, "axum echo", 1.0);
            found.print(connections, "/check, stored", ratio);
        }
    });
}

struct Measured {
    per_second: f64,
    micros: Vec<u32>,
}

impl Measured {
    fn print(&self, connections: usize, server: &str, ratio: f64) {
        let at = |share: f64| {
            let place = ((self.micros.len() as f64) * share) as usize;
            self.micros
                .get(place.min(self.micros.len().saturating_sub(1)))
                .copied()
                .unwrap_or(0)
        };
        println!(
            "| {connections} | {server} | {:.0} | {} | {} | {} | {ratio:.2} |",
            self.per_second,
            at(0.5),
            at(0.99),
            at(0.999)
        );
    }
}

/// What anything that reads JSON and answers JSON costs.
async fn echo() -> SocketAddr {
    let app = axum::Router::new().route(
        "/check",
        post(|Json(body): Json<serde_json::Value>| async move { Json(body) }),
    );
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    address
}

async fn ours() -> (SocketAddr, mpsc::Sender<Signal>) {
    let folder = std::env::temp_dir().join(format!("toolpass-load-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("key"), "load").unwrap();
    let config = load_text(
        "load.yaml",
        CONFIG,
        Path::new(&folder),
        toolpass_registry::all(),
    )
    .unwrap();
    let server = Server::start(config, Arc::new(SystemClock)).await.unwrap();
    let address = server.address();
    let (signals, received) = mpsc::channel(1);
    tokio::spawn(server.run(received));
    (address, signals)
}

async fn measure(address: SocketAddr, connections: usize, time: Duration) -> Measured {
    let mut clients = JoinSet::new();
    let until = Instant::now() + time;
    for _ in 0..connections {
        clients.spawn(client(address, until));
    }
    let mut micros: Vec<u32> = Vec::new();
    while let Some(done) = clients.join_next().await {
        micros.extend(done.unwrap());
    }
    micros.sort_unstable();
    Measured {
        per_second: micros.len() as f64 / time.as_secs_f64(),
        micros,
    }
}

/// One connection's latencies.
async fn client(address: SocketAddr, until: Instant) -> Vec<u32> {
    let request = format!(
        "POST /check HTTP/1.1\r\nHost: load\r\nAuthorization: Bearer load\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{BODY}",
        BODY.len()
    );
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let (mut micros, mut answer) = (Vec::new(), vec![0_u8; 4096]);
    while Instant::now() < until {
        let began = Instant::now();
        stream.write_all(request.as_bytes()).await.unwrap();
        // Answers are short: each comes in one piece on loopback.
        let count = stream.read(&mut answer).await.unwrap();
        let ok = answer
            .get(..count)
            .is_some_and(|answer| answer.starts_with(b"HTTP/1.1 200"));
        assert!(ok, "expected an answer of 200");
        micros.push(u32::try_from(began.elapsed().as_micros()).unwrap_or(u32::MAX));
    }
    micros
}
