//! Logs of RocksDB 7.8.3 and 11.9, the complete matrix of damage and recovery modes, holes, and
//! random damage.

use super::*;
use crate::base::checksum::{crc32c, mask};
use crate::fs::mem::MemFs;
use crate::fs::{FileSystem, WritableOptions};
use crate::wal::LogWriter;
use WalRecoveryMode::*;
use serde_json::Value;
use std::path::Path;

const MODES: [WalRecoveryMode; 4] = [
    TolerateCorruptedTailRecords,
    AbsoluteConsistency,
    PointInTimeRecovery,
    SkipAnyCorruptedRecords,
];

fn vectors() -> Value {
    serde_json::from_str(include_str!("testdata/logs.json")).unwrap()
}

fn unhex(v: &Value) -> Vec<u8> {
    let digits = v["hex"].as_str().unwrap().as_bytes().chunks_exact(2);
    digits.map(|d| u8::from_str_radix(std::str::from_utf8(d).unwrap(), 16).unwrap()).collect()
}

fn file_of(bytes: &[u8]) -> Arc<dyn RandomAccessFile> {
    let (fs, path) = (MemFs::new(), Path::new("/000008.log"));
    fs.create_dir_if_missing(Path::new("/")).unwrap();
    fs.new_writable(path, WritableOptions::default()).unwrap().append(bytes).unwrap();
    fs.open_random_access(path, false).unwrap()
}

#[derive(Debug, PartialEq)]
enum Last {
    End,
    Stop(String),
    Fail(String),
}

/// Reads all records. Returns them and the outcome.
fn read_with(mut reader: LogReader, mode: WalRecoveryMode) -> (Vec<Vec<u8>>, Last) {
    let mut records = Vec::new();
    let last = loop {
        match reader.read_record(mode) {
            Ok(ReadOutcome::Record(r)) => records.push(r.to_vec()),
            Ok(ReadOutcome::End) => break Last::End,
            Ok(ReadOutcome::Stop(d)) => break Last::Stop(d.what),
            Err(e) => break Last::Fail(e.message().split(": ").next().unwrap().to_owned()),
        }
        assert!(reader.record_offset() < reader.end_offset());
    };
    // The end is final.
    assert!(matches!(reader.read_record(mode), Ok(ReadOutcome::End)));
    (records, last)
}

fn read(bytes: &[u8], mode: WalRecoveryMode) -> (Vec<Vec<u8>>, Last) {
    read_with(LogReader::wal(file_of(bytes), 8), mode)
}

#[test]
fn real_logs_are_read() {
    for (name, v) in vectors()["wal"].as_object().unwrap() {
        let number = v["file"].as_str().unwrap()[..6].parse().unwrap();
        for mode in [TolerateCorruptedTailRecords, SkipAnyCorruptedRecords] {
            let (records, last) = read_with(LogReader::wal(file_of(&unhex(v)), number), mode);
            assert_eq!(last, Last::End, "{name}");
            if name == "wal_zstd_prefix" {
                assert_eq!(records[0], b"\x01\0\0\0\0\0\0\0\x01\0\0\0\x01\x01a\x011");
                assert_eq!((records.len(), records[1].len()), (2, 100_020));
                assert!(records[1].ends_with(b"xxx"));
                continue;
            }
            let sequences: Vec<u64> =
                records.iter().map(|r| u64::from_le_bytes(r[..8].try_into().unwrap())).collect();
            let want: Vec<u64> =
                v["sequences"].as_array().unwrap().iter().map(|s| s.as_u64().unwrap()).collect();
            assert_eq!(sequences, want, "{name}");
        }
    }
    let udt = unhex(&vectors()["wal"]["wal_udt_type10"]);
    let mut reader = LogReader::wal(file_of(&udt), 8);
    reader.read_record(PointInTimeRecovery).unwrap();
    assert_eq!((reader.timestamp_sizes(), reader.record_offset()), (&[(0, 8)][..], 13));
}

/// The outcome of a recovery from these records, in the vectors' format of RocksDB's outcome.
fn recover(bytes: &[u8], mode: WalRecoveryMode) -> String {
    let (records, last) = read(bytes, mode);
    if let Last::Fail(what) = last {
        return format!("Corruption: {what}");
    }
    let (mut keys, mut last_sequence) = (Vec::new(), 0);
    for r in &records {
        // One Put per batch: sequence, count, tag, key.
        if r[8..12] != [1, 0, 0, 0] {
            return "Corruption: WriteBatch has wrong count".to_owned();
        }
        let sequence = u64::from_le_bytes(r[..8].try_into().unwrap());
        if sequence < last_sequence {
            return "backwards".to_owned();
        }
        last_sequence = sequence;
        keys.push(String::from_utf8(r[14..14 + usize::from(r[13])].to_vec()).unwrap());
    }
    let range = match (keys.first(), keys.last()) {
        (Some(first), Some(last)) => format!("{first}..{last}"),
        _ => "..".to_owned(),
    };
    format!("cf default: {} entries [{range}] OK lastseq={last_sequence}", keys.len())
}

