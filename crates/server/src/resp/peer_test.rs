//! Tests of the client against a socket that sends fixed bytes.

use super::*;
use std::net::TcpListener;

/// Returns what the client makes of these bytes.
fn received(bytes: &'static [u8]) -> io::Result<PeerReply> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?.to_string();
    let sender = std::thread::spawn(move || listener.accept().unwrap().0.write_all(bytes).unwrap());
    let mut peer = Peer::connect(&address, Duration::from_secs(10))?;
    let reply = peer.receive();
    sender.join().unwrap();
    reply
}

#[test]
fn replies() {
    let bulk = |text: &str| PeerReply::Bulk(text.as_bytes().to_vec());
    assert_eq!(received(b"+OK\r\n").unwrap(), PeerReply::Simple("OK".to_owned()));
    assert_eq!(received(b"-ERR no\r\n").unwrap(), PeerReply::Error("ERR no".to_owned()));
    assert_eq!(received(b"$-1\r\n").unwrap(), PeerReply::Null);
    let nested = PeerReply::Array(vec![
        PeerReply::Integer(-7),
        PeerReply::Array(vec![bulk("a\r\nb"), bulk("")]),
    ]);
    assert_eq!(received(b"*2\r\n:-7\r\n*2\r\n$4\r\na\r\nb\r\n$0\r\n\r\n").unwrap(), nested);
}

#[test]
fn what_is_no_reply() {
    let text = |bytes| received(bytes).unwrap_err().to_string();
    assert_eq!(text(b"hello\r\n"), "expected a reply, found an unknown type of reply");
    assert_eq!(text(b":1x\r\n"), "expected a reply, found a number that is none");
    assert_eq!(text(b"$9999999999\r\n"), "expected a reply, found a string that is too long");
    let kind = |bytes| received(bytes).unwrap_err().kind();
    assert_eq!(kind(b"$5\r\nab"), io::ErrorKind::UnexpectedEof);
    assert_eq!(kind(b"*2\r\n:1\r\n"), io::ErrorKind::UnexpectedEof);
    // Arrays that are too deep, rather than the end of the stack.
    let deep: &'static [u8] = Box::leak(b"*1\r\n".repeat(1000).into_boxed_slice());
    assert_eq!(kind(deep), io::ErrorKind::InvalidData);
}

#[test]
fn requests() {
    let mut bytes = Vec::new();
    write_request(&mut bytes, &[&b"SET"[..], b"k", b""]);
    assert_eq!(bytes, b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$0\r\n\r\n");
}

#[test]
fn replies_that_trickle_in_end_in_time() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let sender = std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        while socket.write_all(b"+").is_ok() {
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    let start = Instant::now();
    let mut peer = Peer::connect_until(&address, start + Duration::from_millis(300)).unwrap();
    let kind = peer.receive().unwrap_err().kind();
    assert!(matches!(kind, io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock), "{kind}");
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    drop(peer);
    sender.join().unwrap();
}

#[test]
fn writes_and_names_end_in_time() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let start = Instant::now();
    let mut peer =
        Peer::connect_until(&format!("localhost:{port}"), start + Duration::from_secs(10)).unwrap();
    peer.set_end(Instant::now() + Duration::from_millis(200));
    // Nobody reads them.
    assert!(peer.send(&vec![b'x'; 64 << 20]).is_err());
    assert!(Peer::connect_until("localhost:1", start).is_err());
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
}
