//! Reads an RDB file and passes its keys to a sink.

use super::progress::{Pace, Progress, Report};
use super::sink::{Sink, Summary};
use crate::dump::{DumpError, Item, RdbFile};
use crate::error::{Error, Result};
use crate::redis::entries::EntryBatch;
use std::io::Read;

/// Reads a file to its end without keeping anything, and returns the number of its keys. `memory_max` bounds the memory
/// of each value, in bytes.
///
/// # Errors
///
/// The file is damaged, is no RDB file, or has something that is not supported. The message has the offset.
pub fn check(
    source: impl Read,
    (name, bytes_total): (&str, Option<u64>),
    memory_max: usize,
    report: Report<'_>,
) -> Result<u64> {
    let mut pace = Pace::new("checking", report);
    let mut file = RdbFile::open(source, memory_max).map_err(|error| damaged(name, 0, &error))?;
    let mut keys = 0;
    loop {
        match file.next_item() {
            Ok(Some(Item::Entry(_))) => {
                keys += 1;
                pace.note(&Progress { keys, bytes: file.offset() as u64, bytes_total });
            }
            Ok(Some(_)) => {}
            Ok(None) => return Ok(keys),
            Err(error) => return Err(damaged(name, file.offset(), &error)),
        }
    }
}

/// Writes the keys and functions of a file to a sink. `memory_max` bounds the memory of each value, in bytes.
///
/// # Errors
///
/// As [`check`], or the sink fails. What was written before stays.
pub fn import(
    source: impl Read,
    (name, bytes_total): (&str, Option<u64>),
    memory_max: usize,
    sink: &mut dyn Sink,
    report: Report<'_>,
) -> Result<Summary> {
    let mut pace = Pace::new("importing", report);
    let mut file = RdbFile::open(source, memory_max).map_err(|error| damaged(name, 0, &error))?;
    let (mut batch, mut summary) = (EntryBatch::default(), Summary::default());
    loop {
        let item = file.next_item().map_err(|error| damaged(name, file.offset(), &error))?;
        match item {
            Some(Item::Entry(entry)) => {
                if batch.is_full_for(&entry) {
                    summary.keys.add(sink.put(batch.take())?);
                    let keys = summary.keys.total();
                    pace.note(&Progress { keys, bytes: file.offset() as u64, bytes_total });
                }
                batch.add(entry);
            }
            Some(Item::Function(code)) => summary.functions += u64::from(sink.put_function(code)?),
            Some(Item::Field { .. }) => {}
            None => break,
        }
    }
    summary.keys.add(sink.put(batch.take())?);
    sink.finish()?;
    summary.bytes = file.offset() as u64;
    Ok(summary)
}

/// Returns the error of a file that cannot be imported.
pub(super) fn damaged(name: &str, offset: usize, error: &DumpError) -> Error {
    match error {
        // It has an offset.
        DumpError::Format { .. } => Error::corrupt(format!("{name}: {error}")),
        DumpError::Footer => {
            Error::corrupt(format!("{name}: the checksum before byte {offset} is wrong"))
        }
        DumpError::TooLarge => Error::Setting(format!(
            "{name}: the value before byte {offset} takes more memory than --value-mb allows"
        )),
        error => Error::Setting(format!("{name}: at byte {offset}: {error}")),
    }
}

#[cfg(test)]
#[path = "import_test.rs"]
mod tests;
