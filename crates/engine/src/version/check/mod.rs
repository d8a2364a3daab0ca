//! Checks a whole tree: the metadata of its files, their contents, and the order of entries between levels.
//!
//! Compiled in debug builds and tests only. The check reads every table from its file, without caches and statistics,
//! and keeps all user keys in memory, so it suits the small trees of tests.
//!
//! | File | Owns |
//! |---|---|
//! | `structure` | the order of files in their levels; reads no file, and runs at every install |
//! | `table` | one table against its metadata: boundaries, sequence numbers, counts, checksums |
//! | `ages` | newer places hold newer entries (G1 of `rangedel`) |

mod ages;
mod structure;
mod table;

use super::{TableCache, Version};
use crate::base::SeqNo;
use crate::error::Error;
use crate::memtable::MemTable;
use ages::Place;
use std::sync::Arc;

/// What is wrong with a tree.
#[derive(Debug)]
pub(crate) enum Fault {
    /// A table cannot be read: its bytes are damaged, or the file system failed. No error of the engine.
    Unreadable(Error),
    /// The tree contradicts itself.
    Wrong(Error),
}

/// Whether a check succeeded.
type Checked<T = ()> = Result<T, Fault>;

/// The tree of one column family while nothing in it changes.
pub(crate) struct Tree<'a> {
    /// The memtables, newest first.
    pub(crate) memtables: &'a [Arc<MemTable>],
    /// The files.
    pub(crate) version: &'a Version,
    /// Opens them.
    pub(crate) tables: &'a TableCache,
    /// The newest allocated sequence number.
    pub(crate) last_sequence: SeqNo,
}

impl Tree<'_> {
    /// Checks everything. The error is a corruption that names the file, the key, and what was expected and found.
    pub(crate) fn check(&self) -> Checked {
        self.version.check_structure().map_err(Fault::Wrong)?;
        let order = self.version.order();
        let mut places: Vec<Place> = self.memtables.iter().map(Place::memtable).collect();
        for level in 0..self.version.num_levels() {
            let mut of_level = Place::level(level);
            for file in self.version.files(level) {
                let content = table::check(file, self.tables, order)?;
                self.check_newest(file)?;
                match level {
                    0 => places.push(Place::table(file.number, content)),
                    _ => of_level.add_table(file.number, content),
                }
            }
            places.push(of_level);
        }
        ages::check(order, &places).map_err(Fault::Wrong)
    }

    fn check_newest(&self, file: &super::FileMeta) -> Checked {
        if file.largest_seqno <= self.last_sequence {
            return Ok(());
        }
        let path = self.tables.path(file);
        Err(Fault::Wrong(Error::corruption(format!(
            "table {}: expected sequence numbers up to {}, the last allocated one, found {}",
            path.display(),
            self.last_sequence,
            file.largest_seqno
        ))))
    }
}

#[cfg(test)]
#[path = "check_test.rs"]
mod tests;
