//! One request: checks that concern all, and which part answers.

use super::App;
use super::auth;
use super::page::PAGE;
use super::refusal::Refusal;
use super::routes::{self, PREFIX, json};
use super::views::{health, user};
use super::{metrics, openapi};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    ALLOW, AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderMap,
    HeaderName, HeaderValue, REFERRER_POLICY, SET_COOKIE, WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// The longest body of a request.
const BODY_MAX: usize = 4096;
/// How long the body of a request may take.
const BODY_TIME: Duration = Duration::from_secs(5);
/// How long the answer to a wrong password is withheld.
const WRONG_PASSWORD_PAUSE: Duration = Duration::from_millis(500);
/// The page sends it, so that its own form asks for a password rather than the browser.
const FROM_PAGE: HeaderName = HeaderName::from_static("x-ferrolith-page");

const JSON: &str = "application/json";
const TEXT: &str = "text/plain; charset=utf-8";

type Answer = Response<Full<Bytes>>;

/// Where a request comes from.
#[derive(Clone, Copy)]
pub(super) struct Origin {
    /// The address of the client.
    pub(super) address: SocketAddr,
    /// Whether the connection is encrypted.
    pub(super) is_encrypted: bool,
}

/// Answers a request.
pub(super) async fn answer(app: Arc<App>, request: Request<Incoming>, origin: Origin) -> Answer {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path();
    let is_read = matches!(parts.method, Method::GET | Method::HEAD);
    match path {
        "/metrics" | "/health" if !is_read => {
            let mut response = reply(StatusCode::METHOD_NOT_ALLOWED, TEXT, "only GET and HEAD\n");
            response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
            return response;
        }
        "/metrics" => {
            return reply(StatusCode::OK, metrics::CONTENT_TYPE, metrics::text(&app));
        }
        "/health" => {
            return match health::illness(&app) {
                None => reply(StatusCode::OK, TEXT, "ok\n"),
                Some(illness) => {
                    reply(StatusCode::SERVICE_UNAVAILABLE, TEXT, format!("{illness}\n"))
                }
            };
        }
        _ => {}
    }
    match guarded(&app, &parts, body, origin, is_read).await {
        Ok(response) => response,
        Err(refusal) => refused(&refusal, &parts.headers).await,
    }
}

/// Answers a request for the page or the API.
async fn guarded(
    app: &Arc<App>,
    parts: &Parts,
    body: Incoming,
    origin: Origin,
    is_read: bool,
) -> Result<Answer, Refusal> {
    auth::check_host(app, &parts.headers)?;
    let path = parts.uri.path();
    if path == "/" {
        if !is_read {
            return Err(Refusal::method("GET"));
        }
        let mut response = reply(StatusCode::OK, "text/html; charset=utf-8", PAGE.html.as_str());
        let policy = HeaderValue::from_str(&PAGE.policy);
        let policy = policy.map_err(|error| Refusal::failed(error.to_string()))?;
        response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
        return Ok(response);
    }
    let Some(path) = path.strip_prefix(PREFIX) else {
        return Err(Refusal::missing("see /, /api/v1/openapi.json, /metrics and /health"));
    };
    match path {
        "/openapi.json" if is_read => json(&openapi::document()).map(ok),
        "/login" | "/logout" if parts.method != Method::POST => Err(Refusal::method("POST")),
        "/login" => {
            let mut user = None;
            let answer = log_in(app, &parts.headers, body, origin, &mut user).await;
            auth::audit(app, origin.address, user.as_deref(), "login", answer.as_ref().err());
            answer
        }
        "/logout" => {
            let mut user = None;
            let answer = log_out(app, &parts.headers, origin, &mut user);
            auth::audit(app, origin.address, user.as_deref(), "logout", answer.as_ref().err());
            answer
        }
        path => {
            let route = routes::find(path);
            let route = route.ok_or_else(|| {
                Refusal::missing("there is no such path; see /api/v1/openapi.json")
            })?;
            if !is_read {
                return Err(Refusal::method("GET"));
            }
            let caller = auth::identify(app, &parts.headers, origin.address)?;
            let (app, uri) = (app.clone(), parts.uri.clone());
            // It may read from the device; the thread of this task has other work.
            let work = move || route.answer(&app, &caller, uri.query().unwrap_or_default());
            let answer = tokio::task::spawn_blocking(work).await;
            answer.map_err(|_| Refusal::failed("the request failed: see the server's log"))?.map(ok)
        }
    }
}

