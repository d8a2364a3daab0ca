//! The requests over HTTP that are refused.

use super::Theme::{self, *};
use super::http::{Body, Case};

const fn get(
    theme: Theme,
    name: &'static str,
    line: &'static str,
    headers: &'static str,
    answer: &'static str,
) -> Case {
    Case { theme, name, line, headers, body: Body::Text(""), answer }
}

const fn log_in(
    theme: Theme,
    name: &'static str,
    headers: &'static str,
    body: Body,
    answer: &'static str,
) -> Case {
    Case { theme, name, line: "POST /api/v1/login", headers, body, answer }
}

const fn raw(
    theme: Theme,
    name: &'static str,
    bytes: fn() -> Vec<u8>,
    answer: &'static str,
) -> Case {
    Case { theme, name, line: "", headers: "", body: Body::Whole(bytes), answer }
}

const JSON: &str = "Content-Type: application/json\r\n";
const RIGHT: Body = Body::Text("{\"user\":\"default\",\"password\":\"right\"}");
const WRONG: Body = Body::Text("{\"user\":\"default\",\"password\":\"wrong\"}");

const UNKNOWN: &str = "401 unauthenticated";
const FORBIDDEN: &str = "403 forbidden";
const BAD: &str = "400 bad-request";
const METHOD: &str = "405 method-not-allowed";
const MISSING: &str = "404 not-found";
const MISDIRECTED: &str = "421 misdirected";

/// `Authorization` of users whose password is `word`.
macro_rules! basic {
    (reader) => {
        "Authorization: Basic cmVhZGVyOndvcmQ=\r\n"
    };
    (operator) => {
        "Authorization: Basic b3BlcmF0b3I6d29yZA==\r\n"
    };
    (sleeper) => {
        "Authorization: Basic c2xlZXBlcjp3b3Jk\r\n"
    };
    (default) => {
        "Authorization: Basic ZGVmYXVsdDpyaWdodA==\r\n"
    };
    (wrong) => {
        "Authorization: Basic ZGVmYXVsdDp3cm9uZw==\r\n"
    };
}

