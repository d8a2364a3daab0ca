//! Users and their rights: the same random rules and commands on a real Redis, and what changes of users do to
//! connections.

use super::{Client, Ours, Theirs, Value, random_commands, show, words};
use fastrand::Rng;
use ferrolith_server::clock::SystemClock;
use ferrolith_server::redis::server::Settings;
use std::collections::BTreeSet;
use std::sync::Arc;

const OK: &str = "OK";

fn ok() -> Value {
    Value::Simple(OK.into())
}

fn error(text: &str) -> Value {
    Value::Error(text.into())
}

/// Returns the names in a list of bulk strings.
fn names(value: Value) -> BTreeSet<String> {
    let Value::Array(list) = value else { panic!("no list: {value:?}") };
    list.into_iter()
        .map(|name| match name {
            Value::Bulk(name) => String::from_utf8(name).unwrap(),
            other => panic!("no name: {other:?}"),
        })
        .collect()
}

/// Commands that Redis 7.2 has in more categories.
const LATER: [&str; 1] = ["wait"];

#[test]
fn categories_have_the_commands_of_redis() {
    let Some(theirs) = Theirs::start() else { return };
    let ours = Ours::start();
    let (mut our, mut their) = (ours.connect(), theirs.connect());
    let categories = names(their.say("ACL CAT"));
    assert_eq!(names(our.say("ACL CAT")), categories);
    // With its subcommands each command is in fast or in slow.
    let all = |client: &mut Client| {
        &names(client.say("ACL CAT fast")) | &names(client.say("ACL CAT slow"))
    };
    let common = &all(&mut our) & &all(&mut their);
    assert!(common.len() > 300);
    for category in categories {
        let command = format!("ACL CAT {category}");
        let (found, expected) = (names(our.say(&command)), names(their.say(&command)));
        let different: Vec<_> = found
            .symmetric_difference(&expected)
            .filter(|name| common.contains(*name) && !LATER.contains(&name.as_str()))
            .collect();
        assert!(different.is_empty(), "{category}: {different:?}");
    }
}

const RULES: [&str; 40] = [
    "on",
    "off",
    "nopass",
    "resetpass",
    "reset",
    "clearselectors",
    "allkeys",
    "resetkeys",
    "~*",
    "~k*",
    "~key:1",
    "%R~k*",
    "%W~k*",
    "%RW~o*",
    "%r~*",
    "%X~a",
    "&*",
    "&c*",
    "&ch:1",
    "allchannels",
    "resetchannels",
    "+@all",
    "-@all",
    "nocommands",
    ">secret",
    "<secret",
    "<none",
    "#12",
    "()",
    "(+get ~k*)",
    "(+@write %W~*)",
    "(+@read",
    "%R~k* &c*)",
    "(nope)",
    "nope",
    "+select|0",
    "+config|get|x",
    "-select|0",
    "+nope",
    "sanitize-payload",
];

/// Returns a random rule.
fn rule(random: &mut Rng, commands: &[String], categories: &[String]) -> String {
    let sign = if random.u8(..3) == 0 { '-' } else { '+' };
    match random.u8(..4) {
        0 => format!("{sign}@{}", random.choice(categories).unwrap()),
        1 => format!("{sign}{}", random.choice(commands).unwrap()),
        _ => (*random.choice(RULES).unwrap()).to_owned(),
    }
}

/// Returns a random command with as many arguments as it may have, some of which are keys and channels.
fn command(random: &mut Rng, commands: &[String]) -> Vec<Vec<u8>> {
    const WORDS: [&str; 16] = [
        "key:1", "k", "other", "o2", "ch:1", "c", "c*", "1", "2", "0", "get", "store", "SET", "by",
        "streams", "id",
    ];
    const LINES: [&str; 12] = [
        "GET key:1",
        "SET k v",
        "SET other v GET",
        "MGET k other",
        "PUBLISH ch:1 x",
        "PSUBSCRIBE c*",
        "SUBSCRIBE c x",
        "COPY k other",
        "BITFIELD k GET u4 0",
        "EXISTS zzz",
        "SORT k BY w* STORE other",
        "EVAL x 2 k other",
    ];
    if random.bool() {
        return words(random.choice(LINES).unwrap());
    }
    let name = random.choice(commands).unwrap();
    let mut line: Vec<Vec<u8>> = name.split('|').map(|word| word.as_bytes().to_vec()).collect();
    (0..random.usize(..5)).for_each(|_| line.push(random.choice(WORDS).unwrap().as_bytes().into()));
    line
}

