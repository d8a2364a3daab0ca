//! `rocksdb_checkpoint_t`: copies of a database, exports of column families and their import.

use super::live_files::rocksdb_livefiles_t;
use super::{rocksdb_column_family_handle_t, rocksdb_options_t, rocksdb_t};
use crate::bytes::{c_string, path, text};
use crate::errptr::{quiet, run};
use crate::handles::{destroy, get, give};
use ferrolith::internal::db::Checkpoint;
use ferrolith::internal::external::ExportImportFilesMetaData;
use ferrolith::internal::options::ImportColumnFamilyOptions;
use std::ffi::c_char;
use std::ptr;

/// Creates checkpoints of a database.
pub struct rocksdb_checkpoint_t {
    pub(crate) inner: Checkpoint,
}

/// An exported column family.
pub struct rocksdb_export_import_files_metadata_t {
    inner: ExportImportFilesMetaData,
}

/// Options for importing files.
pub struct rocksdb_import_column_family_options_t {
    pub(crate) inner: ImportColumnFamilyOptions,
}

/// Creates an object for this database, which stays open while the object exists.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_checkpoint_object_create(
    db: *mut rocksdb_t,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_checkpoint_t {
    run(errptr, ptr::null_mut(), || {
        Ok(give(rocksdb_checkpoint_t { inner: Checkpoint::new(&get(db)?.db) }))
    })
}

/// Creates a directory that can be opened as a copy of the database at this point in time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_checkpoint_create(
    checkpoint: *mut rocksdb_checkpoint_t,
    checkpoint_dir: *const c_char,
    log_size_for_flush: u64,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        get(checkpoint)?.inner.create(path(checkpoint_dir), log_size_for_flush).map(drop)
    });
}

/// Creates a directory with the tables of a column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_checkpoint_export_column_family(
    checkpoint: *mut rocksdb_checkpoint_t,
    column_family: *mut rocksdb_column_family_handle_t,
    export_dir: *const c_char,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_export_import_files_metadata_t {
    run(errptr, ptr::null_mut(), || {
        let (checkpoint, cf) = (&get(checkpoint)?.inner, &get(column_family)?.cf);
        let inner = checkpoint.export_column_family(cf, path(export_dir))?;
        Ok(give(rocksdb_export_import_files_metadata_t { inner }))
    })
}

/// Destroys the object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_checkpoint_object_destroy(checkpoint: *mut rocksdb_checkpoint_t) {
    destroy(checkpoint);
}

/// Creates a column family from exported files.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_create_column_family_with_import(
    db: *mut rocksdb_t,
    column_family_options: *mut rocksdb_options_t,
    column_family_name: *const c_char,
    import_options: *mut rocksdb_import_column_family_options_t,
    metadata: *mut rocksdb_export_import_files_metadata_t,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_column_family_handle_t {
    run(errptr, ptr::null_mut(), || {
        let options = &get(column_family_options)?.inner.cf;
        let cf = get(db)?.db.create_cf_with_import(
            &text(column_family_name),
            options,
            &get(import_options)?.inner,
            &[&get(metadata)?.inner],
        )?;
        Ok(give(rocksdb_column_family_handle_t { cf }))
    })
}

/// Creates import options, with which files are copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_import_column_family_options_create()
-> *mut rocksdb_import_column_family_options_t {
    give(rocksdb_import_column_family_options_t { inner: ImportColumnFamilyOptions::default() })
}

/// Destroys the object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_import_column_family_options_destroy(
    handle: *mut rocksdb_import_column_family_options_t,
) {
    destroy(handle);
}

/// Creates empty metadata of an export.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_export_import_files_metadata_create()
-> *mut rocksdb_export_import_files_metadata_t {
    give(rocksdb_export_import_files_metadata_t { inner: ExportImportFilesMetaData::default() })
}

/// Returns the name of its comparator, for the caller to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_export_import_files_metadata_get_db_comparator_name(
    handle: *mut rocksdb_export_import_files_metadata_t,
) -> *mut c_char {
    c_string(handle.as_ref().map_or("", |h| &h.inner.db_comparator_name))
}

/// Sets the name of its comparator.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_export_import_files_metadata_set_db_comparator_name(
    handle: *mut rocksdb_export_import_files_metadata_t,
    name: *const c_char,
) {
    crate::accessors::set(handle, |h| h.inner.db_comparator_name = text(name));
}

/// Returns a copy of the list of its files.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_export_import_files_metadata_get_files(
    handle: *mut rocksdb_export_import_files_metadata_t,
) -> *mut rocksdb_livefiles_t {
    quiet(ptr::null_mut(), || match handle.as_ref() {
        Some(h) => give(rocksdb_livefiles_t::new(h.inner.files.clone())),
        None => ptr::null_mut(),
    })
}

/// Sets its files. The list is handed over.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_export_import_files_metadata_set_files(
    handle: *mut rocksdb_export_import_files_metadata_t,
    files: *mut rocksdb_livefiles_t,
) {
    quiet((), || {
        if files.is_null() {
            return;
        }
        let files = Box::from_raw(files);
        if let Some(h) = handle.as_mut() {
            h.inner.files = files.into_metadata();
        }
    });
}

/// Destroys the object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_export_import_files_metadata_destroy(
    handle: *mut rocksdb_export_import_files_metadata_t,
) {
    destroy(handle);
}
