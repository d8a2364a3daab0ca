//! Streams and consumer groups: random commands compared with Redis, and the trimming of whole nodes.

use super::{Ours, Theirs, Value, compare, random_commands, words};
use fastrand::Rng;
use ferrolith_server::clock::ManualClock;
use std::sync::Arc;

const KEYS: [&str; 4] = ["s1", "s2", "{s1}3", "text"];
const GROUPS: [&str; 3] = ["g1", "g2", "none"];
const CONSUMERS: [&str; 3] = ["alice", "bob", "carol"];
const COUNTS: [&str; 8] = ["0", "1", "2", "3", "10", "-1", "x", ""];
/// No entry is this old, unless XCLAIM says so.
const OLD_MS: &str = "1000000";

fn pick<'a>(random: &mut Rng, from: &[&'a str]) -> &'a str {
    from[random.usize(..from.len())]
}

/// Makes random commands; ids grow slowly.
struct Generator {
    random: Rng,
    ms: u64,
}

impl Generator {
    fn key(&mut self) -> String {
        pick(&mut self.random, &KEYS).into()
    }

    fn group(&mut self) -> String {
        pick(&mut self.random, &GROUPS).into()
    }

    fn consumer(&mut self) -> String {
        pick(&mut self.random, &CONSUMERS).into()
    }

    fn count(&mut self) -> String {
        pick(&mut self.random, &COUNTS).into()
    }

    /// Returns the id of an entry that may exist.
    fn id(&mut self) -> String {
        let ms = self.ms.saturating_sub(self.random.u64(..12));
        match self.random.usize(..12) {
            0 => pick(&mut self.random, &["0", "0-0", "x", "-", "+", "1-", "5-x", "", "1-1-1"])
                .into(),
            1 => format!("{ms}"),
            2 => u64::MAX.to_string(),
            _ => format!("{ms}-{}", self.random.usize(..3)),
        }
    }

    /// Returns an end of a range.
    fn bound(&mut self) -> String {
        match self.random.usize(..5) {
            0 => "-".into(),
            1 => "+".into(),
            2 => format!("({}", self.id()),
            _ => self.id(),
        }
    }

    fn trim(&mut self) -> Vec<String> {
        let mut words = match self.random.usize(..3) {
            0 => vec!["MINID".into(), self.id()],
            _ => vec![
                "MAXLEN".into(),
                pick(&mut self.random, &["0", "1", "5", "20", "-1", "x"]).into(),
            ],
        };
        if self.random.usize(..3) == 0 {
            words.insert(1, "=".into());
        }
        if self.random.usize(..10) == 0 {
            words.extend(["LIMIT".into(), self.count()]);
        }
        words
    }

    fn add(&mut self) -> Vec<String> {
        let mut words = vec!["XADD".into(), self.key()];
        if self.random.usize(..8) == 0 {
            words.push("NOMKSTREAM".into());
        }
        if self.random.usize(..6) == 0 {
            words.extend(self.trim());
        }
        self.ms += self.random.u64(..2);
        words.push(match self.random.usize(..10) {
            // Nothing comes behind the largest id.
            0 => self.id().replace(&u64::MAX.to_string(), "2"),
            1 => format!("{}-*", self.ms.saturating_sub(3)),
            2 => format!("{}-{}", self.ms, self.random.usize(..4)),
            _ => format!("{}-*", self.ms),
        });
        for _ in 0..[1, 2, 3, 4, 5][self.random.usize(..5)] {
            words.push(pick(&mut self.random, &["f", "g", "", "value", "with space"]).into());
            words.push(pick(&mut self.random, &["1", "2", "-3", "text"]).into());
        }
        if self.random.usize(..30) == 0 {
            words.pop();
        }
        words
    }

    fn read(&mut self) -> Vec<String> {
        let mut words = vec!["XREAD".into()];
        self.read_options(&mut words);
        let keys = self.random.usize(1..3);
        words.push("STREAMS".into());
        words.extend((0..keys).map(|_| self.key()));
        words.extend((0..keys).map(|_| match self.random.usize(..6) {
            0 => "$".into(),
            1 => ">".into(),
            2 => "0".into(),
            // Redis 7.4 and this server reply the last entry for `+`, older versions an error.
            _ => self.id().replace('+', "0"),
        }));
        words
    }

