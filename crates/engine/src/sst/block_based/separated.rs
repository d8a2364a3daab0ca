//! Conversion of RocksDB 11's blocks with separate keys and values into ordinary blocks, at
//! loading.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::view::{BlockView, SEPARATED_BIT, decode_long_header};
use crate::base::coding::{fixed32_at, get_varint32};
use crate::error::{Error, Result};

/// Rewrites a block with separate keys and values as an ordinary one.
///
/// ```text
/// block = key entry*, values, restart array, [hash index], fixed32 offset of the values, word
/// key entry = varint32 shared, varint32 non_shared, varint32 value_len, at restarts varint32
///             offset of the value among the values, key suffix
/// ```
pub fn join_separated(bytes: &[u8]) -> Result<Vec<u8>> {
    let bad = || Error::corruption("block with separate values: bad layout");
    let word_at = bytes.len().checked_sub(4).ok_or_else(bad)?;
    let word = fixed32_at(bytes, word_at).ok_or_else(bad)?;
    let values_at = word_at.checked_sub(4).ok_or_else(bad)?;
    let values_start = fixed32_at(bytes, values_at).ok_or_else(bad)? as usize;
    // Without the offset and its bit, the block has an ordinary tail.
    let mut plain = bytes.get(..values_at).ok_or_else(bad)?.to_vec();
    plain.extend_from_slice(&(word & !SEPARATED_BIT).to_le_bytes());
    let view = BlockView::new(&plain)?;
    let keys = view.entries().get(..values_start).ok_or_else(bad)?;
    let values = view.entries().get(values_start..).ok_or_else(bad)?;

    let mut out = Vec::with_capacity(bytes.len());
    let mut restarts = Vec::new();
    let (mut at, mut value_at) = (0, 0usize);
    while at < keys.len() {
        let head = keys.get(at..).ok_or_else(bad)?;
        let (shared, non_shared, value_len, mut n) = decode_long_header(head).ok_or_else(bad)?;
        let header = head.get(..n).ok_or_else(bad)?;
        if restarts.len() < view.num_restarts() && view.restart(restarts.len()) == at {
            let (offset, m) = head.get(n..).and_then(get_varint32).ok_or_else(bad)?;
            (value_at, n) = (offset as usize, n + m);
            restarts.push(out.len() as u32);
        } else if shared as usize > at {
            return Err(bad());
        }
        let suffix = head.get(n..n + non_shared as usize).ok_or_else(bad)?;
        let value = values.get(value_at..value_at + value_len as usize).ok_or_else(bad)?;
        // Crafted offsets could repeat one value many times; a valid block only shrinks.
        if out.len() + header.len() + suffix.len() + value.len() > bytes.len() {
            return Err(bad());
        }
        out.extend_from_slice(header);
        out.extend_from_slice(suffix);
        out.extend_from_slice(value);
        value_at += value.len();
        at += n + suffix.len();
    }
    let count = restarts.len() as u32;
    out.extend(restarts.into_iter().flat_map(u32::to_le_bytes));
    out.extend_from_slice(&count.to_le_bytes());
    Ok(out)
}
