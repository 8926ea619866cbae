//! `toolpass serve` as a process: what it acknowledged is there after it was killed, and where it keeps it.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::support::{Folder, shown};

const CONFIG: &str = "listen: 127.0.0.1:0\napi_key: file:key\ndecision_log: none\nconnections:\n  - {id: fake, integration: fake, users: dana@example.com}\n";

/// A server, and the address it says it listens on.
struct Serving {
    process: Child,
    address: String,
}

impl Serving {
    fn start(folder: &Folder, arguments: &[&str], state: &Path) -> Serving {
        let mut command =
            folder.command(&[&["serve", "-config", "toolpass.yaml"], arguments].concat());
        command
            .env("XDG_STATE_HOME", state)
            .env_remove("STATE_DIRECTORY");
        let mut process = command
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(process.stderr.take().unwrap());
        let address = loop {
            let mut line = String::new();
            assert_ne!(log.read_line(&mut line).unwrap(), 0, "the server ended");
            let line: Value = serde_json::from_str(&line).unwrap();
            if let Some(address) = line.get("addr").and_then(Value::as_str) {
                break address.to_owned();
            }
        };
        // What it says later is read, so that it never waits for a reader.
        std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
        Serving { process, address }
    }

    /// SIGKILL, and the end.
    fn kill(self) {
        drop(self);
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn ask(address: &str, method: &str, path: &str, body: &str) -> std::io::Result<(u16, String)> {
    let mut stream = TcpStream::connect(address)?;
    let length = body.len();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer secret\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let status = answer.split(' ').nth(1).and_then(|text| text.parse().ok());
    let status = status.ok_or(std::io::ErrorKind::UnexpectedEof)?;
    let body = answer
        .split_once("\r\n\r\n")
        .map(|(_, body)| body.to_owned());
    Ok((status, body.unwrap_or_default()))
}

fn report(address: &str, id: &str) -> std::io::Result<u16> {
    let body =
        format!(r#"{{"server":"shop","runs":[{{"id":"{id}","tool":"t","outcome":"ran"}}]}}"#);
    ask(address, "POST", "/runs", &body).map(|(status, _)| status)
}

/// Every id the server has.
fn ids(address: &str) -> Vec<String> {
    let (status, body) = ask(address, "GET", "/dashboard/export?format=jsonl", "").unwrap();
    assert_eq!(status, 200);
    let rows = body
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    rows.filter_map(|row| Some(row.get("id")?.as_str()?.to_owned()))
        .collect()
}

#[test]
fn what_was_acknowledged_is_there_after_a_kill() {
    let folder = Folder::with(&[("toolpass.yaml", CONFIG), ("key", "secret")]);
    let state = folder.as_ref().join("state");
    let mut acknowledged = Vec::new();
    for round in 0..3 {
        let serving = Serving::start(&folder, &["-data", "kept"], &state);
        let (done, count) = (
            Arc::new(Mutex::new(Vec::new())),
            Arc::new(AtomicU64::new(0)),
        );
        let reporters: Vec<_> = (0..4)
            .map(|reporter| {
                let (address, done, count) = (
                    serving.address.clone(),
                    Arc::clone(&done),
                    Arc::clone(&count),
                );
                std::thread::spawn(move || {
                    // Until the server is gone.
                    for number in 0.. {
                        let id = format!("{round}.{reporter}.{number}");
                        match report(&address, &id) {
                            Ok(202) => {
                                done.lock().unwrap().push(id);
                                count.fetch_add(1, Ordering::Release);
                            }
                            Ok(other) => assert_eq!(other, 202),
                            Err(_) => return,
                        }
                    }
                })
            })
            .collect();
        while count.load(Ordering::Acquire) < 40 {
            std::thread::yield_now();
        }
        serving.kill();
        reporters.into_iter().for_each(|one| one.join().unwrap());
        acknowledged.append(&mut done.lock().unwrap());
    }
    let serving = Serving::start(&folder, &["-data", "kept"], &state);
    let kept = ids(&serving.address);
    for id in &acknowledged {
        assert_eq!(kept.iter().filter(|one| *one == id).count(), 1, "{id}");
    }
    assert!(acknowledged.len() >= 120);
    // What was not acknowledged may be there, once; it is reported again and is not there twice.
    let last = acknowledged.last().unwrap();
    assert_eq!(report(&serving.address, last).unwrap(), 202);
    assert_eq!(ids(&serving.address).len(), kept.len());
    serving.kill();
}

#[test]
fn a_folder_nobody_named_may_be_missing_and_one_that_was_named_may_not() {
    let folder = Folder::with(&[("toolpass.yaml", CONFIG), ("key", "secret"), ("file", "")]);
    let taken = folder.as_ref().join("file");
    // By default: the state of the person.
    let state = folder.as_ref().join("state");
    let serving = Serving::start(&folder, &[], &state);
    assert_eq!(report(&serving.address, "a").unwrap(), 202);
    serving.kill();
    assert!(state.join("toolpass/runs.db").exists());
    let serving = Serving::start(&folder, &[], &state);
    assert_eq!(ids(&serving.address), ["a"]);
    serving.kill();
    // A file stands where the folder would be: in memory.
    let serving = Serving::start(&folder, &[], &taken);
    assert_eq!(report(&serving.address, "b").unwrap(), 202);
    assert_eq!(ids(&serving.address), ["b"]);
    serving.kill();
    let refused = folder
        .command(&["serve", "-config", "toolpass.yaml", "-data", "file/kept"])
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(1));
    let said = shown(&refused);
    assert!(said.contains("runs cannot be kept in `data`"), "{said}");
    assert!(fs::read(&taken).unwrap().is_empty());
}
