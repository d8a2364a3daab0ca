//! Commands of all types on shared keys while time passes, compared with Redis: expiry, transactions and WATCH,
//! scripts, RENAME, COPY, MOVE, SORT, and DUMP with RESTORE between the servers.
//!
//! Both servers have the same clock, which stands still while commands are sent: ours is injected, and `redis-server`
//! has a preloaded library that reads it (`clock.c`). So times to live, ids of streams and idle times are equal to the
//! millisecond.
//!
//! `FERROLITH_RANDOM_COMMANDS=N` sends N commands per protocol; `FERROLITH_MILLION_SEED` is the seed.

mod forms;
mod state;

use super::{Client, Ours, Value, random_commands, show, words};
use crate::peer::RedisProcess;
use fastrand::Rng;
use ferrolith_server::clock::ManualClock;
use std::collections::VecDeque;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// 2026-01-01, in Unix milliseconds.
const START_MS: u64 = 1_767_225_600_000;
/// Commands that are sent at once, at one time.
const PIPELINE: usize = 40;
/// After so many pipelines all keys are compared.
const PIPELINES_PER_STATE: usize = 100;
/// Commands that are shown before the first difference.
const SHOWN: usize = 60;
/// After so many differences the test ends.
const DIFFERENCES_MAX: usize = 20;

type Words = Vec<Vec<u8>>;

/// Builds the library that gives a program the time of a file; `None`, with a message, if there is no C compiler.
fn clock_library(dir: &Path) -> Option<PathBuf> {
    let library = dir.join("clock.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/redis/million/clock.c");
    let mut compiler = Command::new("cc");
    compiler.args(["-O1", "-shared", "-fPIC", "-o"]).arg(&library).arg(source);
    match compiler.status() {
        Ok(status) => assert!(status.success(), "clock.c"),
        Err(error) => {
            eprintln!("skipped: no C compiler: {error}");
            return None;
        }
    }
    Some(library)
}

/// Writes the time that `redis-server` sees.
fn set_time(file: &Path, ms: u64) {
    // The file is mapped there, so it is changed in place, by one write.
    let file = std::fs::File::options().create(true).write(true).truncate(false).open(file);
    file.unwrap().write_all_at(&(ms * 1000).to_ne_bytes(), 0).unwrap();
}

/// Both servers, a connection to each, and their clock.
struct Pair {
    ours: Client,
    theirs: Client,
    clock: Arc<ManualClock>,
    now_ms: u64,
    time_file: PathBuf,
    /// The commands that a transaction has queued, for the order of its replies.
    queued: Vec<Words>,
    last: VecDeque<String>,
    differences: usize,
    _server: Ours,
    _process: RedisProcess,
    _dir: tempfile::TempDir,
}

impl Pair {
    fn start(protocol: u8) -> Option<Pair> {
        let dir = tempfile::tempdir().unwrap();
        let library = clock_library(dir.path())?;
        let time_file = dir.path().join("time");
        set_time(&time_file, START_MS);
        let environment =
            [("LD_PRELOAD", library.as_os_str()), ("FERROLITH_TEST_CLOCK", time_file.as_os_str())];
        let (process, stream) = RedisProcess::start_in(&[], &environment)?;
        let address = stream.get_ref().peer_addr().unwrap();
        let mut theirs = Client::connect(address);
        // Keys that have expired are removed when they are looked at, not at a random moment.
        theirs.say("DEBUG SET-ACTIVE-EXPIRE 0");
        let clock = Arc::new(ManualClock::new(START_MS));
        let server = Ours::start_with(clock.clone());
        let ours = server.connect();
        let mut pair = Pair {
            ours,
            theirs,
            clock,
            now_ms: START_MS,
            time_file,
            queued: Vec::new(),
            last: VecDeque::new(),
            differences: 0,
            _server: server,
            _process: process,
            _dir: dir,
        };
        let hello = words(&format!("HELLO {protocol}"));
        pair.ours.call(&hello);
        pair.theirs.call(&hello);
        pair.compare(&[words("TIME")]);
        Some(pair)
    }

    /// Moves both clocks.
    fn advance(&mut self, ms: u64) {
        self.now_ms += ms;
        self.clock.advance_ms(ms);
        set_time(&self.time_file, self.now_ms);
        self.remember(format!("(time passes: {ms} ms)"));
    }

    /// Sends commands to both servers, and compares the replies.
    fn compare(&mut self, commands: &[Words]) {
        let (found, expected) = (self.ours.pipeline(commands), self.theirs.pipeline(commands));
        for ((command, found), expected) in commands.iter().zip(found).zip(expected) {
            self.remember(show(command));
            let (found, expected) = (self.ordered(command, found), self.ordered(command, expected));
            if found != expected {
                // Later ones may follow from it, or not.
                self.last.drain(..).for_each(|line| eprintln!("{line}"));
                eprintln!("found    {found:?}\nexpected {expected:?}");
                self.differences += 1;
                assert!(self.differences < DIFFERENCES_MAX, "too many differences");
            }
            match (&expected, command[0].to_ascii_uppercase().as_slice()) {
                (Value::Simple(text), _) if text == "QUEUED" => self.queued.push(command.clone()),
                (_, b"EXEC" | b"DISCARD" | b"MULTI") => self.queued.clear(),
                _ => {}
            }
        }
    }

    /// Sorts what has no order, also within the replies of a transaction.
    fn ordered(&self, command: &Words, value: Value) -> Value {
        match value {
            Value::Array(list) if command[0].eq_ignore_ascii_case(b"EXEC") => {
                let inner = self.queued.iter().zip(list);
                Value::Array(inner.map(|(command, value)| forms::ordered(command, value)).collect())
            }
            value => forms::ordered(command, value),
        }
    }

    fn remember(&mut self, line: String) {
        if self.last.len() == SHOWN {
            self.last.pop_front();
        }
        self.last.push_back(line);
    }
}

/// Sends so many random commands in a protocol.
fn run(protocol: u8, count: usize) {
    let Some(mut pair) = Pair::start(protocol) else { return };
    let seed = std::env::var("FERROLITH_MILLION_SEED").ok();
    let seed: u64 = seed.map_or(1, |seed| seed.parse().expect("a number"));
    let mut random = Rng::with_seed(seed * 10 + u64::from(protocol));
    let mut forms = forms::Forms::new(START_MS);
    for pipeline in 0..count.div_ceil(PIPELINE) {
        let commands: Vec<Words> =
            (0..PIPELINE).map(|_| forms.next(&mut random, pair.now_ms)).collect();
        pair.compare(&commands);
        pair.advance(match random.usize(..20) {
            0 => random.u64(..100_000),
            1..10 => 0,
            _ => random.u64(..1500),
        });
        if pipeline % PIPELINES_PER_STATE == PIPELINES_PER_STATE - 1 {
            state::compare(&mut pair);
            forms.is_queueing = false;
        }
    }
    state::compare(&mut pair);
    assert_eq!(pair.differences, 0, "RESP{protocol}, seed {seed}");
}

#[test]
fn mixed_commands_with_expiry() {
    let count = random_commands(20_000) / 2;
    [2, 3].into_iter().for_each(|protocol| run(protocol, count));
}

#[test]
#[ignore = "minutes"]
fn a_million_mixed_commands() {
    [2, 3].into_iter().for_each(|protocol| run(protocol, 500_000));
}
