//! Reads files of real RocksDB versions, and hand-written ones, in `sst/testdata`.

use super::test_util::*;
use crate::base::InternalIterator;
use crate::base::{Comparator, KeyOrder, ValueType};
use crate::cache::Cache;
use crate::env::sync::atomic::AtomicBool;
use crate::error::{Code, Error};
use crate::hooks::FixedPrefixTransform;
use crate::sst::format::FOOTER_SIZE;
use crate::sst::{Table, TableIterOptions, TableReadContext};
use serde_json::Value;
use std::cmp::Ordering;
use std::path::PathBuf;
use std::sync::Arc;

fn testdata(name: &str) -> Vec<u8> {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/sst/testdata");
    std::fs::read(dir.join(name)).unwrap()
}

fn hex(value: &Value) -> Vec<u8> {
    let text = value.as_str().unwrap();
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
}

/// RocksDB's order for keys with a timestamp suffix.
struct U64Ts;

impl Comparator for U64Ts {
    fn name(&self) -> &str {
        "leveldb.BytewiseComparator.u64ts"
    }
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        let split = |k: &[u8]| {
            let (key, ts) = k.split_at(k.len().saturating_sub(8));
            (key.to_vec(), ts.try_into().map_or(0, u64::from_le_bytes))
        };
        let ((a, ta), (b, tb)) = (split(a), split(b));
        a.cmp(&b).then(tb.cmp(&ta))
    }
}

fn context_for(name: &str, seed: u64) -> TableReadContext {
    let cache = (seed.is_multiple_of(2)).then(|| Cache::new_lru(1 << 20));
    let mut ctx = read_context(cache);
    ctx.mmap = name == "cuckoo" || seed.is_multiple_of(3);
    ctx.order = match name {
        "user_defined_timestamps" => KeyOrder::new(Arc::new(U64Ts)),
        _ => ctx.order,
    };
    if matches!(name, "twolevel_partitioned_filter" | "index_hash") {
        ctx.prefix_extractor = Some(Arc::new(FixedPrefixTransform::new(8)));
    }
    ctx
}

/// The expected error of a file that must be refused, and a word that its text must contain.
fn refusal(name: &str) -> Option<(Code, &'static str)> {
    Some(match name {
        "fv0_legacy" => (Code::Corruption, "format_version: 0"),
        _ => return None,
    })
}

fn expected(entry: &Value) -> Row {
    let kind = ValueType::from_byte(entry[2].as_u64().unwrap() as u8).unwrap();
    (hex(&entry[0]), entry[1].as_u64().unwrap(), kind, hex(&entry[3]))
}

fn check(name: &str, table: &Arc<Table>, vector: &Value, order: &KeyOrder) {
    let rows = scan(table, &TableIterOptions::default()).unwrap();
    let range_deletions = table.properties().num_range_deletions;
    let found = table.range_tombstones().map_or(0, |t| t.num_tombstones() as u64);
    assert_eq!(found, range_deletions, "{name}");
    assert_eq!(rows.len() as u64, vector["num_entries"].as_u64().unwrap(), "{name}");
    let mut listed: Vec<Row> = vector["entries"].as_array().unwrap().iter().map(expected).collect();
    if name == "ingested_global_seqno_b" {
        // The list contains the stored sequence numbers; 3 was patched in.
        listed.iter_mut().for_each(|row| row.1 = 3);
    }
    if listed.len() == rows.len() {
        assert_eq!(rows, listed, "{name}");
    } else if rows.is_empty() {
        assert!(listed.is_empty(), "{name}");
    } else {
        // Long lists are reduced to their first and last entries, and long values to 40 bytes.
        let mut ends = [rows.first().unwrap().clone(), rows.last().unwrap().clone()];
        ends.iter_mut().for_each(|row| row.3.truncate(40));
        listed.iter_mut().for_each(|row| row.3.truncate(40));
        assert_eq!(ends[..], listed[..], "{name}");
    }
    assert!(
        rows.is_sorted_by(|a, b| {
            order.compare(&internal(&a.0, a.1, a.2), &internal(&b.0, b.1, b.2)).is_lt()
        }),
        "{name}"
    );
    if name == "user_defined_timestamps" || name == "blob_index_entries" {
        return;
    }
    check_rows(table, &rows, order);
    assert_eq!(table.properties().num_entries, rows.len() as u64 + range_deletions, "{name}");
}

