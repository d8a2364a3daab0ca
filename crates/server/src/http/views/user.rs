//! Who asks, and logging in and out.

use super::super::App;
use super::super::auth::{self, COOKIE_NAME, Caller};
use super::super::refusal::Refusal;
use super::super::sessions::SESSION_S;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;

/// Who asks.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::http) struct User {
    /// The name of the user.
    user: String,
    /// What requests that change something must send as header `X-Ferrolith-Token`; null without a session.
    token: Option<String>,
}

/// A login.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Login {
    /// The name of a Redis user; `default` is the user of `--requirepass`.
    pub(in crate::http) user: String,
    /// Its password.
    password: String,
}

/// Returns who asks.
pub(in crate::http) fn get(caller: &Caller) -> Result<User, Refusal> {
    Ok(User {
        user: String::from_utf8_lossy(caller.account.name()).into_owned(),
        token: caller.session.as_ref().map(|(_, session)| session.token.clone()),
    })
}

impl Login {
    /// Reads the body of a request.
    pub(in crate::http) fn parse(body: &[u8]) -> Result<Login, Refusal> {
        // The parser's message could quote the password.
        serde_json::from_slice(body)
            .map_err(|_| Refusal::bad("expected {\"user\": …, \"password\": …}"))
    }
}

/// Begins a session. Returns the user and the header `Set-Cookie`.
pub(in crate::http) fn log_in(
    app: &App,
    login: Login,
    address: SocketAddr,
    is_encrypted: bool,
) -> Result<(User, String), Refusal> {
    let account = auth::log_in(app, login.user.as_bytes(), login.password.as_bytes(), address)?;
    let now_us = app.parts.server.clock.monotonic_us();
    let (name, token) = app
        .sessions
        .begin(&account, now_us)
        .ok_or_else(|| Refusal::failed("the system has no random bytes"))?;
    let user = User { user: login.user, token: Some(token) };
    Ok((user, cookie(&name, SESSION_S, is_encrypted)))
}

/// Ends a session. Returns the header `Set-Cookie` that removes the cookie.
pub(in crate::http) fn log_out(app: &App, caller: &Caller, is_encrypted: bool) -> String {
    if let Some((name, _)) = &caller.session {
        app.sessions.end(name);
    }
    cookie("", 0, is_encrypted)
}

fn cookie(value: &str, seconds: u64, is_encrypted: bool) -> String {
    let secure = if is_encrypted { "; Secure" } else { "" };
    format!("{COOKIE_NAME}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}")
}
