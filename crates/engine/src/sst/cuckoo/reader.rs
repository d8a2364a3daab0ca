//! The CuckooTable reader: checks at open, and point lookups.
//!
//! A lookup hashes the key and compares the buckets of one block, mostly one or two cache misses. It allocates nothing
//! and takes no lock. Keys are stored unordered: the first iterator that needs the order sorts them once, and the
//! result is kept with the table. The reader may be used from many threads.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::iter::CuckooIter;
use super::layout::Layout;
use crate::base::key::{TRAILER_SIZE, ValueType, pack_trailer};
use crate::base::pinned::{Pin, PinnedBytes};
use crate::base::{KeyOrder, LookupKey, PinnedValue};
use crate::env::sync::OnceLock;
use crate::error::{Error, Result};
use crate::fs::RandomAccessFile;
use crate::iter::GetContext;
use crate::options::ReadOptions;
use crate::sst::meta_block::{read_all, read_tail};
use crate::sst::{TableProperties, TableReadContext};
use std::cmp::Ordering;
use std::sync::Arc;

/// An open CuckooTable. Clones share one reader.
#[derive(Clone)]
pub struct CuckooTable(Arc<Reader>);

/// The file and its decoded parameters.
pub(super) struct Reader {
    file: Arc<dyn RandomAccessFile>,
    /// The contents of the file if its file system does not map it.
    image: Option<Vec<u8>>,
    /// The offset of the end of the buckets.
    buckets_end: usize,
    layout: Layout,
    /// The user key of empty buckets.
    empty_key: Vec<u8>,
    order: KeyOrder,
    /// The non-empty buckets in key order.
    sorted: OnceLock<Result<Vec<u32>>>,
    properties: TableProperties,
}

/// The contents of a bucket.
#[derive(Clone, Copy)]
pub(super) struct Bucket<'a> {
    /// The stored key.
    pub(super) key: &'a [u8],
    pub(super) user_key: &'a [u8],
    /// The trailer that readers see.
    pub(super) trailer: u64,
    pub(super) value: &'a [u8],
}

impl CuckooTable {
    /// Opens a file and checks its parameters.
    pub fn open(file: Arc<dyn RandomAccessFile>, ctx: &TableReadContext) -> Result<CuckooTable> {
        if !ctx.mmap {
            // RocksDB's message.
            return Err(Error::invalid_argument("File is not mmaped"));
        }
        Reader::open(file, ctx).map(|reader| CuckooTable(Arc::new(reader)))
    }

    /// Looks a key up: calls `ctx.save` for its entry if it is visible.
    #[inline]
    pub fn get(&self, key: &LookupKey, _ro: &ReadOptions, ctx: &mut GetContext) -> Result<()> {
        let reader = &*self.0;
        let user_key = key.user_key();
        if user_key.len() != reader.layout.user_key_len {
            return Ok(());
        }
        for bucket in reader.layout.path(user_key) {
            let entry = reader.entry(bucket);
            // Checked first, since a lookup may be for the key of empty buckets.
            if entry.user_key == reader.empty_key {
                break;
            }
            if entry.user_key == user_key {
                if entry.trailer >> 8 <= key.sequence() {
                    let kind = reader.kind(bucket, entry.trailer)?;
                    ctx.save(entry.trailer >> 8, kind, entry.value, Some(self));
                }
                break;
            }
        }
        Ok(())
    }

    /// An iterator in key order; it keeps the table open.
    pub fn iter(&self) -> CuckooIter {
        CuckooIter::new(Arc::clone(&self.0))
    }

    /// The file's properties.
    pub fn properties(&self) -> &TableProperties {
        &self.0.properties
    }

    /// The memory that the reader holds, in bytes; a mapped file is not counted.
    pub fn memory_usage(&self) -> usize {
        let sorted = self.0.sorted.get().and_then(|sorted| sorted.as_ref().ok());
        size_of::<Reader>()
            + self.0.image.as_ref().map_or(0, Vec::capacity)
            + sorted.map_or(0, |sorted| sorted.capacity() * size_of::<u32>())
    }

    /// Reads every bucket. The number of keys must match the properties; keys must differ, have known types, and be
    /// found in their buckets. Buckets have no checksums.
    pub fn verify_buckets(&self) -> Result<()> {
        let reader = &*self.0;
        for bucket in reader.sort()? {
            let entry = reader.entry(bucket.into());
            let path = reader.layout.path(entry.user_key);
            let mut taken = path.take_while(|&b| reader.entry(b).user_key != reader.empty_key);
            if !taken.any(|b| b == u64::from(bucket)) {
                return Err(
                    reader.corruption(bucket.into(), "key: none of its hashes selects this bucket")
                );
            }
        }
        Ok(())
    }
}

impl Pin for CuckooTable {
    fn pin(&self, value: &[u8]) -> Option<PinnedValue> {
        let owner: Arc<dyn PinnedBytes> = Arc::clone(&self.0) as _;
        PinnedValue::part_of(owner, value)
    }
}

