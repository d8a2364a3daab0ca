use super::*;
use crate::base::InternalIterator;
use crate::base::KeyOrder;
use crate::batch::section::{ending_record, prepared_record};
use crate::memtable::MemTable;
use crate::options::ColumnFamilyOptions;
use std::sync::Arc;

struct Only(Arc<MemTable>);

impl MemtableLookup for Only {
    fn memtable(&self, column_family: u32) -> Result<Option<&MemTable>> {
        Ok((column_family == 0).then_some(&*self.0))
    }
}

/// A log that is replayed.
struct Log {
    memtable: Only,
    sections: Sections,
}

impl Log {
    fn new() -> Log {
        let options = ColumnFamilyOptions::default();
        let memtable = Only(MemTable::new(1, KeyOrder::bytewise(), &options, 0));
        Log { memtable, sections: Sections::new() }
    }

    fn replay(&mut self, record: &[u8]) -> Result<SeqNo> {
        let first = WriteBatch::sequence_of(record)?;
        let mut replay = SectionReplay::new(&self.memtable, first, Some(&mut self.sections));
        iterate(record, &mut replay)?;
        replay.finish()
    }

    /// Keys and sequence numbers.
    fn content(&self) -> Vec<(Vec<u8>, u64)> {
        let mut iter = self.memtable.0.iter(true);
        let mut found = Vec::new();
        iter.seek_to_first();
        while iter.valid() {
            let (key, trailer) = iter.key().split_at(iter.key().len() - 8);
            let trailer = u64::from_le_bytes(trailer.try_into().unwrap());
            found.push((key.to_vec(), trailer >> 8));
            iter.next();
        }
        found
    }
}

fn batch(sequence: u64, keys: &[&[u8]]) -> WriteBatch {
    let mut batch = WriteBatch::new();
    keys.iter().for_each(|key| batch.put(key, b"value").unwrap());
    batch.set_sequence(sequence);
    batch
}

/// Returns a record with these markers and no sequence numbers.
fn marks(sequence: u64, marks: &[u8]) -> Vec<u8> {
    [batch(sequence, &[]).into_data(), marks.to_vec()].concat()
}

#[test]
fn a_section_takes_effect_where_its_commit_stands() {
    let mut log = Log::new();
    let prepared = prepared_record(&batch(1, &[b"a", b"b"]), b"x", false);
    assert_eq!(log.replay(&prepared).unwrap(), 1);
    assert!(log.content().is_empty());
    assert_eq!(log.replay(batch(1, &[b"c"]).data()).unwrap(), 2);
    // As RocksDB writes it, followed by a put of the same group.
    let mut group = marks(2, b"\x0b\x01x\x01\x01d\x00");
    group[8] = 1;
    assert_eq!(log.replay(&group).unwrap(), 5);
    let expected = [(b"a", 2), (b"b", 3), (b"c", 1), (b"d", 4)].map(|(k, n)| (k.to_vec(), n));
    assert_eq!(log.content(), expected);
    assert!(log.sections.is_empty());
    // A commit whose section was deleted with its WAL has no effect.
    assert_eq!(log.replay(&marks(5, b"\x0b\x01x")).unwrap(), 5);
}

#[test]
fn our_commit_forgets_the_section_and_writes_the_records() {
    let mut log = Log::new();
    log.replay(&prepared_record(&batch(1, &[b"a"]), b"x", false)).unwrap();
    assert_eq!(log.replay(&ending_record(&batch(1, &[b"a", b"late"]), b"x")).unwrap(), 3);
    assert_eq!(log.content(), [(b"a".to_vec(), 1), (b"late".to_vec(), 2)]);
    assert!(log.sections.is_empty());
}

#[test]
fn what_is_rolled_back_leaves_nothing_and_copies_count_once() {
    let mut log = Log::new();
    log.replay(&prepared_record(&batch(1, &[b"a"]), b"x", false)).unwrap();
    log.replay(&prepared_record(&batch(1, &[b"b"]), b"y", false)).unwrap();
    log.replay(&prepared_record(&batch(1, &[b"a"]), b"x", true)).unwrap();
    assert_eq!(log.sections.keys().collect::<Vec<_>>(), [b"x", b"y"]);
    assert_eq!(log.replay(&ending_record(&batch(1, &[]), b"y")).unwrap(), 1);
    assert_eq!(log.sections.keys().collect::<Vec<_>>(), [b"x"]);
    assert_eq!(log.sections[&b"x"[..]].data()[12..], batch(0, &[b"a"]).data()[12..]);
    assert!(log.content().is_empty());
}

#[test]
fn sections_are_refused_by_who_does_not_know_them() {
    let log = Log::new();
    let record = prepared_record(&batch(1, &[b"a"]), b"x", false);
    let mut replay = SectionReplay::new(&log.memtable, 1, None);
    let error = iterate(&record, &mut replay).unwrap_err();
    let text =
        "Not implemented: WAL contains prepared transactions. Open with TransactionDB::Open().";
    assert_eq!(error.to_string(), text);
}

#[test]
fn malformed_sections_and_those_of_other_policies_are_errors() {
    for (marks_only, expected) in [
        (&b"\x09"[..], "Corruption: WriteBatch ends within"),
        (b"\x09\x09\x0a\x01x", "Corruption: WriteBatch has a prepared section in another one"),
        (b"\x0a\x01x", "Corruption: WriteBatch has the end of a section"),
        (b"\x12\x0a\x01x", "Not implemented: WritePrepared/WriteUnprepared txn tag"),
        (b"\x13\x0a\x01x", "Not implemented: WritePrepared/WriteUnprepared txn tag"),
        (b"\x15\x08timestmp\x01x", "Not implemented: CommitWithTimestamp"),
    ] {
        let error = Log::new().replay(&marks(1, marks_only)).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}
