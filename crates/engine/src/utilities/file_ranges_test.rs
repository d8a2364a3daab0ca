use super::*;
use crate::base::key::pack_trailer;
use crate::base::{BytewiseComparator, KeyOrder, ValueType};
use crate::version::VersionBuilder;

fn key(user: &str) -> Vec<u8> {
    let mut key = user.as_bytes().to_vec();
    key.extend(pack_trailer(5, ValueType::Value).to_le_bytes());
    key
}

/// A version with these files on level 1.
fn version(files: &[(&str, &str)]) -> Version {
    let order = KeyOrder::new(Arc::new(BytewiseComparator));
    let mut edit = VersionEdit::for_column_family(0);
    for (i, (smallest, largest)) in files.iter().enumerate() {
        let file = FileMeta::new(i as u64 + 1, 100, key(smallest), key(largest));
        edit.add_file(1, Arc::new(file));
    }
    let mut builder = VersionBuilder::new(Arc::new(Version::empty(order, 3)));
    builder.apply(&edit).unwrap();
    builder.build().unwrap().version
}

fn within(files: &[(&str, &str)], begin: Option<&str>, end: Option<&str>, include: bool) -> String {
    let version = version(files);
    let range = (begin.map(str::as_bytes), end.map(str::as_bytes));
    files_within(&version, 1, range, include).iter().map(|f| f.number.to_string()).collect()
}

const FILES: &[(&str, &str)] = &[("a", "c"), ("d", "f"), ("g", "i"), ("k", "m")];

#[test]
fn only_files_that_lie_in_the_range_wholly_are_taken() {
    for (begin, end, include, expected) in [
        (None, None, true, "1234"),
        (Some("a"), Some("m"), true, "1234"),
        (Some("a"), Some("m"), false, "123"),
        (Some("b"), Some("l"), true, "23"),
        (Some("d"), Some("f"), true, "2"),
        (Some("d"), Some("f"), false, ""),
        (Some("e"), None, true, "34"),
        (None, Some("h"), true, "12"),
        (Some("j"), Some("j"), true, ""),
        (Some("x"), Some("z"), true, ""),
        (Some("m"), Some("a"), true, ""),
    ] {
        assert_eq!(within(FILES, begin, end, include), expected, "{begin:?} {end:?} {include}");
    }
}

#[test]
fn a_user_key_is_not_split_from_a_file_that_stays() {
    let mut version = version(&[("a", "c"), ("e", "f")]);
    let mut edit = VersionEdit::for_column_family(0);
    let mut older = b"c".to_vec();
    older.extend(pack_trailer(3, ValueType::Value).to_le_bytes());
    edit.add_file(1, Arc::new(FileMeta::new(9, 100, older, key("d"))));
    let mut builder = VersionBuilder::new(Arc::new(version));
    builder.apply(&edit).unwrap();
    version = builder.build().unwrap().version;
    let taken = |begin: Option<&'static [u8]>, end: Option<&'static [u8]>| {
        let files = files_within(&version, 1, (begin, end), true);
        files.iter().map(|f| f.number).collect::<Vec<_>>()
    };
    assert_eq!(taken(None, None), [1, 9, 2]);
    assert_eq!(taken(Some(b"b"), None), [2]);
    assert_eq!(taken(None, Some(b"c")), [] as [u64; 0]);
    assert_eq!(taken(None, Some(b"d")), [1, 9]);
}
