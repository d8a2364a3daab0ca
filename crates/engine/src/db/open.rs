//! Opening: what the user calls, and what comes before the database is read: checks of options, directories,
//! the lock, and LOG.
//!
//! [`Builder`] goes on from here: MANIFEST, WALs, and then the background.

use super::builder::Builder;
use super::handles::{ColumnFamily, Db};
use super::state::DbInner;
use crate::error::{Error, Result};
use crate::fs::filename::{self, FileKind};
use crate::fs::info_log::{InfoLog, InfoLogOptions, LogLevel};
use crate::fs::{FileSystem, not_a_directory};
use crate::options::{
    self, ColumnFamilyOptions, CompactionStyle, DbOptions, DbPath, Options, TableFactory,
};
use crate::stats::{Activity, busy_with};
use crate::version::VersionSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The name of the column family that every database has.
pub const DEFAULT_COLUMN_FAMILY: &str = "default";

/// A column family to open, and how.
#[derive(Clone)]
pub struct ColumnFamilyDescriptor {
    /// Its name.
    pub name: String,
    /// Its options.
    pub options: ColumnFamilyOptions,
}

impl ColumnFamilyDescriptor {
    /// A column family with these options.
    pub fn new(name: impl Into<String>, options: ColumnFamilyOptions) -> ColumnFamilyDescriptor {
        ColumnFamilyDescriptor { name: name.into(), options }
    }
}

impl Db {
    /// Opens a database that has only the default column family.
    pub fn open(options: &Options, path: impl AsRef<Path>) -> Result<Db> {
        let default = ColumnFamilyDescriptor::new(DEFAULT_COLUMN_FAMILY, options.cf.clone());
        Ok(Db::open_cf(&options.db, path, vec![default])?.0)
    }

    /// Opens a database with these column families, which must be all that it has; the handles
    /// are in the order of the descriptors.
    pub fn open_cf(
        options: &DbOptions,
        path: impl AsRef<Path>,
        families: Vec<ColumnFamilyDescriptor>,
    ) -> Result<(Db, Vec<ColumnFamily>)> {
        let names: Vec<String> = families.iter().map(|family| family.name.clone()).collect();
        let inner = open(options.clone(), path.as_ref(), families)?;
        with_handles(inner, &names)
    }

    /// The names of the column families in a database, which is not opened.
    pub fn list_column_families(
        options: &DbOptions,
        path: impl AsRef<Path>,
    ) -> Result<Vec<String>> {
        let fs = file_system(options);
        let dir = fs.absolute(path.as_ref());
        VersionSet::list_column_families(&*fs, &dir)
    }

    /// Deletes a database: every file that belongs to one, and the directories if nothing else is
    /// in them. A database that is open somewhere is an error.
    pub fn destroy(options: &DbOptions, path: impl AsRef<Path>) -> Result<()> {
        Db::destroy_cf(options, path, &[])
    }

    /// [`Db::destroy`], also in data paths that these column families have of their own.
    pub fn destroy_cf(
        options: &DbOptions,
        path: impl AsRef<Path>,
        families: &[ColumnFamilyDescriptor],
    ) -> Result<()> {
        let fs = file_system(options);
        let dir = fs.absolute(path.as_ref());
        if !fs.exists(&dir)? {
            return match dir.parent() {
                // Only one level was ever made: then this is rather a wrong name.
                Some(parent) if !fs.exists(parent)? => {
                    let missing = std::io::Error::from_raw_os_error(libc::ENOENT);
                    let lock = filename::lock_file_name(&dir);
                    let what = format!("while open a file for lock: {}", lock.display());
                    Err(Error::io(what, missing))
                }
                _ => Ok(()),
            };
        }
        let lock = fs.lock_file(&filename::lock_file_name(&dir))?;
        let wal_dir = wal_directory(&*fs, options, &dir);
        let is_wal = |kind| matches!(kind, FileKind::Wal(_));
        // Other files there are not this database's.
        remove_files(&*fs, &filename::archive_dir(&wal_dir), is_wal)?;
        remove_files(&*fs, &wal_dir, is_wal)?;
        remove_files(&*fs, &dir, |kind| kind != FileKind::Lock)?;
        let of_families = families.iter().flat_map(|family| &family.options.cf_paths);
        for path in options.db_paths.iter().chain(of_families) {
            let path = fs.absolute(&path.path);
            remove_files(&*fs, &path, |kind| matches!(kind, FileKind::Table(_)))?;
            if path != dir {
                let _ = fs.remove_dir(&path);
            }
        }
        drop(lock);
        fs.remove_file(&filename::lock_file_name(&dir))?;
        // Both fail where something else is in them, which then stays.
        let _ = fs.remove_dir(&wal_dir);
        let _ = fs.remove_dir(&dir);
        Ok(())
    }
}