#[test]
fn damage_is_judged_as_by_rocksdb() {
    let vectors = vectors();
    let cases = vectors["matrix"].as_object().unwrap();
    assert!(cases.len() > 25);
    for (name, case) in cases {
        for (i, mode) in MODES.into_iter().enumerate() {
            // 11.9 supports more types and does not confuse types with states of its reader. Where
            // 11.9 hangs, 7.8.3 is the reference.
            let outcome = |version: &str| {
                case["outcome"][version][format!("mode{i}")].as_str().unwrap().to_owned()
            };
            let mut want = outcome("11.9-dev");
            if want == "hangs" {
                want = outcome("7.8.3");
            }
            if want.contains("set backwards") {
                want = "backwards".to_owned();
            }
            assert_eq!(recover(&unhex(case), mode), want, "{name}, {mode:?}");
        }
    }
}

/// A log of records with these payloads, written by our writer.
pub(crate) fn log_of<'a>(payloads: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let (fs, path) = (MemFs::new(), Path::new("/000008.log"));
    fs.create_dir_if_missing(Path::new("/")).unwrap();
    let file = fs.new_writable(path, WritableOptions::default()).unwrap();
    let mut writer = LogWriter::new(file, 8);
    for p in payloads {
        writer.add_record(p).unwrap();
    }
    writer.close().unwrap();
    fs.read_file(path).unwrap()
}

fn numbered(n: usize, len: usize) -> Vec<Vec<u8>> {
    (0..n).map(|i| vec![i as u8 + 1; len]).collect()
}

#[test]
fn what_a_crash_leaves_of_a_mapped_log_is_no_corruption_and_no_hole() {
    // The last record is in one block.
    let records = numbered(12, 10_000);
    let log = log_of(records.iter().map(Vec::as_slice));
    let allocated = |mut log: Vec<u8>| {
        log.resize(1 << 20, 0);
        log
    };
    for mode in MODES {
        assert_eq!(read(&allocated(log.clone()), mode), (records.clone(), Last::End));
    }
    // Killed between payload and header: a clean end in every mode.
    let last = log.len() - 10_000 - 7;
    let mut unpublished = allocated(log.clone());
    unpublished[last..last + 7].fill(0);
    for mode in MODES {
        assert_eq!(read(&unpublished, mode), (records[..11].to_vec(), Last::End));
    }
    // Half a header: only the checksum.
    unpublished[last..last + 4].copy_from_slice(&log[last..last + 4]);
    for mode in MODES {
        assert_eq!(read(&unpublished, mode), (records[..11].to_vec(), Last::End));
    }
    // Power failure: the header is on the device, the payload is not.
    let mut torn = allocated(log.clone());
    torn[last + 7..].fill(0);
    let what = "checksum mismatch".to_owned();
    for (mode, end) in [
        (TolerateCorruptedTailRecords, Last::End),
        (AbsoluteConsistency, Last::Fail(what.clone())),
        (PointInTimeRecovery, Last::Stop(what)),
        (SkipAnyCorruptedRecords, Last::End),
    ] {
        assert_eq!(read(&torn, mode), (records[..11].to_vec(), end));
    }
    // Power failure: a page in the middle is missing, later ones are on the device.
    let mut hole = allocated(log);
    hole[10_007..30_000].fill(0);
    let what = "zeros before later records".to_owned();
    for (mode, end) in [
        (TolerateCorruptedTailRecords, Last::End),
        (AbsoluteConsistency, Last::Fail(what.clone())),
        (PointInTimeRecovery, Last::Stop(what)),
    ] {
        assert_eq!(read(&hole, mode), (records[..1].to_vec(), end));
    }
    let (salvaged, end) = read(&hole, SkipAnyCorruptedRecords);
    assert_eq!((salvaged.len(), end), (9, Last::End));
}

#[test]
fn a_record_cut_between_fragments_is_a_torn_tail() {
    let records = numbered(2, 50_000);
    let log = log_of(records.iter().map(Vec::as_slice));
    for cut in [BLOCK_SIZE * 2, BLOCK_SIZE * 3, BLOCK_SIZE * 3 + 3] {
        for (mode, whole) in MODES.map(|m| (m, records[..1].to_vec())) {
            let (got, end) = read(&log[..cut], mode);
            assert_eq!(got, whole, "{cut} {mode:?}");
            let clean = matches!(mode, TolerateCorruptedTailRecords | SkipAnyCorruptedRecords);
            assert_eq!(end == Last::End, clean, "{cut} {mode:?} {end:?}");
        }
    }
    // The same with an allocated tail, as a killed writer leaves it.
    let mut killed = log[..BLOCK_SIZE * 3].to_vec();
    killed.resize(1 << 20, 0);
    assert_eq!(read(&killed, TolerateCorruptedTailRecords), (records[..1].to_vec(), Last::End));
    let (_, end) = read(&killed, PointInTimeRecovery);
    assert_eq!(end, Last::Stop("error reading trailing data".to_owned()));
}

