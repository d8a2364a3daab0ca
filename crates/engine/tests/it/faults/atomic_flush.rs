//! `atomic_flush`: families that are written without a WAL stand at one point after a crash, whatever
//! was under way. `FERROLITH_FAULT_SEED` repeats a run, but for the order of threads.

use super::super::support::{dump_cf, open_three, option_sets, ro, small, wo};
use super::{DIR, eventually, faulty, over, unlogged};
use ferrolith::internal::batch::WriteBatch;
use ferrolith::internal::db::{ColumnFamily, Db};
use ferrolith::internal::fs::FileSystem;
use ferrolith::internal::fs::fault::{Fault, FaultKind, Op};
use ferrolith::internal::fs::mem::MemFs;
use ferrolith::internal::hooks::{
    EventDb, EventListener, FlushJobInfo, FlushReason, ManualFlushInfo,
};
use ferrolith::internal::options::{CompactRangeOptions, FlushOptions, Options};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

fn atomic(fs: impl FileSystem + 'static) -> Options {
    let mut options = over(fs);
    options.db.atomic_flush = true;
    options.cf.write_buffer_size = 64 << 10;
    options
}

/// Keys of a writer that take its numbers in turn.
const KEYS: u64 = 100;

/// One batch of a writer: its number goes to every family, with freight of different weight.
fn batch(cfs: &[ColumnFamily], writer: u8, number: u64) -> WriteBatch {
    let mut batch = WriteBatch::new();
    for (i, cf) in cfs.iter().enumerate() {
        let value = [&number.to_be_bytes()[..], &vec![b'.'; 40 * i * i]].concat();
        batch.put_cf(cf.id(), &[b'n', writer], &value).unwrap();
        let key = [b'k', writer, (number % KEYS) as u8];
        batch.put_cf(cf.id(), &key, &value).unwrap();
    }
    batch
}

/// The last number of each writer. It must be the same in every family, and so must all others.
fn check(db: &Db, cfs: &[ColumnFamily], writers: u8, what: &str) -> Vec<u64> {
    let number = |value: &[u8]| u64::from_be_bytes(value[..8].try_into().unwrap());
    let of_writer = |writer| {
        let last = |cf| db.get_cf(&ro(), cf, &[b'n', writer]).unwrap().map_or(0, |v| number(&v));
        let lasts: Vec<u64> = cfs.iter().map(last).collect();
        assert!(lasts.iter().all(|&n| n == lasts[0]), "{what}: writer {writer} is at {lasts:?}");
        lasts[0]
    };
    let numbers = |cf| -> Vec<_> {
        dump_cf(db, cf).into_iter().map(|(key, value)| (key, number(&value))).collect()
    };
    let expected = numbers(&cfs[0]);
    for cf in cfs {
        assert_eq!(numbers(cf), expected, "{what}: {}", cf.name());
    }
    (0..writers).map(of_writer).collect()
}

fn open(options: &Options) -> (Db, Vec<ColumnFamily>) {
    open_three(options, Path::new(DIR))
}

/// Ends writers also where the test fails.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The MANIFEST's groups are what is tested: power may fail at any moment of a flush.
#[test]
fn families_without_a_wal_stand_at_one_point_after_a_power_loss() {
    const WRITERS: u8 = 3;
    let mem = MemFs::new();
    let mut options = atomic(mem.clone());
    options.db.max_manifest_file_size = 4 << 10;
    options.db.max_background_jobs = 4;
    let (db, cfs) = open(&options);
    let done = AtomicBool::new(false);
    let moved = std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (db, cfs, done) = (&db, &cfs, &done);
            scope.spawn(move || {
                for number in 1.. {
                    if done.load(Ordering::Relaxed) {
                        break;
                    }
                    db.write(&unlogged(), &mut batch(cfs, writer, number)).unwrap();
                    if number % 512 == 0 {
                        let all: Vec<_> = cfs.iter().collect();
                        db.flush_cfs(&FlushOptions::default(), &all).unwrap();
                    }
                }
            });
        }
        let _end = SetOnDrop(&done);
        let mut before = vec![0; usize::from(WRITERS)];
        let mut moved = 0;
        for round in 0..2000 {
            if moved > 4 && round >= 20 {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(7));
            let left = mem.crash_clone();
            let (db, cfs) = open(&Options { db: over(left).db, ..options.clone() });
            let now = check(&db, &cfs, WRITERS, &format!("round {round}"));
            assert!(now.iter().zip(&before).all(|(now, before)| now >= before));
            moved += usize::from(now != before);
            before = now;
        }
        moved
    });
    assert!(moved > 3, "only {moved} crashes found a new flush");
    // A normal end loses nothing.
    let last = check(&db, &cfs, WRITERS, "in memory");
    drop((db, cfs));
    let (db, cfs) = open(&options);
    assert_eq!(check(&db, &cfs, WRITERS, "reopened"), last);
}

