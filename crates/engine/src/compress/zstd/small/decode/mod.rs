//! Decoding of a frame: header, blocks, checksum.
//!
//! `literals` and `sequences` decode the two sections of a compressed block, with tables from `huffman` and `fse`;
//! `bits` reads, `copy` writes. The content goes straight to the caller's memory. Bytes are never trusted: every
//! access to the frame, the content and the literals is checked, and tables are arrays whose indexes are masked.

mod bits;
mod copy;
mod fault;
mod fse;
mod huffman;
mod literals;
mod processor;
mod sequences;
mod streams;

use super::super::{keep, take};
use super::codes::{FIRST_OFFSETS, MAX_BLOCK};
use fault::{Fault, Result};
use literals::Literals;
use sequences::Sequences;
use std::cell::Cell;
use xxhash_rust::xxh64::xxh64;

const MAGIC: u32 = 0xFD2F_B528;
/// libzstd reads no frames with larger windows (`ZSTD_WINDOWLOG_MAX`).
const WINDOW_MAX: u64 = 1 << 31;
/// The checksum of a frame's content, in bytes.
const CHECKSUM: usize = 4;

/// What a thread keeps for its next frame: tables and the buffer of literals. Only the flags in them, which tell
/// whether a later block may use the tables again, belong to one frame.
#[derive(Default)]
struct Workspace {
    literals: Literals,
    sequences: Sequences,
}

thread_local! {
    static WORKSPACE: Cell<Option<Box<Workspace>>> = const { Cell::new(None) };
}

/// Decompresses a frame to the beginning of `raw`. Returns the content's size, or `None` if the stream is anything but
/// one small frame. After an error, and after `None`, the bytes of `raw` are arbitrary.
pub(in super::super) fn decompress(stream: &[u8], raw: &mut [u8]) -> Result<Option<usize>> {
    let Some(header) = Header::parse(stream) else { return Ok(None) };
    let room = raw.len();
    let Some(content) = raw.get_mut(..header.content) else {
        return Err(Fault::number("size of the content", room, header.content));
    };
    let mut workspace = take(&WORKSPACE).unwrap_or_default();
    let decoded = workspace.decode_blocks(stream, &header, content);
    keep(&WORKSPACE, workspace);
    let at = decoded?;
    let end = if header.has_checksum { compare_checksum(stream, at, content)? } else { at };
    // Another frame follows, or one to be skipped.
    Ok((end == stream.len()).then_some(header.content))
}

/// Returns the size of the content, or `None` if the stream does not begin with the header of a small frame.
#[cfg(any(test, fuzzing))]
pub(in super::super) fn content_size(stream: &[u8]) -> Option<usize> {
    Header::parse(stream).map(|header| header.content)
}

struct Header {
    /// Its length in bytes.
    len: usize,
    /// The size of the content.
    content: usize,
    /// The largest size of a block that a frame with this window may have (RFC 8878, 3.1.1.2.3).
    block_max: usize,
    has_checksum: bool,
}

impl Header {
    /// Returns `None` for everything but small frames. Whether the others are valid is not decided here.
    fn parse(stream: &[u8]) -> Option<Header> {
        if u32::from_le_bytes(*stream.first_chunk()?) != MAGIC {
            return None;
        }
        let descriptor = *stream.get(4)?;
        let is_single_segment = descriptor & 0x20 != 0;
        // The reserved bit, and the size of the dictionary's number.
        if descriptor & 0x0B != 0 {
            return None;
        }
        let (at, window) = match is_single_segment {
            true => (5, usize::MAX),
            false => (6, window_size(*stream.get(5)?)?),
        };
        let rest = stream.get(at..)?;
        let (len, content) = match descriptor >> 6 {
            0 if is_single_segment => (1, u64::from(*rest.first()?)),
            0 => return None,
            1 => (2, u64::from(u16::from_le_bytes(*rest.first_chunk()?)) + 256),
            2 => (4, u64::from(u32::from_le_bytes(*rest.first_chunk()?))),
            _ => (8, u64::from_le_bytes(*rest.first_chunk()?)),
        };
        let content = usize::try_from(content).ok()?;
        // With a window of at least the content, any earlier byte may be copied, and no block is too large.
        let is_small = content <= MAX_BLOCK && content <= window;
        let window = if is_single_segment { content } else { window };
        is_small.then_some(Header {
            len: at + len,
            content,
            block_max: window.min(MAX_BLOCK),
            has_checksum: descriptor & 4 != 0,
        })
    }
}

