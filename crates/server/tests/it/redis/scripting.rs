//! Scripts and functions over sockets.

use super::{Ours, Value, compare, words};
use std::time::{Duration, Instant};

fn eval(source: &str, rest: &[&str]) -> Vec<Vec<u8>> {
    let all = ["EVAL", source].into_iter().chain(rest.iter().copied());
    all.map(|word| word.as_bytes().to_vec()).collect()
}

fn call(parts: &[&str]) -> Vec<Vec<u8>> {
    parts.iter().map(|part| part.as_bytes().to_vec()).collect()
}

#[test]
fn the_same_dialogue() {
    const LIBRARY: &str = "#!lua name=lib\nlocal function f(keys, args) return redis.call('set', keys[1], args[1]) end\n\
        redis.register_function('f', f)\nredis.register_function{function_name='g', flags={'no-writes'}, \
        callback=function(keys) return redis.call('get', keys[1]) end}";
    let sha = "a42059b356c875f0717db19a51f6aaca9ae659ea";
    let commands = vec![
        eval("return redis.call('set', KEYS[1], ARGV[1])", &["1", "k", "v"]),
        eval("return redis.call('get', KEYS[1])", &["1", "k"]),
        // Undeclared keys, own writes, and writes before an error.
        eval(
            "redis.call('set', 'a', 1) redis.call('set', 'b', 2) return redis.call('mget', 'a', 'b')",
            &["0"],
        ),
        eval(
            "redis.call('incr', 'a') redis.call('incr', KEYS[1]) return {redis.call('get', 'a'), redis.call('get', KEYS[1])}",
            &["1", "n"],
        ),
        eval("redis.call('set', 'c', 3) error('x')", &["0"]),
        call(&["GET", "c"]),
        eval("redis.call('set', 'd', 3) return redis.call('lpush', 'd', 1)", &["0"]),
        call(&["GET", "d"]),
        eval("return redis.pcall('lpush', 'd', 1)", &["0"]),
        eval("return redis.call('lrange', KEYS[1], 0, -1)", &["1", "nolist"]),
        eval(
            "for i = 1, 50 do redis.call('rpush', KEYS[1], i) end return redis.call('llen', KEYS[1])",
            &["1", "l"],
        ),
        eval("return redis.call('hgetall', KEYS[1])", &["1", "nohash"]),
        eval(
            "redis.call('hset', KEYS[1], 'f', 'v') redis.setresp(3) return redis.call('hgetall', KEYS[1])",
            &["1", "h"],
        ),
        eval(
            "redis.call('zadd', KEYS[1], 1.5, 'm') redis.setresp(3) return redis.call('zscore', KEYS[1], 'm')",
            &["1", "z"],
        ),
        eval(
            "redis.call('select', 5) redis.call('set', 'other', 1) return redis.call('get', 'other')",
            &["0"],
        ),
        call(&["GET", "other"]),
        eval("return redis.call('eval', 'return 1', 0)", &["0"]),
        eval("return redis.call('multi')", &["0"]),
        eval("return redis.call('blpop', 'x', 0)", &["0"]),
        eval("return redis.call('subscribe', 'x')", &["0"]),
        eval("return redis.call('get')", &["0"]),
        eval("return redis.call('config', 'nosuch')", &["0"]),
        eval("return 1", &["x"]),
        eval("return 1", &["-1"]),
        eval("return 1", &["2", "a"]),
        eval("return {#KEYS, #ARGV}", &["2", "a", "b", "c"]),
        eval("return (", &["0"]),
        eval("#!lua flags=no-writes\nreturn redis.call('set', KEYS[1], 1)", &["1", "k"]),
        eval("#!lua flags=bad\nreturn 1", &["0"]),
        call(&["EVAL_RO", "return redis.call('get', KEYS[1])", "1", "k"]),
        call(&["EVAL_RO", "return redis.call('set', KEYS[1], 1)", "1", "k"]),
        call(&["EVAL_RO", "#!lua\nreturn 1", "0"]),
        call(&["EVALSHA", sha, "0"]),
        call(&["EVALSHA", "x", "0"]),
        call(&["SCRIPT", "LOAD", "return 'x'"]),
        call(&["SCRIPT", "LOAD", "return ("]),
        call(&["SCRIPT", "EXISTS", sha, "a27e7e8a43702b7046d4f6a7ccf5b60cef6b9bd9"]),
        call(&["EVALSHA", &sha.to_uppercase(), "0"]),
        call(&["EVALSHA_RO", sha, "0"]),
        call(&["SCRIPT", "FLUSH", "bad"]),
        call(&["SCRIPT", "FLUSH", "ASYNC"]),
        call(&["SCRIPT", "EXISTS", sha]),
        call(&["SCRIPT", "KILL"]),
        call(&["SCRIPT", "nosuch"]),
        call(&["FUNCTION", "LOAD", LIBRARY]),
        call(&["FUNCTION", "LOAD", LIBRARY]),
        call(&["FUNCTION", "LOAD", "REPLACE", LIBRARY]),
        call(&["FUNCTION", "LOAD", "bad", LIBRARY]),
        call(&["FUNCTION", "LOAD", "return 1"]),
        call(&["FUNCTION", "LOAD", "#!lua name=two\nredis.register_function('f', function() end)"]),
        call(&["FCALL", "f", "1", "fk", "fv"]),
        call(&["FCALL", "g", "1", "fk"]),
        call(&["FCALL_RO", "g", "1", "fk"]),
        call(&["FCALL_RO", "f", "1", "fk", "x"]),
        call(&["FCALL", "nosuch", "0"]),
        call(&["FCALL", "f", "x"]),
        call(&["FCALL", "f", "9"]),
        call(&["FUNCTION", "STATS"]),
        call(&["FUNCTION", "LIST", "LIBRARYNAME", "nosuch"]),
        call(&["FUNCTION", "LIST", "bad"]),
        call(&["FUNCTION", "LIST", "LIBRARYNAME"]),
        call(&["FUNCTION", "RESTORE", "bad"]),
        call(&["FUNCTION", "RESTORE", "bad", "x"]),
        call(&["FUNCTION", "KILL"]),
        call(&["FUNCTION", "DELETE", "nosuch"]),
        call(&["FUNCTION", "DELETE", "lib"]),
        call(&["FCALL", "f", "0"]),
        call(&["FUNCTION", "FLUSH", "x"]),
        call(&["FUNCTION", "FLUSH"]),
        words("MULTI"),
        eval("return redis.call('incr', 'undeclared')", &["0"]),
        eval("return redis.call('nosuch')", &["0"]),
        words("INCR undeclared"),
        words("EXEC"),
    ];
    compare(|_| commands.clone(), |_, value| value);
}

