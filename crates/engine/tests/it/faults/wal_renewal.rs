//! A WAL that failed is replaced: what was acknowledged survives a power failure at any moment, families stand at
//! one point, prepared transactions stay prepared, and closing leaves nothing in memory alone.

use super::super::support::{open_three, ro, wo};
use super::{DIR, eventually, faulty, over, synced};
use ferrolith::internal::batch::WriteBatch;
use ferrolith::internal::db::{ColumnFamily, Db};
use ferrolith::internal::fs::fault::{Fault, FaultFs, FaultKind, Op};
use ferrolith::internal::fs::mem::MemFs;
use ferrolith::internal::options::{Options, WalRecoveryMode};
use ferrolith::internal::txn::{TransactionDb, TransactionDbOptions, TransactionOptions};
use std::path::Path;
use std::sync::Arc;

/// What ends a WAL.
const FAULTS: [(Op, FaultKind); 4] = [
    (Op::Sync, FaultKind::Io),
    (Op::Sync, FaultKind::AfterDone),
    (Op::Append, FaultKind::Short(3)),
    (Op::Append, FaultKind::AfterDone),
];

fn options(mem: &MemFs, mode: WalRecoveryMode) -> Options {
    let mut options = over(mem.clone());
    options.cf.write_buffer_size = 1 << 20;
    options.db.wal_recovery_mode = mode;
    options
}

/// One number in all families.
fn put(db: &Db, cfs: &[ColumnFamily], number: u32) -> ferrolith::Result<()> {
    let mut batch = WriteBatch::new();
    for cf in cfs {
        batch.put_cf(cf.id(), b"last", &number.to_be_bytes()).unwrap();
        batch.put_cf(cf.id(), &number.to_be_bytes(), &[7; 300]).unwrap();
    }
    db.write(&synced(), &mut batch)
}

fn last(db: &Db, cfs: &[ColumnFamily]) -> u32 {
    let number = |cf| {
        let value = db.get_cf(&ro(), cf, b"last").unwrap();
        value.map_or(0, |value| u32::from_be_bytes(value[..].try_into().unwrap()))
    };
    let all: Vec<u32> = cfs.iter().map(number).collect();
    assert!(all.iter().all(|n| *n == all[0]), "{all:?}");
    all[0]
}

#[test]
fn what_was_acknowledged_survives_a_power_failure_at_any_moment() {
    for (op, kind) in FAULTS {
        let (mem, fs) = faulty();
        let strict = options(&mem, WalRecoveryMode::PointInTimeRecovery);
        let mut faulty = strict.clone();
        faulty.db.components.file_system = Some(Arc::new(fs.clone()));
        let (db, cfs) = open_three(&faulty, Path::new(DIR));
        let mut acknowledged = 0;
        for number in 1..=60 {
            if number % 20 == 10 {
                fs.inject(Fault::nth(op, ".log", 0, kind));
            }
            if put(&db, &cfs, number).is_ok() {
                acknowledged = number;
            }
            let left = Options { db: over(mem.crash_clone()).db, ..strict.clone() };
            let (db, cfs) = open_three(&left, Path::new(DIR));
            let found = last(&db, &cfs);
            assert!(found >= acknowledged, "{op:?} {kind:?}: {found} of {acknowledged}");
        }
        eventually("writes go on", || put(&db, &cfs, 1000).is_ok());
        // No WAL that failed is left: everything opens, however strict.
        drop((db, cfs));
        let absolute = options(&mem, WalRecoveryMode::AbsoluteConsistency);
        let (db, cfs) = open_three(&absolute, Path::new(DIR));
        assert_eq!(last(&db, &cfs), 1000);
    }
}

