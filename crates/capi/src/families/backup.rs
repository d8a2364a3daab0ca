//! `rocksdb_backup_engine_t`, its options and its list of backups; `rocksdb_restore_options_t`.

use super::env::rocksdb_env_t;
use super::{rocksdb_options_t, rocksdb_t};
use crate::bytes::path;
use crate::errptr::{quiet, run};
use crate::handles::{destroy, get, get_mut, give};
use ferrolith::internal::db::backup::{
    BackupEngine, BackupEngineOptions, BackupInfo, CreateBackupOptions, RestoreOptions,
    ShareFilesNaming,
};
use std::ffi::{c_char, c_int, c_uchar};
use std::ptr;

/// A directory of backups.
pub struct rocksdb_backup_engine_t {
    inner: BackupEngine,
}

/// Options of a directory of backups.
pub struct rocksdb_backup_engine_options_t {
    pub(crate) inner: BackupEngineOptions,
}

/// The list of backups.
pub struct rocksdb_backup_engine_info_t {
    inner: Vec<BackupInfo>,
}

/// Options for restoring a backup.
#[derive(Default)]
pub struct rocksdb_restore_options_t {
    inner: RestoreOptions,
}

/// Opens a directory of backups with default options, on the file system of `options`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_open(
    options: *const rocksdb_options_t,
    path_: *const c_char,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_backup_engine_t {
    run(errptr, ptr::null_mut(), || {
        let mut engine = BackupEngineOptions::new(path(path_));
        engine.file_system = get(options)?.inner.db.components.file_system.clone();
        Ok(give(rocksdb_backup_engine_t { inner: BackupEngine::open(engine)? }))
    })
}

/// Opens a directory of backups.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_open_opts(
    options: *const rocksdb_backup_engine_options_t,
    env: *mut rocksdb_env_t,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_backup_engine_t {
    run(errptr, ptr::null_mut(), || {
        let mut engine = get(options)?.inner.clone();
        if engine.file_system.is_none() {
            engine.file_system = env.as_ref().map(rocksdb_env_t::file_system);
        }
        Ok(give(rocksdb_backup_engine_t { inner: BackupEngine::open(engine)? }))
    })
}

/// Creates a backup of an open database.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_create_new_backup(
    be: *mut rocksdb_backup_engine_t,
    db: *mut rocksdb_t,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || get_mut(be)?.inner.create_new_backup(&get(db)?.db).map(drop));
}

/// Creates a backup. On request, memtables are flushed first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_create_new_backup_flush(
    be: *mut rocksdb_backup_engine_t,
    db: *mut rocksdb_t,
    flush_before_backup: c_uchar,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        let how = CreateBackupOptions {
            flush_before_backup: flush_before_backup != 0,
            ..CreateBackupOptions::default()
        };
        get_mut(be)?.inner.create_new_backup_with(&get(db)?.db, &how).map(drop)
    });
}

/// Deletes all backups except the newest ones.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_purge_old_backups(
    be: *mut rocksdb_backup_engine_t,
    num_backups_to_keep: u32,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || get_mut(be)?.inner.purge_old_backups(num_backups_to_keep));
}

/// Checks that the files of a backup exist with their sizes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_verify_backup(
    be: *mut rocksdb_backup_engine_t,
    backup_id: u32,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || get(be)?.inner.verify_backup(backup_id, false));
}

/// Restores the newest backup.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_restore_db_from_latest_backup(
    be: *mut rocksdb_backup_engine_t,
    db_dir: *const c_char,
    wal_dir: *const c_char,
    restore_options: *const rocksdb_restore_options_t,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        let how = get(restore_options)?.inner;
        get(be)?.inner.restore_from_latest(path(db_dir), path(wal_dir), &how)
    });
}

/// Restores a backup.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_restore_db_from_backup(
    be: *mut rocksdb_backup_engine_t,
    db_dir: *const c_char,
    wal_dir: *const c_char,
    restore_options: *const rocksdb_restore_options_t,
    backup_id: u32,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        let how = get(restore_options)?.inner;
        get(be)?.inner.restore(backup_id, path(db_dir), path(wal_dir), &how)
    });
}

