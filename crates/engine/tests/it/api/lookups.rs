//! Lookups of many keys in several families, and the variants with families and options.

use super::memory;
use ferrolith::{Db, ErrorKind, FlushOptions, ReadOptions, Result, Value, WriteBatch};
use std::sync::atomic::{AtomicBool, Ordering};

fn texts(found: Vec<Result<Option<Value>>>) -> Vec<Option<String>> {
    let text = |value: Value| String::from_utf8(value.into_vec()).unwrap();
    found.into_iter().map(|value| value.unwrap().map(text)).collect()
}

#[test]
fn keys_of_several_families_are_found_in_their_order() {
    let db = memory();
    let (one, two) = (db.create_cf("one").unwrap(), db.create_cf("two").unwrap());
    for n in 0..100_u32 {
        one.put(n.to_be_bytes(), format!("one {n}")).unwrap();
        two.put(n.to_be_bytes(), format!("two {n}")).unwrap();
        if n == 50 {
            one.flush_opt(&FlushOptions::default()).unwrap();
        }
    }
    let then = db.snapshot();
    one.put(3_u32.to_be_bytes(), "new").unwrap();
    let default = db.default_cf();
    let keys =
        (0..150_u32).rev().map(|n| ([&one, &two, &default][n as usize % 3], n.to_be_bytes()));
    let keys: Vec<_> = keys.collect();
    let now: Vec<_> = keys.iter().map(|(cf, key)| db.get_cf(cf, key)).collect();
    assert_eq!(texts(db.multi_get_cf(keys.clone())), texts(now));
    let old = texts(then.multi_get_cf(keys.clone()));
    assert_eq!(old[146].as_deref(), Some("one 3"));
    assert_eq!(old, texts(db.multi_get_cf_opt(keys, &then.read_options())));
    assert!(db.multi_get_cf::<&str>([]).is_empty());
}

/// A key whose family cannot be read fails alone; a snapshot of another database fails all.
#[test]
fn each_key_has_its_own_error() {
    let (db, other) = (memory(), memory());
    let (kept, gone) = (db.create_cf("kept").unwrap(), db.create_cf("gone").unwrap());
    let foreign = other.create_cf("kept").unwrap();
    kept.put("k", "v").unwrap();
    db.drop_cf("gone").unwrap();
    let found = db.multi_get_cf([(&gone, "k"), (&kept, "k"), (&foreign, "k")]);
    assert_eq!(found[0].as_ref().unwrap_err().kind(), ErrorKind::ColumnFamilyDropped);
    assert_eq!(found[1].as_ref().unwrap().as_ref().unwrap(), "v");
    assert_eq!(found[2].as_ref().unwrap_err().kind(), ErrorKind::InvalidArgument);
    let elsewhere = other.snapshot().read_options();
    let found = db.multi_get_cf_opt([(&kept, "k"), (&kept, "l")], &elsewhere);
    assert!(found.len() == 2 && found.iter().all(Result::is_err));
}

#[test]
fn the_limit_of_bytes_counts_all_families() {
    let db = memory();
    let (one, two) = (db.create_cf("one").unwrap(), db.create_cf("two").unwrap());
    for cf in [&one, &two] {
        cf.put("a", [1; 60]).unwrap();
        cf.put("b", [1; 60]).unwrap();
    }
    let keys = [(&one, "a"), (&one, "b"), (&two, "a"), (&two, "b")];
    let found = |bytes: u64| {
        let options = ReadOptions::new().value_size_soft_limit(bytes);
        db.multi_get_cf_opt(keys, &options).iter().filter(|value| value.is_ok()).count()
    };
    assert_eq!([found(50), found(100), found(150), found(200), found(1000)], [1, 2, 3, 4, 4]);
}

/// Two families that change together, while memtables are switched.
#[test]
fn all_families_show_one_state() {
    let db = memory();
    let (one, two) = (db.create_cf("one").unwrap(), db.create_cf("two").unwrap());
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for n in 0..20_000_u32 {
                let mut batch = WriteBatch::new();
                batch.put_cf(&one, "n", n.to_be_bytes()).put_cf(&two, "n", n.to_be_bytes());
                db.write(batch).unwrap();
                if n % 100 == 0 {
                    [&one, &two][n as usize / 100 % 2].flush().unwrap();
                }
            }
            stop.store(true, Ordering::Release);
        });
        while !stop.load(Ordering::Acquire) {
            let found = db.multi_get_cf([(&one, "n"), (&two, "n")]);
            let found: Vec<_> = found.into_iter().map(Result::unwrap).collect();
            assert_eq!(found[0], found[1]);
        }
    });
}

#[test]
fn variants_with_families_and_options_agree() {
    let db: Db = memory();
    let cf = db.create_cf("cf").unwrap();
    cf.put("k", "old").unwrap();
    db.put("k", "default").unwrap();
    let then = ReadOptions::new().snapshot(&db.snapshot());
    cf.put("k", "newer").unwrap();
    db.delete("k").unwrap();
    let len = |value: &[u8]| value.len();
    assert_eq!(db.get_with_cf(&cf, "k", len).unwrap(), Some(5));
    assert_eq!(cf.get_with_opt("k", &then, len).unwrap(), Some(3));
    assert_eq!(db.get_with_opt("k", &then, len).unwrap(), Some(7));
    assert!(db.contains_key_cf(&cf, "k").unwrap() && cf.contains_key_opt("k", &then).unwrap());
    assert!(db.contains_key_opt("k", &then).unwrap() && !db.contains_key("k").unwrap());
    let foreign = memory().snapshot().read_options();
    assert!(
        db.contains_key_opt("k", &foreign).is_err() && cf.contains_key_opt("k", &foreign).is_err()
    );
}
