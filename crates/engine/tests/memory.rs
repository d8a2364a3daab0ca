//! The memory limit holds: the process's resident memory, which no allocator can hide, stays near it while databases
//! several times larger are written, read, and scanned. One test in a process of its own.
//!
//! `FERROLITH_MEMORY_LIMIT` and `FERROLITH_MEMORY_DB` set the limit and the size of the database in MiB,
//! `FERROLITH_MEMORY_FAMILIES` and `FERROLITH_MEMORY_CURSORS` the numbers of column families and of open iterators;
//! `tools/check-memory-limit.sh` does. `FERROLITH_MEMORY_DIR` is the directory of the databases.

use ferrolith::{BlockBasedOptions, ColumnFamily, Cursor, Db, MemoryAccount, Options};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

const MIB: usize = 1 << 20;
const VALUE: usize = 2000;

/// The size of a run.
#[derive(Clone, Copy)]
struct Scale {
    limit: usize,
    keys: usize,
    families: usize,
    cursors: usize,
}

impl Scale {
    fn of_environment() -> Scale {
        let number = |name: &str, default: usize| {
            let text = std::env::var(format!("FERROLITH_MEMORY_{name}"));
            text.map_or(default, |text| text.parse().expect("a number"))
        };
        Scale {
            limit: number("LIMIT", 48) * MIB,
            keys: number("DB", 150) * MIB / VALUE,
            families: number("FAMILIES", 6),
            cursors: number("CURSORS", 120),
        }
    }
}

fn temp_dir() -> tempfile::TempDir {
    match std::env::var_os("FERROLITH_MEMORY_DIR") {
        Some(dir) => tempfile::tempdir_in(dir).unwrap(),
        None => tempfile::tempdir().unwrap(),
    }
}

/// The resident memory of this process in bytes, mapped files included.
fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: usize = statm.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4096
}

/// Records the highest resident memory until it is dropped.
struct Watch {
    peak: Arc<AtomicUsize>,
    ended: Arc<AtomicBool>,
    before: usize,
}

impl Watch {
    fn start(account: &Arc<MemoryAccount>) -> Watch {
        let watch = Watch { peak: Arc::default(), ended: Arc::default(), before: resident() };
        let (peak, ended) = (watch.peak.clone(), watch.ended.clone());
        let (account, before) = (Arc::clone(account), watch.before);
        std::thread::spawn(move || {
            while !ended.load(Relaxed) {
                let now = resident();
                if peak.fetch_max(now, Relaxed) < now && now > before + account.limit() {
                    eprintln!("{} of growth: {account:?}", now - before);
                }
                std::thread::sleep(Duration::from_millis(3));
            }
        });
        watch
    }

    /// Checks the highest growth so far.
    fn check(&self, phase: &str, account: &MemoryAccount) {
        let growth = self.peak.load(Relaxed).saturating_sub(self.before);
        eprintln!("{phase}: {:.1} MiB at most, now {account:?}", growth as f64 / MIB as f64);
        let limit = account.limit();
        assert!(growth <= limit + limit / 10, "{phase}: resident memory grew by {growth} bytes");
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.ended.store(true, Relaxed);
    }
}

fn key(i: usize) -> String {
    format!("key{i:013}")
}

/// A value that does not compress.
fn value(rng: &mut fastrand::Rng) -> Vec<u8> {
    (0..VALUE / 8).flat_map(|_| rng.u64(..).to_le_bytes()).collect()
}

fn options(account: &Arc<MemoryAccount>) -> Options {
    Options::new()
        .create_if_missing(true)
        .memory_account(account)
        .max_background_jobs(4)
        .max_subcompactions(2)
        .block_based_table(BlockBasedOptions::new().bloom_filter(10.0))
}

fn families(db: &Db, count: usize) -> Vec<ColumnFamily> {
    (0..count).map(|i| db.cf_or_create(&format!("family{i}")).unwrap()).collect()
}

