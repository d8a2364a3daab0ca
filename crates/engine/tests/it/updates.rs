//! The stream of changes against what was written, over flushes, reopening and lost WALs.

use super::support::{small, temp_dir, with_cf, wo};
use ferrolith::Code;
use ferrolith::internal::batch::WriteBatch;
use ferrolith::internal::db::{Db, TransactionLogIterator};
use ferrolith::internal::options::{FlushOptions, Options, WriteOptions};
use std::path::Path;

fn keeping() -> Options {
    let mut options = small();
    options.db.wal_ttl_seconds = 3600;
    options
}

/// Sequence number and bytes of every batch that is left.
fn rest(updates: &mut TransactionLogIterator) -> Vec<(u64, Vec<u8>)> {
    let mut batches = Vec::new();
    while updates.valid() {
        let batch = updates.batch().unwrap();
        batches.push((batch.sequence(), batch.data().to_vec()));
        updates.next();
    }
    batches
}

/// Writes batches of one to three entries with values of many sizes; returns them as written.
fn write_some(db: &Db, from: u32, count: u32) -> Vec<(u64, Vec<u8>)> {
    let mut written = Vec::new();
    for i in from..from + count {
        let mut batch = WriteBatch::new();
        for j in 0..=i % 3 {
            batch
                .put(&(i * 10 + j).to_be_bytes(), &vec![i as u8; (i as usize * 37) % 900])
                .unwrap();
        }
        if i % 50 == 7 {
            batch.put(b"large", &vec![1; 100_000]).unwrap();
        }
        db.write(&wo(), &mut batch).unwrap();
        written.push((batch.sequence(), batch.data().to_vec()));
    }
    written
}

#[test]
fn every_batch_comes_back_in_order_over_flushes_and_reopening() {
    let dir = temp_dir();
    let mut written = Vec::new();
    for round in 0..3 {
        let db = Db::open(&keeping(), dir.path()).unwrap();
        written.extend(write_some(&db, round * 300, 300));
        let mut updates = db.get_updates_since(0).unwrap();
        assert_eq!(rest(&mut updates), written, "round {round}");
        updates.status().unwrap();
    }
    let db = Db::open(&keeping(), dir.path()).unwrap();
    assert!(dir.path().join("archive").is_dir());
    for from in [1, 2, 17, 500, db.latest_sequence_number()] {
        let mut updates = db.get_updates_since(from).unwrap();
        let holds = |(first, data): &&(u64, Vec<u8>)| {
            first + u64::from(WriteBatch::from_data(data.clone()).unwrap().count()) > from
        };
        let expected: Vec<_> = written.iter().filter(holds).cloned().collect();
        assert_eq!(rest(&mut updates), expected, "from {from}");
    }
    let files = db.sorted_wal_files().unwrap();
    assert!(files.iter().any(|f| f.archived && f.path_name().starts_with("/archive/0")));
}

#[test]
fn an_iterator_at_the_end_goes_on_with_new_writes_until_its_wal_is_full() {
    let dir = temp_dir();
    let db = Db::open(&keeping(), dir.path()).unwrap();
    assert!(!db.get_updates_since(0).unwrap().valid());
    let first = write_some(&db, 0, 5);
    let mut updates = db.get_updates_since(1).unwrap();
    assert_eq!(rest(&mut updates), first);
    for i in 1..20 {
        let more = write_some(&db, i * 5, 2);
        updates.next();
        assert_eq!(rest(&mut updates), more);
        updates.status().unwrap();
    }
    let before_flush = write_some(&db, 200, 1);
    db.flush(&FlushOptions::default()).unwrap();
    write_some(&db, 300, 1);
    updates.next();
    assert_eq!(rest(&mut updates), before_flush);
    let e = updates.status().unwrap_err();
    assert_eq!(e.code(), Code::TryAgain);
    assert_eq!(
        e.to_string(),
        "Operation failed. Try again.: Create a new iterator to fetch the new tail."
    );
}

