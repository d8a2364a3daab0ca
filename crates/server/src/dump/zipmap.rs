//! Zipmaps, small hashes of Redis before version 2.6.
//!
//! ```text
//! zipmap = count:1 { length field length free:1 value unused } 11111111     unused: `free` bytes
//! length = l:1, below 254 | 254 l:4                                         little-endian
//! ```

const COUNT_UNKNOWN: u8 = 254;
const END: u8 = 0xff;

/// A field and its value.
type Pair<'a> = (&'a [u8], &'a [u8]);

/// Returns all fields and values, or what is wrong.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<Pair<'_>>, &'static str> {
    let [count, rest @ .., END] = bytes else { return Err("a zipmap without its end") };
    let (mut rest, mut pairs) = (rest, Vec::new());
    while !rest.is_empty() {
        let (pair, behind) = pair(rest).ok_or("a damaged entry of a zipmap")?;
        pairs.push(pair);
        rest = behind;
    }
    if *count < COUNT_UNKNOWN && usize::from(*count) != pairs.len() {
        return Err("a zipmap whose header has another count");
    }
    Ok(pairs)
}

fn pair(bytes: &[u8]) -> Option<(Pair<'_>, &[u8])> {
    let (length, rest) = length(bytes)?;
    let (field, rest) = rest.split_at_checked(length)?;
    let (length, rest) = self::length(rest)?;
    let (unused, rest) = rest.split_first()?;
    let (value, rest) = rest.split_at_checked(length)?;
    Some(((field, value), rest.get(usize::from(*unused)..)?))
}

fn length(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (first, rest) = bytes.split_first()?;
    match first {
        254 => {
            let (length, rest) = rest.split_first_chunk()?;
            Some((u32::from_le_bytes(*length) as usize, rest))
        }
        255 => None,
        short => Some((usize::from(*short), rest)),
    }
}
