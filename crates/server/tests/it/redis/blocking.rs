//! Blocking commands: the order of service, wake-ups across workers, the end of time, and waiters that leave.

use super::{Client, Ours, Theirs, Value, words};
use std::net::SocketAddr;
use std::sync::mpsc;
use std::time::{Duration, Instant};

const CLIENTS: usize = 50;

/// Waits until so many clients are blocked.
fn wait_for_waiters(ours: &Ours, count: usize) {
    let start = Instant::now();
    while ours.server.waiters.len() != count {
        let found = ours.server.waiters.len();
        assert!(start.elapsed() < Duration::from_secs(20), "{found} of {count} clients block");
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// Returns a connection that blocks in a command, behind `before` other ones.
fn blocked(ours: &Ours, command: &str, before: usize) -> Client {
    let mut client = ours.connect();
    client.send(&words(command));
    wait_for_waiters(ours, before + 1);
    client
}

fn pair(key: &str, element: &str) -> Value {
    Value::Array(vec![Value::bulk(key), Value::bulk(element)])
}

#[test]
fn clients_are_served_in_the_order_of_their_arrival() {
    let ours = Ours::start();
    let mut clients: Vec<Client> =
        (0..CLIENTS).map(|i| blocked(&ours, "BRPOP other queue 0", i)).collect();
    let mut pusher = ours.connect();
    // One by one, several at once, and in a transaction.
    for i in 0..20 {
        assert_eq!(pusher.say(&format!("LPUSH queue {i}")), Value::Integer(1));
    }
    let many: Vec<String> = (20..35).map(|i| i.to_string()).collect();
    pusher.say(&format!("LPUSH queue {}", many.join(" ")));
    pusher.say("MULTI");
    for i in 35..CLIENTS {
        pusher.say(&format!("LPUSH queue {i}"));
    }
    pusher.say("EXEC");
    for (i, client) in clients.iter_mut().enumerate() {
        assert_eq!(client.receive(), pair("queue", &i.to_string()));
    }
    assert_eq!(pusher.say("LLEN queue"), Value::Integer(0));
    wait_for_waiters(&ours, 0);
}

#[test]
fn sorted_sets_serve_clients_in_the_order_of_their_arrival() {
    let ours = Ours::start();
    let commands = ["BZPOPMIN other zset 0", "BZMPOP 0 2 other zset MIN"];
    let mut clients: Vec<Client> =
        (0..CLIENTS).map(|i| blocked(&ours, commands[i % 2], i)).collect();
    let mut adder = ours.connect();
    for i in 0..20 {
        adder.say(&format!("ZADD zset {i} {i}"));
    }
    let many: Vec<String> = (20..35).map(|i| format!("{i} {i}")).collect();
    adder.say(&format!("ZADD zset {}", many.join(" ")));
    adder.say("MULTI");
    for i in 35..CLIENTS {
        adder.say(&format!("ZINCRBY zset {i} {i}"));
    }
    adder.say("EXEC");
    for (i, client) in clients.iter_mut().enumerate() {
        let number = i.to_string();
        let flat = vec![Value::bulk("zset"), Value::bulk(&number), Value::bulk(&number)];
        let nested = Value::Array(vec![Value::Array(flat[1..].to_vec())]);
        let expected = if i % 2 == 0 { flat } else { vec![Value::bulk("zset"), nested] };
        assert_eq!(client.receive(), Value::Array(expected));
    }
    assert_eq!(adder.say("EXISTS zset"), Value::Integer(0));
    wait_for_waiters(&ours, 0);
}

#[test]
fn sorted_sets_that_do_not_last_wake_nobody() {
    let ours = Ours::start();
    let mut client = blocked(&ours, "BZPOPMAX zset 0", 0);
    let mut adder = ours.connect();
    for command in ["MULTI", "ZADD zset 1 a", "DEL zset", "SET zset x", "EXEC", "DEL zset"] {
        adder.say(command);
    }
    wait_for_waiters(&ours, 1);
    adder.say("GEOADD other 1 1 a");
    adder.say("ZUNIONSTORE zset 1 other WEIGHTS 0");
    let expected = ["zset", "a", "0"].map(Value::bulk);
    assert_eq!(client.receive(), Value::Array(expected.to_vec()));
}

#[test]
fn consumers_of_a_group_are_served_in_the_order_of_their_arrival() {
    let ours = Ours::start();
    let mut pusher = ours.connect();
    for group in ["g", "h"] {
        pusher.say(&format!("XGROUP CREATE s {group} $ MKSTREAM"));
    }
    let command = |i: usize| {
        let group = if i < CLIENTS / 2 { "g" } else { "h" };
        format!("XREADGROUP GROUP {group} c{i} COUNT 1 BLOCK 0 STREAMS s >")
    };
    let mut clients: Vec<Client> = (0..CLIENTS).map(|i| blocked(&ours, &command(i), i)).collect();
    for i in 0..CLIENTS / 2 {
        pusher.say(&format!("XADD s {}-1 n {i}", i + 1));
    }
    for (i, client) in clients.iter_mut().enumerate() {
        let number = i % (CLIENTS / 2);
        let fields = Value::Array(vec![Value::bulk("n"), Value::bulk(&number.to_string())]);
        let entry = Value::Array(vec![Value::bulk(&format!("{}-1", number + 1)), fields]);
        let stream = Value::Array(vec![Value::bulk("s"), Value::Array(vec![entry])]);
        assert_eq!(client.receive(), Value::Array(vec![stream]), "client {i}");
    }
    wait_for_waiters(&ours, 0);
    // An older id makes entries new again, also for those who wait.
    let mut client = blocked(&ours, &command(0), 0);
    pusher.say("XGROUP SETID s g 1-1");
    assert!(matches!(client.receive(), Value::Array(_)));
}

/// Clients that take again and again get about the same number, and nothing is lost or served twice.
#[test]
fn clients_that_come_back_get_equal_shares() {
    const PUSHERS: usize = 4;
    const EACH: usize = 1000;
    let ours = Ours::start();
    let (sender, receiver) = mpsc::channel();
    let workers: Vec<_> = (0..CLIENTS)
        .map(|number| {
            let (mut client, sender) = (ours.connect(), sender.clone());
            std::thread::spawn(move || {
                loop {
                    match client.say("BRPOP queue 0") {
                        Value::Array(pair) if pair[1] == Value::bulk("stop") => break,
                        Value::Array(pair) => sender.send((number, pair[1].clone())).unwrap(),
                        other => panic!("{other:?}"),
                    }
                }
            })
        })
        .collect();
    wait_for_waiters(&ours, CLIENTS);
    let pushers: Vec<_> = (0..PUSHERS)
        .map(|number| {
            let mut client = ours.connect();
            std::thread::spawn(move || {
                for i in 0..EACH {
                    client.say(&format!("LPUSH queue {number}:{i}"));
                }
            })
        })
        .collect();
    let (mut shares, mut seen) = ([0; CLIENTS], Vec::new());
    for _ in 0..PUSHERS * EACH {
        let (number, element) = receiver.recv_timeout(Duration::from_secs(20)).unwrap();
        shares[number] += 1;
        seen.push(element);
    }
    pushers.into_iter().for_each(|pusher| pusher.join().unwrap());
    let mut pusher = ours.connect();
    for _ in 0..CLIENTS {
        pusher.say("LPUSH queue stop");
    }
    workers.into_iter().for_each(|worker| worker.join().unwrap());
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), PUSHERS * EACH, "elements that were served once");
    let fair = PUSHERS * EACH / CLIENTS;
    assert!(shares.iter().all(|share| *share >= fair / 2), "{shares:?}");
    assert_eq!(ours.server.waiters.len(), 0);
}

