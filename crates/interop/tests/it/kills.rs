//! Kills aimed at one thing: recovery, compaction, making a database. `crash.rs` kills anywhere.

use crate::children::{check_copy, dump_copy, ends_well, run, run_and_kill, start, start_under};
use ferrolith_interop::steps::Step;
use ferrolith_interop::store::{Engine, Setup};
use ferrolith_interop::workload::{Merges, Model, Shape, Workload};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const SMALL: &str = "write_buffer_size=64K;target_file_size_base=32K;max_bytes_for_level_base=128K";

fn setup(dir: &Path, cf: &str) -> Setup {
    let shape = Shape { families: 2, merges: Merges::Append, slots: 1500, ..Shape::default() };
    let cf = format!("merge_operator=stringappend;{cf}");
    Setup { dir: dir.into(), db: String::new(), cf, shape }
}

fn model(setup: &Setup, seed: u64, batches: u64) -> Model {
    let (mut workload, mut model) = (Workload::new(setup.shape, seed, 0), Model::new(&setup.shape));
    (0..batches).for_each(|_| model.apply(&workload.next_batch()));
    model
}

/// Runs `steps` again and again, and kills each run at another moment of what a whole one takes.
fn kill_all_along(setup: &Setup, steps: &[Step], mut check: impl FnMut(&str)) {
    const KILLS: u32 = 24;
    let copy = tempfile::tempdir().unwrap();
    crate::children::copy_dir(&setup.dir, copy.path());
    let started = Instant::now();
    run(Engine::Ferrolith, &Setup { dir: copy.path().into(), ..setup.clone() }, steps);
    let whole = started.elapsed().max(Duration::from_millis(5));
    for kill in 0..KILLS {
        let mut child = start(Engine::Ferrolith, setup, &[steps, &[Step::Park]].concat());
        std::thread::sleep(whole * kill / KILLS);
        child.kill().unwrap();
        child.wait().unwrap();
        if kill % 6 == 5 {
            check(&format!(
                "after {} kills up to {:?} of {whole:?}",
                kill + 1,
                whole * kill / KILLS
            ));
        }
    }
}

fn both(when: &str, setup: &Setup, model: &Model) {
    check_copy(when, Engine::Rocksdb, setup, &model.families);
    check_copy(when, Engine::Ferrolith, setup, &model.families);
}

/// The WAL holds many memtables full, so recovery writes tables and takes its time.
#[test]
fn recovery_killed_all_along() {
    for db in ["", "avoid_flush_during_recovery=true"] {
        let dir = tempfile::tempdir().unwrap();
        let seed = fastrand::u64(..1 << 40);
        let large = setup(dir.path(), "write_buffer_size=16M");
        run_and_kill(Engine::Ferrolith, &large, &[Step::Fill { seed, from: 0, to: 4000 }]);
        let small = Setup { db: db.into(), ..setup(dir.path(), SMALL) };
        let model = model(&small, seed, 4000);
        kill_all_along(&small, &[], |when| both(&format!("seed {seed}, {when}"), &small, &model));
    }
}

#[test]
fn compaction_killed_all_along() {
    let dir = tempfile::tempdir().unwrap();
    let seed = fastrand::u64(..1 << 40);
    let setup = setup(dir.path(), SMALL);
    run_and_kill(Engine::Ferrolith, &setup, &[Step::Fill { seed, from: 0, to: 4000 }]);
    let model = model(&setup, seed, 4000);
    let steps = [Step::Flush, Step::Compact];
    kill_all_along(&setup, &steps, |when| both(&format!("seed {seed}, {when}"), &setup, &model));
}

/// A database that was killed while it was made is none, or an empty one.
#[test]
fn creation_killed_all_along() {
    let root = tempfile::tempdir().unwrap();
    let setup = setup(&root.path().join("db"), SMALL);
    for delay in (0..40).map(Duration::from_millis) {
        let mut child = start(Engine::Ferrolith, &setup, &[Step::Park]);
        std::thread::sleep(delay / 2);
        child.kill().unwrap();
        child.wait().unwrap();
        if setup.dir.exists() {
            both(&format!("killed after {delay:?}"), &setup, &model(&setup, 0, 0));
            std::fs::remove_dir_all(&setup.dir).unwrap();
        }
    }
}

/// A process that dies at any call for its log leaves whole records or none: both engines open the directory in
/// the strictest mode, and find what some number of batches has written.
#[test]
fn logs_killed_at_their_calls_hold_whole_records() {
    if Command::new("strace").arg("-V").output().is_err() {
        eprintln!("SKIPPED: no strace");
        return;
    }
    const BATCHES: u64 = 3000;
    let seed = fastrand::u64(..1 << 40);
    let mut killed_at = BTreeSet::new();
    for call in ["munmap", "madvise", "mmap", "fallocate", "pwritev", "ftruncate"] {
        for round in 0..6 {
            let nth = 1 + round * if call.starts_with('m') { 9 } else { 2 };
            let when = format!("seed {seed}, killed at {call} number {nth}");
            let dir = tempfile::tempdir().unwrap();
            let strict = Setup {
                db: "wal_recovery_mode=kAbsoluteConsistency".into(),
                ..setup(dir.path(), "write_buffer_size=64M")
            };
            // The database is there before.
            run(Engine::Ferrolith, &strict, &[]);
            let steps = [Step::Fill { seed, from: 0, to: BATCHES }];
            let inject = format!("inject={call}:signal=SIGKILL:when={nth}");
            let child = start_under(
                &["strace", "-f", "-qq", "-o", "/dev/null", "-e", &inject],
                Engine::Ferrolith,
                &strict,
                &steps,
            );
            if !ends_well(child) {
                killed_at.insert(call);
            }
            let found = dump_copy(Engine::Ferrolith, &strict)
                .unwrap_or_else(|e| panic!("{when}: Ferrolith: {e}"));
            let theirs = dump_copy(Engine::Rocksdb, &strict)
                .unwrap_or_else(|e| panic!("{when}: RocksDB: {e}"));
            assert!(found == theirs, "{when}: the engines differ");
            let (mut workload, mut model) =
                (Workload::new(strict.shape, seed, 0), Model::new(&strict.shape));
            let is_prefix = (0..=BATCHES).any(|_| {
                let same = model.families == found;
                model.apply(&workload.next_batch());
                same
            });
            assert!(is_prefix, "{when}: no number of batches gives that");
        }
    }
    // How often a thread makes a call is the scheduler's matter; that it makes it is ours. Two of the calls are those
    // of one kind of log only: mapped or written.
    assert!(killed_at.len() >= 4, "killed at {killed_at:?} only");
}
