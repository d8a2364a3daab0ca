//! Storage that fails: power loss, errors on demand, a full disk, places that cannot be written, and
//! jobs that meet a closing database or a dropped family.

mod atomic_flush;
mod disk_full;
mod injected;
mod jobs;
mod log_faults;
mod panics;
mod places;
mod power_loss;
mod recovery_edges;
mod threads;
mod two_phases;
mod wal_renewal;

use super::support::small;
use ferrolith::internal::db::Db;
use ferrolith::internal::fs::FileSystem;
use ferrolith::internal::fs::fault::FaultFs;
use ferrolith::internal::fs::mem::MemFs;
use ferrolith::internal::hooks::MergeOperator;
use ferrolith::internal::options::{FlushOptions, Options, WriteOptions};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Where the databases in memory are.
const DIR: &str = "/db";

/// Options over this file system.
fn over(fs: impl FileSystem + 'static) -> Options {
    let mut options = small();
    options.db.components.file_system = Some(Arc::new(fs));
    options
}

/// Files in memory, and the same with faults.
fn faulty() -> (MemFs, FaultFs) {
    let mem = MemFs::new();
    (mem.clone(), FaultFs::new(Arc::new(mem)))
}

fn synced() -> WriteOptions {
    WriteOptions { sync: true, ..WriteOptions::default() }
}

fn unlogged() -> WriteOptions {
    WriteOptions { disable_wal: true, ..WriteOptions::default() }
}

fn flush(db: &Db) -> ferrolith::Result<()> {
    db.flush(&FlushOptions::default())
}

/// The seed of a random run: that of `FERROLITH_FAULT_SEED`, or a new one.
fn seed() -> u64 {
    let set = std::env::var("FERROLITH_FAULT_SEED").ok().and_then(|s| s.parse().ok());
    set.unwrap_or_else(|| fastrand::u64(..1_000_000))
}

/// A power failure that some bytes outlive although nobody synced them. The kernel writes logs back
/// from the oldest on: where one lost bytes, later ones lost all.
fn loosely_crashed(mem: &MemFs, rng: &mut fastrand::Rng) -> MemFs {
    let mut logs_whole = true;
    mem.crash_clone_with(|path, loose| {
        let keep = if rng.bool() { loose } else { rng.usize(..=loose) };
        if path.extension().is_none_or(|e| e != "log") {
            return keep;
        }
        let keep = if logs_whole { keep } else { 0 };
        logs_whole &= keep == loose;
        keep
    })
}

/// Runs `body` on a thread of its own, and fails where it hangs.
fn within<T: Send + 'static>(
    seconds: u64,
    what: &str,
    body: impl FnOnce() -> T + Send + 'static,
) -> T {
    let (done, wait) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || done.send(body()).is_ok());
    match wait.recv_timeout(Duration::from_secs(seconds)) {
        Ok(result) => result,
        Err(std::sync::mpsc::RecvTimeoutError::Timeout) => panic!("{what}: hangs"),
        Err(_) => std::panic::resume_unwind(thread.join().expect_err("it sent nothing")),
    }
}

/// Waits until `condition` holds.
pub fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let began = Instant::now();
    while !condition() {
        assert!(began.elapsed() < Duration::from_secs(20), "{what}: not after 20 seconds");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A merge operator that waits while the gate is shut: so a job can be held where it is.
#[derive(Default)]
struct Gate {
    shut: AtomicBool,
    waiting: AtomicUsize,
}

struct GateMerge(Arc<Gate>);

impl MergeOperator for GateMerge {
    fn name(&self) -> &str {
        "gate"
    }

    fn full_merge(&self, _: &[u8], old: Option<&[u8]>, operands: &[&[u8]]) -> Option<Vec<u8>> {
        self.0.waiting.fetch_add(1, Ordering::SeqCst);
        while self.0.shut.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(1));
        }
        Some([old.unwrap_or_default(), &operands.concat()].concat())
    }
}

fn gated() -> (Arc<Gate>, Options) {
    let gate = Arc::new(Gate::default());
    let mut options = small();
    options.cf.merge_operator = Some(Arc::new(GateMerge(Arc::clone(&gate))));
    options.cf.disable_auto_compactions = true;
    (gate, options)
}

/// Shuts the gate, starts `job` and waits until it stands there.
fn held<T: Send + 'static>(
    gate: &Gate,
    job: impl FnOnce() -> T + Send + 'static,
) -> std::thread::JoinHandle<T> {
    gate.shut.store(true, Ordering::SeqCst);
    let before = gate.waiting.load(Ordering::SeqCst);
    let thread = std::thread::spawn(job);
    eventually("the job begins", || gate.waiting.load(Ordering::SeqCst) > before);
    thread
}
