//! Connections: how many there are, and how long they may last. And the task that takes samples.

use super::App;
use super::answer::{Origin, answer};
use super::heat::STEP_S;
use crate::net::handshake;
use crate::net::stream::Stream;
use crate::tls::Tls;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::net::TcpListener;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::MissedTickBehavior;
use tracing::error;

/// The connections that are served at once; others wait. A browser keeps up to six.
const CONNECTIONS_MAX: usize = 64;
/// How long a client may take to send the head of a request, and stay silent between two.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// How long a connection takes requests.
const CONNECTION_TIME: Duration = Duration::from_secs(60);
/// How long its last request may then take.
const LAST_TIME: Duration = Duration::from_secs(10);
/// The headers of a request.
const HEADERS_MAX: usize = 64;
/// The bytes of the head of a request.
const HEAD_BYTES: usize = 16 << 10;
/// How long accepting pauses after an error, such as too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Takes samples for ever.
pub async fn sample(app: Arc<App>) {
    let mut ticks = tokio::time::interval(Duration::from_secs(1));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let mut count: u64 = 0;
    loop {
        ticks.tick().await;
        app.history.sample(&app);
        if count.is_multiple_of(STEP_S) {
            app.heat.sample(&app);
        }
        count += 1;
    }
}

/// Serves a listener for ever, over TLS if there is one.
pub async fn serve(listener: TcpListener, app: Arc<App>, tls: Option<Arc<Tls>>) {
    let listener = match tokio::net::TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(e) => return error!(target: "ferrolith::client", error = %e, "accepting HTTP clients"),
    };
    let seats = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    loop {
        // The semaphore is never closed.
        let Ok(seat) = seats.clone().acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                let (app, tls) = (app.clone(), tls.clone());
                tokio::spawn(async move {
                    // A slow or broken connection concerns nobody else.
                    open(stream, app, tls).await;
                    drop(seat);
                });
            }
            Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
        }
    }
}

async fn open(stream: TcpStream, app: Arc<App>, tls: Option<Arc<Tls>>) {
    let Ok(address) = stream.peer_addr() else { return };
    // Without it small replies wait for the client's acknowledgements.
    _ = stream.set_nodelay(true);
    let origin = Origin { address, is_encrypted: tls.is_some() };
    let stream = match tls {
        None => Some(Stream::Plain(stream)),
        Some(tls) => handshake::shake_hands(stream, &tls).await,
    };
    // A handshake has a limit of its own.
    if let Some(stream) = stream {
        serve_one(stream, app, origin).await;
    }
}

async fn serve_one(stream: Stream, app: Arc<App>, origin: Origin) {
    let service = service_fn(move |request: Request<Incoming>| {
        let app = app.clone();
        async move { Ok::<_, Infallible>(answer(app, request, origin).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_headers(HEADERS_MAX)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    tokio::select! {
        _ = connection.as_mut() => return,
        () = tokio::time::sleep(CONNECTION_TIME) => connection.as_mut().graceful_shutdown(),
    }
    // As above.
    _ = tokio::time::timeout(LAST_TIME, connection).await;
}
