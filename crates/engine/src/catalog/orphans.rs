//! Orphans: tables that a job has written and that are in no version yet. They are deleted if the job fails, because
//! the next attempt writes new ones and the device may be full.

use super::catalog::Catalog;
use std::path::PathBuf;

/// Tables that are in no version. Those still listed on drop are deleted.
pub(crate) struct Orphans<'a> {
    catalog: &'a Catalog,
    files: Vec<(u64, PathBuf)>,
}

impl<'a> Orphans<'a> {
    /// Creates an empty list.
    pub(crate) fn new(catalog: &'a Catalog) -> Orphans<'a> {
        Orphans { catalog, files: Vec::new() }
    }

    /// Adds a table that exists or is about to be created.
    pub(crate) fn push(&mut self, number: u64, path: PathBuf) {
        self.files.push((number, path));
    }

    /// Removes tables that are now part of a version.
    pub(crate) fn claim(&mut self, is_claimed: impl Fn(u64) -> bool) {
        self.files.retain(|(number, _)| !is_claimed(*number));
    }
}

impl Drop for Orphans<'_> {
    fn drop(&mut self) {
        if self.files.is_empty() {
            return;
        }
        // A MANIFEST record may be on the device even if writing it failed.
        let versions = self.catalog.versions.lock();
        for (number, path) in self.files.iter().filter(|(n, _)| !versions.needs_table(*n)) {
            self.catalog.files.delete_orphan_table(*number, path);
        }
    }
}
