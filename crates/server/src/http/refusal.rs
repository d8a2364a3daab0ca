//! Why a request was refused, as a status and a JSON document.

use crate::error::Error;
use hyper::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;

/// A refused request.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    pub(super) body: Body,
}

/// The document of a refusal.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Refusal")]
pub(super) struct Body {
    /// A word for programs: `bad-request`, `unauthenticated`, `forbidden`, `not-found`, `method-not-allowed`,
    /// `misdirected`, `busy` or `failed`.
    pub(super) error: &'static str,
    /// What is wrong and what to do, for people.
    pub(super) message: String,
}

impl Refusal {
    fn new(status: StatusCode, error: &'static str, message: impl Into<String>) -> Refusal {
        Refusal { status, body: Body { error, message: message.into() } }
    }

    /// The request is not valid.
    pub(super) fn bad(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, "bad-request", message)
    }

    /// The client must log in.
    pub(super) fn unauthenticated(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::UNAUTHORIZED, "unauthenticated", message)
    }

    /// The user may not do this.
    pub(super) fn forbidden(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::FORBIDDEN, "forbidden", message)
    }

    /// There is no such thing.
    pub(super) fn missing(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::NOT_FOUND, "not-found", message)
    }

    /// The path exists, but not with this method.
    pub(super) fn method(allowed: &str) -> Refusal {
        let message = format!("expected the method {allowed}");
        Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "method-not-allowed", message)
    }

    /// The request names another host.
    pub(super) fn misdirected(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::MISDIRECTED_REQUEST, "misdirected", message)
    }

    /// The server cannot do this now.
    pub(super) fn busy(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "busy", message)
    }

    /// The server failed.
    pub(super) fn failed(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "failed", message)
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        Refusal::failed(error.to_string())
    }
}
