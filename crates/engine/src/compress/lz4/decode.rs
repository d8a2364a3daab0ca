//! The decoder of LZ4 blocks.
//!
//! ```text
//! block    = sequence*, last
//! sequence = token u8, [literal length], literals, offset u16, [match length]
//! last     = token u8, [literal length], literals
//! token    = high 4 bits number of literals, low 4 bits length of the match minus 4;
//!            15 means that a length follows: bytes to add, up to the first that is not 255
//! ```
//! A match copies bytes that were decoded `offset` bytes earlier; it may overlap its own result. The decoder accepts
//! any bytes: a sequence that reaches outside the stream or the block is an error.
//!
//! Most pieces are short, so they are copied in chunks of a fixed size, and a copy may write more than its piece. The
//! next piece overwrites the surplus. Where a chunk would pass the end of the stream or the block, the piece is copied
//! exactly.

/// The size in bytes of the chunks in which literals are copied, and matches read.
pub(super) const CHUNK: usize = 16;
/// The size of wide chunks in bytes.
pub(super) const WIDE: usize = 64;
/// The shortest match.
pub(super) const MATCH_MIN: usize = 4;
/// The value of a half of the token after which a length follows.
pub(super) const LONG: usize = 15;

/// Decodes a block to `raw`, and returns the number of bytes. After an error the bytes of `raw` are arbitrary.
pub(super) fn decode(stream: &[u8], raw: &mut [u8]) -> Result<usize, &'static str> {
    let (mut from, mut to) = (0, 0);
    loop {
        let token = usize::from(*stream.get(from).ok_or(ENDS)?);
        from += 1;
        let mut literals = token >> 4;
        // A chunk that is whole in the stream means that the stream goes on after so few literals.
        let chunk = if literals < LONG { chunk_of(stream, from) } else { None };
        match (chunk, chunk_at(raw, to)) {
            (Some(chunk), Some(place)) => *place = chunk,
            _ => {
                if literals == LONG {
                    literals += length(stream, &mut from)?;
                }
                copy_literals(stream, from, raw, to, literals)?;
                if from + literals == stream.len() {
                    return Ok(to + literals);
                }
            }
        }
        (from, to) = (from + literals, to + literals);

        let offset = stream.get(from..).and_then(|rest| rest.first_chunk()).ok_or(ENDS)?;
        let offset = usize::from(u16::from_le_bytes(*offset));
        from += 2;
        let mut len = token & LONG;
        if len == LONG {
            len += length(stream, &mut from)?;
        }
        len += MATCH_MIN;
        if offset == 0 || offset > to {
            return Err("a match before the beginning of the block");
        }
        copy_match(raw, to, offset, len)?;
        to += len;
    }
}

const ENDS: &str = "the stream ends within a sequence";
const TOO_LONG: &str = "more bytes than the block has";

/// Reads the rest of a length that does not fit into a token.
#[inline]
fn length(stream: &[u8], from: &mut usize) -> Result<usize, &'static str> {
    let mut len = 0;
    loop {
        let byte = *stream.get(*from).ok_or(ENDS)?;
        *from += 1;
        len += usize::from(byte);
        if byte != u8::MAX {
            return Ok(len);
        }
    }
}

#[inline(always)]
fn chunk_of(bytes: &[u8], at: usize) -> Option<[u8; CHUNK]> {
    bytes.get(at..at + CHUNK)?.first_chunk().copied()
}

#[inline(always)]
fn chunk_at(bytes: &mut [u8], at: usize) -> Option<&mut [u8; CHUNK]> {
    bytes.get_mut(at..at + CHUNK)?.first_chunk_mut()
}

/// Copies `len` bytes from the stream to the block.
#[inline(always)]
fn copy_literals(
    stream: &[u8],
    from: usize,
    raw: &mut [u8],
    to: usize,
    len: usize,
) -> Result<(), &'static str> {
    let mut at = 0;
    // Most runs fit into one wide chunk: a loop whose number of rounds nobody can predict costs more.
    if copy_chunk::<WIDE>(stream.get(from..), raw.get_mut(to..)) {
        at = WIDE;
    }
    while at < len {
        // For many bytes, a call of the general copy pays.
        let rest = stream.get(from + at..).filter(|_| len <= 8 * CHUNK);
        if !copy_chunk::<CHUNK>(rest, raw.get_mut(to + at..)) {
            let source = stream.get(from + at..from + len).ok_or(ENDS)?;
            raw.get_mut(to + at..to + len).ok_or(TOO_LONG)?.copy_from_slice(source);
            return Ok(());
        }
        at += CHUNK;
    }
    Ok(())
}

/// Copies the first `N` bytes if both sides have so many. Returns whether they have.
#[inline(always)]
pub(super) fn copy_chunk<const N: usize>(from: Option<&[u8]>, to: Option<&mut [u8]>) -> bool {
    let chunk = from.and_then(|rest| rest.first_chunk::<N>());
    let place = to.and_then(|rest| rest.first_chunk_mut());
    let (Some(chunk), Some(place)) = (chunk, place) else { return false };
    *place = *chunk;
    true
}

/// Copies a match, whose offset is between 1 and `to`.
#[inline(always)]
fn copy_match(raw: &mut [u8], to: usize, offset: usize, len: usize) -> Result<(), &'static str> {
    let from = to - offset;
    let is_copied = if offset >= len {
        // A read of bytes that are on their way from the processor to its cache in several pieces waits for them. So
        // as much as possible is read at once, before it is written.
        if len <= 32 { copy::<32>(raw, from, to, len) } else { copy::<64>(raw, from, to, len) }
    } else {
        offset >= CHUNK && copy::<CHUNK>(raw, from, to, len)
    };
    if !is_copied {
        repeat(raw.get_mut(from..to + len).ok_or(TOO_LONG)?, offset);
    }
    Ok(())
}

/// Copies `len` bytes to a later place, in chunks of `N` bytes; false if a chunk would pass the end. The distance must
/// be at least `len` or `N`.
#[inline(always)]
fn copy<const N: usize>(raw: &mut [u8], from: usize, to: usize, len: usize) -> bool {
    let mut at = 0;
    while at < len {
        let Some(chunk) = raw.get(from + at..).and_then(|rest| rest.first_chunk::<N>()) else {
            return false;
        };
        let chunk = *chunk;
        let Some(place) = raw.get_mut(to + at..).and_then(|rest| rest.first_chunk_mut()) else {
            return false;
        };
        *place = chunk;
        at += N;
    }
    true
}

/// Fills a window with repetitions of its first `filled` bytes, which must be at least one.
#[cold]
fn repeat(window: &mut [u8], mut filled: usize) {
    while filled < window.len() {
        let (done, rest) = window.split_at_mut(filled);
        let n = done.len().min(rest.len());
        let (source, place) = (done.get(..n), rest.get_mut(..n));
        if let (Some(source), Some(place)) = (source, place) {
            place.copy_from_slice(source);
        }
        filled += n;
    }
}
