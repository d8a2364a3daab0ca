//! Sub-keys of list elements: an index of eight bytes, and in sparse lists a suffix.
//!
//! A sub-key is read as a fraction in base 256. Its bytes behind the index do not end in zero, so two sub-keys are
//! never the same fraction, and there is always a sub-key between two others.

use smallvec::SmallVec;

/// The sub-key of an element.
pub(super) type Sub = SmallVec<[u8; 16]>;

/// The bytes of an index.
pub(super) const INDEX_BYTES: usize = 8;

/// Returns the sub-key of an index.
pub(super) fn of_index(index: u64) -> Sub {
    Sub::from_slice(&index.to_be_bytes())
}

/// Returns the index of a sub-key; `None` if it has fewer than eight bytes.
pub(super) fn index_of(sub: &[u8]) -> Option<u64> {
    sub.first_chunk::<INDEX_BYTES>().map(|index| u64::from_be_bytes(*index))
}

/// Returns a sub-key between two others, about in the middle, and short. `low` must be below `high`.
pub(super) fn between(low: &[u8], high: &[u8]) -> Sub {
    let digit = |of: &[u8], at: usize| of.get(at).copied().unwrap_or(0);
    let mut sub = Sub::new();
    let mut at = 0;
    // Equal digits, up to the longer one's end: equal fractions would loop.
    while digit(low, at) == digit(high, at) && at < low.len().max(high.len()) {
        sub.push(digit(low, at));
        at += 1;
    }
    let (below, above) = (digit(low, at), digit(high, at));
    if above.saturating_sub(below) >= 2 {
        sub.push(below + (above - below) / 2);
    } else {
        // Below `high` from here on, whatever follows; above the rest of `low`.
        sub.push(below);
        at += 1;
        while digit(low, at) == u8::MAX {
            sub.push(u8::MAX);
            at += 1;
        }
        let next = u16::from(digit(low, at));
        sub.push(((next + 257) / 2).min(255) as u8);
    }
    while sub.len() < INDEX_BYTES {
        sub.push(0);
    }
    sub
}

/// Appends `count` sub-keys between two others, in ascending order and about evenly spaced.
pub(super) fn spread(low: &[u8], high: &[u8], count: usize, out: &mut Vec<Sub>) {
    if count == 0 {
        return;
    }
    let middle = between(low, high);
    let left = count / 2;
    spread(low, &middle, left, out);
    out.push(middle.clone());
    spread(&middle, high, count - left - 1, out);
}

#[cfg(test)]
#[path = "places_test.rs"]
mod tests;
