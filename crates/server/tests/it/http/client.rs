//! A small HTTP client: one connection per request.

use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

/// A response.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    /// Its head, in lower case up to each colon.
    pub head: String,
    pub body: String,
}

impl Response {
    /// Returns a header; empty if there is none.
    pub fn header(&self, name: &str) -> &str {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.clone().find(|(it, _)| it.eq_ignore_ascii_case(name)).map_or("", |(_, value)| value)
    }

    /// Returns the body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Where requests go.
#[derive(Clone, Copy)]
pub struct Http(pub SocketAddr);

impl Http {
    /// Sends bytes, and returns the response.
    pub fn raw(self, request: &[u8]) -> Response {
        let mut stream = TcpStream::connect(self.0).unwrap();
        stream.write_all(request).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|it| it.parse().ok()).unwrap_or(0);
        Response { status, head: head.to_owned(), body: body.to_owned() }
    }

    /// Sends a request with further headers, lines that end with `\r\n`.
    pub fn send(self, method: &str, path: &str, headers: &str, body: &str) -> Response {
        let host =
            if headers.to_ascii_lowercase().contains("host:") { "" } else { "Host: localhost\r\n" };
        let length = if body.is_empty() {
            String::new()
        } else {
            format!("Content-Length: {}\r\n", body.len())
        };
        self.raw(
            format!(
                "{method} {path} HTTP/1.1\r\n{host}{length}Connection: close\r\n{headers}\r\n{body}"
            )
            .as_bytes(),
        )
    }

    /// Gets a path.
    pub fn get(self, path: &str) -> Response {
        self.send("GET", path, "", "")
    }

    /// Gets a path of the API as JSON.
    #[track_caller]
    pub fn json(self, path: &str) -> Value {
        let response = self.get(&format!("/api/v1{path}"));
        assert_eq!(response.status, 200, "{path}: {response:?}");
        response.json()
    }
}
