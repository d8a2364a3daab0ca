//! The HTTP client of requests to object stores: hyper with this server's TLS.

use crate::error::Result;
use crate::logs::Gate;
use crate::tls;
use async_trait::async_trait;
use http_body_util::BodyExt;
use hyper::StatusCode;
use hyper::body::{Body, Incoming};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector as Sockets;
use hyper_util::rt::TokioExecutor;
use object_store::ClientOptions;
use object_store::client::{
    ClientConfigKey, HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest,
    HttpRequestBody, HttpResponse, HttpService,
};
use rustls::{CertificateError, ClientConfig};
use std::io;
use std::time::Duration;
use tracing::warn;

/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(10);
/// How long a request may take with its reply: four parts of 8 MiB may share a slow line.
const REQUEST: Duration = Duration::from_secs(300);
/// How long a store may send nothing after it has the request.
const SILENCE: Duration = Duration::from_secs(60);
/// The slowest line, in bytes per second: it tells when a store has a request.
const SLOWEST: usize = 32 << 10;
/// The largest reply, in bytes. Only metadata of backups is read as a whole, and tables in pieces.
const REPLY_MAX: usize = 80 << 20;

/// Makes the clients of stores.
#[derive(Debug)]
pub(super) struct Connector {
    /// TLS, or why there is none.
    tls: std::result::Result<ClientConfig, String>,
}

impl Connector {
    /// Returns a connector that trusts the authorities of a file in PEM, or those of the system.
    ///
    /// # Errors
    ///
    /// The file cannot be read. Without a file, a connector without TLS remains if the system has no certificates or
    /// its processor does not support TLS.
    pub(super) fn new(ca: Option<&str>) -> Result<Connector> {
        let tls = tls::trusting("ca_file", ca.unwrap_or_default());
        match (tls, ca) {
            (Err(error), Some(_)) => Err(error),
            (tls, _) => Ok(Connector { tls: tls.map_err(|error| error.to_string()) }),
        }
    }
}

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let allows_http =
            options.get_config_value(&ClientConfigKey::AllowHttp).as_deref() == Some("true");
        let mut sockets = Sockets::new();
        sockets.set_nodelay(true);
        sockets.set_connect_timeout(Some(CONNECT));
        let client = Client::builder(TokioExecutor::new());
        let sender = match &self.tls {
            Ok(tls) => {
                sockets.enforce_http(false);
                let builder = HttpsConnectorBuilder::new().with_tls_config(tls.clone());
                let builder = match allows_http {
                    true => builder.https_or_http(),
                    false => builder.https_only(),
                };
                Sender::Secure(client.build(builder.enable_http1().wrap_connector(sockets)))
            }
            Err(_) if allows_http => Sender::Plain(client.build(sockets)),
            Err(error) => {
                return Err(object_store::Error::NotSupported { source: error.clone().into() });
            }
        };
        Ok(HttpClient::new(Requests { sender, allows_http, silence: SILENCE }))
    }
}

#[derive(Debug)]
enum Sender {
    /// With TLS, or without where the settings allow it.
    Secure(Client<HttpsConnector<Sockets>, HttpRequestBody>),
    /// Without TLS.
    Plain(Client<Sockets, HttpRequestBody>),
}

/// Sends requests.
#[derive(Debug)]
struct Requests {
    sender: Sender,
    allows_http: bool,
    silence: Duration,
}

impl Requests {
    async fn answer(&self, request: HttpRequest) -> std::result::Result<HttpResponse, HttpError> {
        if !self.allows_http && request.uri().scheme_str() != Some("https") {
            let text = "the endpoint has no TLS: set allow_http = true to use it all the same";
            return Err(HttpError::new(HttpErrorKind::Unknown, io::Error::other(text)));
        }
        // Completing an upload in parts takes some stores minutes, in which they send nothing.
        let patience = match *request.method() == hyper::Method::POST {
            true => REQUEST,
            false => {
                let sending_s = request.body().content_length() / SLOWEST;
                self.silence + Duration::from_secs(sending_s as u64)
            }
        };
        let response = async {
            match &self.sender {
                Sender::Secure(client) => client.request(request).await,
                Sender::Plain(client) => client.request(request).await,
            }
        };
        let response =
            tokio::time::timeout(patience, response).await.map_err(|_| late(patience))?;
        let (head, body) = response.map_err(failed_request)?.into_parts();
        // With the whole body here, a reply that is cut is repeated like any other failure.
        Ok(HttpResponse::from_parts(head, self.collect(body).await?.into()))
    }