/// Returns the backups that can be restored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_get_backup_info(
    be: *mut rocksdb_backup_engine_t,
) -> *const rocksdb_backup_engine_info_t {
    quiet(ptr::null(), || {
        let inner = be.as_ref().map(|be| be.inner.backup_info()).unwrap_or_default();
        give(rocksdb_backup_engine_info_t { inner }).cast_const()
    })
}

unsafe fn info<'a>(
    info: *const rocksdb_backup_engine_info_t,
    index: c_int,
) -> Option<&'a BackupInfo> {
    info.as_ref()?.inner.get(usize::try_from(index).ok()?)
}

/// Returns the number of backups.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_info_count(
    handle: *const rocksdb_backup_engine_info_t,
) -> c_int {
    handle.as_ref().map_or(0, |info| info.inner.len() as c_int)
}

/// Returns when a backup was created, in seconds since 1970.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_info_timestamp(
    handle: *const rocksdb_backup_engine_info_t,
    index: c_int,
) -> i64 {
    info(handle, index).map_or(0, |backup| backup.timestamp)
}

/// Returns a backup's number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_info_backup_id(
    handle: *const rocksdb_backup_engine_info_t,
    index: c_int,
) -> u32 {
    info(handle, index).map_or(0, |backup| backup.backup_id)
}

/// Returns the total size of a backup's files in bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_info_size(
    handle: *const rocksdb_backup_engine_info_t,
    index: c_int,
) -> u64 {
    info(handle, index).map_or(0, |backup| backup.size)
}

/// Returns the number of files in a backup.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_info_number_files(
    handle: *const rocksdb_backup_engine_info_t,
    index: c_int,
) -> u32 {
    info(handle, index).map_or(0, |backup| backup.number_files)
}

/// Destroys the list.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_info_destroy(
    handle: *const rocksdb_backup_engine_info_t,
) {
    destroy(handle.cast_mut());
}

/// Closes a directory of backups.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_close(be: *mut rocksdb_backup_engine_t) {
    destroy(be);
}

/// Creates restore options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_restore_options_create() -> *mut rocksdb_restore_options_t {
    give(rocksdb_restore_options_t::default())
}

/// Destroys restore options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_restore_options_destroy(opt: *mut rocksdb_restore_options_t) {
    destroy(opt);
}

/// Sets whether existing WALs stay.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_restore_options_set_keep_log_files(
    opt: *mut rocksdb_restore_options_t,
    v: c_int,
) {
    if let Some(opt) = opt.as_mut() {
        opt.inner.keep_log_files = v != 0;
    }
}

/// Creates options with RocksDB's defaults.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_options_create(
    backup_dir: *const c_char,
) -> *mut rocksdb_backup_engine_options_t {
    give(rocksdb_backup_engine_options_t { inner: BackupEngineOptions::new(path(backup_dir)) })
}

/// Destroys options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_options_destroy(
    handle: *mut rocksdb_backup_engine_options_t,
) {
    destroy(handle);
}

/// Sets the directory of the backups.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_options_set_backup_dir(
    options: *mut rocksdb_backup_engine_options_t,
    backup_dir: *const c_char,
) {
    if let Some(options) = options.as_mut() {
        options.inner.backup_dir = path(backup_dir);
    }
}

/// Sets the file system of the backups.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_options_set_env(
    options: *mut rocksdb_backup_engine_options_t,
    env: *mut rocksdb_env_t,
) {
    if let Some(options) = options.as_mut() {
        options.inner.file_system = env.as_ref().map(rocksdb_env_t::file_system);
    }
}

/// Sets the naming scheme of shared tables, by RocksDB's numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_options_set_share_files_with_checksum_naming(
    options: *mut rocksdb_backup_engine_options_t,
    val: c_int,
) {
    if let Some(options) = options.as_mut() {
        options.inner.share_files_with_checksum_naming = ShareFilesNaming(val as u32);
    }
}

/// Returns the naming scheme of shared tables.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_options_get_share_files_with_checksum_naming(
    options: *mut rocksdb_backup_engine_options_t,
) -> c_int {
    options.as_ref().map_or(0, |options| options.inner.share_files_with_checksum_naming.0 as c_int)
}
