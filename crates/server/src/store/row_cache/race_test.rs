//! Threads that read, fill and commit at the same time, with an engine of locked rows: no read is older than a commit
//! that ended before it, and no reader goes back.

use super::*;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

const KEYS: usize = 6;
const WRITERS: usize = 2;
const READERS: usize = 3;

struct Shared {
    cache: RowCache,
    /// The rows of the engine: a version each, of which the value is made.
    engine: Vec<Mutex<u64>>,
    /// The latches of the rows.
    latches: Vec<Mutex<()>>,
    /// The versions of commits that ended.
    ended: Vec<AtomicU64>,
    is_over: AtomicBool,
}

fn key(at: usize) -> Vec<u8> {
    format!("M{:0>1$}", at, 1 + at % 20).into_bytes()
}

/// Returns a value whose length and bytes depend on the version and the key.
fn value(at: usize, version: u64) -> Vec<u8> {
    let seed = version.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ at as u64;
    let mut value = version.to_le_bytes().to_vec();
    value.extend((0..seed % 2000).map(|byte| (seed >> (byte % 56)) as u8));
    value
}

/// Returns the version of a value, which must be whole.
fn version(at: usize, found: &[u8]) -> u64 {
    let version = u64::from_le_bytes(*found.first_chunk().unwrap());
    assert_eq!(found, value(at, version), "a mixture of values");
    version
}

impl Shared {
    /// Commits new versions of two rows; `fails` means that the engine refuses.
    fn write(&self, random: &mut fastrand::Rng, fails: bool) {
        let first = random.usize(..KEYS - 1);
        let second = random.usize(first + 1..KEYS);
        let _latches = (self.latches[first].lock(), self.latches[second].lock());
        let mut batch = TestBatch::default();
        let next = [first, second].map(|at| (at, *self.engine[at].lock() + 1));
        for (at, version) in next {
            batch.write(&self.cache, &key(at), Some(&value(at, version)));
        }
        let (marks, data) = batch.mark(&self.cache);
        if fails {
            return drop(marks);
        }
        for (at, version) in next {
            *self.engine[at].lock() = version;
        }
        marks.committed(data);
        for (at, version) in next {
            self.ended[at].store(version, Ordering::Release);
        }
    }

    /// Reads a row from the cache or the engine. Returns its version.
    fn read(&self, at: usize) -> u64 {
        match get(&self.cache, &key(at)) {
            Ok(found) => version(at, &found),
            Err(ticket) => {
                let version = *self.engine[at].lock();
                if let Some(ticket) = ticket {
                    self.cache.fill(ticket, P, &key(at), &value(at, version));
                }
                version
            }
        }
    }

    fn read_until_over(&self, seed: u64) {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut newest = [0; KEYS];
        while !self.is_over.load(Ordering::Relaxed) {
            let at = random.usize(..KEYS);
            // With the latch the row cannot change, so both ways of reading agree.
            let latch = (random.u8(..4) == 0).then(|| self.latches[at].lock());
            let ended = self.ended[at].load(Ordering::Acquire);
            let found = self.read(at);
            assert!(found >= ended && found >= newest[at], "{found}, {ended}, {}", newest[at]);
            if latch.is_some() {
                assert_eq!(found, *self.engine[at].lock());
            }
            newest[at] = found;
        }
    }
}

#[test]
fn no_read_is_older_than_a_commit_before_it() {
    let shared = Shared {
        cache: new(),
        engine: (0..KEYS).map(|_| Mutex::new(0)).collect(),
        latches: (0..KEYS).map(|_| Mutex::new(())).collect(),
        ended: (0..KEYS).map(|_| AtomicU64::new(0)).collect(),
        is_over: AtomicBool::new(false),
    };
    std::thread::scope(|scope| {
        for seed in 0..READERS {
            let shared = &shared;
            scope.spawn(move || shared.read_until_over(seed as u64));
        }
        let writers: Vec<_> = (0..WRITERS)
            .map(|seed| {
                let shared = &shared;
                scope.spawn(move || {
                    let mut random = fastrand::Rng::with_seed(100 + seed as u64);
                    for at in 0..6000 {
                        shared.write(&mut random, at % 16 == 0);
                        if at % 64 == 0 {
                            // Rows of other keys push the entries around.
                            let other = [b"Mother", &random.u32(..).to_le_bytes()[..]].concat();
                            let ticket = get(&shared.cache, &other).unwrap_err();
                            ticket.inspect(|it| shared.cache.fill(*it, P, &other, &[1; 4000]));
                        }
                    }
                })
            })
            .collect();
        let ended: Vec<_> = writers.into_iter().map(|writer| writer.join()).collect();
        shared.is_over.store(true, Ordering::Relaxed);
        ended.into_iter().for_each(|result| result.unwrap());
    });
    for at in 0..KEYS {
        assert_eq!(shared.read(at), *shared.engine[at].lock());
    }
    assert!(shared.cache.tally.hits() > 1000, "{}", shared.cache.tally.hits());
}