    fn read_options(&mut self, words: &mut Vec<String>) {
        if self.random.usize(..2) == 0 {
            words.extend(["COUNT".into(), self.count()]);
        }
        if self.random.usize(..4) == 0 {
            // Not 0, which would wait without end.
            let block = pick(&mut self.random, &["1", "5", "-1", "x"]);
            words.extend(["BLOCK".into(), block.into()]);
        }
    }

    fn read_group(&mut self) -> Vec<String> {
        let mut words = vec!["XREADGROUP".into(), "GROUP".into(), self.group(), self.consumer()];
        self.read_options(&mut words);
        if self.random.usize(..6) == 0 {
            words.push("NOACK".into());
        }
        let keys = self.random.usize(1..3);
        words.push("STREAMS".into());
        words.extend((0..keys).map(|_| self.key()));
        words.extend((0..keys).map(|_| match self.random.usize(..8) {
            0 => "$".into(),
            1 => "0".into(),
            2 => self.id(),
            _ => ">".into(),
        }));
        words
    }

    fn claim(&mut self) -> Vec<String> {
        let idle = pick(&mut self.random, &["0", OLD_MS, "-5", "x"]).to_owned();
        let mut words =
            vec!["XCLAIM".into(), self.key(), self.group(), self.consumer(), idle, self.id()];
        words.extend((0..self.random.usize(..3)).map(|_| self.id()));
        for _ in 0..self.random.usize(..3) {
            match self.random.usize(..6) {
                0 => words.extend(["IDLE".into(), "5000000".into()]),
                1 => words.extend(["TIME".into(), "1000".into()]),
                2 => words.extend(["RETRYCOUNT".into(), self.count()]),
                3 => words.push("FORCE".into()),
                4 => words.push("JUSTID".into()),
                _ => words.extend(["LASTID".into(), self.id()]),
            }
        }
        words
    }

    fn auto_claim(&mut self) -> Vec<String> {
        let idle = pick(&mut self.random, &["0", OLD_MS, "x"]).to_owned();
        let mut words = vec!["XAUTOCLAIM".into(), self.key(), self.group(), self.consumer(), idle];
        words.push(if self.random.bool() { "0".into() } else { self.bound() });
        if self.random.bool() {
            words.extend(["COUNT".into(), self.count()]);
        }
        if self.random.bool() {
            words.push("JUSTID".into());
        }
        words
    }

    fn groups(&mut self) -> Vec<String> {
        let mut words = vec!["XGROUP".into()];
        let id = match self.random.usize(..3) {
            0 => "$".into(),
            1 => "0".into(),
            _ => self.id(),
        };
        match self.random.usize(..10) {
            0..=3 => {
                words.extend(["CREATE".into(), self.key(), self.group(), id]);
                if self.random.bool() {
                    words.push("MKSTREAM".into());
                }
                if self.random.usize(..4) == 0 {
                    words.extend(["ENTRIESREAD".into(), self.count()]);
                }
            }
            4 => {
                words.extend(["SETID".into(), self.key(), self.group(), id]);
                if self.random.usize(..3) == 0 {
                    words.extend(["ENTRIESREAD".into(), self.count()]);
                }
            }
            5 => words.extend(["DESTROY".into(), self.key(), self.group()]),
            6 | 7 => {
                words.extend(["CREATECONSUMER".into(), self.key(), self.group(), self.consumer()]);
            }
            8 => words.extend(["DELCONSUMER".into(), self.key(), self.group(), self.consumer()]),
            _ => words.extend(["NOTHING".into(), self.key()]),
        }
        words
    }

    fn pending(&mut self) -> Vec<String> {
        let mut words = vec!["XPENDING".into(), self.key(), self.group()];
        if self.random.usize(..3) > 0 {
            if self.random.usize(..3) == 0 {
                words.extend(["IDLE".into(), OLD_MS.into()]);
            }
            words.extend([self.bound(), self.bound(), self.count()]);
            if self.random.bool() {
                words.push(self.consumer());
            }
        }
        words
    }

