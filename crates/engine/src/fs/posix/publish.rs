//! The publication of a record: the positions of its fragments, and the order in which their
//! headers are stored.

use super::window::Window;
use crate::env::sync::std_atomic::{Ordering, compiler_fence};
use crate::fs::{FRAGMENT_HEADER, Fragment};

/// The position of each fragment's header, and its part of the payload, for a record that begins at `from`.
#[inline(always)]
pub(super) fn placed<'a>(
    from: u64,
    fragments: &'a [Fragment],
    payload: &'a [u8],
) -> impl Iterator<Item = (u64, &'a Fragment, &'a [u8])> {
    let (mut at, mut rest) = (from, payload);
    fragments.iter().map(move |fragment| {
        let header = at + fragment.padding as u64;
        let (part, after) = rest.split_at(fragment.len);
        (at, rest) = (header + FRAGMENT_HEADER as u64 + fragment.len as u64, after);
        (header, fragment, part)
    })
}

/// Stores the headers of a record whose payloads are already in place.
///
/// A killed process has executed its stores up to one instruction, so only the program order matters. A header
/// of which only the first bytes are stored has length and type zero, which readers do not take for a header. Then one
/// store per fragment writes length and type.
#[inline(always)]
pub(super) fn publish(window: &Window, from: u64, fragments: &[Fragment], payload: &[u8]) {
    compiler_fence(Ordering::Release);
    for (at, fragment, _) in placed(from, fragments, payload) {
        let [c0, c1, c2, c3, ..] = fragment.header;
        window.put_word(at, [c0, c1, c2, c3]);
    }
    compiler_fence(Ordering::Release);
    for (at, fragment, _) in placed(from, fragments, payload) {
        let [_, _, _, c3, l0, l1, kind] = fragment.header;
        window.put_word(at + 3, [c3, l0, l1, kind]);
    }
}
