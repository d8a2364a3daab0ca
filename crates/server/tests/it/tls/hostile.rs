//! Clients that may not connect, and bytes that are no TLS.

use super::*;
use std::io::{Read, Write};
use std::time::Instant;

/// Returns the reply to PING, or why there is none.
fn ping(
    ours: &Ours,
    certificate: Option<&str>,
    version: &'static SupportedProtocolVersion,
) -> Result<(), String> {
    let config = client_config(certificate, &[version]);
    let mut stream = connect_with(secure_address(ours), config).map_err(|it| it.to_string())?;
    stream.write_all(b"PING\r\n").map_err(|it| it.to_string())?;
    let mut reply = [0; 7];
    stream.read_exact(&mut reply).map_err(|it| it.to_string())?;
    assert_eq!(&reply, b"+PONG\r\n");
    Ok(())
}

fn is_alert(result: Result<(), String>, alert: &str) {
    let text = result.unwrap_err();
    assert!(text.contains(&format!("received fatal alert: {alert}")), "{alert}: {text}");
}

#[test]
fn certificates_of_clients_are_checked() {
    let ours = start(settings("server", ClientCertificates::Required));
    for version in [&TLS12, &TLS13] {
        assert_eq!(ping(&ours, Some("client"), version), Ok(()));
        is_alert(ping(&ours, None, version), "CertificateRequired");
        is_alert(ping(&ours, Some("expired"), version), "CertificateExpired");
        is_alert(ping(&ours, Some("stranger"), version), "UnknownCA");
        // A certificate for servers.
        is_alert(ping(&ours, Some("second"), version), "UnsupportedCertificate");
    }
    assert_eq!(ours.connect().say("DBSIZE"), Value::Integer(0));
    // A refused client has its alert before the server counts it.
    let handshakes = || ours.server.settings.tls.as_ref().unwrap().handshakes();
    let start = Instant::now();
    while handshakes().1 < 8 && start.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(handshakes(), (2, 8));
}

#[test]
fn optional_certificates_are_checked_if_there_are_any() {
    let ours = start(settings("server", ClientCertificates::Optional));
    assert_eq!(ping(&ours, None, &TLS13), Ok(()));
    assert_eq!(ping(&ours, Some("client"), &TLS13), Ok(()));
    is_alert(ping(&ours, Some("expired"), &TLS13), "CertificateExpired");
    is_alert(ping(&ours, Some("stranger"), &TLS13), "UnknownCA");
    let ours = start(settings("server", ClientCertificates::No));
    assert_eq!(ping(&ours, Some("stranger"), &TLS13), Ok(()), "nobody asks for it");
}

#[test]
fn versions_are_as_set() {
    let only = |protocols: &str| {
        let protocols = protocols.to_owned();
        start(TlsSettings { protocols, ..settings("server", ClientCertificates::No) })
    };
    let new = only("TLSv1.3");
    assert_eq!(ping(&new, None, &TLS13), Ok(()));
    is_alert(ping(&new, None, &TLS12), "ProtocolVersion");
    let old = only("TLSv1.2");
    assert_eq!(ping(&old, None, &TLS12), Ok(()));
    is_alert(ping(&old, None, &TLS13), "ProtocolVersion");
}

/// Returns the first message of a client.
fn client_hello() -> Vec<u8> {
    let name = "localhost".try_into().unwrap();
    let config = client_config(None, &[&TLS13, &TLS12]);
    let mut connection = ClientConnection::new(config, name).unwrap();
    let mut bytes = Vec::new();
    connection.write_tls(&mut bytes).unwrap();
    bytes
}

/// Sends bytes, and returns what the server says before it closes the connection.
fn say(address: SocketAddr, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    _ = stream.write_all(bytes);
    _ = stream.shutdown(std::net::Shutdown::Write);
    let mut answer = Vec::new();
    if let Err(error) = stream.read_to_end(&mut answer) {
        assert_eq!(error.kind(), io::ErrorKind::ConnectionReset, "it stays open: {error}");
    }
    answer
}

#[test]
fn foreign_bytes_close_their_connection_only() {
    let ours = start(settings("server", ClientCertificates::Optional));
    let address = secure_address(&ours);
    let mut honest = redis(&ours, Some("client"));
    for bytes in
        [&b"*1\r\n$4\r\nPING\r\n"[..], b"GET / HTTP/1.1\r\n\r\n", b"PING\r\n", b"", b"\x16"]
    {
        let answer = say(address, bytes);
        // Type 21 is an alert.
        assert!(matches!(answer.first(), None | Some(21)), "{answer:?}");
    }
    let random = &mut fastrand::Rng::with_seed(1);
    let hello = client_hello();
    for _ in 0..300 {
        let mut bytes = hello.clone();
        match random.u8(..4) {
            0 => {
                bytes = vec![0; random.usize(..40_000)];
                random.fill(&mut bytes);
            }
            1 => bytes.truncate(random.usize(..bytes.len())),
            // An endless handshake message.
            2 => bytes = [&b"\x16\x03\x01\x40\x00\x01\xff\xff\xff"[..], &vec![0; 70_000]].concat(),
            _ => {
                for _ in 0..random.usize(1..4) {
                    let at = random.usize(..bytes.len());
                    bytes[at] = random.u8(..);
                }
            }
        }
        say(address, &bytes);
        assert_eq!(honest.say("PING"), pong());
    }
    assert_eq!(ping(&ours, None, &TLS13), Ok(()));
}

#[test]
fn handshakes_have_a_time_limit() {
    let ours = start(settings("server", ClientCertificates::No));
    let (address, hello, begin) = (secure_address(&ours), client_hello(), Instant::now());
    let silent = [0, 1, 50, hello.len()].map(|length| {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(&hello[..length]).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream
    });
    for mut stream in silent {
        let mut answer = Vec::new();
        if let Err(error) = stream.read_to_end(&mut answer) {
            assert_eq!(error.kind(), io::ErrorKind::ConnectionReset, "it stays open: {error}");
        }
        assert!(begin.elapsed() >= Duration::from_secs(8), "closed after {:?}", begin.elapsed());
    }
    assert_eq!(ours.server.settings.tls.as_ref().unwrap().handshakes(), (0, 4));
    assert_eq!(ping(&ours, None, &TLS13), Ok(()));
}

#[test]
fn many_clients_shake_hands_at_once() {
    const CLIENTS: usize = 300;
    let ours = start(settings("server", ClientCertificates::Required));
    let config = client_config(Some("client"), &[&TLS13]);
    let mut begun: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let mut socket = TcpStream::connect(secure_address(&ours)).unwrap();
            socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
            let name = "localhost".try_into().unwrap();
            let mut connection = ClientConnection::new(config.clone(), name).unwrap();
            connection.write_tls(&mut socket).unwrap();
            (connection, socket)
        })
        .collect();
    assert_eq!(ours.connect().say("PING"), pong(), "others are served meanwhile");
    for (connection, socket) in &mut begun {
        while connection.is_handshaking() {
            connection.complete_io(socket).unwrap();
        }
    }
    for (connection, socket) in begun {
        let mut client = Client::over(StreamOwned::new(connection, socket));
        assert_eq!(client.say("PING"), pong());
    }
    assert_eq!(ours.server.settings.tls.as_ref().unwrap().handshakes(), (CLIENTS as u64, 0));
}
