//! The memory limit holds: the process's resident memory, which no allocator can hide, stays near it while databases
//! several times larger are written, read, and scanned. One test in a process of its own.

use ferrolith::{BlockBasedOptions, Cursor, Db, MemoryAccount, Options};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

const MIB: usize = 1 << 20;
const LIMIT: usize = 48 * MIB;
const FAMILIES: usize = 6;
const VALUE: usize = 1000;
/// The keys of the first database; the second one has a fifth.
const KEYS: usize = 150_000;
const CURSORS: usize = 120;

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
                if peak.fetch_max(now, Relaxed) < now && now > before + LIMIT {
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
        assert!(growth <= LIMIT + LIMIT / 10, "{phase}: resident memory grew by {growth} bytes");
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

/// Writes `count` keys to all families in turn.
fn write(db: &Db, families: usize, keys: usize, count: usize, seed: u64) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let all: Vec<_> =
        (0..families).map(|i| db.cf_or_create(&format!("family{i}")).unwrap()).collect();
    for _ in 0..count {
        let i = rng.usize(..keys);
        all[i % families].put(key(i), value(&mut rng)).unwrap();
    }
}

fn read(db: &Db, families: usize, keys: usize, count: usize, seed: u64) -> usize {
    let mut rng = fastrand::Rng::with_seed(seed);
    let all: Vec<_> = (0..families).map(|i| db.cf(&format!("family{i}")).unwrap()).collect();
    let found = (0..count).filter(|_| {
        let i = rng.usize(..keys);
        all[i % families].get(key(i)).unwrap().is_some()
    });
    found.count()
}

/// Opens cursors all over the families, and moves each of them.
fn cursors(db: &Db, seed: u64) -> Vec<Cursor> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let open = |i: usize| {
        let mut cursor = db.cf(&format!("family{}", i % FAMILIES)).unwrap().cursor();
        cursor.seek(key(rng.usize(..KEYS)));
        for _ in 0..300 {
            cursor.next();
        }
        cursor.status().unwrap();
        cursor
    };
    (0..CURSORS).map(open).collect()
}

/// Runs the code that the test needs, since its pages count as resident, too.
fn warm_up() {
    let dir = tempfile::tempdir().unwrap();
    let options = options(&MemoryAccount::new(MIB)).write_buffer_size(100_000);
    let db = Db::open_with(options, dir.path()).unwrap();
    write(&db, FAMILIES, 3000, 5000, 1);
    read(&db, FAMILIES, 3000, 5000, 1);
    drop(cursors(&db, 1));
}

#[test]
#[cfg(target_os = "linux")]
fn resident_memory_stays_within_the_limit() {
    let (dir, other_dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    warm_up();
    let account = MemoryAccount::new(LIMIT);
    let watch = Watch::start(&account);
    let db = Db::open_with(options(&account), dir.path()).unwrap();
    let other = Db::open_with(options(&account), other_dir.path()).unwrap();
    write(&db, FAMILIES, KEYS, KEYS / 2, 1);
    watch.check("half written", &account);
    assert!(read(&db, FAMILIES, KEYS, 40_000, 2) > 10_000);
    watch.check("read", &account);
    assert!(account.usage() > LIMIT / 2, "a cache that takes what others leave: {account:?}");
    let open = cursors(&db, 3);
    watch.check("cursors open", &account);
    std::thread::scope(|scope| {
        let writers = [(&db, FAMILIES, KEYS, KEYS / 2), (&other, 1, KEYS / 5, KEYS / 5)];
        for (i, (db, families, keys, count)) in writers.into_iter().enumerate() {
            scope.spawn(move || write(db, families, keys, count, 10 + i as u64));
        }
        scope.spawn(|| read(&db, FAMILIES, KEYS, 60_000, 4));
        scope.spawn(|| drop(cursors(&db, 5)));
    });
    watch.check("written, read and scanned at once", &account);
    drop(open);
    let again = cursors(&db, 6);
    assert!(read(&other, 1, KEYS / 5, 20_000, 7) > 10_000);
    watch.check("read again", &account);
    let text = db.property("ferrolith.memory-by-owner").unwrap();
    assert!(text.contains("memtables: ") && text.ends_with(&format!("limit: {LIMIT}\n")), "{text}");
    drop(again);
    drop((db, other));
    // Background threads and retired objects may take a moment.
    let end = Instant::now() + Duration::from_secs(20);
    let rest = || -> Vec<_> {
        let all = account.by_owner().into_iter();
        all.filter(|(name, bytes)| *name != "block-cache-unused" && *bytes > 0).collect()
    };
    while !rest().is_empty() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(rest().is_empty(), "closed databases still hold {:?}", rest());
    watch.check("closed", &account);
}
