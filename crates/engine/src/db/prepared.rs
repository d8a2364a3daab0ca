//! What transactions prepare and decide; see `commit/prepared.rs`.

use super::handles::Db;
use crate::batch::WriteBatch;
use crate::commit::{CommitTerms, logged};
use crate::error::Result;
use crate::options::WriteOptions;
use crate::write::Sections;

impl Db {
    /// Writes a batch to the WAL alone, under this name. It is durable as `wo` says.
    pub(crate) fn prepare(&self, wo: &WriteOptions, name: &[u8], batch: &WriteBatch) -> Result<()> {
        let core = self.core();
        let prepared = core.commit.prepare(&logged(wo), name, batch);
        core.reporter.deliver();
        prepared
    }

    /// Decides a prepared transaction: what `batch` holds is written, whatever was prepared.
    pub(crate) fn end_prepared(
        &self,
        wo: &WriteOptions,
        name: &[u8],
        batch: &mut WriteBatch,
    ) -> Result<()> {
        let terms = CommitTerms { check: None, ends: Some(name) };
        self.write_with(&logged(wo), batch, terms)
    }

    /// Whether the WALs hold something undecided under this name.
    pub(crate) fn is_prepared(&self, name: &[u8]) -> bool {
        self.core().catalog.state().wals.holder_of(name).is_some()
    }

    /// The names under which the WALs hold something undecided.
    pub(crate) fn prepared_names(&self) -> Vec<Vec<u8>> {
        self.core().catalog.state().wals.prepared().keys().cloned().collect()
    }

    /// What recovery found prepared; at the second call nothing.
    pub(crate) fn take_recovered(&self) -> Sections {
        self.core().commit.take_recovered()
    }
}
