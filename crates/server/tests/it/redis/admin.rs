//! Commands for administrators: the same random commands on a real Redis, and what these commands do here.

use super::{Client, Ours, Theirs, Value, compare, random_commands, words};
use fastrand::Rng;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

type Command = Vec<Vec<u8>>;

/// Parameters that change nothing in a Redis that tests could miss, or that cannot be changed.
const PARAMETERS: [&str; 32] = [
    "lfu-decay-time",
    "LFU-Decay-Time",
    "slave-priority",
    "replica-priority",
    "list-max-listpack-size",
    "list-max-ziplist-size",
    "hash-max-listpack-value",
    "auto-aof-rewrite-min-size",
    "maxmemory-clients",
    "maxmemory-policy",
    "appendfsync",
    "repl-diskless-load",
    "oom-score-adj-values",
    "save",
    "shutdown-on-sigterm",
    "client-output-buffer-limit",
    "notify-keyspace-events",
    "latency-tracking-info-percentiles",
    "latency-tracking",
    "slowlog-max-len",
    "slowlog-log-slower-than",
    "tracking-table-max-keys",
    "lfu-log-factor",
    "active-expire-effort",
    "replica-announce-ip",
    "masteruser",
    "unixsocketperm",
    "databases",
    "daemonize",
    "no-such-parameter",
    "stream-node-max-bytes",
    "key-load-delay",
];

const VALUES: [&str; 36] = [
    "",
    "0",
    "1",
    "-1",
    "10",
    "99",
    "100",
    "101",
    "4096",
    "1kb",
    "2Mb",
    "1gb",
    "1t",
    "50%",
    "101%",
    "-5%",
    "yes",
    "No",
    "maybe",
    "everysec",
    "ALWAYS",
    "noeviction",
    "debug",
    "100 1",
    "100 1 60",
    "0 1",
    "0 200 800",
    "0 200 8000",
    "now nosave",
    "save nosave",
    "pubsub 32mb 8mb 60",
    "normal 1 2",
    "KEA",
    "Kxq",
    "0 50.5 100",
    "9223372036854775808",
];

fn random_command(random: &mut Rng) -> Command {
    let mut parameter = || PARAMETERS[random.usize(..PARAMETERS.len())].as_bytes().to_vec();
    let (one, other) = (parameter(), parameter());
    let mut value = || VALUES[random.usize(..VALUES.len())].as_bytes().to_vec();
    let (first, second) = (value(), value());
    let config = |word: &str| vec![b"CONFIG".to_vec(), word.as_bytes().to_vec()];
    match random.usize(..6) {
        0..3 => [config("SET"), vec![one, first]].concat(),
        3 => [config("set"), vec![one, first, other, second]].concat(),
        _ => [config("GET"), vec![one, other]].concat(),
    }
}

#[test]
fn parameters_take_the_same_values() {
    let commands = |protocol: u8| {
        let mut random = Rng::with_seed(u64::from(protocol) + 900);
        let same = [words("CONFIG SET save "), words("CONFIG SET slowlog-max-len 10")];
        let random = (0..random_commands(5000)).map(|_| random_command(&mut random));
        same.into_iter().chain(random).collect()
    };
    // CONFIG GET replies in the order of Redis's hash table.
    compare(commands, |_, value| sorted_pairs(value));
}

/// Returns a flat list of pairs, or a map, with its pairs sorted.
fn sorted_pairs(value: Value) -> Value {
    match value {
        Value::Array(list) if list.len().is_multiple_of(2) => {
            let mut pairs: Vec<_> = list.chunks(2).map(<[Value]>::to_vec).collect();
            pairs.sort();
            Value::Array(pairs.concat())
        }
        other => other.sorted(),
    }
}