/// Prints how long a client waits from the push to its reply; see the notes of the suite for what it means.
#[test]
fn wake_ups_reach_the_other_worker() {
    let ours = Ours::start();
    // Connections are given to the two workers in turn.
    let mut clients = [ours.connect(), ours.connect()];
    let mut pusher = ours.connect();
    let mut times = Vec::new();
    for i in 0..200 {
        let client = &mut clients[i % 2];
        client.send(&words("BLPOP queue 0"));
        wait_for_waiters(&ours, 1);
        let start = Instant::now();
        pusher.send(&words("RPUSH queue x"));
        assert_eq!(client.receive(), pair("queue", "x"));
        times.push(start.elapsed());
        assert_eq!(pusher.receive(), Value::Integer(1));
    }
    times.sort();
    println!("wake-ups: median {:?}, P99 {:?}", times[100], times[197]);
    assert!(times[100] < Duration::from_millis(200), "median {:?}", times[100]);
}

#[test]
fn the_time_of_a_client_ends_once() {
    let ours = Ours::start();
    let mut client = ours.connect();
    for (command, reply) in [
        ("BLPOP a b 0.05", Value::NullArray),
        ("BRPOPLPUSH a b 0.05", Value::NullArray),
        ("BLMOVE a b LEFT LEFT 0.05", Value::NullArray),
        ("BLMPOP 0.05 2 a b LEFT COUNT 3", Value::NullArray),
    ] {
        let start = Instant::now();
        assert_eq!(client.say(command), reply, "{command}");
        assert!(start.elapsed() >= Duration::from_millis(50), "{command}");
        assert_eq!(ours.server.waiters.len(), 0);
    }
    // Requests that arrive meanwhile do not prolong it, and are answered afterwards.
    let start = Instant::now();
    client.send(&words("BLPOP a 1.5"));
    std::thread::sleep(Duration::from_millis(1300));
    client.send(&words("ECHO behind"));
    assert_eq!(client.receive(), Value::NullArray);
    let time = start.elapsed();
    assert!((1500..2700).contains(&time.as_millis()), "{time:?}");
    assert_eq!(client.receive(), Value::bulk("behind"));
    assert_eq!(client.say("RPUSH a 1"), Value::Integer(1), "the waiter is gone");
}