#[test]
fn what_is_missing_is_told() {
    let dir = temp_dir();
    let options = with_cf(&keeping(), |cf| cf.write_buffer_size = 4 << 20);
    let db = Db::open(&options, dir.path()).unwrap();
    let e = db.get_updates_since(1).map(|_| ()).unwrap_err();
    assert_eq!(e.to_string(), "NotFound: Requested sequence not yet written in the db");
    let first = write_some(&db, 0, 10);
    db.flush(&FlushOptions::default()).unwrap();
    let second = write_some(&db, 10, 10);
    db.flush(&FlushOptions::default()).unwrap();
    let third = write_some(&db, 20, 10);
    db.wait_for_compact().unwrap();
    let archived: Vec<_> =
        db.sorted_wal_files().unwrap().into_iter().filter(|f| f.archived).collect();
    assert_eq!(archived.len(), 2);
    let remove = |dir: &Path, i: usize| {
        std::fs::remove_file(dir.join(format!("archive/{:06}.log", archived[i].number))).unwrap()
    };
    remove(dir.path(), 1);
    let mut updates = db.get_updates_since(0).unwrap();
    assert_eq!(rest(&mut updates), first);
    assert_eq!(updates.status().unwrap_err().to_string(), "NotFound: Gap in sequence numbers");
    // Asked for something that is gone, it begins with what there is.
    let mut updates = db.get_updates_since(second[0].0).unwrap();
    assert_eq!(rest(&mut updates), third);
    remove(dir.path(), 0);
    assert_eq!(rest(&mut db.get_updates_since(0).unwrap()), third);
    let unlogged = WriteOptions { disable_wal: true, ..WriteOptions::default() };
    db.put(&unlogged, b"k", b"v").unwrap();
    write_some(&db, 40, 1);
    let mut updates = db.get_updates_since(third[0].0).unwrap();
    assert_eq!(rest(&mut updates), third);
    assert_eq!(updates.status().unwrap_err().to_string(), "NotFound: Gap in sequence numbers");
}

#[test]
fn archives_are_kept_as_long_as_the_options_say() {
    let archived =
        |dir: &Path| std::fs::read_dir(dir.join("archive")).map_or(0, |entries| entries.count());
    let dir = temp_dir();
    let mut options = small();
    options.db.wal_size_limit_mb = 1;
    let db = Db::open(&options, dir.path()).unwrap();
    for _ in 0..8 {
        for _ in 0..4 {
            db.put(&wo(), b"k", &[5; 100_000]).unwrap();
        }
        db.flush(&FlushOptions::default()).unwrap();
    }
    // Logs go to the archive, and from there, after the flush that made them obsolete is done.
    db.wait_for_compact().unwrap();
    let files = db.sorted_wal_files().unwrap();
    let size: u64 = files.iter().filter(|f| f.archived).map(|f| f.size_bytes).sum();
    assert!(size <= 1 << 20 && archived(dir.path()) >= 2, "{files:?}");
    drop(db);
    // The time to live is told by the time of the last change.
    options.db.wal_size_limit_mb = 0;
    options.db.wal_ttl_seconds = 10;
    for entry in std::fs::read_dir(dir.path().join("archive")).unwrap() {
        let file = std::fs::File::options().write(true).open(entry.unwrap().path()).unwrap();
        file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(60))
            .unwrap();
    }
    let db = Db::open(&options, dir.path()).unwrap();
    db.put(&wo(), b"k", b"v").unwrap();
    db.flush(&FlushOptions::default()).unwrap();
    db.wait_for_compact().unwrap();
    assert!(db.sorted_wal_files().unwrap().iter().all(|f| f.number > files[0].number));
}

#[test]
fn batches_are_read_while_others_write() {
    let dir = temp_dir();
    let db = Db::open(&keeping(), dir.path()).unwrap();
    std::thread::scope(|scope| {
        for t in 0..2u32 {
            let db = &db;
            scope.spawn(move || write_some(db, t * 10_000, 800));
        }
        let mut next = 1;
        let total: u64 = 2 * (0..800u64).map(|i| i % 3 + 1 + u64::from(i % 50 == 7)).sum::<u64>();
        while next <= total {
            let Ok(mut updates) = db.get_updates_since(next) else { continue };
            while let Some(batch) = updates.batch() {
                assert_eq!(batch.sequence(), next);
                next += u64::from(batch.count());
                updates.next();
            }
            let status = updates.status();
            let ended = status.as_ref().err().is_none_or(|e| e.code() == Code::TryAgain);
            assert!(ended, "{status:?}");
        }
    });
}
