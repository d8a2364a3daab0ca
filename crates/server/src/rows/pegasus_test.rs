use super::*;

#[test]
fn keys_are_byte_exact() {
    assert_eq!(key(b"h1", b"s1"), b"\0\x02h1s1");
    assert_eq!(key(b"", b""), b"\0\0");
    let long = vec![b'x'; HASH_KEY_MAX];
    let longest = key(&long, b"s");
    assert_eq!(longest[..2], [0xff, 0xfe]);
    assert_eq!(split_key(&longest), Some((&long[..], &b"s"[..])));
    assert_eq!(split_key(b"\0\x02h1s1"), Some((&b"h1"[..], &b"s1"[..])));
    assert_eq!(split_key(b"\0\0"), Some((&b""[..], &b""[..])));
    for bad in [&b""[..], b"\0", b"\0\x01", b"\0\x03ab", b"\xff\xff"] {
        assert_eq!(split_key(bad), None, "{bad:?}");
    }
    assert_eq!(split_key(&[0xff; 70_000]), None, "the reserved length");
}

#[test]
fn keys_are_ordered_by_length_hash_key_and_sort_key() {
    let keys = [
        key(b"", b"z"),
        key(b"a", b""),
        key(b"a", b"b"),
        key(b"b", b""),
        key(b"aa", b""),
        key(&[b'a'; 256], b""),
    ];
    assert!(keys.is_sorted());
}

#[test]
fn the_end_of_a_prefix_carries_into_the_length() {
    assert_eq!(after_prefix(&key(b"a", b"")).unwrap(), b"\0\x01b");
    assert_eq!(after_prefix(&key(b"\xff", b"")).unwrap(), b"\0\x02");
    assert_eq!(after_prefix(&key(b"a", b"s\xff")).unwrap(), b"\0\x01at");
    assert_eq!(after_prefix(b"\0\xff\xff").unwrap(), b"\x01");
    assert_eq!(after_prefix(b"\xff\xff"), None);
    assert_eq!(after_prefix(b""), None);
}

#[test]
fn values_are_byte_exact() {
    let value = Value { expiry: 0x0102_0304, timetag: 0x1122_3344_5566_7788, data: b"data" };
    let (mut v0, mut v1) = (Vec::new(), Vec::new());
    Version::V0.write(value, &mut v0);
    Version::V1.write(value, &mut v1);
    assert_eq!(v0, b"\x01\x02\x03\x04data");
    assert_eq!(v1, b"\x01\x02\x03\x04\x11\x22\x33\x44\x55\x66\x77\x88data");
    assert_eq!(Version::V0.read(&v0), Some(Value { timetag: 0, ..value }));
    assert_eq!(Version::V1.read(&v1), Some(value));
    let v2 = [&[0x82], &v1[..]].concat();
    for version in [Version::V0, Version::V1] {
        assert_eq!(version.read(&v2), Some(value), "version 2 says so itself");
    }
}

#[test]
fn rows_of_a_hash_key_share_their_beginning() {
    for hash_key in [&b""[..], b"h", b"h\0", b"\xff\xff"] {
        let prefix = key(hash_key, b"");
        for sort_key in [&b""[..], b"s", b"\xff"] {
            assert_eq!(hash_key_prefix(&key(hash_key, sort_key)), Some(&prefix[..]));
        }
        assert_eq!(hash_key_prefix(&prefix[..prefix.len() - 1]), None);
    }
    assert_eq!(hash_key_prefix(&[0xff; 70_000]), None, "the end of a full scan");
}

#[test]
fn damaged_values_are_refused() {
    assert_eq!(Version::V0.read(b"\0\0\0"), None);
    assert_eq!(Version::V1.read(b"\0\0\0\0\0\0\0\0\0\0\0"), None);
    assert_eq!(Version::V1.read(b"\x83\0\0\0\0\0\0\0\0\0\0\0\0"), None, "an unknown version");
    assert_eq!(Version::V1.read(b"\x82\0\0\0\0\0\0\0\0\0\0\0"), None);
    assert_eq!(Version::V1.read(b""), None);
    let empty = Value { expiry: 0, timetag: 0, data: b"" };
    assert_eq!(Version::V1.read(&[0; 12]), Some(empty));
    assert_eq!(Version::V0.read(&[0; 4]), Some(empty));
}

#[test]
fn time() {
    assert_eq!(expiry_clock(EPOCH_UNIX_SECONDS + 7), 7);
    assert_eq!(expiry_clock(0), 0);
    assert_eq!(expiry_clock(u64::MAX), EXPIRY_MAX);
    assert!(!is_expired(0, 9) && !is_expired(10, 9) && is_expired(9, 9) && is_expired(8, 9));
    assert_eq!(timetag(0x0012_3456_789a_bcde, 0x55, true), 0x1234_5678_9abc_deab);
}
