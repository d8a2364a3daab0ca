//! Preparing and deciding transactions; see `commit/prepared.rs`.

use super::handles::Db;
use crate::batch::WriteBatch;
use crate::commit::{CommitTerms, logged};
use crate::error::Result;
use crate::options::WriteOptions;
use crate::write::Sections;

impl Db {
    /// Writes a batch to the WAL only, under this name. It is durable as `wo` requires.
    pub(crate) fn prepare(&self, wo: &WriteOptions, name: &[u8], batch: &WriteBatch) -> Result<()> {
        let core = self.core();
        let prepared = core.commit.prepare(&logged(wo), name, batch);
        core.reporter.deliver();
        prepared
    }

    /// Decides a prepared transaction: writes the content of `batch`, whatever was prepared.
    pub(crate) fn end_prepared(
        &self,
        wo: &WriteOptions,
        name: &[u8],
        batch: &mut WriteBatch,
    ) -> Result<()> {
        let terms = CommitTerms { check: None, ends: Some(name) };
        self.write_with(&logged(wo), batch, terms)
    }

    /// Returns whether the WALs hold an undecided section under this name.
    pub(crate) fn is_prepared(&self, name: &[u8]) -> bool {
        self.core().catalog.state().wals.holder_of(name).is_some()
    }

    /// Returns the names of the undecided sections in the WALs.
    pub(crate) fn prepared_names(&self) -> Vec<Vec<u8>> {
        self.core().catalog.state().wals.prepared().keys().cloned().collect()
    }

    /// Returns the prepared sections that recovery found. Later calls return nothing.
    pub(crate) fn take_recovered(&self) -> Sections {
        self.core().commit.take_recovered()
    }
}
