//! The CuckooTable reader: checks at open, and point lookups.
//!
//! A lookup hashes the key and compares the buckets of one block, mostly one or two cache misses. It allocates nothing
//! and takes no lock. Keys are stored unordered: the first iterator that needs the order sorts them once, and the
//! result is kept with the table. The reader may be used from many threads.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::layout::Layout;
use crate::base::KeyOrder;
use crate::base::key::{TRAILER_SIZE, ValueType, pack_trailer};
use crate::base::pinned::PinnedBytes;
use crate::budget::Charge;
use crate::env::sync::OnceLock;
use crate::error::{Error, Result};
use crate::fs::RandomAccessFile;
use crate::sst::meta_block::{read_all, read_tail};
use crate::sst::{TableProperties, TableReadContext};
use std::cmp::Ordering;
use std::sync::Arc;

/// The file and its decoded parameters.
pub(super) struct Reader {
    pub(super) file: Arc<dyn RandomAccessFile>,
    /// The contents of the file if its file system does not map it.
    pub(super) image: Option<Vec<u8>>,
    /// The offset of the end of the buckets.
    pub(super) buckets_end: usize,
    pub(super) layout: Layout,
    /// The user key of empty buckets.
    pub(super) empty_key: Vec<u8>,
    pub(super) order: KeyOrder,
    /// The non-empty buckets in key order.
    pub(super) sorted: OnceLock<Result<Vec<u32>>>,
    pub(super) properties: TableProperties,
    /// What is charged for the reader, if memory is limited.
    pub(super) charge: OnceLock<Charge>,
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

impl PinnedBytes for Reader {
    fn bytes(&self) -> &[u8] {
        match &self.image {
            Some(image) => image,
            None => self.file.mapped().unwrap_or_default(),
        }
    }
}

impl Reader {
    pub(super) fn open(file: Arc<dyn RandomAccessFile>, ctx: &TableReadContext) -> Result<Reader> {
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
            charge: OnceLock::new(),
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
    pub(super) fn taken(&self) -> impl Iterator<Item = (u64, &[u8])> + Clone {
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

    pub(super) fn sort(&self) -> Result<Vec<u32>> {
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