#[test]
fn fragments_out_of_order_are_damage() {
    let record = vec![5; 100_000];
    let log = log_of([record.as_slice()]);
    let (first, middle) = (&log[..BLOCK_SIZE], &log[BLOCK_SIZE..2 * BLOCK_SIZE]);
    let last = &log[3 * BLOCK_SIZE..];
    for (bytes, what) in [
        ([middle, last].concat(), "missing start of fragmented record"),
        ([first, first, last].concat(), "partial record without end"),
    ] {
        assert_eq!(read(&bytes, PointInTimeRecovery), (vec![], Last::Stop(what.to_owned())));
        assert_eq!(read(&bytes, AbsoluteConsistency).1, Last::Fail(what.to_owned()));
        assert_eq!(read(&bytes, TolerateCorruptedTailRecords).1, Last::Fail(what.to_owned()));
        assert_eq!(read(&bytes, SkipAnyCorruptedRecords).1, Last::End);
    }
}

#[test]
fn unknown_wal_compression_is_named() {
    let v = vectors();
    let mut log = unhex(&v["wal"]["wal_zstd_prefix"]);
    log[7] = 1;
    let crc = mask(crc32c(&log[6..11]));
    log[..4].copy_from_slice(&crc.to_le_bytes());
    let e = LogReader::wal(file_of(&log), 4).read_record(PointInTimeRecovery).unwrap_err();
    assert_eq!(e.to_string(), "Not implemented: WAL compression Snappy: /000008.log");
}

#[test]
fn random_damage_neither_panics_nor_invents_records() {
    let mut rng = fastrand::Rng::with_seed(3);
    let records: Vec<Vec<u8>> =
        (0..20).map(|i| vec![i as u8; [12, 100, 5000, 40_000][rng.usize(..4)]]).collect();
    let log = log_of(records.iter().map(Vec::as_slice));
    for round in 0..60 {
        let mut bad = log.clone();
        for _ in 0..rng.usize(1..5) {
            let at = rng.usize(..bad.len());
            match rng.u8(..4) {
                0 => bad[at] = rng.u8(..),
                1 => bad.truncate(at.max(1)),
                2 => {
                    let end = (at + rng.usize(..9000)).min(bad.len());
                    bad[at..end].fill(0);
                }
                _ => bad[at] ^= 1 << rng.u8(..8),
            }
        }
        for mode in MODES {
            let (got, _) = read(&bad, mode);
            let strict = mode != SkipAnyCorruptedRecords;
            if strict {
                assert!(records.starts_with(&got), "round {round} {mode:?}: not a prefix");
            }
            // The records are in order, and only written records are returned.
            let mut known = records.iter();
            assert!(got.iter().all(|r| known.any(|k| k == r)), "round {round} {mode:?}");
        }
    }
    for (name, v) in vectors()["wal"].as_object().unwrap() {
        let log = unhex(v);
        for _ in 0..100 {
            let mut bad = log.clone();
            let at = rng.usize(..bad.len());
            bad[at] = rng.u8(..);
            for mode in MODES {
                let unverified = LogReader::new(file_of(&bad), 4, false);
                let (got, _) = read_with(unverified, mode);
                assert!(got.len() <= log.len(), "{name}");
            }
        }
    }
}

/// Zeros that are normal in a mapped WAL after a crash are damage in a MANIFEST.
#[test]
fn zeros_in_a_manifest_are_damage() {
    let read =
        |bytes: &[u8]| read_with(LogReader::manifest(file_of(bytes)), TolerateCorruptedTailRecords);
    let payloads = numbered(3, 20_000);
    let log = log_of(payloads.iter().map(Vec::as_slice));
    let failed = |what: &str| Last::Fail(what.to_owned());
    assert_eq!(read(&log), (payloads.clone(), Last::End));
    // In the middle of a payload, and of a record in two blocks whose first part is complete.
    let mut zeros = log.clone();
    zeros[30_000..].fill(0);
    assert_eq!(read(&zeros), (payloads[..1].to_vec(), failed("checksum mismatch")));
    let mut zeros = log.clone();
    zeros[BLOCK_SIZE..].fill(0);
    assert_eq!(read(&zeros), (payloads[..1].to_vec(), failed("error in middle of record")));
    // RocksDB skips the zeros and continues after them, without the lost edits.
    let mut hole = log_of([&[1; 30][..], &[2; BLOCK_SIZE], &[3; 30]]);
    hole[37..BLOCK_SIZE].fill(0);
    assert_eq!(read(&hole), (vec![vec![1; 30]], failed("zeros before later records")));
    // Torn ends, and zeros that follow a complete record.
    assert_eq!(read(&log[..30_000]), (payloads[..1].to_vec(), Last::End));
    assert_eq!(read(&log[..BLOCK_SIZE]), (payloads[..1].to_vec(), Last::End));
    assert_eq!(read(&[&log[..], &[0; 100]].concat()), (payloads, Last::End));
}
