//! Tables that a job has made and that no version has yet: if the job fails, they must not stay, since the
//! next try writes others, and the device may be full.

use super::catalog::Catalog;
use std::path::PathBuf;

/// Tables that no version has. Those still here in the end are deleted.
pub(crate) struct Orphans<'a> {
    catalog: &'a Catalog,
    files: Vec<(u64, PathBuf)>,
}

impl<'a> Orphans<'a> {
    /// None yet.
    pub(crate) fn new(catalog: &'a Catalog) -> Orphans<'a> {
        Orphans { catalog, files: Vec::new() }
    }

    /// This one was made, or is about to be.
    pub(crate) fn push(&mut self, number: u64, path: PathBuf) {
        self.files.push((number, path));
    }

    /// A version has these.
    pub(crate) fn claim(&mut self, is_claimed: impl Fn(u64) -> bool) {
        self.files.retain(|(number, _)| !is_claimed(*number));
    }
}

impl Drop for Orphans<'_> {
    fn drop(&mut self) {
        if self.files.is_empty() {
            return;
        }
        // A MANIFEST record that failed may be on the device all the same.
        let versions = self.catalog.versions.lock();
        for (number, path) in self.files.iter().filter(|(n, _)| !versions.needs_table(*n)) {
            self.catalog.files.delete_orphan_table(*number, path);
        }
    }
}
