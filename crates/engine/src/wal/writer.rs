//! The log writer, which writes records in their legacy form.
//!
//! It passes all fragments of a record to the file at once, with separate headers, so that the file can allocate room
//! first and publish the headers last: a process killed in between leaves a whole record or none.
//!
//! A writer is for one thread; its syncer may be used from many.

use super::record::{BLOCK_SIZE, FIRST, FULL, HEADER_SIZE, LAST, MIDDLE};
use crate::base::checksum::{crc32c, crc32c_extend, mask};
use crate::error::{Error, Result};
use crate::fs::{FRAGMENT_HEADER, FileSyncer, Fragment, WritableFile};
use std::sync::Arc;

/// Appends records to a log.
pub struct LogWriter {
    file: Box<dyn WritableFile>,
    log_number: u64,
    /// The number of bytes in use in the current block.
    block_offset: usize,
    /// The checksum of each type's byte, with which checksums of fragments begin.
    type_crc: [u32; 5],
    /// The error that cut a record short; nothing may follow it.
    broken: Option<Error>,
    /// The fragments of the last record that had several; kept to reuse the memory.
    fragments: Vec<Fragment>,
}

/// This folder defines the layout, and files must know the size of a header.
const _: () = assert!(HEADER_SIZE == FRAGMENT_HEADER);

impl LogWriter {
    /// Starts a log in an empty file.
    pub fn new(file: Box<dyn WritableFile>, log_number: u64) -> LogWriter {
        debug_assert_eq!(file.size(), 0, "log {log_number}: expected an empty file");
        let type_crc = std::array::from_fn(|t| crc32c(&[t as u8]));
        let (broken, fragments) = (None, Vec::new());
        LogWriter { file, log_number, block_offset: 0, type_crc, broken, fragments }
    }

    /// Appends a record. On return, the record survives this process if the file was opened as a log, otherwise after a
    /// flush; it survives a machine crash after a sync. If there is no space, nothing was written and a later call may
    /// succeed.
    #[inline]
    pub fn add_record(&mut self, payload: &[u8]) -> Result<()> {
        if payload.len() + HEADER_SIZE > BLOCK_SIZE - self.block_offset || self.broken.is_some() {
            return self.add_in_fragments(payload);
        }
        let header = self.header(FULL, payload);
        let before = self.file.size();
        debug_assert_eq!(
            before % BLOCK_SIZE as u64,
            self.block_offset as u64,
            "log {}: where in its block the next record begins",
            self.log_number
        );
        if let Err(e) = self.file.append_record(&header, payload) {
            return Err(self.failed(before, e));
        }
        self.block_offset = (self.block_offset + HEADER_SIZE + payload.len()) % BLOCK_SIZE;
        debug_assert_eq!(
            self.file.size(),
            before + (HEADER_SIZE + payload.len()) as u64,
            "log {}: bytes after a record",
            self.log_number
        );
        Ok(())
    }

    fn add_in_fragments(&mut self, payload: &[u8]) -> Result<()> {
        if let Some(e) = &self.broken {
            return Err(e.clone());
        }
        let mut fragments = std::mem::take(&mut self.fragments);
        fragments.clear();
        let end = self.divide(payload, &mut fragments);
        self.check_fragments(&fragments, payload, end);
        let before = self.file.size();
        let added = self.file.append_fragments(&fragments, payload);
        self.fragments = fragments;
        if let Err(e) = added {
            return Err(self.failed(before, e));
        }
        self.block_offset = end;
        Ok(())
    }

