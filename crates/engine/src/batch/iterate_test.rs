#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may panic")]

use super::*;
use crate::batch::WriteBatch;
use serde_json::Value as Json;

/// Real bytes written by RocksDB 7.8.3 and 11.9, and their content.
const VECTORS: &str = include_str!("testdata/wal_batches.json");

/// Records every record in the form of `vectors.json`: name, family, fields.
#[derive(Default)]
struct Transcript(Vec<(String, u32, Vec<Vec<u8>>)>);

impl Transcript {
    fn add(&mut self, name: &str, cf: u32, fields: &[&[u8]]) -> Result<()> {
        let name = if cf == 0 { name.to_string() } else { format!("Cf{name}") };
        self.0.push((name, cf, fields.iter().map(|f| f.to_vec()).collect()));
        Ok(())
    }
}

impl BatchHandler for Transcript {
    fn put(&mut self, cf: u32, key: &[u8], value: &[u8]) -> Result<()> {
        self.add("Put", cf, &[key, value])
    }
    fn delete(&mut self, cf: u32, key: &[u8]) -> Result<()> {
        self.add("Del", cf, &[key])
    }
    fn single_delete(&mut self, cf: u32, key: &[u8]) -> Result<()> {
        self.add("SDel", cf, &[key])
    }
    fn merge(&mut self, cf: u32, key: &[u8], operand: &[u8]) -> Result<()> {
        self.add("Merge", cf, &[key, operand])
    }
    fn delete_range(&mut self, cf: u32, begin: &[u8], end: &[u8]) -> Result<()> {
        self.add("RangeDel", cf, &[begin, end])
    }
    fn put_blob_index(&mut self, cf: u32, key: &[u8], index: &[u8]) -> Result<()> {
        self.add("BlobIndex", cf, &[key, index])
    }
    fn put_entity(&mut self, cf: u32, key: &[u8], entity: &[u8]) -> Result<()> {
        self.add("Entity", cf, &[key, entity])
    }
    fn timed_put(&mut self, cf: u32, key: &[u8], value: &[u8]) -> Result<()> {
        self.add("TimedPut", cf, &[key, value])
    }
    fn log_data(&mut self, blob: &[u8]) -> Result<()> {
        self.add("LogData", 0, &[blob])
    }
    fn mark_noop(&mut self) -> Result<()> {
        self.add("Noop", 0, &[])
    }
    fn mark_begin_prepare(&mut self, tag: u8) -> Result<()> {
        self.add(if tag == 0x12 { "BeginPersistedPrepare" } else { "BeginPrepare" }, 0, &[])
    }
    fn mark_end_prepare(&mut self, xid: &[u8]) -> Result<()> {
        self.add("EndPrepare", 0, &[xid])
    }
    fn mark_commit(&mut self, xid: &[u8]) -> Result<()> {
        self.add("Commit", 0, &[xid])
    }
    fn mark_rollback(&mut self, xid: &[u8]) -> Result<()> {
        self.add("Rollback", 0, &[xid])
    }
}

fn unhex(s: &str) -> Vec<u8> {
    (0..s.len() / 2).map(|i| u8::from_str_radix(&s[2 * i..2 * i + 2], 16).unwrap()).collect()
}

fn field_bytes(field: &Json) -> Vec<u8> {
    match field {
        Json::String(s) => s.as_bytes().to_vec(),
        other => unhex(other["hex"].as_str().unwrap()),
    }
}

/// Every batch of every vector: its bytes and the vector's description of it.
fn real_batches() -> Vec<(Vec<u8>, Json)> {
    let vectors: Json = serde_json::from_str(VECTORS).unwrap();
    let mut batches = Vec::new();
    for vector in vectors.as_object().unwrap().values() {
        let wal = unhex(vector["hex"].as_str().unwrap());
        for parsed in vector["parsed"].as_array().unwrap() {
            let at = parsed["offset"].as_u64().unwrap() as usize;
            let len = usize::from(u16::from_le_bytes([wal[at + 4], wal[at + 5]]));
            assert_eq!(wal[at + 6], 1, "all of these are whole records");
            batches.push((wal[at + 7..at + 7 + len].to_vec(), parsed.clone()));
        }
    }
    assert!(batches.len() > 20);
    batches
}

