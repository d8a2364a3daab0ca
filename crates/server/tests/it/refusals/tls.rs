//! The doors with TLS: certificates, foreign bytes, and handshakes that were recorded.

use super::Row;
use super::Theme::{self, *};
use super::world::{World, connect};
use crate::redis::{Client, Value};
use crate::tls::{client_config, connect as connect_tls, connect_with};
use ferrolith_server::thrift::frame::{Head, write_request};
use ferrolith_server::thrift::meta::{DropApp, DropOptions};
use rustls::version::{TLS12, TLS13};
use rustls::{AlertDescription, ClientConnection, SupportedProtocolVersion};
use std::io::{Read, Write};
use std::net::SocketAddr;

/// What a client does, and the answer: an alert, or nothing if the connection is only closed.
struct Case {
    theme: Theme,
    name: &'static str,
    client: Does,
    answer: &'static str,
}

enum Does {
    /// Shakes hands with this certificate.
    Shakes(Option<&'static str>, &'static SupportedProtocolVersion),
    /// Sends bytes.
    Sends(fn() -> Vec<u8>),
    /// Sends what another client sent before, up to a request that would change something.
    Replays(&'static SupportedProtocolVersion),
}

const fn case(theme: Theme, name: &'static str, client: Does, answer: &'static str) -> Case {
    Case { theme, name, client, answer }
}

const CASES: &[Case] = &[
    case(Credentials, "No certificate, TLS 1.2", Does::Shakes(None, &TLS12), "CertificateRequired"),
    case(Credentials, "No certificate, TLS 1.3", Does::Shakes(None, &TLS13), "CertificateRequired"),
    case(
        Credentials,
        "An expired certificate, TLS 1.2",
        Does::Shakes(Some("expired"), &TLS12),
        "CertificateExpired",
    ),
    case(
        Credentials,
        "An expired certificate, TLS 1.3",
        Does::Shakes(Some("expired"), &TLS13),
        "CertificateExpired",
    ),
    case(
        Credentials,
        "A certificate of another authority, TLS 1.2",
        Does::Shakes(Some("stranger"), &TLS12),
        "UnknownCA",
    ),
    case(
        Credentials,
        "A certificate of another authority, TLS 1.3",
        Does::Shakes(Some("stranger"), &TLS13),
        "UnknownCA",
    ),
    case(
        Credentials,
        "A server's certificate, TLS 1.2",
        Does::Shakes(Some("second"), &TLS12),
        "UnsupportedCertificate",
    ),
    case(
        Credentials,
        "A server's certificate, TLS 1.3",
        Does::Shakes(Some("second"), &TLS13),
        "UnsupportedCertificate",
    ),
    case(Credentials, "TLS 1.1", Does::Sends(old_hello), "HandshakeFailure"),
    case(Replayed, "A recorded connection, TLS 1.2", Does::Replays(&TLS12), "DecryptError"),
    case(Replayed, "A recorded connection, TLS 1.3", Does::Replays(&TLS13), ""),
    case(Oversized, "A message of a handshake of more than 64 KiB", Does::Sends(endless_hello), ""),
    case(
        CrossSite,
        "Bytes of a Redis client",
        Does::Sends(|| b"*1\r\n$4\r\nPING\r\n".to_vec()),
        "DecodeError",
    ),
    case(
        CrossSite,
        "A request of HTTP",
        Does::Sends(|| b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".to_vec()),
        "DecodeError",
    ),
    case(CrossSite, "A request of a Pegasus client", Does::Sends(drop_table), "DecodeError"),
];

/// The first message of a client that has no version after 1.1.
pub fn old_hello() -> Vec<u8> {
    let suites = b"\0\x04\xc0\x13\xc0\x14\x01\0";
    let body = [&b"\x03\x02"[..], &[7; 32], b"\0", suites].concat();
    let message = [&[1, 0, 0, body.len() as u8], &body[..]].concat();
    [&[0x16, 3, 1, 0, message.len() as u8], &message[..]].concat()
}

/// A first message that claims to be longer than 64 KiB.
fn endless_hello() -> Vec<u8> {
    [&b"\x16\x03\x01\x40\x00\x01\xff\xff\xff"[..], &[0; 70_000]].concat()
}

/// A Pegasus request that drops a table.
fn drop_table() -> Vec<u8> {
    let (mut bytes, options) = (Vec::new(), DropOptions::default());
    let drop = DropApp { app_name: "t".into(), options };
    write_request(&Head::default(), "RPC_CM_DROP_APP", 1, &drop, &mut bytes);
    bytes
}

/// A door with TLS, and a request there that would change something.
type Door = (&'static str, fn(&World) -> SocketAddr, fn() -> Vec<u8>);

const DOORS: [Door; 3] = [
    ("Redis over TLS", |world| world.redis_tls, || b"AUTH right\r\nSET stolen x\r\n".to_vec()),
    ("Pegasus over TLS", |world| world.pegasus_tls, drop_table),
    (
        "HTTP over TLS",
        |world| world.http_tls,
        || b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".to_vec(),
    ),
];

/// Returns the alert that a handshake ends with.
fn shake(
    address: SocketAddr,
    certificate: Option<&str>,
    version: &'static SupportedProtocolVersion,
) -> String {
    let answer = connect_with(address, client_config(certificate, &[version]));
    // In TLS 1.3, a refused certificate shows when something is read.
    let answer = answer.and_then(|mut stream| stream.read(&mut [0]));
    let text = answer.expect_err("the server refuses the certificate").to_string();
    let alert = text.split_once("received fatal alert: ").map(|(_, alert)| alert.to_owned());
    alert.unwrap_or(text)
}

/// Sends bytes, and returns the alert that the server answers, if there is one that is not encrypted.
fn send(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = connect(address);
    // The server may have closed the connection already.
    _ = stream.write_all(bytes);
    _ = stream.shutdown(std::net::Shutdown::Write);
    let mut answer = Vec::new();
    if let Err(error) = stream.read_to_end(&mut answer) {
        assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset, "it stays open: {error}");
    }
    let mut rest = &answer[..];
    while let [kind, _, _, high, low, tail @ ..] = rest {
        let (record, after) = tail.split_at(usize::from(*high) << 8 | usize::from(*low));
        if let (21, [2, alert]) = (kind, record) {
            return format!("{:?}", AlertDescription::from(*alert));
        }
        rest = after;
    }
    String::new()
}

/// Returns what an honest client sends until it has an answer to a request.
fn record(
    address: SocketAddr,
    version: &'static SupportedProtocolVersion,
    request: &[u8],
) -> Vec<u8> {
    let config = client_config(Some("client"), &[version]);
    let mut client = ClientConnection::new(config, "localhost".try_into().unwrap()).unwrap();
    let (mut stream, mut sent) = (connect(address), Vec::new());
    loop {
        let before = sent.len();
        while client.wants_write() {
            client.write_tls(&mut sent).unwrap();
        }
        stream.write_all(&sent[before..]).unwrap();
        if !client.is_handshaking() {
            break;
        }
        client.read_tls(&mut stream).unwrap();
        client.process_new_packets().unwrap();
    }
    // The request itself is only recorded.
    client.writer().write_all(request).unwrap();
    while client.wants_write() {
        client.write_tls(&mut sent).unwrap();
    }
    sent
}

pub fn rows() -> Vec<Row> {
    let of_door = |(door, _, _): Door| {
        CASES.iter().map(move |case| {
            let answer = match case.answer {
                "" => "closed".to_owned(),
                alert => format!("alert {alert}"),
            };
            Row { theme: case.theme, door, name: case.name.to_owned(), answer }
        })
    };
    let mut rows: Vec<_> = DOORS.into_iter().flat_map(of_door).collect();
    let (name, theme) = ("A certificate, but no password".to_owned(), Credentials);
    for (door, answer) in [("Redis over TLS", NOAUTH), ("HTTP over TLS", "401 unauthenticated")] {
        rows.push(Row { theme, door, name: name.clone(), answer: answer.to_owned() });
    }
    rows
}

const NOAUTH: &str = "NOAUTH Authentication required.";

#[test]
fn tls_clients_are_refused() {
    let world = World::start();
    let before = world.state();
    let mut wrong = Vec::new();
    for (door, address, request) in DOORS {
        let address = address(&world);
        for case in CASES {
            let found = match case.client {
                Does::Shakes(certificate, version) => shake(address, certificate, version),
                Does::Sends(bytes) => send(address, &bytes()),
                Does::Replays(version) => send(address, &record(address, version, &request())),
            };
            if found != case.answer {
                wrong.push(format!("{door}: {}: {found:?}", case.name));
            }
            assert_eq!(world.state(), before, "{door}: {}", case.name);
            assert!(connect_tls(address, Some("client")).is_ok(), "{door}: {}", case.name);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn certificates_are_no_passwords() {
    let world = World::start();
    let mut client = Client::over(connect_tls(world.redis_tls, Some("client")).unwrap());
    assert_eq!(client.say("GET app:1"), Value::Error(NOAUTH.into()));
    let mut stream = connect_tls(world.http_tls, Some("client")).unwrap();
    stream
        .write_all(b"GET /api/v1/overview HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .unwrap();
    let mut text = String::new();
    // The server closes without TLS's closing message.
    _ = stream.read_to_string(&mut text);
    assert!(text.starts_with("HTTP/1.1 401 ") && text.contains("\"unauthenticated\""), "{text}");
    // The same certificate with a password.
    assert_eq!(client.say("AUTH right"), Value::Simple("OK".into()));
    assert_eq!(client.say("GET app:1"), Value::bulk("shown"));
}
