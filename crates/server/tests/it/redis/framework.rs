//! Connections, transactions and foreign bytes.

use super::{Ours, Value, compare, random_commands, words};

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