/// Returns a description of a user without its commands, whose single ones Redis lists in any order.
fn comparable(value: Value) -> Value {
    let hidden = |pairs: Vec<(Value, Value)>| {
        let pairs = pairs.into_iter().filter(|(name, _)| *name != Value::bulk("commands"));
        Value::Map(pairs.map(|(name, value)| (name, comparable(value))).collect())
    };
    match value {
        Value::Map(pairs) => hidden(pairs),
        Value::Array(list) => Value::Array(list.into_iter().map(comparable).collect()),
        other => other,
    }
}

/// Commands whose keys or place in scripts other versions describe otherwise. MIGRATE has no keys in Redis if they have
/// no place in its arguments. Redis 7.0
/// does not check that the user may read the key of a PFMERGE without further keys.
const DIFFERENT: [&str; 5] = ["migrate", "pfmerge", "wait", "zrank", "zrevrank"];

#[test]
fn random_rules_allow_what_they_allow_in_redis() {
    let Some(theirs) = Theirs::start() else { return };
    let ours = Ours::start();
    let (mut our, mut their) = (ours.connect(), theirs.connect());
    let of = |client: &mut Client| {
        &names(client.say("ACL CAT fast")) | &names(client.say("ACL CAT slow"))
    };
    let common = &of(&mut our) & &of(&mut their);
    let usable = |name: &&String| {
        let container = name.split('|').next().unwrap();
        !DIFFERENT.contains(&container)
    };
    let commands: Vec<String> = common.iter().filter(usable).cloned().collect();
    let categories: Vec<String> = names(their.say("ACL CAT")).into_iter().collect();
    for client in [&mut our, &mut their] {
        client.say("HELLO 3");
    }
    let mut random = Rng::with_seed(7);
    for _ in 0..random_commands(6000) / 20 {
        let mut set =
            words(if random.u8(..4) == 0 { "ACL SETUSER u" } else { "ACL SETUSER u reset" });
        let count = random.usize(..6);
        set.extend((0..count).map(|_| rule(&mut random, &commands, &categories).into_bytes()));
        assert_eq!(our.call(&set), their.call(&set), "{}", show(&set));
        let get = words("ACL GETUSER u");
        assert_eq!(comparable(our.call(&get)), comparable(their.call(&get)), "{}", show(&set));
        for _ in 0..20 {
            let command = command(&mut random, &commands);
            let run = [words("ACL DRYRUN u"), command.clone()].concat();
            let (found, expected) = (our.call(&run), their.call(&run));
            // Redis looks at no key if it cannot find all, for example after a wrong number of keys. The command then
            // fails by itself.
            let mut fails = || matches!(their.call(&command), Value::Error(_));
            if found != expected && (expected != Value::Simple("OK".to_owned()) || !fails()) {
                assert_eq!(found, expected, "{} after {}", show(&run), show(&set));
            }
        }
    }
}

#[test]
fn described_rules_make_the_same_user_in_redis() {
    let Some(theirs) = Theirs::start() else { return };
    let ours = Ours::start();
    let (mut our, mut their) = (ours.connect(), theirs.connect());
    let categories: Vec<String> = names(their.say("ACL CAT")).into_iter().collect();
    let commands: Vec<String> = names(their.say("ACL CAT string")).into_iter().collect();
    let mut random = Rng::with_seed(8);
    for _ in 0..random_commands(1500) / 10 {
        let mut set = words("ACL SETUSER u reset");
        let count = random.usize(..8);
        set.extend((0..count).map(|_| rule(&mut random, &commands, &categories).into_bytes()));
        if their.call(&set) != ok() {
            continue;
        }
        let Value::Array(list) = their.say("ACL LIST") else { panic!("no list") };
        let Some(Value::Bulk(line)) = list.last() else { panic!("no user") };
        let line = String::from_utf8(line.clone()).unwrap();
        // A command that this server does not have.
        let line = line.replace("+restore-asking", "").replace("-restore-asking", "");
        let rules = line.strip_prefix("user u ").unwrap();
        assert_eq!(our.say(&format!("ACL SETUSER u reset {rules}")), ok(), "{rules}");
        for _ in 0..10 {
            let run = [words("ACL DRYRUN u"), command(&mut random, &commands)].concat();
            assert_eq!(our.call(&run), their.call(&run), "{} after {rules}", show(&run));
        }
    }
}

