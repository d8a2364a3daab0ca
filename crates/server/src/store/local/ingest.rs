//! Adding sorted files to families.

use super::LocalStore;
use crate::error::{Error, Result};
use crate::store::row_cache::Writes;
use crate::store::{Format, Ingest, Partition};
use ferrolith::{ColumnFamily, IngestExternalFileOptions, SstFileWriter};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The directory of sorted files, in that of the data.
const STAGING: &str = "loading";

/// Removes what a load that did not end has left.
///
/// # Errors
///
/// It cannot be removed.
pub(super) fn remove_staged(dir: &Path) -> Result<()> {
    let staging = dir.join(STAGING);
    match std::fs::remove_dir_all(&staging) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(Error::Io(format!("removing {}", staging.display()), error))
        }
        _ => Ok(()),
    }
}

impl LocalStore {
    fn family_of(&self, partition: Partition) -> Result<ColumnFamily> {
        self.with_family(partition, ColumnFamily::clone)
    }
}

impl Ingest for LocalStore {
    fn sorted_file(&self, format: Format, path: &Path) -> Result<SstFileWriter> {
        Ok(SstFileWriter::create(self.options.sorted_file(format), path)?)
    }

    fn flush(&self, partitions: &[Partition]) -> Result<()> {
        let families: Vec<_> =
            partitions.iter().map(|at| self.family_of(*at)).collect::<Result<_>>()?;
        Ok(self.db.flush_cfs(&families)?)
    }

    fn ingest(&self, files: &[(Partition, Vec<PathBuf>)]) -> Result<()> {
        let families: Vec<_> =
            files.iter().map(|(at, _)| self.family_of(*at)).collect::<Result<_>>()?;
        let options = IngestExternalFileOptions { move_files: true, ..Default::default() };
        let mut writes = Writes::default();
        files.iter().for_each(|(at, _)| self.rows.note_partition(&mut writes, *at));
        // Until they are dropped, no row of these partitions is cached, and none that was read before.
        let marks = self.rows.mark(&mut writes);
        let files = families.iter().zip(files).map(|(family, (_, files))| (family, files.clone()));
        let result = self.db.ingest_external_files(files, &options);
        drop(marks);
        self.full_disk.note(&self.path, &result);
        Ok(result?)
    }

    fn staging(&self) -> PathBuf {
        self.path.join(STAGING)
    }
}