/// Every storage error during a flush, once: nothing of the group counts, and the next try does.
#[test]
fn a_failure_of_one_table_takes_the_whole_group_back() {
    let places = [
        (Op::Create, ".sst", 0..3),
        (Op::Append, ".sst", 4..5),
        (Op::Sync, ".sst", 1..3),
        (Op::Append, "MANIFEST", 0..1),
        (Op::Sync, "MANIFEST", 0..1),
    ];
    for (op, path, times) in places {
        for n in times {
            let what = format!("{op:?} {path} {n}");
            let (mem, fs) = faulty();
            let options = atomic(fs.clone());
            let (db, cfs) = open(&options);
            for number in 1..=20 {
                db.write(&unlogged(), &mut batch(&cfs, 0, number)).unwrap();
            }
            let tables = |mem: &MemFs| {
                let names = mem.list_dir(Path::new(DIR)).unwrap();
                names.iter().filter(|name| name.ends_with(".sst")).count()
            };
            fs.inject(Fault::nth(op, path, n, FaultKind::Io));
            let all: Vec<_> = cfs.iter().collect();
            let flushed = db.flush_cfs(&FlushOptions::default(), &all);
            let left = Options { db: over(mem.crash_clone()).db, ..options.clone() };
            {
                let (db, cfs) = open(&left);
                let last = check(&db, &cfs, 1, &what)[0];
                assert!(last == 0 || last == 20, "{what}: {last}");
                assert!(flushed.is_err() || last == 20, "{what}");
            }
            fs.clear();
            eventually(&what, || db.flush_cfs(&FlushOptions::default(), &all).is_ok());
            assert_eq!(check(&db, &cfs, 1, &what), [20]);
            // What a MANIFEST may name whose end nobody knows stays until the next opening.
            if path == ".sst" {
                assert_eq!(tables(&mem), 3, "{what}: tables of the failed flush stay");
            }
            drop((db, cfs));
            let (db, cfs) = open(&options);
            assert_eq!(check(&db, &cfs, 1, &what), [20]);
            assert_eq!(tables(&mem), 3, "{what}: tables of the failed flush stay for good");
        }
    }
}

/// Drops a family when the first flush begins, and notes what it is told.
#[derive(Default)]
struct Dropper {
    victim: Mutex<Option<ColumnFamily>>,
    told: Mutex<Vec<String>>,
}

impl EventListener for Dropper {
    fn on_manual_flush_scheduled(&self, _: EventDb<'_>, infos: &[ManualFlushInfo]) {
        let names: Vec<_> = infos.iter().map(|info| info.cf_name.as_str()).collect();
        self.told.lock().unwrap().push(format!("asked for {}", names.join(" ")));
    }
    fn on_flush_begin(&self, db: EventDb<'_>, info: &FlushJobInfo) {
        self.told.lock().unwrap().push(format!("begin {}", info.cf_name));
        if let Some(cf) = self.victim.lock().unwrap().take() {
            Db::of_event(db).unwrap().drop_cf(&cf).unwrap();
        }
    }
    fn on_flush_completed(&self, _: EventDb<'_>, info: &FlushJobInfo) {
        assert_eq!(info.flush_reason, FlushReason::ManualFlush);
        self.told.lock().unwrap().push(format!("completed {}", info.cf_name));
    }
}