#[test]
fn refusals_are_those_of_redis() {
    let Some(theirs) = Theirs::start() else { return };
    let ours = Ours::start();
    let (mut our, mut their) = (ours.connect(), theirs.connect());
    let lines = [
        "AUTH x",
        "AUTH default x",
        "AUTH nobody x",
        "AUTH a b c",
        "HELLO 3 AUTH nobody x",
        "ACL WHOAMI",
        "ACL SETUSER u on >p ~k* &c* +@all -flushall -config|set -eval_ro",
        "ACL SETUSER u (",
        "ACL SETUSER u +config|nope",
        "AUTH u x",
        "AUTH u p",
        "ACL WHOAMI",
        "SET k v",
        "SET other v",
        "GET other",
        "PUBLISH c x",
        "PUBLISH x y",
        "FLUSHALL",
        "CONFIG SET maxmemory 0",
        "CONFIG GET hz",
        "EVAL_RO x 0",
        "NOPE",
        "MULTI",
        "SET other v",
        "EXEC",
        "MULTI",
        "SET k w",
        "ACL SETUSER u -set",
        "EXEC",
        "SET k w",
        "ACL SETUSER u +set",
        "SORT k",
        "SORT k BY nosort",
        "SORT k BY w*",
        "SORT k GET #",
        "ACL DELUSER default",
        "ACL DELUSER nobody",
        "ACL LOG 0",
        "ACL LOG x",
        "ACL LOG RESET",
        "ACL LOG",
        "ACL GENPASS 0",
        "ACL LOAD",
        "ACL SAVE",
        "ACL GETUSER nobody",
        "CLIENT KILL USER nobody",
        "ACL CAT nope",
        "ACL CAT a b",
        "RESET",
        "ACL WHOAMI",
        "ACL DRYRUN u SET",
        "ACL DRYRUN nobody GET x",
        "ACL DRYRUN u NOPE",
        "ACL USERS",
        "CONFIG SET requirepass s",
        "AUTH default x",
        "AUTH s",
        "CONFIG SET requirepass ",
        "ACL SETUSER default -ping",
        "PING",
        "ACL SETUSER default +ping",
    ];
    for line in lines {
        assert_eq!(our.say(line), their.say(line), "{line}");
    }
    for script in [
        "return redis.call('set','other',1)",
        "return redis.pcall('flushall')",
        "return redis.acl_check_cmd('set','other','v')",
        "return redis.acl_check_cmd('set','k','v')",
    ] {
        for client in [&mut our, &mut their] {
            assert_eq!(client.say("AUTH u p"), ok());
        }
        let line = ["EVAL", script, "0"];
        let text = |value| match value {
            Value::Error(text) => text.split(" script:").next().unwrap().to_owned(),
            other => format!("{other:?}"),
        };
        assert_eq!(text(our.call(&line)), text(their.call(&line)), "{script}");
    }
}

