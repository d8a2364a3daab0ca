//! Tests of the encodings that one string holds: listpacks, ziplists, zipmaps and intsets.

use fastrand::Rng;

use super::listpack::{self, Element};
use super::{intset, ziplist, zipmap};
use crate::testing::{fuzz_rounds, mutate};

/// Integers around every change of an encoding's width, and strings around every change of a length's.
fn elements() -> Vec<Vec<u8>> {
    let edges = [0, 12, 13, 127, 128, 4095, 4096, 1 << 15, 1 << 23, 1 << 31, i64::MAX];
    let integers = edges.into_iter().flat_map(|edge| {
        [edge - 1, edge, -edge, -edge - 1].map(|value| value.to_string().into_bytes())
    });
    let lengths = [0, 1, 63, 64, 120, 127, 253, 254, 4095, 4096, 16_383, 16_384, 70_000];
    let texts = lengths.into_iter().map(|length| b"x".repeat(length));
    integers.chain(texts).collect()
}

fn packed(elements: &[Vec<u8>]) -> Vec<u8> {
    let mut builder = listpack::Builder::new();
    elements.iter().for_each(|element| builder.push(element));
    builder.finish()
}

/// Returns the ziplist of elements. Integers have the shortest encoding, as in Redis.
fn zipped(elements: &[Vec<u8>]) -> Vec<u8> {
    let (mut entries, mut previous, mut last) = (Vec::new(), 0usize, 10);
    for element in elements {
        last = 10 + entries.len();
        let start = entries.len();
        if previous < 254 {
            entries.push(previous as u8);
        } else {
            entries.push(254);
            entries.extend((previous as u32).to_le_bytes());
        }
        match crate::text::integer::parse(element) {
            Some(value) => zip_integer(&mut entries, value),
            None => {
                match element.len() {
                    length @ 0..64 => entries.push(length as u8),
                    length @ 64..16_384 => {
                        entries.extend((length as u16 | 0x4000).to_be_bytes());
                    }
                    length => {
                        entries.push(0x80);
                        entries.extend((length as u32).to_be_bytes());
                    }
                }
                entries.extend(element);
            }
        }
        previous = entries.len() - start;
    }
    let mut bytes = (entries.len() as u32 + 11).to_le_bytes().to_vec();
    bytes.extend((last as u32).to_le_bytes());
    bytes.extend((elements.len() as u16).to_le_bytes());
    bytes.extend(entries);
    bytes.push(0xff);
    bytes
}

fn zip_integer(out: &mut Vec<u8>, value: i64) {
    let (encoding, size) = match value {
        0..13 => return out.push(0xf1 + value as u8),
        -0x80..0x80 => (0xfe, 1),
        -0x8000..0x8000 => (0xc0, 2),
        -0x80_0000..0x80_0000 => (0xf0, 3),
        -0x8000_0000..0x8000_0000 => (0xd0, 4),
        _ => (0xe0, 8),
    };
    out.push(encoding);
    out.extend(&value.to_le_bytes()[..size]);
}

fn owned(elements: Vec<Element<'_>>) -> Vec<Vec<u8>> {
    elements.into_iter().map(|element| element.bytes().into_owned()).collect()
}

#[test]
fn all_widths_come_back() {
    let elements = elements();
    assert_eq!(owned(listpack::read(&packed(&elements)).unwrap()), elements);
    assert_eq!(owned(ziplist::read(&zipped(&elements)).unwrap()), elements);
    let many = vec![b"1".to_vec(); 70_000];
    assert_eq!(listpack::read(&packed(&many)).unwrap().len(), 70_000);
    for members in [&[-5, 5, 300][..], &[-1, 70_000], &[i64::MIN, 0, i64::MAX]] {
        assert_eq!(intset::read(&intset::write(members)).unwrap(), members);
    }
}

#[test]
fn every_truncation_is_refused() {
    let elements = &elements()[..50];
    let (packed, zipped) = (packed(elements), zipped(elements));
    for end in 0..packed.len() {
        assert!(listpack::read(&packed[..end]).is_err(), "{end}");
    }
    for end in 0..zipped.len() {
        assert!(ziplist::read(&zipped[..end]).is_err(), "{end}");
    }
}

/// Mutates one kind of blob and counts what is still accepted.
fn fuzz(seed: u64, blobs: &[Vec<u8>], read: impl Fn(&[u8]) -> bool) {
    let mut random = Rng::with_seed(seed);
    let mut accepted = 0;
    for _ in 0..fuzz_rounds() {
        let mut blob = blobs[random.usize(..blobs.len())].clone();
        mutate(&mut random, &mut blob);
        accepted += usize::from(read(&blob));
    }
    assert!(accepted > 0, "the mutations reach nothing");
}

#[test]
fn damaged_blobs_never_panic() {
    let elements = elements();
    let parts: Vec<&[Vec<u8>]> = elements[..52].chunks(7).collect();
    let listpacks: Vec<_> = parts.iter().map(|part| packed(part)).collect();
    let ziplists: Vec<_> = parts.iter().map(|part| zipped(part)).collect();
    let intsets = [&[1, 2, 3][..], &[-70_000, 5, 1 << 20], &[i64::MIN, 7]].map(intset::write);
    let zipmaps = [
        b"\x02\x03foo\x03\x02bar..\x05hello\x05\x00world\xff".to_vec(),
        b"\xfe\xfe\x03\0\0\0foo\xfe\x03\0\0\0\x00bar\x00\x00\x00\xff".to_vec(),
    ];
    fuzz(1, &listpacks, |blob| listpack::read(blob).is_ok());
    fuzz(2, &ziplists, |blob| ziplist::read(blob).is_ok());
    fuzz(3, &intsets, |blob| intset::read(blob).is_ok());
    fuzz(4, &zipmaps, |blob| zipmap::read(blob).is_ok());
}
