//! The fragment reader: finds the fragments in the blocks of a log, and distinguishes the effects
//! of a crash from other damage.
//!
//! Lengths are checked against the block, checksums against the payload. After a wrong length, no
//! further fragment in the block can be found, so its rest is dropped. This file does not depend on
//! recovery modes.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::record::*;
use crate::base::checksum::{crc32c, unmask};
use crate::base::coding::fixed32_at;
use crate::error::Result;
use crate::fs::RandomAccessFile;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// The maximum number of unused bytes at the end of a recyclable log's block.
const MAX_PADDING: usize = RECYCLABLE_HEADER_SIZE - 1;

/// A fragment: its type, and the range of its payload in the block.
pub(super) struct Fragment {
    pub(super) kind: u8,
    pub(super) payload: Range<usize>,
    pub(super) offset: u64,
}

/// The result of reading the next bytes.
pub(super) enum Step {
    Fragment(Fragment),
    /// A clean end.
    End,
    /// An end inside a header or payload.
    Torn(u64, u64, &'static str),
    /// The same in a log that is written in order: only zeros are left from this offset on.
    OnlyZeros(u64),
    /// A record of the log that previously used this file.
    Foreign,
    /// Damage that a crash can cause after the synced part: offset, bytes, description.
    Unsynced(u64, u64, &'static str),
    /// Damage that no crash can cause: offset, bytes, description.
    Broken(u64, u64, &'static str),
}

/// Reads a log sequentially, fragment by fragment.
pub(super) struct Fragments {
    file: Arc<dyn RandomAccessFile>,
    log_number: u64,
    verify_checksums: bool,
    /// Whether the file may have been allocated ahead and filled through a mapping: after a crash some of its pages may
    /// be zeros, in any order. Otherwise zeros are damage, except at an end where no record has begun.
    mapped: bool,
    /// The current block, shorter than [`BLOCK_SIZE`] only at the end of the file.
    block: Vec<u8>,
    /// The file offset of the block.
    block_start: u64,
    /// The number of bytes of the block that were read.
    at: usize,
    /// The number of bytes of the first block to skip.
    skip: usize,
    /// Whether a recyclable record was found.
    recycled: bool,
}

impl Fragments {
    pub(super) fn new(
        file: Arc<dyn RandomAccessFile>,
        log_number: u64,
        verify_checksums: bool,
    ) -> Fragments {
        Fragments {
            file,
            log_number,
            verify_checksums,
            mapped: true,
            block: Vec::new(),
            block_start: 0,
            at: 0,
            skip: 0,
            recycled: false,
        }
    }

    /// Declares that the log was written sequentially, as with write(2).
    pub(super) fn written_in_order(mut self) -> Fragments {
        self.mapped = false;
        self
    }

    /// Continues at `offset` in the same log, opened again as `fresh`, from which nothing was read
    /// yet.
    pub(super) fn go_on_in(&mut self, fresh: Fragments, offset: u64) {
        let skip = offset % BLOCK_SIZE as u64;
        let (block_start, skip) = (offset - skip, skip as usize);
        *self = Fragments { block_start, skip, recycled: self.recycled, ..fresh };
    }

    pub(super) fn path(&self) -> &Path {
        self.file.path()
    }

    /// The payload of a fragment, valid until the next step.
    pub(super) fn payload(&self, range: &Range<usize>) -> &[u8] {
        self.block.get(range.clone()).unwrap_or_default()
    }

    /// The current offset in the file.
    pub(super) fn offset(&self) -> u64 {
        self.block_start + self.at as u64
    }

    /// Whether the current block is the last of the file.
    fn last_block(&self) -> bool {
        self.block.len() < BLOCK_SIZE
    }

    fn next_block(&mut self) -> Result<()> {
        self.block_start += self.block.len() as u64;
        self.block.resize(BLOCK_SIZE, 0);
        let n = self.file.read_at(self.block_start, &mut self.block)?;
        self.block.truncate(n);
        self.at = std::mem::take(&mut self.skip).min(n);
        Ok(())
    }

    /// Reads the next fragment.
    pub(super) fn step(&mut self) -> Result<Step> {
        let rest = self.block.len() - self.at;
        if rest < HEADER_SIZE {
            let fresh = self.block.is_empty();
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
        debug_assert!(
            self.at <= self.block.len(),
            "expected a fragment in its block of {} bytes, found its end at {}",
            self.block.len(),
            self.at
        );
        let kind = match kind {
            RECYCLABLE_FULL..=RECYCLABLE_LAST => kind - RECYCLABLE_FULL + FULL,
            other => other,
        };
        Ok(Step::Fragment(Fragment { kind, payload: from..from + len, offset }))
    }

    /// Handles a header without length and type. Usually this is the end: the space was allocated and not written, or
    /// it contains the payload of a record that a killed process did not publish. Otherwise it is the rest of a block
    /// that was too short for a record, or a hole.
    fn zeros(&mut self, offset: u64, rest: usize) -> Result<Step> {
        let block_end = self.block_start + self.block.len() as u64;
        if self.last_block() || !self.header_after(block_end)? {
            self.at = self.block.len();
            return Ok(if self.mapped { Step::End } else { Step::OnlyZeros(offset) });
        }
        self.next_block()?;
        // Records about the log are never divided, so the rest of a block before them may be long.
        let kind = self.block.get(HEADER_SIZE - 1).copied().unwrap_or(ZERO);
        let about_the_log =
            matches!(kind, SET_COMPRESSION..=RECYCLABLE_TIMESTAMP_SIZE) || kind >= IGNORABLE;
        if rest <= MAX_PADDING || about_the_log {
            return self.step_in_block();
        }
        let what = "zeros before later records";
        Ok(if self.mapped {
            Step::Unsynced(offset, 0, what)
        } else {
            Step::Broken(offset, 0, what)
        })
    }

    /// Whether any block from `offset` on, where a block begins, has a header. No fragment can be found in a block
    /// without one.
    fn header_after(&self, mut offset: u64) -> Result<bool> {
        let mut header = [0; HEADER_SIZE];
        while self.file.read_at(offset, &mut header)? == HEADER_SIZE {
            let [_, _, _, _, l0, l1, kind] = header;
            if (l0, l1, kind) != (0, 0, ZERO) {
                return Ok(true);
            }
            offset += BLOCK_SIZE as u64;
        }
        Ok(false)
    }

    /// Whether there is any non-zero byte from `offset` on.
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

    /// Handles a record whose length exceeds its block. At the end of the file it is torn.
    fn too_long(&mut self, offset: u64) -> Result<Step> {
        let bytes = (self.block.len() - self.at) as u64;
        self.at = self.block.len();
        if self.last_block() {
            return Ok(Step::Torn(offset, bytes, "truncated record body"));
        }
        // A full block may also be the last one.
        let block_end = self.block_start + self.block.len() as u64;
        if self.mapped && self.file.read_at(block_end, &mut [0])? == 0 {
            return Ok(Step::Torn(offset, bytes, "truncated record body"));
        }
        Ok(self.damaged(offset, bytes, "bad record length"))
    }

    /// Drops the rest of the block: after a wrong length no further fragment in it can be found.
    fn bad_checksum(&mut self, offset: u64, end: u64) -> Result<Step> {
        let bytes = (self.block.len() - self.at) as u64;
        self.at = self.block.len();
        let zeros_follow = self.mapped && self.file.read_at(end, &mut [0])? == 1;
        if zeros_follow && !self.data_after(end)? {
            return Ok(Step::Unsynced(offset, bytes, "checksum mismatch"));
        }
        Ok(self.damaged(offset, bytes, "checksum mismatch"))
    }

    /// Damage. In a recycled log the remains of older records follow the end, cut at any point.
    fn damaged(&self, offset: u64, bytes: u64, what: &'static str) -> Step {
        match self.recycled {
            true => Step::Unsynced(offset, bytes, what),
            false => Step::Broken(offset, bytes, what),
        }
    }
}
