//! What the generated accessors call: a C scalar into a field and back.

use crate::errptr::quiet;
use ferrolith::compress::CompressionType;
use ferrolith::options::{
    BottommostLevelCompaction, ChecksumType, CompactionPri, CompactionStopStyle, CompactionStyle,
    DataBlockIndexType, IndexType, InfoLogLevel, PinningTier, PrepopulateBlobCache, ReadTier,
    WalRecoveryMode,
};

/// A field that C sees as a `C`.
pub(crate) trait Scalar<C> {
    /// The field as C sees it.
    fn load(&self) -> C;
    /// Sets the field. A value out of range is clamped to the nearest that the field can hold.
    fn store(&mut self, value: C);
}

/// Reads a field of a handle; NULL gives zero.
///
/// # Safety
/// `handle` is NULL or live.
pub(crate) unsafe fn get<H, C: Default>(handle: *const H, read: impl FnOnce(&H) -> C) -> C {
    // SAFETY: the caller's promise.
    quiet(C::default(), || unsafe { handle.as_ref() }.map(read).unwrap_or_default())
}

/// Changes a field of a handle; NULL does nothing.
///
/// # Safety
/// `handle` is NULL or live, and nobody else uses it.
pub(crate) unsafe fn set<H>(handle: *mut H, write: impl FnOnce(&mut H)) {
    // SAFETY: the caller's promise.
    quiet((), || unsafe { handle.as_mut() }.map_or((), write));
}

impl Scalar<u8> for bool {
    fn load(&self) -> u8 {
        u8::from(*self)
    }
    fn store(&mut self, value: u8) {
        *self = value != 0;
    }
}

impl Scalar<bool> for bool {
    fn load(&self) -> bool {
        *self
    }
    fn store(&mut self, value: bool) {
        *self = value;
    }
}

impl Scalar<f64> for f64 {
    fn load(&self) -> f64 {
        *self
    }
    fn store(&mut self, value: f64) {
        *self = value;
    }
}

/// The limits of a histogram.
impl Scalar<f64> for u64 {
    fn load(&self) -> f64 {
        *self as f64
    }
    fn store(&mut self, value: f64) {
        *self = value as u64;
    }
}

/// Integers convert as C converts them: the low bits, sign-extended.
macro_rules! integers {
    ($($field:ty: $($c:ty),*;)*) => {$($(
        impl Scalar<$c> for $field {
            fn load(&self) -> $c {
                *self as $c
            }
            fn store(&mut self, value: $c) {
                *self = value as $field;
            }
        }
    )*)*};
}

integers! {
    i32: i32, u32;
    u32: i32, u32, usize;
    i64: i64, i32;
    u64: u64, usize, i32, u32, i64;
    usize: usize, u64, i32, u32;
}

/// Closed sets as RocksDB numbers them. A number that names nothing changes nothing: there is no
/// place for an error.
macro_rules! closed_sets {
    ($($field:ident as $c:ty: $($variant:ident)*;)*) => {$(
        impl Scalar<$c> for $field {
            fn load(&self) -> $c {
                *self as u8 as $c
            }
            fn store(&mut self, value: $c) {
                $(if value == $field::$variant as u8 as $c {
                    *self = $field::$variant;
                })*
            }
        }
    )*};
}

closed_sets! {
    BottommostLevelCompaction as u8: Skip IfHaveCompactionFilter Force ForceOptimized;
    ChecksumType as std::ffi::c_char: NoChecksum Crc32c XxHash XxHash64 Xxh3;
    CompactionPri as i32: ByCompensatedSize OldestLargestSeqFirst OldestSmallestSeqFirst
        MinOverlappingRatio RoundRobin;
    CompactionStopStyle as i32: SimilarSize TotalSize;
    CompactionStyle as i32: Level Universal Fifo None;
    DataBlockIndexType as i32: BinarySearch BinaryAndHash;
    IndexType as i32: BinarySearch HashSearch TwoLevelIndexSearch BinarySearchWithFirstKey;
    InfoLogLevel as i32: Debug Info Warn Error Fatal Header;
    PinningTier as i32: Fallback None FlushedAndSimilar All;
    PrepopulateBlobCache as i32: Disable FlushOnly;
    ReadTier as i32: All BlockCache Persisted Memtable;
    WalRecoveryMode as i32: TolerateCorruptedTailRecords AbsoluteConsistency PointInTimeRecovery
        SkipAnyCorruptedRecords;
}

/// The codec with RocksDB's number.
pub(crate) fn codec(number: i32) -> Option<CompressionType> {
    u8::try_from(number).ok().and_then(CompressionType::from_byte)
}

impl Scalar<i32> for CompressionType {
    fn load(&self) -> i32 {
        *self as i32
    }
    fn store(&mut self, value: i32) {
        *self = codec(value).unwrap_or(*self);
    }
}

/// The last level's codec: what is no codec's number is "as the others".
impl Scalar<i32> for Option<CompressionType> {
    fn load(&self) -> i32 {
        self.map_or(0xff, |codec| codec as i32)
    }
    fn store(&mut self, value: i32) {
        *self = codec(value);
    }
}

impl Scalar<i32> for bool {
    fn load(&self) -> i32 {
        i32::from(*self)
    }
    fn store(&mut self, value: i32) {
        *self = value != 0;
    }
}
