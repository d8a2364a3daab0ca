use super::*;
use crate::version::testing::{file, shared};
use crate::version::{VersionBuilder, VersionEdit};

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
