//! Who may use the API: users and passwords, sessions, foreign pages, and hostile connections.

use super::{Http, Response};
use crate::redis::{Ours, words};
use ferrolith_server::clock::SystemClock;
use ferrolith_server::redis::server::Settings;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

/// Starts a server whose default user has a password.
fn start() -> (Ours, Http) {
    let settings = Settings { password: "right".to_owned(), ..Settings::default() };
    let ours = Ours::start_in(tempfile::tempdir().unwrap(), Arc::new(SystemClock::new()), settings);
    let mut client = ours.connect();
    client.call(&words("AUTH right"));
    client.call(&words("ACL SETUSER reader on >word ~app:* +@read +ping -@dangerous"));
    client
        .call(&words("ACL SETUSER operator on >word ~* +info +slowlog +config|get +memory +scan"));
    client.call(&words("SET app:1 shown"));
    client.call(&words("SET other hidden"));
    let http = Http(ours.serve_http(ours.http_parts(), None));
    (ours, http)
}

/// `Authorization` of a name and a password in base64.
const READER: &str = "Authorization: Basic cmVhZGVyOndvcmQ=\r\n";
const OPERATOR: &str = "Authorization: Basic b3BlcmF0b3I6d29yZA==\r\n";
const DEFAULT: &str = "Authorization: Basic ZGVmYXVsdDpyaWdodA==\r\n";
const WRONG: &str = "Authorization: Basic ZGVmYXVsdDp3cm9uZw==\r\n";

fn get(http: Http, path: &str, headers: &str) -> Response {
    http.send("GET", &format!("/api/v1{path}"), headers, "")
}

#[test]
fn the_api_needs_a_user_with_the_right() {
    let (ours, http) = start();
    let refused = get(http, "/overview", "");
    assert_eq!(refused.status, 401);
    assert!(refused.header("www-authenticate").starts_with("Basic "));
    // The page shows its own form.
    assert_eq!(get(http, "/overview", "X-Ferrolith-Page: 1\r\n").header("www-authenticate"), "");
    assert_eq!(get(http, "/overview", WRONG).status, 401);
    assert_eq!(get(http, "/overview", "Authorization: Bearer x\r\n").status, 400);
    assert_eq!(get(http, "/overview", DEFAULT).status, 200);
    // Metrics and health are for scrapers; the page has no data.
    assert_eq!(
        [http.get("/metrics").status, http.get("/health").status, http.get("/").status],
        [200; 3]
    );
    let status = |path: &str, user: &str| get(http, path, user).status;
    assert_eq!(status("/overview", OPERATOR), 200);
    assert_eq!(
        [status("/slow", OPERATOR), status("/settings", OPERATOR), status("/memory", OPERATOR)],
        [200; 3]
    );
    assert_eq!(
        [status("/slow", READER), status("/settings", READER), status("/overview", READER)],
        [403; 3]
    );
    assert_eq!(
        [status("/value?key=app%3A1", READER), status("/value?key=other", READER)],
        [200, 403]
    );
    assert_eq!(status("/value?key=other", OPERATOR), 403, "no right to TYPE");
    let keys = get(http, "/keys", OPERATOR).json();
    assert!(
        keys["keys"].as_array().unwrap().iter().all(|it| it["type"] == "(no permission)"),
        "{keys}"
    );
    let mut client = ours.connect();
    client.call(&words("AUTH right"));
    let log = format!("{:?}", client.call(&words("ACL LOG")));
    for word in ["auth", "type", "pttl"] {
        assert!(log.contains(&format!("{:?}", word.as_bytes())), "{word}: {log}");
    }
}

/// Logs in; returns the cookie and the token.
fn log_in(http: Http, user: &str, password: &str) -> Result<(String, String), Response> {
    let body = format!("{{\"user\":\"{user}\",\"password\":\"{password}\"}}");
    let response = http.send("POST", "/api/v1/login", "Content-Type: application/json\r\n", &body);
    if response.status != 200 {
        return Err(response);
    }
    let cookie = response.header("set-cookie");
    for part in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=43200"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let cookie = cookie.split(';').next().unwrap().to_owned();
    Ok((format!("Cookie: {cookie}\r\n"), response.json()["token"].as_str().unwrap().to_owned()))
}

