use super::*;
use crate::options::PlainTableEncoding::{Plain, Prefix};

fn trailer_of(seq: u64) -> u64 {
    pack_trailer(seq, ValueType::Value)
}

#[test]
fn rows_round_trip_at_all_lengths() {
    for (encoding, fixed) in [(Plain, false), (Plain, true), (Prefix, false), (Prefix, true)] {
        for len in [1usize, 2, 62, 63, 64, 127, 128, 200, 20_000] {
            for prefix_len in [0, 1, len / 2, len] {
                let user_key_len = if fixed { len } else { 0 };
                let format = RowFormat { user_key_len, encoding };
                let mut writer = RowWriter::new(format, 3);
                let mut bytes = Vec::new();
                let keys: Vec<Vec<u8>> = (0..7u8)
                    .map(|i| {
                        let mut key = vec![b'k'; len];
                        key[len - 1] = i;
                        key
                    })
                    .collect();
                for (i, key) in keys.iter().enumerate() {
                    let before = bytes.len();
                    let value = vec![b'v'; 70 * i];
                    writer.put(&mut bytes, key, &key[..prefix_len], trailer_of(i as u64), &value);
                    let max = RowWriter::max_len(key.len() + TRAILER_SIZE, value.len());
                    assert!((bytes.len() - before) as u64 <= max);
                }
                let (mut at, mut state) = (0, SharedPrefix::default());
                for (i, key) in keys.iter().enumerate() {
                    let row = Row::read(&bytes, format, &mut state, at).unwrap();
                    assert!(row.is_key(key));
                    assert!(!row.is_key(b"other") && !row.is_key(&key[..len - 1]));
                    assert_eq!(row.compare_user(&KeyOrder::bytewise(), key), Ordering::Equal);
                    assert_eq!(row.trailer, trailer_of(i as u64));
                    assert_eq!(row.value.len(), 70 * i);
                    let changes = prefix_len == len;
                    let full = encoding == Plain || i % 3 == 0 || changes;
                    assert_eq!((row.full, row.shared.is_empty()), (full, full || prefix_len == 0));
                    if row.contiguous {
                        let key = &bytes[row.rest_at..row.rest_at + len + TRAILER_SIZE];
                        assert_eq!(key[len..], trailer_of(i as u64).to_le_bytes());
                    }
                    at = row.next;
                }
                assert_eq!(at, bytes.len());
            }
        }
    }
}

#[test]
fn compare_in_two_pieces_is_compare_in_one() {
    let keys: &[&[u8]] = &[b"", b"a", b"aa", b"ab", b"abc", b"abd", b"b", b"ba"];
    for a in keys {
        for cut in 0..=a.len() {
            let row = Row {
                shared: &a[..cut],
                rest: &a[cut..],
                rest_at: 0,
                trailer: 0,
                contiguous: false,
                full: false,
                value: &[],
                next: 0,
            };
            for b in keys {
                assert_eq!(row.compare_user(&KeyOrder::bytewise(), b), a.cmp(b), "{a:?} {b:?}");
                assert_eq!(row.is_key(b), a == b);
            }
        }
    }
}

#[test]
fn bad_rows_say_why() {
    let plain = RowFormat { user_key_len: 0, encoding: Plain };
    let prefix = RowFormat { user_key_len: 0, encoding: Prefix };
    let read = |bytes: &[u8], format| {
        Row::read(bytes, format, &mut SharedPrefix::default(), 0).map(|r| r.next).unwrap_err()
    };
    assert_eq!(read(b"", plain), BadRow::KeyLength);
    assert_eq!(read(&[0xFF; 6], plain), BadRow::KeyLength);
    assert_eq!(read(b"\x05abc", plain), BadRow::Key);
    assert_eq!(read(b"\x01a\x01\0\0", plain), BadRow::Trailer);
    assert_eq!(read(b"\x01a\xFF", plain), BadRow::ValueLength);
    assert_eq!(read(b"\x01a\xFF\x02v", plain), BadRow::Value);
    assert_eq!(read(b"\xC1a\xFF\x00", prefix), BadRow::Flag);
    assert_eq!(read(b"\x41\x01a\xFF\x00", prefix), BadRow::SharedLength);
    assert_eq!(read(b"\x40\x01a\xFF\x00", prefix), BadRow::Flag);
    assert_eq!(read(b"\x3F\xFF", prefix), BadRow::KeyLength);
}