#[test]
fn files_of_real_rocksdb_are_read_or_refused_by_name() {
    let list: Value = serde_json::from_slice(&testdata("sst/list.json")).unwrap();
    for vector in list.as_array().unwrap() {
        let name = vector["name"].as_str().unwrap();
        let bytes = testdata(&format!("sst/{name}.sst"));
        for seed in 0..6 {
            let ctx = context_for(name, seed);
            let opened = open(&bytes, &ctx);
            let table = match (opened, refusal(name)) {
                (Ok(table), None) => table,
                (Err(e), Some(why)) => {
                    assert_refused(name, &e, why);
                    continue;
                }
                (Ok(_), Some(_)) => panic!("{name} was opened"),
                (Err(e), None) => panic!("{name}: {e}"),
            };
            check(name, &table, vector, &ctx.order);
        }
    }
}

fn assert_refused(name: &str, e: &Error, (code, word): (Code, &str)) {
    assert_eq!(e.code(), code, "{name}: {e}");
    assert!(e.message().contains(word), "{name}: {e}");
    assert!(e.message().contains("000009.sst"), "{name}: {e}");
}

#[test]
fn hand_written_files_are_read() {
    let names = ["min_props_crc32c", "full_props_xxh3", "fastlocalbloom", "fv2_xxh64"];
    let newer = ["fv6_context_checksum", "fv7_context_checksum"];
    for name in names.iter().chain(&newer) {
        let bytes = testdata(&format!("handwritten/sst_{name}.sst"));
        let table = open(&bytes, &read_context(Some(Cache::new_lru(1 << 20)))).unwrap();
        let rows: Vec<Row> = (0..20u64)
            .map(|i| {
                let (key, value) = (format!("key{i:06}"), format!("val{i}"));
                (key.into_bytes(), i + 1, ValueType::Value, value.into_bytes())
            })
            .collect();
        check_rows(&table, &rows, &KeyOrder::bytewise());
    }
}

#[test]
fn prefix_filters_of_real_files_answer() {
    let bytes = testdata("sst/tiny_bloom_crc32c.sst");
    let table = open(&bytes, &read_context(None)).unwrap();
    // No extractor: the filter does not decide about prefixes.
    assert!(table.prefix_may_match(b"zzz"));
    let Table::BlockBased(inner) = &*table else { panic!() };
    let parts = inner.parts().unwrap();
    assert!(matches!(parts.filter, super::parts::TableFilter::Full(_)));
}

/// Reads every file with bytes changed or removed: reading must return a result, whatever it is.
#[test]
fn damaged_files_do_no_harm() {
    let list: Value = serde_json::from_slice(&testdata("sst/list.json")).unwrap();
    let mut rng = fastrand::Rng::with_seed(11);
    let mut damaged = 0;
    for vector in list.as_array().unwrap() {
        let name = vector["name"].as_str().unwrap();
        let original = testdata(&format!("sst/{name}.sst"));
        for round in 0..30 {
            let mut bytes = original.clone();
            // Mostly the metadata, which decoders rely on.
            let from = if rng.bool() { bytes.len().saturating_sub(1500) } else { 0 };
            for _ in 0..rng.usize(1..4) {
                let at = rng.usize(from..bytes.len());
                bytes[at] = if rng.bool() { rng.u8(..) } else { bytes[at] ^ (1 << rng.u32(..8)) };
            }
            if round % 4 == 0 {
                let cut = rng.usize(..bytes.len());
                bytes.drain(cut..(cut + rng.usize(1..100)).min(original.len()));
            }
            if name != "checksum_type_0" && round % 2 == 0 {
                disable_checksums(&mut bytes);
            }
            let ctx = context_for(name, round);
            let late = open_late(&bytes, &ctx).and_then(|table| {
                // Early lookups do not use the filter and may find other damage.
                let _ = get(&table, b"key000003", 1 << 50);
                table.read_parts(&AtomicBool::new(false))?;
                read_all(&table)
            });
            let result = open(&bytes, &ctx).and_then(|table| read_all(&table));
            assert_eq!(late.is_err(), result.is_err(), "{name}, round {round}");
            damaged += usize::from(result.is_err());
        }
    }
    assert!(damaged > 250, "{damaged}");
}