#[test]
fn clients_that_leave_are_passed_over() {
    let ours = Ours::start();
    let first = blocked(&ours, "BRPOP queue 0", 0);
    let mut second = blocked(&ours, "BRPOP queue 0", 1);
    drop(first);
    wait_for_waiters(&ours, 1);
    assert_eq!(ours.connect().say("RPUSH queue x"), Value::Integer(1));
    assert_eq!(second.receive(), pair("queue", "x"));
    assert_eq!(ours.connect().say("LLEN queue"), Value::Integer(0));
}

#[test]
fn commands_behind_a_blocking_one_wait() {
    let ours = Ours::start();
    let mut client = ours.connect();
    for command in ["BLPOP queue 0", "RPUSH done 1", "BLPOP queue 0", "LLEN done"] {
        client.send(&words(command));
    }
    wait_for_waiters(&ours, 1);
    let mut pusher = ours.connect();
    assert_eq!(pusher.say("LLEN done"), Value::Integer(0));
    pusher.say("RPUSH queue 1 2 3");
    let replies: Vec<_> = (0..4).map(|_| client.receive()).collect();
    let expected = [pair("queue", "1"), Value::Integer(1), pair("queue", "2"), Value::Integer(1)];
    assert_eq!(replies, expected);
    assert_eq!(pusher.say("LRANGE queue 0 -1"), Value::Array(vec![Value::bulk("3")]));
}