    fn info(&mut self) -> Vec<String> {
        let mut words = vec!["XINFO".into()];
        match self.random.usize(..5) {
            0 => words.extend(["CONSUMERS".into(), self.key(), self.group()]),
            1 => words.extend(["GROUPS".into(), self.key()]),
            2 => words.extend(["STREAM".into(), self.key()]),
            3 => words.extend(["STREAM".into(), self.key(), "FULL".into()]),
            _ => {
                words.extend(["STREAM".into(), self.key(), "FULL".into(), "COUNT".into()]);
                words.push(self.count());
            }
        }
        words
    }

    fn command(&mut self) -> Vec<Vec<u8>> {
        let mut words = match self.random.usize(..40) {
            0..=10 => self.add(),
            11 => vec!["XLEN".into(), self.key()],
            12..=13 => vec!["XRANGE".into(), self.key(), self.bound(), self.bound()],
            14 => {
                let (to, from, count) = (self.bound(), self.bound(), self.count());
                vec!["XREVRANGE".into(), self.key(), to, from, "COUNT".into(), count]
            }
            15..=16 => vec!["XDEL".into(), self.key(), self.id(), self.id()],
            17 => [vec!["XTRIM".into(), self.key()], self.trim()].concat(),
            18 if self.random.usize(..3) == 0 => self.set_id(),
            18..=19 => self.read(),
            20..=25 => self.read_group(),
            26..=27 => vec!["XACK".into(), self.key(), self.group(), self.id(), self.id()],
            28..=29 => self.claim(),
            30 => self.auto_claim(),
            31..=33 => self.groups(),
            34..=36 => self.pending(),
            37..=38 => self.info(),
            _ if self.random.usize(..10) == 0 => vec!["DEL".into(), self.key()],
            _ => self.info(),
        };
        if self.random.usize(..60) == 0 {
            words.push("more".into());
        }
        words.into_iter().map(String::into_bytes).collect()
    }

    fn set_id(&mut self) -> Vec<String> {
        // Redis trims too little behind an id that goes back beyond deleted entries.
        self.ms += 1;
        let id = format!("{}-{}", self.ms, self.random.usize(..3));
        let mut words = vec!["XSETID".into(), self.key(), id];
        if self.random.usize(..4) == 0 {
            words.extend(["ENTRIESADDED".into(), self.count()]);
        }
        if self.random.usize(..4) == 0 {
            words.extend(["MAXDELETEDID".into(), self.id()]);
        }
        words
    }
}

/// Hides times, which differ, figures of Redis's memory, what Redis has from 7.2 on, and the lag of groups, which is
/// Redis 8.0's.
fn canonical(command: &[Vec<u8>], value: Value) -> Value {
    match command[0].as_slice() {
        b"XPENDING" if command.len() > 3 => hide_idle(value),
        b"XINFO" => hide_times(value),
        _ => value,
    }
}

fn hide_idle(value: Value) -> Value {
    let Value::Array(entries) = value else { return value };
    let hidden = entries.into_iter().map(|entry| match entry {
        Value::Array(mut parts) if parts.len() == 4 => {
            parts[2] = Value::Integer(0);
            Value::Array(parts)
        }
        other => other,
    });
    Value::Array(hidden.collect())
}

fn hide_times(value: Value) -> Value {
    const HIDDEN: [&str; 5] = ["idle", "seen-time", "radix-tree-keys", "radix-tree-nodes", "lag"];
    const LEFT_OUT: [&str; 2] = ["inactive", "active-time"];
    let is_hidden = |name: &Value| HIDDEN.iter().any(|text| *name == Value::bulk(text));
    let is_left_out = |name: &Value| LEFT_OUT.iter().any(|text| *name == Value::bulk(text));
    match value {
        Value::Integer(number) if number > 1_000_000_000 => Value::Integer(0),
        Value::Array(list) => {
            let (mut hidden, mut list) = (Vec::new(), list.into_iter());
            while let Some(value) = list.next() {
                if is_left_out(&value) {
                    list.next();
                    continue;
                }
                let value = match hidden.last() {
                    Some(name) if is_hidden(name) => Value::Integer(0),
                    _ => hide_times(value),
                };
                hidden.push(value);
            }
            Value::Array(hidden)
        }
        Value::Map(pairs) => Value::Map(
            pairs
                .into_iter()
                .filter(|(name, _)| !is_left_out(name))
                .map(|(name, value)| match is_hidden(&name) {
                    true => (name, Value::Integer(0)),
                    false => (name, hide_times(value)),
                })
                .collect(),
        ),
        other => other,
    }
}

