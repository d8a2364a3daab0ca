//! The WAL records of two-phase commit: records between markers.
//!
//! ```text
//! prepared  := header, BEGIN_PREPARE, record*, END_PREPARE name
//! once more := header, ROLLBACK name, BEGIN_PREPARE, record*, END_PREPARE name
//! end       := header, ROLLBACK name, record*
//! ```
//! The count in a header is the number of records. Markers take no sequence number, and neither do the records of a
//! prepared section: its header has the number that the next write gets.
//!
//! RocksDB ends a section that takes effect with only the marker COMMIT. Its replay inserts the records of the section
//! from whichever older WAL holds it. We write the records again after ROLLBACK: the section is discarded and the
//! records are an ordinary write, also for RocksDB's replay. So a commit needs no older WAL, survives damage to one,
//! and can be read from the change stream.
//!
//! RocksDB would treat a section that is in two WALs as two batches of one transaction. Therefore a copy is preceded by
//! ROLLBACK.

use super::WriteBatch;
use super::iterate::{BatchHandler, iterate};
use super::wire::{HEADER_SIZE, tag};
use crate::base::coding::put_length_prefixed;
use crate::error::{Error, Result};

/// Returns the WAL record that prepares a batch. `again` means that a WAL may have an older copy of it.
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

/// Returns the WAL record of a write that ends a prepared section. With records the section takes effect; without
/// records it is discarded.
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

/// Returns what a WAL record changes when it is written: its records outside prepared sections. `None` if it has only
/// markers and sections.
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
