//! Writes records in their legacy form.
//!
//! Each fragment is handed over with its header apart, so that a file may publish the header last:
//! a process killed in between leaves no fragment, and without its last fragment a record is none.
//!
//! Not safe from many threads; the syncer it gives out is.

use super::record::{BLOCK_SIZE, FIRST, FULL, HEADER_SIZE, LAST, MIDDLE};
use crate::base::checksum::{crc32c, crc32c_extend, mask};
use crate::error::{Error, Result};
use crate::fs::{FileSyncer, WritableFile};
use std::sync::Arc;

/// Appends records to a log.
pub struct LogWriter {
    file: Box<dyn WritableFile>,
    log_number: u64,
    /// Bytes of the current block in use.
    block_offset: usize,
    /// The checksum of each type's byte, to go on from.
    type_crc: [u32; 5],
    /// A record was cut short: nothing may follow it.
    broken: Option<Error>,
}

impl LogWriter {
    /// Starts a log in an empty file.
    pub fn new(file: Box<dyn WritableFile>, log_number: u64) -> LogWriter {
        let type_crc = std::array::from_fn(|t| crc32c(&[t as u8]));
        LogWriter { file, log_number, block_offset: 0, type_crc, broken: None }
    }

    /// Appends a record. When it returns, the record survives this process if the file was opened as
    /// a log, else after a flush; it survives the machine after a sync. If it fails for want of space, nothing was placed and a later call may succeed.
    #[inline]
    pub fn add_record(&mut self, payload: &[u8]) -> Result<()> {
        if payload.len() + HEADER_SIZE <= BLOCK_SIZE - self.block_offset && self.broken.is_none() {
            return self.add_fragment(FULL, payload);
        }
        self.add_in_fragments(payload)
    }

    fn add_in_fragments(&mut self, payload: &[u8]) -> Result<()> {
        if let Some(e) = &self.broken {
            return Err(e.clone());
        }
        // Each block spends a header; one more for the block that is begun.
        let blocks = payload.len() / (BLOCK_SIZE - HEADER_SIZE) + 2;
        self.file.reserve((payload.len() + blocks * HEADER_SIZE) as u64)?;
        let mut rest = payload;
        let mut first = true;
        loop {
            let room = BLOCK_SIZE - self.block_offset;
            if room < HEADER_SIZE {
                self.pad(room)?;
                continue;
            }
            let (part, after) = rest.split_at(rest.len().min(room - HEADER_SIZE));
            let kind = match (first, after.is_empty()) {
                (true, true) => FULL,
                (true, false) => FIRST,
                (false, false) => MIDDLE,
                (false, true) => LAST,
            };
            let done = self.add_fragment(kind, part);
            if let (Err(e), false) = (&done, first) {
                self.broken = Some(e.clone());
            }
            done?;
            if after.is_empty() {
                return Ok(());
            }
            (rest, first) = (after, false);
        }
    }

    #[inline]
    fn add_fragment(&mut self, kind: u8, payload: &[u8]) -> Result<()> {
        let crc = mask(crc32c_extend(self.type_crc[usize::from(kind)], payload)).to_le_bytes();
        let len = (payload.len() as u16).to_le_bytes();
        let header = [crc[0], crc[1], crc[2], crc[3], len[0], len[1], kind];
        let before = self.file.size();
        if let Err(e) = self.file.append_record(&header, payload) {
            return Err(self.failed(before, e));
        }
        self.block_offset = (self.block_offset + HEADER_SIZE + payload.len()) % BLOCK_SIZE;
        Ok(())
    }

    /// Fills what is too short for a header.
    fn pad(&mut self, room: usize) -> Result<()> {
        let before = self.file.size();
        if let Err(e) = self.file.append(&[0; HEADER_SIZE][..room]) {
            return Err(self.failed(before, e));
        }
        self.block_offset = 0;
        Ok(())
    }

    /// If part of it was placed, the place of the next record is not known.
    #[cold]
    fn failed(&mut self, size_before: u64, e: Error) -> Error {
        if self.file.size() != size_before {
            self.broken = Some(e.clone());
        }
        e
    }

    /// Whether a record was cut short, so that none can follow.
    pub fn is_broken(&self) -> bool {
        self.broken.is_some()
    }

    /// Hands everything to the operating system.
    pub fn flush(&mut self) -> Result<()> {
        self.file.flush()
    }

    /// Waits until the device has every record.
    pub fn sync(&mut self) -> Result<()> {
        self.file.sync()
    }

    /// A handle that syncs while others append.
    pub fn syncer(&self) -> Arc<dyn FileSyncer> {
        self.file.syncer()
    }

    /// Bytes written.
    pub fn size(&self) -> u64 {
        self.file.size()
    }

    /// Cuts off what was allocated ahead and closes the file.
    pub fn close(&mut self) -> Result<()> {
        self.file.close()
    }

    /// The number in the log's name.
    pub fn log_number(&self) -> u64 {
        self.log_number
    }
}

#[cfg(test)]
#[path = "writer_test.rs"]
mod tests;
