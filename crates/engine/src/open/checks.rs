//! Checks and preparations before a database is read: options, directories, the lock, and LOG.

use super::descriptor::ColumnFamilyDescriptor;
use crate::budget::MemoryAccount;
use crate::error::{Error, Result};
use crate::fs::filename::{self, FileKind};
use crate::fs::info_log::{InfoLog, InfoLogOptions, LogLevel};
use crate::fs::{FileSystem, WritableOptions, not_a_directory};
use crate::options::{self, ColumnFamilyOptions, CompactionStyle, DbOptions, DbPath, TableFactory};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Deletes the files of these kinds in a directory, and then its archive if that is empty.
pub(crate) fn remove_files(
    fs: &dyn FileSystem,
    dir: &Path,
    wanted: impl Fn(FileKind) -> bool,
) -> Result<()> {
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

pub(crate) fn file_system(options: &DbOptions) -> Arc<dyn FileSystem> {
    options.components.file_system.clone().unwrap_or_else(crate::fs::posix)
}

pub(crate) fn wal_directory(fs: &dyn FileSystem, options: &DbOptions, dir: &Path) -> PathBuf {
    if options.wal_dir.as_os_str().is_empty() {
        dir.to_owned()
    } else {
        fs.absolute(&options.wal_dir)
    }
}

/// Checks combinations of database and family options.
pub(crate) fn check_family(options: &ColumnFamilyOptions, db: &DbOptions) -> Result<()> {
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

/// Refuses several data paths for compaction styles that do not support them.
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

/// Creates missing directories of data paths, but not their parents.
pub(crate) fn make_data_paths(fs: &dyn FileSystem, paths: &[DbPath]) -> Result<()> {
    paths.iter().try_for_each(|p| fs.create_dir_if_missing(&fs.absolute(&p.path)))
}

/// Sets the default block cache for a family that has none of its own: that of the memory account, if there is one.
pub(crate) fn give_block_cache(
    options: &mut ColumnFamilyOptions,
    memory: Option<&Arc<MemoryAccount>>,
) {
    if let TableFactory::BlockBased(table) = &mut options.table_factory
        && table.block_cache.is_none()
        && !table.no_block_cache
    {
        table.block_cache = Some(match memory {
            Some(account) => Arc::clone(account.cache()),
            None => crate::cache::Cache::new_lru(DEFAULT_CACHE_BYTES),
        });
    }
}

/// The size in bytes of RocksDB's default block cache.
const DEFAULT_CACHE_BYTES: usize = 32 << 20;

/// Refuses options that cannot be honoured.
pub(crate) fn validate(options: &DbOptions, families: &[ColumnFamilyDescriptor]) -> Result<()> {
    options::validate_db(options)?;
    for family in families {
        options::validate_cf(&family.options)?;
        check_family(&family.options, options)?;
    }
    Ok(())
}

/// Replaces unreasonable values by sensible ones, and returns a list of these changes.
pub(crate) fn sanitize(
    options: &mut DbOptions,
    families: &mut [ColumnFamilyDescriptor],
) -> Vec<String> {
    let mut changes = options::sanitize_db(options);
    let account = &mut options.components.memory_account;
    if account.is_none() && options.memory_limit > 0 {
        *account = Some(MemoryAccount::new(options.memory_limit));
    }
    for family in families {
        changes.extend(options::inherit_from_db(options, &mut family.options));
        changes.extend(options::sanitize_cf(&mut family.options));
        give_block_cache(&mut family.options, options.components.memory_account.as_ref());
    }
    changes
}

/// Returns whether there is a database, after all checks that may forbid opening or creating one.
pub(super) fn check_directory(
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
        let message = format!("{}: does not exist (create_if_missing is false)", current.display());
        return Err(Error::invalid_argument(message)
            .advice("check the path, or set create_if_missing to create a database")
            .about_file(&current));
    }
    for d in [dir, wal_dir] {
        refuse_remains(fs, d)?;
    }
    Ok(false)
}

/// Refuses direct I/O if a file system of the database does not support it. As in RocksDB, CURRENT is opened to try it;
/// in each other directory of tables, one of its tables, or, if the database `may_write`, a new file that is deleted at
/// once.
pub(super) fn check_direct_io(
    fs: &dyn FileSystem,
    dir: &Path,
    options: &DbOptions,
    families: &[ColumnFamilyDescriptor],
    may_write: bool,
) -> Result<()> {
    if !options.use_direct_reads && !options.use_direct_io_for_flush_and_compaction {
        return Ok(());
    }
    try_direct(fs, &filename::current_file_name(dir))?;
    let paths = families.iter().flat_map(|family| &family.options.cf_paths);
    let mut dirs: Vec<_> =
        paths.chain(&options.db_paths).map(|path| fs.absolute(&path.path)).collect();
    dirs.sort();
    dirs.dedup();
    dirs.retain(|other| other != dir);
    dirs.iter().try_for_each(|other| try_direct_in(fs, other, may_write))
}

fn try_direct_in(fs: &dyn FileSystem, dir: &Path, may_write: bool) -> Result<()> {
    if !fs.is_dir(dir)? {
        return Ok(());
    }
    let is_table =
        |name: &String| matches!(filename::parse_file_name(name), Some(FileKind::Table(_)));
    if let Some(table) = fs.list_dir(dir)?.into_iter().find(is_table) {
        return match try_direct(fs, &dir.join(table)) {
            // The database that writes has deleted it meanwhile.
            Err(e) if e.is_path_not_found() => Ok(()),
            tried => tried,
        };
    }
    if !may_write {
        return Ok(());
    }
    let probe = filename::temp_file_name(dir, 0);
    drop(fs.new_writable(&probe, WritableOptions::default())?);
    let tried = try_direct(fs, &probe);
    fs.remove_file(&probe)?;
    tried
}

fn try_direct(fs: &dyn FileSystem, file: &Path) -> Result<()> {
    let error = match fs.open_direct(file) {
        Err(error) if error.is_unsupported() => error,
        opened => return opened.map(drop),
    };
    let text = format!(
        "the file system of {} does not support direct I/O ({error}): unset use_direct_reads and \
         use_direct_io_for_flush_and_compaction",
        file.parent().unwrap_or(file).display()
    );
    Err(Error::invalid_argument("Direct I/O is not supported by the specified DB.")
        .explained(text)
        .about_file(file))
}

/// Refuses a directory that holds parts of a database but no CURRENT file: creating a new database would delete these
/// parts. The first MANIFEST alone is accepted: it is left when a process is killed while it creates the database.
fn refuse_remains(fs: &dyn FileSystem, dir: &Path) -> Result<()> {
    if !fs.exists(dir)? {
        return Ok(());
    }
    let mut names = fs.list_dir(dir)?;
    names.retain(|name| {
        let kind = filename::parse_file_name(name);
        matches!(kind, Some(FileKind::Table(_) | FileKind::Wal(_) | FileKind::Manifest(2..)))
    });
    let Some(name) = names.iter().min() else { return Ok(()) };
    let error = Error::corruption(format!(
        "{}: CURRENT is missing, but {name} exists: not creating a database over it",
        dir.display()
    ));
    let error = error.about_file(&filename::current_file_name(dir));
    let is_table =
        |name: &String| matches!(filename::parse_file_name(name), Some(FileKind::Table(_)));
    Err(match names.iter().all(is_table) {
        true => error.advice("an exported column family is imported with Db::import_cf"),
        false => error,
    })
}

pub(crate) fn open_info_log(
    fs: &Arc<dyn FileSystem>,
    dir: &Path,
    options: &DbOptions,
) -> Result<InfoLog> {
    if let Some(logger) = &options.components.info_log {
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
