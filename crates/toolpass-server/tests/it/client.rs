//! A client that sends bytes and reads answers, so that nothing is put right on the way.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

use crate::running::KEY;

/// One connection.
pub(crate) struct Wire {
    reader: BufReader<TcpStream>,
}

/// One answer.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Wire {
    /// Connect.
    pub(crate) fn open(address: SocketAddr) -> Wire {
        let stream = TcpStream::connect(address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .unwrap();
        stream.set_nodelay(true).unwrap();
        Wire {
            reader: BufReader::new(stream),
        }
    }

    /// Send bytes. A server that has closed is for the reader to notice.
    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let _ = self.reader.get_mut().write_all(bytes.as_ref());
    }

    /// Send nothing more.
    pub(crate) fn end(&mut self) {
        let _ = self.reader.get_mut().shutdown(Shutdown::Write);
    }

    /// The next answer; `None` when the server has closed. `to_head`: the answer to HEAD, which has no body.
    pub(crate) fn answer_to(&mut self, to_head: bool) -> Option<Answer> {
        let mut line = String::new();
        if self.reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let status = line.split(' ').nth(1)?.parse().ok()?;
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            self.reader.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim_end().split_once(": ") else {
                break;
            };
            headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
        let mut answer = Answer {
            status,
            headers,
            body: String::new(),
        };
        let length = answer
            .header("content-length")
            .unwrap_or("0")
            .parse()
            .ok()?;
        if !to_head {
            let mut body = vec![0; length];
            self.reader.read_exact(&mut body).ok()?;
            answer.body = String::from_utf8(body).unwrap();
        }
        Some(answer)
    }

    /// Everything up to and with a text, headers and the framing of chunks included.
    pub(crate) fn read_past(&mut self, text: &str) -> String {
        let mut read = Vec::new();
        while !read.ends_with(text.as_bytes()) {
            let mut byte = [0];
            self.reader
                .read_exact(&mut byte)
                .unwrap_or_else(|error| panic!("{error} after {}", String::from_utf8_lossy(&read)));
            read.push(byte[0]);
        }
        String::from_utf8(read).unwrap()
    }

    /// The next answer.
    pub(crate) fn answer(&mut self) -> Answer {
        self.answer_to(false)
            .expect("the server closed without an answer")
    }

    /// Whether the server has closed without another byte.
    pub(crate) fn is_closed(&mut self) -> bool {
        let mut byte = [0];
        !matches!(self.reader.read(&mut byte), Ok(1..))
    }
}

impl Answer {
    /// A header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(given, _)| given == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The reason of a decision.
    pub(crate) fn reason(&self) -> String {
        self.json()["reason"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }
}

/// A POST with the key and a body.
pub(crate) fn post(path: &str, body: &str) -> String {
    with_key("POST", path, KEY, body)
}

/// A request with this key.
pub(crate) fn with_key(method: &str, path: &str, key: &str, body: &str) -> String {
    format!(
        "{method} {path} HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer {key}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Ask one question on a connection of its own.
pub(crate) fn ask(address: SocketAddr, request: impl AsRef<[u8]>) -> Answer {
    let mut wire = Wire::open(address);
    wire.send(request);
    wire.answer()
}
