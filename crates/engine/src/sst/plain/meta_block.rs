//! The properties and metaindex blocks of a PlainTable: blocks as those of block-based tables, but
//! without trailer and checksum.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use crate::error::{Error, Result};
use crate::sst::block_based::{BlockBuilder, BlockView};

/// The block of these entries, which must ascend. `restart_interval` entries share key bytes.
pub(super) fn encode<'a>(
    entries: impl IntoIterator<Item = (&'a [u8], &'a [u8])>,
    restart_interval: usize,
) -> Vec<u8> {
    let mut block = BlockBuilder::new(restart_interval);
    for (key, value) in entries {
        block.add(key, value);
    }
    block.finish().to_vec()
}

/// Calls `visit` with each entry. Keys must ascend, as in the blocks that real writers make: no
/// checksum would tell damage.
pub(super) fn decode(
    block: &[u8],
    mut visit: impl FnMut(&[u8], &[u8]) -> Result<()>,
) -> Result<()> {
    let mut last: Option<Vec<u8>> = None;
    BlockView::new(block)?.for_each(|key, value| {
        if last.as_deref().is_some_and(|last| last >= key) {
            return Err(Error::corruption("entries of a meta block do not ascend"));
        }
        last = Some(key.to_vec());
        visit(key, value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_round_trip_with_and_without_sharing() {
        let entries: [(&[u8], &[u8]); 4] =
            [(b"", b"empty"), (b"ab", b"1"), (b"abc", b""), (b"b", b"2")];
        for interval in [1, 3, usize::MAX] {
            let block = encode(entries, interval);
            let mut found = Vec::new();
            decode(&block, |k, v| {
                found.push((k.to_vec(), v.to_vec()));
                Ok(())
            })
            .unwrap();
            assert!(found.iter().map(|(k, v)| (&k[..], &v[..])).eq(entries));
            for cut in 0..block.len() {
                let _ = decode(&block[..cut], |_, _| Ok(()));
            }
        }
    }

    #[test]
    fn disorder_and_duplicates_are_corruption() {
        for entries in [[(&b"b"[..], &b""[..]), (b"a", b"")], [(b"a", b""), (b"a", b"")]] {
            let block = encode(entries, 1);
            assert!(decode(&block, |_, _| Ok(())).unwrap_err().is_corruption());
        }
    }
}