#[test]
fn refusals_are_logged() {
    let ours = Ours::start();
    let (mut admin, mut client) = (ours.connect(), ours.connect());
    admin.say("ACL SETUSER u on >p ~k* &c* +@all -flushall");
    client.say("AUTH u p");
    let shown = |admin: &mut Client| {
        let Value::Array(list) = admin.say("ACL LOG") else { panic!("no log") };
        let entry = |entry: &Value| {
            let Value::Array(fields) = entry else { panic!("no entry") };
            let field = |at: usize| match &fields[at] {
                Value::Bulk(bytes) => String::from_utf8(bytes.clone()).unwrap(),
                Value::Integer(count) => count.to_string(),
                other => panic!("{other:?}"),
            };
            assert!(field(13).contains("user="), "{}", field(13));
            [1, 3, 5, 7, 9].map(field).join(" ")
        };
        list.iter().map(entry).collect::<Vec<_>>()
    };
    for line in ["SET x v", "SET x v", "FLUSHALL", "PUBLISH d m", "MULTI", "SET y v", "DISCARD"] {
        client.say(line);
    }
    client.call(&["EVAL", "return redis.pcall('get', 'z')", "0"]);
    client.say("AUTH nobody secret");
    client.pipeline(&[words("SET k v"), words("SET w v"), words("SET k v")]);
    assert_eq!(
        shown(&mut admin),
        [
            "1 key toplevel w u",
            "1 auth toplevel AUTH nobody",
            "1 key lua z u",
            "1 key multi y u",
            "1 channel toplevel d u",
            "1 command toplevel flushall u",
            "2 key toplevel x u",
        ]
    );
    assert_eq!(admin.say("ACL LOG RESET"), ok());
    assert!(shown(&mut admin).is_empty());
}

#[test]
fn connections_of_a_removed_user_are_closed() {
    let ours = Ours::start();
    let (mut admin, mut other, mut client) = (ours.connect(), ours.connect(), ours.connect());
    admin.say("ACL SETUSER u on nopass ~* &* +@all");
    for client in [&mut other, &mut client] {
        assert_eq!(client.say("AUTH u x"), ok());
    }
    let (Value::Verbatim(list) | Value::Bulk(list)) = admin.say("CLIENT LIST") else { panic!() };
    assert_eq!(String::from_utf8(list).unwrap().matches(" user=u ").count(), 2);
    assert_eq!(client.say("ACL DELUSER u"), Value::Integer(1), "its own user");
    assert!(client.is_closed() && other.is_closed());
    admin.say("ACL SETUSER u on nopass ~* &* +@all");
    let mut client = ours.connect();
    client.say("AUTH u x");
    assert_eq!(admin.say("CLIENT KILL USER u"), Value::Integer(1));
    assert!(client.is_closed());
}

#[test]
fn subscribers_are_closed_when_they_lose_a_channel() {
    let ours = Ours::start();
    let mut admin = ours.connect();
    for (subscribe, keeps) in
        [("SUBSCRIBE c1", "&c*"), ("PSUBSCRIBE c*", "&c*"), ("SSUBSCRIBE c1", "&c1")]
    {
        admin.say("ACL SETUSER u on nopass resetchannels &* ~* +@all");
        let mut client = ours.connect();
        client.say("AUTH u x");
        client.say(subscribe);
        admin.say(&format!("ACL SETUSER u resetchannels {keeps} &more"));
        client.say("PING");
        admin.say("ACL SETUSER u allchannels");
        client.say("PING");
        admin.say("ACL SETUSER u resetchannels &other");
        assert!(client.is_closed(), "{subscribe}");
    }
}

#[test]
fn a_blocked_command_is_checked_again_when_it_wakes() {
    let ours = Ours::start();
    let (mut admin, mut client) = (ours.connect(), ours.connect());
    admin.say("ACL SETUSER u on nopass ~* +@all");
    client.say("AUTH u x");
    client.send(&words("BLPOP k 0"));
    while admin.say("CLIENT KILL TYPE master") != Value::Integer(0)
        || ours.server.waiters.is_empty()
    {
        std::thread::yield_now();
    }
    admin.say("ACL SETUSER u -blpop");
    admin.say("RPUSH k v");
    let text = "NOPERM this user has no permissions to run the 'blpop' command";
    assert_eq!(client.receive(), error(text));
    assert_eq!(admin.say("LLEN k"), Value::Integer(1));
}

#[test]
fn new_connections_need_the_password_of_the_default_user() {
    let ours = Ours::start();
    let (mut first, needed) = (ours.connect(), error("NOAUTH Authentication required."));
    first.say("ACL SETUSER default resetpass >p");
    let mut second = ours.connect();
    assert_eq!(second.say("GET k"), needed);
    assert_eq!(first.say("GET k"), Value::Null, "it stays who it is");
    assert_eq!(second.say("AUTH p"), ok());
    let mut third = ours.connect();
    first.say("ACL SETUSER default nopass");
    assert_eq!(third.say("GET k"), Value::Null, "it needs none any more");
    first.say("ACL SETUSER default off");
    assert_eq!(ours.connect().say("GET k"), needed);
}

