//! The server of a page: each connection brings one request, gets one answer, and is closed.
//!
//! Every wait has an end: 15 seconds for a head to arrive, 15 for a reader to take what was written. A connection that is
//! dropped ends quietly. The tasks of all connections end with the server, and the server with its page.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::assets;
use crate::head::{Asked, Head, MAX_HEAD, Reading, read};
use crate::page::{Page, Told};
use crate::reply::{Reply, STILL_THERE, message, stream_head};
use crate::token::Token;

/// How long a peer may keep us waiting.
const PATIENCE: Duration = Duration::from_secs(15);

/// How long a stream says nothing at most.
const SILENCE: Duration = Duration::from_secs(10);

/// How often the requests of running calls are looked for.
const LOOK: Duration = Duration::from_millis(400);

/// How long news are collected before they are told.
const GATHER: Duration = Duration::from_millis(50);

/// How long the connections of a closed page have to end.
const GRACE: Duration = Duration::from_millis(200);

/// How many connections there are at a time; further ones wait.
const MAX_CONNECTIONS: usize = 256;

/// How much is written before the reader's patience begins anew.
const PIECE: usize = 64 * 1024;

/// How much of what a peer still sends is thrown away, so that it gets to read the answer.
const MAX_LEFTOVER: usize = 1024 * 1024;

/// How long that takes at most.
const LINGER: Duration = Duration::from_secs(2);

/// Serve a page until it is closed.
pub async fn serve(listener: TcpListener, page: Arc<Page>, token: Arc<Token>) {
    let mut news = page.subscribe();
    let mut connections = JoinSet::new();
    while !page.is_closed() {
        tokio::select! {
            accepted = listener.accept(), if connections.len() < MAX_CONNECTIONS => match accepted {
                Ok((socket, _)) => {
                    connections.spawn(connection(socket, Arc::clone(&page), Arc::clone(&token)));
                }
                // Out of file descriptors, as a rule: wait for one to become free.
                Err(_) => tokio::time::sleep(GATHER).await,
            },
            Some(_) = connections.join_next() => {}
            _ = news.changed() => {}
        }
    }
    drop(listener);
    // Streams end in order; who has not even asked for anything is not waited for.
    let _ = timeout(GRACE, async {
        while connections.join_next().await.is_some() {}
    })
    .await;
}

/// Answer one request. What goes wrong with the connection ends it, and concerns nobody else.
async fn connection(mut socket: TcpStream, page: Arc<Page>, token: Arc<Token>) {
    let Ok(Some(asked)) = timeout(PATIENCE, request(&mut socket, &token)).await else {
        return;
    };
    let written = match asked {
        Ok(Asked::Stream(last_message)) => {
            stream(&mut socket, &page, page.resume(last_message.as_deref())).await
        }
        Ok(asked) => write(&mut socket, &answer(&page, asked).to_bytes()).await,
        Err(status) => write(&mut socket, &Reply::refused(status).to_bytes()).await,
    };
    if written.is_some() {
        // The time is up or the peer is gone: either way this is the end.
        let _ = timeout(LINGER, linger(&mut socket)).await;
    }
}

/// Read a head and say what it asks for, or the status that refuses it. Nothing when the connection ends.
async fn request(socket: &mut TcpStream, token: &Token) -> Option<Result<Asked, &'static str>> {
    let mut bytes = Vec::new();
    loop {
        let room = MAX_HEAD.saturating_sub(bytes.len());
        let mut more = socket.take(u64::try_from(room).unwrap_or(0));
        if more.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
        match read(&bytes) {
            Reading::Partial => {}
            Reading::Malformed => return Some(Err("400 Bad Request")),
            Reading::TooLong => return Some(Err("431 Request Header Fields Too Large")),
            Reading::Whole(head) => return Some(Ok(Head::asked(&head, token))),
        }
    }
}

fn answer(page: &Page, asked: Asked) -> Reply {
    match asked {
        Asked::Asset(name) => {
            assets::find(&name).map_or_else(|| Reply::refused("404 Not Found"), Reply::asset)
        }
        Asked::BadBody => Reply::refused("413 Content Too Large"),
        Asked::Events(since) => Reply::events(page.answer(since)),
        Asked::ForeignHost => Reply::refused("403 Forbidden"),
        Asked::NotFound | Asked::Stream(_) => Reply::refused("404 Not Found"),
        Asked::WrongMethod => Reply::wrong_method(),
    }
}

/// Tell a reader what there is and what comes, until it goes or the page is closed.
async fn stream(socket: &mut TcpStream, page: &Page, mut told: Told) -> Option<()> {
    let mut news = page.subscribe();
    write(socket, stream_head().as_bytes()).await?;
    let (mut theirs, mut ours) = socket.split();
    let mut unread = [0_u8; 512];
    let mut silent = Duration::ZERO;
    while !page.is_closed() {
        news.borrow_and_update();
        if let Some(json) = page.news(&mut told) {
            write(
                &mut ours,
                message(&page.message_id(&told), &json).as_bytes(),
            )
            .await?;
            silent = Duration::ZERO;
        }
        if silent >= SILENCE {
            write(&mut ours, STILL_THERE.as_bytes()).await?;
            silent = Duration::ZERO;
        }
        let wait = if told.follows_running() {
            LOOK
        } else {
            SILENCE
        };
        tokio::select! {
            changed = news.changed() => {
                changed.ok()?;
                tokio::time::sleep(GATHER).await;
            }
            () = tokio::time::sleep(wait) => silent += wait,
            read = theirs.read(&mut unread) => if read.ok()? == 0 { return None },
        }
    }
    Some(())
}

/// Write all, as long as the reader takes a piece in time.
async fn write<W: AsyncWriteExt + Unpin>(socket: &mut W, bytes: &[u8]) -> Option<()> {
    for piece in bytes.chunks(PIECE) {
        timeout(PATIENCE, socket.write_all(piece))
            .await
            .ok()?
            .ok()?;
    }
    timeout(PATIENCE, socket.flush()).await.ok()?.ok()
}

/// End our side and throw away what the peer still sends: a connection closed over unread bytes is reset, and the answer lost.
async fn linger(socket: &mut TcpStream) -> Option<()> {
    socket.shutdown().await.ok()?;
    let mut unread = [0_u8; 4096];
    let mut thrown = 0;
    while thrown < MAX_LEFTOVER {
        match socket.read(&mut unread).await.ok()? {
            0 => break,
            read => thrown += read,
        }
    }
    Some(())
}
