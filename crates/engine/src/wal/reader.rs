//! Reads records and judges damage.
//!
//! What follows damage depends on the recovery mode:
//!
//! | Damage | Tolerate | Absolute | PointInTime | SkipAny |
//! |---|---|---|---|---|
//! | torn tail: the file ends inside a record | end | fail | stop | end |
//! | hole: zeros, and records in later blocks | end | fail | stop | skip |
//! | bad record with nothing but zeros behind it, or in a recycled log | end | fail | stop | skip |
//! | anything else | fail | fail | stop | skip |
//!
//! "Fail" is an error. "Stop" is [`ReadOutcome::Stop`]: the records so far are a consistent state,
//! and a later log may follow only if it goes on exactly where this one stopped. "Skip" drops the
//! rest of the block (bad length or checksum) or the record (unknown type). A MANIFEST is read with
//! `TolerateCorruptedTailRecords`.
//!
//! A hole is what a power failure leaves of a mapped log: pages reach the device in any order, so
//! later records may be there without earlier ones, or a header without its payload. None of them
//! was synced.
//!
//! Bytes are never trusted: lengths are checked against the block, sizes of compressed records
//! are capped. Not safe from many threads.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::record::*;
use crate::base::checksum::{crc32c, unmask};
use crate::base::coding::fixed32_at;
use crate::compress::{CompressionType, decompress_zstd_frame};
use crate::error::{Error, Result};
use crate::fs::RandomAccessFile;
use crate::options::WalRecoveryMode;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// The smallest write batch: its sequence number and count.
const MIN_BATCH: usize = 12;
/// What a recyclable log may leave unused at the end of a block.
const MAX_PADDING: usize = RECYCLABLE_HEADER_SIZE - 1;

/// What [`LogReader::read_record`] found.
#[derive(Debug)]
pub enum ReadOutcome<'a> {
    /// A record.
    Record(&'a [u8]),
    /// No more records. See [`LogReader::damage`] for what was tolerated.
    End,
    /// Point-in-time recovery stops here.
    Stop(Damage),
}

/// Bytes that are not what they must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Where in the log.
    pub offset: u64,
    /// How many bytes were dropped.
    pub bytes: u64,
    /// RocksDB's words for it.
    pub what: String,
    /// The file ended inside a record, as after a crash.
    pub torn_tail: bool,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "offset {}: {} ({} bytes dropped)", self.offset, self.what, self.bytes)
    }
}

/// Reads a log from front to back.
pub struct LogReader {
    file: Arc<dyn RandomAccessFile>,
    log_number: u64,
    verify_checksums: bool,
    min_record: usize,
    /// The current block, shorter than [`BLOCK_SIZE`] only at the end of the file.
    block: Vec<u8>,
    /// Where in the file it begins.
    block_start: u64,
    /// What of it was read.
    at: usize,
    /// A record put together from fragments, or decompressed.
    scratch: Vec<u8>,
    /// Where the record that is being put together begins.
    fragments_from: Option<u64>,
    record_offset: u64,
    end_offset: u64,
    recycled: bool,
    records_seen: bool,
    compressed: bool,
    timestamp_sizes: Vec<(u32, u16)>,
    damage: Vec<Damage>,
    ended: bool,
}

/// A fragment: its type and where its payload lies in the block.
struct Fragment {
    kind: u8,
    payload: Range<usize>,
    offset: u64,
}