#[test]
fn a_family_that_is_dropped_meanwhile_does_not_stop_the_others() {
    let mem = MemFs::new();
    let listener = Arc::new(Dropper::default());
    let mut options = atomic(mem.clone());
    options.db.components.listeners.push(listener.clone());
    let (db, cfs) = open(&options);
    db.write(&unlogged(), &mut batch(&cfs, 0, 1)).unwrap();
    *listener.victim.lock().unwrap() = Some(cfs[1].clone());
    db.flush_cfs(&FlushOptions::default(), &[&cfs[0], &cfs[1], &cfs[2]]).unwrap();
    // The caller may know before the listeners do.
    eventually("all is told", || listener.told.lock().unwrap().len() == 6);
    assert_eq!(
        std::mem::take(&mut *listener.told.lock().unwrap()),
        [
            "asked for default one two",
            "begin default",
            "begin one",
            "begin two",
            "completed default",
            "completed two"
        ]
    );
    let left: Vec<_> = [&cfs[0], &cfs[2]].map(|cf| dump_cf(&db, cf).len()).into();
    assert_eq!(left, [2, 2]);
    let names = mem.list_dir(Path::new(DIR)).unwrap();
    assert_eq!(names.iter().filter(|name| name.ends_with(".sst")).count(), 2, "{names:?}");
    assert!(db.flush_cfs(&FlushOptions::default(), &[&cfs[1]]).is_err());
    db.flush_cfs(&FlushOptions::default(), &[&cfs[0], &cfs[1], &cfs[2]]).unwrap();
}

/// A flush that names families is of these; what the database does by itself is of all.
#[test]
fn who_is_flushed_with_whom() {
    let tables = |db: &Db, cfs: &[ColumnFamily]| -> Vec<u64> {
        let files = |cf| db.property_int_cf(cf, "rocksdb.num-files-at-level0").unwrap();
        cfs.iter().map(files).collect()
    };
    let fresh = |change: &dyn Fn(&mut Options)| {
        let mut options = atomic(MemFs::new());
        options.cf.disable_auto_compactions = true;
        change(&mut options);
        let (db, cfs) = open(&options);
        db.write(&unlogged(), &mut batch(&cfs, 0, 1)).unwrap();
        (db, cfs)
    };
    let (db, cfs) = fresh(&|_| {});
    db.flush_cf(&FlushOptions::default(), &cfs[1]).unwrap();
    assert_eq!(tables(&db, &cfs), [0, 1, 0]);
    db.flush_cfs(&FlushOptions::default(), &[&cfs[0], &cfs[1]]).unwrap();
    assert_eq!(tables(&db, &cfs), [1, 1, 0]);
    db.flush_cfs(&FlushOptions::default(), &[]).unwrap();

    let (db, cfs) = fresh(&|o| o.cf.min_write_buffer_number_to_merge = 2);
    for i in 0..100u32 {
        db.put_cf(&unlogged(), &cfs[2], &i.to_be_bytes(), &[7; 1000]).unwrap();
    }
    eventually("a full memtable", || tables(&db, &cfs) == [1, 1, 1]);

    let (db, cfs) = fresh(&|_| {});
    let range = CompactRangeOptions::default();
    db.compact_range_cf(&range, &cfs[2], None, None).unwrap();
    assert_eq!(tables(&db, &cfs)[..2], [1, 1]);

    let (db, cfs) = fresh(&|o| o.db.db_write_buffer_size = 100 << 10);
    for i in 0..100u32 {
        db.put_cf(&unlogged(), &cfs[(i % 2) as usize], &i.to_be_bytes(), &[7; 1000]).unwrap();
    }
    eventually("the limit of memory", || tables(&db, &cfs)[2] == 1);
    let (db, cfs) = fresh(&|o| o.db.max_total_wal_size = 50 << 10);
    for i in 0..100u32 {
        let cf = &cfs[(i % 2) as usize];
        db.put_cf(&wo(), cf, &i.to_be_bytes(), &[7; 1000]).unwrap();
    }
    eventually("the limit of WALs", || tables(&db, &cfs)[2] == 1);
}

/// Without a crash nothing differs from what the option is without, whatever else is set.
#[test]
fn closing_flushes_all_families() {
    for (name, options) in option_sets() {
        let mem = MemFs::new();
        let mut options = options;
        options.db.atomic_flush = true;
        options.db.components.file_system = Some(Arc::new(mem.clone()));
        let (db, cfs) = open(&options);
        for number in 1..=300 {
            db.write(&unlogged(), &mut batch(&cfs, 0, number)).unwrap();
        }
        drop((db, cfs));
        options.db.components.file_system = Some(Arc::new(mem.crash_clone()));
        let (db, cfs) = open(&options);
        assert_eq!(check(&db, &cfs, 1, name), [300]);
    }
}

#[test]
fn it_excludes_pipelined_writes() {
    let mut options = small();
    (options.db.atomic_flush, options.db.enable_pipelined_write) = (true, true);
    let e = Db::open(&options, "/nowhere").unwrap_err();
    let expected = "Invalid argument: atomic_flush is incompatible with enable_pipelined_write";
    assert_eq!(e.to_string(), expected);
}