/// Writes keys to all families in turn: each key once, or random ones.
fn write(db: &Db, s: Scale, count: usize, is_random: bool) {
    let mut rng = fastrand::Rng::with_seed(count as u64);
    let all = families(db, s.families);
    for i in 0..count {
        let i = if is_random { rng.usize(..s.keys) } else { i };
        all[i % s.families].put(key(i), value(&mut rng)).unwrap();
    }
}

/// Reads random keys, all of which were written.
fn read(db: &Db, s: Scale, count: usize) {
    let mut rng = fastrand::Rng::with_seed(count as u64);
    let all = families(db, s.families);
    for _ in 0..count {
        let i = rng.usize(..s.keys);
        assert_eq!(all[i % s.families].get(key(i)).unwrap().expect("it was written").len(), VALUE);
    }
}

/// Opens cursors all over the families, and moves each of them.
fn cursors(db: &Db, s: Scale) -> Vec<Cursor> {
    let mut rng = fastrand::Rng::with_seed(3);
    let all = families(db, s.families);
    let open = |i: usize| {
        let mut cursor = all[i % s.families].cursor();
        cursor.seek(key(rng.usize(..s.keys)));
        for _ in 0..150 {
            cursor.next();
        }
        cursor.status().unwrap();
        cursor
    };
    (0..s.cursors).map(open).collect()
}

/// Runs the code that the test needs, since its pages count as resident, too.
fn warm_up(s: Scale) {
    let dir = temp_dir();
    let options = options(&MemoryAccount::new(MIB)).write_buffer_size(100_000);
    let db = Db::open_with(options, dir.path()).unwrap();
    let s = Scale { keys: 2000, cursors: 10, ..s };
    write(&db, s, 2000, false);
    read(&db, s, 2000);
    drop(cursors(&db, s));
}

/// Waits until the account holds nothing. Background threads and retired objects may take a moment.
fn check_nothing_left(account: &MemoryAccount) {
    let end = Instant::now() + Duration::from_secs(20);
    let rest = || -> Vec<_> {
        let all = account.by_owner().into_iter();
        all.filter(|(name, bytes)| *name != "block-cache-unused" && *bytes > 0).collect()
    };
    while !rest().is_empty() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(rest().is_empty(), "closed databases still hold {:?}", rest());
}

#[test]
#[cfg(target_os = "linux")]
fn resident_memory_stays_within_the_limit() {
    let s = Scale::of_environment();
    warm_up(s);
    let (dir, other_dir) = (temp_dir(), temp_dir());
    let account = MemoryAccount::new(s.limit);
    let watch = Watch::start(&account);
    let db = Db::open_with(options(&account), dir.path()).unwrap();
    let other = Db::open_with(options(&account), other_dir.path()).unwrap();
    let small = Scale { keys: s.keys / 5, families: 1, ..s };
    write(&db, s, s.keys, false);
    watch.check("written", &account);
    read(&db, s, s.keys / 3);
    watch.check("read", &account);
    assert!(account.usage() > s.limit / 2, "a cache that takes what others leave: {account:?}");
    let open = cursors(&db, s);
    watch.check("cursors open", &account);
    std::thread::scope(|scope| {
        scope.spawn(|| write(&db, s, s.keys / 2, true));
        scope.spawn(|| write(&other, small, small.keys, false));
        scope.spawn(|| read(&db, s, s.keys / 2));
        scope.spawn(|| drop(cursors(&db, s)));
    });
    watch.check("written, read and scanned at once", &account);
    drop(open);
    let again = cursors(&db, s);
    read(&other, small, small.keys);
    watch.check("read again", &account);
    let text = db.property("ferrolith.memory-by-owner").unwrap();
    let limit = format!("limit: {}\n", s.limit);
    assert!(text.contains("memtables: ") && text.ends_with(&limit), "{text}");
    drop(again);
    drop((db, other));
    check_nothing_left(&account);
    watch.check("closed", &account);
}
