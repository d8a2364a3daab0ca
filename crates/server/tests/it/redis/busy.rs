//! Scripts that run long: they leave their workers, and other commands are answered with BUSY.
//!
//! Connections are given to the two workers in turn, so the first and the third connection have the same worker.

use super::{Client, Ours, Value, words};
use ferrolith_server::redis::Session;
use ferrolith_server::redis::args::Args;
use ferrolith_server::resp::Reply;
use std::time::{Duration, Instant};

const BUSY: &str =
    "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.";
const BUSY_FUNCTION: &str =
    "BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE.";

fn error(text: &str) -> Value {
    Value::Error(text.to_owned())
}

fn ok() -> Value {
    Value::Simple("OK".to_owned())
}

fn eval<'a>(source: &'a str, rest: &[&'a str]) -> Vec<&'a str> {
    ["EVAL", source].into_iter().chain(rest.iter().copied()).collect()
}

fn is_error(value: &Value, start: &str) -> bool {
    matches!(value, Value::Error(text) if text.starts_with(start))
}

/// Sends a command until its reply is the expected one.
#[track_caller]
fn wait_for(client: &mut Client, command: &str, expected: impl Fn(&Value) -> bool) {
    let start = Instant::now();
    loop {
        let found = client.say(command);
        if expected(&found) {
            return;
        }
        assert!(start.elapsed() < Duration::from_secs(20), "{command} replies {found:?}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Returns connections of both workers and another one of the first; scripts are late after 20 ms.
fn three(ours: &Ours) -> [Client; 3] {
    let [mut first, second, third] = [(); 3].map(|()| ours.connect());
    assert_eq!(first.say("CONFIG SET lua-time-limit 20"), ok());
    [first, second, third]
}

#[test]
fn all_connections_get_busy_until_the_script_is_killed() {
    let ours = Ours::start();
    let [mut script, mut other, mut same] = three(&ours);
    other.say("MULTI");
    same.say("SUBSCRIBE channel");
    let mut third = ours.connect();
    let mut admin = ours.connect();
    // What follows in the pipeline is answered after it.
    script.send(&eval("while true do redis.call('ping') end", &["0"]));
    script.send(&["ECHO", "after"]);
    wait_for(&mut admin, "PING", |reply| *reply == error(BUSY));
    assert_eq!(third.say("GET a"), error(BUSY));
    assert_eq!(other.say("GET a"), error(BUSY));
    assert_eq!(third.say("FUNCTION KILL"), error(BUSY));
    assert_eq!(third.say("SHUTDOWN"), error(BUSY));
    assert_eq!(third.say("MULTI"), ok());
    assert_eq!(third.say("DISCARD"), ok());
    let pipeline: Vec<_> = ["GET a", "SET a 1", "PING"].map(words).to_vec();
    assert_eq!(third.pipeline(&pipeline), vec![error(BUSY); 3]);
    assert!(matches!(third.say("FUNCTION STATS"), Value::Array(_)));
    let mut late = ours.connect();
    assert_eq!(
        late.say("AUTH x"),
        error(
            "ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?"
        )
    );
    assert_eq!(admin.say("SCRIPT KILL"), ok());
    assert!(is_error(&script.receive(), "ERR Script killed by user with SCRIPT KILL..."));
    assert_eq!(script.receive(), Value::bulk("after"));
    for client in [&mut script, &mut third, &mut admin, &mut late] {
        assert_eq!(client.say("GET a"), Value::Null);
    }
    let aborted = "EXECABORT Transaction discarded because of previous errors.";
    assert_eq!(other.say("EXEC"), error(aborted));
    assert_eq!(third.say("PUBLISH channel hello"), Value::Integer(1));
    assert_eq!(
        same.receive(),
        Value::Array(["message", "channel", "hello"].map(Value::bulk).to_vec())
    );
    assert_eq!(third.say("SCRIPT KILL"), error("NOTBUSY No scripts in execution right now."));
}

#[test]
fn functions_have_their_own_kill() {
    let ours = Ours::start();
    let [mut script, _, mut same] = three(&ours);
    let library = "#!lua name=lib\nredis.register_function('f', function() while true do end end)";
    assert_eq!(script.call(&["FUNCTION", "LOAD", library]), Value::bulk("lib"));
    script.send(&["FCALL", "f", "0"]);
    wait_for(&mut same, "PING", |reply| *reply == error(BUSY_FUNCTION));
    assert_eq!(same.say("SCRIPT KILL"), error(BUSY_FUNCTION));
    assert_eq!(same.say("FUNCTION KILL"), ok());
    assert!(is_error(&script.receive(), "ERR Script killed by user"));
    assert_eq!(same.say("PING"), Value::Simple("PONG".into()));
}

#[test]
fn a_script_that_has_written_cannot_be_killed_and_loses_its_writes_when_the_server_stops() {
    let mut ours = Ours::start();
    let [mut script, _, mut same] = three(&ours);
    let source =
        "redis.call('set', KEYS[1], 1) redis.call('set', 'undeclared', 1) while true do end";
    script.send(&eval(source, &["1", "a"]));
    wait_for(&mut same, "PING", |reply| *reply == error(BUSY));
    assert!(is_error(&same.say("SCRIPT KILL"), "UNKILLABLE "));
    // A command on its key waits for no latch.
    assert_eq!(same.say("WATCH a"), error(BUSY));
    let start = Instant::now();
    ours.stop();
    assert!(start.elapsed() < Duration::from_secs(10), "the script ends with the server");
    assert_eq!(get(&ours, b"a"), b"$-1\r\n");
    assert_eq!(get(&ours, b"undeclared"), b"$-1\r\n");
}

/// Reads a key without workers.
fn get(ours: &Ours, key: &[u8]) -> Vec<u8> {
    let (server, address) = (&ours.server, ours.address);
    let client =
        server.clients.add(address, address, 0, usize::MAX, server.users.default_account());
    let (mut session, mut out) = (Session::new(client, true), Reply::default());
    server.execute(&mut server.worker(), &mut session, Args::new(&[b"GET", key]), &mut out);
    out.take()
}

/// Returns the beginning of a script: it does nothing for some time after it has its own thread.
fn waste(ms: u32) -> String {
    format!(
        "local function now() local t = redis.call('time') return t[1] * 1000 + t[2] / 1000 end \
         local start = now() while now() - start < {ms} do end "
    )
}

/// Returns a script that calls a command, takes long, and calls it again.
fn long(call: &str) -> String {
    format!("{call} {} return {call}", waste(300))
}

#[test]
fn a_long_script_ends_and_writes_once() {
    let ours = Ours::start();
    let [mut script, mut other, mut same] = three(&ours);
    assert_eq!(script.say("CONFIG SET lua-time-limit 5000"), ok());
    script.send(&eval(&long("redis.call('incr', KEYS[1])"), &["1", "n"]));
    // The worker serves other connections meanwhile.
    assert_eq!(same.say("SET b 1"), ok());
    assert_eq!(same.say("GET n"), Value::Null, "nothing of the script is visible");
    assert_eq!(script.receive(), Value::Integer(2));
    assert_eq!(other.say("GET n"), Value::bulk("2"));
    script.send(&eval(&long("redis.call('incr', 'undeclared')"), &["0"]));
    assert_eq!(script.receive(), Value::Integer(2));
    let source = format!("redis.call('set', KEYS[1], 1) {} error('x')", waste(150));
    assert!(is_error(&script.call(&eval(&source, &["1", "kept"])), "ERR user_script:1: x"));
    assert_eq!(other.say("GET kept"), Value::bulk("1"));
    // Another database of the client stays selected.
    script.say("SELECT 3");
    let source =
        format!("{} redis.call('select', 5) return redis.call('set', 'five', 1)", waste(150));
    assert_eq!(script.call(&eval(&source, &["0"])), ok());
    assert_eq!(script.say("EXISTS five"), Value::Integer(0));
    script.say("SELECT 5");
    assert_eq!(script.say("EXISTS five"), Value::Integer(1));
}

#[test]
fn transactions_with_long_scripts() {
    let ours = Ours::start();
    let [mut client, mut other, _] = three(&ours);
    let source = long("redis.call('incr', 'n')");
    // The second one begins on a thread, since SELECT cannot be repeated.
    for (between, before, after) in [("SET x 1", 0, 4), ("SELECT 0", 4, 8)] {
        assert_eq!(client.say("WATCH n"), ok());
        client.say("MULTI");
        client.say("INCR n");
        client.call(&eval(&source, &["0"]));
        client.say(between);
        client.say("INCR n");
        let expected = [before + 1, before + 3, 0, after].map(Value::Integer);
        let Value::Array(mut found) = client.say("EXEC") else { panic!("no array") };
        found[2] = Value::Integer(0);
        assert_eq!(found, expected);
        wait_for(&mut other, "GET n", |reply| *reply == Value::bulk(&after.to_string()));
    }
    // Watched keys, and EXEC while a script runs.
    client.say("WATCH n");
    other.say("INCR n");
    client.say("MULTI");
    client.call(&eval(&source, &["0"]));
    client.say("SELECT 0");
    assert_eq!(client.say("EXEC"), Value::NullArray);
    client.say("MULTI");
    client.say("INCR n");
    other.send(&eval("while true do end", &["0"]));
    let mut admin = ours.connect();
    wait_for(&mut admin, "PING", |reply| *reply == error(BUSY));
    let aborted = format!("EXECABORT Transaction discarded because of: {BUSY}");
    assert_eq!(client.say("EXEC"), error(&aborted));
    assert_eq!(admin.say("SCRIPT KILL"), ok());
    assert!(is_error(&other.receive(), "ERR Script killed"));
    assert_eq!(client.say("GET n"), Value::bulk("9"));
    // A script of a transaction is killed; the other commands stay.
    client.say("MULTI");
    client.say("SET before 1");
    client.call(&eval("while true do end", &["0"]));
    client.say("SET after 1");
    client.send(&["EXEC"]);
    wait_for(&mut admin, "PING", |reply| *reply == error(BUSY));
    assert_eq!(admin.say("SCRIPT KILL"), ok());
    let Value::Array(replies) = client.receive() else { panic!("an array") };
    assert!(replies[0] == ok() && is_error(&replies[1], "ERR Script killed") && replies[2] == ok());
    assert_eq!(admin.say("EXISTS before after"), Value::Integer(2));
}

#[test]
fn blocked_clients_and_subscribers_are_served_after_a_busy_script() {
    let ours = Ours::start();
    let [mut script, mut other, mut waiting] = three(&ours);
    let (mut moving, mut subscriber) = (ours.connect(), ours.connect());
    subscriber.say("SUBSCRIBE channel");
    waiting.send(&words("BLPOP list 0"));
    moving.send(&words("BLMOVE from to LEFT RIGHT 0"));
    let blocked = |count| move |info: &Value| matches!(info, Value::Bulk(text) if String::from_utf8_lossy(text).contains(count));
    wait_for(&mut other, "INFO clients", blocked("blocked_clients:2"));
    other.say("CONFIG SET lua-time-limit 1500");
    let source = format!(
        "redis.call('rpush', KEYS[1], 'own') redis.call('rpush', KEYS[2], 'a') \
         redis.call('publish', 'channel', 'm') {} return 'done'",
        waste(4000)
    );
    script.send(&eval(&source, &["2", "to", "list"]));
    // The script's thread has the latch of `to` before the list `from` gets an element.
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(other.say("RPUSH from b"), Value::Integer(1));
    let is_busy = other.say("PING") == error(BUSY);
    assert_eq!(script.receive(), Value::bulk("done"));
    assert_eq!(moving.receive(), Value::bulk("b"));
    assert_eq!(waiting.receive(), Value::Array(["list", "a"].map(Value::bulk).to_vec()));
    assert_eq!(
        subscriber.receive(),
        Value::Array(["message", "channel", "m"].map(Value::bulk).to_vec())
    );
    // If the thread was late to take its latches, nothing was postponed.
    let order = if is_busy { ["own", "b"] } else { ["b", "own"] };
    wait_for(&mut other, "LRANGE to 0 -1", |reply| {
        *reply == Value::Array(order.map(Value::bulk).to_vec())
    });
}

#[test]
fn a_client_that_leaves_does_not_end_its_script() {
    let ours = Ours::start();
    let [mut script, mut other, _] = three(&ours);
    script.send(&eval(&long("redis.call('incr', KEYS[1])"), &["1", "n"]));
    std::thread::sleep(Duration::from_millis(30));
    drop(script);
    wait_for(&mut other, "GET n", |reply| *reply == Value::bulk("2"));
    let alone = |reply: &Value| {
        let Value::Bulk(text) = reply else { return false };
        String::from_utf8_lossy(text).contains("connected_clients:1\r\n")
    };
    wait_for(&mut other, "INFO clients", alone);
}

#[test]
fn scripts_that_declare_no_writes_run_during_a_pause_of_writes() {
    let ours = Ours::start();
    let [mut client, mut admin, _] = three(&ours);
    let library = "#!lua name=lib\nredis.register_function{function_name='f', callback=function() return 'f' end, flags={'no-writes'}}";
    client.call(&["FUNCTION", "LOAD", library]);
    assert_eq!(admin.say("CLIENT PAUSE 60000 WRITE"), ok());
    let reading = "#!lua flags=no-writes\nreturn 'r'";
    assert_eq!(client.call(&eval(reading, &["0"])), Value::bulk("r"));
    assert_eq!(client.call(&["EVAL_RO", "return 'r'", "0"]), Value::bulk("r"));
    assert_eq!(client.call(&["FCALL", "f", "0"]), Value::bulk("f"));
    client.say("MULTI");
    client.call(&eval(reading, &["0"]));
    assert_eq!(client.say("EXEC"), Value::Array(vec![Value::bulk("r")]));
    client.send(&eval("return 'w'", &["0"]));
    wait_for(
        &mut admin,
        "INFO clients",
        |reply| matches!(reply, Value::Bulk(text) if String::from_utf8_lossy(text).contains("blocked_clients:1")),
    );
    assert_eq!(admin.say("CLIENT UNPAUSE"), ok());
    assert_eq!(client.receive(), Value::bulk("w"));
}

#[test]
fn monitors_see_scripts_before_their_commands() {
    let ours = Ours::start();
    let [mut client, mut monitor, _] = three(&ours);
    assert_eq!(monitor.say("MONITOR"), ok());
    client.call(&eval("return redis.call('set', KEYS[1], 1)", &["1", "a"]));
    // The second evaluation, with all latches, is not shown.
    client.call(&eval("return redis.call('set', 'a', 1)", &["0"]));
    for expected in [
        "\"EVAL\" \"return redis.call('set', KEYS[1], 1)\" \"1\" \"a\"",
        "[0 lua] \"set\" \"a\" \"1\"",
        "\"EVAL\" \"return redis.call('set', 'a', 1)\" \"0\"",
        "[0 lua] \"set\" \"a\" \"1\"",
    ] {
        let Value::Simple(line) = monitor.receive() else { panic!("a line") };
        assert!(line.ends_with(expected), "{line}");
    }
}
