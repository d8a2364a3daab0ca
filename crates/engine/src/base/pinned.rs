//! Values returned to the user: copied if small, shared with the block or file if large.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// A reference-counted object that keeps bytes alive: a cached block, a mapped file.
pub trait PinnedBytes: Send + Sync {
    /// All of its bytes.
    fn bytes(&self) -> &[u8];
}

/// A location of values that can be kept alive.
pub trait Pin {
    /// Keeps the bytes that contain `value` alive; `None` if that is impossible.
    fn pin(&self, value: &[u8]) -> Option<PinnedValue>;
}

/// A value from the database. It is owned, `Send`, and valid as long as it exists. Small values of one `multi_get`
/// share memory, which lives as long as one of them: at most 32 KiB for 32 keys.
#[derive(Clone)]
pub struct PinnedValue(Repr);

#[derive(Clone)]
enum Repr {
    Owned(Vec<u8>),
    Shared { owner: Arc<dyn PinnedBytes>, range: Range<usize> },
}

/// Values of at least this length are shared rather than copied; for shorter ones a copy is cheaper than a reference
/// count.
pub const PIN_FROM_BYTES: usize = 4096;

impl PinnedValue {
    /// A value in its own memory.
    pub fn owned(bytes: Vec<u8>) -> PinnedValue {
        PinnedValue(Repr::Owned(bytes))
    }

    /// The part `range` of the bytes of `owner`. Panics if the range is out of bounds.
    pub fn shared(owner: Arc<dyn PinnedBytes>, range: Range<usize>) -> PinnedValue {
        assert!(range.start <= range.end && range.end <= owner.bytes().len());
        PinnedValue(Repr::Shared { owner, range })
    }

    /// The value `part` as a part of `owner`; `None` if it is not inside.
    pub fn part_of(owner: Arc<dyn PinnedBytes>, part: &[u8]) -> Option<PinnedValue> {
        let start = (part.as_ptr() as usize).checked_sub(owner.bytes().as_ptr() as usize)?;
        let end = start.checked_add(part.len())?;
        if end > owner.bytes().len() {
            return None;
        }
        Some(PinnedValue(Repr::Shared { owner, range: start..end }))
    }

    /// Keeps only the first `len` bytes; a shorter value does not change.
    pub fn truncate(&mut self, len: usize) {
        match &mut self.0 {
            Repr::Owned(v) => v.truncate(len),
            Repr::Shared { range, .. } => range.end = range.end.min(range.start + len),
        }
    }

    /// The value as a vector: moved out when owned, copied when shared.
    pub fn into_vec(self) -> Vec<u8> {
        match self.0 {
            Repr::Owned(v) => v,
            Repr::Shared { owner, range } => owner.bytes()[range].to_vec(),
        }
    }
}

impl Deref for PinnedValue {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match &self.0 {
            Repr::Owned(v) => v,
            Repr::Shared { owner, range } => &owner.bytes()[range.clone()],
        }
    }
}

impl AsRef<[u8]> for PinnedValue {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

/// Moves the value without copying it: the `Bytes` owns the memory, or keeps the block or file alive that contains it.
#[cfg(feature = "bytes")]
impl From<PinnedValue> for bytes::Bytes {
    fn from(value: PinnedValue) -> bytes::Bytes {
        match value.0 {
            Repr::Owned(v) => bytes::Bytes::from(v),
            Repr::Shared { .. } => bytes::Bytes::from_owner(value),
        }
    }
}

/// A reusable buffer for one value at a time: small values are copied into its memory, large ones
/// are shared. Reading into it allocates nothing once its memory is large enough.
#[derive(Debug, Default)]
pub struct ValueBuffer {
    copied: Vec<u8>,
    pinned: Option<PinnedValue>,
}

impl ValueBuffer {
    /// An empty buffer.
    pub fn new() -> ValueBuffer {
        ValueBuffer::default()
    }

    /// Copies a value into the buffer.
    #[inline]
    pub fn copy(&mut self, value: &[u8]) {
        self.pinned = None;
        self.copied.clear();
        self.copied.extend_from_slice(value);
    }

    /// Keeps a shared value.
    pub fn pin(&mut self, value: PinnedValue) {
        self.copied.clear();
        self.pinned = Some(value);
    }

    /// Drops the value and keeps the memory.
    pub fn clear(&mut self) {
        self.copied.clear();
        self.pinned = None;
    }

    /// The size of the memory for small values in bytes.
    pub fn capacity(&self) -> usize {
        self.copied.capacity()
    }
}

impl Deref for ValueBuffer {
    type Target = [u8];
    #[inline]
    fn deref(&self) -> &[u8] {
        match &self.pinned {
            Some(value) => value,
            None => &self.copied,
        }
    }
}

impl fmt::Debug for PinnedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

#[cfg(all(test, feature = "bytes"))]
mod tests {
    use super::*;

    struct Block(Vec<u8>);

    impl PinnedBytes for Block {
        fn bytes(&self) -> &[u8] {
            &self.0
        }
    }

    #[test]
    fn bytes_take_over_the_memory() {
        let owned = PinnedValue::owned(b"a value".to_vec());
        let address = owned.as_ptr();
        let bytes = bytes::Bytes::from(owned);
        assert_eq!((&bytes[..], bytes.as_ptr()), (&b"a value"[..], address));

        let block = Arc::new(Block((0..100).collect()));
        let shared = PinnedValue::shared(Arc::clone(&block) as Arc<dyn PinnedBytes>, 10..20);
        let bytes = bytes::Bytes::from(shared);
        assert_eq!(&bytes[..], &block.0[10..20]);
        assert_eq!(bytes.as_ptr(), block.0[10..].as_ptr());
        assert_eq!(Arc::strong_count(&block), 2);
        drop(bytes);
        assert_eq!(Arc::strong_count(&block), 1);
    }
}
