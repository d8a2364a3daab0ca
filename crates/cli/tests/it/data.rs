//! Keys and tables.

use crate::program::{Server, run, with_input};
use ferrolith_server::resp::Peer;
use std::time::Duration;

fn say(server: &Server, command: &str) {
    let mut peer = Peer::connect(&server.redis, Duration::from_secs(20)).unwrap();
    let words: Vec<&[u8]> = command.split(' ').map(str::as_bytes).collect();
    peer.call(&words).unwrap();
}

#[test]
fn keys_are_written_read_and_counted() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("db"), &[]);
    server.done(&["set", "a", "1"]);
    assert_eq!(server.done(&["get", "a"]), "1\n");
    assert_eq!(server.done(&["get", "a", "--raw"]), "1");
    assert_eq!(server.done(&["get", "a", "--json"]), "{\"key\":\"a\",\"value\":\"1\"}\n");
    let missing = server.run(&["get", "b"]);
    assert_eq!((missing.code, &missing.out[..]), (3, ""));
    let binary = with_input(&["set", "bin", "-", "--server", &server.redis], &[0, 255, 10]);
    assert_eq!(binary.code, 0);
    let json = server.done(&["get", "bin", "--json"]);
    assert_eq!(json, "{\"key\":\"bin\",\"value\":{\"hex\":\"00ff0a\"}}\n");
    for number in 0..50 {
        say(&server, &format!("RPUSH list:{number} x"));
    }
    assert_eq!(server.done(&["count"]), "52\n");
    assert_eq!(server.done(&["count", "--exact"]), "52\n");
    assert_eq!(server.done(&["count", "--match", "list:1?"]), "10\n");
    assert_eq!(server.done(&["count", "--type", "string"]), "2\n");
    assert_eq!(server.done(&["scan", "--match", "list:*", "--limit", "7"]).lines().count(), 7);
    assert_eq!(server.done(&["count", "--db", "3"]), "0\n");
    assert_eq!(server.done(&["del", "a", "bin", "c"]), "deleted 2 keys\n");
    let wrong = server.run(&["get", "list:1"]);
    assert!(wrong.code == 1 && wrong.error.contains("WRONGTYPE"), "{}", wrong.error);
    let top = server.done(&["top", "--once"]);
    assert!(top.contains("commands") && top.contains("memory"), "{top}");
}

#[test]
fn copies_are_equal_and_differences_are_found() {
    let dir = tempfile::tempdir().unwrap();
    let one = Server::start(&dir.path().join("one"), &[]);
    let two = Server::start(&dir.path().join("two"), &[]);
    for command in [
        "SET string x",
        "SET expiring y PXAT 4102444800123",
        "RPUSH list a b c",
        "SADD set a b c",
        "ZADD zset 1 a 2 b",
        "HSET hash f v",
        "XADD stream 1-1 f v",
    ] {
        say(&one, command);
    }
    for number in 0..2000 {
        say(&one, &format!("SET row:{number} {number}"));
    }
    let to = ["--to", &two.redis];
    let copy = |more: &[&str]| one.run(&[&["copy"], &to[..], more].concat());
    let diff = |more: &[&str]| one.run(&[&["diff"], &to[..], more].concat());
    let copied = copy(&[]);
    assert!(copied.out.starts_with("copied 2007 keys"), "{}{}", copied.out, copied.error);
    let same = diff(&[]);
    assert_eq!((same.code, &same.out[..]), (0, "2007 keys compared, 0 differences\n"));
    let refused = copy(&[]);
    assert!(refused.code == 1 && refused.error.contains("--existing keep or replace"));
    assert!(copy(&["--existing", "keep"]).out.contains("left out: 2007 that existed"));
    for command in ["SET string z", "DEL list", "PERSIST expiring", "SET new 1", "SADD set d"] {
        say(&two, command);
    }
    let found = diff(&[]);
    let mut lines: Vec<_> = found.out.lines().collect();
    lines.sort_unstable();
    let expected = [
        "2007 keys compared, 5 differences",
        "different times of expiry: expiring",
        "different values: set",
        "different values: string",
        "only at the first server: list",
        "only at the other server: new",
    ];
    assert_eq!((found.code, &lines[..]), (3, &expected[..]));
    assert!(diff(&["--limit", "2"]).out.ends_with("stopped at --limit\n"));
    assert_eq!(copy(&["--existing", "replace"]).code, 0);
    assert_eq!(diff(&["--match", "string"]).code, 0);
}

#[test]
fn tables_are_created_dropped_and_recalled() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("db"), &[]);
    let table = |args: &[&str]| run(&[&["table"], args, &["--server", &server.pegasus]].concat());
    assert_eq!(table(&["list"]).out, "no tables\n");
    let created = table(&["create", "temp", "--partitions", "4"]);
    assert_eq!(created.out, "created table temp with the number 1\n", "{}", created.error);
    assert_eq!(table(&["list"]).out, "1  temp  4 partitions  available\n");
    let wrong = table(&["create", "odd", "--partitions", "3"]);
    assert!(wrong.code == 1 && wrong.error.contains("ERR_INVALID_PARAMETERS"), "{}", wrong.error);
    assert_eq!(table(&["rename", "temp", "warm"]).code, 0);
    assert_eq!(table(&["drop", "warm"]).code, 0);
    assert_eq!(table(&["list"]).out, "no tables\n");
    let all = table(&["list", "--all", "--json"]).out;
    assert!(all.contains("\"state\":\"dropped\""), "{all}");
    assert_eq!(table(&["recall", "1"]).out, "recalled table warm with the number 1\n");
    assert_eq!(table(&["drop", "cold"]).code, 1);
}
