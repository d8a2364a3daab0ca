use super::*;
use crate::rows::pegasus::key;

const NOW: u32 = 1000;

fn rules(version: Version) -> Rules {
    Rules { version, content: Content::Table, only: None, now: NOW, partitions: 8 }
}

fn stored(expiry: u32, timetag: u64, data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    Version::V1.write(Value { expiry, timetag, data }, &mut out);
    out
}

#[test]
fn values_of_all_versions_become_version_1() {
    let place = partition_of(partition_hash(b"h", b"s"), 8);
    let mut out = Vec::new();
    let v0 = [&2000_u32.to_be_bytes()[..], b"data"].concat();
    let v1 = stored(2000, 77, b"data");
    let v2 = [&[0x82][..], &v1].concat();
    for (version, value, timetag) in [
        (Version::V0, &v0, 0),
        (Version::V1, &v1, 77),
        (Version::V0, &v2, 77),
        (Version::V1, &v2, 77),
    ] {
        let fate = rules(version).apply(&key(b"h", b"s"), value, &mut out);
        assert_eq!(fate, Ok(Fate::Load(place)), "{version:?}");
        assert_eq!(out, stored(2000, timetag, b"data"), "{version:?}");
    }
}

#[test]
fn expired_rows_and_those_of_other_partitions_are_left_out() {
    let (rules, mut out) = (rules(Version::V1), Vec::new());
    let row = key(b"h", b"s");
    for (expiry, expected) in [(NOW - 1, true), (NOW, true), (NOW + 1, false), (0, false)] {
        let fate = rules.apply(&row, &stored(expiry, 0, b""), &mut out).unwrap();
        assert_eq!(fate == Fate::Expired, expected, "{expiry}");
    }
    let here = partition_of(partition_hash(b"h", b"s"), 16);
    for index in 0..16 {
        let rules = Rules { only: Some((index, 16)), ..rules };
        let fate = rules.apply(&row, &stored(0, 0, b""), &mut out).unwrap();
        assert_eq!(fate == Fate::Foreign, index != here, "{index}");
    }
    // An empty hash key: the sort key is hashed.
    let place = partition_of(partition_hash(b"", b"sort"), 8);
    let fate = rules.apply(&key(b"", b"sort"), &stored(0, 0, b""), &mut out);
    assert_eq!(fate, Ok(Fate::Load(place)));
}

#[test]
fn keys_and_values_of_another_form_are_refused() {
    let (rules, mut out) = (rules(Version::V1), Vec::new());
    let value = stored(0, 0, b"");
    for (key, expected) in [
        (&b""[..], "a key of at least 2 bytes, found 0"),
        (b"\0", "a key of at least 2 bytes, found 1"),
        (b"\0\x05abc", "a hash key of 5 bytes, as the key's first 2 bytes say, found 3"),
        (b"\xff\xffabc", "a hash key of at most 65534 bytes"),
    ] {
        let error = rules.apply(key, &value, &mut out).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
    // What Pegasus writes for a write without effect.
    let checkpoint = Rules { content: Content::Checkpoint, ..rules };
    assert_eq!(checkpoint.apply(b"", &value, &mut out), Ok(Fate::Nothing));
    for (value, expected) in [
        (&b"\0\0\0\0\0\0\0\0\0\0\0"[..], "at least 12 bytes of value in version 1, found 11"),
        (b"\x83\0\0\0\0\0\0\0\0\0\0\0\0", "version 0, 1 or 2, found version 3"),
        (b"\x82\0\0\0\0", "at least 13 bytes of value, found 5"),
        (b"", "at least 12 bytes of value in version 1, found 0"),
    ] {
        let error = rules.apply(&key(b"h", b""), value, &mut out).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
    let far = [&[0x82, 0x90][..], &[0; 11]].concat();
    let error = rules.apply(&key(b"h", b""), &far, &mut out).unwrap_err();
    assert!(error.contains("an expiry up to"), "{error}");
}