#[test]
fn functions_survive_and_are_restored() {
    let ours = Ours::start();
    let mut client = ours.connect();
    let load = |name: &str| {
        let code = format!(
            "#!lua name={name}\nredis.register_function('{name}', function() return '{name}' end)"
        );
        call(&["FUNCTION", "LOAD", &code])
    };
    assert_eq!(client.call(&load("one")), Value::bulk("one"));
    assert_eq!(client.call(&load("two")), Value::bulk("two"));
    let Value::Bulk(payload) = client.call(&call(&["FUNCTION", "DUMP"])) else { panic!("a dump") };
    client.say("FUNCTION DELETE one");
    let restore = |policy: &str| {
        vec![b"FUNCTION".to_vec(), b"RESTORE".to_vec(), payload.clone(), policy.as_bytes().to_vec()]
    };
    let exists = Value::Error("ERR Library two already exists".into());
    assert_eq!(client.call(&restore("APPEND")), exists);
    assert_eq!(client.call(&restore("REPLACE")), Value::Simple("OK".into()));
    // Both workers know the restored functions.
    for _ in 0..4 {
        let mut other = ours.connect();
        assert_eq!(other.say("FCALL one 0"), Value::bulk("one"));
        assert_eq!(other.say("FCALL two 0"), Value::bulk("two"));
    }
    let saved = ferrolith_server::redis::scripts::Scripts::open(&*ours.server.store);
    assert_eq!(saved.libraries().function_count(), 2);
    client.say("FUNCTION FLUSH");
    let saved = ferrolith_server::redis::scripts::Scripts::open(&*ours.server.store);
    assert_eq!(saved.libraries().function_count(), 0);
}