/// A step of a dialogue of several clients.
enum Step {
    /// A client sends a command and gets its reply.
    Say(usize, &'static str),
    /// A client sends a command in which it blocks.
    Send(usize, &'static str),
    /// A client gets the reply of a command that it sent.
    Receive(usize),
}

use Step::{Receive, Say, Send};

fn play(address: SocketAddr, protocol: u8, steps: &[Step]) -> Vec<Value> {
    let mut clients: Vec<Client> = (0..4).map(|_| Client::connect(address)).collect();
    for client in &mut clients {
        client.say(&format!("HELLO {protocol}"));
    }
    let mut replies = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        // Shown if the test fails.
        println!("step {number}");
        match step {
            Say(client, command) => replies.push(clients[*client].say(command)),
            Receive(client) => replies.push(clients[*client].receive()),
            Send(client, command) => {
                clients[*client].send(&words(command));
                // Redis does not tell when it has read it.
                std::thread::sleep(Duration::from_millis(60));
            }
        }
    }
    replies
}

/// Plays a dialogue on both servers, in both protocols, and compares the replies.
#[track_caller]
fn same(steps: &[Step]) {
    for protocol in [2, 3] {
        let Some(theirs) = Theirs::start() else { return };
        let ours = Ours::start();
        let found = play(ours.address, protocol, steps);
        assert_eq!(found, play(theirs.address, protocol, steps), "RESP{protocol}");
        assert_eq!(ours.server.waiters.len(), 0, "RESP{protocol}");
    }
}

#[test]
fn transactions_wake_when_they_are_complete() {
    same(&[
        Send(0, "BLPOP list 0"),
        Say(1, "MULTI"),
        Say(1, "RPUSH list a"),
        Say(1, "DEL list"),
        Say(1, "EXEC"),
        Say(1, "MULTI"),
        Say(1, "RPUSH list b"),
        Say(1, "DEL list"),
        Say(1, "SET list text"),
        Say(1, "EXEC"),
        Say(1, "DEL list"),
        Say(1, "MULTI"),
        Say(1, "LPUSH list c"),
        Say(1, "LPUSH list d"),
        Say(1, "EXEC"),
        Receive(0),
        Say(1, "LRANGE list 0 -1"),
        // In a transaction a blocking command does not wait.
        Say(1, "DEL list"),
        Say(1, "MULTI"),
        Say(1, "BLPOP list 0"),
        Say(1, "BRPOPLPUSH list other 0"),
        Say(1, "BLMOVE list other LEFT LEFT 0"),
        Say(1, "BLMPOP 0 1 list LEFT"),
        Say(1, "RPUSH list e"),
        Say(1, "BLPOP list 0"),
        Say(1, "EXEC"),
    ]);
}

#[test]
fn moved_elements_wake_further_clients() {
    same(&[
        Send(0, "BRPOPLPUSH a b 0"),
        Send(1, "BLMOVE b c LEFT RIGHT 0"),
        Send(2, "BLMPOP 0 2 x c LEFT COUNT 10"),
        Say(3, "RPUSH a 1"),
        Receive(0),
        Receive(1),
        Receive(2),
        // In a circle.
        Send(0, "BRPOPLPUSH a b 0"),
        Send(1, "BRPOPLPUSH b a 0"),
        Say(3, "RPUSH a 2"),
        Receive(0),
        Receive(1),
        Say(3, "LRANGE a 0 -1"),
        Say(3, "LRANGE b 0 -1"),
        Say(3, "DEL a b"),
        // On itself.
        Send(0, "BRPOPLPUSH a a 0"),
        Say(3, "RPUSH a 3 4"),
        Receive(0),
        Say(3, "LRANGE a 0 -1"),
    ]);
}

#[test]
fn keys_of_other_types_do_not_wake() {
    same(&[
        Say(3, "SET text x"),
        Say(0, "BLPOP text 0"),
        Say(0, "BLMOVE text a LEFT LEFT 0"),
        Send(0, "BLPOP list text 0.01"),
        Receive(0),
        Send(0, "BRPOPLPUSH list text 0"),
        Send(1, "BLPOP list 0"),
        Say(3, "SET list x"),
        Say(3, "DEL list"),
        Say(3, "RPUSH list 1"),
        Receive(0),
        Receive(1),
        Say(3, "LLEN list"),
    ]);
}

#[test]
fn clients_of_other_databases_do_not_wake() {
    same(&[
        Say(0, "SELECT 9"),
        Send(0, "BLPOP list 0"),
        Say(1, "RPUSH list 0"),
        Say(2, "SELECT 9"),
        Say(2, "RPUSH list 9"),
        Receive(0),
        Say(0, "LLEN list"),
        Say(1, "LLEN list"),
    ]);
}

#[test]
fn watched_keys_of_a_blocking_move() {
    same(&[
        Send(0, "BRPOPLPUSH source target 0"),
        Say(1, "WATCH target"),
        Say(2, "SET other 1"),
        Say(1, "MULTI"),
        Say(1, "GET target"),
        Say(1, "EXEC"),
        Say(1, "WATCH target"),
        Say(2, "RPUSH source 1"),
        Receive(0),
        Say(1, "MULTI"),
        Say(1, "GET other"),
        Say(1, "EXEC"),
    ]);
}

#[test]
fn clients_are_unblocked_by_others() {
    let ours = Ours::start();
    let (mut client, mut other) = (ours.connect(), ours.connect());
    let Value::Integer(id) = client.say("CLIENT ID") else { panic!("no id") };
    for (how, reply) in [
        ("", Value::NullArray),
        (" TIMEOUT", Value::NullArray),
        (" ERROR", Value::Error("UNBLOCKED client unblocked via CLIENT UNBLOCK".into())),
    ] {
        client.send(&words("BLPOP a b 0"));
        wait_for_waiters(&ours, 1);
        assert_eq!(other.say(&format!("CLIENT UNBLOCK {id}{how}")), Value::Integer(1));
        assert_eq!(client.receive(), reply, "{how}");
        wait_for_waiters(&ours, 0);
        assert_eq!(other.say(&format!("CLIENT UNBLOCK {id}{how}")), Value::Integer(0));
    }
    client.send(&words("BLPOP a b 0"));
    wait_for_waiters(&ours, 1);
    assert_eq!(other.say(&format!("CLIENT KILL ID {id}")), Value::Integer(1));
    assert!(client.is_closed());
    wait_for_waiters(&ours, 0);
    assert_eq!(other.say("RPUSH a 1"), Value::Integer(1));
}

#[test]
fn blocked_clients_of_several_types() {
    same(&[
        Send(0, "BZPOPMIN key 0"),
        Send(1, "BLPOP key 0"),
        Send(2, "BZPOPMAX key 0"),
        Say(3, "RPUSH key a"),
        Receive(1),
        Say(3, "ZADD key 1 a 2 b 3 c"),
        Receive(0),
        Receive(2),
        Say(3, "ZRANGE key 0 -1 WITHSCORES"),
    ]);
}

#[test]
fn streams_wake_all_who_read() {
    same(&[
        Say(3, "XADD s 1-1 f v"),
        Send(0, "XREAD BLOCK 0 STREAMS s $"),
        Send(1, "XREAD BLOCK 0 COUNT 1 STREAMS s other $ 0"),
        Send(2, "XREAD BLOCK 20000 STREAMS other none $ $"),
        // The entry is gone when the transaction is complete.
        Say(3, "MULTI"),
        Say(3, "DEL s"),
        Say(3, "XADD s 1-2 f v"),
        Say(3, "DEL s"),
        Say(3, "EXEC"),
        Say(3, "SET s text"),
        Say(3, "DEL s"),
        Say(3, "XADD s 2-1 f v"),
        Receive(0),
        Receive(1),
        Say(3, "XADD other 1-1 f v"),
        Receive(2),
        Say(3, "XREAD BLOCK 10 STREAMS s $"),
        Say(3, "MULTI"),
        Say(3, "XREAD BLOCK 0 STREAMS s $"),
        Say(3, "EXEC"),
    ]);
}

#[test]
fn consumers_are_served_in_order() {
    same(&[
        Say(3, "XGROUP CREATE s g $ MKSTREAM"),
        Send(0, "XREADGROUP GROUP g alice BLOCK 0 STREAMS s >"),
        Send(1, "XREADGROUP GROUP g bob BLOCK 0 NOACK STREAMS s >"),
        Say(3, "XADD s 1-1 f v"),
        Receive(0),
        Say(3, "XADD s 2-1 f v"),
        Receive(1),
        Say(3, "XPENDING s g"),
        Say(3, "XINFO GROUPS s"),
        Send(0, "XREADGROUP GROUP g alice BLOCK 0 STREAMS s >"),
        Say(3, "XGROUP DESTROY s g"),
        Receive(0),
        Say(3, "XGROUP CREATE s g $"),
        Send(0, "XREADGROUP GROUP g alice BLOCK 0 STREAMS s >"),
        Say(3, "DEL s"),
        Receive(0),
        Say(3, "XGROUP CREATE s g $ MKSTREAM"),
        Send(0, "XREADGROUP GROUP g alice BLOCK 0 STREAMS s >"),
        Say(3, "SET s text"),
        Receive(0),
        Say(3, "XREADGROUP GROUP g alice BLOCK 0 STREAMS s >"),
    ]);
}

#[test]
fn clients_wait_in_a_database() {
    same(&[
        Say(3, "SELECT 4"),
        Say(3, "RPUSH list x"),
        Say(0, "SELECT 9"),
        Send(0, "BLPOP list other 0"),
        Send(1, "BLPOP list 0"),
        Say(2, "SWAPDB 0 1"),
        Say(2, "SWAPDB 4 9"),
        Receive(0),
        Say(3, "LLEN list"),
        Send(0, "BLPOP list 0"),
        Say(2, "SWAPDB 4 9"),
        Say(3, "RPUSH list y"),
        Say(2, "SELECT 9"),
        Say(2, "RPUSH list z"),
        Receive(0),
        Say(2, "XGROUP CREATE s g $ MKSTREAM"),
        Send(0, "XREADGROUP GROUP g alice BLOCK 0 STREAMS s >"),
        Say(2, "SWAPDB 4 9"),
        Receive(0),
        Say(2, "SELECT 0"),
        Say(2, "RPUSH list 1"),
        Receive(1),
    ]);
}

#[test]
fn renamed_and_emptied_keys_wake() {
    same(&[
        Send(0, "BLPOP list 0"),
        Say(3, "RPUSH other 1 2"),
        Say(3, "RENAME other list"),
        Receive(0),
        Say(3, "LRANGE list 0 -1"),
        Say(3, "DEL list"),
        Send(0, "BLMOVE list target LEFT RIGHT 0"),
        Say(3, "RPUSH other 3"),
        Say(3, "COPY other list"),
        Receive(0),
        Say(3, "XGROUP CREATE s g $ MKSTREAM"),
        Send(0, "XREADGROUP GROUP g alice BLOCK 0 STREAMS s >"),
        Say(3, "FLUSHALL"),
        Receive(0),
    ]);
}
