//! Tests of the row that survives a restart.

use super::*;

#[test]
fn targets() {
    let target = |text| Target::parse(text).map(|target| target.to_string());
    assert_eq!(target("127.0.0.1:6379").unwrap(), "127.0.0.1:6379");
    assert_eq!(target("redis.example:1").unwrap(), "redis.example:1");
    assert_eq!(target("[::1]:6379").unwrap(), "[::1]:6379");
    for text in ["", "host", "host:", "host:0", "host:65536", ":6379", "a b:1", "host:x"] {
        let error = target(text).unwrap_err().to_string();
        assert_eq!(error, format!("--replica-of: expected HOST:PORT, found {text:?}"));
    }
}

#[test]
fn rows_are_parsed() {
    let target = Target { host: "::1".to_owned(), port: 6379 };
    let saved = |text: &str| Saved::parse(text.as_bytes());
    assert_eq!(saved("wait ::1 6379"), Some(Saved::Waiting(target.clone())));
    assert_eq!(saved("load ::1 6379"), Some(Saved::Loading(target.clone())));
    assert_eq!(saved("promoted ::1 6379"), Some(Saved::Promoted(target.clone())));
    let position = Position { target, id: "abc".to_owned(), offset: 12, database: 3 };
    assert_eq!(saved("stream ::1 6379 abc 12 3"), Some(Saved::At(position)));
    for text in ["", "wait", "wait h", "wait h x", "later h 1", "stream h 1 id", "load h 1 2"] {
        assert_eq!(saved(text), None, "{text}");
    }
}
