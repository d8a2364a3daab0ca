//! `change_level` of `compact_range`: the level that a manual compaction ended on is moved without rewriting its files.

use super::scheduler::Scheduler;
use crate::compaction::picker::LevelTargets;
use crate::error::{Code, Error, Result};
use crate::options::ColumnFamilyOptions;
use crate::session::{ColumnFamilyData, dropped};
use crate::version::{Version, VersionEdit};
use std::sync::Arc;

impl Scheduler {
    /// Moves all files of `level` to `target_level`; a negative target means the smallest empty level that can hold
    /// them. No job runs meanwhile.
    pub(crate) fn refit_level(
        &self,
        family: &ColumnFamilyData,
        level: usize,
        target_level: i32,
    ) -> Result<()> {
        self.disable_manual_compaction();
        self.pause_background_work();
        let moved = self.move_level(family, level, target_level);
        let continued = self.continue_background_work();
        self.enable_manual_compaction();
        moved.and(continued)
    }

    fn move_level(&self, family: &ColumnFamilyData, level: usize, target_level: i32) -> Result<()> {
        let version = {
            let state = self.catalog.state();
            let cf = state.families.get(&family.id).ok_or_else(|| dropped(&family.name))?;
            Arc::clone(&cf.current)
        };
        let Some(edit) = edit_that_moves(&version, &family.options(), level, target_level)? else {
            return Ok(());
        };
        let edit = VersionEdit { column_family: family.id, ..edit };
        self.catalog.install(vec![edit], |_| {})
    }
}

/// Returns the edit that moves the level, or `None` if there is nothing to move.
fn edit_that_moves(
    version: &Version,
    options: &ColumnFamilyOptions,
    level: usize,
    target_level: i32,
) -> Result<Option<VersionEdit>> {
    let to = match usize::try_from(target_level) {
        Ok(to) if to >= version.num_levels() => {
            return Err(Error::invalid_argument("Target level exceeds number of levels"));
        }
        Ok(to) => to,
        Err(_) => smallest_that_fits(version, options, level),
    };
    if to == level || version.files(level).is_empty() {
        return Ok(None);
    }
    if to > level && level == 0 {
        return Err(Error::not_supported("Cannot change from level 0 to other levels."));
    }
    if to == 0 && version.num_files(level) > 1 {
        return Err(Error::new(
            Code::Aborted,
            "Moving more than 1 file from non-L0 to L0 is not allowed as it does not bring any \
             benefit to read nor write throughput.",
        ));
    }
    let mut between = if to > level { level + 1..to + 1 } else { to..level };
    if between.any(|l| version.num_files(l) > 0) {
        return Err(Error::not_supported(
            "Levels between source and target are not empty for a move.",
        ));
    }
    let mut edit = VersionEdit::default();
    for file in version.files(level) {
        edit.delete_file(level, file.number);
        edit.add_file(to, Arc::clone(file));
    }
    Ok(Some(edit))
}

/// Returns the smallest level such that it and all levels between it and `level` are empty and it is large enough.
fn smallest_that_fits(version: &Version, options: &ColumnFamilyOptions, level: usize) -> usize {
    let targets = LevelTargets::new(version, options);
    let bytes = version.level_bytes(level);
    let fits = |l: &usize| version.num_files(*l) == 0 && targets.bytes[*l] >= bytes;
    (1..level).rev().take_while(fits).last().unwrap_or(level)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::key::{append_internal_key, pack_trailer};
    use crate::base::{KeyOrder, ValueType};
    use crate::version::{FileMeta, VersionBuilder};

    fn tree(files: &[(usize, &str)]) -> Version {
        let mut edit = VersionEdit::default();
        for (i, (level, user_key)) in files.iter().enumerate() {
            let mut key = Vec::new();
            append_internal_key(&mut key, user_key.as_bytes(), pack_trailer(9, ValueType::Value));
            let mut file = FileMeta::new(i as u64 + 1, 100, key.clone(), key);
            file.epoch_number = i as u64 + 1;
            edit.add_file(*level, Arc::new(file));
        }
        let empty = Version::empty(KeyOrder::bytewise(), 5);
        let mut builder = VersionBuilder::new(Arc::new(empty));
        builder.apply(&edit).unwrap();
        builder.build().unwrap().version
    }

    fn moved(files: &[(usize, &str)], level: usize, target: i32) -> Result<Option<usize>> {
        let options = ColumnFamilyOptions {
            level_compaction_dynamic_level_bytes: false,
            max_bytes_for_level_base: 150,
            ..Default::default()
        };
        let edit = edit_that_moves(&tree(files), &options, level, target)?;
        Ok(edit.map(|edit| edit.new_files[0].0))
    }

    #[test]
    fn a_level_moves_where_nothing_is_in_the_way() {
        assert_eq!(moved(&[(3, "a"), (3, "b")], 3, 1).unwrap(), Some(1));
        assert_eq!(moved(&[(1, "a"), (1, "b")], 1, 4).unwrap(), Some(4));
        assert_eq!(moved(&[(3, "a")], 3, 0).unwrap(), Some(0));
        assert_eq!(moved(&[(3, "a")], 3, 3).unwrap(), None);
        assert_eq!(moved(&[(2, "a")], 3, 1).unwrap(), None);
        let error = |files: &[(usize, &str)], level, target| {
            moved(files, level, target).unwrap_err().to_string()
        };
        let taken = "Not implemented: Levels between source and target are not empty for a move.";
        assert_eq!(error(&[(3, "a"), (2, "b")], 3, 1), taken);
        assert_eq!(error(&[(1, "a"), (2, "b")], 1, 2), taken);
        assert!(error(&[(3, "a"), (3, "b")], 3, 0).starts_with("Operation aborted: Moving more"));
        assert!(error(&[(0, "a")], 0, 1).contains("Cannot change from level 0"));
        assert!(error(&[(3, "a")], 3, 5).contains("Target level exceeds number of levels"));
    }

    #[test]
    fn a_negative_target_is_the_smallest_level_that_fits() {
        assert_eq!(moved(&[(3, "a")], 3, -1).unwrap(), Some(1));
        // Two files exceed the size of level 1.
        assert_eq!(moved(&[(3, "a"), (3, "b")], 3, -1).unwrap(), Some(2));
        assert_eq!(moved(&[(3, "a"), (2, "b")], 3, -1).unwrap(), None);
    }
}