#[test]
fn real_batches_read_as_their_writer_meant() {
    for (data, parsed) in real_batches() {
        let mut seen = Transcript::default();
        iterate(&data, &mut seen).unwrap();
        let batch = WriteBatch::from_data(data).unwrap();
        assert_eq!(batch.sequence(), parsed["sequence"].as_u64().unwrap());
        assert_eq!(u64::from(batch.count()), parsed["count"].as_u64().unwrap());
        let records = parsed["records"].as_array().unwrap();
        assert_eq!(seen.0.len(), records.len());
        for ((name, cf, fields), record) in seen.0.iter().zip(records) {
            let expected = record[0].as_str().unwrap();
            assert_eq!(u64::from(*cf), record[1].as_u64().unwrap(), "{expected}");
            let wanted: Vec<Vec<u8>> =
                record[2].as_array().unwrap().iter().map(field_bytes).collect();
            assert_eq!(fields, &wanted, "{expected}");
            assert_eq!(name, expected);
        }
    }
}

#[test]
fn the_basic_handler_refuses_other_records_by_name() {
    struct Basic;
    impl BatchHandler for Basic {
        fn put(&mut self, _: u32, _: &[u8], _: &[u8]) -> Result<()> {
            Ok(())
        }
        fn delete(&mut self, _: u32, _: &[u8]) -> Result<()> {
            Ok(())
        }
        fn single_delete(&mut self, _: u32, _: &[u8]) -> Result<()> {
            Ok(())
        }
        fn merge(&mut self, _: u32, _: &[u8], _: &[u8]) -> Result<()> {
            Ok(())
        }
    }
    let mut refused = Vec::new();
    for (data, _) in real_batches() {
        if let Err(e) = iterate(&data, &mut Basic) {
            assert_eq!(e.code(), crate::Code::NotSupported);
            refused.push(e.message().to_string());
        }
    }
    for name in ["DeleteRange", "PutEntity", "TimedPut", "BeginPrepare", "Commit", "Rollback"] {
        assert!(refused.iter().any(|m| m.contains(name)), "{name}: {refused:?}");
    }
}

#[test]
fn damaged_batches_are_corruption() {
    let err = |data: &[u8]| iterate(data, &mut Transcript::default()).unwrap_err();
    assert!(err(b"short").message().contains("too small"));
    let mut batch = WriteBatch::new();
    batch.put(b"key", b"value").unwrap();
    let mut data = batch.data().to_vec();
    data[8] = 2;
    assert!(err(&data).message().contains("expected 2, found 1"));
    data[8] = 1;
    data[12] = 0x7E;
    assert!(err(&data).message().contains("unknown WriteBatch tag: 126"));
    data[12] = 0x01;
    data.pop();
    assert!(err(&data).message().contains("Put value"));
}

/// Truncations and single-byte changes of real batches give `Ok` or an error, never a panic; and accepted bytes read
/// the same again.
#[test]
fn any_bytes_are_safe() {
    let changes: &[u8] = if cfg!(miri) { &[0xFF] } else { &[1, 0x7F, 0x80, 0xFF] };
    for (data, _) in real_batches() {
        for n in 0..data.len() {
            let _ = iterate(&data[..n], &mut Transcript::default());
            for change in changes {
                let mut bad = data.clone();
                bad[n] ^= change;
                let mut seen = Transcript::default();
                if iterate(&bad, &mut seen).is_ok() {
                    assert!(seen.0.len() >= WriteBatch::from_data(bad).unwrap().count() as usize);
                }
            }
        }
    }
}
