//! The log reader: reads records and classifies damage.
//!
//! The reaction to damage depends on the recovery mode:
//!
//! | Damage | Tolerate | Absolute | PointInTime | SkipAny |
//! |---|---|---|---|---|
//! | torn tail: the file ends inside a record | end | fail | stop | end |
//! | hole: zeros, and records in later blocks | end | fail | stop | skip |
//! | bad record followed only by zeros, or in a recycled log | end | fail | stop | skip |
//! | anything else | fail | fail | stop | skip |
//!
//! "Fail" is an error. "Stop" is [`ReadOutcome::Stop`]: the records so far are a consistent state,
//! and a later log may follow only if it continues exactly where this one stopped. "Skip" drops the
//! rest of the block (bad length or checksum) or the record (unknown type). A MANIFEST is read with
//! `TolerateCorruptedTailRecords`.
//!
//! A power failure can leave a hole in a mapped log: pages reach the device in any order, so later
//! records may exist without earlier ones, or a header without its payload. None of them was
//! synced.
//!
//! Bytes are never trusted: lengths are checked against the block, and sizes of compressed records
//! are limited. A reader is for one thread.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::fragments::{Fragment, Fragments, Step};
use super::record::*;
use crate::base::coding::fixed32_at;
use crate::compress::{CompressionType, decompress_zstd_frame};
use crate::error::{Error, Result};
use crate::fs::RandomAccessFile;
use crate::options::WalRecoveryMode;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// The size of the smallest write batch: its sequence number and count.
const MIN_BATCH: usize = 12;

/// The result of [`LogReader::read_record`].
#[derive(Debug)]
pub enum ReadOutcome<'a> {
    /// A record.
    Record(&'a [u8]),
    /// No more records. [`LogReader::damage`] returns the tolerated damage.
    End,
    /// Point-in-time recovery stops here.
    Stop(Damage),
}

/// Invalid bytes in a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The offset in the log.
    pub offset: u64,
    /// The number of dropped bytes.
    pub bytes: u64,
    /// RocksDB's description of it.
    pub what: String,
    /// Whether the file ended inside a record, as after a crash.
    pub torn_tail: bool,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "offset {}: {} ({} bytes dropped)", self.offset, self.what, self.bytes)
    }
}

/// Reads a log sequentially.
pub struct LogReader {
    fragments: Fragments,
    min_record: usize,
    /// A record assembled from fragments, or decompressed.
    scratch: Vec<u8>,
    /// The offset of the record that is being assembled.
    fragments_from: Option<u64>,
    record_offset: u64,
    end_offset: u64,
    records_seen: bool,
    compressed: bool,
    timestamp_sizes: Vec<(u32, u16)>,
    damage: Vec<Damage>,
    ended: bool,
}

/// The location of a complete record.
enum Found {
    Block(Range<usize>),
    Scratch,
}

impl LogReader {
    /// Reads a log of any records.
    pub fn new(
        file: Arc<dyn RandomAccessFile>,
        log_number: u64,
        verify_checksums: bool,
    ) -> LogReader {
        LogReader {
            fragments: Fragments::new(file, log_number, verify_checksums),
            min_record: 0,
            scratch: Vec::new(),
            fragments_from: None,
            record_offset: 0,
            end_offset: 0,
            records_seen: false,
            compressed: false,
            timestamp_sizes: Vec::new(),
            damage: Vec::new(),
            ended: false,
        }
    }

    /// Reads a write-ahead log: a record too short for a write batch is damage.
    pub fn wal(file: Arc<dyn RandomAccessFile>, log_number: u64) -> LogReader {
        LogReader { min_record: MIN_BATCH, ..LogReader::new(file, log_number, true) }
    }

    /// Reads a MANIFEST. It is never mapped, so zeros that are normal in a WAL after a crash are damage in it. RocksDB
    /// accepts recyclable records in it if their log number is 0.
    pub fn manifest(file: Arc<dyn RandomAccessFile>) -> LogReader {
        let reader = LogReader::new(file, 0, true);
        LogReader { fragments: reader.fragments.written_in_order(), ..reader }
    }

