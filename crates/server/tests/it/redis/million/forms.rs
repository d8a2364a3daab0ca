//! Random commands of all types on shared keys.
//!
//! A form is a command in which letters after a dollar stand for random arguments. What Redis leaves undefined is not
//! asked: random members, the order of equal elements, HyperLogLogs that other commands have changed, and positions
//! with scores that none has, so these two types keep to their own keys. Nor is what differs by intention
//! (docs/server/redis.md): scores without an exact binary form, DBSIZE while expired keys have not been looked at, the
//! lag of groups, WATCH with [`UNSEEN`] commands, and consumers of [`CONSUMING`] ones, which are created first. Nothing
//! blocks: Redis ends a wait by the clock that stands still.

use super::{Value, Words, words};
use fastrand::Rng;

/// The names of keys of each type. All but the last two are used by commands of other types, too.
const LETTERS: &[u8; 9] = b"slhezxbgp";
/// Keys of each type.
const KEYS: usize = 3;
/// The types that share their keys.
const SHARED: usize = LETTERS.len() - 2;

/// One form per line; lines that begin with `#` are comments. `$s` to `$p` are keys of a type, `$k` is a key of any
/// type that shares its keys.
const FORMS: &str = include_str!("forms.txt");

/// Scripts, with the numbers of their keys.
const SCRIPTS: &[(&str, &str)] = &[
    ("return redis.call('INCR', KEYS[1])", "1 $s"),
    (
        "redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) return redis.call('PTTL', KEYS[1])",
        "1 $s $V $T",
    ),
    (
        "local v = redis.call('DUMP', KEYS[1]) if v then return redis.call('RESTORE', KEYS[2], ARGV[1], v, 'REPLACE') end return v",
        "2 $k $k $T",
    ),
    ("redis.call('RENAME', KEYS[1], KEYS[2]) return redis.call('TYPE', KEYS[2])", "2 $k $k"),
    (
        "return {redis.pcall('GET', KEYS[1]), redis.pcall('LLEN', KEYS[1]), redis.pcall('HLEN', KEYS[1]), redis.pcall('ZCARD', KEYS[1])}",
        "1 $k",
    ),
    ("return redis.call('TIME')", "0"),
    (
        "for i = 1, 20 do redis.call('RPUSH', KEYS[1], i) end return redis.call('LRANGE', KEYS[1], -3, -1)",
        "1 $l",
    ),
    ("return redis.call('XADD', KEYS[1], '*', 'f', ARGV[1])", "1 $x $V"),
    ("redis.setresp(3) return redis.call('ZRANGE', KEYS[1], 0, 2, 'WITHSCORES')", "1 $z"),
    (
        "redis.call('PEXPIRE', KEYS[1], ARGV[1]) return {redis.call('EXISTS', KEYS[1]), redis.call('PEXPIRETIME', KEYS[1])}",
        "1 $k $T",
    ),
    ("return redis.call('NOSUCH', KEYS[1])", "1 $k"),
    (
        "if redis.call('EXISTS', KEYS[1]) == 1 then return redis.call('OBJECT', 'REFCOUNT', KEYS[1]) > 0 end return tostring(ARGV[1])",
        "1 $k $V",
    ),
];

/// Commands that create their consumer even if there is nothing for it, as in Redis 7.2.
const CONSUMING: [&str; 3] = ["XREADGROUP", "XCLAIM", "XAUTOCLAIM"];

/// Commands that change a watched stream, which Redis does not notice.
const UNSEEN: [&str; 3] = ["XGROUP SETID", "XGROUP DESTROY", "XSETID"];

const VALUES: &[&str] = &[
    "",
    "0",
    "17",
    "-3",
    "abc",
    "hello world",
    "1.5",
    "9223372036854775807",
    "ohmytext",
    "mynewtext",
    "\u{0}\u{7f}",
];
const FLOATS: &[&str] = &["0", "1.5", "-2.25", "3", "1e3", "inf", "-inf", "0.125", "x"];

/// Makes commands.
pub(super) struct Forms {
    forms: Vec<&'static str>,
    start_ms: u64,
    now_ms: u64,
    /// Whether a transaction is being queued, as far as its commands are right.
    pub is_queueing: bool,
    is_watching: bool,
    /// A command that follows the one that was returned last.
    second: Option<Words>,
}

impl Forms {
    pub(super) fn new(start_ms: u64) -> Forms {
        let forms = FORMS.lines().filter(|line| !line.starts_with('#')).collect();
        Forms {
            forms,
            start_ms,
            now_ms: start_ms,
            is_queueing: false,
            is_watching: false,
            second: None,
        }
    }

    /// Returns a command for this time.
    pub(super) fn next(&mut self, random: &mut Rng, now_ms: u64) -> Words {
        self.now_ms = now_ms;
        if let Some(second) = self.second.take() {
            return second;
        }
        let transaction = match (self.is_queueing, random.usize(..200)) {
            (false, 0..6) => Some("MULTI"),
            (true, 0..30) => Some("EXEC"),
            (true, 30) => Some("DISCARD"),
            (false, 6..9) => Some("WATCH $k $k"),
            (_, 9) => Some("UNWATCH"),
            (_, 10) if random.usize(..20) == 0 => Some("FLUSHALL"),
            (_, 11) if random.usize(..5) == 0 => Some("FLUSHDB"),
            _ => None,
        };
        match transaction {
            Some("MULTI") => self.is_queueing = true,
            Some("EXEC" | "DISCARD") => (self.is_queueing, self.is_watching) = (false, false),
            Some("UNWATCH") => self.is_watching = false,
            Some("WATCH $k $k") => self.is_watching = true,
            _ => {}
        }
        if let Some(form) = transaction {
            return self.fill(random, form);
        }
        if random.usize(..20) == 0 {
            let (source, rest) = SCRIPTS[random.usize(..SCRIPTS.len())];
            let mut command = vec![b"EVAL".to_vec(), source.into()];
            command.extend(self.fill(random, rest));
            return command;
        }
        let mut form = self.forms[random.usize(..self.forms.len())];
        if self.is_watching && UNSEEN.iter().any(|unseen| form.starts_with(unseen)) {
            form = "XLEN $x";
        }
        let mut command = self.fill(random, form);
        if CONSUMING.iter().any(|name| form.starts_with(name)) {
            let create = creation(&command);
            self.second = Some(command);
            return create;
        }
        match random.usize(..150) {
            0 if command.len() > 1 && !is_random_if_short(&command[0]) => drop(command.pop()),
            // ZRANK has had an option since Redis 7.2.
            1 if !command[0].ends_with(b"RANK") => command.push(b"extra".to_vec()),
            _ => {}
        }
        command
    }

