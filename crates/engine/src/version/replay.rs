//! Replay of a MANIFEST's records into the state of the database.
//!
//! Replay needs no key order: the set of files does not depend on it. `recover` builds versions
//! from the result. One thread owns a [`ManifestState`].
//!
//! Rules; breaking one is Corruption unless stated otherwise:
//! * **MR1** The column family of an edit exists. `default`, with id 0, always does.
//! * **MR2** Last sequence numbers do not descend, and no file contains a larger one. RocksDB 7.8.3
//!   aborts on either, and newer versions hide the entries above; this engine refuses.
//! * **MR3** A removed file exists; an added file does not exist yet.
//! * **MR4** An atomic group counts down to 0 with nothing in between. A group cut off by the end
//!   of the MANIFEST has no effect.
//! * **MR5** Log number, next file number and last sequence each occur.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::file_meta::MAX_FILE_NUMBER;
use super::{FileMeta, VersionEdit};
use crate::base::SeqNo;
use crate::error::{Error, Result};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The name of the column family that always exists.
pub const DEFAULT_COLUMN_FAMILY: &str = "default";

/// A column family as the MANIFEST describes it.
#[derive(Debug, Default)]
pub struct ColumnFamilyState {
    /// Its name.
    pub name: String,
    /// The name of its comparator, if recorded in the MANIFEST.
    pub comparator: Option<String>,
    /// All data in WALs below this number has been flushed by this column family.
    pub log_number: u64,
    /// Its live files by number, with their levels.
    pub files: BTreeMap<u64, (usize, Arc<FileMeta>)>,
    /// Its blob files by number.
    blob_files: BTreeMap<u64, BlobFileState>,
}

#[derive(Debug)]
struct BlobFileState {
    total_count: u64,
    garbage_count: u64,
}

impl ColumnFamilyState {
    fn named(name: &str) -> ColumnFamilyState {
        ColumnFamilyState { name: name.to_owned(), ..ColumnFamilyState::default() }
    }

    /// The numbers of blob files that still contain live values.
    pub fn live_blob_files(&self) -> impl Iterator<Item = u64> {
        let live = self.blob_files.iter().filter(|(_, b)| b.garbage_count < b.total_count);
        live.map(|(number, _)| *number)
    }
}

/// A database as its MANIFEST describes it.
#[derive(Debug)]
pub struct ManifestState {
    /// The identity of the database, if recorded in the MANIFEST.
    pub db_id: Option<String>,
    /// The next file number to assign: above every number in the MANIFEST.
    pub next_file_number: u64,
    /// The last sequence number.
    pub last_sequence: SeqNo,
    /// No column family needs a WAL below this number.
    pub min_log_number_to_keep: u64,
    /// The largest id that a column family ever had.
    pub max_column_family: u32,
    /// The column families by id.
    pub column_families: BTreeMap<u32, ColumnFamilyState>,
    /// Whether the MANIFEST ends with its last record, and not with a partial record or zeros.
    pub ends_clean: bool,
    seen: SeenFields,
    /// The members of an atomic group that is not complete yet.
    group: Vec<VersionEdit>,
}

/// Records which of the mandatory fields have occurred.
#[derive(Debug, Default)]
struct SeenFields {
    log_number: bool,
    next_file_number: bool,
    last_sequence: bool,
}

impl Default for ManifestState {
    fn default() -> ManifestState {
        let default = ColumnFamilyState::named(DEFAULT_COLUMN_FAMILY);
        ManifestState {
            db_id: None,
            next_file_number: 0,
            last_sequence: 0,
            min_log_number_to_keep: 0,
            max_column_family: 0,
            column_families: BTreeMap::from([(0, default)]),
            ends_clean: true,
            seen: SeenFields::default(),
            group: Vec::new(),
        }
    }
}

impl ManifestState {
    /// Applies the next record.
    pub fn apply_record(&mut self, record: &[u8]) -> Result<()> {
        let edit = VersionEdit::decode(record)?;
        let open = self.group.last().and_then(|last| last.in_atomic_group);
        match (open, edit.in_atomic_group) {
            (Some(before), Some(now)) if Some(now) != before.checked_sub(1) => {
                Err(Error::corruption(format!(
                    "atomic group: {now} edits remain after one with {before} remaining"
                )))
            }
            (Some(before), None) => Err(Error::corruption(format!(
                "atomic group: found an edit outside the group while {before} edits remain"
            ))),
            (_, Some(remaining)) => {
                self.group.push(edit);
                if remaining > 0 {
                    return Ok(());
                }
                std::mem::take(&mut self.group).iter().try_for_each(|edit| self.apply(edit))
            }
            (None, None) => self.apply(&edit),
        }
    }

    /// Makes the checks that need the whole MANIFEST.
    pub fn finish(&mut self) -> Result<()> {
        self.ends_clean &= self.group.is_empty();
        self.group.clear();
        let missing = |what: &str| Err(Error::corruption(format!("no {what} entry in MANIFEST")));
        if !self.seen.log_number {
            return missing("log_file_number");
        }
        if !self.seen.next_file_number {
            return missing("next_file_number");
        }
        if !self.seen.last_sequence {
            return missing("last_sequence_number");
        }
        for cf in self.column_families.values() {
            for (level, file) in cf.files.values() {
                if file.largest_seqno > self.last_sequence {
                    return Err(Error::corruption(format!(
                        "last_sequence is {}, but column family {} has a larger one in level \
                         {level}: {file:?}",
                        self.last_sequence, cf.name
                    )));
                }
            }
        }
        if self.next_file_number > MAX_FILE_NUMBER {
            return Err(Error::corruption("no file numbers are left"));
        }
        Ok(())
    }

