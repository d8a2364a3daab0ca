//! Intsets: sorted integers of one width.
//!
//! ```text
//! intset = width:4 count:4 { integer }       little-endian; width 2, 4 or 8 bytes
//! ```

use super::listpack::integer_of;

/// Returns all members, or what is wrong.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<i64>, &'static str> {
    let (width, rest) = bytes.split_first_chunk::<4>().ok_or("an intset without a header")?;
    let (count, rest) = rest.split_first_chunk::<4>().ok_or("an intset without a header")?;
    let width = match u32::from_le_bytes(*width) {
        width @ (2 | 4 | 8) => width as usize,
        _ => return Err("an intset with an unknown width"),
    };
    if (u32::from_le_bytes(*count) as usize).checked_mul(width) != Some(rest.len()) {
        return Err("an intset whose header has another count");
    }
    let members: Vec<i64> = rest.chunks_exact(width).map(integer_of).collect();
    if !members.is_sorted_by(|a, b| a < b) {
        return Err("an intset that is not sorted");
    }
    Ok(members)
}

/// Returns the intset of members, which ascend.
pub(super) fn write(members: &[i64]) -> Vec<u8> {
    let fits = |min: i64, max: i64| members.iter().all(|member| (min..=max).contains(member));
    let width = match () {
        () if fits(i64::from(i16::MIN), i64::from(i16::MAX)) => 2,
        () if fits(i64::from(i32::MIN), i64::from(i32::MAX)) => 4,
        () => 8,
    };
    let mut out = (width as u32).to_le_bytes().to_vec();
    out.extend_from_slice(&(members.len() as u32).to_le_bytes());
    for member in members {
        out.extend(member.to_le_bytes().iter().take(width));
    }
    out
}