    /// The next record, according to `mode`. After `End`, `Stop` or an error there are no more.
    pub fn read_record(&mut self, mode: WalRecoveryMode) -> Result<ReadOutcome<'_>> {
        while !self.ended {
            let step = self.fragments.step().inspect_err(|_| self.ended = true)?;
            let stop = match step {
                Step::Fragment(f) => match self.take(f, mode)? {
                    Ok(Some(Found::Scratch)) => return Ok(ReadOutcome::Record(&self.scratch)),
                    Ok(Some(Found::Block(payload))) => {
                        return Ok(ReadOutcome::Record(self.fragments.payload(&payload)));
                    }
                    Ok(None) => None,
                    Err(stop) => Some(stop),
                },
                Step::End | Step::Foreign => self.end(mode)?,
                Step::OnlyZeros(offset) => match self.fragments_from {
                    None => self.end(mode)?,
                    Some(_) => {
                        self.broken(offset, 0, "error in middle of record".to_owned(), mode)?
                    }
                },
                Step::Torn(offset, bytes, what) => self.torn(offset, bytes, what, mode)?,
                Step::Unsynced(offset, bytes, what) => self.unsynced(offset, bytes, what, mode)?,
                Step::Broken(offset, bytes, what) => {
                    self.broken(offset, bytes, what.to_owned(), mode)?
                }
            };
            if let Some(damage) = stop {
                return Ok(ReadOutcome::Stop(damage));
            }
        }
        Ok(ReadOutcome::End)
    }

    /// Continues after the last complete record in `fresh`, a reader of the same log that was
    /// opened later and sees records appended in the meantime.
    pub fn go_on_in(&mut self, fresh: LogReader) {
        self.fragments.go_on_in(fresh.fragments, self.end_offset);
        self.fragments_from = None;
        self.ended = false;
    }

    /// The damage found so far, tolerated or not.
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }

    /// The offset of the last record.
    pub fn record_offset(&self) -> u64 {
        self.record_offset
    }

    /// The end of the last record.
    pub fn end_offset(&self) -> u64 {
        self.end_offset
    }

    /// Column families with user timestamps and the size of these, as recorded in the log so far.
    #[cfg(test)]
    fn timestamp_sizes(&self) -> &[(u32, u16)] {
        &self.timestamp_sizes
    }

    // ---- classifying damage ----

    fn note(&mut self, offset: u64, bytes: u64, what: String, torn_tail: bool) -> Damage {
        let damage = Damage { offset, bytes, what, torn_tail };
        self.damage.push(damage.clone());
        damage
    }

    /// Ends reading because of damage that is fatal in this mode.
    fn stop_or_fail(&mut self, damage: Damage, mode: WalRecoveryMode) -> Result<Option<Damage>> {
        self.ended = true;
        match mode {
            WalRecoveryMode::PointInTimeRecovery => Ok(Some(damage)),
            _ => Err(Error::corruption_at(self.fragments.path(), damage.offset, damage.what)),
        }
    }

    /// Ends the log between records; inside a record, this is a torn tail.
    fn end(&mut self, mode: WalRecoveryMode) -> Result<Option<Damage>> {
        self.ended = true;
        match self.fragments_from.take() {
            None => Ok(None),
            Some(from) => {
                let bytes = self.scratch.len() as u64;
                self.torn(from, bytes, "error reading trailing data", mode)
            }
        }
    }

    fn torn(
        &mut self,
        offset: u64,
        bytes: u64,
        what: &str,
        mode: WalRecoveryMode,
    ) -> Result<Option<Damage>> {
        self.ended = true;
        let damage = self.note(offset, bytes, what.to_owned(), true);
        match mode {
            WalRecoveryMode::TolerateCorruptedTailRecords
            | WalRecoveryMode::SkipAnyCorruptedRecords => Ok(None),
            _ => self.stop_or_fail(damage, mode),
        }
    }

    fn unsynced(
        &mut self,
        offset: u64,
        bytes: u64,
        what: &str,
        mode: WalRecoveryMode,
    ) -> Result<Option<Damage>> {
        if mode == WalRecoveryMode::TolerateCorruptedTailRecords {
            self.note(offset, bytes, what.to_owned(), true);
            self.ended = true;
            return Ok(None);
        }
        self.broken(offset, bytes, what.to_owned(), mode)
    }

    fn broken(
        &mut self,
        offset: u64,
        bytes: u64,
        what: String,
        mode: WalRecoveryMode,
    ) -> Result<Option<Damage>> {
        let damage = self.note(offset, bytes, what, false);
        match mode {
            WalRecoveryMode::SkipAnyCorruptedRecords => {
                self.fragments_from = None;
                Ok(None)
            }
            _ => self.stop_or_fail(damage, mode),
        }
    }

    // ---- assembling records ----

    /// Adds a fragment. Returns a record if it is now complete, or the damage at which to stop.
    fn take(
        &mut self,
        f: Fragment,
        mode: WalRecoveryMode,
    ) -> Result<std::result::Result<Option<Found>, Damage>> {
        let len = f.payload.len() as u64;
        let in_fragments = self.fragments_from;
        let problem = match f.kind {
            FULL | FIRST if in_fragments.is_some() => Some("partial record without end"),
            MIDDLE | LAST if in_fragments.is_none() => Some("missing start of fragmented record"),
            _ => None,
        };
        if let Some(what) = problem {
            let (offset, bytes) = match in_fragments {
                Some(from) => (from, self.scratch.len() as u64),
                None => (f.offset, len),
            };
            if let Some(stop) = self.broken(offset, bytes, what.to_owned(), mode)? {
                return Ok(Err(stop));
            }
            if matches!(f.kind, MIDDLE | LAST) {
                return Ok(Ok(None));
            }
        }
        let payload = self.fragments.payload(&f.payload);
        match f.kind {
            FULL => {
                self.record_offset = f.offset;
                return self.finish(Found::Block(f.payload), mode);
            }
            FIRST => {
                self.scratch.clear();
                self.scratch.extend_from_slice(payload);
                self.fragments_from = Some(f.offset);
            }
            MIDDLE => self.scratch.extend_from_slice(payload),
            LAST => {
                self.scratch.extend_from_slice(payload);
                self.record_offset = self.fragments_from.take().unwrap_or(f.offset);
                return self.finish(Found::Scratch, mode);
            }
            _ => return self.take_meta(&f, mode),
        }
        Ok(Ok(None))
    }

    /// Decompresses a whole record and checks its size.
    fn finish(
        &mut self,
        found: Found,
        mode: WalRecoveryMode,
    ) -> Result<std::result::Result<Option<Found>, Damage>> {
        self.records_seen = true;
        let end = self.fragments.offset();
        debug_assert!(
            self.end_offset <= self.record_offset && self.record_offset < end,
            "expected a record between {} and {end}, found it at {}",
            self.end_offset,
            self.record_offset
        );
        self.end_offset = end;
        let mut found = found;
        let mut problem = None;
        if self.compressed {
            let raw = match &found {
                Found::Block(r) => self.fragments.payload(r),
                Found::Scratch => &self.scratch,
            };
            match decompress_zstd_frame(raw) {
                Ok(record) => (self.scratch, found) = (record, Found::Scratch),
                Err(e) => problem = Some(e.message().to_owned()),
            }
        }
        let len = match &found {
            Found::Block(r) => r.len(),
            Found::Scratch => self.scratch.len(),
        };
        if problem.is_none() && len < self.min_record {
            problem = Some("log record too small".to_owned());
        }
        let Some(what) = problem else { return Ok(Ok(Some(found))) };
        let stop = self.broken(self.record_offset, len as u64, what, mode)?;
        Ok(stop.map_or(Ok(None), Err))
    }

    /// Handles records about the log itself, and records of unknown types.
    fn take_meta(
        &mut self,
        f: &Fragment,
        mode: WalRecoveryMode,
    ) -> Result<std::result::Result<Option<Found>, Damage>> {
        let payload = self.fragments.payload(&f.payload);
        let problem = match f.kind {
            SET_COMPRESSION => match fixed32_at(payload, 0) {
                _ if self.records_seen || self.compressed => {
                    Some("compression set after the start of the log".to_owned())
                }
                Some(7) => {
                    self.compressed = true;
                    None
                }
                Some(0) => None,
                Some(t) => {
                    self.ended = true;
                    let name = u8::try_from(t).ok().and_then(CompressionType::from_byte);
                    let name = name.map_or_else(|| t.to_string(), |t| t.name().to_owned());
                    return Err(Error::not_supported(format!("WAL compression {name}"))
                        .in_file(self.fragments.path()));
                }
                None => Some("compression record without a type".to_owned()),
            },
            TIMESTAMP_SIZE | RECYCLABLE_TIMESTAMP_SIZE => {
                for pair in payload.chunks_exact(6) {
                    if let [a, b, c, d, e, f] = *pair {
                        let cf = u32::from_le_bytes([a, b, c, d]);
                        self.timestamp_sizes.push((cf, u16::from_le_bytes([e, f])));
                    }
                }
                (!payload.len().is_multiple_of(6))
                    .then(|| "timestamp sizes of odd length".to_owned())
            }
            t if t >= IGNORABLE => None,
            t => Some(format!("unknown record type {t}")),
        };
        let Some(what) = problem else { return Ok(Ok(None)) };
        let stop = self.broken(f.offset, f.payload.len() as u64, what, mode)?;
        Ok(stop.map_or(Ok(None), Err))
    }
}

#[cfg(test)]
#[path = "reader_test.rs"]
pub(crate) mod tests;
