//! `paranoid_file_checks`: a new table is read again and compared with what was written to it.

use crate::base::InternalIterator;
use crate::base::hash::hash64;
use crate::error::{Error, Result};
use crate::fs::{FileSystem, ReadMode};
use crate::rangedel::Tombstone;
use crate::sst::{Table, TableBuilderContext, TableIterOptions, TableReadContext};
use std::path::{Path, PathBuf};

/// The number of entries, and a hash over all of them in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Digest {
    entries: u64,
    hash: u64,
}

impl Digest {
    /// Adds the next entry.
    fn add(&mut self, key: &[u8], value: &[u8]) {
        let entry = hash64(key).rotate_left(32) ^ hash64(value);
        self.entries += 1;
        self.hash = self.hash.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ entry;
    }
}

/// The expected content of a table that is being written.
pub(super) struct Reread {
    path: PathBuf,
    context: TableReadContext,
    read_mode: ReadMode,
    written: Digest,
    tombstones: Digest,
}

impl Reread {
    /// Creates the check for an empty table at `path`.
    pub(super) fn new(path: &Path, built: TableBuilderContext, read_mode: ReadMode) -> Reread {
        let context = TableReadContext {
            order: built.order,
            factory: built.factory,
            prefix_extractor: built.prefix_extractor,
            cache: None,
            mmap: read_mode == ReadMode::Mapped,
            file_number: built.file_number,
            global_seqno: None,
            statistics: None,
            memory: None,
            random_reads: false,
            at_last_level: false,
        };
        Reread {
            path: path.to_owned(),
            context,
            read_mode,
            written: Digest::default(),
            tombstones: Digest::default(),
        }
    }

    /// Adds an entry that was written.
    pub(super) fn add(&mut self, key: &[u8], value: &[u8]) {
        self.written.add(key, value);
    }

    /// Adds a range tombstone that was written.
    pub(super) fn add_tombstone(&mut self, tombstone: &Tombstone<'_>) {
        add_tombstone(&mut self.tombstones, tombstone);
    }

    /// Reads and checks the finished table.
    pub(super) fn check(&self, fs: &dyn FileSystem) -> Result<()> {
        let file = self.read_mode.open(fs, &self.path)?;
        let table = Table::open(file, &self.context)?;
        let whole =
            TableIterOptions { total_order: true, for_compaction: true, ..Default::default() };
        let mut iter = table.iter(&whole);
        let mut found = Digest::default();
        iter.seek_to_first();
        while iter.valid() {
            found.add(iter.key(), iter.value());
            iter.next();
        }
        iter.status()?;
        let mut tombstones = Digest::default();
        if let Some(stored) = table.range_tombstones() {
            stored.tombstones().for_each(|t| add_tombstone(&mut tombstones, &t));
        }
        for (what, wrote, read) in
            [("entries", self.written, found), ("range deletions", self.tombstones, tombstones)]
        {
            if wrote != read {
                return Err(Error::corruption(format!(
                    "{}: paranoid_file_checks: {what}: wrote {wrote:?}, read {read:?}",
                    self.path.display(),
                )));
            }
        }
        Ok(())
    }
}

fn add_tombstone(digest: &mut Digest, t: &Tombstone<'_>) {
    digest.add(t.begin, &[&t.seq.to_le_bytes(), t.end].concat());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_sees_order_contents_and_borders() {
        let of = |entries: &[(&[u8], &[u8])]| {
            let mut digest = Digest::default();
            entries.iter().for_each(|(k, v)| digest.add(k, v));
            digest
        };
        let right = of(&[(b"a", b"1"), (b"b", b"2")]);
        assert_eq!(right, of(&[(b"a", b"1"), (b"b", b"2")]));
        for wrong in [
            of(&[(b"b", b"2"), (b"a", b"1")]),
            of(&[(b"a", b"2"), (b"b", b"1")]),
            of(&[(b"a", b"1")]),
            of(&[(b"1", b"a"), (b"b", b"2")]),
            of(&[(b"a", b"1"), (b"b2", b"")]),
        ] {
            assert_ne!(right, wrong);
        }
    }
}
