//! The HTTP client of requests to object stores: hyper with this server's TLS.

use crate::error::Result;
use crate::tls;
use async_trait::async_trait;
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector as Sockets;
use hyper_util::rt::TokioExecutor;
use object_store::ClientOptions;
use object_store::client::{
    ClientConfigKey, HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest,
    HttpRequestBody, HttpResponse, HttpService,
};
use rustls::ClientConfig;
use std::io;
use std::time::Duration;

/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(10);
/// How long a request may take with its reply: four parts of 8 MiB may share a slow line.
const REQUEST: Duration = Duration::from_secs(300);
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
        let requests = match &self.tls {
            Ok(tls) => {
                sockets.enforce_http(false);
                let builder = HttpsConnectorBuilder::new().with_tls_config(tls.clone());
                let builder = match allows_http {
                    true => builder.https_or_http(),
                    false => builder.https_only(),
                };
                Requests::Secure(client.build(builder.enable_http1().wrap_connector(sockets)))
            }
            Err(_) if allows_http => Requests::Plain(client.build(sockets)),
            Err(error) => {
                return Err(object_store::Error::NotSupported { source: error.clone().into() });
            }
        };
        Ok(HttpClient::new(requests))
    }
}

#[derive(Debug)]
enum Requests {
    /// With TLS, or without where the settings allow it.
    Secure(Client<HttpsConnector<Sockets>, HttpRequestBody>),
    /// Without TLS.
    Plain(Client<Sockets, HttpRequestBody>),
}

#[async_trait]
impl HttpService for Requests {
    async fn call(&self, request: HttpRequest) -> std::result::Result<HttpResponse, HttpError> {
        let answer = async {
            let response = match self {
                Requests::Secure(client) => client.request(request).await,
                Requests::Plain(client) => client.request(request).await,
            };
            let (head, body) = response.map_err(failed_request)?.into_parts();
            // With the whole body here, a reply that is cut is repeated like any other failure.
            Ok(HttpResponse::from_parts(head, collect(body).await?.into()))
        };
        match tokio::time::timeout(REQUEST, answer).await {
            Ok(answer) => answer,
            Err(late) => Err(HttpError::new(HttpErrorKind::Timeout, late)),
        }
    }
}

async fn collect(body: Incoming) -> std::result::Result<bytes::Bytes, HttpError> {
    let cut = |error| HttpError::new(HttpErrorKind::Interrupted, io::Error::other(error));
    Ok(Limited::new(body, REPLY_MAX).collect().await.map_err(cut)?.to_bytes())
}

fn failed_request(error: hyper_util::client::legacy::Error) -> HttpError {
    let kind = match error.is_connect() {
        // A wrong certificate does not become right.
        true if is_distrust(&error) => HttpErrorKind::Unknown,
        true => HttpErrorKind::Connect,
        false => HttpErrorKind::Interrupted,
    };
    let text = chain(&error);
    HttpError::new(kind, io::Error::other(text))
}

/// Returns whether TLS failed, and not the network.
fn is_distrust(error: &(dyn std::error::Error + 'static)) -> bool {
    causes(error).any(|cause| {
        let inner = cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        cause.is::<rustls::Error>() || inner.is_some_and(|inner| inner.is::<rustls::Error>())
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
