//! `compact_range` with all its options, and what holds background work up.

use super::support::{dump, small, temp_dir, wo};
use ferrolith::Code;
use ferrolith::internal::db::Db;
use ferrolith::internal::hooks::{CompactionFilter, FilterDecision};
use ferrolith::internal::options::{
    CompactRangeOptions, FlushOptions, Options, WaitForCompactOptions,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

fn quiet() -> Options {
    let mut options = small();
    options.cf.disable_auto_compactions = true;
    options
}

fn fill(db: &Db, from: u32, to: u32) {
    for i in from..to {
        db.put(&wo(), &i.to_be_bytes(), &[b'v'; 100]).unwrap();
    }
    db.flush(&FlushOptions::default()).unwrap();
}

fn files_at(db: &Db, level: usize) -> u64 {
    db.property_int(&format!("rocksdb.num-files-at-level{level}")).unwrap()
}

fn compact(db: &Db, options: &CompactRangeOptions) -> ferrolith::Result<()> {
    db.compact_range(options, None, None)
}

#[test]
fn the_result_moves_to_the_level_that_was_asked_for() {
    let dir = temp_dir();
    let db = Db::open(&quiet(), dir.path()).unwrap();
    fill(&db, 0, 10);
    fill(&db, 5, 15);
    let to = |target_level| CompactRangeOptions {
        change_level: true,
        target_level,
        ..CompactRangeOptions::default()
    };
    compact(&db, &to(1)).unwrap();
    assert_eq!((files_at(&db, 1), files_at(&db, 6)), (1, 0));
    compact(&db, &to(0)).unwrap();
    assert_eq!((files_at(&db, 0), files_at(&db, 6)), (1, 0), "down to 6, then up");
    fill(&db, 0, 3);
    assert_eq!(dump(&db).len(), 15);
    let e = compact(&db, &to(7)).unwrap_err();
    assert_eq!(e.to_string(), "Invalid argument: Target level exceeds number of levels");
    // What failed did not leave the background paused.
    compact(&db, &CompactRangeOptions::default()).unwrap();
    fill(&db, 20, 21);
    assert_eq!(dump(&db).len(), 16);
    drop(db);
    assert_eq!(dump(&Db::open(&quiet(), dir.path()).unwrap()).len(), 16);
}

#[test]
fn what_cannot_be_is_refused() {
    let dir = temp_dir();
    let db = Db::open(&quiet(), dir.path()).unwrap();
    let options = CompactRangeOptions { target_path_id: 1, ..Default::default() };
    assert_eq!(compact(&db, &options).unwrap_err().message(), "Invalid target path ID");
    let options = CompactRangeOptions { full_history_ts_low: Some(vec![1]), ..Default::default() };
    assert_eq!(compact(&db, &options).unwrap_err().code(), Code::NotSupported);
    assert_eq!(db.continue_background_work().unwrap_err().code(), Code::InvalidArgument);
}

#[test]
fn one_level_goes_into_the_next_and_others_stay() {
    let dir = temp_dir();
    let mut options = quiet();
    options.cf.level_compaction_dynamic_level_bytes = false;
    let db = Db::open(&options, dir.path()).unwrap();
    fill(&db, 0, 10);
    db.compact_level(&db.default_cf(), 0).unwrap();
    assert_eq!((files_at(&db, 0), files_at(&db, 1)), (0, 1));
    db.compact_level(&db.default_cf(), 1).unwrap();
    fill(&db, 5, 15);
    fill(&db, 8, 20);
    db.put(&wo(), b"in memory", b"v").unwrap();
    db.compact_level(&db.default_cf(), 0).unwrap();
    assert_eq!([0, 1, 2].map(|level| files_at(&db, level)), [0, 1, 1]);
    assert_eq!(
        db.property_int("rocksdb.num-entries-active-mem-table"),
        Some(1),
        "nothing is flushed"
    );
    assert_eq!(dump(&db).len(), 21);
    // An empty level has nothing to give; the last one nobody to give to.
    db.compact_level(&db.default_cf(), 0).unwrap();
    let last = db.default_cf().options().num_levels as usize - 1;
    assert_eq!(db.compact_level(&db.default_cf(), last).unwrap_err().code(), Code::InvalidArgument);
    drop(db);
    assert_eq!(dump(&Db::open(&quiet(), dir.path()).unwrap()).len(), 21);
}

/// Holds every compaction up until it is let go.
#[derive(Default)]
struct Gate {
    entered: AtomicUsize,
    open: AtomicBool,
}

struct Held(Arc<Gate>);

impl CompactionFilter for Held {
    fn name(&self) -> &str {
        "Gate"
    }
    fn filter(&self, _level: usize, _key: &[u8], _value: &[u8]) -> FilterDecision {
        self.0.entered.fetch_add(1, Ordering::SeqCst);
        while !self.0.open.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(1));
        }
        FilterDecision::Keep
    }
}

