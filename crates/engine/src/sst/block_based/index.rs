//! The on-disk format of index blocks.
//!
//! ```text
//! entry        = varint32 shared, varint32 non_shared, [varint32 value_len], key suffix, value
//! value        = handle | delta, [lps first internal key of the block]
//! handle       = varint64 offset, varint64 size
//! delta        = signed varint64 (size - size of the block before); used where shared > 0
//! ```
//! `value_len` is absent in the delta form (property `index.value.is.delta.encoded`). Only index
//! type 3 has the first key. In type 2 the entries of the top-level block point to partitions,
//! which are index blocks themselves.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::view::{BlockView, compare_to};
use crate::base::KeyOrder;
use crate::base::coding::Decoder;
use crate::error::{Error, Result};
use crate::sst::format::{BLOCK_TRAILER_SIZE, BlockHandle};
use std::cmp::Ordering;

/// The form of the entries of an index block.
#[derive(Clone, Copy, Debug, Default)]
pub struct IndexForm {
    /// Keys lack the trailer.
    pub user_keys: bool,
    /// Values may be deltas and have no length.
    pub delta_values: bool,
    /// Values end with the block's first key.
    pub first_keys: bool,
}

/// Calls `f` with every key and handle of an index block.
pub fn for_each_entry(
    bytes: &[u8],
    form: IndexForm,
    mut f: impl FnMut(&[u8], BlockHandle) -> Result<()>,
) -> Result<()> {
    let mut entries = IndexEntries::new(BlockView::new(bytes)?.entries(), form);
    while let Some((key, handle)) = entries.next()? {
        f(key, handle)?;
    }
    Ok(())
}

/// An iterator over entries of an index block.
pub struct IndexEntries<'a> {
    input: Decoder<'a>,
    form: IndexForm,
    /// The last key: a slice of the block, or assembled in `key`.
    whole: Option<&'a [u8]>,
    key: Vec<u8>,
    previous: BlockHandle,
}

impl<'a> IndexEntries<'a> {
    /// Starts before the first of these entries, whose key shares nothing with a previous one.
    pub fn new(entries: &'a [u8], form: IndexForm) -> IndexEntries<'a> {
        let (whole, key, previous) = (None, Vec::new(), BlockHandle::default());
        IndexEntries { input: Decoder::new(entries), form, whole, key, previous }
    }

    /// The next key and handle; `None` at the end.
    #[inline]
    pub fn next(&mut self) -> Result<Option<(&[u8], BlockHandle)>> {
        let input = &mut self.input;
        if input.is_empty() {
            return Ok(None);
        }
        let shared = input.varint32("index entry")? as usize;
        let non_shared = input.varint32("index entry")? as usize;
        let value_len = match self.form.delta_values {
            true => None,
            false => Some(input.varint32("index entry")?),
        };
        if shared > self.whole.map_or(self.key.len(), <[u8]>::len) {
            return Err(Error::corruption(
                "index entry shares more bytes than the previous key has",
            ));
        }
        let rest = input.bytes(non_shared, "index key")?;
        // Usually keys share nothing and need not be assembled.
        if shared > 0 {
            if let Some(before) = self.whole {
                self.key.clear();
                self.key.extend_from_slice(before);
            }
            self.key.truncate(shared);
            self.key.extend_from_slice(rest);
        }
        self.whole = (shared == 0).then_some(rest);
        let handle = match value_len {
            Some(len) => {
                BlockHandle::decode(&mut Decoder::new(input.bytes(len as usize, "index value")?))?
            }
            None => {
                let handle = delta_handle(input, shared, self.previous)?;
                if self.form.first_keys {
                    input.length_prefixed("first key")?;
                }
                handle
            }
        };
        self.previous = handle;
        Ok(Some((self.whole.unwrap_or(&self.key), handle)))
    }
}

#[inline]
fn delta_handle(input: &mut Decoder, shared: usize, previous: BlockHandle) -> Result<BlockHandle> {
    if shared == 0 {
        return BlockHandle::decode(input);
    }
    let delta = input.varsignedint64("index value delta")?;
    let size = previous.size.checked_add_signed(delta);
    match (previous.end(), size) {
        (Some(offset), Some(size)) => Ok(BlockHandle { offset, size }),
        _ => Err(Error::corruption("index value delta out of range")),
    }
}

/// The order of a fence and `(user_key, t)`; a fence without a trailer is compared with the user
/// key only.
#[inline]
pub fn compare_fence(
    order: &KeyOrder,
    user_keys: bool,
    fence: &[u8],
    user_key: &[u8],
    t: u64,
) -> Ordering {
    match user_keys {
        true => order.compare_user(fence, user_key),
        false => compare_to(order, fence, user_key, t),
    }
}

/// Rejects a handle whose block does not end within `limit`.
#[inline]
pub fn check_handle(handle: BlockHandle, limit: u64) -> Result<()> {
    match handle.end() {
        Some(end) if end <= limit => Ok(()),
        _ => Err(too_far(handle, limit)),
    }
}

#[cold]
fn too_far(handle: BlockHandle, limit: u64) -> Error {
    Error::corruption(format!(
        "block handle (offset {}, size {} + {BLOCK_TRAILER_SIZE}) passes {limit}",
        handle.offset, handle.size
    ))
}
