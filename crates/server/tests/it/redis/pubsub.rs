//! Subscriptions, messages and keyspace events, compared with Redis.

use super::{Client, Ours, Theirs, Value, random_commands, words};
use fastrand::Rng;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

const NAMES: [&str; 5] = ["a", "b", "ab", "news.1", "news.2"];
const PATTERNS: [&str; 5] = ["*", "a*", "news.*", "[ab]", "x"];

fn pick<'a>(random: &mut Rng, list: &[&'a str]) -> &'a str {
    list[random.usize(..list.len())]
}

/// Sends commands and returns all that the client receives until it has replies to them and to a PING that follows.
fn receive_all(client: &mut Client, commands: &[String]) -> Vec<Value> {
    commands.iter().for_each(|command| client.send(&words(command)));
    client.send(&["PING", "the marker"]);
    let mut all = Vec::new();
    loop {
        let marker = Value::bulk("the marker");
        match client.receive() {
            value if value == marker => return all,
            Value::Array(list) if list.last() == Some(&marker) => return all,
            value => all.push(value),
        }
    }
}

/// Makes two lists of messages comparable: patterns, and names in UNSUBSCRIBE without arguments, have no order.
fn canonical(values: Vec<Value>) -> Vec<Value> {
    let split = |value: Value| match value {
        Value::Array(mut list) | Value::Push(mut list) if matches!(list.first(), Some(Value::Bulk(word)) if word.ends_with(b"unsubscribe")) =>
        {
            let count = list.pop().into_iter().collect();
            vec![Value::Array(list), Value::Array(count)]
        }
        Value::Array(list) => {
            let is_message =
                matches!(list.first(), Some(Value::Bulk(word)) if word.ends_with(b"message"));
            let list = Value::Array(list.into_iter().map(Value::sorted).collect());
            vec![if is_message { list } else { list.sorted() }]
        }
        value => vec![value],
    };
    let mut all: Vec<Value> = values.into_iter().flat_map(split).collect();
    all.sort();
    all
}

fn step(random: &mut Rng, at: usize) -> Vec<String> {
    let (name, pattern) = (pick(random, &NAMES), pick(random, &PATTERNS));
    let mut command = |_| match random.usize(..16) {
        0 => format!("SUBSCRIBE {name}"),
        1 => format!("PSUBSCRIBE {pattern}"),
        2 => format!("SSUBSCRIBE {name}"),
        3 => format!("UNSUBSCRIBE {name}"),
        4 => format!("PUNSUBSCRIBE {pattern}"),
        5 => format!("SUNSUBSCRIBE {name}"),
        6..11 => format!("PUBLISH {name} {}", random.u8(..)),
        11 => format!("SPUBLISH {name} {}", random.u8(..)),
        12 => format!("PUBSUB CHANNELS {pattern}"),
        13 => format!("PUBSUB {} a b news.1", pick(random, &["NUMSUB", "SHARDNUMSUB"])),
        14 => pick(random, &["PUBSUB NUMPAT", "PUBSUB SHARDCHANNELS", "PUBSUB x", "PUBSUB"]).into(),
        _ => "GET a".into(),
    };
    let commands: Vec<String> = (0..3).map(&mut command).collect();
    match random.usize(..12) {
        0 => vec![pick(random, &["UNSUBSCRIBE", "PUNSUBSCRIBE", "SUNSUBSCRIBE"]).into()],
        1 => {
            let several = ["SUBSCRIBE a b a", "UNSUBSCRIBE a b x", "PSUBSCRIBE a* *", "RESET"];
            vec![pick(random, &several).into()]
        }
        2 | 3 => {
            // Redis 7.0 writes a message of a transaction to its own client in the middle of the reply.
            let is_publishing = random.bool() && at != 2;
            let mut commands = commands;
            commands.retain(|command| match is_publishing {
                true => !command.contains("SUBSCRIBE"),
                false => !command.contains("PUBLISH"),
            });
            let begin = std::iter::once("MULTI".to_owned());
            begin.chain(commands).chain(["EXEC".to_owned()]).collect()
        }
        _ => commands.into_iter().take(1).collect(),
    }
}

#[test]
fn messages_as_redis() {
    let Some(theirs) = Theirs::start() else { return };
    let ours = Ours::start();
    let connect = |address: SocketAddr| {
        [2, 2, 3].map(|protocol| {
            let mut client = Client::connect(address);
            client.say(&format!("HELLO {protocol}"));
            client
        })
    };
    let (mut our, mut their) = (connect(ours.address), connect(theirs.address));
    let mut random = Rng::with_seed(1);
    for round in 0..random_commands(3000) {
        let at = random.usize(..3);
        let commands = step(&mut random, at);
        for client in (0..3).map(|i| (at + i) % 3) {
            let commands = if client == at { &commands[..] } else { &[] };
            let found = canonical(receive_all(&mut our[client], commands));
            let expected = canonical(receive_all(&mut their[client], commands));
            assert_eq!(found, expected, "round {round}, client {client} of {at}: {commands:?}");
        }
        // RESET chooses RESP2, and ends the subscriptions of a client that would switch protocols.
        if commands[0] == "RESET" && at == 2 {
            for client in [&mut our[2], &mut their[2]] {
                receive_all(client, &["HELLO 3".into()]);
            }
        }
    }
}