pub const CASES: &[Case] = &[
    get(Credentials, "A view without a user", "GET /api/v1/overview", "", UNKNOWN),
    get(Credentials, "A value without a user", "GET /api/v1/value?key=other", "", UNKNOWN),
    get(Credentials, "A wrong password", "GET /api/v1/overview", basic!(wrong), UNKNOWN),
    get(Credentials, "A user that is off", "GET /api/v1/overview", basic!(sleeper), UNKNOWN),
    get(
        Credentials,
        "Another scheme than Basic",
        "GET /api/v1/overview",
        "Authorization: Bearer x\r\n",
        BAD,
    ),
    get(
        Credentials,
        "Basic with no base64",
        "GET /api/v1/overview",
        "Authorization: Basic ?\r\n",
        BAD,
    ),
    get(
        Credentials,
        "A cookie that was guessed",
        "GET /api/v1/overview",
        "Cookie: ferrolith-session=x\r\n",
        UNKNOWN,
    ),
    get(Credentials, "A logout without a session", "POST /api/v1/logout", "", UNKNOWN),
    log_in(Credentials, "A login with a wrong password", JSON, WRONG, UNKNOWN),
    get(
        Rights,
        "The overview of a user without INFO",
        "GET /api/v1/overview",
        basic!(reader),
        FORBIDDEN,
    ),
    get(
        Rights,
        "Slow requests of a user without SLOWLOG GET",
        "GET /api/v1/slow",
        basic!(reader),
        FORBIDDEN,
    ),
    get(
        Rights,
        "Settings of a user without CONFIG GET",
        "GET /api/v1/settings",
        basic!(reader),
        FORBIDDEN,
    ),
    get(
        Rights,
        "Memory of a user without MEMORY STATS",
        "GET /api/v1/memory",
        basic!(reader),
        FORBIDDEN,
    ),
    get(Rights, "Tables of a user without INFO", "GET /api/v1/tables", basic!(reader), FORBIDDEN),
    get(
        Rights,
        "A value outside the user's patterns",
        "GET /api/v1/value?key=other",
        basic!(reader),
        FORBIDDEN,
    ),
    get(
        Rights,
        "A value of a user without TYPE",
        "GET /api/v1/value?key=other",
        basic!(operator),
        FORBIDDEN,
    ),
    get(
        Replayed,
        "The cookie of a session that was logged out",
        "GET /api/v1/overview",
        "{ended}",
        UNKNOWN,
    ),
    get(
        Replayed,
        "The cookie of a user whose passwords changed",
        "GET /api/v1/overview",
        "{changed}",
        UNKNOWN,
    ),
    get(
        Replayed,
        "The cookie of a user that was switched off",
        "GET /api/v1/overview",
        "{switched}",
        UNKNOWN,
    ),
    get(
        Replayed,
        "The cookie of a user that was removed",
        "GET /api/v1/overview",
        "{gone}",
        UNKNOWN,
    ),
    get(
        Replayed,
        "A logout a second time",
        "POST /api/v1/logout",
        "{ended}X-Ferrolith-Token: {end}\r\n",
        UNKNOWN,
    ),
    get(
        Replayed,
        "A logout with the token of another session",
        "POST /api/v1/logout",
        "{session}X-Ferrolith-Token: {end}\r\n",
        FORBIDDEN,
    ),
    get(CrossSite, "A logout without the token", "POST /api/v1/logout", "{session}", FORBIDDEN),
    get(
        CrossSite,
        "A logout with a wrong token",
        "POST /api/v1/logout",
        "{session}X-Ferrolith-Token: x\r\n",
        FORBIDDEN,
    ),
    get(
        CrossSite,
        "A logout of a page of another site, with the token",
        "POST /api/v1/logout",
        "{session}X-Ferrolith-Token: {token}\r\nOrigin: http://evil.example\r\n",
        FORBIDDEN,
    ),
    get(
        CrossSite,
        "A logout of a page at another port of this host",
        "POST /api/v1/logout",
        "{session}X-Ferrolith-Token: {token}\r\nHost: localhost\r\nOrigin: http://localhost:1\r\n",
        FORBIDDEN,
    ),
    log_in(
        CrossSite,
        "A login of a page of another site",
        "Content-Type: application/json\r\nOrigin: http://evil.example\r\n",
        RIGHT,
        FORBIDDEN,
    ),
    log_in(
        CrossSite,
        "A login of a page without an origin",
        "Content-Type: application/json\r\nOrigin: null\r\n",
        RIGHT,
        FORBIDDEN,
    ),
    log_in(CrossSite, "A login as a form sends it", "Content-Type: text/plain\r\n", RIGHT, BAD),
    log_in(CrossSite, "A login without a type", "", RIGHT, BAD),
    get(
        CrossSite,
        "The page under a name that points here",
        "GET /",
        "Host: evil.example\r\n",
        MISDIRECTED,
    ),
    get(
        CrossSite,
        "The API under such a name, with a password",
        "GET /api/v1/overview",
        concat!("Host: evil.example\r\n", basic!(default)),
        MISDIRECTED,
    ),
    get(
        CrossSite,
        "A name that begins like a known one",
        "GET /",
        "Host: localhost.evil.example\r\n",
        MISDIRECTED,
    ),
    get(
        CrossSite,
        "A name behind a user's",
        "GET /",
        "Host: localhost@evil.example\r\n",
        MISDIRECTED,
    ),
    get(CrossSite, "No header Host", "GET /", "X-No-Host: 1\r\n", BAD),
    get(
        CrossSite,
        "The question of a browser whether another site may ask",
        "OPTIONS /api/v1/overview",
        "Origin: http://evil.example\r\nAccess-Control-Request-Method: GET\r\n",
        METHOD,
    ),
    raw(CrossSite, "Bytes of a Redis client", || b"*1\r\n$4\r\nPING\r\n\r\n".to_vec(), "400"),
    raw(CrossSite, "The first message of TLS", super::tls::old_hello, "400"),
    raw(CrossSite, "The beginning of HTTP/2", || b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(), "0"),
    get(Malformed, "Another method for a view", "POST /api/v1/keys", basic!(default), METHOD),
    get(Malformed, "DELETE of a value", "DELETE /api/v1/value?key=app:1", basic!(default), METHOD),
    get(Malformed, "PUT of the page", "PUT /", "", METHOD),
    get(Malformed, "GET of the login", "GET /api/v1/login", "", METHOD),
    get(Malformed, "GET of the logout", "GET /api/v1/logout", "{session}", METHOD),
    get(Malformed, "POST to `/metrics`", "POST /metrics", "", "405"),
    get(Malformed, "DELETE of `/health`", "DELETE /health", "", "405"),
    get(Malformed, "TRACE", "TRACE /", "{session}", METHOD),
    get(Malformed, "A path that does not exist", "GET /api/v1/nonsense", basic!(default), MISSING),
    get(Malformed, "A path that leads out", "GET /../../etc/passwd", basic!(default), MISSING),
    get(
        Malformed,
        "A path that leads out, encoded",
        "GET /api/v1/..%2f..%2fusers.acl",
        basic!(default),
        MISSING,
    ),
    get(Malformed, "An unknown parameter", "GET /api/v1/overview?x=1", basic!(default), BAD),
    get(
        Malformed,
        "A parameter given twice",
        "GET /api/v1/keys?count=1&count=2",
        basic!(default),
        BAD,
    ),
    get(
        Malformed,
        "A number outside its bounds",
        "GET /api/v1/keys?count=1001",
        basic!(default),
        BAD,
    ),
    get(
        Malformed,
        "A database that does not exist",
        "GET /api/v1/keys?database=99",
        basic!(default),
        MISSING,
    ),
    get(
        Malformed,
        "A cursor that is no number",
        "GET /api/v1/value?key=app%3Alist&cursor=x",
        basic!(default),
        BAD,
    ),
    log_in(Malformed, "A login that is no JSON", JSON, Body::Text("user=default"), BAD),
    log_in(
        Malformed,
        "A login with a further field",
        JSON,
        Body::Text("{\"user\":\"default\",\"password\":\"right\",\"x\":1}"),
        BAD,
    ),
    log_in(
        Malformed,
        "A login without a password",
        JSON,
        Body::Text("{\"user\":\"default\"}"),
        BAD,
    ),
    raw(
        Malformed,
        "Two lengths of the body",
        || {
            b"POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 9\r\n\r\n".to_vec()
        },
        "400",
    ),
    raw(
        Malformed,
        "A chunk of the body with a wrong length",
        || {
            b"POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n".to_vec()
        },
        BAD,
    ),
    raw(
        Malformed,
        "A header with a line feed in its name",
        || b"GET / HTTP/1.1\r\nHo\nst: localhost\r\n\r\n".to_vec(),
        "400",
    ),
    log_in(Oversized, "A login of more than 4 KiB", JSON, Body::Long(5000), BAD),
    raw(
        Oversized,
        "A head of more than 16 KiB",
        || {
            format!("GET / HTTP/1.1\r\nHost: localhost\r\nX: {}\r\n\r\n", "x".repeat(17_000))
                .into_bytes()
        },
        "431",
    ),
    raw(
        Oversized,
        "An address of more than 16 KiB",
        || format!("GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n", "x".repeat(17_000)).into_bytes(),
        "431",
    ),
    raw(
        Oversized,
        "More than 64 headers",
        || {
            let headers: String = (0..65).map(|at| format!("X-{at}: y\r\n")).collect();
            format!("GET / HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n").into_bytes()
        },
        "431",
    ),
];
