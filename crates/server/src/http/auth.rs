//! Who sends a request, and what that user may see. Users are those of Redis, with their rights.
//!
//! A request names its user by basic authentication or by the cookie of a session. Without either it is the user
//! `default`, if that needs no password and the client is on this machine: on other machines, the HTTP address may be
//! open for metrics only.

use super::App;
use super::commands;
use super::refusal::Refusal;
use super::sessions::Session;
use crate::audit::{Entry, text};
use crate::logs::login_refused;
use crate::redis::acl::{self, Account, Denied};
use crate::redis::args::Args;
use crate::redis::table;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hyper::header::{AUTHORIZATION, COOKIE, HOST, HeaderMap, HeaderName, ORIGIN};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// The name of the cookie.
pub(super) const COOKIE_NAME: &str = "ferrolith-session";
/// The header in which the page repeats its session's token.
pub(super) const TOKEN: HeaderName = HeaderName::from_static("x-ferrolith-token");

/// Who sends a request.
pub(super) struct Caller {
    /// The user.
    pub(super) account: Arc<Account>,
    /// The address of the client.
    pub(super) address: SocketAddr,
    /// The session and its name, if a cookie names one.
    pub(super) session: Option<(String, Session)>,
}

/// Checks the header `Host`: a page of another site that lets its own name point to this server cannot read from it.
pub(super) fn check_host(app: &App, headers: &HeaderMap) -> Result<(), Refusal> {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let host = host.ok_or_else(|| Refusal::bad("the header Host is missing"))?;
    let name = host_name(host);
    let is_address = name.trim_matches(['[', ']']).parse::<IpAddr>().is_ok();
    let is_known = |known: &String| known.eq_ignore_ascii_case(name);
    if is_address || name.eq_ignore_ascii_case("localhost") || app.parts.hosts.iter().any(is_known)
    {
        return Ok(());
    }
    Err(Refusal::misdirected(format!(
        "the host name {name:?} is not known here; use an address, or start the server with \
         --http-host {name}"
    )))
}

