//! LZF, the compression of strings in DUMP payloads and RDB files.
//!
//! ```text
//! block   = { literal | match }
//! literal = 000LLLLL, L + 1 bytes
//! match   = LLLooooo oooooooo             L 1 to 6:  copy L + 2 bytes from o + 1 bytes before the end of the output
//!         | 111ooooo LLLLLLLL oooooooo                copy L + 9 bytes
//! ```

const LITERAL_MAX: usize = 32;
const MATCH_MIN: usize = 3;
const MATCH_MAX: usize = 264;
const OFFSET_MAX: usize = 1 << 13;
const HASH_BITS_MAX: u32 = 14;

/// The largest number of bytes that one compressed byte can stand for.
const EXPANSION_MAX: usize = MATCH_MAX / 3;

/// Decompresses a block that must give exactly `length` bytes. Returns `None` for a damaged block. Allocates at most
/// `length` bytes, and nothing if so short a block cannot have so many.
pub fn decompress(mut block: &[u8], length: usize) -> Option<Vec<u8>> {
    if length > block.len().saturating_mul(EXPANSION_MAX) {
        return None;
    }
    let mut out = Vec::with_capacity(length);
    while let [control, rest @ ..] = block {
        block = rest;
        let high = usize::from(*control >> 5);
        let low = usize::from(*control & 31);
        if high == 0 {
            let (literal, rest) = block.split_at_checked(low + 1)?;
            if out.len() + literal.len() > length {
                return None;
            }
            out.extend_from_slice(literal);
            block = rest;
            continue;
        }
        let mut count = high + 2;
        if high == 7 {
            let (more, rest) = block.split_first()?;
            count += usize::from(*more);
            block = rest;
        }
        let (offset, rest) = block.split_first()?;
        block = rest;
        copy(&mut out, (low << 8 | usize::from(*offset)) + 1, count, length)?;
    }
    (out.len() == length).then_some(out)
}

/// Compresses `bytes`. Returns `None` if the block would not be at least 4 bytes shorter, which is when Redis stores
/// the bytes as they are.
pub fn compress(bytes: &[u8]) -> Option<Vec<u8>> {
    let limit = bytes.len().checked_sub(4).filter(|limit| *limit > 0)?;
    // Positions of three bytes by hash, plus one; a small table for short strings, as most are.
    let bits = (bytes.len().ilog2() + 1).min(HASH_BITS_MAX);
    let mut seen = vec![0u32; 1 << bits];
    let (mut out, mut literal, mut at) = (Vec::with_capacity(limit), 0, 0);
    while let Some([a, b, c]) = bytes.get(at..at + 3) {
        let found = seen.get_mut(hash([*a, *b, *c], bits))?;
        let earlier = (*found as usize).checked_sub(1);
        *found = u32::try_from(at + 1).ok()?;
        let length = earlier
            .filter(|from| at - from <= OFFSET_MAX)
            .map_or(0, |from| common(bytes.get(from..), bytes.get(at..)));
        match earlier {
            Some(from) if length >= MATCH_MIN => {
                push_literals(&mut out, bytes.get(literal..at)?);
                push_match(&mut out, at - from - 1, length);
                at += length;
                literal = at;
            }
            _ => at += 1,
        }
        if out.len() > limit {
            return None;
        }
    }
    push_literals(&mut out, bytes.get(literal..)?);
    (out.len() <= limit).then_some(out)
}

/// Appends `count` bytes from `back` bytes before the end. The copied range may reach into the bytes it makes.
fn copy(out: &mut Vec<u8>, back: usize, count: usize, limit: usize) -> Option<()> {
    let from = out.len().checked_sub(back)?;
    if out.len() + count > limit {
        return None;
    }
    if count <= back {
        out.extend_from_within(from..from + count);
        return Some(());
    }
    for at in from..from + count {
        out.push(*out.get(at)?);
    }
    Some(())
}

/// Returns a hash of so many bits.
fn hash([a, b, c]: [u8; 3], bits: u32) -> usize {
    let word = u32::from_le_bytes([a, b, c, 0]);
    (word.wrapping_mul(0x9e37_79b1) >> (32 - bits)) as usize
}

/// Returns the number of equal leading bytes, at most what one match can hold.
fn common(a: Option<&[u8]>, b: Option<&[u8]>) -> usize {
    let (a, b) = (a.unwrap_or_default(), b.unwrap_or_default());
    a.iter().zip(b).take(MATCH_MAX).take_while(|(a, b)| a == b).count()
}

fn push_literals(out: &mut Vec<u8>, bytes: &[u8]) {
    for run in bytes.chunks(LITERAL_MAX) {
        out.push((run.len() - 1) as u8);
        out.extend_from_slice(run);
    }
}

/// Appends a match of 3 to 264 bytes; `offset` is one less than the distance.
fn push_match(out: &mut Vec<u8>, offset: usize, length: usize) {
    let high = (offset >> 8) as u8;
    match length - 2 {
        short @ 1..7 => out.push((short as u8) << 5 | high),
        long => out.extend([7 << 5 | high, (long - 7) as u8]),
    }
    out.push(offset as u8);
}

#[cfg(test)]
#[path = "lzf_test.rs"]
mod tests;