fn gated() -> (Options, Arc<Gate>) {
    let gate = Arc::new(Gate::default());
    let mut options = quiet();
    options.cf.compaction_filter = Some(Arc::new(Held(gate.clone())));
    (options, gate)
}

fn wait_for(what: impl Fn() -> bool) {
    let start = Instant::now();
    while !what() {
        assert!(start.elapsed() < Duration::from_secs(20), "it does not happen");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_compaction_is_cancelled_by_its_flag_and_by_disabling_all() {
    let dir = temp_dir();
    let (options, gate) = gated();
    let db = Db::open(&options, dir.path()).unwrap();
    fill(&db, 0, 100);
    for disable in [false, true] {
        let flag = Arc::new(AtomicBool::new(false));
        let options = CompactRangeOptions { canceled: Some(flag.clone()), ..Default::default() };
        gate.open.store(false, Ordering::SeqCst);
        let before = gate.entered.load(Ordering::SeqCst);
        std::thread::scope(|scope| {
            let running = scope.spawn(|| compact(&db, &options));
            wait_for(|| gate.entered.load(Ordering::SeqCst) > before);
            let disabling = disable.then(|| scope.spawn(|| db.disable_manual_compaction()));
            if disable {
                std::thread::sleep(Duration::from_millis(50));
            } else {
                flag.store(true, Ordering::SeqCst);
            }
            gate.open.store(true, Ordering::SeqCst);
            let e = running.join().unwrap().unwrap_err();
            assert_eq!(e.to_string(), "Result incomplete: Manual compaction paused");
            if let Some(disabling) = disabling {
                disabling.join().unwrap();
            }
        });
        assert_eq!(files_at(&db, 0), 1, "nothing was installed");
    }
    let e = compact(&db, &CompactRangeOptions::default()).unwrap_err();
    assert_eq!(e.code(), Code::Incomplete);
    db.enable_manual_compaction();
    compact(&db, &CompactRangeOptions::default()).unwrap();
    assert_eq!((files_at(&db, 0), dump(&db).len()), (0, 100));
    // As in RocksDB, one call more enables one to come.
    db.enable_manual_compaction();
    db.disable_manual_compaction();
    compact(&db, &CompactRangeOptions::default()).unwrap();
}

#[test]
fn exclusive_compactions_run_alone_and_others_side_by_side() {
    let dir = temp_dir();
    let (options, gate) = gated();
    let db = Db::open(&options, dir.path()).unwrap();
    let one = db.create_cf("one", &options.cf).unwrap();
    fill(&db, 0, 10);
    db.put_cf(&wo(), &one, b"k", b"v").unwrap();
    let options = CompactRangeOptions::default();
    let alone = CompactRangeOptions { exclusive_manual_compaction: true, ..Default::default() };
    std::thread::scope(|scope| {
        let first = scope.spawn(|| compact(&db, &options));
        wait_for(|| gate.entered.load(Ordering::SeqCst) == 1);
        let second = scope.spawn(|| db.compact_range_cf(&options, &one, None, None));
        wait_for(|| gate.entered.load(Ordering::SeqCst) == 2);
        let third = scope.spawn(|| db.compact_range_cf(&alone, &one, None, None));
        std::thread::sleep(Duration::from_millis(50));
        assert!(!third.is_finished());
        gate.open.store(true, Ordering::SeqCst);
        for thread in [first, second, third] {
            thread.join().unwrap().unwrap();
        }
    });
    assert_eq!((files_at(&db, 0), dump(&db).len()), (0, 10));
}

#[test]
fn nothing_runs_while_background_work_is_paused() {
    let dir = temp_dir();
    let mut options = small();
    options.cf.level0_file_num_compaction_trigger = 2;
    let db = Db::open(&options, dir.path()).unwrap();
    fill(&db, 0, 10);
    db.pause_background_work().unwrap();
    db.put(&wo(), &5u32.to_be_bytes(), b"v").unwrap();
    db.flush(&FlushOptions { wait: false, allow_write_stall: true }).unwrap();
    let wait = |timeout, abort_on_pause| {
        let timeout = Duration::from_millis(timeout);
        db.wait_for_compact_opt(&WaitForCompactOptions {
            timeout,
            abort_on_pause,
            ..Default::default()
        })
    };
    assert_eq!(wait(300, false).unwrap_err().code(), Code::TimedOut);
    assert_eq!(wait(0, true).unwrap_err().code(), Code::Aborted);
    assert_eq!(files_at(&db, 0), 1);
    db.continue_background_work().unwrap();
    wait(20_000, true).unwrap();
    assert_eq!((files_at(&db, 0), files_at(&db, 6)), (0, 1), "flushed and compacted");
}

#[test]
fn waiting_may_flush_and_close() {
    let dir = temp_dir();
    let db = Db::open(&quiet(), dir.path()).unwrap();
    db.put(&wo(), b"k", b"v").unwrap();
    let options = WaitForCompactOptions { flush: true, wait_for_purge: true, ..Default::default() };
    db.wait_for_compact_opt(&options).unwrap();
    assert_eq!(files_at(&db, 0), 1);
    let options = WaitForCompactOptions { close_db: true, ..Default::default() };
    db.wait_for_compact_opt(&options).unwrap();
    assert!(db.is_closed());
    let e = db.wait_for_compact().unwrap_err();
    assert_eq!(e.code(), Code::ShutdownInProgress);
}

#[test]
fn cancelled_background_work_ends_for_good() {
    let dir = temp_dir();
    let (options, gate) = gated();
    let db = Db::open(&options, dir.path()).unwrap();
    fill(&db, 0, 10);
    std::thread::scope(|scope| {
        let running = scope.spawn(|| compact(&db, &CompactRangeOptions::default()));
        wait_for(|| gate.entered.load(Ordering::SeqCst) > 0);
        db.cancel_all_background_work(false);
        gate.open.store(true, Ordering::SeqCst);
        assert_eq!(running.join().unwrap().unwrap_err().code(), Code::ShutdownInProgress);
        db.cancel_all_background_work(true);
    });
    db.put(&wo(), b"k", b"v").unwrap();
    assert_eq!(dump(&db).len(), 11);
    let e = db.flush(&FlushOptions::default()).unwrap_err();
    assert_eq!(e.code(), Code::ShutdownInProgress);
    db.close().unwrap();
    assert_eq!(dump(&Db::open(&options, dir.path()).unwrap()).len(), 11);
}

#[test]
fn suggested_ranges_go_down_when_there_is_time() {
    let dir = temp_dir();
    let mut options = small();
    options.cf.level_compaction_dynamic_level_bytes = false;
    let db = Db::open(&options, dir.path()).unwrap();
    fill(&db, 0, 20);
    compact(&db, &CompactRangeOptions::default()).unwrap();
    let down = CompactRangeOptions { change_level: true, target_level: 3, ..Default::default() };
    compact(&db, &down).unwrap();
    fill(&db, 0, 10);
    db.wait_for_compact().unwrap();
    assert_eq!((files_at(&db, 0), files_at(&db, 3)), (1, 1));
    let cf = db.default_cf();
    db.suggest_compact_range_cf(&cf, Some(&15u32.to_be_bytes()), None).unwrap();
    db.wait_for_compact().unwrap();
    assert_eq!(files_at(&db, 0), 1, "not in the range");
    db.suggest_compact_range_cf(&cf, None, Some(&5u32.to_be_bytes())).unwrap();
    db.wait_for_compact().unwrap();
    assert_eq!((files_at(&db, 0), files_at(&db, 3)), (0, 1), "all the way down");
    assert_eq!(dump(&db).len(), 20);
}
