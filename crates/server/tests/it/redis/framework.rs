//! Connections, transactions and foreign bytes.

use super::{Ours, Value, compare, random_commands, words};
use ferrolith_server::clock::Clock;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

#[test]
fn commands_and_errors() {
    let ours = Ours::start();
    let mut client = ours.connect();
    assert_eq!(client.say("PING"), Value::Simple("PONG".into()));
    assert_eq!(client.say("GET a"), Value::Null);
    assert_eq!(client.say("SET a 1"), Value::Simple("OK".into()));
    assert_eq!(client.say("get a"), Value::bulk("1"));
    assert_eq!(client.say("DEL a b"), Value::Integer(1));
    let unknown = "ERR unknown command 'nope', with args beginning with: 'a' 'b' ";
    assert_eq!(client.say("nope a b"), Value::Error(unknown.into()));
    let arity = "ERR wrong number of arguments for 'get' command";
    assert_eq!(client.say("GET"), Value::Error(arity.into()));
}

#[test]
fn databases_are_apart() {
    let ours = Ours::start();
    let mut client = ours.connect();
    client.say("SET a 0");
    assert_eq!(client.say("SELECT 9"), Value::Simple("OK".into()));
    assert_eq!(client.say("GET a"), Value::Null);
    client.say("SET a 9");
    client.say("SELECT 0");
    assert_eq!(client.say("GET a"), Value::bulk("0"));
    assert_eq!(client.say("SELECT 16"), Value::Error("ERR DB index is out of range".into()));
}

#[test]
fn transactions() {
    let ours = Ours::start();
    let (mut client, mut other) = (ours.connect(), ours.connect());
    client.say("MULTI");
    assert_eq!(client.say("SET a 1"), Value::Simple("QUEUED".into()));
    assert_eq!(other.say("GET a"), Value::Null);
    client.say("GET a");
    let replies = Value::Array(vec![Value::Simple("OK".into()), Value::bulk("1")]);
    assert_eq!(client.say("EXEC"), replies);
    client.say("WATCH a");
    other.say("SET b 1");
    client.say("MULTI");
    client.say("GET a");
    assert_eq!(client.say("EXEC"), Value::Array(vec![Value::bulk("1")]), "b is not watched");
    client.say("WATCH a");
    other.say("SET a 2");
    client.say("MULTI");
    client.say("SET a 3");
    assert_eq!(client.say("EXEC"), Value::NullArray);
    assert_eq!(client.say("GET a"), Value::bulk("2"));
    client.say("MULTI");
    client.say("GET");
    let refused = "EXECABORT Transaction discarded because of previous errors.";
    assert_eq!(client.say("EXEC"), Value::Error(refused.into()));
}

/// A clock that moves 100 ms whenever it is read.
#[derive(Default)]
struct Hurrying(AtomicU64);

impl Clock for Hurrying {
    fn wall_us(&self) -> u64 {
        1_767_225_600_000_000 + self.0.fetch_add(100_000, Ordering::Relaxed)
    }

    fn monotonic_us(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

#[test]
fn all_commands_of_a_transaction_have_one_time() {
    let ours = Ours::start_with(Arc::new(Hurrying::default()));
    let mut client = ours.connect();
    client.say("SET a v PX 3000");
    client.say("MULTI");
    for _ in 0..40 {
        assert_eq!(client.say("GET a"), Value::Simple("QUEUED".into()));
    }
    assert_eq!(client.say("EXEC"), Value::Array(vec![Value::bulk("v"); 40]));
}

#[test]
fn requests_in_pieces_and_foreign_bytes() {
    let ours = Ours::start();
    let mut client = ours.connect();
    for byte in b"*2\r\n$3\r\nGET\r\n$1\r\na\r\nPING\r\n" {
        client.raw(&[*byte]);
    }
    assert_eq!(client.receive(), Value::Null);
    assert_eq!(client.receive(), Value::Simple("PONG".into()));
    for garbage in [&b"*-5\r\n*999999999\r\n"[..], b"*1\r\n$99999999999\r\n", b"\x16\x03\x01\0\r\n"]
    {
        let mut client = ours.connect();
        client.raw(garbage);
        assert!(matches!(client.receive(), Value::Error(_)), "{garbage:?}");
        // An unknown inline command is answered, and the connection stays open.
        if garbage[0] == b'*' {
            assert!(client.is_closed());
        }
    }
    assert_eq!(client.call(&words("PING")), Value::Simple("PONG".into()));
}

#[test]
fn transactions_reply_as_redis_does() {
    let words_of = ["MULTI", "EXEC", "DISCARD", "WATCH a b", "UNWATCH", "WATCH", "EXEC x", "NOPE"];
    let plain = [
        "SET a 1",
        "SET b",
        "GET a",
        "GET b",
        "DEL a b",
        "ECHO x",
        "PING",
        "PING a b",
        "SELECT 17",
    ];
    let commands = |protocol: u8| {
        let mut random = fastrand::Rng::with_seed(protocol.into());
        let mut command = |_| {
            let set = if random.usize(..4) == 0 { &words_of[..] } else { &plain[..] };
            words(set[random.usize(..set.len())])
        };
        (0..random_commands(3000)).map(&mut command).collect()
    };
    compare(commands, |_, value| value.sorted());
}

#[test]
fn pipelines_reply_as_single_commands_do() {
    let plain = [
        "SET a 1",
        "SET b 2",
        "SET a 3 NX x",
        "GET a",
        "GET b",
        "DEL a b",
        "DEL a",
        "GET",
        "NOPE",
        "MULTI",
        "EXEC",
        "SELECT 1",
        "SELECT 0",
        "WATCH a",
        "PING",
    ];
    let ours = Ours::start();
    let (mut one, mut many) = (ours.connect(), ours.connect());
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..random_commands(2000) / 20 {
        let commands: Vec<_> =
            (0..random.usize(1..300)).map(|_| words(plain[random.usize(..plain.len())])).collect();
        for client in [&mut one, &mut many] {
            for reset in ["DISCARD", "UNWATCH", "SELECT 1", "DEL a b", "SELECT 0", "DEL a b"] {
                client.say(reset);
            }
        }
        let expected: Vec<_> = commands.iter().map(|command| one.call(command)).collect();
        for client in [&mut one, &mut many] {
            for reset in ["DISCARD", "UNWATCH", "SELECT 1", "DEL a b", "SELECT 0", "DEL a b"] {
                client.say(reset);
            }
        }
        assert_eq!(many.pipeline(&commands), expected);
    }
}

#[test]
fn pipelines_with_inline_requests_in_pieces() {
    let ours = Ours::start();
    let mut client = ours.connect();
    let bytes = b"*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\n1\r\n\r\nGET a\r\n*0\r\n*2\r\n$3\r\nGET\r\n$1\r\na\r\nECHO \"x y\"\r\n\
        *2\r\n$3\r\nGET\r\n$1\r\na\r\n*2\r\n$3\r\nGET\r\n$1\r\nb\r\n";
    for piece in [1, 2, 3, 7, 20, bytes.len()] {
        for part in bytes.chunks(piece) {
            client.raw(part);
            if piece < 4 {
                std::thread::sleep(std::time::Duration::from_micros(300));
            }
        }
        let one = Value::bulk("1");
        let expected = [
            Value::Simple("OK".into()),
            one.clone(),
            one.clone(),
            Value::bulk("x y"),
            one,
            Value::Null,
        ];
        for expected in expected {
            assert_eq!(client.receive(), expected, "in pieces of {piece}");
        }
    }
}
