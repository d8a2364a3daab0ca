//! Requests and replies over TLS, in all protocols of the server.

use super::*;
use crate::redis::words;
use std::io::{Read, Write};

fn open() -> Ours {
    start(settings("server", ClientCertificates::No))
}

#[test]
fn redis_clients_are_served() {
    for certificate in ["server", "rsa"] {
        let ours = start(settings(certificate, ClientCertificates::No));
        for version in [&TLS12, &TLS13] {
            let config = client_config(None, &[version]);
            let mut client = Client::over(connect_with(secure_address(&ours), config).unwrap());
            assert_eq!(client.say("SET planet Earth"), ok());
            assert_eq!(client.say("GET planet"), Value::bulk("Earth"));
        }
        assert_eq!(ours.connect().say("GET planet"), Value::bulk("Earth"), "without TLS");
        assert_eq!(ours.server.settings.tls.as_ref().unwrap().handshakes(), (2, 0));
    }
}

#[test]
fn large_requests_and_replies_arrive_whole() {
    let ours = open();
    let mut client = redis(&ours, None);
    let value: String = (0..300_000).map(|at| format!("{at:06} ")).collect();
    assert_eq!(client.call(&["SET", "big", &value]), ok());
    let gets = vec![words("GET big"); 8];
    // Nothing reads while the replies are written, so they fill the socket and the buffer of records.
    gets.iter().for_each(|get| client.send(get));
    std::thread::sleep(Duration::from_millis(300));
    for _ in &gets {
        assert!(client.receive() == Value::bulk(&value), "the value is another one");
    }
    let sets: Vec<_> = (0..5000).map(|at| words(&format!("SET key{at} {at}"))).collect();
    assert!(client.pipeline(&sets).into_iter().all(|reply| reply == ok()));
    assert_eq!(client.say("DBSIZE"), Value::Integer(5001));
}

#[test]
fn messages_arrive_without_a_request() {
    let ours = open();
    let (mut subscriber, mut blocked) = (redis(&ours, None), redis(&ours, None));
    subscriber.say("SUBSCRIBE news");
    blocked.send(&words("BLPOP queue 20"));
    let mut writer = ours.connect();
    assert_eq!(writer.say("PUBLISH news hello"), Value::Integer(1));
    writer.say("RPUSH queue job");
    let message = ["message", "news", "hello"].map(Value::bulk).to_vec();
    assert_eq!(subscriber.receive(), Value::Array(message));
    assert_eq!(blocked.receive(), Value::Array(["queue", "job"].map(Value::bulk).to_vec()));
}

#[test]
fn the_end_of_a_connection_is_signed() {
    let ours = open();
    let mut stream = connect(secure_address(&ours), None).unwrap();
    stream.write_all(b"PING\r\nQUIT\r\n").unwrap();
    let mut replies = String::new();
    // Without the alert close_notify, this is an error: somebody may have cut the connection.
    stream.read_to_string(&mut replies).unwrap();
    assert_eq!(replies, "+PONG\r\n+OK\r\n");
}

#[test]
fn clients_that_do_not_read_are_closed() {
    let ours = open();
    let mut admin = ours.connect();
    admin.call(&["SET", "big", &"v".repeat(1 << 20)]);
    let mut stuck = connect(secure_address(&ours), None).unwrap();
    stuck.write_all(&b"GET big\r\n".repeat(100)).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(admin.say("CLIENT KILL TYPE normal"), Value::Integer(1));
    let start = std::time::Instant::now();
    while ours.server.clients.len() > 1 {
        assert!(start.elapsed() < Duration::from_secs(20), "it stays connected");
        std::thread::sleep(Duration::from_millis(10));
    }
    drop(stuck);
}

#[test]
fn metrics_are_served() {
    let ours = open();
    let tls = ours.server.settings.tls.clone();
    let address = ours.serve_http(ours.http_parts(), tls);
    TcpStream::connect(address).unwrap().write_all(b"GET /metrics HTTP/1.1\r\n\r\n").unwrap();
    let mut stream = connect(address, None).unwrap();
    stream
        .write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    assert!(response.starts_with("HTTP/1.1 200 OK\r\n"), "{response}");
    assert!(response.contains("\nferrolith_tls_handshakes_total 1\n"), "{response}");
    assert!(response.contains("\nferrolith_tls_failed_handshakes_total "), "{response}");
}

#[test]
fn cookies_are_for_encrypted_connections() {
    let ours = open();
    let address = ours.serve_http(ours.http_parts(), ours.server.settings.tls.clone());
    let body = "{\"user\":\"default\",\"password\":\"\"}";
    let mut stream = connect(address, None).unwrap();
    let request = format!(
        "POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    assert!(response.starts_with("HTTP/1.1 200 OK\r\n"), "{response}");
    assert!(response.contains("; HttpOnly; SameSite=Strict; Secure\r\n"), "{response}");
}