/// Returns a command behind those that create its consumer. Some commands create it only if there are entries for it in
/// Redis 7.0, and always from 7.2 on.
fn with_consumers(command: Vec<Vec<u8>>) -> Vec<Vec<Vec<u8>>> {
    let keys = match &command[0][..] {
        b"XREADGROUP" => {
            let at = command.iter().position(|word| word == b"STREAMS").map_or(0, |at| at + 1);
            command[at..at + (command.len() - at) / 2].to_vec()
        }
        b"XCLAIM" | b"XAUTOCLAIM" => command[1..2].to_vec(),
        _ => return vec![command],
    };
    let create = |key: &Vec<u8>| {
        let own = [key, &command[2], &command[3]].map(Vec::clone);
        words("XGROUP CREATECONSUMER").into_iter().chain(own).collect()
    };
    let mut commands: Vec<_> = keys.iter().map(create).collect();
    commands.push(command);
    commands
}

#[test]
fn consumers_are_created_without_entries() {
    let ours = Ours::start();
    let mut client = ours.connect();
    client.say("XGROUP CREATE s g $ MKSTREAM");
    assert_eq!(client.say("XREADGROUP GROUP g one STREAMS s >"), Value::NullArray);
    assert_eq!(client.say("XREADGROUP GROUP g two BLOCK 1 STREAMS s >"), Value::NullArray);
    client.say("XCLAIM s g three 0 1-1");
    client.say("XAUTOCLAIM s g four 0 0");
    for name in ["one", "two", "three", "four"] {
        let create = format!("XGROUP CREATECONSUMER s g {name}");
        assert_eq!(client.say(&create), Value::Integer(0), "{name}");
    }
    client.say("MULTI");
    client.say("XREADGROUP GROUP g five STREAMS s >");
    client.say("XINFO GROUPS s");
    let Value::Array(replies) = client.say("EXEC") else { panic!("no transaction") };
    let Value::Array(groups) = &replies[1] else { panic!("no groups") };
    let Value::Array(parts) = &groups[0] else { panic!("no group") };
    assert_eq!(parts[2..4], [Value::bulk("consumers"), Value::Integer(5)]);
}

#[test]
fn streams_reply_as_redis_does() {
    let commands = |protocol: u8| {
        let random = Rng::with_seed(40 + u64::from(protocol));
        let mut generator = Generator { random, ms: 1 };
        let mut commands = vec![words("SET text value")];
        commands
            .extend((0..random_commands(8000)).flat_map(|_| with_consumers(generator.command())));
        commands
    };
    compare(commands, canonical);
}

/// Approximate trimming removes whole nodes. The stream never becomes empty, since nodes would begin anew in Redis.
#[test]
fn whole_nodes_are_trimmed_as_redis_does() {
    let commands = |protocol: u8| {
        let mut random = Rng::with_seed(50 + u64::from(protocol));
        let mut commands = vec![words("CONFIG SET stream-node-max-entries 10")];
        for i in 1..random_commands(2000) {
            let length = random.usize(5..60);
            let least = i.saturating_sub(length);
            let limit = ["", " LIMIT 0", " LIMIT 20", " LIMIT 7"][random.usize(..4)];
            let text = match random.usize(..12) {
                0 => format!("XADD s MAXLEN ~ {length}{limit} {i} f v"),
                1 => format!("XADD s MINID ~ {least}{limit} {i} f v"),
                2 => format!("XADD s MAXLEN {} {i} f v", length + 30),
                3 => format!("XTRIM s MAXLEN ~ {length}{limit}"),
                4 => format!("XTRIM s MINID ~ {least}{limit}"),
                5 => "XINFO STREAM s".into(),
                _ => format!("XADD s {i} f v"),
            };
            commands.push(words(&text));
            commands.push(words("XLEN s"));
        }
        commands
    };
    compare(commands, canonical);
}