async fn log_in(
    app: &App,
    headers: &HeaderMap,
    body: Incoming,
    origin: Origin,
    user: &mut Option<String>,
) -> Result<Answer, Refusal> {
    auth::check_origin(headers)?;
    // A form of another site cannot send this type.
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(JSON) {
        return Err(Refusal::bad("expected the Content-Type application/json"));
    }
    let body = tokio::time::timeout(BODY_TIME, Limited::new(body, BODY_MAX).collect()).await;
    let body = body.map_err(|_| Refusal::bad("the body takes too long"))?;
    let body =
        body.map_err(|_| Refusal::bad(format!("expected a body of at most {BODY_MAX} bytes")))?;
    let login = user::Login::parse(&body.to_bytes())?;
    *user = Some(login.user.clone());
    let (user, cookie) = user::log_in(app, login, origin.address, origin.is_encrypted)?;
    let mut response = ok(json(&user)?);
    set_cookie(&mut response, &cookie)?;
    Ok(response)
}

fn log_out(
    app: &App,
    headers: &HeaderMap,
    origin: Origin,
    user: &mut Option<String>,
) -> Result<Answer, Refusal> {
    auth::check_origin(headers)?;
    let caller = auth::identify(app, headers, origin.address)?;
    *user = Some(String::from_utf8_lossy(caller.account.name()).into_owned());
    caller.check_token(headers)?;
    let mut response = reply(StatusCode::NO_CONTENT, JSON, "");
    set_cookie(&mut response, &user::log_out(app, &caller, origin.is_encrypted))?;
    Ok(response)
}

fn set_cookie(response: &mut Answer, cookie: &str) -> Result<(), Refusal> {
    let value =
        HeaderValue::from_str(cookie).map_err(|error| Refusal::failed(error.to_string()))?;
    response.headers_mut().insert(SET_COOKIE, value);
    Ok(())
}

fn ok(body: Vec<u8>) -> Answer {
    reply(StatusCode::OK, JSON, body)
}

async fn refused(refusal: &Refusal, headers: &HeaderMap) -> Answer {
    let gave_password = headers.contains_key(AUTHORIZATION) || headers.contains_key(CONTENT_TYPE);
    if refusal.status == StatusCode::UNAUTHORIZED && gave_password {
        tokio::time::sleep(WRONG_PASSWORD_PAUSE).await;
    }
    let mut response = reply(refusal.status, JSON, json(&refusal.body).unwrap_or_default());
    if refusal.status == StatusCode::UNAUTHORIZED && !headers.contains_key(FROM_PAGE) {
        let value = HeaderValue::from_static("Basic realm=\"ferrolith\", charset=\"UTF-8\"");
        response.headers_mut().insert(WWW_AUTHENTICATE, value);
    }
    if let ("method-not-allowed", Some(allowed)) =
        (refusal.body.error, refusal.body.message.rsplit(' ').next())
        && let Ok(allowed) = HeaderValue::from_str(allowed)
    {
        response.headers_mut().insert(ALLOW, allowed);
    }
    response
}

/// Returns a response with the headers that all have.
fn reply(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> Answer {
    const SITE: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    let fixed = [
        (CONTENT_TYPE, kind),
        (CACHE_CONTROL, "no-store"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
        (CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
        (SITE, "same-origin"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}
