//! Writing of content: bytes of the frame, runs, literals and matches.
//!
//! Literals and matches are copied in steps of [`STEP`] bytes, whatever their length, as long as there is room behind
//! them. The next copy overwrites the surplus of the last step. Near the end of the content, copies are exact.
//!
//! Steps are not checked one by one: a block of text has hundreds of matches, most of one or two steps, and a check of
//! each takes a tenth of the block's time. [`Place::append`] checks once per sequence that there is room for all of
//! them.

#![allow(clippy::indexing_slicing)] // Only tables with 16 rows are indexed, by numbers that are masked.
#![allow(unsafe_code)] // The two functions that copy a step.

use super::fault::{Fault, Result};

/// Bytes that are copied at once.
const STEP: usize = 16;
/// The bytes behind its end that a copy in steps may read and write.
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

/// Literals, and behind them bytes without a meaning, so that more may be copied than is needed.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) len: usize,
}

/// A sequence: so many literals, then a match.
#[derive(Clone, Copy)]
pub(super) struct Sequence {
    pub(super) literals: u32,
    /// Not 0.
    pub(super) offset: u32,
    pub(super) length: u32,
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
        let Place { written, used } = *self;
        let (literals, length) = (sequence.literals as usize, sequence.length as usize);
        let (start, offset) = (written + literals, sequence.offset as usize);
        let (end, after) = (start + length, used + literals);
        if end + SLACK > content.len() || after + SLACK > source.bytes.len() || after > source.len {
            exactly(content, source, *self, sequence)?;
        } else {
            let from = start.checked_sub(offset)?;
            // SAFETY: the copies end at most `SLACK` bytes behind `after` and `end`, and the condition above says that
            // both slices have these bytes; `from` is before `start`, by less than `STEP` bytes if the offset is short.
            unsafe {
                copy_in_steps(content, written, source.bytes, used, literals);
                if offset >= STEP {
                    repeat_in_steps(content, from, start, length);
                } else {
                    repeat_short(content, from, start, length);
                }
            }
        }
        *self = Place { written: end, used: after };
        Some(())
    }
}

/// Copies the literals and the match of a sequence, and nothing else.
#[cold]
#[inline(never)]
fn exactly(
    content: &mut [u8],
    source: Source<'_>,
    Place { written, used }: Place,
    sequence: Sequence,
) -> Option<()> {
    let start = written + sequence.literals as usize;
    let literals = source.bytes.get(..source.len)?.get(used..used + sequence.literals as usize)?;
    content.get_mut(written..start)?.copy_from_slice(literals);
    let (offset, len) = (sequence.offset as usize, sequence.length as usize);
    let from = start.checked_sub(offset)?;
    let content = content.get_mut(..start + len)?;
    let mut done = 0;
    while done < len {
        // What is copied doubles: then the next copy may be as long.
        let next = (offset + done).min(len - done);
        content.copy_within(from..from + next, start + done);
        done += next;
    }
    Some(())
}

/// Returns the step at `at`.
///
/// # Safety
///
/// The step must be within `bytes`.
#[inline(always)]
unsafe fn step(bytes: &[u8], at: usize) -> [u8; STEP] {
    debug_assert!(at + STEP <= bytes.len());
    // SAFETY: as the caller promises; bytes need no alignment.
    unsafe { bytes.as_ptr().add(at).cast::<[u8; STEP]>().read() }
}

/// Writes a step at `at`.
///
/// # Safety
///
/// The step must be within `content`.
#[inline(always)]
unsafe fn put(content: &mut [u8], at: usize, bytes: [u8; STEP]) {
    debug_assert!(at + STEP <= content.len());
    // SAFETY: as the caller promises; bytes need no alignment.
    unsafe { content.as_mut_ptr().add(at).cast::<[u8; STEP]>().write(bytes) }
}

/// Copies `len` bytes, and up to [`SLACK`] more.
///
/// # Safety
///
/// `len` and [`SLACK`] bytes from the places must be within the slices.
#[inline(always)]
unsafe fn copy_in_steps(content: &mut [u8], at: usize, source: &[u8], from: usize, len: usize) {
    // SAFETY: a step begins less than `len` bytes, or one step, behind the places.
    unsafe { put(content, at, step(source, from)) };
    let mut done = STEP;
    while done < len {
        // SAFETY: a step begins less than `len` bytes, or one step more, behind the places.
        unsafe {
            put(content, at + done, step(source, from + done));
            put(content, at + done + STEP, step(source, from + done + STEP));
        }
        done += 2 * STEP;
    }
}

/// Copies `len` bytes from `from`, at least [`STEP`] bytes before `at`, and up to [`SLACK`] more.
///
/// # Safety
///
/// `len` and [`SLACK`] bytes from `at` must be within the content, and `from` before them.
#[inline(always)]
unsafe fn repeat_in_steps(content: &mut [u8], from: usize, at: usize, len: usize) {
    // Two steps without a look at the length, since most matches are not longer: that is cheaper than a wrong guess.
    let mut done = 0;
    loop {
        // SAFETY: the first step begins less than `len` bytes behind the places, or at them; the second one, a step
        // more.
        unsafe {
            put(content, at + done, step(content, from + done));
            put(content, at + done + STEP, step(content, from + done + STEP));
        }
        done += 2 * STEP;
        if done >= len {
            return;
        }
    }
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

/// Copies as [`repeat_in_steps`], from less than [`STEP`] bytes before `at`: the bytes that are copied are copied
/// again.
///
/// # Safety
///
/// As for [`repeat_in_steps`].
#[inline(never)]
unsafe fn repeat_short(content: &mut [u8], from: usize, at: usize, len: usize) {
    let offset = at - from;
    // SAFETY: a step from the earlier of the two places, and one from the later one, are within the content.
    unsafe {
        let seen = step(content, from);
        let pattern = PATTERN[offset % STEP].map(|place| seen[usize::from(place) % STEP]);
        put(content, at, pattern);
    }
    if len > STEP {
        // The pattern is now long enough for a source that ends before its copy begins.
        let whole = usize::from(WHOLE[offset % STEP]);
        // SAFETY: `whole` is a step or more, and less than a step and the offset: the source begins behind `from`, and
        // a step or more before the place. The length is shorter by as much as the place is later.
        unsafe { repeat_in_steps(content, at + STEP - whole, at + STEP, len - STEP) };
    }
}
