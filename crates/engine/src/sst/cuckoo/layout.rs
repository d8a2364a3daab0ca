//! The parameters of a CuckooTable file, and the buckets that may contain a key.
//!
//! Properties, all user-collected, little-endian and of fixed length:
//!
//! ```text
//! rocksdb.cuckoo.bucket.empty.key      the key of buckets without an entry
//! rocksdb.cuckoo.hash.num              fixed32: how many hashes
//! rocksdb.cuckoo.hash.size             fixed64: the table size, which hashes are reduced to
//! rocksdb.cuckoo.hash.cuckooblocksize  fixed32: buckets from where a hash points
//! rocksdb.cuckoo.hash.identityfirst    flag: hash 0 is the key's first eight bytes
//! rocksdb.cuckoo.hash.usemodule        flag: hashes are reduced by division, otherwise by masking
//! rocksdb.cuckoo.hash.userkeylength    fixed32
//! rocksdb.cuckoo.value.length          fixed64
//! rocksdb.cuckoo.file.islastlevel      flag: keys are user keys
//! ```
//! The file does not record which hash function assigns buckets: RocksDB uses MurmurHash64A on x86-64 and MurmurHash2
//! on other machines. [`Layout::settle_hash`] determines it.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::HASHES_MAX;
use crate::base::key::TRAILER_SIZE;
use crate::base::murmur::{murmur2, murmur64a};
use crate::error::{Error, Result};
use crate::sst::TableProperties;

const EMPTY_KEY: &str = "rocksdb.cuckoo.bucket.empty.key";
const HASHES: &str = "rocksdb.cuckoo.hash.num";
const TABLE_SIZE: &str = "rocksdb.cuckoo.hash.size";
const BLOCK_SIZE: &str = "rocksdb.cuckoo.hash.cuckooblocksize";
const IDENTITY_FIRST: &str = "rocksdb.cuckoo.hash.identityfirst";
const USE_MODULE: &str = "rocksdb.cuckoo.hash.usemodule";
const USER_KEY_LEN: &str = "rocksdb.cuckoo.hash.userkeylength";
const VALUE_LEN: &str = "rocksdb.cuckoo.value.length";
const LAST_LEVEL: &str = "rocksdb.cuckoo.file.islastlevel";

/// The seed of the hash with number `n` is `n` times this.
const SEED_STEP: u32 = 816_922_183;
/// The number of keys that are checked to distinguish the two hashes; in a small table both may
/// lead to the right bucket.
const TRIALS: usize = 64;

/// The hash function that assigns buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Murmur {
    /// MurmurHash64A.
    Wide,
    /// MurmurHash2.
    Narrow,
}

/// RocksDB's choice on this machine.
pub(super) const NATIVE: Murmur =
    if cfg!(target_arch = "x86_64") { Murmur::Wide } else { Murmur::Narrow };

/// The parameters of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) user_key_len: usize,
    /// The length of a key in a bucket.
    pub(super) key_len: usize,
    pub(super) value_len: usize,
    pub(super) hashes: u32,
    pub(super) table_size: u64,
    pub(super) block_size: u32,
    pub(super) identity_first: bool,
    pub(super) use_module: bool,
    pub(super) murmur: Murmur,
}

impl Layout {
    /// Reads the parameters and the user key of empty buckets. `data_len` is the total length of
    /// all buckets.
    pub(super) fn of(p: &TableProperties, data_len: usize) -> Result<(Layout, Vec<u8>)> {
        let length = |name, missing| {
            usize::try_from(number(p, name, missing)?)
                .map_err(|_| Error::corruption(format!("CuckooTable: {name} is too large")))
        };
        let narrow = |name, missing| {
            u32::try_from(number(p, name, missing)?)
                .map_err(|_| Error::corruption(format!("CuckooTable: {name} is too large")))
        };
        let hashes = narrow(HASHES, "Number of hash functions not found")?;
        let mut empty_key = p
            .user_collected
            .get(EMPTY_KEY)
            .cloned()
            .ok_or_else(|| Error::corruption("Empty bucket value not found"))?;
        let user_key_len = length(USER_KEY_LEN, "User key length not found")?;
        let value_len = length(VALUE_LEN, "Value length not found")?;
        let table_size = number(p, TABLE_SIZE, "Hash table size not found")?;
        let last_level = flag(p, LAST_LEVEL, "Is last level not found")?;
        let layout = Layout {
            user_key_len,
            key_len: user_key_len + if last_level { 0 } else { TRAILER_SIZE },
            value_len,
            hashes,
            // A file without entries has no buckets, regardless of its properties.
            table_size: if data_len == 0 { 0 } else { table_size },
            identity_first: flag(p, IDENTITY_FIRST, "identity as first hash not found")?,
            use_module: flag(p, USE_MODULE, "hash type is not found")?,
            block_size: narrow(BLOCK_SIZE, "Cuckoo block size not found")?,
            murmur: NATIVE,
        };
        layout.check(p, &empty_key, data_len)?;
        empty_key.truncate(user_key_len);
        Ok((layout, empty_key))
    }

