//! Column families: made, opened, dropped, written together.

use super::support::{dump_cf, open_three, ro, small, temp_dir, try_open_three, with_cf, wo};
use ferrolith::Code;
use ferrolith::internal::batch::WriteBatch;
use ferrolith::internal::db::{ColumnFamilyDescriptor, Db};
use ferrolith::internal::options::{FlushOptions, WriteOptions};

#[test]
fn a_batch_over_families_is_atomic_and_survives() {
    let dir = temp_dir();
    let options = small();
    let (db, cfs) = open_three(&options, dir.path());
    let mut batch = WriteBatch::new();
    for cf in &cfs {
        batch.put_cf(cf.id(), b"k", cf.name().as_bytes()).unwrap();
    }
    db.write(&wo(), &mut batch).unwrap();
    batch.clear();
    batch.put(b"lost", b"").unwrap();
    batch.put_cf(77, b"lost", b"").unwrap();
    assert_eq!(db.write(&wo(), &mut batch).unwrap_err().code(), Code::InvalidArgument);
    assert_eq!(db.get(&ro(), b"lost").unwrap(), None);
    let lenient = WriteOptions { ignore_missing_column_families: true, ..WriteOptions::default() };
    batch.clear();
    batch.put(b"kept", b"").unwrap();
    batch.put_cf(77, b"lost", b"").unwrap();
    db.write(&lenient, &mut batch).unwrap();
    drop((db, cfs));
    let (db, cfs) = open_three(&options, dir.path());
    for cf in &cfs {
        let found = db.get_cf(&ro(), cf, b"k").unwrap();
        assert_eq!(found.as_deref(), Some(cf.name().as_bytes()));
    }
    assert!(db.get(&ro(), b"kept").unwrap().is_some());
}

#[test]
fn a_family_flushed_alone_keeps_the_others_in_the_wal() {
    let dir = temp_dir();
    let options = small();
    let (db, cfs) = open_three(&options, dir.path());
    for i in 0..300u32 {
        for cf in &cfs {
            db.put_cf(&wo(), cf, &i.to_be_bytes(), cf.name().as_bytes()).unwrap();
        }
        if i % 50 == 0 {
            db.flush_cf(&FlushOptions::default(), &cfs[(i as usize / 50) % 3]).unwrap();
        }
    }
    drop((db, cfs));
    let (db, cfs) = open_three(&options, dir.path());
    for cf in &cfs {
        assert_eq!(dump_cf(&db, cf).len(), 300);
    }
}

#[test]
fn families_are_made_listed_and_dropped() {
    let dir = temp_dir();
    let options = small();
    let db = Db::open(&options, dir.path()).unwrap();
    let extra = db.create_cf("extra", &options.cf).unwrap();
    assert!(db.create_cf("extra", &options.cf).is_err());
    db.put_cf(&wo(), &extra, b"k", b"v").unwrap();
    db.flush_cf(&FlushOptions::default(), &extra).unwrap();
    let names = Db::list_column_families(&options.db, dir.path()).unwrap();
    assert_eq!(names, ["default", "extra"]);
    let doomed = db.create_cf("doomed", &options.cf).unwrap();
    db.put_cf(&wo(), &doomed, b"k", b"v").unwrap();
    db.drop_cf(&doomed).unwrap();
    assert!(db.drop_cf(&doomed).is_err());
    assert!(db.put_cf(&wo(), &doomed, b"k", b"v").is_err());
    assert!(db.drop_cf(&db.default_cf()).is_err());
    drop((db, extra, doomed));

    let missing = Db::open(&options, dir.path()).unwrap_err();
    assert_eq!(missing.code(), Code::InvalidArgument);
    assert!(missing.message().contains("extra"), "{missing}");
    let all = ["default", "extra"].map(|n| ColumnFamilyDescriptor::new(n, options.cf.clone()));
    let (db, cfs) = Db::open_cf(&options.db, dir.path(), all.to_vec()).unwrap();
    assert_eq!(db.get_cf(&ro(), &cfs[1], b"k").unwrap().as_deref(), Some(&b"v"[..]));
    // Numbers are not used again.
    assert!(db.create_cf("next", &options.cf).unwrap().id() > 2);
}

#[test]
fn unknown_families_are_made_only_when_asked() {
    let dir = temp_dir();
    let mut options = small();
    options.db.create_missing_column_families = false;
    let e = try_open_three(&options, dir.path()).unwrap_err();
    assert!(e.message().contains("one"), "{e}");
    options.db.create_missing_column_families = true;
    open_three(&options, dir.path());
}

#[test]
fn a_small_wal_limit_flushes_the_family_that_holds_the_oldest() {
    let dir = temp_dir();
    let mut options = small();
    options.db.max_total_wal_size = 256 << 10;
    let (db, cfs) = open_three(&options, dir.path());
    db.put_cf(&wo(), &cfs[1], b"rare", b"v").unwrap();
    for i in 0..20_000u32 {
        db.put(&wo(), &i.to_be_bytes(), &[7; 100]).unwrap();
    }
    db.wait_for_compact().unwrap();
    let wals = std::fs::read_dir(dir.path()).unwrap();
    let names = wals.map(|e| e.unwrap().file_name().into_string().unwrap());
    let wals = names.filter(|n| n.ends_with(".log")).count();
    assert!(wals < 12, "{wals} WALs are left");
    assert_eq!(db.get_cf(&ro(), &cfs[1], b"rare").unwrap().as_deref(), Some(&b"v"[..]));
}

/// RocksDB deletes a dropped family's files when the last handle goes, in that thread.
#[test]
fn files_of_a_dropped_family_go_with_its_last_handle() {
    let dir = temp_dir();
    let options = with_cf(&small(), |cf| cf.write_buffer_size = 4 << 20);
    let db = Db::open(&options, dir.path()).unwrap();
    let tables = || {
        let names = std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_string_lossy().ends_with(".sst")).count()
    };
    let fill = |name: &str| {
        let cf = db.create_cf(name, &options.cf).unwrap();
        db.put_cf(&wo(), &cf, b"k", name.as_bytes()).unwrap();
        db.flush_cf(&FlushOptions::default(), &cf).unwrap();
        // The job holds the family a little longer.
        db.wait_for_compact().unwrap();
        cf
    };
    for round in 0..10 {
        let cf = fill("one");
        db.drop_cf(&cf).unwrap();
        assert_eq!(tables(), 1, "round {round}: who has a handle may read");
        assert_eq!(db.get_cf(&ro(), &cf, b"k").unwrap().unwrap(), b"one");
        drop(cf);
        assert_eq!(tables(), 0, "round {round}");
    }
    // One of several handles, and an iterator that outlives them.
    let cf = fill("two");
    let other = cf.clone();
    db.drop_cf(&cf).unwrap();
    drop(cf);
    assert_eq!(tables(), 1);
    let mut iter = db.iter_cf(&ro(), &other).unwrap();
    drop(other);
    iter.seek_to_first();
    assert_eq!((iter.value(), tables()), (&b"two"[..], 1));
    drop(iter);
    let began = std::time::Instant::now();
    while tables() > 0 {
        assert!(began.elapsed() < std::time::Duration::from_secs(20), "the file stays");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    // A handle may outlive the database.
    let cf = fill("three");
    db.drop_cf(&cf).unwrap();
    db.close().unwrap();
    drop((db, cf));
}
