//! Blocks in memory: a [`Block`] owns (or maps) the bytes and records where their parts are. `view.rs` describes the
//! format.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::fingerprints::Fingerprints;
use super::restart_prefixes::RestartPrefixes;
use super::view::{BlockView, Layout};
use crate::base::pinned::PinnedBytes;
use crate::cache::{Handling, Held, Memory, Node};
use crate::env::sync::OnceLock;
use crate::env::sync::std_atomic::{AtomicBool, Ordering};
use crate::error::Result;
use crate::fs::RandomAccessFile;
use std::sync::Arc;

/// The memory that contains a block's bytes.
pub enum Bytes {
    /// The first `len` bytes of separately allocated memory.
    Owned {
        /// The block, and perhaps more bytes after it.
        memory: Memory,
        /// The length of the block.
        len: usize,
    },
    /// A part of a mapped file.
    Mapped {
        /// The file, which is kept open.
        file: Arc<dyn RandomAccessFile>,
        /// The offset of the block.
        start: usize,
        /// The length of the block.
        len: usize,
    },
}

impl Bytes {
    /// A copy of a block, in `memory` if that suits it.
    pub fn copy_of(block: &[u8], memory: Option<Memory>) -> Bytes {
        let len = block.len();
        let memory = memory.filter(|memory| memory.suits_block(len));
        let mut memory = memory.unwrap_or_else(|| Memory::for_block(len));
        memory.get_mut(..len).unwrap_or_default().copy_from_slice(block);
        Bytes::Owned { memory, len }
    }

    /// The bytes.
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        match self {
            Bytes::Owned { memory, len } => memory.get(..*len).unwrap_or_default(),
            Bytes::Mapped { file, start, len } => {
                let map = file.mapped().unwrap_or_default();
                map.get(*start..*start + *len).unwrap_or_default()
            }
        }
    }
}

/// [`Bytes`] in the compact form that a block keeps, since every cached block has one: the length follows from the
/// block's [`Layout`].
enum Storage {
    /// The block, and perhaps a few bytes after it.
    Owned(Memory),
    Mapped {
        file: Arc<dyn RandomAccessFile>,
        start: usize,
    },
}

/// A block in memory. The fields that every lookup reads come first.
#[repr(C)]
pub struct Block {
    storage: Storage,
    layout: Layout,
    /// Set by the first point lookup; a later one builds the fingerprints.
    seen: AtomicBool,
    fingerprints: OnceLock<Option<Fingerprints>>,
    restart_prefixes: RestartPrefixes,
}

impl Block {
    /// How a cache treats blocks.
    pub const HANDLING: Handling<Block> =
        Handling { recycle: Block::recycle, memory: Block::owned_bytes };

    /// Parses the uncompressed bytes of a block.
    pub fn new(bytes: Bytes) -> Result<Block> {
        let layout = Layout::parse(bytes.as_slice())?;
        let storage = match bytes {
            Bytes::Owned { memory, .. } => Storage::Owned(memory),
            Bytes::Mapped { file, start, .. } => Storage::Mapped { file, start },
        };
        let (restart_prefixes, seen, fingerprints) =
            (RestartPrefixes::default(), AtomicBool::new(false), OnceLock::new());
        Ok(Block { storage, layout, restart_prefixes, seen, fingerprints })
    }

    /// A copy that keeps no page of the heap of blocks; `None` for a block in a mapped file.
    pub fn copy_outside(&self) -> Option<Result<Block>> {
        let Storage::Owned(bytes) = &self.storage else { return None };
        let (memory, len) = (Memory::copy_outside(bytes), self.layout.len());
        Some(Block::new(Bytes::Owned { memory, len }))
    }

    /// Adds restart prefixes if the block suits them. The table's fences must begin with `common` and be in bytewise
    /// order.
    #[must_use]
    pub fn with_marks(mut self, common: Option<&[u8]>) -> Block {
        if let Some(common) = common {
            self.restart_prefixes = RestartPrefixes::build(self.view(), common);
        }
        self
    }

    /// The length of the entries in bytes.
    #[inline]
    pub(super) fn entries_len(&self) -> usize {
        self.layout.restarts as usize
    }

    /// The restart prefixes, which lead a seek to its interval.
    #[inline]
    pub(super) fn restart_prefixes(&self) -> &RestartPrefixes {
        &self.restart_prefixes
    }

    /// Takes the block's memory for another block of `len` bytes, if it suits that. The remaining block must not be
    /// searched.
    pub fn take_memory(&mut self, len: usize) -> Option<Memory> {
        match &mut self.storage {
            Storage::Owned(memory) if memory.suits_block(len) => Some(std::mem::take(memory)),
            _ => None,
        }
    }

    /// Whether the block's memory suits another block of `len` bytes.
    pub fn suits(&self, len: usize) -> bool {
        match &self.storage {
            Storage::Owned(memory) => memory.suits_block(len),
            Storage::Mapped { .. } => false,
        }
    }

    /// Frees everything except the memory for [`Block::take_memory`]; returns false if there is no
    /// such memory.
    pub fn recycle(&mut self) -> bool {
        self.fingerprints = OnceLock::new();
        matches!(self.storage, Storage::Owned(_))
    }

    /// The memory that belongs to the block alone; empty for a block in a mapped file.
    fn owned_bytes(&self) -> &[u8] {
        match &self.storage {
            Storage::Owned(bytes) => bytes,
            Storage::Mapped { .. } => &[],
        }
    }

    /// The block, and perhaps a few bytes after it.
    #[inline]
    fn bytes(&self) -> &[u8] {
        match &self.storage {
            Storage::Owned(bytes) => bytes,
            Storage::Mapped { file, start } => {
                let map = file.mapped().unwrap_or_default();
                map.get(*start..*start + self.layout.len()).unwrap_or_default()
            }
        }
    }

    /// The block, ready to be searched.
    #[inline]
    pub fn view(&self) -> BlockView<'_> {
        BlockView::of(self.bytes(), self.layout)
    }

    /// The charge of the block to a cache, in bytes.
    pub fn charge(&self) -> usize {
        let bytes = match &self.storage {
            Storage::Owned(bytes) => bytes.len(),
            Storage::Mapped { .. } => 0,
        };
        bytes + size_of::<Node<Block>>() + 2 * size_of::<usize>()
    }

    /// The fingerprints. The inner `None` means that the block does not suit them, the outer one that they were not
    /// built yet.
    #[inline]
    pub fn fingerprints(&self) -> Option<Option<&Fingerprints>> {
        self.fingerprints.get().map(Option::as_ref)
    }

    /// Notes a point lookup. Returns whether it is not the first one and there are no fingerprints yet.
    pub fn is_looked_up_again(&self) -> bool {
        self.seen.swap(true, Ordering::Relaxed) && self.fingerprints.get().is_none()
    }

    /// Takes what [`Fingerprints::build`] returned. Returns false, and leaves it, if another thread was faster.
    pub fn keep_fingerprints(&self, fingerprints: &mut Option<Fingerprints>) -> bool {
        let Err(unused) = self.fingerprints.set(fingerprints.take()) else { return true };
        *fingerprints = unused;
        false
    }
}

impl PinnedBytes for Held<Block> {
    fn bytes(&self) -> &[u8] {
        self.object().bytes()
    }
}

#[cfg(test)]
#[path = "block_test.rs"]
mod tests;
