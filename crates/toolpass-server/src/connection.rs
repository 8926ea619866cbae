//! One client: encrypted or not, HTTP/1.1 through the gate or HTTP/2, until it leaves or the server stops.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

use crate::exchange::{self, Client};
use crate::gate::{Gate, Patience, Talk};
use crate::server::App;
use crate::tls;

/// Serve a client that speaks TLS first.
pub(crate) async fn encrypted(
    stream: TcpStream,
    acceptor: TlsAcceptor,
    app: Arc<App>,
    client: Client,
    stop: watch::Receiver<bool>,
) {
    let patience = Patience::DEFAULT;
    let shaken = tokio::time::timeout(patience.head, acceptor.accept(stream)).await;
    let Ok(Ok(stream)) = shaken else {
        tracing::debug!("a client could not be agreed with on TLS");
        return;
    };
    let (_, session) = stream.get_ref();
    let is_http2 = session.alpn_protocol() == Some(tls::HTTP2);
    let client = Client {
        secure: true,
        certificate: tls::names(session.peer_certificates()).into(),
        ..client
    };
    if is_http2 {
        http2(stream, app, client, patience, stop).await;
    } else {
        http1(stream, app, client, patience, stop).await;
    }
}

/// Serve HTTP/2. Its framing is hyper's to read; a client that asks nothing is told to go.
async fn http2<S>(
    stream: S,
    app: Arc<App>,
    client: Client,
    patience: Patience,
    mut stop: watch::Receiver<bool>,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    // Here it only counts what is being answered.
    let talk = Talk::new();
    let service = service_fn(|request| {
        let answered = exchange::answer(
            Arc::clone(&app),
            client.clone(),
            None,
            Some(talk.answering()),
            request,
        );
        async move { Ok::<_, Infallible>(answered.await) }
    });
    let connection = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .max_concurrent_streams(MAX_STREAMS)
        .max_header_list_size(MAX_HEADER_LIST)
        .keep_alive_interval(patience.idle)
        .keep_alive_timeout(patience.head)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        _ = stop.changed() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
        () = talk.idle(patience.idle) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        let error = error.to_string();
        tracing::debug!(error, "a connection ended early");
    }
}

/// Serve HTTP/1.1 until the client leaves, or until `stop` says so and the request in flight is answered.
pub(crate) async fn http1<S>(
    stream: S,
    app: Arc<App>,
    client: Client,
    patience: Patience,
    mut stop: watch::Receiver<bool>,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let talk = Talk::new();
    let client = Client {
        talk: Some(Arc::clone(&talk)),
        ..client
    };
    let number = AtomicUsize::new(0);
    let service = service_fn(|request| {
        let fault = talk.fault(number.fetch_add(1, Ordering::Relaxed));
        let answered = exchange::answer(
            Arc::clone(&app),
            client.clone(),
            fault,
            Some(talk.answering()),
            request,
        );
        async move { Ok::<_, Infallible>(answered.await) }
    });
    let gate = Gate::new(stream, Arc::clone(&talk), patience);
    let connection = http1::Builder::new()
        .header_read_timeout(None)
        .max_headers(crate::gate::head::MAX_HEADERS)
        .serve_connection(TokioIo::new(gate), service);
    let mut connection = pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        // Whoever could say so being gone is said so too.
        _ = stop.changed() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        let error = error.to_string();
        tracing::debug!(error, "a connection ended early");
    }
}

const MAX_HEADER_LIST: u32 = 16 * 1024;
const MAX_STREAMS: u32 = 128;
