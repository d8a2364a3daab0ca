//! Opening read-only: no lock, no threads, no writes.
//!
//! Any number of processes may do this beside the one that writes. They see the state at their opening: the tables that
//! the MANIFEST names, and the WALs, replayed into memory. Writes fail because the database is in an error state from
//! the start: see `session/health.rs`.

use super::assemble::assemble_read_only;
use super::builder::Builder;
use super::checks;
use super::core::Core;
use super::descriptor::ColumnFamilyDescriptor;
use super::opening::Opening;
use super::recover::{WhenFull, recover_wals};
use crate::error::{Code, Error, Result};
use crate::files::list_wals;
use crate::fs::FileSystem;
use crate::fs::filename;
use crate::fs::info_log::InfoLog;
use crate::fs::read_only::ReadOnlyFs;
use crate::options::DbOptions;
use std::path::Path;
use std::sync::Arc;

/// The maximum number of times that opening restarts because the writer changed the MANIFEST meanwhile.
const ATTEMPTS: usize = 100;

/// Opens a database read-only. With `error_if_wal_file_exists`, returns an error if the database was not closed after a
/// flush of all data.
pub(crate) fn open_read_only(
    mut options: DbOptions,
    path: &Path,
    mut descriptors: Vec<ColumnFamilyDescriptor>,
    error_if_wal_file_exists: bool,
) -> Result<Arc<Core>> {
    let check = |opening: &Opening| {
        if error_if_wal_file_exists && !list_wals(&opening.session)?.is_empty() {
            return Err(Error::corruption(
                "The db was opened in readonly mode with error_if_wal_file_existsflag but a \
                 WAL file already exists",
            ));
        }
        Ok(())
    };
    checks::validate(&options, &descriptors)?;
    let fs: Arc<dyn FileSystem> = Arc::new(ReadOnlyFs::new(checks::file_system(&options)));
    let dir = fs.absolute(path);
    let wal_dir = checks::wal_directory(&*fs, &options, &dir);
    checks::sanitize(&mut options, &mut descriptors);
    let info_log = Arc::new(InfoLog::off(Arc::clone(&fs)));
    let changes = Vec::new();
    let builder = Builder { fs, dir, wal_dir, options, descriptors, info_log, changes };
    for _ in 0..ATTEMPTS {
        let before = manifest_stamp(&builder)?;
        let built = builder.clone().build_read_only(check);
        if manifest_stamp(&builder)? == before {
            return built;
        }
    }
    let busy = format!("{}: the MANIFEST changed during every attempt to read it", path.display());
    Err(Error::new(Code::TryAgain, busy))
}

/// Returns a value that changes whenever the writer installs an edit, after which it may delete a WAL that was not read
/// yet.
fn manifest_stamp(builder: &Builder) -> Result<(u64, u64)> {
    let (path, number) = filename::read_current(&*builder.fs, &builder.dir)?;
    Ok((number, builder.fs.file_size(&path).unwrap_or(0)))
}

impl Builder {
    fn build_read_only(self, check: impl Fn(&Opening) -> Result<()>) -> Result<Arc<Core>> {
        self.start_keeper()?;
        let mut versions = self.recover_some_versions()?;
        let (options, families) = (&self.options, &self.descriptors);
        checks::check_direct_io(&*self.fs, &self.dir, options, families, false)?;
        let identity = self.identity(&mut versions)?;
        let opening = self.opening(&versions, identity, true);
        check(&opening)?;
        opening.open_all_tables(&versions)?;
        let recovered = recover_wals(&opening, &versions, WhenFull::Keep)?;
        versions.counters().set_last_sequence(recovered.summary.last_sequence);
        assemble_read_only(opening, versions, recovered)
    }
}
