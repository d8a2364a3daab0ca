//! Tables that a job has made and that no version has yet: if the job fails, they must not stay, since the
//! next try writes others, and the device may be full.

use super::state::DbInner;
use std::path::PathBuf;

/// Tables that no version has. Those still here in the end are deleted.
pub(super) struct Unclaimed<'a> {
    inner: &'a DbInner,
    files: Vec<(u64, PathBuf)>,
}

impl<'a> Unclaimed<'a> {
    /// None yet.
    pub(super) fn new(inner: &'a DbInner) -> Unclaimed<'a> {
        Unclaimed { inner, files: Vec::new() }
    }

    /// This one was made, or is about to be.
    pub(super) fn push(&mut self, number: u64, path: PathBuf) {
        self.files.push((number, path));
    }

    /// A version has these.
    pub(super) fn claim(&mut self, is_claimed: impl Fn(u64) -> bool) {
        self.files.retain(|(number, _)| !is_claimed(*number));
    }
}

impl Drop for Unclaimed<'_> {
    fn drop(&mut self) {
        if self.files.is_empty() {
            return;
        }
        // A MANIFEST record that failed may be on the device all the same.
        let versions = self.inner.versions.lock();
        for (number, path) in self.files.iter().filter(|(n, _)| !versions.needs_table(*n)) {
            self.inner.delete_unclaimed_table(*number, path);
        }
    }
}