    fn fill(&self, random: &mut Rng, form: &str) -> Words {
        let mut command = words(form);
        for word in &mut command {
            let Some(at) = word.iter().position(|byte| *byte == b'$') else { continue };
            let Some(kind) = word.get(at + 1).copied() else { continue };
            let argument = self.argument(random, kind);
            word.splice(at..at + 2, argument);
            // A second one in the same word.
            if let Some(at) = word.iter().position(|byte| *byte == b'$') {
                let argument = self.argument(random, word[at + 1]);
                word.splice(at..at + 2, argument);
            }
        }
        command
    }

    fn argument(&self, random: &mut Rng, kind: u8) -> Vec<u8> {
        let one = |random: &mut Rng, list: &[&str]| list[random.usize(..list.len())].into();
        match kind {
            b'V' => one(random, VALUES),
            b'F' => one(random, FLOATS),
            b'M' => format!("m{}", random.usize(..12)).into(),
            b'N' => random.i64(-3..9).to_string().into(),
            b'I' => random.u64(..12).to_string().into(),
            b'P' => random.u64(..200).to_string().into(),
            b'B' => random.u64(..2).to_string().into(),
            b'T' => random.u64(1..4000).to_string().into(),
            // A Unix time in milliseconds that is near, and may be over.
            b'A' => (self.now_ms + random.u64(..4000) - 500).to_string().into(),
            // The time of an entry of a stream that may exist.
            b'D' => {
                let age = random.u64(..3) * random.u64(..1000);
                self.now_ms.saturating_sub(age).max(self.start_ms).to_string().into()
            }
            b'p' | b'g' => key(random, kind),
            b'k' => shared_key(random),
            // Now and then a key of another type.
            letter => match random.usize(..12) {
                0 => shared_key(random),
                _ => key(random, letter),
            },
        }
    }
}

/// Returns the command that creates the consumer of a command.
fn creation(command: &[Vec<u8>]) -> Words {
    let streams = command.iter().position(|word| word == b"STREAMS");
    let (key, group) = streams.map_or((1, 2), |at| (at + 1, 2));
    let (consumer, create) = (group + 1, words("XGROUP CREATECONSUMER"));
    create.into_iter().chain([key, group, consumer].map(|at| command[at].clone())).collect()
}

/// Returns whether a command chooses at random if its last argument is missing.
fn is_random_if_short(name: &[u8]) -> bool {
    matches!(name, b"SPOP" | b"HRANDFIELD")
}

fn shared_key(random: &mut Rng) -> Vec<u8> {
    let letter = LETTERS[random.usize(..SHARED)];
    key(random, letter)
}

fn key(random: &mut Rng, letter: u8) -> Vec<u8> {
    format!("{}{}", char::from(letter), random.usize(..KEYS)).into()
}

/// Sorts what has no order, and leaves out what differs by intention.
pub(super) fn ordered(command: &[Vec<u8>], value: Value) -> Value {
    let name = command[0].to_ascii_uppercase();
    match (&name[..], value) {
        (
            b"SMEMBERS" | b"SUNION" | b"SINTER" | b"SDIFF" | b"SPOP" | b"HKEYS" | b"HVALS"
            | b"KEYS" | b"GEOSEARCH",
            value,
        ) => value.sorted(),
        (b"HGETALL" | b"HRANDFIELD", Value::Array(list)) => Value::Array(pairs(list)),
        (b"HGETALL", value) => value.sorted(),
        (b"SCAN" | b"SSCAN" | b"HSCAN" | b"ZSCAN", Value::Array(list)) => {
            let is_pairs = matches!(&name[..], b"HSCAN" | b"ZSCAN");
            let inner = |value| match value {
                Value::Array(list) if is_pairs => Value::Array(pairs(list)),
                value => value.sorted(),
            };
            Value::Array(list.into_iter().map(inner).collect())
        }
        (b"XINFO", Value::Array(groups)) if command[1].eq_ignore_ascii_case(b"GROUPS") => {
            Value::Array(groups.into_iter().map(without_lag).collect())
        }
        (_, value) => value,
    }
}

/// Leaves out the lag of a group, its last part, which is counted as in Redis 8.0.
fn without_lag(mut group: Value) -> Value {
    match &mut group {
        Value::Array(parts) => _ = parts.pop(),
        Value::Map(parts) => _ = parts.pop(),
        _ => {}
    }
    group
}

/// Sorts pairs that follow each other, or are arrays.
fn pairs(list: Vec<Value>) -> Vec<Value> {
    if list.iter().any(|value| matches!(value, Value::Array(_))) {
        let Value::Array(list) = Value::Array(list).sorted() else { unreachable!() };
        return list;
    }
    let mut pairs: Vec<_> = list.chunks(2).map(<[Value]>::to_vec).collect();
    pairs.sort();
    pairs.into_iter().flatten().collect()
}