    fn apply(&mut self, edit: &VersionEdit) -> Result<()> {
        self.apply_counters(edit)?;
        let id = edit.column_family;
        if let Some(name) = &edit.column_family_add {
            self.add_column_family(id, name, edit)?;
        } else if edit.column_family_drop {
            return self.drop_column_family(id, edit);
        }
        let Some(cf) = self.column_families.get_mut(&id) else {
            return Err(Error::corruption(format!("column family {id} of an edit does not exist")));
        };
        cf.apply(edit)?;
        for number in edit.new_files.iter().map(|(_, f)| f.number) {
            self.next_file_number = self.next_file_number.max(number.saturating_add(1));
        }
        Ok(())
    }

    fn apply_counters(&mut self, edit: &VersionEdit) -> Result<()> {
        if let Some(id) = &edit.db_id {
            self.db_id = Some(id.clone());
        }
        if let Some(seq) = edit.last_sequence {
            if seq < self.last_sequence {
                return Err(Error::corruption(format!(
                    "last_sequence descends from {} to {seq}",
                    self.last_sequence
                )));
            }
            self.last_sequence = seq;
            self.seen.last_sequence = true;
        }
        if let Some(id) = edit.max_column_family {
            self.max_column_family = self.max_column_family.max(id);
        }
        if let Some(number) = edit.min_log_number_to_keep {
            self.min_log_number_to_keep = self.min_log_number_to_keep.max(number);
        }
        self.seen.next_file_number |= edit.next_file_number.is_some();
        self.seen.log_number |= edit.log_number.is_some();
        let used = [edit.log_number, edit.prev_log_number, edit.min_log_number_to_keep];
        let next = used.into_iter().flatten().map(|n| n.saturating_add(1));
        self.next_file_number =
            next.chain(edit.next_file_number).fold(self.next_file_number, u64::max);
        Ok(())
    }

    fn add_column_family(&mut self, id: u32, name: &str, edit: &VersionEdit) -> Result<()> {
        only_itself(edit)?;
        if self.column_families.contains_key(&id) {
            return Err(Error::corruption(format!("column family {id} is added twice")));
        }
        if self.column_families.values().any(|cf| cf.name == name) {
            return Err(Error::corruption(format!("column family {name} is added twice")));
        }
        self.max_column_family = self.max_column_family.max(id);
        self.column_families.insert(id, ColumnFamilyState::named(name));
        Ok(())
    }

    fn drop_column_family(&mut self, id: u32, edit: &VersionEdit) -> Result<()> {
        only_itself(edit)?;
        if id == 0 {
            return Err(Error::corruption("the default column family is dropped"));
        }
        match self.column_families.remove(&id) {
            Some(_) => Ok(()),
            None => {
                Err(Error::corruption(format!("column family {id} is dropped, but does not exist")))
            }
        }
    }
}

/// Checks that an edit that adds or drops a column family changes no files; RocksDB ignores such
/// changes.
fn only_itself(edit: &VersionEdit) -> Result<()> {
    let files = edit.new_files.len() + edit.deleted_files.len() + edit.blob_file_additions.len();
    if files > 0 {
        return Err(Error::corruption("an edit adds or drops a column family and changes files"));
    }
    Ok(())
}

impl ColumnFamilyState {
    fn apply(&mut self, edit: &VersionEdit) -> Result<()> {
        if let Some(name) = &edit.comparator {
            if self.comparator.as_ref().is_some_and(|known| known != name) {
                return Err(Error::corruption(format!(
                    "column family {}: comparator changes from {:?} to {name:?}",
                    self.name, self.comparator
                )));
            }
            self.comparator = Some(name.clone());
        }
        if let Some(number) = edit.log_number {
            self.log_number = self.log_number.max(number);
        }
        for (level, number) in &edit.deleted_files {
            if self.files.get(number).is_none_or(|(at, _)| at != level) {
                return Err(Error::corruption(format!(
                    "column family {}: cannot remove file #{number} from level {level}: the level does not contain it",
                    self.name
                )));
            }
            self.files.remove(number);
        }
        for (level, file) in &edit.new_files {
            if let Some((at, _)) = self.files.get(&file.number) {
                return Err(Error::corruption(format!(
                    "column family {}: cannot add file #{} to level {level}: it is already on level {at}",
                    self.name, file.number
                )));
            }
            self.files.insert(file.number, (*level, Arc::clone(file)));
        }
        self.apply_blob_edits(edit)
    }

    fn apply_blob_edits(&mut self, edit: &VersionEdit) -> Result<()> {
        for b in &edit.blob_file_additions {
            let state = BlobFileState { total_count: b.total_count, garbage_count: 0 };
            if self.blob_files.insert(b.number, state).is_some() {
                return Err(Error::corruption(format!("blob file #{} is added twice", b.number)));
            }
        }
        for g in &edit.blob_file_garbage {
            let Some(state) = self.blob_files.get_mut(&g.number) else {
                return Err(Error::corruption(format!(
                    "garbage in blob file #{}, which does not exist",
                    g.number
                )));
            };
            state.garbage_count = state.garbage_count.saturating_add(g.garbage_count);
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "replay_test.rs"]
mod tests;
