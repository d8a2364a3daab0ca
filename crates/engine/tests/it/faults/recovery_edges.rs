//! Corners of recovery, each of which once lost data or did not open.

use super::super::support::{dump, dump_cf, open_three, ro, with_cf, wo};
use super::{DIR, faulty, flush, gated, held, over, synced, unlogged};
use ferrolith::internal::db::{ColumnFamilyDescriptor, Db};
use ferrolith::internal::fs::FileSystem;
use ferrolith::internal::fs::fault::{Fault, FaultKind, Op};
use ferrolith::internal::fs::mem::MemFs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

#[test]
fn a_synced_write_is_in_a_wal_with_a_durable_name() {
    for wal_dir in ["", "/wals"] {
        let mem = MemFs::new();
        let mut options = over(mem.clone());
        options.db.wal_dir = wal_dir.into();
        let db = Db::open(&options, DIR).unwrap();
        db.put(&synced(), b"first", b"v").unwrap();
        options.db.components.file_system = Some(Arc::new(mem.crash_clone()));
        assert_eq!(dump(&Db::open(&options, DIR).unwrap()).len(), 1, "{wal_dir:?}");
        // Fills memtables, so that the next synced write is in a WAL that was made since.
        for i in 0..2000u32 {
            db.put(&wo(), &i.to_be_bytes(), &[1; 100]).unwrap();
        }
        db.put(&synced(), b"last", b"v").unwrap();
        options.db.components.file_system = Some(Arc::new(mem.crash_clone()));
        assert_eq!(dump(&Db::open(&options, DIR).unwrap()).len(), 2002, "{wal_dir:?}");
    }
}

#[test]
fn a_creation_that_failed_anywhere_can_be_repeated() {
    for n in 0..60 {
        let (mem, fs) = faulty();
        fs.inject(Fault::writes_stop(n, FaultKind::NoSpace));
        drop(Db::open(&over(fs.clone()), DIR));
        let crashed = mem.crash_clone();
        fs.clear();
        Db::open(&over(fs), DIR).unwrap_or_else(|e| panic!("after operation {n}: {e}"));
        Db::open(&over(crashed), DIR).unwrap_or_else(|e| panic!("crash at operation {n}: {e}"));
    }
}

/// Tables from the middle of recovery, and the WAL they came from, must not both count.
#[test]
fn recovery_that_fills_memtables_counts_operands_once() {
    let mem = MemFs::new();
    let mut options = with_cf(&over(mem.clone()), |cf| cf.write_buffer_size = 1 << 20);
    options.db.avoid_flush_during_recovery = true;
    let db = Db::open(&options, DIR).unwrap();
    for i in 0..50u32 {
        db.merge(&wo(), b"key", b"x").unwrap();
        db.put(&wo(), &i.to_be_bytes(), &[1; 10_000]).unwrap();
    }
    db.close().unwrap();
    let expected = dump(&db_with_small_buffers(&options));
    assert_eq!(expected.iter().find(|(k, _)| k == b"key").unwrap().1.len(), 99);
    for round in 0..3 {
        assert!(dump(&db_with_small_buffers(&options)) == expected, "round {round}");
    }
}

fn db_with_small_buffers(options: &ferrolith::internal::options::Options) -> Db {
    Db::open(&with_cf(options, |cf| cf.write_buffer_size = 64 << 10), DIR).unwrap()
}

/// After a tear only a WAL that goes on without a gap is believed: kept WALs must not end in one.
#[test]
fn writes_after_the_recovery_of_a_torn_wal_stay() {
    let mem = MemFs::new();
    let mut options = over(mem.clone());
    options.db.avoid_flush_during_recovery = true;
    options.db.avoid_flush_during_shutdown = true;
    let db = Db::open(&options, DIR).unwrap();
    for i in 0..50u8 {
        db.put(&wo(), &[i], &[i; 100]).unwrap();
    }
    drop(db);
    let wal = wals(&mem).pop().unwrap();
    mem.truncate(&wal, 1234).unwrap();
    let db = Db::open(&options, DIR).unwrap();
    let left = dump(&db).len();
    assert!(left > 5 && left < 50, "{left}");
    db.put(&unlogged(), b"no log", b"v").unwrap();
    db.put(&synced(), b"synced", b"v").unwrap();
    drop(db);
    let db = Db::open(&options, DIR).unwrap();
    assert!(db.get(&ro(), b"synced").unwrap().is_some());
}

fn wals(mem: &MemFs) -> Vec<std::path::PathBuf> {
    let mut names = mem.list_dir(Path::new(DIR)).unwrap();
    names.retain(|name| name.ends_with(".log"));
    names.sort();
    names.iter().map(|name| Path::new(DIR).join(name)).collect()
}

/// A family that was made after the damage has nothing that the WALs lack.
#[test]
fn a_family_made_behind_an_unsynced_wal_does_not_forbid_the_open() {
    let mem = MemFs::new();
    let (gate, mut options) = gated();
    options.db.components.file_system = Some(Arc::new(mem.clone()));
    let db = Db::open(&options, DIR).unwrap();
    for _ in 0..9 {
        db.put(&wo(), b"key", &[1; 100]).unwrap();
        db.merge(&wo(), b"key", b"2").unwrap();
    }
    let flushing = held(&gate, {
        let db = db.clone();
        move || flush(&db)
    });
    db.create_cf("late", &options.cf).unwrap();
    let first = wals(&mem).remove(0);
    mem.sync_dir(Path::new(DIR)).unwrap();
    let crashed = mem.crash_clone_with(|path, loose| if path == first { loose / 2 } else { 0 });
    gate.shut.store(false, Ordering::SeqCst);
    flushing.join().unwrap().unwrap();
    let both = ["default", "late"].map(|n| ColumnFamilyDescriptor::new(n, options.cf.clone()));
    let (db, cfs) = Db::open_cf(&over(crashed).db, DIR, both.to_vec()).unwrap();
    assert!(dump_cf(&db, &cfs[1]).is_empty());
    assert_eq!(dump(&db).len(), 1);
}

/// A record that was cut short: nothing may follow it in this WAL, and what came before stays.
#[test]
fn a_wal_with_a_cut_record_is_not_written_again() {
    let (_, fs) = faulty();
    let (db, cfs) = open_three(&over(fs.clone()), Path::new(DIR));
    for i in 0..20u8 {
        db.put_cf(&wo(), &cfs[i as usize % 3], &[i], b"v").unwrap();
    }
    // Otherwise the background may have replaced the WAL before the next call.
    db.pause_background_work().unwrap();
    fs.inject(Fault { times: 1, ..Fault::always(Op::Append, ".log", FaultKind::Short(5)) });
    assert!(db.put(&wo(), b"cut", b"v").is_err());
    let e = db.put(&wo(), b"after", b"v").unwrap_err();
    assert!(e.message().contains("Injected"), "{e}");
    assert!(flush(&db).is_err());
    drop((db, cfs));
    let (db, cfs) = open_three(&over(fs), Path::new(DIR));
    assert_eq!(cfs.iter().map(|cf| dump_cf(&db, cf).len()).sum::<usize>(), 20);
}