/// Makes the reader accept damaged blocks: sets checksum type 0 in the footer.
fn disable_checksums(bytes: &mut [u8]) {
    if let Some(at) = bytes.len().checked_sub(53) {
        bytes[at] = 0;
    }
}

fn read_all(table: &Arc<Table>) -> crate::error::Result<()> {
    for key in [&b"key000003"[..], b"a", b"", b"zzzz", b"key000099\0"] {
        for _ in 0..3 {
            get(table, key, 1 << 50)?;
        }
        let mut iter = table.iter(&TableIterOptions::default());
        iter.seek(&internal(key, 5, ValueType::Value));
        iter.seek_for_prev(&internal(key, 5, ValueType::Value));
        let _ = table.approximate_offset_of(&internal(key, 5, ValueType::Value));
    }
    // Not `scan`, which parses keys and panics on damaged ones.
    for backwards in [false, true] {
        let mut iter = table.iter(&TableIterOptions::default());
        if backwards {
            iter.seek_to_last()
        } else {
            iter.seek_to_first()
        }
        let mut steps = 0;
        while iter.valid() && steps < 20_000 {
            let _ = (iter.key(), iter.value());
            if backwards {
                iter.prev()
            } else {
                iter.next()
            }
            steps += 1;
        }
        assert!(steps < 20_000, "endless iteration");
        iter.status()?;
    }
    table.verify_checksums()
}

/// Changes every byte of a footer to every value: the result must be an error or the same entries. Versions below 6 do
/// not detect changes of the padding, to a version that is read in the same way, or to the checksum type for none.
#[test]
fn changed_bytes_of_a_footer_are_noticed_or_mean_nothing() {
    for (file, covered) in [("fastlocalbloom", false), ("fv6_context_checksum", true)] {
        let original = testdata(&format!("handwritten/sst_{file}.sst"));
        let ctx = read_context(None);
        let scan_all = |table: Arc<Table>| scan(&table, &TableIterOptions::default());
        let rows = open(&original, &ctx).and_then(scan_all).unwrap();
        let start = original.len() - FOOTER_SIZE;
        let handles = original[start + 1..start + 41].iter().rposition(|b| *b != 0).unwrap() + 2;
        let mut unnoticed = 0;
        for at in 0..FOOTER_SIZE {
            for value in (0..=255u8).filter(|value| *value != original[start + at]) {
                let mut bytes = original.clone();
                bytes[start + at] = value;
                let Ok(found) = open(&bytes, &ctx).and_then(scan_all) else { continue };
                assert_eq!(found, rows, "{file}: byte {at} of the footer changed to {value}");
                let allowed = match at {
                    0 => value == 0,
                    // One more byte in the varint of a handle's last number, taken from the padding, encodes the same
                    // number.
                    1..41 if at + 1 == handles => value == original[start + at] | 0x80 && !covered,
                    1..41 => !covered && at >= handles,
                    41 => !covered && (2..=5).contains(&value),
                    _ => false,
                };
                assert!(allowed, "{file}: byte {at} of the footer changed to {value} unnoticed");
                unnoticed += 1;
            }
        }
        assert_eq!(unnoticed > 4, !covered, "{file}: {unnoticed}");
    }
}
