//! One client: its requests are read through the gate, answered, and the connection closed so that the last answer arrives.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;

use crate::exchange::{self, Client};
use crate::gate::{Gate, Patience, Talk};
use crate::server::App;

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
