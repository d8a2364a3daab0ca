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