#[test]
fn replies_without_state_are_the_same() {
    let commands = "CONFIG|CONFIG GET|CONFIG SET a|CONFIG SET a b c|CONFIG NOPE|CONFIG REWRITE|\
        CLIENT|CLIENT NOPE|CLIENT ID x|CLIENT GETNAME|CLIENT SETNAME a b|CLIENT SETNAME x|CLIENT GETNAME|\
        CLIENT KILL|CLIENT KILL 1.2.3.4:5|CLIENT KILL id 10 wrong|CLIENT KILL id 0|CLIENT KILL ID 99999|\
        CLIENT KILL TYPE wrong|CLIENT KILL USER nobody|CLIENT KILL SKIPME maybe|CLIENT KILL TYPE pubsub|\
        CLIENT LIST TYPE wrong|CLIENT LIST TYPE replica|CLIENT LIST ID x|CLIENT LIST NOPE|CLIENT REPLY nope|\
        CLIENT PAUSE x|CLIENT PAUSE -1|CLIENT PAUSE 1 nope|CLIENT UNPAUSE|CLIENT UNBLOCK x|CLIENT UNBLOCK 99|\
        CLIENT UNBLOCK 99 nope|CLIENT NO-EVICT x|CLIENT NO-EVICT on|CLIENT NO-EVICT OFF|CLIENT GETREDIR|\
        CLIENT TRACKINGINFO|CLIENT TRACKING off|CLIENT CACHING yes|SLOWLOG|SLOWLOG NOPE|SLOWLOG GET -2|\
        SLOWLOG GET x|SLOWLOG RESET|SLOWLOG LEN x|LATENCY|LATENCY NOPE|LATENCY HISTORY x|LATENCY LATEST|\
        LATENCY RESET|LATENCY RESET a b|LATENCY GRAPH x|LATENCY HISTOGRAM nope|MEMORY|MEMORY NOPE|\
        MEMORY USAGE absent|MEMORY USAGE k SAMPLES|MEMORY USAGE k SAMPLES x|MEMORY USAGE k SAMPLES -1|\
        MEMORY USAGE k NOPE|MEMORY PURGE|ROLE|ROLE x|REPLICAOF NO ONE|SLAVEOF no one|FAILOVER|REPLCONF|\
        REPLCONF a|REPLCONF a b|REPLCONF listening-port 1|READONLY|READWRITE|ASKING|CLUSTER INFO|CLUSTER SLOTS|\
        CLUSTER KEYSLOT a|CLUSTER NOPE|CLUSTER KEYSLOT|MODULE LIST|MODULE NOPE|ACL WHOAMI|ACL USERS|ACL LIST|\
        ACL GETUSER default|ACL GETUSER nobody|ACL CAT|ACL CAT nope|ACL GENPASS 0|ACL GENPASS 5000|ACL LOG|\
        ACL LOG RESET|ACL DELUSER default|ACL DELUSER nobody|ACL DRYRUN nobody get a|ACL DRYRUN default nope a|\
        ACL DRYRUN default get|ACL DRYRUN default get a|ACL LOAD|ACL SAVE|ACL NOPE|SHUTDOWN nope|SHUTDOWN SAVE NOSAVE|\
        SHUTDOWN ABORT|SHUTDOWN ABORT NOW|BGSAVE nope|LOLWUT VERSION x|RESET|RESET x|TIME x|LASTSAVE x|INFO nope|\
        COMMAND NOPE|COMMAND COUNT x|COMMAND INFO nope|COMMAND DOCS nope|COMMAND LIST x|COMMAND LIST FILTERBY x y|\
        COMMAND GETKEYS|COMMAND GETKEYS nope|COMMAND GETKEYS get|COMMAND GETKEYS get a|COMMAND GETKEYS ping x|\
        COMMAND GETKEYS mset a b c d|COMMAND GETKEYS zunionstore d 2 a b|COMMAND GETKEYS zunionstore d x a b|\
        COMMAND GETKEYS memory usage k|COMMAND GETKEYSANDFLAGS set k v|COMMAND GETKEYSANDFLAGS set k v get|\
        COMMAND GETKEYSANDFLAGS lmove a b left right|COMMAND LIST FILTERBY MODULE x|MULTI|MONITOR|EXEC|DEBUG NOPE x y z";
    let commands = |_| commands.split('|').map(words).collect();
    compare(commands, |command, value| match command.last().map(Vec::as_slice) {
        // The order of the categories is that of a list in both.
        Some(b"CAT") => value,
        // Both refuse, each with its own text.
        Some(b"z") => Value::Null,
        _ => value,
    });
}

/// Commands that later versions of Redis describe otherwise: ZRANK has WITHSCORE, and WAIT blocks. Redis does not
/// describe where the keys of SORT are.
const LATER: [&str; 5] = ["zrank", "zrevrank", "wait", "sort", "sort_ro"];

