//! Read options beyond the plain ones: tiers, deadlines, limits, tailing iterators. What they answer
//! was seen on RocksDB 10.10.1.

use super::support::{ro, small, temp_dir, wo};
use ferrolith::Code;
use ferrolith::internal::db::Db;
use ferrolith::internal::options::{FlushOptions, ReadOptions, ReadTier, WriteOptions};
use std::path::Path;

/// A thousand keys in a file, none of them in the cache, and "mem" in the memtable.
fn filled(dir: &Path) -> Db {
    let mut options = small();
    options.cf.write_buffer_size = 1 << 20;
    let db = Db::open(&options, dir).unwrap();
    for i in 0..1000 {
        db.put(&wo(), format!("k{i:04}").as_bytes(), &[b'v'; 100]).unwrap();
    }
    db.flush(&FlushOptions::default()).unwrap();
    db.put(&wo(), b"mem", b"1").unwrap();
    db
}

fn tier(read_tier: ReadTier) -> ReadOptions {
    ReadOptions { read_tier, ..ro() }
}

fn text<T>(result: ferrolith::Result<T>) -> String {
    result.err().expect("an error").to_string()
}

#[test]
fn the_cache_tier_reads_no_file() {
    let dir = temp_dir();
    let db = filled(dir.path());
    let cached = tier(ReadTier::BlockCache);
    assert_eq!(text(db.get(&cached, b"k0100")), "Result incomplete: no blocking io");
    assert_eq!(db.get(&cached, b"mem").unwrap().unwrap(), b"1");
    assert_eq!(db.get(&cached, b"zzz").unwrap(), None);
    let mut iter = db.iter(&cached).unwrap();
    iter.seek(b"k0100");
    assert!(!iter.valid());
    assert_eq!(iter.status().unwrap_err().code(), Code::Incomplete);
    iter.seek(b"mem");
    assert_eq!(iter.key(), b"mem");
    db.get(&ro(), b"k0100").unwrap();
    assert!(db.get(&cached, b"k0100").unwrap().is_some());
    iter.seek(b"k0100");
    assert_eq!(iter.key(), b"k0100");
}

#[test]
fn other_tiers_leave_places_out() {
    let dir = temp_dir();
    let db = filled(dir.path());
    let mut iter = db.iter(&tier(ReadTier::Memtable)).unwrap();
    iter.seek_to_first();
    assert_eq!(iter.key(), b"mem");
    iter.next();
    assert!(!iter.valid() && iter.status().is_ok());

    let persisted = tier(ReadTier::Persisted);
    assert!(text(db.iter(&persisted)).contains("kPersistedData is not yet supported in iterators"));
    assert_eq!(db.get(&persisted, b"mem").unwrap().unwrap(), b"1");
    let unlogged = WriteOptions { disable_wal: true, ..wo() };
    db.put(&unlogged, b"k0100", b"new").unwrap();
    assert_eq!(db.get(&persisted, b"k0100").unwrap().unwrap(), [b'v'; 100]);
    assert_eq!(db.get(&persisted, b"mem").unwrap(), None);
    assert_eq!(db.get(&ro(), b"k0100").unwrap().unwrap(), b"new");
}

#[test]
fn time_and_size_end_reads() {
    let dir = temp_dir();
    let db = filled(dir.path());
    let late = ReadOptions { deadline_us: 1, ..ro() };
    assert_eq!(text(db.get(&late, b"k0100")), "Operation timed out: Deadline exceeded");
    assert_eq!(db.get(&late, b"mem").unwrap().unwrap(), b"1");
    let mut iter = db.iter(&late).unwrap();
    iter.seek_to_first();
    assert_eq!(iter.status().unwrap_err().code(), Code::TimedOut);
    let soon = ReadOptions { deadline_us: u64::MAX, ..ro() };
    assert!(db.get(&soon, b"k0100").unwrap().is_some());

    let limited = ReadOptions { value_size_soft_limit: 150, ..ro() };
    let results = db.multi_get(&limited, &["k0001", "k0002", "k0003", "k0004"]);
    let codes: Vec<_> = results.into_iter().map(|r| r.err().map(|e| e.code())).collect();
    assert_eq!(codes, [None, None, Some(Code::Aborted), Some(Code::Aborted)]);

    let stamped = ReadOptions { timestamp: Some(vec![0; 8]), ..ro() };
    let what = "Invalid argument: cannot call this method on column family default that does not \
                enable timestamp";
    assert_eq!(text(db.get(&stamped, b"mem")), what);
    let from = ReadOptions { iter_start_ts: Some(vec![0; 8]), ..ro() };
    assert_eq!(text(db.iter(&from)), what);
}

#[test]
fn tailing_iterators_follow() {
    let dir = temp_dir();
    let db = filled(dir.path());
    let snapshot = db.snapshot();
    let options = ReadOptions { tailing: true, snapshot: Some(snapshot.sequence()), ..ro() };
    let mut iter = db.iter(&options).unwrap();
    let mut fixed = db.iter(&ro()).unwrap();
    iter.seek(b"z");
    assert!(!iter.valid());
    for round in 0..20 {
        let key = format!("z{round:02}");
        db.put(&wo(), key.as_bytes(), b"x").unwrap();
        if round % 5 == 4 {
            db.flush(&FlushOptions::default()).unwrap();
        }
        iter.seek(key.as_bytes());
        assert_eq!(iter.key(), key.as_bytes());
        // From a place before it, too: what it stood on must not shorten the search.
        iter.seek(b"mem");
        iter.seek(key.as_bytes());
        assert_eq!(iter.key(), key.as_bytes());
        fixed.seek(key.as_bytes());
        assert!(!fixed.valid());
    }
    iter.seek_to_last();
    assert_eq!(iter.key(), b"z19");
    iter.prev();
    assert_eq!(iter.key(), b"z18");
}