#[test]
fn dumps_of_functions_are_exchanged() {
    let Some(theirs) = super::Theirs::start() else { return };
    let ours = Ours::start();
    let (mut our, mut their) = (ours.connect(), theirs.connect());
    let code = "#!lua name=lib\nredis.register_function('f', function() return 'a long text ' .. 'a long text' end)";
    for _ in 0..2 {
        their.call(&call(&["FUNCTION", "LOAD", "REPLACE", code]));
        let Value::Bulk(payload) = their.say("FUNCTION DUMP") else { panic!("a dump") };
        let restore = [b"FUNCTION".to_vec(), b"RESTORE".to_vec(), payload, b"FLUSH".to_vec()];
        assert_eq!(our.call(&restore), Value::Simple("OK".into()));
        assert_eq!(our.say("FCALL f 0"), Value::bulk("a long text a long text"));
        std::mem::swap(&mut our, &mut their);
    }
}

#[test]
fn a_script_is_killed_from_another_worker() {
    let ours = Ours::start();
    // Connections are given to the two workers in turn.
    let (mut busy, mut other) = (ours.connect(), ours.connect());
    busy.send(&eval("while true do redis.call('ping') end", &["0"]));
    let start = Instant::now();
    loop {
        if other.say("SCRIPT KILL") == Value::Simple("OK".into()) {
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(30), "no worker kills the script");
    }
    let Value::Error(text) = busy.receive() else { panic!("an error") };
    assert!(text.starts_with("ERR Script killed by user with SCRIPT KILL..."), "{text}");
}

#[test]
fn scripts_serve_blocked_clients_and_watchers() {
    let ours = Ours::start();
    let (mut waiting, mut client) = (ours.connect(), ours.connect());
    waiting.send(&words("BRPOP list 0"));
    client.say("SET watched 1");
    client.say("WATCH watched");
    let start = Instant::now();
    let is_blocked = |info: Value| match info {
        Value::Bulk(text) => String::from_utf8_lossy(&text).contains("blocked_clients:1"),
        other => panic!("a text, found {other:?}"),
    };
    while !is_blocked(client.say("INFO clients")) {
        assert!(start.elapsed() < Duration::from_secs(20), "BRPOP does not wait");
    }
    let source = "redis.call('lpush', KEYS[1], '1') redis.call('lpush', KEYS[1], '2') return redis.call('incr', 'watched')";
    assert_eq!(ours.connect().call(&eval(source, &["1", "list"])), Value::Integer(2));
    let pair = Value::Array(vec![Value::bulk("list"), Value::bulk("1")]);
    assert_eq!(waiting.receive(), pair);
    client.say("MULTI");
    client.say("SET watched 0");
    assert_eq!(client.say("EXEC"), Value::NullArray);
}

#[test]
fn scripts_with_undeclared_keys_lose_no_update() {
    let ours = Ours::start();
    std::thread::scope(|scope| {
        for at in 0..4 {
            let mut client = ours.connect();
            scope.spawn(move || {
                let source = match at % 2 {
                    0 => "return redis.call('set', 'n', (redis.call('get', 'n') or 0) + 1)",
                    _ => "return redis.call('set', KEYS[1], (redis.call('get', KEYS[1]) or 0) + 1)",
                };
                for _ in 0..200 {
                    let rest: &[&str] = if at % 2 == 0 { &["0"] } else { &["1", "n"] };
                    assert_eq!(client.call(&eval(source, rest)), Value::Simple("OK".into()));
                }
            });
        }
    });
    assert_eq!(ours.connect().say("GET n"), Value::bulk("800"));
}