/// Returns the window's size in bytes, from its descriptor; `None` if it is larger than libzstd reads.
fn window_size(descriptor: u8) -> Option<usize> {
    let base = 1_u64 << (10 + (descriptor >> 3));
    let size = base + base / 8 * u64::from(descriptor & 7);
    (size <= WINDOW_MAX).then_some(usize::try_from(size).unwrap_or(usize::MAX))
}

fn compare_checksum(stream: &[u8], at: usize, content: &[u8]) -> Result<usize> {
    let stored = stream.get(at..).and_then(|rest| rest.first_chunk::<CHECKSUM>());
    let stored = u32::from_le_bytes(*stored.ok_or(Fault::Ends("checksum"))?);
    let computed = xxh64(content, 0) as u32;
    if stored != computed {
        return Err(Fault::number("checksum", stored as usize, computed as usize));
    }
    Ok(at + CHECKSUM)
}

impl Workspace {
    /// Decodes the blocks, which follow the header. Returns where the last one ends.
    fn decode_blocks(
        &mut self,
        stream: &[u8],
        header: &Header,
        content: &mut [u8],
    ) -> Result<usize> {
        self.literals.begin_frame();
        self.sequences.begin_frame();
        let (mut at, mut written, mut offsets) = (header.len, 0, FIRST_OFFSETS);
        loop {
            let block = BlockHeader::parse(stream, at, header.block_max)?;
            at += BlockHeader::LEN;
            let body = at..at + block.stored;
            let bytes = stream.get(body.clone()).ok_or(Fault::Ends("block"))?;
            written = match block.kind {
                Kind::Raw => copy::append(content, written, bytes)?,
                Kind::Rle => copy::append_run(content, written, bytes, block.size)?,
                Kind::Compressed => {
                    let frame = stream.get(..body.end).unwrap_or(stream);
                    self.decode_block(frame, at, content, written, &mut offsets)?
                }
            };
            at = body.end;
            if block.is_last {
                break;
            }
        }
        if written != content.len() {
            return Err(Fault::number("size of the content", content.len(), written));
        }
        Ok(at)
    }

    /// Decodes a compressed block, which begins at `at` and ends with `frame`, to `content` at `written`. Returns
    /// where its content ends.
    fn decode_block(
        &mut self,
        frame: &[u8],
        at: usize,
        content: &mut [u8],
        written: usize,
        offsets: &mut [u32; 3],
    ) -> Result<usize> {
        let section = literals::Section::parse(frame, at)?;
        let sequences = sequences::Section::parse(frame, section.end)?;
        if sequences.count == 0 {
            if sequences.at != frame.len() {
                return Err(Fault::number("end of the block", sequences.at, frame.len()));
            }
            // The literals are the content.
            let (room, end) = (content.len(), written + section.size);
            let to =
                content.get_mut(written..end).ok_or_else(|| Fault::above("content", room, end))?;
            self.literals.decode_to(frame, &section, to)?;
            return Ok(end);
        }
        let literals = self.literals.decode(frame, &section)?;
        self.sequences.prepare(frame, &sequences)?;
        let count = sequences.count;
        self.sequences.execute(frame, count, literals, content, written, offsets)
    }
}

enum Kind {
    Raw,
    Rle,
    Compressed,
}

struct BlockHeader {
    is_last: bool,
    kind: Kind,
    /// The size in the header: that of the content of raw blocks and runs, and the stored size of compressed ones.
    size: usize,
    /// The bytes after the header.
    stored: usize,
}

impl BlockHeader {
    const LEN: usize = 3;

    fn parse(stream: &[u8], at: usize, size_max: usize) -> Result<BlockHeader> {
        let bytes = stream.get(at..).and_then(|rest| rest.first_chunk::<{ Self::LEN }>());
        let [a, b, c] = *bytes.ok_or(Fault::Ends("block header"))?;
        let size = usize::from(a >> 3) | usize::from(b) << 5 | usize::from(c) << 13;
        if size > size_max {
            return Err(Fault::above("size of a block", size_max, size));
        }
        let (kind, stored) = match a >> 1 & 3 {
            0 => (Kind::Raw, size),
            1 => (Kind::Rle, 1),
            2 => (Kind::Compressed, size),
            reserved => return Err(Fault::above("type of a block", 2, reserved.into())),
        };
        Ok(BlockHeader { is_last: a & 1 != 0, kind, size, stored })
    }
}

#[cfg(test)]
#[path = "decode_test.rs"]
mod tests;
