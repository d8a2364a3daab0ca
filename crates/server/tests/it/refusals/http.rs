//! The door of HTTP: the page, its API, `/metrics` and `/health`.

use super::Row;
use super::Theme;
use super::http_cases::CASES;
use super::world::{ADMIN, World};
use crate::http::{Http, Response};
use crate::redis::Value;
use std::time::{Duration, Instant};

/// A request, and its answer: a status, and the word of the API.
pub struct Case {
    pub theme: Theme,
    pub name: &'static str,
    /// Method and path.
    pub line: &'static str,
    /// Lines, in which names of [`Sessions`] in braces stand for what it has.
    pub headers: &'static str,
    pub body: Body,
    /// A status of 0 means that the connection is closed without an answer.
    pub answer: &'static str,
}

/// What follows the head of a request.
pub enum Body {
    Text(&'static str),
    /// A number of bytes.
    Long(usize),
    /// The whole request, instead of everything else.
    Whole(fn() -> Vec<u8>),
}

/// Cookies and tokens.
struct Sessions(Vec<(&'static str, String)>);

impl Sessions {
    /// Begins sessions of `default`, and others that are over.
    fn begin(world: &World) -> Sessions {
        let (mut admin, http) = (world.admin(), world.http);
        let mut set = |line: &str| assert!(!matches!(admin.say(line), Value::Error(_)), "{line}");
        for name in ["changed", "switched", "gone"] {
            set(&format!("ACL SETUSER {name} on >word ~* +@all"));
        }
        let (session, token) = log_in(http, "default", "right");
        let (ended, end) = log_in(http, "default", "right");
        let headers = format!("{ended}X-Ferrolith-Token: {end}\r\n");
        assert_eq!(http.send("POST", "/api/v1/logout", &headers, "").status, 204);
        let [changed, switched, gone] =
            ["changed", "switched", "gone"].map(|name| log_in(http, name, "word").0);
        set("ACL SETUSER changed >another");
        set("ACL SETUSER switched off");
        set("ACL DELUSER gone");
        Sessions(vec![
            ("{session}", session),
            ("{token}", token),
            ("{ended}", ended),
            ("{end}", end),
            ("{changed}", changed),
            ("{switched}", switched),
            ("{gone}", gone),
        ])
    }

    fn fill(&self, headers: &str) -> String {
        self.0.iter().fold(headers.to_owned(), |text, (name, value)| text.replace(name, value))
    }
}

/// Returns the header with the cookie of a new session, and its token.
fn log_in(http: Http, user: &str, password: &str) -> (String, String) {
    let body = format!("{{\"user\":\"{user}\",\"password\":\"{password}\"}}");
    let response = http.send("POST", "/api/v1/login", "Content-Type: application/json\r\n", &body);
    assert_eq!(response.status, 200, "{response:?}");
    let cookie = response.header("set-cookie").split(';').next().unwrap().to_owned();
    (format!("Cookie: {cookie}\r\n"), response.json()["token"].as_str().unwrap().to_owned())
}

/// Returns the status of a response, and the word of the API if it has one.
fn answer(response: &Response) -> String {
    let word = serde_json::from_str::<serde_json::Value>(&response.body).ok();
    let word = word.and_then(|it| Some(it.get("error")?.as_str()?.to_owned()));
    format!("{} {}", response.status, word.unwrap_or_default()).trim_end().to_owned()
}

fn ask(world: &World, sessions: &Sessions, case: &Case) -> Response {
    let headers = sessions.fill(case.headers);
    let (method, path) = case.line.split_once(' ').unwrap_or((case.line, "/"));
    match case.body {
        Body::Text(body) => world.http.send(method, path, &headers, body),
        Body::Long(length) => world.http.send(method, path, &headers, &"x".repeat(length)),
        Body::Whole(bytes) => world.http.raw(&bytes()),
    }
}

pub fn rows() -> Vec<Row> {
    let row = |case: &Case| {
        let (name, answer) = (case.name.to_owned(), case.answer.to_owned());
        let answer = if answer.starts_with('0') { "closed".to_owned() } else { answer };
        Row { theme: case.theme, door: "HTTP", name, answer }
    };
    CASES.iter().map(row).collect()
}

#[test]
fn http_clients_are_refused() {
    let world = World::start();
    let sessions = Sessions::begin(&world);
    let before = world.state();
    let mut wrong = Vec::new();
    for case in CASES {
        let begun = Instant::now();
        let response = ask(&world, &sessions, case);
        if answer(&response) != case.answer {
            wrong.push(format!("{}: {response:?}", case.name));
        }
        let text = format!("{}{}", response.head, response.body).to_ascii_lowercase();
        // Browsers show replies to pages of other sites only with this header.
        for part in ["access-control-allow", "hidden", "set-cookie"] {
            assert!(!text.contains(part), "{}: {response:?}", case.name);
        }
        assert!(begun.elapsed() < Duration::from_secs(8), "{}: too slow", case.name);
        assert_eq!(world.state(), before, "{}", case.name);
        let session = world.http.send("GET", "/api/v1/session", &sessions.fill("{session}"), "");
        assert_eq!(session.status, 200, "{}: the session is over", case.name);
    }
    assert_eq!(world.http.send("GET", "/api/v1/overview", ADMIN, "").status, 200);
    assert!(wrong.is_empty(), "{wrong:#?}");
}
