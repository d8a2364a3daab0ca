//! The section of literals of a compressed block. RFC 8878, section 3.1.1.3.1.

use super::super::codes::MAX_BLOCK;
use super::copy::{SLACK, Source};
use super::fault::{Fault, Result};
use super::huffman::Table;
use super::streams::{decode_four, decode_one};

const PART: &str = "section of literals";

/// How literals are stored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Raw,
    /// One byte that is repeated.
    Rle,
    /// Coded, with the tree before the streams.
    Compressed,
    /// Coded, with the tree of the block before.
    Treeless,
}

/// The header of a section.
pub(super) struct Section {
    kind: Kind,
    /// The number of literals.
    pub(super) size: usize,
    has_four_streams: bool,
    /// Where the header ends.
    at: usize,
    /// Where the section ends.
    pub(super) end: usize,
}

impl Section {
    /// Parses the header at `at`.
    pub(super) fn parse(frame: &[u8], at: usize) -> Result<Section> {
        let bytes = frame.get(at..).unwrap_or_default();
        let first = *bytes.first().ok_or(Fault::Ends(PART))?;
        let (kind, format) = (first & 3, first >> 2 & 3);
        let header = match (kind, format) {
            (0 | 1, 0 | 2) | (2 | 3, 0 | 1) => 1 + usize::from(kind & 2),
            (0 | 1, 1) => 2,
            (0 | 1, _) => 3,
            (_, 2) => 4,
            _ => 5,
        };
        let bytes = bytes.get(..header).ok_or(Fault::Ends(PART))?;
        let fields = bytes.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte)) as usize;
        let (size, stored, kind) = match kind {
            0 | 1 => {
                let size = fields >> if format & 1 == 0 { 3 } else { 4 };
                if kind == 0 { (size, size, Kind::Raw) } else { (size, 1, Kind::Rle) }
            }
            _ => {
                let bits = match format {
                    0 | 1 => 10,
                    2 => 14,
                    _ => 18,
                };
                let (size, stored) = (fields >> 4 & ((1 << bits) - 1), fields >> (4 + bits));
                (size, stored, if kind == 2 { Kind::Compressed } else { Kind::Treeless })
            }
        };
        if size > MAX_BLOCK {
            return Err(Fault::above("number of literals", MAX_BLOCK, size));
        }
        let at = at + header;
        Ok(Section { kind, size, has_four_streams: format != 0, at, end: at + stored })
    }
}

/// Decodes sections of literals.
#[derive(Default)]
pub(super) struct Literals {
    table: Table,
    /// Literals of the block, unless they are stored as they are. Longer than the most so far.
    buffer: Vec<u8>,
}

/// The buffer grows in steps of so many bytes.
const STEP: usize = 4096;

impl Literals {
    /// Forgets the tree of the last frame.
    pub(super) fn begin_frame(&mut self) {
        self.table.log = 0;
    }

    /// Returns the literals, decoded to a buffer if need be.
    pub(super) fn decode<'a>(
        &'a mut self,
        frame: &'a [u8],
        section: &Section,
    ) -> Result<Source<'a>> {
        let len = section.size;
        if section.kind == Kind::Raw {
            let bytes = frame.get(section.at..).unwrap_or_default();
            return Ok(Source { bytes, len });
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        if buffer.len() < len + SLACK {
            buffer.resize((len + SLACK).next_multiple_of(STEP), 0);
        }
        let decoded = self.decode_to(frame, section, buffer.get_mut(..len).unwrap_or_default());
        self.buffer = buffer;
        decoded?;
        Ok(Source { bytes: &self.buffer, len })
    }

    /// Decodes the literals to `out`, which has their number of bytes.
    pub(super) fn decode_to(
        &mut self,
        frame: &[u8],
        section: &Section,
        out: &mut [u8],
    ) -> Result<()> {
        let frame = frame.get(..section.end).ok_or(Fault::Ends(PART))?;
        let stored = frame.get(section.at..).unwrap_or_default();
        let at = match section.kind {
            Kind::Raw => {
                out.copy_from_slice(stored);
                return Ok(());
            }
            Kind::Rle => {
                out.fill(stored.first().copied().unwrap_or_default());
                return Ok(());
            }
            Kind::Compressed => self.table.read(frame, section.at)?,
            Kind::Treeless if self.table.log != 0 => section.at,
            Kind::Treeless => {
                return Err(Fault::not("literals without a Huffman tree", "a tree before"));
            }
        };
        match section.has_four_streams {
            true => decode_four(frame, at, &self.table, out),
            false => decode_one(frame, at, &self.table, out),
        }
    }
}