    /// Divides a record among the blocks. Returns the offset in its block at which the next record
    /// begins.
    fn divide(&self, payload: &[u8], fragments: &mut Vec<Fragment>) -> usize {
        let (mut rest, mut offset) = (payload, self.block_offset);
        loop {
            let room = BLOCK_SIZE - offset;
            // Space that is too short for a header is filled.
            let padding = if room < HEADER_SIZE { room } else { 0 };
            let room = if padding > 0 { BLOCK_SIZE } else { room };
            let (part, after) = rest.split_at(rest.len().min(room - HEADER_SIZE));
            let kind = match (fragments.is_empty(), after.is_empty()) {
                (true, true) => FULL,
                (true, false) => FIRST,
                (false, false) => MIDDLE,
                (false, true) => LAST,
            };
            let header = self.header(kind, part);
            fragments.push(Fragment { padding, header, len: part.len() });
            offset = (BLOCK_SIZE - room + HEADER_SIZE + part.len()) % BLOCK_SIZE;
            if after.is_empty() {
                return offset;
            }
            rest = after;
        }
    }

    /// Asserts what a reader relies on: the fragments are the record, in the order of their types, and end where the
    /// next one is to begin.
    fn check_fragments(&self, fragments: &[Fragment], payload: &[u8], end: usize) {
        if !cfg!(debug_assertions) {
            return;
        }
        let bytes: usize = fragments.iter().map(|f| f.len).sum();
        assert_eq!(bytes, payload.len(), "log {}: bytes of all fragments", self.log_number);
        let kinds: Vec<u8> = fragments.iter().map(|f| f.header[HEADER_SIZE - 1]).collect();
        let in_order = match &kinds[..] {
            [kind] => *kind == FULL,
            [first, middle @ .., last] => {
                (*first, *last) == (FIRST, LAST) && middle.iter().all(|kind| *kind == MIDDLE)
            }
            [] => false,
        };
        assert!(
            in_order,
            "log {}: expected FULL, or FIRST to LAST, found {kinds:?}",
            self.log_number
        );
        let size: usize = fragments.iter().map(|f| f.padding + HEADER_SIZE + f.len).sum();
        let expected = (self.block_offset + size) % BLOCK_SIZE;
        assert_eq!(end, expected, "log {}: where the record ends in its block", self.log_number);
    }

    #[inline]
    fn header(&self, kind: u8, payload: &[u8]) -> [u8; HEADER_SIZE] {
        debug_assert!(
            payload.len() <= BLOCK_SIZE - HEADER_SIZE,
            "expected a fragment of at most a block, found {} bytes",
            payload.len()
        );
        let crc = mask(crc32c_extend(self.type_crc[usize::from(kind)], payload)).to_le_bytes();
        let len = (payload.len() as u16).to_le_bytes();
        [crc[0], crc[1], crc[2], crc[3], len[0], len[1], kind]
    }

    /// Handles a failed append. If a part of the record was written, the offset of the next record
    /// is unknown.
    #[cold]
    fn failed(&mut self, size_before: u64, e: Error) -> Error {
        if self.file.size() != size_before {
            self.broken = Some(e.clone());
        }
        e
    }

    /// Whether no record can follow, because a record was cut short or the file failed.
    pub fn is_broken(&self) -> bool {
        self.broken.is_some() || self.file.is_broken()
    }

    /// Passes all records to the operating system.
    pub fn flush(&mut self) -> Result<()> {
        self.file.flush()
    }

    /// Waits until all records are on the device.
    pub fn sync(&mut self) -> Result<()> {
        self.file.sync()
    }

    /// A handle that syncs while other threads append.
    pub fn syncer(&self) -> Arc<dyn FileSyncer> {
        self.file.syncer()
    }

    /// The number of bytes written.
    pub fn size(&self) -> u64 {
        self.file.size()
    }

    /// Unmaps the log's windows. Called when the log is full: it is closed after a sync, which may take long.
    pub fn release_memory(&mut self) {
        self.file.release_memory();
    }

    /// Removes space allocated ahead and closes the file.
    pub fn close(&mut self) -> Result<()> {
        self.file.close()
    }

    /// The number in the log's file name.
    pub fn log_number(&self) -> u64 {
        self.log_number
    }
}

#[cfg(test)]
#[path = "writer_test.rs"]
mod tests;
