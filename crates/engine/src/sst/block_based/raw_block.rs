//! Blocks as a file has them, each followed by its trailer, and memory to read them into.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::view::SEPARATED_BIT;
use crate::base::coding::fixed32_at;
use crate::cache::Memory;
use crate::error::{Error, Result};
use crate::sst::format::BLOCK_TRAILER_SIZE;
use std::cell::Cell;

/// A thread keeps a buffer of at most this many bytes.
const SCRATCH_MAX: usize = 64 << 10;

/// Returns the memory of an evicted block for a block of this size in bytes, if there is one ([`Memory::suits_block`]).
pub type SpareMemory<'a> = &'a mut dyn FnMut(usize) -> Option<Memory>;

thread_local! {
    static SCRATCH: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Calls `f` with a buffer of this thread of `len` arbitrary bytes.
pub(super) fn with_scratch<R>(len: usize, f: impl FnOnce(&mut [u8]) -> R) -> R {
    // At the thread's end there is none.
    let mut scratch = SCRATCH.try_with(Cell::take).unwrap_or_default();
    if scratch.len() < len {
        scratch.resize(len, 0);
    }
    let result = f(scratch.get_mut(..len).unwrap_or_default());
    if scratch.len() <= SCRATCH_MAX {
        let _ = SCRATCH.try_with(|kept| kept.set(scratch));
    }
    result
}

/// Splits bytes into block, type byte and checksum.
pub(super) fn split_trailer(bytes: &[u8]) -> Result<(&[u8], u8, u32)> {
    match bytes.split_last_chunk::<BLOCK_TRAILER_SIZE>() {
        Some((block, [kind, a, b, c, d])) => {
            Ok((block, *kind, u32::from_le_bytes([*a, *b, *c, *d])))
        }
        None => Err(Error::corruption("a block without a trailer")),
    }
}

/// The block in these bytes, which end with its trailer, if it is used as it is stored.
pub(super) fn plain_block(bytes: &[u8]) -> Option<&[u8]> {
    let (block, [kind, ..]) = bytes.split_last_chunk::<BLOCK_TRAILER_SIZE>()?;
    (*kind == 0 && !is_separated(block)).then_some(block)
}

/// Whether the keys and values of a block are stored apart.
pub(super) fn is_separated(block: &[u8]) -> bool {
    let word = block.len().checked_sub(4).and_then(|at| fixed32_at(block, at));
    word.is_some_and(|word| word & SEPARATED_BIT != 0)
}
