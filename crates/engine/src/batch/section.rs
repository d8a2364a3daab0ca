//! Records between the marks of a two-phase commit, as a WAL has them.
//!
//! ```text
//! prepared  := header, BEGIN_PREPARE, record*, END_PREPARE name
//! once more := header, ROLLBACK name, BEGIN_PREPARE, record*, END_PREPARE name
//! end       := header, ROLLBACK name, record*
//! ```
//! The count of a header is that of the records, marks take no sequence number, and the records of a
//! prepared section take none either: its header has the number that the next write gets.
//!
//! RocksDB ends a section that takes effect by the mark COMMIT alone, and replay inserts the records
//! of the section, in whichever older WAL that is. We write the records again behind ROLLBACK: the
//! section is forgotten and the records are an ordinary write, for RocksDB's replay, too. So a commit
//! needs no older WAL, survives damage of one, and can be read from the stream of updates.
//!
//! A section that stands in two WALs would be two batches of one transaction for RocksDB: hence the
//! ROLLBACK in front of a copy.

use super::WriteBatch;
use super::iterate::{BatchHandler, iterate};
use super::wire::{HEADER_SIZE, tag};
use crate::base::coding::put_length_prefixed;
use crate::error::{Error, Result};

/// The WAL record that prepares a batch. `again` if a WAL may have an older copy of it.
pub fn prepared_record(batch: &WriteBatch, name: &[u8], again: bool) -> Vec<u8> {
    let mut record = start(batch, name);
    if again {
        mark(&mut record, tag::ROLLBACK, name);
    }
    record.push(tag::BEGIN_PREPARE);
    record.extend_from_slice(records(batch));
    mark(&mut record, tag::END_PREPARE, name);
    record
}

/// The WAL record of a write that ends a prepared section: with its records it takes effect, with
/// none it is given up.
pub fn ending_record(batch: &WriteBatch, name: &[u8]) -> Vec<u8> {
    let mut record = start(batch, name);
    mark(&mut record, tag::ROLLBACK, name);
    record.extend_from_slice(records(batch));
    record
}

fn start(batch: &WriteBatch, name: &[u8]) -> Vec<u8> {
    let mut record = Vec::with_capacity(batch.data_size() + 2 * name.len() + 16);
    record.extend_from_slice(batch.data().get(..HEADER_SIZE).unwrap_or_default());
    record
}

fn records(batch: &WriteBatch) -> &[u8] {
    batch.data().get(HEADER_SIZE..).unwrap_or_default()
}

fn mark(record: &mut Vec<u8>, tag: u8, name: &[u8]) {
    record.push(tag);
    put_length_prefixed(record, name);
}

/// What a WAL record changes when it is written: its records outside of prepared sections. `None`
/// where it has marks and sections alone.
pub fn without_sections(record: Vec<u8>) -> Result<Option<WriteBatch>> {
    let batch = WriteBatch::from_data(record)?;
    if !batch.has_marks() {
        return Ok(Some(batch));
    }
    let mut outside = Outside { batch: WriteBatch::new(), in_section: false };
    iterate(batch.data(), &mut outside)?;
    let mut outside = outside.batch;
    outside.set_sequence(batch.sequence());
    Ok((!outside.is_empty()).then_some(outside))
}

/// Copies the records that are in no section.
struct Outside {
    batch: WriteBatch,
    in_section: bool,
}

impl Outside {
    fn add(&mut self, record: impl FnOnce(&mut WriteBatch) -> Result<()>) -> Result<()> {
        if self.in_section { Ok(()) } else { record(&mut self.batch) }
    }
}

impl BatchHandler for Outside {
    fn put(&mut self, cf: u32, key: &[u8], value: &[u8]) -> Result<()> {
        self.add(|batch| batch.put_cf(cf, key, value))
    }
    fn delete(&mut self, cf: u32, key: &[u8]) -> Result<()> {
        self.add(|batch| batch.delete_cf(cf, key))
    }
    fn single_delete(&mut self, cf: u32, key: &[u8]) -> Result<()> {
        self.add(|batch| batch.single_delete_cf(cf, key))
    }
    fn merge(&mut self, cf: u32, key: &[u8], operand: &[u8]) -> Result<()> {
        self.add(|batch| batch.merge_cf(cf, key, operand))
    }
    fn delete_range(&mut self, cf: u32, begin: &[u8], end: &[u8]) -> Result<()> {
        self.add(|batch| batch.delete_range_cf(cf, begin, end))
    }
    fn log_data(&mut self, blob: &[u8]) -> Result<()> {
        self.add(|batch| batch.put_log_data(blob))
    }
    fn mark_begin_prepare(&mut self, _tag: u8) -> Result<()> {
        self.in_section = true;
        Ok(())
    }
    fn mark_end_prepare(&mut self, _name: &[u8]) -> Result<()> {
        self.in_section = false;
        Ok(())
    }
    fn mark_commit(&mut self, name: &[u8]) -> Result<()> {
        let name = String::from_utf8_lossy(name);
        Err(Error::not_supported(format!(
            "the updates of transaction {name:?} are in the older WAL in which it was prepared"
        )))
    }
    fn mark_rollback(&mut self, _name: &[u8]) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
#[path = "section_test.rs"]
mod tests;
