//! The map from prefixes to data blocks, from which RocksDB builds its hash index when it opens a
//! table.
//!
//! ```text
//! prefixes block = prefix*                     one after the other, in the order of keys
//! metadata block = (varint32 length of the prefix, varint32 first block, varint32 blocks)*
//! ```
//! This engine's reader needs neither block: it searches its fences without them.

use crate::base::coding::put_varint32;

/// RocksDB's names of the two blocks.
pub const PREFIXES: &str = "rocksdb.hashindex.prefixes";
/// See [`PREFIXES`].
pub const METADATA: &str = "rocksdb.hashindex.metadata";

/// Collects the prefixes of a table under construction.
#[derive(Default)]
pub struct PrefixBlocks {
    prefixes: Vec<u8>,
    metadata: Vec<u8>,
    pending: Option<Pending>,
}

struct Pending {
    prefix: Vec<u8>,
    first: u32,
    blocks: u32,
}

impl PrefixBlocks {
    /// Records that a key with this prefix was added to data block `block`; `prefix` is `None` if
    /// the key has none.
    pub fn add(&mut self, prefix: Option<&[u8]>, block: usize) {
        let block = block as u32;
        if let (Some(pending), Some(prefix)) = (&mut self.pending, prefix)
            && pending.prefix == prefix
        {
            pending.blocks = block - pending.first + 1;
            return;
        }
        self.flush();
        let begun = |prefix: &[u8]| Pending { prefix: prefix.to_vec(), first: block, blocks: 1 };
        self.pending = prefix.map(begun);
    }

    fn flush(&mut self) {
        if let Some(done) = self.pending.take() {
            self.prefixes.extend_from_slice(&done.prefix);
            for number in [done.prefix.len() as u32, done.first, done.blocks] {
                put_varint32(&mut self.metadata, number);
            }
        }
    }

    /// The two blocks.
    pub fn finish(mut self) -> (Vec<u8>, Vec<u8>) {
        self.flush();
        (self.prefixes, self.metadata)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_name_their_blocks() {
        let mut blocks = PrefixBlocks::default();
        for (prefix, block) in [("aa", 0), ("aa", 0), ("aa", 2), ("b", 2), ("cc", 3)] {
            blocks.add(Some(prefix.as_bytes()), block);
        }
        blocks.add(None, 4);
        blocks.add(Some(b"d"), 4);
        let (prefixes, metadata) = blocks.finish();
        assert_eq!(prefixes, b"aabccd");
        assert_eq!(metadata, [2, 0, 3, 1, 2, 1, 2, 3, 1, 1, 4, 1]);
    }
}