/// What the user gets: the database, and a handle for each of these families.
pub(super) fn with_handles(
    inner: Arc<DbInner>,
    names: &[String],
) -> Result<(Db, Vec<ColumnFamily>)> {
    let db = Db::new(inner, true);
    let handles = names.iter().map(|name| db.cf(name).ok_or_else(|| not_found(name)));
    let handles = handles.collect::<Result<_>>()?;
    Ok((db, handles))
}

/// Removes the files of a directory that are of these kinds, and its archive if that is empty then.
fn remove_files(fs: &dyn FileSystem, dir: &Path, wanted: impl Fn(FileKind) -> bool) -> Result<()> {
    if !fs.is_dir(dir)? {
        return Ok(());
    }
    for name in fs.list_dir(dir)? {
        if filename::parse_file_name(&name).is_some_and(&wanted) {
            fs.remove_file(&dir.join(name))?;
        }
    }
    let _ = fs.remove_dir(&filename::archive_dir(dir));
    Ok(())
}

pub(super) fn not_found(name: &str) -> Error {
    Error::invalid_argument(format!("Column family not found: {name}"))
}

pub(super) fn file_system(options: &DbOptions) -> Arc<dyn FileSystem> {
    options.file_system.clone().unwrap_or_else(crate::fs::posix)
}

pub(super) fn wal_directory(fs: &dyn FileSystem, options: &DbOptions, dir: &Path) -> PathBuf {
    if options.wal_dir.as_os_str().is_empty() {
        dir.to_owned()
    } else {
        fs.absolute(&options.wal_dir)
    }
}

/// What only a pair of database and family options can be wrong about.
pub(super) fn check_family(options: &ColumnFamilyOptions, db: &DbOptions) -> Result<()> {
    if matches!(options.table_factory, TableFactory::Plain(_)) && !db.allow_mmap_reads {
        return Err(Error::invalid_argument("PlainTable requires allow_mmap_reads = true"));
    }
    check_paths(options, db)?;
    if options.inplace_update_support && db.allow_concurrent_memtable_write {
        return Err(Error::invalid_argument(
            "In-place memtable updates (inplace_update_support) is not compatible with concurrent \
             writes (allow_concurrent_memtable_write)",
        ));
    }
    let drops_files = options.compaction_style == CompactionStyle::Fifo && options.ttl > 0;
    if drops_files && db.max_open_files != -1 {
        return Err(Error::not_supported(
            "FIFO compaction only supported with max_open_files = -1.",
        ));
    }
    Ok(())
}

/// Several data paths need a policy that knows about them.
fn check_paths(options: &ColumnFamilyOptions, db: &DbOptions) -> Result<()> {
    let style = options.compaction_style;
    if matches!(style, CompactionStyle::Level | CompactionStyle::Universal) {
        return Ok(());
    }
    let which = match (options.cf_paths.len(), db.db_paths.len()) {
        (2.., _) => "CF",
        (0, 2..) => "DB",
        _ => return Ok(()),
    };
    Err(Error::not_supported(format!(
        "More than one {which} paths are only supported in universal and level compaction styles. "
    )))
}

/// Makes the directories of data paths that are missing, but not those above them.
pub(super) fn make_data_paths(fs: &dyn FileSystem, paths: &[DbPath]) -> Result<()> {
    paths.iter().try_for_each(|p| fs.create_dir_if_missing(&fs.absolute(&p.path)))
}

/// Gives a family without a block cache of its own the default one.
pub(super) fn give_block_cache(options: &mut ColumnFamilyOptions) {
    if let TableFactory::BlockBased(table) = &mut options.table_factory
        && table.block_cache.is_none()
        && !table.no_block_cache
    {
        table.block_cache = Some(crate::cache::Cache::new_lru(DEFAULT_CACHE_BYTES));
    }
}

/// RocksDB's default block cache.
const DEFAULT_CACHE_BYTES: usize = 32 << 20;

/// Refuses options that cannot be honoured.
pub(super) fn validate(options: &DbOptions, families: &[ColumnFamilyDescriptor]) -> Result<()> {
    options::validate_db(options)?;
    for family in families {
        options::validate_cf(&family.options)?;
        check_family(&family.options, options)?;
    }
    Ok(())
}