    fn check(&self, p: &TableProperties, empty_key: &[u8], data_len: usize) -> Result<()> {
        let wrong = |what: &str, expected: u64, found: u64| {
            Err(Error::corruption(format!(
                "CuckooTable: {what}: expected {expected}, found {found}"
            )))
        };
        if data_len == 0 {
            return match p.num_entries {
                0 => Ok(()),
                entries => wrong("entries in a file without buckets", 0, entries),
            };
        }
        if p.fixed_key_len != self.key_len as u64 {
            return wrong("length of keys", self.key_len as u64, p.fixed_key_len);
        }
        if empty_key.len() != self.key_len {
            return wrong("length of the empty key", self.key_len as u64, empty_key.len() as u64);
        }
        if self.user_key_len == 0 {
            return wrong("user key length, at least", 1, 0);
        }
        if !(1..=HASHES_MAX).contains(&self.hashes) {
            return wrong("hashes, at most", HASHES_MAX.into(), self.hashes.into());
        }
        if self.table_size == 0 || self.block_size == 0 {
            return wrong("table size and block size, at least", 1, 0);
        }
        if self.identity_first && self.user_key_len < 8 {
            return wrong("user key length with an identity hash, at least", 8, p.fixed_key_len);
        }
        let expected = self.buckets().and_then(|n| n.checked_mul(self.bucket_len()? as u64));
        if expected != Some(data_len as u64) {
            return wrong("bytes of buckets", expected.unwrap_or(u64::MAX), data_len as u64);
        }
        // In memory, buckets are numbered with 32 bits, as in RocksDB.
        match self.buckets() {
            Some(n) if n >= u64::from(u32::MAX) => wrong("buckets, below", u32::MAX.into(), n),
            _ => Ok(()),
        }
    }

    /// Adds the parameters to the properties; `empty_key` is as in the buckets.
    pub(super) fn describe(&self, p: &mut TableProperties, empty_key: &[u8]) {
        p.fixed_key_len = self.key_len as u64;
        let last_level = self.key_len == self.user_key_len;
        let entries: [(&str, &[u8]); 9] = [
            (EMPTY_KEY, empty_key),
            (HASHES, &self.hashes.to_le_bytes()),
            (TABLE_SIZE, &self.table_size.to_le_bytes()),
            (BLOCK_SIZE, &self.block_size.to_le_bytes()),
            (IDENTITY_FIRST, &[self.identity_first.into()]),
            (USE_MODULE, &[self.use_module.into()]),
            (USER_KEY_LEN, &(self.user_key_len as u32).to_le_bytes()),
            (VALUE_LEN, &(self.value_len as u64).to_le_bytes()),
            (LAST_LEVEL, &[last_level.into()]),
        ];
        for (name, value) in entries {
            p.user_collected.insert(name.to_owned(), value.to_vec());
        }
    }

    /// Whether the stored keys are user keys.
    #[inline]
    pub(super) fn is_last_level(&self) -> bool {
        self.key_len == self.user_key_len
    }

    /// The number of all buckets. The last hash value's block extends past the end of the table.
    pub(super) fn buckets(&self) -> Option<u64> {
        match self.table_size {
            0 => Some(0),
            size => size.checked_add(u64::from(self.block_size) - 1),
        }
    }

    /// The size of a bucket in bytes.
    #[inline]
    pub(super) fn bucket_len(&self) -> Option<usize> {
        self.key_len.checked_add(self.value_len)
    }

    /// The buckets that may contain a user key, in search order.
    #[inline]
    pub(super) fn path<'a>(&'a self, user_key: &'a [u8]) -> impl Iterator<Item = u64> + 'a {
        let hashes = if self.table_size == 0 { 0 } else { self.hashes };
        (0..hashes).flat_map(move |n| {
            let first = self.start(user_key, n);
            first..first + u64::from(self.block_size)
        })
    }

    /// The bucket that the hash with this number points to.
    #[inline]
    fn start(&self, user_key: &[u8], n: u32) -> u64 {
        let hash = match user_key.first_chunk() {
            Some(first) if n == 0 && self.identity_first => u64::from_le_bytes(*first),
            _ => {
                let seed = SEED_STEP.wrapping_mul(n);
                match self.murmur {
                    Murmur::Wide => murmur64a(user_key, seed),
                    Murmur::Narrow => murmur2(user_key, seed).into(),
                }
            }
        };
        if self.use_module { hash % self.table_size } else { hash & (self.table_size - 1) }
    }

    /// Determines which hash function the file was made with, from some of its keys and their buckets. With the wrong
    /// function, lookups would miss keys.
    pub(super) fn settle_hash<'a>(
        &mut self,
        keys: impl Iterator<Item = (u64, &'a [u8])> + Clone,
    ) -> Result<()> {
        let other = if NATIVE == Murmur::Wide { Murmur::Narrow } else { Murmur::Wide };
        for murmur in [NATIVE, other] {
            self.murmur = murmur;
            let mut sample = keys.clone().take(TRIALS);
            if sample.all(|(bucket, key)| self.path(key).any(|b| b == bucket)) {
                return Ok(());
            }
        }
        Err(Error::corruption("CuckooTable: keys are not in the buckets that their hashes select"))
    }
}

/// A property of up to eight bytes.
fn number(p: &TableProperties, name: &str, missing: &str) -> Result<u64> {
    let bytes = p.user_collected.get(name).ok_or_else(|| Error::corruption(missing))?;
    let mut wide = [0; 8];
    match wide.get_mut(..bytes.len()) {
        Some(low) if !bytes.is_empty() => low.copy_from_slice(bytes),
        _ => {
            return Err(Error::corruption(format!(
                "property {name}: expected 1 to 8 bytes, found {}",
                bytes.len()
            )));
        }
    }
    Ok(u64::from_le_bytes(wide))
}

fn flag(p: &TableProperties, name: &str, missing: &str) -> Result<bool> {
    Ok(number(p, name, missing)? != 0)
}
