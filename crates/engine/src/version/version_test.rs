use super::*;
use crate::base::InternalIterator;
use crate::version::OpenTables;
use crate::version::testing::{Tables, file, ikey, shared};
use crate::version::{VersionBuilder, VersionEdit};
use std::path::Path;

fn version(files: &[(usize, Arc<FileMeta>)]) -> Version {
    let base = Arc::new(Version::empty(KeyOrder::bytewise(), 7));
    let mut builder = VersionBuilder::new(base);
    let edit = VersionEdit { new_files: files.to_vec(), ..VersionEdit::default() };
    builder.apply(&edit).unwrap();
    builder.build().unwrap().version
}

fn numbers(files: &[Arc<FileMeta>]) -> Vec<u64> {
    files.iter().map(|f| f.number).collect()
}

#[test]
fn level_0_inputs_grow_until_nothing_overlaps() {
    let v = version(&[
        (0, shared(1, ("a", "c"), (1, 2))),
        (0, shared(2, ("b", "f"), (3, 4))),
        (0, shared(3, ("e", "h"), (5, 6))),
        (0, shared(4, ("x", "z"), (7, 8))),
    ]);
    let inputs = |b: &str, e: &str| {
        numbers(&v.overlapping_inputs(0, Some(b.as_bytes()), Some(e.as_bytes())))
    };
    assert_eq!(inputs("a", "a"), [3, 2, 1], "1 pulls in 2, 2 pulls in 3");
    assert_eq!(inputs("x", "x"), [4]);
    assert_eq!(inputs("i", "w"), [0; 0]);
    assert_eq!(numbers(&v.overlapping_inputs(0, None, None)), [4, 3, 2, 1]);
    assert!(v.overlaps(0, Some(b"h"), Some(b"i")) && !v.overlaps(0, Some(b"i"), Some(b"w")));
}

#[test]
fn sorted_levels_give_a_range() {
    let v = version(&[
        (2, shared(1, ("a", "c"), (1, 2))),
        (2, shared(2, ("e", "g"), (1, 2))),
        (2, shared(3, ("i", "k"), (1, 2))),
    ]);
    assert_eq!(numbers(&v.overlapping_inputs(2, Some(b"c"), Some(b"e"))), [1, 2]);
    assert_eq!(numbers(&v.overlapping_inputs(2, Some(b"d"), Some(b"d"))), [0; 0]);
    assert_eq!(numbers(&v.overlapping_inputs(2, Some(b"h"), None)), [3]);
    assert_eq!(numbers(&v.overlapping_inputs(2, None, Some(b"b"))), [1]);
    assert!(!v.overlaps(1, None, None) && v.overlaps(2, None, None));
    assert_eq!(v.find(3).map(|(level, f)| (level, f.number)), Some((2, 3)));
    assert!(v.find(9).is_none());
}

#[test]
fn deeper_keys_follow_ascending_keys() {
    let v = version(&[
        (1, shared(1, ("a", "z"), (5, 6))),
        (2, shared(2, ("c", "e"), (1, 2))),
        (2, shared(3, ("k", "m"), (1, 2))),
        (5, Arc::new(file(4, ("d", "l"), (0, 0)))),
    ]);
    let mut below_1 = v.deeper_keys(1);
    let seen: String =
        ('a'..='z').filter(|c| below_1.may_contain(c.to_string().as_bytes())).collect();
    assert_eq!(seen, "cdefghijklm");
    let mut below_2 = v.deeper_keys(2);
    let seen: String =
        ('a'..='z').filter(|c| below_2.may_contain(c.to_string().as_bytes())).collect();
    assert_eq!(seen, "defghijkl");
    assert!(!v.deeper_keys(6).may_contain(b"d"));
}

/// Random versions with several entries per key, distributed over all levels as in a real tree:
/// newer entries on upper levels.
fn random_tree(tables: &Tables, rng: &mut fastrand::Rng) -> (Version, Model) {
    let mut model = Model::new();
    let mut files = Vec::new();
    let (mut number, mut seq) = (1, 1);
    for (level, count) in [(6, 4), (3, 2), (0, 1), (0, 1), (0, 1)] {
        let mut keys: Vec<String> = (0..30).map(|_| format!("key{:03}", rng.u32(..120))).collect();
        keys.sort();
        keys.dedup();
        let mut entries = Vec::new();
        for key in &keys {
            for _ in 0..rng.u64(1..3) {
                let value = format!("{key}@{seq}").into_bytes();
                entries.push((ikey(key, seq), value.clone()));
                model.entry(key.clone()).or_default().push((seq, value));
                seq += 1;
            }
        }
        entries.sort_by(|a, b| tables.order.compare(&a.0, &b.0));
        // Cut anywhere, also between entries of one key.
        let size = entries.len().div_ceil(count);
        for part in entries.chunks(size) {
            files.push((level, Arc::new(tables.write(number, part))));
            number += 1;
        }
    }
    (version(&files), model)
}

