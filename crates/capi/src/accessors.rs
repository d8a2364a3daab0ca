//! Functions that generated code calls: they read and write fields as C scalars, and unwrap databases.

use crate::errptr::quiet;
use crate::families::rocksdb_t;
use ferrolith::internal::compress::CompressionType;
use ferrolith::internal::options::{
    BottommostLevelCompaction, ChecksumType, CompactionPri, CompactionStopStyle, CompactionStyle,
    DataBlockIndexType, IndexType, InfoLogLevel, PinningTier, PrepopulateBlobCache, ReadTier,
    WalRecoveryMode,
};
use std::ptr;

/// A field whose C type is `C`.
pub(crate) trait Scalar<C> {
    /// Returns the field as a C value.
    fn load(&self) -> C;
    /// Sets the field. A value out of range is clamped to the nearest value that the field can hold.
    fn store(&mut self, value: C);
}

/// Reads a field of a handle; NULL gives zero.
///
/// # Safety
/// `handle` is NULL or live.
pub(crate) unsafe fn get<H, C: Default>(handle: *const H, read: impl FnOnce(&H) -> C) -> C {
    // SAFETY: guaranteed by the caller.
    quiet(C::default(), || unsafe { handle.as_ref() }.map(read).unwrap_or_default())
}

/// Changes a field of a handle; NULL does nothing.
///
/// # Safety
/// `handle` is NULL or live, and nobody else uses it.
pub(crate) unsafe fn set<H>(handle: *mut H, write: impl FnOnce(&mut H)) {
    // SAFETY: guaranteed by the caller.
    quiet((), || unsafe { handle.as_mut() }.map_or((), write));
}

/// A handle that wraps a database.
pub(crate) trait Wraps {
    /// Returns the database that it wraps.
    fn database(&mut self) -> &mut rocksdb_t;
}

/// Returns the database that a handle wraps; NULL for NULL.
///
/// # Safety
/// `handle` is NULL or live.
pub(crate) unsafe fn database<H: Wraps>(handle: *mut H) -> *mut rocksdb_t {
    // SAFETY: guaranteed by the caller.
    unsafe { handle.as_mut() }.map_or(ptr::null_mut(), |handle| &raw mut *handle.database())
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

/// A closed set of options, whose members C programs identify by number.
pub(crate) trait ClosedSet {
    /// Chooses the member with this number. If no member has it, returns the number, in the width in which RocksDB
    /// stores it.
    fn choose(&mut self, number: i64) -> Option<i64>;
}

/// Closed sets with RocksDB's numbers and widths.
macro_rules! closed_sets {
    ($($field:ident as $c:ty, $width:ty: $($variant:ident)*;)*) => {$(
        impl Scalar<$c> for $field {
            fn load(&self) -> $c {
                *self as u8 as $c
            }
            /// A number without a member changes nothing.
            fn store(&mut self, value: $c) {
                let _ = self.choose(value.into());
            }
        }
        impl ClosedSet for $field {
            fn choose(&mut self, number: i64) -> Option<i64> {
                let kept = i64::from(number as $width);
                $(if kept == $field::$variant as i64 {
                    *self = $field::$variant;
                    return None;
                })*
                Some(kept)
            }
        }
    )*};
}

closed_sets! {
    BottommostLevelCompaction as u8, u8: Skip IfHaveCompactionFilter Force ForceOptimized;
    ChecksumType as std::ffi::c_char, i8: NoChecksum Crc32c XxHash XxHash64 Xxh3;
    CompactionPri as i32, i8: ByCompensatedSize OldestLargestSeqFirst OldestSmallestSeqFirst
        MinOverlappingRatio RoundRobin;
    CompactionStopStyle as i32, i32: SimilarSize TotalSize;
    CompactionStyle as i32, i8: Level Universal Fifo None;
    DataBlockIndexType as i32, i8: BinarySearch BinaryAndHash;
    IndexType as i32, i8: BinarySearch HashSearch TwoLevelIndexSearch BinarySearchWithFirstKey;
    InfoLogLevel as i32, u8: Debug Info Warn Error Fatal Header;
    PinningTier as i32, i32: Fallback None FlushedAndSimilar All;
    PrepopulateBlobCache as i32, u8: Disable FlushOnly;
    ReadTier as i32, i32: All BlockCache Persisted Memtable;
    WalRecoveryMode as i32, i8: TolerateCorruptedTailRecords AbsoluteConsistency PointInTimeRecovery
        SkipAnyCorruptedRecords;
}

/// Returns the codec with RocksDB's number in options.
pub(crate) fn codec(number: u8) -> Option<CompressionType> {
    CompressionType::ALL.into_iter().find(|codec| *codec as u8 == number)
}

impl Scalar<i32> for CompressionType {
    fn load(&self) -> i32 {
        *self as i32
    }
    fn store(&mut self, value: i32) {
        let _ = self.choose(value.into());
    }
}

impl ClosedSet for CompressionType {
    fn choose(&mut self, number: i64) -> Option<i64> {
        let Some(codec) = codec(number as u8) else { return Some(i64::from(number as u8)) };
        *self = codec;
        None
    }
}

/// `kDisableCompressionOption`.
const AS_THE_OTHERS: u8 = 0xff;

/// The last level's codec.
impl Scalar<i32> for Option<CompressionType> {
    fn load(&self) -> i32 {
        self.map_or(AS_THE_OTHERS.into(), |codec| codec as i32)
    }
    fn store(&mut self, value: i32) {
        let _ = self.choose(value.into());
    }
}

impl ClosedSet for Option<CompressionType> {
    fn choose(&mut self, number: i64) -> Option<i64> {
        let kept = number as u8;
        *self = codec(kept);
        (self.is_none() && kept != AS_THE_OTHERS).then_some(kept.into())
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
