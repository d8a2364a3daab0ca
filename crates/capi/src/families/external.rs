//! `rocksdb_sstfilewriter_t` and `rocksdb_ingestexternalfileoptions_t`: writing tables outside a database, and
//! ingesting them.

use super::env::rocksdb_envoptions_t;
use super::{rocksdb_column_family_handle_t, rocksdb_comparator_t, rocksdb_options_t, rocksdb_t};
use crate::bytes::{array, path, put, slice};
use crate::errptr::{quiet, run};
use crate::handles::{destroy, get, get_mut, give};
use ferrolith::internal::external::SstFileWriter;
use ferrolith::internal::options::IngestExternalFileOptions;
use std::ffi::c_char;
use std::path::PathBuf;
use std::ptr;

/// Writes tables outside a database.
pub struct rocksdb_sstfilewriter_t {
    inner: SstFileWriter,
}

/// Options for ingesting tables.
pub struct rocksdb_ingestexternalfileoptions_t {
    pub(crate) inner: IngestExternalFileOptions,
}

/// Creates a writer for databases with these options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sstfilewriter_create(
    _env: *const rocksdb_envoptions_t,
    io_options: *const rocksdb_options_t,
) -> *mut rocksdb_sstfilewriter_t {
    quiet(ptr::null_mut(), || match io_options.as_ref() {
        Some(options) => {
            give(rocksdb_sstfilewriter_t { inner: SstFileWriter::new(&options.inner) })
        }
        None => ptr::null_mut(),
    })
}

/// Does the same as [`rocksdb_sstfilewriter_create`]. The comparator is that of the options, as in RocksDB.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sstfilewriter_create_with_comparator(
    env: *const rocksdb_envoptions_t,
    io_options: *const rocksdb_options_t,
    _comparator: *const rocksdb_comparator_t,
) -> *mut rocksdb_sstfilewriter_t {
    rocksdb_sstfilewriter_create(env, io_options)
}

/// Begins a file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sstfilewriter_open(
    writer: *mut rocksdb_sstfilewriter_t,
    name: *const c_char,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || get_mut(writer)?.inner.open(path(name)));
}

/// Adds a key with its value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sstfilewriter_add(
    writer: *mut rocksdb_sstfilewriter_t,
    key: *const c_char,
    keylen: usize,
    val: *const c_char,
    vallen: usize,
    errptr: *mut *mut c_char,
) {
    rocksdb_sstfilewriter_put(writer, key, keylen, val, vallen, errptr);
}

/// Adds a key with its value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sstfilewriter_put(
    writer: *mut rocksdb_sstfilewriter_t,
    key: *const c_char,
    keylen: usize,
    val: *const c_char,
    vallen: usize,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || get_mut(writer)?.inner.put(slice(key, keylen), slice(val, vallen)));
}

/// Adds a key with a timestamp.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sstfilewriter_put_with_ts(
    writer: *mut rocksdb_sstfilewriter_t,
    key: *const c_char,
    keylen: usize,
    ts: *const c_char,
    tslen: usize,
    val: *const c_char,
    vallen: usize,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        let (key, ts, value) = (slice(key, keylen), slice(ts, tslen), slice(val, vallen));
        get_mut(writer)?.inner.put_with_ts(key, ts, value)
    });
}

/// Adds a merge operand.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sstfilewriter_merge(
    writer: *mut rocksdb_sstfilewriter_t,
    key: *const c_char,
    keylen: usize,
    val: *const c_char,
    vallen: usize,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || get_mut(writer)?.inner.merge(slice(key, keylen), slice(val, vallen)));
}

/// Adds a tombstone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sstfilewriter_delete(
    writer: *mut rocksdb_sstfilewriter_t,
    key: *const c_char,
    keylen: usize,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || get_mut(writer)?.inner.delete(slice(key, keylen)));
}

/// Adds a tombstone with a timestamp.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sstfilewriter_delete_with_ts(
    writer: *mut rocksdb_sstfilewriter_t,
    key: *const c_char,
    keylen: usize,
    ts: *const c_char,
    tslen: usize,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || get_mut(writer)?.inner.delete_with_ts(slice(key, keylen), slice(ts, tslen)));
}

/// Adds a tombstone over a range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sstfilewriter_delete_range(
    writer: *mut rocksdb_sstfilewriter_t,
    begin_key: *const c_char,
    begin_keylen: usize,
    end_key: *const c_char,
    end_keylen: usize,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        let (begin, end) = (slice(begin_key, begin_keylen), slice(end_key, end_keylen));
        get_mut(writer)?.inner.delete_range(begin, end)
    });
}

/// Completes the file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sstfilewriter_finish(
    writer: *mut rocksdb_sstfilewriter_t,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || get_mut(writer)?.inner.finish().map(drop));
}

/// Returns the size of the file in bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sstfilewriter_file_size(
    writer: *mut rocksdb_sstfilewriter_t,
    file_size: *mut u64,
) {
    put(file_size, writer.as_ref().map_or(0, |w| w.inner.file_size()));
}

/// Destroys the writer. A file that was not finished is discarded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sstfilewriter_destroy(writer: *mut rocksdb_sstfilewriter_t) {
    destroy(writer);
}

/// Returns RocksDB's defaults.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_ingestexternalfileoptions_create()
-> *mut rocksdb_ingestexternalfileoptions_t {
    give(rocksdb_ingestexternalfileoptions_t { inner: IngestExternalFileOptions::default() })
}

/// Destroys the object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_ingestexternalfileoptions_destroy(
    opt: *mut rocksdb_ingestexternalfileoptions_t,
) {
    destroy(opt);
}

unsafe fn paths(file_list: *const *const c_char, len: usize) -> Vec<PathBuf> {
    array(file_list, len).iter().map(|&name| path(name)).collect()
}

/// Ingests files into the default column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_ingest_external_file(
    db: *mut rocksdb_t,
    file_list: *const *const c_char,
    list_len: usize,
    opt: *const rocksdb_ingestexternalfileoptions_t,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        get(db)?.db.ingest_external_file(&paths(file_list, list_len), &get(opt)?.inner)
    });
}

/// Ingests files into a column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_ingest_external_file_cf(
    db: *mut rocksdb_t,
    handle: *mut rocksdb_column_family_handle_t,
    file_list: *const *const c_char,
    list_len: usize,
    opt: *const rocksdb_ingestexternalfileoptions_t,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        let (cf, files) = (&get(handle)?.cf, paths(file_list, list_len));
        get(db)?.db.ingest_external_file_cf(cf, &files, &get(opt)?.inner)
    });
}
