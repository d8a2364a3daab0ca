//! `/metrics` and `/health` over HTTP/1, on addresses of their own. The workers have nothing to do with it.

use super::stream::Stream;
use super::{handshake, metrics};
use crate::redis::Server;
use crate::tls::Tls;
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::CONTENT_TYPE;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

/// The connections that are served at once; others wait.
const CONNECTIONS_MAX: usize = 16;
/// How long a connection may last: it is for one request.
const CONNECTION_TIME: Duration = Duration::from_secs(10);
/// How long accepting pauses after an error, such as too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves a listener for ever, over TLS if there is one.
pub async fn serve(listener: TcpListener, server: Arc<Server>, tls: Option<Arc<Tls>>) {
    let listener = match tokio::net::TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(e) => return eprintln!("accepting HTTP clients: {e}"),
    };
    let seats = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    loop {
        // The semaphore is never closed.
        let Ok(seat) = seats.clone().acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                let (server, tls) = (server.clone(), tls.clone());
                tokio::spawn(async move {
                    // A slow or broken connection concerns nobody else.
                    open(stream, server, tls).await;
                    drop(seat);
                });
            }
            Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
        }
    }
}

async fn open(stream: TcpStream, server: Arc<Server>, tls: Option<Arc<Tls>>) {
    let stream = match tls {
        None => Some(Stream::Plain(stream)),
        Some(tls) => handshake::shake_hands(stream, &tls).await,
    };
    // A handshake has a limit of its own.
    if let Some(stream) = stream {
        _ = tokio::time::timeout(CONNECTION_TIME, serve_one(stream, server)).await;
    }
}

async fn serve_one(stream: Stream, server: Arc<Server>) {
    let service = service_fn(|request: Request<Incoming>| {
        let response = answer(request.method(), request.uri().path(), &server);
        async { Ok::<_, Infallible>(response) }
    });
    let connection = http1::Builder::new()
        .keep_alive(false)
        .max_buf_size(16 << 10)
        .serve_connection(TokioIo::new(stream), service);
    // As above.
    _ = connection.await;
}

fn answer(method: &Method, path: &str, server: &Server) -> Response<Full<Bytes>> {
    let (status, kind, text) = match (method, path) {
        (&Method::GET | &Method::HEAD, "/metrics") => {
            (StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", metrics::text(server))
        }
        (&Method::GET | &Method::HEAD, "/health") => match metrics::illness(&*server.store) {
            None => (StatusCode::OK, "text/plain", "ok\n".to_owned()),
            Some(illness) => (StatusCode::SERVICE_UNAVAILABLE, "text/plain", illness + "\n"),
        },
        (_, "/metrics" | "/health") => {
            (StatusCode::METHOD_NOT_ALLOWED, "text/plain", "only GET and HEAD\n".to_owned())
        }
        _ => (StatusCode::NOT_FOUND, "text/plain", "see /metrics and /health\n".to_owned()),
    };
    let mut response = Response::new(Full::new(Bytes::from(text)));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static(kind));
    response
}
