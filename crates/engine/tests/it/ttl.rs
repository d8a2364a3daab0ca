//! Databases with a time to live: users see plain values, files have times, compactions drop what
//! is too old.

use super::support::{dump, ro, small, temp_dir, wo};
use ferrolith::internal::batch::WriteBatch;
use ferrolith::internal::db::{ColumnFamilyDescriptor, Db};
use ferrolith::internal::hooks::{CompactionFilter, FilterDecision};
use ferrolith::internal::options::{
    BottommostLevelCompaction, ColumnFamilyOptions, CompactRangeOptions, FlushOptions, Options,
};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

fn open(dir: &Path, ttl: i32) -> Db {
    Db::open_with_ttl(&small(), dir, ttl, false).unwrap()
}

fn compact(db: &Db) {
    let all = CompactRangeOptions {
        bottommost_level_compaction: BottommostLevelCompaction::Force,
        ..CompactRangeOptions::default()
    };
    db.compact_range(&all, None, None).unwrap();
}

#[test]
fn users_see_plain_values_and_files_hold_times() {
    let dir = temp_dir();
    let db = open(dir.path(), 0);
    db.put(&wo(), b"a", b"one").unwrap();
    db.put(&wo(), b"large", &[7; 10_000]).unwrap();
    for operand in [b"x", b"y", b"z"] {
        db.merge(&wo(), b"merged", operand).unwrap();
    }
    let mut batch = WriteBatch::new();
    batch.put(b"b", b"two").unwrap();
    batch.delete(b"a").unwrap();
    batch.put(b"c", b"").unwrap();
    db.write(&wo(), &mut batch).unwrap();
    assert_eq!(batch.sequence() + 2, db.latest_sequence_number());
    let expected: Vec<(Vec<u8>, Vec<u8>)> = vec![
        (b"b".to_vec(), b"two".to_vec()),
        (b"c".to_vec(), b"".to_vec()),
        (b"large".to_vec(), vec![7; 10_000]),
        (b"merged".to_vec(), b"x,y,z".to_vec()),
    ];
    let check = |db: &Db| {
        assert_eq!(dump(db), expected);
        for (key, value) in &expected {
            assert_eq!(db.get(&ro(), key).unwrap().as_ref(), Some(value));
            let copied = db.get_with(&ro(), None, key, |value| value.to_vec()).unwrap();
            assert_eq!(copied.as_ref(), Some(value));
        }
        let keys: Vec<_> = expected.iter().map(|(key, _)| key).collect();
        let values = db.multi_get(&ro(), &keys);
        for (found, (_, value)) in values.into_iter().zip(&expected) {
            assert_eq!(found.unwrap().unwrap().to_vec(), *value);
        }
    };
    check(&db);
    compact(&db);
    check(&db);
    drop(db);
    let db = Db::open_with_ttl(&small(), dir.path(), 0, true).unwrap();
    check(&db);
    assert!(db.put(&wo(), b"k", b"v").is_err());
    drop(db);
    // Without the time to live the times are seen.
    let raw = Db::open(&small(), dir.path()).unwrap();
    let value = raw.get(&ro(), b"b").unwrap().unwrap();
    let (plain, time) = value.split_at(3);
    assert_eq!(plain, b"two");
    assert!(u32::from_le_bytes(time.try_into().unwrap()) > 1_700_000_000);
    raw.put(&wo(), b"short", b"x").unwrap();
    raw.put(&wo(), b"young", &[0; 8]).unwrap();
    drop(raw);
    let db = open(dir.path(), 0);
    let told = |key: &[u8]| db.get(&ro(), key).unwrap_err().to_string();
    assert_eq!(told(b"short"), "Corruption: Error: value's length less than timestamp's\n");
    assert_eq!(told(b"young"), "Corruption: Error: Timestamp < ttl feature release time!\n");
}

#[test]
fn compactions_drop_what_is_too_old() {
    let dir = temp_dir();
    let db = open(dir.path(), 1);
    db.put(&wo(), b"old", b"1").unwrap();
    db.flush(&FlushOptions::default()).unwrap();
    compact(&db);
    assert_eq!(dump(&db).len(), 1, "not old yet");
    std::thread::sleep(Duration::from_millis(2500));
    assert_eq!(dump(&db).len(), 1, "only compactions drop it");
    db.put(&wo(), b"new", b"2").unwrap();
    compact(&db);
    assert_eq!(dump(&db), [(b"new".to_vec(), b"2".to_vec())]);
}

struct Shout;

impl CompactionFilter for Shout {
    fn name(&self) -> &str {
        "Shout"
    }

    fn filter(&self, _level: usize, _key: &[u8], value: &[u8]) -> FilterDecision {
        match value {
            b"drop" => FilterDecision::Remove,
            _ => FilterDecision::ChangeValue(value.to_ascii_uppercase()),
        }
    }
}

#[test]
fn families_have_times_of_their_own_and_filters_see_plain_values() {
    let dir = temp_dir();
    let mut options: Options = small();
    options.cf.compaction_filter = Some(Arc::new(Shout));
    let families =
        ["default", "brief"].map(|name| ColumnFamilyDescriptor::new(name, options.cf.clone()));
    let open = |ttls: &[i32]| {
        Db::open_cf_with_ttl(&options.db, dir.path(), families.to_vec(), ttls, false)
    };
    let e = open(&[0]).unwrap_err().to_string();
    assert!(e.contains("ttls size has to be the same as number of column families"), "{e}");
    let (db, handles) = open(&[0, 1]).unwrap();
    for cf in &handles {
        db.put_cf(&wo(), cf, b"k", b"value").unwrap();
        db.put_cf(&wo(), cf, b"l", b"drop").unwrap();
    }
    let third = db.create_cf_with_ttl("third", &ColumnFamilyOptions::default(), 100).unwrap();
    db.put_cf(&wo(), &third, b"k", b"v").unwrap();
    assert_eq!(db.get_cf(&ro(), &third, b"k").unwrap().as_deref(), Some(&b"v"[..]));
    std::thread::sleep(Duration::from_millis(2500));
    let all = CompactRangeOptions {
        bottommost_level_compaction: BottommostLevelCompaction::Force,
        ..CompactRangeOptions::default()
    };
    for cf in handles.iter().chain([&third]) {
        db.compact_range_cf(&all, cf, None, None).unwrap();
    }
    let get = |cf, key: &[u8]| db.get_cf(&ro(), cf, key).unwrap();
    assert_eq!(get(&handles[0], b"k").as_deref(), Some(&b"VALUE"[..]));
    assert_eq!(get(&handles[0], b"l"), None);
    assert_eq!(get(&handles[1], b"k"), None);
    assert_eq!(get(&third, b"k").as_deref(), Some(&b"v"[..]));
}
