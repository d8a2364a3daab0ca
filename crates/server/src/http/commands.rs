//! Reads through Redis's commands: as the user who asks, so its rights decide, and ACL LOG has what was refused.

use super::App;
use super::auth::Caller;
use super::refusal::Refusal;
use crate::redis::args::Args;
use crate::redis::{Next, Session};
use crate::resp::{Protocol, Reply};
use std::net::{Ipv4Addr, SocketAddr};

/// A reply.
#[derive(Debug, PartialEq)]
pub(super) enum Answer {
    /// A string of either kind.
    Text(Vec<u8>),
    /// An integer.
    Integer(i64),
    /// A null.
    Null,
    /// An array.
    Array(Vec<Answer>),
}

impl Answer {
    /// Returns the string; empty if it is something else.
    pub(super) fn text(self) -> Vec<u8> {
        match self {
            Answer::Text(text) => text,
            _ => Vec::new(),
        }
    }

    /// Returns the integer; 0 if it is something else.
    pub(super) fn integer(&self) -> i64 {
        match self {
            Answer::Integer(number) => *number,
            _ => 0,
        }
    }

    /// Returns the elements; none if it is something else.
    pub(super) fn array(self) -> Vec<Answer> {
        match self {
            Answer::Array(elements) => elements,
            _ => Vec::new(),
        }
    }
}

/// Returns a session of a client that lists do not show.
fn session(app: &App, address: SocketAddr) -> Session {
    let server = &app.parts.server;
    let local = SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0));
    let account = server.users.default_account();
    let now_us = server.clock.monotonic_us();
    let client = server.clients.unlisted((address, local), now_us, 0, account);
    Session::new(client, false)
}

/// The bytes of a reply that are shown at most.
const REPLY_MAX: usize = 16 << 20;

/// Runs a command that only reads, as the caller's user.
pub(super) fn run(
    app: &App,
    caller: &Caller,
    database: u32,
    words: &[&[u8]],
) -> Result<Answer, Refusal> {
    let server = &app.parts.server;
    if database >= server.databases.count() {
        return Err(Refusal::missing(format!("there is no database {database}")));
    }
    // Reading must not create a database.
    if server.databases.existing(database).is_none() {
        return Err(Refusal::missing(format!("database {database} is empty")));
    }
    let mut session = session(app, caller.address);
    session.set_account(caller.account.clone());
    (session.is_authenticated, session.database) = (true, database);
    let mut out = Reply::new(Protocol::Resp2);
    let next = app.pool.with(|worker| {
        server.begin(worker);
        server.execute(worker, &mut session, Args::new(words), &mut out)
    })?;
    if next == Next::Blocked {
        session.close(server);
        return Err(Refusal::busy("the command cannot run here now"));
    }
    if out.bytes().len() > REPLY_MAX {
        let name = words.first().map(|name| String::from_utf8_lossy(name)).unwrap_or_default();
        return Err(Refusal::bad(format!(
            "the reply of {name} has {} bytes, and at most {REPLY_MAX} are shown here; use a Redis client",
            out.bytes().len()
        )));
    }
    let answer = parse(&mut out.bytes(), 0);
    match answer.ok_or_else(|| Refusal::failed("a reply cannot be read"))? {
        Ok(answer) => Ok(answer),
        Err(text) => Err(match text.split(' ').next() {
            Some("NOPERM" | "NOAUTH") => Refusal::forbidden(text),
            Some("BUSY" | "LOADING" | "MASTERDOWN") => Refusal::busy(text),
            Some("WRONGTYPE" | "ERR") => Refusal::bad(text),
            _ => Refusal::failed(text),
        }),
    }
}

/// Lets the server note a login that failed, by the command that fails the same way.
pub(super) fn note_failed_login(app: &App, name: &[u8], password: &[u8], address: SocketAddr) {
    let mut session = session(app, address);
    let mut out = Reply::new(Protocol::Resp2);
    let mut worker = app.logins.lock();
    app.parts.server.begin(&mut worker);
    let words: [&[u8]; 3] = [b"AUTH", name, password];
    app.parts.server.execute(&mut worker, &mut session, Args::new(&words), &mut out);
}

/// How deep arrays may be in arrays.
const DEPTH_MAX: usize = 8;

/// Reads a reply of RESP2: an answer or the text of an error; `None` if it is cut or not valid.
fn parse(input: &mut &[u8], depth: usize) -> Option<Result<Answer, String>> {
    if depth > DEPTH_MAX {
        return None;
    }
    let end = input.windows(2).position(|pair| pair == b"\r\n")?;
    let (line, rest) = input.split_at_checked(end)?;
    *input = rest.get(2..)?;
    let (kind, text) = line.split_first()?;
    let number = || std::str::from_utf8(text).ok()?.parse::<i64>().ok();
    Some(Ok(match kind {
        b'+' => Answer::Text(text.to_vec()),
        b'-' => return Some(Err(String::from_utf8_lossy(text).into_owned())),
        b':' => Answer::Integer(number()?),
        b'$' | b'*' if number()? < 0 => Answer::Null,
        b'$' => {
            let (value, rest) = input.split_at_checked(usize::try_from(number()?).ok()?)?;
            *input = rest.get(2..)?;
            Answer::Text(value.to_vec())
        }
        b'*' => {
            let mut elements = Vec::new();
            for _ in 0..number()? {
                match parse(input, depth + 1)? {
                    Ok(element) => elements.push(element),
                    Err(text) => return Some(Err(text)),
                }
            }
            Answer::Array(elements)
        }
        _ => return None,
    }))
}

#[cfg(test)]
#[path = "commands_test.rs"]
mod tests;