fn in_directory(file: &str, settings: Settings) -> Ours {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("users.acl"), file).unwrap();
    Ours::start_in(dir, Arc::new(SystemClock::new()), settings)
}

#[test]
fn users_are_loaded_from_and_saved_to_a_file() {
    let file = "user alice on allcommands allkeys &* >alice\nuser bob on +@set ~set* >bob\n";
    let settings = Settings { users_file: "users.acl".into(), ..Settings::default() };
    let ours = in_directory(file, settings);
    let mut client = ours.connect();
    assert_eq!(
        client.say("CONFIG GET aclfile"),
        Value::Array(vec![Value::bulk("aclfile"), Value::bulk("users.acl")])
    );
    assert_eq!(
        client.say("ACL USERS"),
        Value::Array(["alice", "bob", "default"].map(Value::bulk).to_vec())
    );
    let mut bob = ours.connect();
    assert_eq!(bob.say("AUTH bob bob"), ok());
    assert_eq!(bob.say("SADD set 1"), Value::Integer(1));
    client.say("ACL SETUSER eve on >eve ~* +get");
    assert_eq!(client.say("ACL SAVE"), ok());
    client.say("ACL SETUSER mallory on nopass ~* +@all");
    assert_eq!(client.say("ACL LOAD"), ok(), "the default user stays connected");
    assert!(bob.is_closed());
    let Value::Array(users) = client.say("ACL LIST") else { panic!() };
    assert_eq!(users.len(), 4, "{users:?}");
    assert_eq!(ours.connect().say("AUTH eve eve"), ok());
    let path = ours.server.settings.dir.clone() + "/users.acl";
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("user eve on #") && !text.contains(">eve"), "{text}");
    std::fs::write(&path, text + "user eve on\n").unwrap();
    let Value::Error(text) = client.say("ACL LOAD") else { panic!() };
    assert!(text.contains("Duplicate user 'eve' found on line 5"), "{text}");
    assert_eq!(
        client.say("ACL USERS"),
        Value::Array(["alice", "bob", "default", "eve"].map(Value::bulk).to_vec())
    );
}

#[test]
fn users_come_from_settings() {
    let users =
        vec!["default on nopass ~* +@all -flushdb".to_owned(), "a on >p +get ~*".to_owned()];
    let ours = in_directory("", Settings { users, ..Settings::default() });
    let mut client = ours.connect();
    let text = "NOPERM this user has no permissions to run the 'flushdb' command";
    assert_eq!(client.say("FLUSHDB"), error(text));
    let text =
        "NOPERM this user has no permissions to access one of the channels used as arguments";
    assert_eq!(client.say("SUBSCRIBE c"), error(text));
    assert_eq!(client.say("AUTH a p"), ok());
}

#[test]
fn passwords_are_in_no_log() {
    let ours = Ours::start();
    let (mut client, mut monitor) = (ours.connect(), ours.connect());
    monitor.say("MONITOR");
    client.say("CONFIG SET slowlog-log-slower-than 0");
    for line in [
        "ACL SETUSER u on >secret ~* +@all",
        "AUTH u secret",
        "HELLO 3 AUTH u secret",
        "CONFIG SET requirepass secret",
        "AUTH secret",
        "ACL SETUSER u <secret",
    ] {
        client.say(line);
    }
    client.say("PING end");
    let log = format!("{:?} {:?}", client.say("SLOWLOG GET 100"), client.say("ACL LOG"));
    let mut seen = String::new();
    while !seen.contains("end") {
        seen += &format!("{:?}", monitor.receive());
    }
    assert!(log.contains(&format!("{:?}", Value::bulk("(redacted)"))), "{log}");
    for text in [log, seen] {
        assert!(!text.contains(&format!("{:?}", Value::bulk("secret"))), "{text}");
        assert!(!text.contains("secret"), "{text}");
    }
}
