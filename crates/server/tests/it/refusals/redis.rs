//! The door of Redis clients.

use super::redis_cases::CASES;
use super::world::World;
use super::{Row, Theme};
use crate::redis::{Client, Value};
use std::net::SocketAddr;

/// A request, and its answer.
pub struct Case {
    pub theme: Theme,
    pub name: &'static str,
    /// Who sends it; nobody if empty.
    pub user: &'static str,
    pub request: Request,
    /// The error; empty if the connection is closed without one.
    pub answer: &'static str,
    pub closes: bool,
}

/// The bytes of a request.
pub enum Request {
    /// Commands, separated by `;`, of which the last is refused.
    Lines(&'static str),
    /// Bytes that are answered with one error.
    Answered(fn() -> Vec<u8>),
    /// Bytes after which the connection is closed, behind an error or without one.
    Bytes(fn() -> Vec<u8>),
}

/// A request after which the connection is closed.
pub const fn cut(
    theme: Theme,
    name: &'static str,
    user: &'static str,
    bytes: fn() -> Vec<u8>,
    answer: &'static str,
) -> Case {
    Case { theme, name, user, request: Request::Bytes(bytes), answer, closes: true }
}

/// Returns a request of a browser whose body has commands.
pub fn http(line: &str) -> Vec<u8> {
    let body = "AUTH right\r\nSET stolen x\r\nHSET stolen f x\r\n";
    format!("{line}\r\nHost: 127.0.0.1:6379\r\nContent-Type: text/plain\r\n\r\n{body}").into_bytes()
}

/// Returns the last answer to a request, and whether the connection is closed after it.
fn answer(address: SocketAddr, user: &str, request: &Request) -> (String, bool) {
    let mut client = Client::connect(address);
    if !user.is_empty() {
        let password = if user == "default" { "right" } else { "word" };
        let reply = client.say(&format!("AUTH {user} {password}"));
        assert_eq!(reply, Value::Simple("OK".into()), "{user}");
    }
    let reply = match request {
        Request::Lines(lines) => lines.split(';').map(|line| client.say(line)).last().unwrap(),
        Request::Answered(bytes) => {
            client.raw(&bytes());
            client.receive()
        }
        Request::Bytes(bytes) => {
            client.raw(&bytes());
            match client.is_closed() {
                true => return (String::new(), true),
                false => client.receive(),
            }
        }
    };
    let Value::Error(text) = reply else { panic!("not refused: {reply:?}") };
    let is_closed = match request {
        Request::Bytes(_) => client.is_closed(),
        Request::Lines(_) | Request::Answered(_) => {
            client.raw(b"PING\r\n");
            client.is_closed()
        }
    };
    (text, is_closed)
}

/// Checks all cases of a door.
pub fn check(world: &World, address: SocketAddr, cases: &[Case]) {
    let before = world.state();
    let mut wrong = Vec::new();
    for case in cases {
        let (text, is_closed) = answer(address, case.user, &case.request);
        if (&text[..], is_closed) != (case.answer, case.closes) {
            wrong.push(format!("{}: {text:?}, closed: {is_closed}", case.name));
        }
        assert_eq!(world.state(), before, "{}", case.name);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Returns the lines of the page.
pub fn rows_of(door: &'static str, cases: &[Case]) -> Vec<Row> {
    let row = |case: &Case| {
        let answer = match (case.answer, case.closes) {
            ("", _) => "closed".to_owned(),
            (text, true) => format!("`{text}`; closed"),
            (text, false) => format!("`{text}`"),
        };
        Row { theme: case.theme, door, name: case.name.to_owned(), answer }
    };
    cases.iter().map(row).collect()
}

pub fn rows() -> Vec<Row> {
    rows_of("Redis", CASES)
}

#[test]
fn redis_clients_are_refused() {
    let world = World::start();
    check(&world, world.redis, CASES);
}