    async fn collect(&self, mut body: Incoming) -> std::result::Result<bytes::Bytes, HttpError> {
        let cut = |error| HttpError::new(HttpErrorKind::Interrupted, error);
        let length = usize::try_from(body.size_hint().lower()).unwrap_or(REPLY_MAX);
        let mut bytes = Vec::<u8>::with_capacity(length.min(REPLY_MAX));
        loop {
            let frame = tokio::time::timeout(self.silence, body.frame()).await;
            let Some(frame) = frame.map_err(|_| late(self.silence))? else {
                return Ok(bytes.into());
            };
            let frame = frame.map_err(|error| cut(io::Error::other(chain(&error))))?;
            let Ok(data) = frame.into_data() else { continue };
            if bytes.len() + data.len() > REPLY_MAX {
                let text = format!("the reply is longer than {REPLY_MAX} bytes");
                return Err(cut(io::Error::other(text)));
            }
            bytes.extend_from_slice(&data);
        }
    }
}

#[async_trait]
impl HttpService for Requests {
    async fn call(&self, request: HttpRequest) -> std::result::Result<HttpResponse, HttpError> {
        let host = request.uri().host().unwrap_or_default().to_owned();
        let answer = tokio::time::timeout(REQUEST, self.answer(request)).await;
        let answer = answer.unwrap_or_else(|_| Err(late(REQUEST)));
        log_failure(&host, &answer);
        answer
    }
}

fn late(time: Duration) -> HttpError {
    let text = format!("no answer within {} s", time.as_secs());
    HttpError::new(HttpErrorKind::Timeout, io::Error::other(text))
}

/// A store that is down cannot fill the log.
static FAILURES: Gate = Gate::new(1, Duration::from_secs(10));

/// Logs a request that failed and that may succeed later. Neither its address nor bodies are shown.
fn log_failure(host: &str, answer: &std::result::Result<HttpResponse, HttpError>) {
    let error = match answer {
        Err(error) => error.to_string(),
        Ok(reply) => match reply.status() {
            status if status.is_server_error() => status.to_string(),
            status @ (StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT) => {
                status.to_string()
            }
            _ => return,
        },
    };
    if let Some(skipped) = FAILURES.pass() {
        warn!(
            target: "ferrolith::backup",
            host, error, skipped, "a request to the object store failed, and may be repeated"
        );
    }
}

/// Returns whether a request that failed in this way fails again: the store is not trusted, or TLS is missing.
pub(super) fn is_final(error: &object_store::Error) -> bool {
    let found = causes(error).find_map(|cause| cause.downcast_ref::<HttpError>());
    found.is_some_and(|error| error.kind() == HttpErrorKind::Unknown)
}

fn failed_request(error: hyper_util::client::legacy::Error) -> HttpError {
    let text = chain(&error);
    let (kind, hint) = match tls_error(&error).filter(|_| error.is_connect()) {
        // A wrong certificate does not become right.
        Some(error) if is_distrust(error) => {
            let hint = "; ca_file names the authorities that sign the store's certificate";
            (HttpErrorKind::Unknown, hint)
        }
        Some(rustls::Error::InvalidMessage(_)) => {
            (HttpErrorKind::Unknown, "; the store does not use TLS at this endpoint")
        }
        Some(_) => (HttpErrorKind::Unknown, ""),
        None if error.is_connect() => (HttpErrorKind::Connect, ""),
        None => (HttpErrorKind::Interrupted, ""),
    };
    HttpError::new(kind, io::Error::other(text + hint))
}

fn is_distrust(error: &rustls::Error) -> bool {
    let unknown = CertificateError::UnknownIssuer;
    matches!(error, rustls::Error::InvalidCertificate(error) if *error == unknown)
}

/// Returns the error of TLS, if it failed and not the network. Errors of input and output wrap it, one in another.
fn tls_error<'e>(error: &'e (dyn std::error::Error + 'static)) -> Option<&'e rustls::Error> {
    causes(error).find_map(|mut cause| {
        loop {
            if let Some(found) = cause.downcast_ref::<rustls::Error>() {
                return Some(found);
            }
            cause = cause.downcast_ref::<io::Error>()?.get_ref()?;
        }
    })
}

/// Returns the texts of an error and of its causes. The crate's own texts leave out the causes.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    causes(error).map(|cause| cause.to_string()).collect::<Vec<_>>().join(": ")
}

fn causes<'a>(
    error: &'a (dyn std::error::Error + 'static),
) -> impl Iterator<Item = &'a (dyn std::error::Error + 'static)> {
    std::iter::successors(Some(error), |error| error.source())
}

#[cfg(test)]
#[path = "http_test.rs"]
mod tests;
