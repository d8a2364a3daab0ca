//! Both codecs of Zstandard in one build: each reads what the other writes, and both refuse damaged frames.

use super::*;
use crate::compress::Dictionary;

type Compress = fn(Settings, &[u8], Option<Prepared<'_>>, &mut Vec<u8>) -> Result<()>;
type Decompress = fn(&[u8], &mut [u8], Option<Prepared<'_>>) -> Result<usize>;
type Train = fn(&[u8], &[usize], usize) -> Option<Vec<u8>>;
type Finalize = fn(&[u8], &[u8], &[usize], usize, i32) -> Option<Vec<u8>>;

/// A codec's functions.
struct Side {
    name: &'static str,
    compress: Compress,
    decompress: Decompress,
    decompress_frame: fn(&[u8]) -> Result<Vec<u8>>,
    train: Train,
    finalize: Finalize,
}

const SIDES: [Side; 2] = [
    Side {
        name: "Rust",
        compress: rust::compress,
        decompress: rust::decompress,
        decompress_frame: rust::decompress_frame,
        train: rust::train,
        finalize: rust::finalize,
    },
    Side {
        name: "C",
        compress: c::compress,
        decompress: c::decompress,
        decompress_frame: c::decompress_frame,
        train: c::train,
        finalize: c::finalize,
    },
];

fn settings(level: i32, checksum: bool, dict: Option<&Dictionary>) -> Settings {
    Settings { level, checksum, dictionary: dict.map_or(0, |d| d.for_zstd().forms.identity) }
}

impl Side {
    fn write(&self, settings: Settings, raw: &[u8], dict: Option<&Dictionary>) -> Vec<u8> {
        let mut out = b"before".to_vec();
        (self.compress)(settings, raw, dict.map(Dictionary::for_zstd), &mut out).unwrap();
        assert_eq!(&out[..6], b"before", "{} appends", self.name);
        out.split_off(6)
    }

    fn read(&self, frame: &[u8], len: usize, dict: Option<&Dictionary>) -> Result<Vec<u8>> {
        let mut raw = vec![0; len];
        let n = (self.decompress)(frame, &mut raw, dict.map(Dictionary::for_zstd))?;
        raw.truncate(n);
        Ok(raw)
    }
}

/// Similar records of about 60 bytes.
fn records(first: usize, count: usize) -> Vec<u8> {
    let line =
        |i: usize| format!("{{\"user\":{i},\"city\":\"Utrecht\",\"score\":{}}}\n", i * 37 % 991);
    (first..first + count).flat_map(|i| line(i).into_bytes()).collect()
}

fn noise(len: usize) -> Vec<u8> {
    let mut rng = fastrand::Rng::with_seed(3);
    (0..len).map(|_| rng.u8(..)).collect()
}

#[test]
fn each_codec_reads_the_other_ones_frames() {
    let raws = [
        Vec::new(),
        b"a".to_vec(),
        records(0, 60),
        records(0, 4000),
        noise(5000),
        vec![7; 200_000],
    ];
    for raw in &raws {
        for (level, checksum) in
            [(3, false), (3, true), (-5, false), (1, false), (9, true), (19, false)]
        {
            for writer in &SIDES {
                let frame = writer.write(settings(level, checksum, None), raw, None);
                // RocksDB needs neither, but writes both as the library does by default.
                let size = zstd_safe::get_frame_content_size(&frame).unwrap();
                assert_eq!(size, Some(raw.len() as u64), "{} at {level}", writer.name);
                assert_eq!(frame[4] & 4 != 0, checksum, "the flag of a checksum");
                for reader in &SIDES {
                    let what = format!("{} reads {} at {level}", reader.name, writer.name);
                    assert_eq!(&reader.read(&frame, raw.len(), None).expect(&what), raw, "{what}");
                    assert_eq!(&(reader.decompress_frame)(&frame).expect(&what), raw, "{what}");
                    assert!(raw.is_empty() || reader.read(&frame, raw.len() - 1, None).is_err());
                }
            }
        }
    }
}

#[test]
fn each_codec_uses_the_other_ones_dictionaries() {
    let samples = records(0, 1000);
    let lengths: Vec<usize> = samples.split_inclusive(|&b| b == b'\n').map(<[u8]>::len).collect();
    let raw = records(5000, 8);
    let mut dictionaries = vec![("samples", samples[..4000].to_vec())];
    for side in &SIDES {
        let trained = (side.train)(&samples, &lengths, 4096).unwrap();
        let finalized = (side.finalize)(&samples[..4000], &samples, &lengths, 4096, 3).unwrap();
        for (made, bytes) in [("trained", trained), ("finalized", finalized)] {
            assert!(bytes.len() <= 4096, "{made} by {}", side.name);
            assert!(bytes.starts_with(&0xEC30_A437_u32.to_le_bytes()), "{made} by {}", side.name);
            dictionaries.push((made, bytes));
        }
    }
    for (made, bytes) in dictionaries {
        let dict = Dictionary::new(bytes);
        for writer in &SIDES {
            for level in [1, 3, 12] {
                let alone = writer.write(settings(level, false, None), &raw, None);
                let frame = writer.write(settings(level, true, Some(&dict)), &raw, Some(&dict));
                let (with, without) = (frame.len(), alone.len());
                assert!(with < without, "{made}, {} at {level}: {with}, {without}", writer.name);
                for reader in &SIDES {
                    let what = format!("{} reads {}, {made}, {level}", reader.name, writer.name);
                    let read = reader.read(&frame, raw.len(), Some(&dict));
                    assert_eq!(read.expect(&what), raw, "{what}");
                    assert!(reader.read(&frame, raw.len(), None).is_err(), "{what}");
                    assert_eq!(reader.read(&alone, raw.len(), None).expect(&what), raw, "{what}");
                }
            }
        }
    }
}

#[test]
fn dictionaries_that_cannot_be_made_or_parsed_are_no_panic() {
    let samples = records(0, 100);
    let mut broken = 0xEC30_A437_u32.to_le_bytes().to_vec();
    broken.extend(noise(500));
    let broken = Dictionary::new(broken);
    for side in &SIDES {
        assert!((side.train)(b"abc", &[3], 4096).is_none(), "{}: too little", side.name);
        assert!((side.train)(&samples, &[10, usize::MAX], 4096).is_none(), "{}", side.name);
        assert!((side.finalize)(&samples, &samples, &[1, 2], 4096, 3).is_none(), "{}", side.name);
        assert!(
            (side.finalize)(b"abc", &samples, &[samples.len()], 8, 3).is_none(),
            "{}",
            side.name
        );
        let frame = side.write(settings(3, false, None), &samples, None);
        let e = side.read(&frame, samples.len(), Some(&broken)).unwrap_err();
        assert!(e.is_corruption() && e.message().starts_with("ZSTD dictionary: "), "{e}");
        let keyed = settings(3, false, Some(&broken));
        let made = (side.compress)(keyed, &samples, Some(broken.for_zstd()), &mut Vec::new());
        assert!(made.unwrap_err().is_corruption(), "{}", side.name);
    }
}

#[test]
fn damaged_frames_fail_in_both_codecs() {
    let raw = records(0, 300);
    let mut rng = fastrand::Rng::with_seed(23);
    for writer in &SIDES {
        let frame = writer.write(settings(3, true, None), &raw, None);
        for reader in &SIDES {
            for cut in 1..frame.len() {
                assert!(reader.read(&frame[..cut], raw.len(), None).is_err(), "{}", reader.name);
                assert!((reader.decompress_frame)(&frame[..cut]).is_err(), "{}", reader.name);
            }
            for _ in 0..3000 {
                let mut bad = frame.clone();
                for _ in 0..rng.usize(1..4) {
                    let at = rng.usize(..bad.len());
                    bad[at] = rng.u8(..);
                }
                // The checksum finds what the decoder does not.
                if let Ok(read) = reader.read(&bad, raw.len(), None) {
                    assert!(bad[4] & 4 == 0 || read == raw, "{}", reader.name);
                }
                if let Ok(read) = (reader.decompress_frame)(&bad) {
                    assert!(read.len() <= bad.len() * MAX_RATIO);
                }
            }
            // A context that failed is not used again.
            assert_eq!(reader.read(&frame, raw.len(), None).unwrap(), raw);
        }
    }
}

#[test]
fn frames_without_a_size_are_read() {
    // As a stream writes them: the header has a window and no size.
    let raw = [records(0, 20_000), noise(200_000)].concat();
    let mut encoder = zstd_safe::CCtx::create();
    let mut frame = Vec::with_capacity(zstd_safe::compress_bound(raw.len()));
    let mut output = zstd_safe::OutBuffer::around(&mut frame);
    let mut input = zstd_safe::InBuffer::around(&raw);
    while input.pos() < raw.len() {
        encoder.compress_stream(&mut output, &mut input).unwrap();
    }
    while encoder.end_stream(&mut output).unwrap() > 0 {}
    assert_eq!(zstd_safe::get_frame_content_size(&frame).unwrap(), None);
    for reader in &SIDES {
        assert_eq!((reader.decompress_frame)(&frame).unwrap(), raw, "{}", reader.name);
        for cut in [3, 5, 9, 1000, frame.len() - 1] {
            assert!((reader.decompress_frame)(&frame[..cut]).is_err(), "{} {cut}", reader.name);
        }
    }
    // Headers that claim a window of 64 MiB, and a size of 2^63 bytes, before an empty block.
    let magic = 0xFD2F_B528_u32.to_le_bytes();
    let window = [&magic[..], &[0x00, 0x80, 1, 0, 0]].concat();
    assert_eq!(c::decompress_frame(&window).unwrap(), b"");
    let size = [&magic[..], &[0xE0, 0, 0, 0, 0, 0, 0, 0, 0x80, 1, 0, 0]].concat();
    for reader in &SIDES {
        assert!((reader.decompress_frame)(&size).is_err(), "{}", reader.name);
    }
}

#[test]
fn contexts_follow_the_settings_of_each_call() {
    let raw = records(0, 2000);
    let dict = Dictionary::new(records(0, 50));
    for side in &SIDES {
        let first = side.write(settings(1, false, None), &raw, None);
        let with = side.write(settings(19, true, Some(&dict)), &raw, Some(&dict));
        let again = side.write(settings(1, false, None), &raw, None);
        assert_eq!(first, again, "{}: nothing is left of the other settings", side.name);
        assert!(with.len() < first.len(), "{}", side.name);
        let others = Dictionary::new(noise(3000));
        let other = side.write(settings(19, true, Some(&others)), &raw, Some(&others));
        assert_eq!(side.read(&other, raw.len(), Some(&others)).unwrap(), raw, "{}", side.name);
    }
}