#[test]
fn descriptions_have_arity_and_keys_of_redis() {
    let Some(theirs) = Theirs::start() else { return };
    let ours = Ours::start();
    let (mut our, mut their) = (ours.connect(), theirs.connect());
    let Value::Array(names) = our.call(&words("COMMAND LIST")) else { panic!("no list") };
    let mut differences = Vec::new();
    for name in names {
        let Value::Bulk(name) = name else { panic!("no name") };
        if LATER.contains(&String::from_utf8_lossy(&name).as_ref()) {
            continue;
        }
        let command = [words("COMMAND INFO"), vec![name.clone()]].concat();
        let (found, expected) = (our.call(&command), their.call(&command));
        let (Some(found), Some(expected)) = (fields(&found), fields(&expected)) else { continue };
        if found != expected {
            differences.push(format!(
                "{}\n  ours:   {found:?}\n  theirs: {expected:?}",
                name.escape_ascii()
            ));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// Returns arity, write and read flags, and the keys of a description: their range and their specifications.
fn fields(info: &Value) -> Option<(Value, BTreeSet<String>, Vec<Value>)> {
    let Value::Array(list) = info else { return None };
    let Some(Value::Array(info)) = list.first() else { return None };
    let [_, arity, Value::Array(flags), first, last, step, _, _, specs, _] = &info[..] else {
        return None;
    };
    const COMPARED: [&str; 9] = [
        "write", "readonly", "denyoom", "admin", "pubsub", "noscript", "blocking", "no_auth",
        "asking",
    ];
    let flags = flags.iter().filter_map(|flag| match flag {
        Value::Simple(flag) if COMPARED.contains(&flag.as_str()) => Some(flag.clone()),
        _ => None,
    });
    Some((
        arity.clone(),
        flags.collect(),
        vec![first.clone(), last.clone(), step.clone(), without_notes(specs)],
    ))
}

/// Returns specifications of keys without the remarks that some have in Redis.
fn without_notes(specs: &Value) -> Value {
    let Value::Array(specs) = specs else { return specs.clone() };
    let plain = specs.iter().map(|spec| match spec {
        Value::Array(parts) if parts.first() == Some(&Value::bulk("notes")) => {
            Value::Array(parts[2..].to_vec())
        }
        other => other.clone(),
    });
    Value::Array(plain.collect())
}

fn text(value: Value) -> String {
    match value {
        Value::Bulk(bytes) | Value::Verbatim(bytes) => String::from_utf8(bytes).unwrap(),
        Value::Simple(text) | Value::Error(text) => text,
        other => panic!("no text: {other:?}"),
    }
}

fn ask(client: &mut Client, command: &str) -> Value {
    client.call(&words(command))
}

/// Returns a value of INFO.
fn info(client: &mut Client, name: &str) -> String {
    let all = text(ask(client, "INFO everything"));
    let line = all.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line.unwrap_or_else(|| panic!("no {name} in {all}")).to_owned()
}

fn ok() -> Value {
    Value::Simple("OK".to_owned())
}

/// Waits until a condition holds.
fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(20), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn info_counts_calls_failures_and_refusals() {
    let ours = Ours::start();
    let (mut client, mut other) = (ours.connect(), ours.connect());
    ask(&mut client, "SET a text");
    ask(&mut other, "SET b 1");
    ask(&mut other, "SET b");
    ask(&mut client, "INCR a");
    client.pipeline(&[words("GET a"), words("GET b"), words("INCR a")]);
    let set = info(&mut client, "cmdstat_set");
    assert!(
        set.starts_with("calls=2,usec=") && set.contains("rejected_calls=1,failed_calls=0"),
        "{set}"
    );
    let incr = info(&mut client, "cmdstat_incr");
    assert!(incr.starts_with("calls=2,") && incr.ends_with("failed_calls=2"), "{incr}");
    assert_eq!(info(&mut client, "errorstat_ERR"), "count=3");
    assert!(info(&mut client, "latency_percentiles_usec_get").starts_with("p50="));
    assert_eq!(info(&mut client, "db0"), "keys=2,expires=0,avg_ttl=0");
    assert_eq!(info(&mut client, "connected_clients"), "2");
    assert_eq!(ask(&mut client, "CONFIG RESETSTAT"), ok());
    let all = text(ask(&mut client, "INFO all"));
    assert!(!all.contains("cmdstat_set") && all.contains("cmdstat_config|resetstat"), "{all}");
    assert_eq!(text(ask(&mut client, "INFO nope")), "");
}

#[test]
fn slow_commands_are_kept_without_passwords() {
    let ours = Ours::start();
    let mut client = ours.connect();
    ask(&mut client, "CLIENT SETNAME me");
    ask(&mut client, "CONFIG SET slowlog-log-slower-than 0 slowlog-max-len 3");
    ask(&mut client, "SET a 1");
    client.pipeline(&[words("GET a"), words("GET b")]);
    ask(&mut client, "CONFIG SET masterauth secret");
    ask(&mut client, "CONFIG SET slowlog-log-slower-than -1");
    let Value::Array(entries) = ask(&mut client, "SLOWLOG GET -1") else { panic!("no list") };
    let args: Vec<Value> = entries
        .iter()
        .map(|entry| match entry {
            Value::Array(fields) if fields.len() == 6 => {
                assert_eq!(fields[5], Value::bulk("me"));
                fields[3].clone()
            }
            other => panic!("no entry: {other:?}"),
        })
        .collect();
    let list = |text: &str| Value::Array(text.split(' ').map(Value::bulk).collect());
    assert_eq!(args, [list("CONFIG SET masterauth (redacted)"), list("GET b"), list("GET a")]);
}

#[test]
fn a_monitor_sees_all_commands_in_their_order() {
    let ours = Ours::start();
    let (mut monitor, mut client) = (ours.connect(), ours.connect());
    assert_eq!(ask(&mut monitor, "MONITOR"), ok());
    ask(&mut client, "SET a 1");
    client.pipeline(&[words("GET a"), words("GET b")]);
    client.pipeline(&[words("MULTI"), words("SET c 2"), words("EXEC")]);
    ask(&mut client, "AUTH secret");
    let expected = [
        "\"SET\" \"a\" \"1\"",
        "\"GET\" \"a\"",
        "\"GET\" \"b\"",
        "\"MULTI\"",
        "\"SET\" \"c\" \"2\"",
        "\"EXEC\"",
        "\"AUTH\" \"(redacted)\"",
    ];
    for expected in expected {
        let line = text(monitor.receive());
        assert!(line.contains(" [0 127.0.0.1:") && line.ends_with(expected), "{line}");
    }
}

#[test]
fn a_pause_delays_writes_and_ends() {
    let ours = Ours::start();
    let (mut admin, mut client) = (ours.connect(), ours.connect());
    assert_eq!(ask(&mut admin, "CLIENT PAUSE 60000 WRITE"), ok());
    assert_eq!(ask(&mut client, "GET a"), Value::Null);
    client.send(&words("SET a 1"));
    wait_for("a client that waits", || info(&mut admin, "blocked_clients") == "1");
    assert_eq!(ask(&mut admin, "CLIENT UNPAUSE"), ok());
    assert_eq!(client.receive(), ok());
    // It ends by itself, too.
    assert_eq!(ask(&mut admin, "CLIENT PAUSE 50"), ok());
    assert_eq!(ask(&mut client, "GET a"), Value::bulk("1"));
}

#[test]
fn clients_are_listed_killed_and_unblocked() {
    let ours = Ours::start();
    let (mut admin, mut client) = (ours.connect(), ours.connect());
    let Value::Integer(id) = ask(&mut client, "CLIENT ID") else { panic!("no id") };
    client.send(&words("BLPOP list 0"));
    let line = |admin: &mut Client| text(ask(admin, &format!("CLIENT LIST ID {id}")));
    wait_for("a blocked client", || line(&mut admin).contains("flags=b "));
    assert_eq!(ask(&mut admin, &format!("CLIENT UNBLOCK {id} ERROR")), Value::Integer(1));
    assert_eq!(
        client.receive(),
        Value::Error("UNBLOCKED client unblocked via CLIENT UNBLOCK".to_owned())
    );
    client.pipeline(&[words("SELECT 3"), words("MULTI"), words("GET a")]);
    let shown = line(&mut admin);
    assert!(shown.contains("flags=x db=3 ") && shown.contains(" multi=1 "), "{shown}");
    assert_eq!(ask(&mut admin, &format!("CLIENT KILL ID {id}")), Value::Integer(1));
    assert_eq!(line(&mut admin), "");
    assert!(client.is_closed());
}

#[test]
fn idle_clients_and_too_many_clients_are_closed() {
    let ours = Ours::start();
    let mut admin = ours.connect();
    assert_eq!(ask(&mut admin, "CONFIG SET timeout 1"), ok());
    let mut idle = ours.connect();
    assert_eq!(ask(&mut idle, "PING"), Value::Simple("PONG".to_owned()));
    assert!(idle.is_closed());
    let mut admin = ours.connect();
    assert_eq!(ask(&mut admin, "CONFIG SET timeout 0 maxclients 2"), ok());
    let mut second = ours.connect();
    ask(&mut second, "PING");
    let mut third = ours.connect();
    assert_eq!(third.receive(), Value::Error("ERR max number of clients reached".to_owned()));
    assert!(third.is_closed());
}