#[test]
fn sessions_begin_and_end() {
    let (ours, http) = start();
    assert_eq!(log_in(http, "default", "wrong").unwrap_err().status, 401);
    let (cookie, token) = log_in(http, "default", "right").unwrap();
    assert_eq!(get(http, "/overview", &cookie).status, 200);
    let session = get(http, "/session", &cookie).json();
    assert_eq!(
        (session["user"].as_str(), session["token"].as_str()),
        (Some("default"), Some(&*token))
    );
    let out = |headers: &str| http.send("POST", "/api/v1/logout", headers, "").status;
    assert_eq!(out(&cookie), 403, "without the token");
    assert_eq!(out(&format!("{cookie}X-Ferrolith-Token: {}\r\n", "0".repeat(64))), 403);
    assert_eq!(get(http, "/overview", &cookie).status, 200);
    assert_eq!(out(&format!("{cookie}X-Ferrolith-Token: {token}\r\n")), 204);
    assert_eq!(get(http, "/overview", &cookie).status, 401);
    // Other passwords, and the removal of the user, end sessions.
    let mut client = ours.connect();
    client.call(&words("AUTH right"));
    let (cookie, _) = log_in(http, "operator", "word").unwrap();
    client.call(&words("ACL SETUSER operator >another"));
    assert_eq!(get(http, "/overview", &cookie).status, 401);
    let (cookie, _) = log_in(http, "operator", "another").unwrap();
    assert_eq!(get(http, "/overview", &cookie).status, 200);
    client.call(&words("ACL DELUSER operator"));
    assert_eq!(get(http, "/overview", &cookie).status, 401);
    assert_eq!(get(http, "/overview", "Cookie: ferrolith-session=x; other\r\n").status, 401);
}

#[test]
fn pages_of_other_sites_are_refused() {
    let (ours, http) = start();
    let host = |host: &str| http.send("GET", "/", &format!("Host: {host}\r\n"), "").status;
    assert_eq!(
        [
            host("localhost:9"),
            host("127.0.0.1:80"),
            host("[::1]:80"),
            host("[::1]"),
            host("10.0.0.7")
        ],
        [200; 5]
    );
    assert_eq!(
        [host("evil.example"), host("evil.example:80"), host("localhost.evil.example"), host("")],
        [421; 4]
    );
    assert_eq!(get(http, "/overview", &format!("Host: evil.example\r\n{DEFAULT}")).status, 421);
    let body = "{\"user\":\"default\",\"password\":\"right\"}";
    let login = |headers: &str| http.send("POST", "/api/v1/login", headers, body).status;
    assert_eq!(login("Content-Type: text/plain\r\n"), 400, "a form of another site");
    assert_eq!(login("Content-Type: application/json\r\nOrigin: http://evil.example\r\n"), 403);
    assert_eq!(login("Content-Type: application/json\r\nOrigin: null\r\n"), 403);
    assert_eq!(login("Content-Type: application/json\r\nOrigin: http://localhost\r\n"), 200);
    let named = Http(ours.serve_http(
        ferrolith_server::http::Parts { hosts: vec!["db.example".to_owned()], ..ours.http_parts() },
        None,
    ));
    assert_eq!(named.send("GET", "/", "Host: DB.example:9121\r\n", "").status, 200);
    let response = http.get("/");
    for (name, value) in [
        ("x-frame-options", "DENY"),
        ("x-content-type-options", "nosniff"),
        ("cache-control", "no-store"),
    ] {
        assert_eq!(response.header(name), value);
    }
}

#[test]
fn requests_are_bounded() {
    let (_ours, http) = start();
    let json = "Content-Type: application/json\r\n";
    let long = format!("{{\"user\":\"{}\",\"password\":\"\"}}", "x".repeat(5000));
    assert_eq!(http.send("POST", "/api/v1/login", json, &long).status, 400);
    assert_eq!(http.send("POST", "/api/v1/login", json, "{\"user\":1}").status, 400);
    let path = format!("/api/v1/keys?prefix={}", "x".repeat(20_000));
    let status = http.send("GET", &path, DEFAULT, "").status;
    assert!([414, 431].contains(&status), "{status}");
    let headers: String = (0..100).map(|at| format!("X-{at}: y\r\n")).collect();
    assert_eq!(http.send("GET", "/", &headers, "").status, 431);
    // Silent clients do not keep others waiting, and a cut request is nothing.
    let silent: Vec<_> = (0..20).map(|_| TcpStream::connect(http.0).unwrap()).collect();
    let mut cut = TcpStream::connect(http.0).unwrap();
    cut.write_all(b"POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{")
        .unwrap();
    cut.shutdown(std::net::Shutdown::Write).unwrap();
    let mut rest = String::new();
    _ = cut.read_to_string(&mut rest);
    assert_eq!(http.get("/health").status, 200);
    drop(silent);
}