/// Returns a host without its port.
fn host_name(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

/// Refuses a request of a page of another site.
pub(super) fn check_origin(headers: &HeaderMap) -> Result<(), Refusal> {
    let Some(origin) = headers.get(ORIGIN) else { return Ok(()) };
    let origin = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    match (origin, host) {
        (Some((_, origin)), Some(host)) if origin.eq_ignore_ascii_case(host) => Ok(()),
        _ => Err(Refusal::forbidden("the request comes from a page of another site")),
    }
}

/// Finds out who sends a request.
pub(super) fn identify(
    app: &App,
    headers: &HeaderMap,
    address: SocketAddr,
) -> Result<Caller, Refusal> {
    if let Some(value) = headers.get(AUTHORIZATION) {
        let (name, password) = basic(value.as_bytes())
            .ok_or_else(|| Refusal::bad("Authorization: expected Basic and a name and password"))?;
        let account = log_in(app, &name, &password, address).inspect_err(|refusal| {
            let name = String::from_utf8_lossy(&name);
            audit(app, address, Some(&name), "basic authentication", Some(refusal));
        })?;
        return Ok(Caller { account, address, session: None });
    }
    let now_us = app.parts.server.clock.monotonic_us();
    for name in cookies(headers) {
        if let Some(session) = app.sessions.find(name, now_us) {
            let account = session.account.clone();
            // A cookie of this machine, or the session of a user that lost its password, is none elsewhere.
            check_address(&account, address)?;
            return Ok(Caller { account, address, session: Some((name.to_owned(), session)) });
        }
    }
    let account = app.parts.server.users.default_account();
    if !account.user().needs_no_password() {
        return Err(Refusal::unauthenticated("log in as a user of the server"));
    }
    check_address(account, address)?;
    Ok(Caller { account: account.clone(), address, session: None })
}

/// Refuses users without a password unless the client is on this machine.
fn check_address(account: &Account, address: SocketAddr) -> Result<(), Refusal> {
    if !account.user().takes_any_password() || address.ip().to_canonical().is_loopback() {
        return Ok(());
    }
    Err(Refusal::unauthenticated(
        "without a password, only clients on the server's machine see this: set a password \
         (--requirepass or ACL SETUSER) and log in",
    ))
}

/// Returns the user of a name and a password. The server's log of refusals (ACL LOG) has failures.
pub(super) fn log_in(
    app: &App,
    name: &[u8],
    password: &[u8],
    address: SocketAddr,
) -> Result<Arc<Account>, Refusal> {
    let account = app.parts.server.users.get(name);
    match account.filter(|account| account.user().accepts(password)) {
        Some(account) => check_address(&account, address).map(|()| account),
        None => {
            commands::note_failed_login(app, name, password, address);
            let known = app.parts.server.users.get(name).map(|_| name);
            login_refused("http", address, known);
            Err(Refusal::unauthenticated("the user name or the password is wrong"))
        }
    }
}

/// Writes a request that changes something, or a failed login, to the audit log.
pub(super) fn audit(
    app: &App,
    client: SocketAddr,
    user: Option<&str>,
    call: &str,
    refusal: Option<&Refusal>,
) {
    let server = &app.parts.server;
    let Some(audit) = &server.settings.audit else { return };
    let result =
        refusal.map(|refusal| format!("{} {}", refusal.status.as_u16(), refusal.body.error));
    audit.write(&Entry {
        at_ms: server.clock.wall_ms(),
        door: "http",
        user: user.map(|user| text(user.as_bytes())),
        client: Some(client),
        call: vec![call.into()],
        result: result.map_or("ok".into(), Into::into),
    });
}

/// Returns the name and the password of basic authentication.
fn basic(value: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let (scheme, text) = value.split_at_checked(6)?;
    if !scheme.eq_ignore_ascii_case(b"basic ") {
        return None;
    }
    let decoded = STANDARD.decode(text.trim_ascii()).ok()?;
    let at = decoded.iter().position(|byte| *byte == b':')?;
    let (name, password) = decoded.split_at(at);
    // Without a name it is the default user, as AUTH with a password alone.
    let name = if name.is_empty() { b"default" } else { name };
    Some((name.to_vec(), password.get(1..)?.to_vec()))
}

/// Returns the values of the session cookie.
fn cookies(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs =
        lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(|(name, _)| *name == COOKIE_NAME).map(|(_, value)| value)
}

impl Caller {
    /// Checks that the user may run a Redis command, which shows the same.
    pub(super) fn check(&self, words: &[&str]) -> Result<(), Refusal> {
        let words: Vec<&[u8]> = words.iter().map(|word| word.as_bytes()).collect();
        let args = Args::new(&words);
        let command = table::find(args).map_err(|failure| Refusal::failed(failure.text()))?;
        match acl::check(&self.account.user(), command, args) {
            // The words have no keys or channels of the request.
            Ok(()) | Err(Denied::Key(_) | Denied::Channel(_)) => Ok(()),
            Err(Denied::Command) => Err(Refusal::forbidden(format!(
                "the user {:?} may not run the command {}, which shows the same",
                String::from_utf8_lossy(self.account.name()),
                command.full_name
            ))),
        }
    }

    /// Checks that a request that changes something repeats the token of its session.
    pub(super) fn check_token(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let Some((_, session)) = &self.session else { return Ok(()) };
        let given = headers.get(TOKEN).map(|token| token.as_bytes());
        if given.is_some_and(|given| is_same(given, session.token.as_bytes())) {
            return Ok(());
        }
        Err(Refusal::forbidden("the header X-Ferrolith-Token is not that of the session"))
    }
}

/// Compares texts in a time that does not depend on where they differ.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let differ = one.iter().zip(other).fold(0, |differ, (a, b)| differ | (a ^ b));
    one.len() == other.len() && differ == 0
}

#[cfg(test)]
#[path = "auth_test.rs"]
mod tests;