/// Moves odd values to sensible ones, and says which.
pub(super) fn sanitize(
    options: &mut DbOptions,
    families: &mut [ColumnFamilyDescriptor],
) -> Vec<String> {
    let mut changes = options::sanitize_db(options);
    for family in families {
        changes.extend(options::inherit_from_db(options, &mut family.options));
        changes.extend(options::sanitize_cf(&mut family.options));
        give_block_cache(&mut family.options);
    }
    changes
}

fn open(
    mut options: DbOptions,
    path: &Path,
    mut descriptors: Vec<ColumnFamilyDescriptor>,
) -> Result<Arc<DbInner>> {
    validate(&options, &descriptors)?;
    let _busy = busy_with(Activity::DbOpen);
    let fs = file_system(&options);
    let dir = fs.absolute(path);
    let wal_dir = wal_directory(&*fs, &options, &dir);
    let exists = check_directory(&*fs, &dir, &wal_dir, &options)?;
    fs.create_dir_if_missing(&dir)?;
    fs.create_dir_if_missing(&wal_dir)?;
    make_data_paths(&*fs, &options.db_paths)?;
    descriptors.iter().try_for_each(|d| make_data_paths(&*fs, &d.options.cf_paths))?;
    let lock = fs.lock_file(&filename::lock_file_name(&dir))?;
    // Behind the lock: whoever has the database open is what matters more.
    if exists && options.error_if_exists {
        let message = format!("{}: exists (error_if_exists is true)", dir.display());
        return Err(Error::invalid_argument(message));
    }
    let info_log = Arc::new(open_info_log(&fs, &dir, &options)?);
    let families: Vec<_> = descriptors.iter().map(|d| &d.options).collect();
    let mut changes = options::settings_without_effect(&options, &families);
    changes.extend(sanitize(&mut options, &mut descriptors));
    Builder { fs, dir, wal_dir, options, descriptors, info_log, changes }.build(exists, lock)
}

/// Whether there is a database, after everything that forbids opening or making one.
fn check_directory(
    fs: &dyn FileSystem,
    dir: &Path,
    wal_dir: &Path,
    options: &DbOptions,
) -> Result<bool> {
    for d in [dir, wal_dir] {
        if fs.exists(d)? && !fs.is_dir(d)? {
            return Err(not_a_directory(d));
        }
    }
    let current = filename::current_file_name(dir);
    if fs.exists(&current)? {
        return Ok(true);
    }
    if !options.create_if_missing {
        return Err(Error::invalid_argument(format!(
            "{}: does not exist (create_if_missing is false)",
            current.display()
        )));
    }
    for d in [dir, wal_dir] {
        refuse_remains(fs, d)?;
    }
    Ok(false)
}

/// A directory without CURRENT that holds parts of a database has lost it: making a new database
/// over them would delete them. The first MANIFEST alone is no loss: a process was killed while it
/// made the database.
fn refuse_remains(fs: &dyn FileSystem, dir: &Path) -> Result<()> {
    if !fs.exists(dir)? {
        return Ok(());
    }
    for name in fs.list_dir(dir)? {
        let kind = filename::parse_file_name(&name);
        if let Some(FileKind::Table(_) | FileKind::Wal(_) | FileKind::Manifest(2..)) = kind {
            return Err(Error::corruption(format!(
                "{}: CURRENT is missing, but {name} exists: not creating a database over it",
                dir.display()
            )));
        }
    }
    Ok(())
}

pub(super) fn open_info_log(
    fs: &Arc<dyn FileSystem>,
    dir: &Path,
    options: &DbOptions,
) -> Result<InfoLog> {
    if let Some(logger) = &options.info_log {
        return Ok(InfoLog::to_logger(Arc::clone(fs), Arc::clone(logger)));
    }
    let log_dir = if options.db_log_dir.as_os_str().is_empty() {
        dir.to_owned()
    } else {
        fs.absolute(&options.db_log_dir)
    };
    fs.create_dir_if_missing(&log_dir)?;
    let opts = InfoLogOptions {
        level: LogLevel::from_number(options.info_log_level as i32),
        keep_log_file_num: options.keep_log_file_num,
        max_log_file_size: options.max_log_file_size as u64,
        log_file_time_to_roll: options.log_file_time_to_roll as u64,
    };
    InfoLog::open(Arc::clone(fs), &log_dir, opts)
}
