use super::*;

#[test]
fn heads_keep_type_encoding_and_expiry() {
    for expire_ms in [0, 1, 1_700_000_000_123, (1 << 48) - 1] {
        let head = Head { ty: Type::SortedSet, encoding: 5, expire_ms };
        let mut bytes = Vec::new();
        head.write(&mut bytes);
        bytes.extend(b"body");
        assert_eq!(Head::parse(&bytes), Some((head, &b"body"[..])));
    }
    assert_eq!(Head::parse(b""), None);
    assert_eq!(Head::parse(b"\x81abc"), None);
    assert_eq!(Head::parse(b"\x0f"), None);
}

#[test]
fn collections_keep_version_count_and_extra() {
    let head = Head { ty: Type::List, encoding: RAW, expire_ms: 77 };
    for count in [0, 127, 128, 1 << 40, u64::MAX] {
        let row = Collection { head, version: 9 << 40, count, extra: SmallVec::from_slice(b"xy") };
        let bytes = row.to_bytes();
        let (head, body) = Head::parse(&bytes).unwrap();
        assert_eq!(Collection::parse(head, body), Some(row));
    }
    assert_eq!(Collection::parse(head, b"1234567"), None);
    assert_eq!(Collection::parse(head, b"12345678\xff"), None);
}

#[test]
fn row_keys_are_parsed_as_they_are_built() {
    let row = meta_key(0x1234, b"key");
    assert_eq!(&row[..], b"M\x12\x34key");
    assert_eq!(Row::parse(&row), Some(Row::Meta { slot: 0x1234, key: b"key" }));
    let row = sub_key(DATA, 2, b"k", 3, b"field");
    assert_eq!(&row[..], b"D\0\x02\0\x01k\0\0\0\0\0\0\0\x03field");
    let expected = Row::Sub { kind: DATA, slot: 2, key: b"k", version: 3, sub: b"field" };
    assert_eq!(Row::parse(&row), Some(expected));
    for end in 0..14 {
        assert_eq!(Row::parse(&row[..end]), None, "{end}");
    }
}

#[test]
fn rows_of_a_collection_share_their_beginning() {
    for key in [&b""[..], b"k", b"k\0\x02", b"\xff\xff"] {
        let prefix = sub_prefix(SCORE, 2, key, 3);
        for sub in [&b""[..], b"m", b"\xff"] {
            let row = sub_key(SCORE, 2, key, 3, sub);
            assert_eq!(collection_of(&row), Some(&prefix[..]));
        }
        assert_eq!(collection_of(&prefix[..prefix.len() - 1]), None);
        assert_eq!(collection_of(&meta_key(2, key)), None);
    }
    assert_eq!(collection_of(b"S.name that is long enough"), None);
    assert_eq!(collection_of(b""), None);
}

#[test]
fn the_end_of_a_prefix_is_above_all_its_keys() {
    assert_eq!(&after_prefix(b"ab\xff\xff")[..], b"ac");
    assert_eq!(&after_prefix(b"ab")[..], b"ac");
}
