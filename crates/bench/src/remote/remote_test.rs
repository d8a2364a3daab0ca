//! Addresses, Redis's replies, and clients that get wrong answers.

use super::address::{Address, Protocol};
use super::resp::{Foreign, Reply, parse, request};

#[test]
fn addresses_have_a_port_and_pegasus_a_table() {
    let good = |text: &str| Address::parse(text).unwrap().unwrap();
    let redis = good("redis://localhost:6379");
    assert_eq!((redis.protocol, redis.host.as_str()), (Protocol::Redis, "localhost:6379"));
    let pegasus = good("pegasus://[::1]:34601/usertable");
    assert_eq!((pegasus.host.as_str(), pegasus.table.as_str()), ("[::1]:34601", "usertable"));
    for text in ["redis://localhost:6379", "pegasus://[::1]:34601/usertable"] {
        assert_eq!(good(text).to_string(), text);
    }
    for text in [
        "redis://",
        "redis://host",
        "redis://:1",
        "redis://host:0",
        "redis://host:65536",
        "redis://host:1/",
        "redis://host:1/0",
        "pegasus://host:1",
        "pegasus://host:1/",
        "pegasus://host:1/a/b",
    ] {
        let error = Address::parse(text).unwrap().unwrap_err();
        assert!(
            error.contains("expected redis://HOST:PORT or pegasus://HOST:PORT/TABLE"),
            "{error}"
        );
    }
    for text in ["ferrolith", "rocksdb:/usr/lib/x.so", "http://host:1"] {
        assert!(Address::parse(text).is_none(), "{text}");
    }
}

#[test]
fn replies_are_parsed_from_every_prefix_and_foreign_bytes_are_errors() {
    let input = b"*4\r\n+OK\r\n:-7\r\n$3\r\na\r\n\r\n*2\r\n$-1\r\n-ERR no\r\n";
    for end in 0..input.len() {
        assert_eq!(parse(&input[..end]), Ok(None), "{end}");
    }
    let inner = vec![Reply::Bulk(None), Reply::Error(b"ERR no")];
    let expected = vec![
        Reply::Status(b"OK"),
        Reply::Integer(-7),
        Reply::Bulk(Some(b"a\r\n")),
        Reply::Array(Some(inner)),
    ];
    assert_eq!(parse(input), Ok(Some((Reply::Array(Some(expected)), input.len()))));
    assert_eq!(parse(b"*-1\r\n*"), Ok(Some((Reply::Array(None), 5))));
    for input in [&b"HTTP/1.1 400\r\n"[..], b"\0\0\0\x14", b"$x\r\n", b"$-2\r\n", b"$1\r\nabc"] {
        assert_eq!(parse(input), Err(Foreign), "{input:?}");
    }
    assert_eq!(parse(&b"*1\r\n".repeat(100)), Err(Foreign));
    let mut out = Vec::new();
    request(&[b"GET", b"key"], &mut out);
    assert_eq!(out, b"*2\r\n$3\r\nGET\r\n$3\r\nkey\r\n");
}
