//! Opening a database: first the checks, then [`Builder`] with the MANIFEST, WALs and background threads.

use super::builder::Builder;
use super::checks::{
    check_directory, file_system, make_data_paths, open_info_log, sanitize, validate, wal_directory,
};
use super::core::Core;
use super::descriptor::ColumnFamilyDescriptor;
use crate::error::{Error, Result};
use crate::fs::filename;
use crate::options::{self, DbOptions};
use crate::stats::{Activity, busy_with};
use std::path::Path;
use std::sync::Arc;

/// Opens a database, or creates it if the options allow that, and starts its background threads.
pub(crate) fn open(
    options: DbOptions,
    path: &Path,
    descriptors: Vec<ColumnFamilyDescriptor>,
) -> Result<Arc<Core>> {
    let _busy = busy_with(Activity::DbOpen);
    let core = open_without_threads(options, path, descriptors)?;
    if let Err(e) = core.jobs.start() {
        // The threads that did start keep the database and its lock.
        let _ = core.close();
        return Err(e);
    }
    Ok(core)
}

/// Opens a database, or creates it if the options allow that. No job runs before its threads are started.
pub(crate) fn open_without_threads(
    mut options: DbOptions,
    path: &Path,
    mut descriptors: Vec<ColumnFamilyDescriptor>,
) -> Result<Arc<Core>> {
    validate(&options, &descriptors)?;
    let fs = file_system(&options);
    let dir = fs.absolute(path);
    let wal_dir = wal_directory(&*fs, &options, &dir);
    let exists = check_directory(&*fs, &dir, &wal_dir, &options)?;
    fs.create_dir_if_missing(&dir)?;
    fs.create_dir_if_missing(&wal_dir)?;
    make_data_paths(&*fs, &options.db_paths)?;
    descriptors.iter().try_for_each(|d| make_data_paths(&*fs, &d.options.cf_paths))?;
    let lock = fs.lock_file(&filename::lock_file_name(&dir))?;
    // Check after taking the lock: that the database is open elsewhere is the more important error.
    if exists && options.error_if_exists {
        let message = format!("{}: exists (error_if_exists is true)", dir.display());
        return Err(Error::invalid_argument(message).about_file(&dir));
    }
    let info_log = Arc::new(open_info_log(&fs, &dir, &options)?);
    let families: Vec<_> = descriptors.iter().map(|d| &d.options).collect();
    let mut changes = options::settings_without_effect(&options, &families);
    changes.extend(sanitize(&mut options, &mut descriptors));
    Builder { fs, dir, wal_dir, options, descriptors, info_log, changes }.build(exists, lock)
}
