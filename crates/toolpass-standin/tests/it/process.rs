//! The program: one line about itself, files that work, and an end that follows its starter's.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use serde_json::Value;

#[test]
fn it_says_where_it_is_and_ends_with_its_standard_input() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_toolpass-standin"))
        .args(["github", "--tls", "--ghes", "--name", "ghe.example"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    output.read_line(&mut line).unwrap();
    let about: Value = serde_json::from_str(&line).unwrap();
    let port = u16::try_from(about["port"].as_u64().unwrap()).unwrap();
    assert_eq!(about["api_url"], format!("https://localhost:{port}/api/v3"));
    assert_eq!(about["app_id"], "777");
    assert_eq!(about["installation_id"], "4242");
    let read = |member: &str| std::fs::read_to_string(about[member].as_str().unwrap()).unwrap();
    assert!(read("ca_file").starts_with("-----BEGIN CERTIFICATE-----"));
    assert_eq!(
        read("private_key_file"),
        toolpass_standin::github::world::APP_KEY
    );
    assert!(TcpStream::connect(("127.0.0.1", port)).is_ok());

    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "", "exactly one line");
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
    assert!(!std::path::Path::new(about["ca_file"].as_str().unwrap()).exists());
}

#[test]
fn a_world_file_replaces_the_default_world() {
    let file = std::env::temp_dir().join(format!(
        "toolpass-standin-world-{}.json",
        std::process::id()
    ));
    std::fs::write(
        &file,
        r#"{"tokens":{"t":{"owner":"zoe","scopes":["repo"]}},"repositories":{"zoe/one":{}}}"#,
    )
    .unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_toolpass-standin"))
        .arg("github")
        .arg("--world")
        .arg(&file)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let about: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(about["token"], "t");
    let mut stream = TcpStream::connect((
        "127.0.0.1",
        u16::try_from(about["port"].as_u64().unwrap()).unwrap(),
    ))
    .unwrap();
    let request = "GET /repos/zoe/one HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\nConnection: close\r\nAuthorization: Bearer t\r\n\r\n";
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    std::fs::remove_file(&file).unwrap();
}

#[test]
fn help_names_every_flag() {
    for words in [&["--help"][..], &["github", "--help"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_toolpass-standin"))
            .args(words)
            .output()
            .unwrap();
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        for flag in ["--ghes", "--name", "--tls", "--world"] {
            assert!(text.contains(flag), "{flag}: {text}");
        }
    }
}

#[test]
fn a_wrong_flag_is_named() {
    let output = Command::new(env!("CARGO_BIN_EXE_toolpass-standin"))
        .args(["github", "--tsl"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("--tsl"));
}