impl PinnedBytes for Reader {
    fn bytes(&self) -> &[u8] {
        match &self.image {
            Some(image) => image,
            None => self.file.mapped().unwrap_or_default(),
        }
    }
}

impl Reader {
    fn open(file: Arc<dyn RandomAccessFile>, ctx: &TableReadContext) -> Result<Reader> {
        let image = if file.mapped().is_some() { None } else { Some(read_all(&*file)?) };
        let bytes = match &image {
            Some(image) => image,
            None => file.mapped().unwrap_or_default(),
        };
        let (properties, buckets_end) =
            read_tail(bytes, "CuckooTable").map_err(|e| e.in_file(file.path()))?;
        let (layout, empty_key) =
            Layout::of(&properties, buckets_end).map_err(|e| e.in_file(file.path()))?;
        let mut reader = Reader {
            file,
            image,
            buckets_end,
            layout,
            empty_key,
            order: ctx.order.clone(),
            sorted: OnceLock::new(),
            properties,
        };
        let mut settled = reader.layout;
        settled.settle_hash(reader.taken()).map_err(|e| e.in_file(reader.file.path()))?;
        reader.layout = settled;
        Ok(reader)
    }

    #[inline]
    pub(super) fn layout(&self) -> &Layout {
        &self.layout
    }

    #[inline]
    pub(super) fn order(&self) -> &KeyOrder {
        &self.order
    }

    /// The contents of a bucket on a path, or with a number below the number of buckets.
    #[inline]
    pub(super) fn entry(&self, bucket: u64) -> Bucket<'_> {
        let Layout { user_key_len, key_len, value_len, .. } = self.layout;
        let start = bucket as usize * (key_len + value_len);
        let bytes = self.bytes().get(start..start + key_len + value_len).unwrap_or_default();
        let (key, value) = bytes.split_at_checked(key_len).unwrap_or_default();
        let (user_key, rest) = key.split_at_checked(user_key_len).unwrap_or_default();
        let trailer = match rest.first_chunk::<TRAILER_SIZE>() {
            Some(trailer) => u64::from_le_bytes(*trailer),
            None => pack_trailer(0, ValueType::Value),
        };
        Bucket { key, user_key, trailer, value }
    }

    /// The non-empty buckets and their user keys.
    fn taken(&self) -> impl Iterator<Item = (u64, &[u8])> + Clone {
        let buckets = if self.buckets_end == 0 { 0 } else { self.layout.buckets().unwrap_or(0) };
        (0..buckets)
            .map(|bucket| (bucket, self.entry(bucket).user_key))
            .filter(|(_, key)| *key != self.empty_key)
    }

    /// The type of an entry, checked to be one that such a file may contain.
    #[inline]
    pub(super) fn kind(&self, bucket: u64, trailer: u64) -> Result<ValueType> {
        match ValueType::from_byte(trailer as u8) {
            Some(kind) if kind != ValueType::RangeDeletion => Ok(kind),
            _ => Err(self.corruption(bucket, format_args!("unknown value type {}", trailer as u8))),
        }
    }

    /// The non-empty buckets in key order, sorted at the first call.
    pub(super) fn sorted(&self) -> Result<&[u32]> {
        match self.sorted.get_or_init(|| self.sort()) {
            Ok(sorted) => Ok(sorted),
            Err(e) => Err(e.clone()),
        }
    }

    fn sort(&self) -> Result<Vec<u32>> {
        let mut sorted: Vec<u32> = self.taken().map(|(bucket, _)| bucket as u32).collect();
        sorted.shrink_to_fit();
        if sorted.len() as u64 != self.properties.num_entries {
            return Err(Error::corruption(format!(
                "CuckooTable: expected {} entries as in its properties, found {}",
                self.properties.num_entries,
                sorted.len()
            ))
            .in_file(self.file.path()));
        }
        let key = |bucket: u32| self.entry(bucket.into()).user_key;
        sorted.sort_unstable_by(|a, b| self.order.compare_user(key(*a), key(*b)));
        let mut last: Option<u32> = None;
        for &bucket in &sorted {
            self.kind(bucket.into(), self.entry(bucket.into()).trailer)?;
            if let Some(last) = last.replace(bucket)
                && self.order.compare_user(key(last), key(bucket)) != Ordering::Less
            {
                return Err(self.corruption(bucket.into(), "key: the file contains it twice"));
            }
        }
        Ok(sorted)
    }

    #[cold]
    pub(super) fn corruption(&self, bucket: u64, why: impl std::fmt::Display) -> Error {
        let at = bucket * self.layout.bucket_len().unwrap_or(0) as u64;
        Error::corruption_at(self.file.path(), at, format_args!("bucket {bucket}: {why}"))
    }
}

#[cfg(test)]
#[path = "reader_test.rs"]
mod tests;
