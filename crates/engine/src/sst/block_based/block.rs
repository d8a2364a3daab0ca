//! Blocks in memory: [`Block`] owns (or maps) the bytes and knows where the parts are. The format is that of `view.rs`.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::fingerprints::Fingerprints;
use super::restart_prefixes::RestartPrefixes;
use super::view::{BlockView, Layout};
use crate::base::pinned::PinnedBytes;
use crate::cache::{Held, Memory, Node};
use crate::env::sync::OnceLock;
use crate::env::sync::std_atomic::{AtomicBool, Ordering};
use crate::error::Result;
use crate::fs::RandomAccessFile;
use std::sync::Arc;

/// Where a block's bytes are.
pub enum Bytes {
    /// The first `len` bytes of memory of its own.
    Owned {
        /// The block and perhaps more.
        memory: Memory,
        /// How long the block is.
        len: usize,
    },
    /// In a mapped file.
    Mapped {
        /// The file, kept open.
        file: Arc<dyn RandomAccessFile>,
        /// Where the block starts.
        start: usize,
        /// How long it is.
        len: usize,
    },
}

impl Bytes {
    /// A copy of a block.
    pub fn copy_of(block: &[u8]) -> Bytes {
        Bytes::Owned { memory: Memory::copy_of(block), len: block.len() }
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

/// [`Bytes`] as a block keeps them, small, as there is one in each cached block: how long it is follows
/// from its [`Layout`].
enum Storage {
    /// The block, and perhaps a bit more.
    Owned(Memory),
    Mapped {
        file: Arc<dyn RandomAccessFile>,
        start: usize,
    },
}

/// A block in memory. What every lookup reads comes first.
#[repr(C)]
pub struct Block {
    storage: Storage,
    layout: Layout,
    /// Set by the first point lookup: the second one builds the fingerprints.
    seen: AtomicBool,
    fingerprints: OnceLock<Option<Fingerprints>>,
    restart_prefixes: RestartPrefixes,
}

impl Block {
    /// Takes the uncompressed bytes of a block apart.
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

    /// The block with restart_prefixes, if it suits them. Its table's fences begin with `common`, and are in
    /// bytewise order.
    #[must_use]
    pub fn with_marks(mut self, common: Option<&[u8]>) -> Block {
        if let Some(common) = common {
            self.restart_prefixes = RestartPrefixes::build(self.view(), common);
        }
        self
    }

    /// How many bytes the entries have.
    #[inline]
    pub(super) fn entries_len(&self) -> usize {
        self.layout.restarts as usize
    }

    /// What leads a seek to its interval.
    #[inline]
    pub(super) fn restart_prefixes(&self) -> &RestartPrefixes {
        &self.restart_prefixes
    }

    /// Its memory, for another block of `len` bytes, if it suits. What is left must not be searched.
    pub fn take_memory(&mut self, len: usize) -> Option<Memory> {
        match &mut self.storage {
            Storage::Owned(memory) if is_room(memory, len) => Some(std::mem::take(memory)),
            _ => None,
        }
    }

    /// Whether its memory is good for another block of `len` bytes.
    pub fn suits(&self, len: usize) -> bool {
        match &self.storage {
            Storage::Owned(memory) => is_room(memory, len),
            Storage::Mapped { .. } => false,
        }
    }

    /// Frees all but the memory that [`Block::take_memory`] gives; false if there is none.
    pub fn recycle(&mut self) -> bool {
        self.fingerprints = OnceLock::new();
        matches!(self.storage, Storage::Owned(_))
    }

    /// The block, and perhaps a bit more behind it.
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

    /// What a cache is charged for it.
    pub fn charge(&self) -> usize {
        let bytes = match &self.storage {
            Storage::Owned(bytes) => bytes.len(),
            Storage::Mapped { .. } => 0,
        };
        bytes + size_of::<Node<Block>>() + 2 * size_of::<usize>()
    }

    /// The fingerprints; the inner `None` if the block does not suit them, the outer one if nobody looked
    /// yet.
    #[inline]
    pub fn fingerprints(&self) -> Option<Option<&Fingerprints>> {
        self.fingerprints.get().map(Option::as_ref)
    }

    /// Builds the fingerprints at the second point lookup. Returns the memory that they take, when this
    /// call built them.
    #[cold]
    pub fn note_lookup(&self) -> Option<usize> {
        if !self.seen.swap(true, Ordering::Relaxed) || self.fingerprints.get().is_some() {
            return None;
        }
        let fingerprints = Fingerprints::build(self.view());
        let size = fingerprints.as_ref().map(Fingerprints::memory_usage);
        self.fingerprints.set(fingerprints).ok().and(size)
    }
}

/// Whether memory is neither too small for `len` bytes nor much too large.
fn is_room(memory: &[u8], len: usize) -> bool {
    (len..=len + len / 8).contains(&memory.len())
}

impl PinnedBytes for Held<Block> {
    fn bytes(&self) -> &[u8] {
        self.object().bytes()
    }
}

#[cfg(test)]
#[path = "block_test.rs"]
mod tests;
