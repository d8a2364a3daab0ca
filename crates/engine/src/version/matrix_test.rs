//! Whole databases built by hand, with the reactions of two versions of RocksDB.

use super::VersionSet;
use super::testing::{bytes_of, db_with, options, spec, unhex};
use crate::base::InternalIterator;
use crate::error::Result;
use crate::fs::ReadMode;
use crate::fs::mem::MemFs;
use crate::options::ColumnFamilyOptions;
use crate::sst::TableIterOptions;
use crate::version::{DataPaths, TableCache};
use serde_json::Value;
use std::sync::Arc;

/// The result of opening in the vectors' format: entries per column family, or the error.
fn open(fs: &MemFs) -> Result<String> {
    let opts = options(Arc::new(fs.clone()));
    let names = VersionSet::list_column_families(&*opts.fs, &opts.dir)?;
    let specs: Vec<_> = names.iter().map(|name| spec(name)).collect();
    let (set, missing) = VersionSet::recover(opts.clone(), &specs)?;
    assert!(missing.is_empty());
    let cf_opts = ColumnFamilyOptions::default();
    let paths = DataPaths::new(&*opts.fs, &opts.dir, &[]);
    let tables = TableCache::new(opts.fs, paths, &cf_opts, None, ReadMode::Buffered, None);
    let tables = Arc::new(tables);
    let mut seen = Vec::new();
    for (_, cf) in set.column_families() {
        let mut iters = Vec::new();
        cf.current().add_iterators(&TableIterOptions::default(), &tables, &mut iters);
        let mut count = 0;
        for mut iter in iters {
            iter.seek_to_first();
            while iter.valid() {
                count += 1;
                iter.next();
            }
            iter.status()?;
        }
        seen.push(format!("cf {}: {count} entries", cf.name()));
    }
    seen.push(format!("lastseq={}", set.counters().last_sequence()));
    Ok(seen.join("; "))
}

/// The vector's outcome in the format of [`open`].
fn summary(outcome: &str) -> String {
    let mut parts = Vec::new();
    for cf in outcome.split("; ") {
        let (head, tail) = cf.split_once(" [").unwrap_or_else(|| panic!("{outcome}"));
        let seq = tail.split_once("lastseq=").map(|(_, seq)| seq.to_owned()).unwrap();
        parts.push((head.to_owned(), seq));
    }
    let seq = parts[0].1.clone();
    let mut seen: Vec<String> = parts.into_iter().map(|(head, _)| head).collect();
    seen.push(format!("lastseq={seq}"));
    seen.join("; ")
}

#[test]
fn the_manifest_matrix_opens_or_fails_as_in_rocksdb() {
    let v: Value = serde_json::from_str(include_str!("testdata/manifest_matrix.json")).unwrap();
    let sst = bytes_of(&v, "sst_000007_hex");
    let cases = v["cases"].as_object().unwrap();
    assert_eq!(cases.len(), 25);
    for (name, case) in cases {
        let fs = db_with(&[
            ("CURRENT", b"MANIFEST-000005\n".to_vec()),
            ("MANIFEST-000005", bytes_of(case, "hex")),
            ("000007.sst", sst.clone()),
        ]);
        let found = open(&fs);
        let old = case["outcome"]["7.8.3"].as_str().unwrap();
        let new = case["outcome"]["11.9-dev"].as_str().unwrap();
        // Where the old version aborts, newer ones accept a LevelDB record, which is harmless, and
        // hide entries above the last sequence number, which is not: the engine refuses these.
        let expected = match name.as_str() {
            "last_sequence_below_file" | "last_sequence_decreases" => "Corruption: ",
            "newfile_tag_7" => new,
            _ => old,
        };
        match expected.split_once(": ").map_or("", |(head, _)| head) {
            "Corruption" => assert!(found.as_ref().is_err_and(|e| e.is_corruption()), "{name}"),
            "Invalid argument" => {
                let e = found.unwrap_err();
                assert_eq!(e.code(), crate::Code::InvalidArgument, "{name}");
                assert_eq!(crate::error::rocksdb_text(&e), expected);
            }
            _ => assert_eq!(found.unwrap(), summary(expected), "{name}"),
        }
    }
}

#[test]
fn errors_name_the_file() {
    let v: Value = serde_json::from_str(include_str!("testdata/manifest_matrix.json")).unwrap();
    let sst = bytes_of(&v, "sst_000007_hex");
    for (case, text) in [
        ("missing_file", "/db/000077.sst is missing"),
        ("size_off_by_one", "table /db/000007.sst has 1474 bytes; the MANIFEST says 1475"),
        ("wrong_unique_id", "/db/000007.sst: Mismatch in unique ID on table file 7"),
        ("unknown_tag_500", "/db/MANIFEST-000005"),
        ("no_log_number", "no log_file_number entry in MANIFEST: /db/MANIFEST-000005"),
        ("last_sequence_below_file", "#7 1474 bytes [key000000 .. key000049]"),
        ("complete_last_record_bad_crc", "/db/MANIFEST-000005: offset "),
    ] {
        let fs = db_with(&[
            ("CURRENT", b"MANIFEST-000005\n".to_vec()),
            ("MANIFEST-000005", bytes_of(&v["cases"][case], "hex")),
            ("000007.sst", sst.clone()),
        ]);
        let e = open(&fs).unwrap_err();
        assert!(e.message().contains(text), "{case}: {e}");
    }
}

#[test]
fn databases_written_by_hand_open() {
    let v: Value = serde_json::from_str(include_str!("testdata/handwritten_dbs.json")).unwrap();
    let mut opened = 0;
    for (name, db) in v.as_object().unwrap() {
        let Some(current) = db["CURRENT"].as_str() else { continue };
        let mut files = vec![("CURRENT", current.as_bytes().to_vec())];
        for (key, value) in db.as_object().unwrap() {
            if let Some(file) = key.strip_suffix("_hex") {
                files.push((file, unhex(value.as_str().unwrap())));
            }
        }
        // Without the WAL: one entry and two sequence numbers fewer.
        let tables = files.iter().any(|(n, _)| n.ends_with(".sst"));
        let expected = if tables {
            "cf default: 20 entries; lastseq=20"
        } else {
            "cf default: 0 entries; lastseq=0"
        };
        assert_eq!(open(&db_with(&files)).unwrap(), expected, "{name}");
        opened += 1;
    }
    assert_eq!(opened, 7);
}

#[test]
fn every_damage_to_a_manifest_is_an_error_or_a_database() {
    let v: Value = serde_json::from_str(include_str!("testdata/manifest_matrix.json")).unwrap();
    let sst = bytes_of(&v, "sst_000007_hex");
    let manifest = bytes_of(&v["cases"]["atomic_group"], "hex");
    for i in 0..manifest.len() * 8 {
        let mut bytes = manifest.clone();
        bytes[i / 8] ^= 1 << (i % 8);
        let fs = db_with(&[
            ("CURRENT", b"MANIFEST-000005\n".to_vec()),
            ("MANIFEST-000005", bytes),
            ("000007.sst", sst.clone()),
        ]);
        if let Ok(seen) = open(&fs) {
            // A damaged length field can make the last record look torn.
            assert_eq!(seen, "cf default: 0 entries; lastseq=50", "bit {i}");
        }
    }
}
