//! The door of Redis clients of a Pegasus table.

use super::Row;
use super::Theme::{self, *};
use super::redis::{Case, Request, check, cut, http, rows_of};
use super::world::World;

const fn say(
    theme: Theme,
    name: &'static str,
    request: fn() -> Vec<u8>,
    answer: &'static str,
) -> Case {
    let request = Request::Answered(request);
    Case { theme, name, user: "", request, answer, closes: false }
}

const NO_PASSWORDS: &str = "ERR Pegasus tables have no passwords: AUTH is not supported";

/// Defines a case of a command that only the door of Redis clients has.
macro_rules! lacks {
    ($line:literal, $command:literal) => {
        say(
            Rights,
            concat!("`", $line, "`"),
            || concat!($line, "\r\n").into(),
            concat!(
                "ERR the command '",
                $command,
                "' is not supported on Pegasus tables, such as t"
            ),
        )
    };
}

/// Returns a command with a last argument of this length.
fn long(words: &[&str], length: usize) -> Vec<u8> {
    let mut request = format!("*{}\r\n", words.len() + 1).into_bytes();
    for word in words.iter().map(|word| word.as_bytes().to_vec()).chain([vec![b'x'; length]]) {
        request.extend(format!("${}\r\n", word.len()).bytes());
        request.extend(word);
        request.extend(b"\r\n");
    }
    request
}

const CASES: &[Case] = &[
    say(
        Credentials,
        "AUTH, where there are no passwords",
        || b"AUTH right\r\n".into(),
        NO_PASSWORDS,
    ),
    say(
        Credentials,
        "HELLO with AUTH, where there are no passwords",
        || b"HELLO 3 AUTH default right\r\n".into(),
        NO_PASSWORDS,
    ),
    lacks!("CONFIG GET requirepass", "config|get"),
    lacks!("ACL LIST", "acl|list"),
    lacks!("FLUSHALL", "flushall"),
    lacks!("EVAL x 0", "eval"),
    lacks!("SHUTDOWN", "shutdown"),
    lacks!("REPLICAOF h 1", "replicaof"),
    say(
        Rights,
        "SELECT of a database of the Redis clients",
        || b"SELECT 1\r\n".into(),
        "ERR DB index is out of range",
    ),
    say(
        Oversized,
        "A write of more than 1 MiB",
        || long(&["SET", "h"], 1 << 20),
        "ERR the arguments have 1048580 bytes, expected at most 1048576 in a write to a Pegasus table",
    ),
    say(
        Oversized,
        "A key of more than 65534 bytes",
        || long(&["GET"], 65_535),
        "ERR the key has 65535 bytes, expected at most 65534 in a Pegasus table",
    ),
    cut(
        Oversized,
        "An argument of more than 16 MiB",
        "",
        || b"*1\r\n$16777217\r\n".to_vec(),
        "ERR Protocol error: invalid bulk length",
    ),
    cut(
        Oversized,
        "A line of more than 64 KiB",
        "",
        || vec![b'x'; (64 << 10) + 1],
        "ERR Protocol error: too big inline request",
    ),
    cut(CrossSite, "HTTP: a POST whose body has commands", "", || http("POST / HTTP/1.1"), ""),
    cut(
        CrossSite,
        "HTTP: a PUT whose body has commands; closed at the line `Host:`",
        "",
        || http("PUT / HTTP/1.1"),
        "ERR unknown command 'PUT', with args beginning with: '/' 'HTTP/1.1' ",
    ),
    cut(
        Malformed,
        "An argument without `$`",
        "",
        || b"*1\r\n:4\r\n".to_vec(),
        "ERR Protocol error: expected '$', got ':'",
    ),
];

pub fn rows() -> Vec<Row> {
    rows_of("Redis on a Pegasus table", CASES)
}

#[test]
fn redis_clients_of_pegasus_tables_are_refused() {
    let world = World::start();
    check(&world, world.proxy, CASES);
}