#[test]
fn the_last_entry_can_be_read() {
    let ours = Ours::start();
    let mut client = ours.connect();
    assert_eq!(client.say("XREAD STREAMS s +"), Value::NullArray);
    client.say("XADD s 1-1 a 1");
    client.say("XADD s 2-1 b 2");
    client.say("XADD s 3-1 c 3");
    client.say("XDEL s 3-1");
    let fields = Value::Array(vec![Value::bulk("b"), Value::bulk("2")]);
    let entry = Value::Array(vec![Value::bulk("2-1"), fields]);
    let stream = Value::Array(vec![Value::bulk("s"), Value::Array(vec![entry])]);
    assert_eq!(client.say("XREAD COUNT 10 STREAMS s +"), Value::Array(vec![stream]));
}

/// The lag of a group that is behind the first entry is the length of the stream, as in Redis 8.0.
#[test]
fn groups_behind_all_entries_lag_by_their_number() {
    let ours = Ours::start();
    let mut client = ours.connect();
    for entry in ["1-1", "2-1", "3-1", "4-1"] {
        client.say(&format!("XADD s {entry} f v"));
    }
    client.say("XGROUP CREATE s g 0 ENTRIESREAD 7");
    let mut lag = |command: &str| {
        client.say(command);
        let Value::Array(groups) = client.say("XINFO GROUPS s") else { panic!("no groups") };
        let Value::Array(parts) = &groups[0] else { panic!("no group") };
        parts.last().cloned()
    };
    assert_eq!(lag("XTRIM s MAXLEN 3"), Some(Value::Integer(3)));
    assert_eq!(lag("XDEL s 3-1"), Some(Value::Null));
    assert_eq!(lag("XTRIM s MAXLEN 1"), Some(Value::Integer(1)));
    assert_eq!(lag("XTRIM s MAXLEN 0"), Some(Value::Integer(0)));
}

#[test]
fn consumers_show_when_they_got_entries() {
    let clock = Arc::new(ManualClock::new(1_700_000_000_000));
    let ours = Ours::start_with(clock.clone());
    let mut client = ours.connect();
    client.say("XADD s 1-1 f v");
    client.say("XGROUP CREATE s g 0");
    client.say("XGROUP CREATECONSUMER s g idle");
    client.say("XREADGROUP GROUP g reader STREAMS s >");
    clock.advance_ms(20);
    let Value::Array(consumers) = client.say("XINFO CONSUMERS s g") else { panic!("none") };
    let inactive = consumers.iter().map(|consumer| match consumer {
        Value::Array(parts) => parts[6..8].to_vec(),
        other => panic!("{other:?}"),
    });
    let expected = [-1, 20].map(|ms| vec![Value::bulk("inactive"), Value::Integer(ms)]);
    assert_eq!(inactive.collect::<Vec<_>>(), expected);
}

/// A stream with groups moves from this server to Redis and back, and stays the same.
#[test]
fn dumped_streams_are_the_same_in_redis() {
    let Some(theirs) = Theirs::start() else { return };
    let ours = Ours::start();
    let mut generator = Generator { random: Rng::with_seed(60), ms: 1 };
    let (mut our, mut their) = (ours.connect(), theirs.connect());
    for _ in 0..4 {
        let commands: Vec<_> = (0..800).map(|_| generator.command()).collect();
        our.pipeline(&commands);
        for key in ["s1", "s2", "{s1}3"] {
            let full = format!("XINFO STREAM {key} FULL COUNT 0");
            let (before, dumped) = (our.say(&full), our.say(&format!("DUMP {key}")));
            let Value::Bulk(dumped) = dumped else { continue };
            let restore = |payload: &[u8]| {
                [b"RESTORE", key.as_bytes(), b"0", payload, b"REPLACE"].map(<[u8]>::to_vec)
            };
            let ok = Value::Simple("OK".into());
            assert_eq!(their.call(&restore(&dumped)), ok);
            let hidden = |value| canonical(&words("XINFO"), value);
            assert_eq!(hidden(their.say(&full)), hidden(before.clone()), "in Redis: {key}");
            let Value::Bulk(dumped) = their.say(&format!("DUMP {key}")) else {
                panic!("Redis does not dump {key}")
            };
            assert_eq!(our.call(&restore(&dumped)), ok);
            assert_eq!(hidden(our.say(&full)), hidden(before), "{key}");
        }
    }
}