fn change(random: &mut Rng) -> String {
    let keys = ["s", "s2", "n", "list", "list2", "set", "set2", "hash", "zset", "zset2"];
    let (key, other) = (pick(random, &keys), pick(random, &keys));
    let small = random.u8(..6);
    match random.usize(..48) {
        0 => format!("SET s {small}"),
        1 => format!("SET {key} x EX 1000"),
        2 => format!("SETNX s2 {small}"),
        3 => format!("APPEND s {small}"),
        4 => format!("SETRANGE s {small} x"),
        5 => format!("INCRBY n {small}"),
        6 => "INCRBYFLOAT n 1.5".into(),
        7 => format!("GETSET s {small}"),
        8 => format!("GETDEL {key}"),
        9 => format!("GETEX s {}", pick(random, &["EX 100", "PERSIST", "EXAT 1"])),
        10 => "MSET s 1 s2 2".into(),
        11 => format!("SETBIT s2 {small} 1"),
        12 => format!("LPUSH list {small} {small}"),
        13 => format!("RPUSH list2 {small}"),
        14 => format!("LPUSHX list2 {small}"),
        15 => pick(random, &["LPOP list", "RPOP list2", "LPOP list 5"]).into(),
        16 => format!("LREM list 0 {small}"),
        17 => pick(random, &["LTRIM list 0 2", "LTRIM list2 1 0", "LSET list 0 x"]).into(),
        18 => format!("LINSERT list BEFORE {small} y"),
        19 => pick(random, &["LMOVE list list2 LEFT RIGHT", "RPOPLPUSH list2 list"]).into(),
        20 => format!("SADD set {small}"),
        21 => format!("SREM set {small}"),
        22 => format!("SMOVE set set2 {small}"),
        23 => format!("SADD set2 {small} x"),
        24 => pick(random, &["SUNIONSTORE set set set2", "SINTERSTORE set2 set none"]).into(),
        25 => format!("HSET hash {small} x"),
        26 => format!("HDEL hash {small}"),
        27 => format!("HINCRBY hash i{small} 1"),
        28 => format!("HSETNX hash {small} x"),
        29 => format!("HINCRBYFLOAT hash i{small} 0.5"),
        30 => format!("ZADD zset {small} {small}"),
        31 => format!("ZINCRBY zset 1 {small}"),
        32 => format!("ZREM zset {small}"),
        33 => pick(random, &["ZPOPMIN zset", "ZPOPMAX zset 2", "ZREMRANGEBYRANK zset 0 0"]).into(),
        34 => pick(random, &["ZREMRANGEBYSCORE zset 0 2", "ZREMRANGEBYLEX zset - +"]).into(),
        35 => pick(random, &["ZUNIONSTORE zset2 1 zset", "ZINTERSTORE zset2 2 zset none"]).into(),
        36 => pick(random, &["ZRANGESTORE zset2 zset 0 1", "ZDIFFSTORE zset2 1 zset"]).into(),
        37 => format!("DEL {key} {other}"),
        38 => format!("UNLINK {key}"),
        39 => format!("EXPIRE {key} {}", pick(random, &["1000", "-1", "0"])),
        40 => format!("PERSIST {key}"),
        41 => format!("RENAME {key} {other}"),
        42 => format!("COPY {key} {other} REPLACE"),
        43 => format!("MOVE {key} 1"),
        44 => pick(random, &["SORT list STORE list2", "SORT none STORE list2"]).into(),
        45 => format!("PFADD {key} {small}"),
        46 => pick(random, &["GEOADD zset2 13 38 p", "FLUSHALL", "BITOP NOT s2 s"]).into(),
        _ => pick(random, &["XADD stream * a b", "XTRIM stream MAXLEN 1", "DEL stream"]).into(),
    }
}