type Model = std::collections::BTreeMap<String, Vec<(u64, Vec<u8>)>>;

fn newest<'a>(model: &'a Model, key: &str, seq: u64) -> Option<&'a [u8]> {
    let entries = model.get(key)?;
    entries.iter().rev().find(|(s, _)| *s <= seq).map(|(_, v)| &v[..])
}

#[test]
fn lookups_find_the_newest_visible_entry() {
    let mut rng = fastrand::Rng::with_seed(21);
    for round in 0..20 {
        let tables = if round % 4 < 2 { Tables::new() } else { Tables::plain() };
        let (version, model) = random_tree(&tables, &mut rng);
        let open_tables = (round % 2 == 0).then(|| Arc::new(OpenTables::new(2)));
        let cache = tables.cache(open_tables.clone());
        for n in 0..130 {
            let key = format!("key{n:03}");
            for seq in [0, rng.u64(..200), 1 << 30] {
                let lookup = LookupBuffer::new(key.as_bytes(), seq);
                let lookup = lookup.key();
                let mut ctx = GetContext::new(key.as_bytes(), None);
                version.get(&lookup, &ReadOptions::default(), &mut ctx, &cache).unwrap();
                let found = ctx.finish().unwrap();
                assert_eq!(found.as_deref(), newest(&model, &key, seq), "{key}@{seq} {version:?}");
            }
        }
        assert!(open_tables.is_none_or(|t| t.len() <= 2));
    }
}

#[test]
fn iterators_together_hold_every_entry() {
    let tables = Tables::new();
    let (version, model) = random_tree(&tables, &mut fastrand::Rng::with_seed(4));
    let mut iters = Vec::new();
    version.add_iterators(&TableIterOptions::default(), &tables.cache(None), &mut iters);
    assert_eq!(iters.len(), 5, "three files of level 0 and two levels");
    drop(version);
    let mut count = 0;
    for iter in &mut iters {
        iter.seek_to_first();
        while iter.valid() {
            count += 1;
            iter.next();
        }
        assert!(iter.status().is_ok());
    }
    assert_eq!(count, model.values().map(Vec::len).sum::<usize>());
}

#[test]
fn sizes_add_up() {
    let tables = Tables::new();
    let entries: Vec<_> = (0..500).map(|i| (ikey(format!("{i:04}"), 5), vec![b'v'; 200])).collect();
    let f = Arc::new(tables.write(1, &entries));
    let v = version(&[(1, Arc::clone(&f))]);
    let cache = tables.cache(None);
    let size =
        |a: &str, b: &str| v.approximate_size(a.as_bytes(), b.as_bytes(), -1.0, &cache).unwrap();
    assert_eq!(size("0", "9"), f.file_size);
    assert_eq!((size("9", "0"), size("5", "6"), size("0100", "0100")), (0, 0, 0));
    let part = size("0100", "0200");
    assert!((10_000..40_000).contains(&part), "{part}");
    assert!(size("0000", "0250") + size("0250", "0500") <= f.file_size);
}

#[test]
fn an_error_of_a_file_is_the_lookups_error() {
    let tables = Tables::new();
    let (version, _) = random_tree(&tables, &mut fastrand::Rng::with_seed(4));
    for name in tables.fs.list_dir(Path::new("/db")).unwrap() {
        tables.fs.truncate(&Path::new("/db").join(name), 60).unwrap();
    }
    let mut ctx = GetContext::new(b"key050", None);
    let lookup = LookupBuffer::new(b"key050", 1 << 30);
    let lookup = lookup.key();
    let e = version.get(&lookup, &ReadOptions::default(), &mut ctx, &tables.cache(None));
    let e = e.unwrap_err();
    assert!(e.is_corruption() && e.message().contains("has 60 bytes; the MANIFEST says"), "{e}");
}
