//! Tests of imports into a sink that remembers.

use super::*;
use crate::dump::{Entry, RdbWriter, Value, Version};
use crate::redis::entries::Moved;

#[derive(Default)]
struct Kept {
    batches: Vec<Vec<Entry>>,
    functions: Vec<Vec<u8>>,
    is_finished: bool,
}

impl Sink for Kept {
    fn put(&mut self, entries: Vec<Entry>) -> Result<Moved> {
        let moved = Moved { written: entries.len() as u64, ..Moved::default() };
        if !entries.is_empty() {
            self.batches.push(entries);
        }
        Ok(moved)
    }

    fn put_function(&mut self, code: Vec<u8>) -> Result<bool> {
        self.functions.push(code);
        Ok(true)
    }

    fn finish(&mut self) -> Result<()> {
        self.is_finished = true;
        Ok(())
    }
}

fn entry(database: u64, number: usize, length: usize) -> Entry {
    let key = format!("key {number}").into_bytes();
    Entry { database, key, value: Value::String(vec![b'v'; length]), expires_ms: None }
}

fn file(entries: &[Entry]) -> Vec<u8> {
    let mut file = RdbWriter::begin(Vec::new(), Version::V10).unwrap();
    file.function(b"code").unwrap();
    entries.iter().for_each(|entry| file.entry(entry).unwrap());
    file.finish().unwrap()
}

fn run(bytes: &[u8], memory_max: usize) -> Result<(Kept, Summary)> {
    let mut sink = Kept::default();
    let summary = import(bytes, ("f.rdb", None), memory_max, &mut sink, &mut |_, _| {})?;
    Ok((sink, summary))
}

#[test]
fn batches_are_bounded_and_of_one_database() {
    let small = (0..600).map(|number| entry(0, number, 10));
    let large = (600..610).map(|number| entry(0, number, 400 << 10));
    let other = (0..3).map(|number| entry(5, number, 1));
    let entries: Vec<Entry> = small.chain(large).chain(other).collect();
    let bytes = file(&entries);
    let (sink, summary) = run(&bytes, 1 << 30).unwrap();
    assert_eq!((summary.keys.written, summary.functions), (613, 1));
    assert_eq!(summary.bytes, bytes.len() as u64);
    assert!(sink.is_finished && sink.functions == [b"code"]);
    for batch in &sink.batches {
        assert!(batch.len() <= 256);
        let bytes: usize = batch.iter().map(|entry| entry.value.memory_bytes()).sum();
        assert!(bytes <= (1 << 20) + (401 << 10), "{bytes}");
        assert!(batch.iter().all(|entry| entry.database == batch[0].database));
    }
    assert_eq!(sink.batches.concat(), entries);
}

#[test]
fn damage_is_named_with_its_offset() {
    let bytes = file(&[entry(0, 1, 5), entry(0, 2, 50_000)]);
    let text = |bytes: &[u8], memory_max| {
        let found = run(bytes, memory_max).map(|_| ()).unwrap_err().to_string();
        let checked = check(bytes, ("f.rdb", None), memory_max, &mut |_, _| {}).unwrap_err();
        assert_eq!(checked.to_string(), found);
        found
    };
    assert_eq!(
        text(b"hello, this is text", 1 << 20),
        "corruption: f.rdb: damaged at byte 9: expected the head of an RDB file: REDIS0011"
    );
    let cut = text(&bytes[..bytes.len() - 100], 1 << 20);
    assert!(cut.starts_with("corruption: f.rdb: damaged at byte "), "{cut}");
    let mut flipped = bytes.clone();
    flipped[20] ^= 1;
    let expected = format!("corruption: f.rdb: the checksum before byte {} is wrong", bytes.len());
    assert_eq!(text(&flipped, 1 << 20), expected);
    let large = text(&bytes, 1000);
    assert!(large.contains("takes more memory than --value-mb allows"), "{large}");
}