/// What the next bytes are.
enum Step {
    Fragment(Fragment),
    /// The end, clean.
    End,
    /// The end, inside of a header or payload.
    Torn(u64, u64, &'static str),
    /// A record of the log that had this file before.
    Foreign,
    /// What a crash leaves behind the synced part: offset, bytes, what.
    Unsynced(u64, u64, &'static str),
    /// What no crash leaves: offset, bytes, what.
    Broken(u64, u64, &'static str),
}

/// Where a whole record lies.
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
            file,
            log_number,
            verify_checksums,
            min_record: 0,
            block: Vec::new(),
            block_start: 0,
            at: 0,
            scratch: Vec::new(),
            fragments_from: None,
            record_offset: 0,
            end_offset: 0,
            recycled: false,
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

    /// The next record, as `mode` allows. After `End`, `Stop` or an error there is none.
    pub fn read_record(&mut self, mode: WalRecoveryMode) -> Result<ReadOutcome<'_>> {
        while !self.ended {
            let step = self.step().inspect_err(|_| self.ended = true)?;
            let stop = match step {
                Step::Fragment(f) => match self.take(f, mode)? {
                    Ok(Some(Found::Scratch)) => return Ok(ReadOutcome::Record(&self.scratch)),
                    Ok(Some(Found::Block(payload))) => {
                        let record = self.block.get(payload).unwrap_or_default();
                        return Ok(ReadOutcome::Record(record));
                    }
                    Ok(None) => None,
                    Err(stop) => Some(stop),
                },
                Step::End | Step::Foreign => self.end(mode)?,
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

    /// Damage met so far, tolerated or not.
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }

    /// Where the last record begins.
    pub fn record_offset(&self) -> u64 {
        self.record_offset
    }

    /// Where the last record ends.
    pub fn end_offset(&self) -> u64 {
        self.end_offset
    }

    /// Column families with user timestamps, and the size of these, as the log says so far.
    pub fn timestamp_sizes(&self) -> &[(u32, u16)] {
        &self.timestamp_sizes
    }

    /// The number in the log's name.
    pub fn log_number(&self) -> u64 {
        self.log_number
    }

    // ---- judging ----

    fn note(&mut self, offset: u64, bytes: u64, what: String, torn_tail: bool) -> Damage {
        let damage = Damage { offset, bytes, what, torn_tail };
        self.damage.push(damage.clone());
        damage
    }

    /// Ends in the way of the mode for damage that is fatal in it.
    fn stop_or_fail(&mut self, damage: Damage, mode: WalRecoveryMode) -> Result<Option<Damage>> {
        self.ended = true;
        match mode {
            WalRecoveryMode::PointInTimeRecovery => Ok(Some(damage)),
            _ => Err(Error::corruption_at(self.file.path(), damage.offset, damage.what)),
        }
    }

    /// The log ends between records; if in the middle of one, that is a torn tail.
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

    // ---- putting records together ----

    /// Adds a fragment: a record if it is complete now, or the damage to stop at.
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
        let payload = self.block.get(f.payload.clone()).unwrap_or_default();
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
        self.end_offset = self.offset();
        let mut found = found;
        let mut problem = None;
        if self.compressed {
            let raw = match &found {
                Found::Block(r) => self.block.get(r.clone()).unwrap_or_default(),
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

    /// Records about the log itself, and those of types nobody knows.
    fn take_meta(
        &mut self,
        f: &Fragment,
        mode: WalRecoveryMode,
    ) -> Result<std::result::Result<Option<Found>, Damage>> {
        let payload = self.block.get(f.payload.clone()).unwrap_or_default();
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
                        .in_file(self.file.path()));
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

    // ---- fragments ----

    /// Where reading stands.
    fn offset(&self) -> u64 {
        self.block_start + self.at as u64
    }

    /// Whether the current block is the last of the file.
    fn last_block(&self) -> bool {
        self.block.len() < BLOCK_SIZE
    }

    fn next_block(&mut self) -> Result<()> {
        self.block_start += self.block.len() as u64;
        self.at = 0;
        self.block.resize(BLOCK_SIZE, 0);
        let n = self.file.read_at(self.block_start, &mut self.block)?;
        self.block.truncate(n);
        Ok(())
    }

    /// Reads the next fragment.
    fn step(&mut self) -> Result<Step> {
        let rest = self.block.len() - self.at;
        if rest < HEADER_SIZE {
            let fresh = self.block_start == 0 && self.block.is_empty();
            if fresh || !self.last_block() {
                self.next_block()?;
                return match self.block.len() {
                    0 => Ok(Step::End),
                    _ => self.step_in_block(),
                };
            }
            let tail = self.block.get(self.at..).unwrap_or_default();
            if tail.iter().all(|&b| b == 0) {
                return Ok(Step::End);
            }
            return Ok(Step::Torn(self.offset(), rest as u64, "truncated header"));
        }
        self.step_in_block()
    }

    fn step_in_block(&mut self) -> Result<Step> {
        let offset = self.offset();
        let rest = self.block.get(self.at..).unwrap_or_default();
        let Some(&[c0, c1, c2, c3, l0, l1, kind]) = rest.first_chunk::<HEADER_SIZE>() else {
            return self.step();
        };
        let len = usize::from(u16::from_le_bytes([l0, l1]));
        if kind == ZERO && len == 0 {
            return self.zeros(offset, rest.len());
        }
        let recyclable = matches!(
            kind,
            RECYCLABLE_FULL..=RECYCLABLE_LAST | RECYCLABLE_TIMESTAMP_SIZE | RECYCLABLE_PREDECESSOR
        );
        let header = if recyclable { RECYCLABLE_HEADER_SIZE } else { HEADER_SIZE };
        let Some(payload) = rest.get(header..header + len) else {
            return self.too_long(offset);
        };
        if recyclable {
            self.recycled = true;
            if fixed32_at(rest, HEADER_SIZE) != Some(self.log_number as u32) {
                return Ok(Step::Foreign);
            }
        }
        let stored = unmask(u32::from_le_bytes([c0, c1, c2, c3]));
        let covered = rest.get(HEADER_SIZE - 1..header + len).unwrap_or_default();
        if self.verify_checksums && crc32c(covered) != stored {
            let end = offset + (header + payload.len()) as u64;
            return self.bad_checksum(offset, end);
        }
        let from = self.at + header;
        self.at = from + len;
        let kind = match kind {
            RECYCLABLE_FULL..=RECYCLABLE_LAST => kind - RECYCLABLE_FULL + FULL,
            other => other,
        };
        Ok(Step::Fragment(Fragment { kind, payload: from..from + len, offset }))
    }

    /// A header without length and type. Usually the end: allocated and not written. Otherwise the
    /// rest of a block that was too short for a record, or a hole.
    fn zeros(&mut self, offset: u64, rest: usize) -> Result<Step> {
        let block_end = self.block_start + self.block.len() as u64;
        if self.last_block() || !self.data_after(block_end)? {
            self.at = self.block.len();
            return Ok(Step::End);
        }
        self.next_block()?;
        // Records about the log are never cut: what is left of a block before them may be long.
        let kind = self.block.get(HEADER_SIZE - 1).copied().unwrap_or(ZERO);
        let about_the_log =
            matches!(kind, SET_COMPRESSION..=RECYCLABLE_TIMESTAMP_SIZE) || kind >= IGNORABLE;
        if rest <= MAX_PADDING || about_the_log {
            return self.step_in_block();
        }
        Ok(Step::Unsynced(offset, 0, "zeros before later records"))
    }

    /// Whether there is anything but zeros from `offset` on.
    fn data_after(&self, mut offset: u64) -> Result<bool> {
        let mut buf = vec![0; BLOCK_SIZE];
        loop {
            let n = self.file.read_at(offset, &mut buf)?;
            if buf.iter().take(n).any(|&b| b != 0) {
                return Ok(true);
            }
            if n < buf.len() {
                return Ok(false);
            }
            offset += n as u64;
        }
    }

    /// The record claims more than its block has. At the end of the file it is torn.
    fn too_long(&mut self, offset: u64) -> Result<Step> {
        let bytes = (self.block.len() - self.at) as u64;
        self.at = self.block.len();
        if self.last_block() {
            return Ok(Step::Torn(offset, bytes, "truncated record body"));
        }
        // A full block may be the last one too.
        let block_end = self.block_start + self.block.len() as u64;
        if self.file.read_at(block_end, &mut [0])? == 0 {
            return Ok(Step::Torn(offset, bytes, "truncated record body"));
        }
        Ok(self.damaged(offset, bytes, "bad record length"))
    }

    /// The rest of the block is dropped: after a wrong length nothing in it can be found.
    fn bad_checksum(&mut self, offset: u64, end: u64) -> Result<Step> {
        let bytes = (self.block.len() - self.at) as u64;
        self.at = self.block.len();
        if self.file.read_at(end, &mut [0])? == 1 && !self.data_after(end)? {
            return Ok(Step::Unsynced(offset, bytes, "checksum mismatch"));
        }
        Ok(self.damaged(offset, bytes, "checksum mismatch"))
    }

    /// In a recycled log the rest of older records lies behind the end, cut anywhere.
    fn damaged(&self, offset: u64, bytes: u64, what: &'static str) -> Step {
        match self.recycled {
            true => Step::Unsynced(offset, bytes, what),
            false => Step::Broken(offset, bytes, what),
        }
    }
}

#[cfg(test)]
#[path = "reader_test.rs"]
pub(crate) mod tests;
