//! The gate in time: what a slow client may do, and that bytes pass as they came.

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

use super::*;

const HEAD: &[u8] = b"POST /check HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n";

fn gate() -> (DuplexStream, Gate<DuplexStream>, Arc<Talk>) {
    let (client, server) = duplex(1 << 20);
    let talk = Talk::new();
    let gate = Gate::new(server, Arc::clone(&talk), Patience::DEFAULT);
    (client, gate, talk)
}

/// How long the gate waits for more, and how it ends.
async fn waited(gate: &mut Gate<DuplexStream>) -> (Duration, io::ErrorKind) {
    let began = Instant::now();
    let mut passed = Vec::new();
    let ended = gate.read_to_end(&mut passed).await.unwrap_err().kind();
    (began.elapsed(), ended)
}

#[tokio::test(start_paused = true)]
async fn a_trickled_head_is_cut_off() {
    let (mut client, mut gate, _) = gate();
    let trickle = async {
        for byte in HEAD {
            if client.write_all(&[*byte]).await.is_err() {
                break;
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        std::future::pending::<()>().await
    };
    tokio::select! {
        biased;
        (took, ended) = waited(&mut gate) => {
            assert_eq!(ended, io::ErrorKind::TimedOut);
            assert_eq!(took.as_secs(), 5);
        }
        () = trickle => {}
    }
}

#[tokio::test(start_paused = true)]
async fn a_trickled_body_is_cut_off_and_said_to_be() {
    let (mut client, mut gate, talk) = gate();
    let trickle = async {
        client.write_all(HEAD).await.unwrap();
        for _ in 0..9 {
            tokio::time::sleep(Duration::from_secs(3)).await;
            if client.write_all(b" ").await.is_err() {
                break;
            }
        }
        std::future::pending::<()>().await
    };
    tokio::select! {
        biased;
        (took, ended) = waited(&mut gate) => {
            assert_eq!(ended, io::ErrorKind::TimedOut);
            assert_eq!(took.as_secs(), 15);
        }
        () = trickle => {}
    }
    assert_eq!(talk.broken(), Some("the body did not come in time"));
}

#[tokio::test(start_paused = true)]
async fn an_idle_client_is_let_go_but_not_while_it_is_answered() {
    let (_client, mut idle, _) = gate();
    let (took, ended) = waited(&mut idle).await;
    assert_eq!((took.as_secs(), ended), (15, io::ErrorKind::TimedOut));

    let (_client, mut gate, talk) = gate();
    let answering = talk.answering();
    let answer = async {
        tokio::time::sleep(Duration::from_secs(100)).await;
        drop(answering);
        std::future::pending::<()>().await
    };
    tokio::select! {
        biased;
        (took, _) = waited(&mut gate) => assert_eq!(took.as_secs(), 115),
        () = answer => {}
    }
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_client_is_told_while_it_is_answered() {
    let (client, mut gate, talk) = gate();
    let answering = talk.answering();
    drop(client);
    let mut byte = [0];
    tokio::select! {
        biased;
        _ = gate.read(&mut byte) => panic!("the answer would be lost"),
        () = talk.gone() => {}
    }
    drop(answering);
    assert_eq!(gate.read(&mut byte).await.unwrap(), 0);
}

#[tokio::test]
async fn what_is_fine_passes_as_it_came_however_it_is_cut() {
    let one = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x\r\nabc\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n";
    for size in 1..one.len() {
        let (mut client, mut gate, talk) = gate();
        for piece in one.chunks(size) {
            client.write_all(piece).await.unwrap();
        }
        drop(client);
        let mut passed = Vec::new();
        gate.read_to_end(&mut passed).await.unwrap();
        assert_eq!(passed, one, "{size}");
        assert_eq!((talk.fault(0), talk.fault(1)), (None, None));
    }
}

#[tokio::test]
async fn nothing_follows_what_is_broken() {
    let (mut client, mut gate, talk) = gate();
    client
        .write_all(b"GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\nContent-Length: x\r\n\r\nGET /stolen HTTP/1.1\r\n\r\n")
        .await
        .unwrap();
    let (mut passed, mut buffer) = (Vec::new(), [0; 256]);
    for _ in 0..2 {
        let count = gate.read(&mut buffer).await.unwrap();
        passed.extend_from_slice(&buffer[..count]);
    }
    assert_eq!(passed, b"GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n");
    assert_eq!(talk.fault(0), None);
    assert!(matches!(talk.fault(1), Some(Fault::Body(_))));
}
