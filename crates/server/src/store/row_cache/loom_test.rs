//! All interleavings of a reader, a fill and commits on one bucket, with loom's atomics. A row here is two words that a
//! writer changes one after the other; the engine is one word.

mod sync {
    pub(super) use loom::sync::atomic::{AtomicU64, Ordering, fence};
}
#[expect(dead_code, reason = "the model has no entries with domains")]
#[allow(clippy::duplicate_mod, reason = "this one has loom's atomics")]
#[path = "stamp.rs"]
mod stamp;

use loom::sync::{Arc, Mutex};
use stamp::{Seen, Stamp};
use sync::{AtomicU64, Ordering};

#[derive(Default)]
struct Model {
    stamp: AtomicU64,
    /// The slot: 1 if the bucket has the row.
    slot: AtomicU64,
    entry: [AtomicU64; 2],
    shard: Mutex<()>,
    engine: AtomicU64,
}

impl Model {
    fn stamp(&self) -> Stamp<'_> {
        Stamp(&self.stamp)
    }

    fn store(&self, value: u64) {
        self.entry.iter().for_each(|word| word.store(value, Ordering::Relaxed));
        self.slot.store(1, Ordering::Relaxed);
    }

    fn lookup(&self) -> Result<u64, Seen> {
        let seen = self.stamp().read();
        if !seen.is_quiet() || self.slot.load(Ordering::Relaxed) == 0 {
            return Err(seen);
        }
        let [one, other] = self.entry.each_ref().map(|word| word.load(Ordering::Relaxed));
        if !self.stamp().is_still(seen) {
            return Err(seen);
        }
        assert_eq!(one, other, "a mixture of two values");
        Ok(one)
    }

    /// As `RowCache::get`, the engine, and `RowCache::fill`.
    fn read(&self) -> u64 {
        self.lookup().unwrap_or_else(|seen| {
            let value = self.engine.load(Ordering::Acquire);
            let _shard = self.shard.lock().unwrap();
            if self.stamp().begin_if_still(seen) {
                self.store(value);
                self.stamp().end();
            }
            value
        })
    }

    /// As `RowCache::mark`, the engine, and the end of the marks.
    fn commit(&self, value: u64) {
        let begun = self.stamp().begin();
        let is_absent = self.slot.load(Ordering::Relaxed) == 0;
        self.engine.store(value, Ordering::Release);
        if is_absent && self.stamp().end_if_alone(begun) {
            return;
        }
        let _shard = self.shard.lock().unwrap();
        match self.stamp().is_alone(begun) {
            true if self.slot.load(Ordering::Relaxed) == 1 => self.store(value),
            _ => self.slot.store(0, Ordering::Relaxed),
        }
        self.stamp().end();
    }

    fn check_end(&self) {
        if let Ok(value) = self.lookup() {
            assert_eq!(value, self.engine.load(Ordering::Acquire), "a stale row");
        }
    }
}

fn explore(is_cached: bool, threads: &'static [fn(&Model)]) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.check(move || {
        let model = Arc::new(Model::default());
        if is_cached {
            assert_eq!(model.read(), 0);
        }
        let run = |thread: &'static fn(&Model)| {
            let model = model.clone();
            loom::thread::spawn(move || thread(&model))
        };
        let running: Vec<_> = threads.iter().skip(1).map(run).collect();
        threads[0](&model);
        running.into_iter().for_each(|thread| thread.join().unwrap());
        model.check_end();
    });
}

fn read_twice(model: &Model) {
    let first = model.read();
    assert!(model.read() >= first, "a read went back");
}

const COMMIT_TWICE: fn(&Model) = |model| {
    model.commit(1);
    model.commit(2);
};

const READ: fn(&Model) = |model| {
    model.read();
};

const WRITE: fn(&Model) = |model| {
    model.commit(1);
    assert_eq!(model.read(), 1);
};

#[test]
fn reads_never_go_back_while_a_row_is_committed() {
    for is_cached in [false, true] {
        explore(is_cached, &[|model| model.commit(1), read_twice]);
        explore(is_cached, &[COMMIT_TWICE, READ]);
    }
}

#[test]
fn fills_and_commits_leave_no_stale_row() {
    for is_cached in [false, true] {
        explore(is_cached, &[|model| model.commit(1), |model| model.commit(2)]);
    }
    explore(false, &[|model| model.commit(1), |model| model.commit(2), READ]);
}

#[test]
fn own_commits_are_read() {
    for is_cached in [false, true] {
        explore(is_cached, &[WRITE, read_twice]);
    }
}