#[test]
fn prepared_transactions_stay_prepared_when_the_wal_is_replaced() {
    for (op, kind) in FAULTS {
        let (mem, fs) = faulty();
        let plain = options(&mem, WalRecoveryMode::PointInTimeRecovery);
        let mut faulty = plain.clone();
        faulty.db.components.file_system = Some(Arc::new(fs.clone()));
        let quick = TransactionDbOptions::default();
        let db = TransactionDb::open(&faulty, &quick, DIR).unwrap();
        let cf = db.db().default_cf();
        let begin = |name: &[u8]| {
            let mut txn = db.begin(&synced(), &TransactionOptions::default());
            txn.set_name(name).unwrap();
            txn.put(&cf, name, b"value").unwrap();
            txn.prepare().unwrap();
            txn
        };
        let open = begin(b"open");
        let mut committed = begin(b"committed");
        committed.commit().unwrap();
        let mut undone = begin(b"undone");
        undone.rollback().unwrap();
        fs.inject(Fault::nth(op, ".log", 0, kind));
        db.put(&synced(), &cf, b"x", b"y").unwrap_err();
        eventually("writes go on", || db.put(&synced(), &cf, b"z", b"y").is_ok());
        let left = Options { db: over(mem.crash_clone()).db, ..plain.clone() };
        let again = TransactionDb::open(&left, &quick, DIR).unwrap();
        let mut prepared = again.get_all_prepared_transactions();
        let names: Vec<_> = prepared.iter().map(|txn| txn.name().to_vec()).collect();
        assert_eq!(names, [b"open"], "{op:?} {kind:?}");
        assert_eq!(again.db().get(&ro(), b"committed").unwrap().as_deref(), Some(&b"value"[..]));
        assert_eq!(again.db().get(&ro(), b"open").unwrap(), None);
        prepared[0].commit().unwrap();
        assert_eq!(again.db().get(&ro(), b"open").unwrap().as_deref(), Some(&b"value"[..]));
        drop(open);
    }
}

/// What a log lost that cannot be replaced for now is written when there is room at closing.
#[test]
fn closing_leaves_nothing_in_memory_alone() {
    let (mem, fs) = faulty();
    let mut options = over(fs.clone());
    options.db.avoid_flush_during_shutdown = true;
    let db = Db::open(&options, DIR).unwrap();
    db.put(&wo(), b"before", b"value").unwrap();
    fs.inject(Fault::always(Op::Create, ".log", FaultKind::NoSpace));
    fs.inject(Fault::nth(Op::Sync, ".log", 0, FaultKind::Io));
    db.put(&synced(), b"failed", b"value").unwrap_err();
    assert_eq!(db.get(&ro(), b"before").unwrap().as_deref(), Some(&b"value"[..]));
    fs.clear();
    db.close().unwrap();
    drop(db);
    // Nothing of the WALs was synced: the value is in a table.
    let db = Db::open(&over(mem.crash_clone()), DIR).unwrap();
    assert_eq!(db.get(&ro(), b"before").unwrap().as_deref(), Some(&b"value"[..]));
}

/// Every place where opening finds no room: it opens all the same, with everything, and then goes on.
#[test]
fn opening_without_room_keeps_everything_in_memory_until_there_is_some() {
    let places = [
        (Op::Create, ".sst"),
        (Op::Append, ".sst"),
        (Op::Sync, ".sst"),
        (Op::Create, ".log"),
        (Op::Create, "MANIFEST"),
        (Op::Append, "MANIFEST"),
        (Op::Sync, "MANIFEST"),
        (Op::Rename, "CURRENT"),
    ];
    let point_in_time = WalRecoveryMode::PointInTimeRecovery;
    for (op, path) in places {
        for skip in 0..3 {
            let what = format!("{op:?} {path} {skip}");
            let mem = MemFs::new();
            let (db, cfs) = open_three(&options(&mem, point_in_time), Path::new(DIR));
            for number in 1..=300 {
                put(&db, &cfs, number).unwrap();
            }
            let left = mem.crash_clone();
            drop((db, cfs));
            let fs = FaultFs::new(Arc::new(left.clone()));
            let mut small = options(&left, point_in_time);
            small.cf.write_buffer_size = 32 << 10;
            small.db.components.file_system = Some(Arc::new(fs.clone()));
            fs.inject(Fault { skip, ..Fault::always(op, path, FaultKind::NoSpace) });
            let (db, cfs) = open_three(&small, Path::new(DIR));
            assert_eq!(last(&db, &cfs), 300, "{what}");
            // A power failure now loses nothing.
            let after = options(&left.crash_clone(), point_in_time);
            let (other, others) = open_three(&after, Path::new(DIR));
            assert_eq!(last(&other, &others), 300, "{what}");
            fs.clear();
            eventually(&what, || put(&db, &cfs, 1000).is_ok());
            assert_eq!(last(&db, &cfs), 1000, "{what}");
            drop((db, cfs));
            let absolute = options(&left, WalRecoveryMode::AbsoluteConsistency);
            let (db, cfs) = open_three(&absolute, Path::new(DIR));
            assert_eq!(last(&db, &cfs), 1000, "{what}");
        }
    }
}