#[test]
fn keyspace_events_as_redis() {
    let Some(theirs) = Theirs::start() else { return };
    let ours = Ours::start();
    let connect = |address: SocketAddr| {
        let mut clients = [Client::connect(address), Client::connect(address)];
        clients[0].say("CONFIG SET notify-keyspace-events AKEn");
        clients[1].say("PSUBSCRIBE *");
        clients
    };
    let (mut our, mut their) = (connect(ours.address), connect(theirs.address));
    let mut random = Rng::with_seed(2);
    for _ in 0..random_commands(4000) {
        let command = change(&mut random);
        if !command.starts_with("XADD") {
            assert_eq!(our[0].say(&command), their[0].say(&command), "{command}");
        } else {
            our[0].say(&command);
            their[0].say(&command);
        }
        let found = receive_all(&mut our[1], &[]);
        assert_eq!(found, receive_all(&mut their[1], &[]), "{command}");
    }
}

/// Commands that read absent keys, and some that do not tell so.
const MISSES: &str = "GET none|MGET none s none|EXISTS none none s|TTL none|PTTL none|EXPIRETIME none|TYPE none\
    |STRLEN none|GETRANGE none 0 1|LCS none s|GETEX none|GETDEL none|GETSET none2 v|DEL none2|GETBIT none 0\
    |BITCOUNT none|BITPOS none 1|BITFIELD_RO none GET u4 0|PFCOUNT none|HGET none f|HMGET none f g|HGETALL none\
    |HLEN none|HRANDFIELD none|HSCAN none 0|LLEN none|LRANGE none 0 1|LINDEX none 0|LPOS none x|SMEMBERS none\
    |SISMEMBER none m|SCARD none|SRANDMEMBER none|SSCAN none 0|ZSCORE none m|ZRANGE none 0 1|ZRANK none m\
    |ZCOUNT none 0 1|ZCARD none|ZRANDMEMBER none|GEOPOS none m|XLEN none|XRANGE none - +|DUMP none|TOUCH none\
    |OBJECT ENCODING none|OBJECT REFCOUNT none|MEMORY USAGE none|SORT_RO none|SET none x XX|LPOP none\
    |EXPIRE none 10|PERSIST none|RENAME none other|GET s|MGET s s|LRANGE none 0 -1|SORT none|SORT none STORE d\
    |SORT l BY w_* GET # GET v_*->f GET none_* ALPHA|SORT_RO l BY w_* GET v_*|SORT l BY w_* STORE d|SORT l BY x GET y";

#[test]
fn absent_keys_are_told_as_redis_does() {
    let Some(theirs) = Theirs::start() else { return };
    let ours = Ours::start();
    let connect = |address: SocketAddr| {
        let mut clients = [Client::connect(address), Client::connect(address)];
        for command in ["SET s value", "RPUSH l 1 2", "SET w_1 1", "HSET v_2 f x"] {
            clients[0].say(command);
        }
        clients[0].say("CONFIG SET notify-keyspace-events KEm");
        clients[1].say("PSUBSCRIBE *");
        clients
    };
    let (mut our, mut their) = (connect(ours.address), connect(theirs.address));
    let mut told = 0;
    for command in MISSES.split('|') {
        for in_transaction in [false, true] {
            for client in [&mut our[0], &mut their[0]] {
                if in_transaction {
                    client.say("MULTI");
                }
                client.say(command);
                if in_transaction {
                    client.say("EXEC");
                }
            }
            let found = receive_all(&mut our[1], &[]);
            assert_eq!(found, receive_all(&mut their[1], &[]), "{command}");
            told += found.len();
        }
    }
    assert!(told > 100, "{told}");
}

#[test]
fn events_of_keys_that_expire() {
    let ours = Ours::start();
    let (mut client, mut subscriber) = (ours.connect(), ours.connect());
    client.say("SET before x PX 200");
    client.say("CONFIG SET notify-keyspace-events Ex");
    subscriber.say("SUBSCRIBE __keyevent@0__:expired");
    client.say("SET kept x PX 100");
    client.say("PERSIST kept");
    client.say("RPUSH list a");
    client.say("PEXPIRE list 300");
    let message =
        |key| Value::Array(["message", "__keyevent@0__:expired", key].map(Value::bulk).to_vec());
    let start = Instant::now();
    assert_eq!(subscriber.receive(), message("before"));
    assert_eq!(subscriber.receive(), message("list"));
    assert!(start.elapsed() < Duration::from_secs(20));
    assert_eq!(client.say("EXISTS before list kept"), Value::Integer(1));
}

#[test]
fn a_closed_connection_has_no_subscriptions() {
    let ours = Ours::start();
    let mut client = ours.connect();
    let mut subscriber = ours.connect();
    subscriber.say("SUBSCRIBE a");
    subscriber.say("PSUBSCRIBE a*");
    assert_eq!(client.say("PUBLISH a x"), Value::Integer(2));
    drop(subscriber);
    let start = Instant::now();
    while client.say("PUBLISH a x") != Value::Integer(0) {
        assert!(start.elapsed() < Duration::from_secs(20));
    }
    assert_eq!(client.say("PUBSUB NUMPAT"), Value::Integer(0));
}
