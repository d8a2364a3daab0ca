//! Writing of content: bytes of the frame, runs, literals and matches.
//!
//! Literals and matches are copied in steps of [`STEP`] bytes, whatever their length, as long as there is room behind
//! them: what is written too much is overwritten later. Near the end of the content, copies are exact.

#![allow(clippy::indexing_slicing)] // Only tables with 16 rows are indexed, by numbers that are masked.

use super::fault::{Fault, Result};
use super::literals::Source;

/// Bytes that are copied at once.
const STEP: usize = 16;
/// The room that copies in steps need behind the end of what they copy.
pub(super) const SLACK: usize = 2 * STEP;

/// Appends bytes. Returns where they end.
pub(super) fn append(content: &mut [u8], at: usize, bytes: &[u8]) -> Result<usize> {
    let (room, end) = (content.len(), at + bytes.len());
    content
        .get_mut(at..end)
        .ok_or_else(|| Fault::above("content", room, end))?
        .copy_from_slice(bytes);
    Ok(end)
}

/// Appends `len` times the byte in `bytes`. Returns where they end.
pub(super) fn append_run(content: &mut [u8], at: usize, bytes: &[u8], len: usize) -> Result<usize> {
    let (room, end) = (content.len(), at + len);
    let byte = bytes.first().ok_or(Fault::Ends("run"))?;
    content.get_mut(at..end).ok_or_else(|| Fault::above("content", room, end))?.fill(*byte);
    Ok(end)
}

/// A sequence: so many literals, then a match.
#[derive(Clone, Copy)]
pub(super) struct Sequence {
    pub(super) literals: usize,
    pub(super) offset: usize,
    pub(super) length: usize,
}

/// Where the content and the literals are.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// The bytes of the content that are written.
    pub(super) written: usize,
    /// The literals that are used.
    pub(super) used: usize,
}

impl Place {
    /// Copies the literals and the match of a sequence. Returns `None` if there are not so many literals, the match
    /// begins before the content, or the content is full.
    #[inline(always)]
    pub(super) fn append(
        &mut self,
        content: &mut [u8],
        source: Source<'_>,
        sequence: Sequence,
    ) -> Option<()> {
        let Sequence { literals, offset, length } = sequence;
        let start = self.written + literals;
        let (used, end) = (self.used + literals, start + length);
        let from = start.checked_sub(offset)?;
        if used > source.len {
            return None;
        }
        if end + SLACK > content.len() || used + SLACK > source.bytes.len() {
            copy_exactly(content, self.written, source.bytes.get(self.used..used)?)?;
            repeat_exactly(content, from, start, length)?;
        } else {
            copy_in_steps(content, self.written, source.bytes, self.used, literals)?;
            if offset >= STEP {
                repeat_in_steps(content, from, start, length)?;
            } else {
                repeat_short(content, offset, start, length)?;
            }
        }
        *self = Place { written: end, used };
        Some(())
    }
}

#[inline(always)]
fn step(bytes: &[u8], at: usize) -> Option<[u8; STEP]> {
    bytes.get(at..at + STEP)?.first_chunk().copied()
}

#[inline(always)]
fn put(content: &mut [u8], at: usize, bytes: [u8; STEP]) -> Option<()> {
    *content.get_mut(at..at + STEP)?.first_chunk_mut()? = bytes;
    Some(())
}

/// Copies `len` bytes, and up to [`SLACK`] more.
#[inline(always)]
fn copy_in_steps(
    content: &mut [u8],
    at: usize,
    source: &[u8],
    from: usize,
    len: usize,
) -> Option<()> {
    put(content, at, step(source, from)?)?;
    let mut done = STEP;
    while done < len {
        put(content, at + done, step(source, from + done)?)?;
        put(content, at + done + STEP, step(source, from + done + STEP)?)?;
        done += 2 * STEP;
    }
    Some(())
}

/// Copies `len` bytes from `from`, at least [`STEP`] bytes before `at`, and up to [`SLACK`] more.
#[inline(always)]
fn repeat_in_steps(content: &mut [u8], from: usize, at: usize, len: usize) -> Option<()> {
    put(content, at, step(content, from)?)?;
    let mut done = STEP;
    while done < len {
        put(content, at + done, step(content, from + done)?)?;
        put(content, at + done + STEP, step(content, from + done + STEP)?)?;
        done += 2 * STEP;
    }
    Some(())
}

/// For each short offset, the places of a repeated pattern's bytes in the pattern.
const PATTERN: [[u8; STEP]; STEP] = {
    let mut pattern = [[0; STEP]; STEP];
    let mut offset = 1;
    while offset < STEP {
        let mut i = 0;
        while i < STEP {
            pattern[offset][i] = (i % offset) as u8;
            i += 1;
        }
        offset += 1;
    }
    pattern
};

/// For each short offset, the smallest number of whole offsets that is a step or more.
const WHOLE: [u8; STEP] = {
    let mut whole = [0; STEP];
    let mut offset = 1;
    while offset < STEP {
        whole[offset] = (offset * STEP.div_ceil(offset)) as u8;
        offset += 1;
    }
    whole
};

/// Copies as [`repeat_in_steps`], from less than [`STEP`] bytes before `at`: the bytes that are copied are copied again.
#[inline(always)]
fn repeat_short(content: &mut [u8], offset: usize, at: usize, len: usize) -> Option<()> {
    let places = PATTERN[offset % STEP];
    let seen = content.get(at - offset..)?.first_chunk::<STEP>()?;
    let first = places.map(|place| seen[usize::from(place) % STEP]);
    put(content, at, first)?;
    if len > STEP {
        // The pattern now reaches so far that what is copied need not overlap the copy.
        let whole = usize::from(WHOLE[offset % STEP]);
        repeat_in_steps(content, at + STEP - whole, at + STEP, len - STEP)?;
    }
    Some(())
}

#[cold]
fn copy_exactly(content: &mut [u8], at: usize, bytes: &[u8]) -> Option<()> {
    content.get_mut(at..at + bytes.len())?.copy_from_slice(bytes);
    Some(())
}

#[cold]
fn repeat_exactly(content: &mut [u8], from: usize, at: usize, len: usize) -> Option<()> {
    let content = content.get_mut(..at + len)?;
    let mut done = 0;
    while done < len {
        // What is copied doubles: then the next copy may be as long.
        let next = (at - from + done).min(len - done);
        content.copy_within(from..from + next, at + done);
        done += next;
    }
    Some(())
}
