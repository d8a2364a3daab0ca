//! The properties and metaindex blocks of PlainTable and CuckooTable. They are encoded like the blocks of block-based
//! tables, but have no trailer and no checksum.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::block_based::{BlockBuilder, BlockView};
use super::format::{BlockHandle, FOOTER_SIZE, Footer, read_exact_at};
use super::properties::TableProperties;
use crate::base::coding::Decoder;
use crate::error::{Error, Result};
use crate::fs::RandomAccessFile;

/// The metaindex name of the properties block.
pub(super) const PROPERTIES_BLOCK: &str = "rocksdb.properties";

/// Encodes a block of these entries, which must ascend. Keys share prefixes within
/// `restart_interval` entries.
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

/// Calls `visit` with each entry. Keys must ascend, as in blocks of real writers: without a
/// checksum, this is the only sign of damage.
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

/// Reads the whole of a file that is not mapped.
pub(super) fn read_all(file: &dyn RandomAccessFile) -> Result<Vec<u8>> {
    let mut image = vec![0; file.size() as usize];
    read_exact_at(file, 0, &mut image)?;
    Ok(image)
}

/// Reads the tail of a file of this `format` from all its bytes. Returns the properties and the
/// offset of the end of its rows or buckets.
pub(super) fn read_tail(bytes: &[u8], format: &str) -> Result<(TableProperties, usize)> {
    let tail = bytes.get(bytes.len().saturating_sub(FOOTER_SIZE)..).unwrap_or_default();
    let footer = Footer::decode(tail, bytes.len() as u64)?;
    let block = |handle: BlockHandle, what: &str| {
        let end = handle.offset.checked_add(handle.size).filter(|&end| end <= footer.offset);
        end.and_then(|end| bytes.get(handle.offset as usize..end as usize)).ok_or_else(|| {
            Error::corruption(format!(
                "{what} block: expected to end before offset {}, found {} bytes at {}",
                footer.offset, handle.size, handle.offset
            ))
        })
    };
    let mut first_block = footer.metaindex.offset;
    let mut properties_at = None;
    decode(block(footer.metaindex, "metaindex")?, |name, value| {
        let handle = BlockHandle::decode(&mut Decoder::new(value))?;
        block(handle, &String::from_utf8_lossy(name))?;
        first_block = first_block.min(handle.offset);
        if name == PROPERTIES_BLOCK.as_bytes() {
            properties_at = Some(handle);
        }
        if name == b"rocksdb.range_del" {
            return Err(Error::not_supported(format!("range deletions in {format}")));
        }
        Ok(())
    })?;
    let handle = properties_at.ok_or_else(|| {
        Error::corruption(format!("{format}: expected a properties block, found none"))
    })?;
    let mut properties = TableProperties::default();
    decode(block(handle, PROPERTIES_BLOCK)?, |k, v| properties.accept(k, v))?;
    if properties.data_size > first_block {
        return Err(Error::corruption(format!(
            "{format}: data ends at {} but a block starts at {first_block}",
            properties.data_size
        )));
    }
    let data_end = properties.data_size as usize;
    Ok((properties, data_end))
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
