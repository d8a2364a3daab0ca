//! Options from text: strings, and the OPTIONS file of a database.

use super::cache::rocksdb_cache_t;
use super::db::{give_array, rocksdb_list_column_families_destroy};
use super::env::rocksdb_env_t;
use super::rocksdb_options_t;
use crate::bytes::{array, c_string, path, put, text};
use crate::errptr::run;
use crate::handles::{destroy, get, get_mut, give};
use ferrolith::Error;
use ferrolith::internal::options::{
    BlockBasedTableOptions, ColumnFamilyOptions, DbOptions, Leniency, Options, TableFactory,
    newest_options_file, read_options_file,
};
use std::ffi::c_char;
use std::path::Path;
use std::ptr;
use std::sync::Arc;

/// Applies the settings in a text to a copy of `base_options`. After an error, `new_options` equals the base.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_options_from_string(
    base_options: *const rocksdb_options_t,
    opts_str: *const c_char,
    new_options: *mut rocksdb_options_t,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        let base = get(base_options)?.inner.clone();
        let result = get_mut(new_options)?;
        result.inner = base.clone();
        let mut changed = base;
        changed.set_options_from_string(&text(opts_str))?;
        result.inner = changed;
        Ok(())
    });
}

fn no_options_file(dir: &Path) -> Error {
    let dir = dir.display();
    Error::not_found(format!(
        "No such file or directory: No options files found in the DB directory.: {dir}"
    ))
}

/// Loads the newest OPTIONS file of a database, which may be open or closed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_load_latest_options(
    db_path: *const c_char,
    env: *mut rocksdb_env_t,
    ignore_unknown_options: bool,
    cache: *mut rocksdb_cache_t,
    db_options: *mut *mut rocksdb_options_t,
    num_column_families: *mut usize,
    column_family_names: *mut *mut *mut c_char,
    column_family_options: *mut *mut *mut rocksdb_options_t,
    errptr: *mut *mut c_char,
) {
    put(db_options, ptr::null_mut());
    put(num_column_families, 0);
    put(column_family_names, ptr::null_mut());
    put(column_family_options, ptr::null_mut());
    run(errptr, (), || {
        let env = get(env)?;
        let known = known_parts(env, cache);
        let (fs, dir) = (env.file_system(), path(db_path));
        let newest = if fs.is_dir(&dir)? { newest_options_file(&*fs, &dir)? } else { None };
        let newest = newest.ok_or_else(|| no_options_file(&dir))?;
        let leniency =
            Leniency { unknown_options: ignore_unknown_options, unsupported_parts: true };
        let file = read_options_file(&*fs, &newest, &known, leniency)?;
        let families = file.column_families;
        put(num_column_families, families.len());
        let names = families.iter().map(|(name, _)| c_string(name)).collect();
        put(column_family_names, give_array(names));
        let each = families.into_iter().map(|(_, cf)| {
            give(rocksdb_options_t { inner: Options { db: DbOptions::default(), cf } })
        });
        put(column_family_options, give_array(each.collect()));
        let db = Options { db: file.db, cf: ColumnFamilyOptions::default() };
        put(db_options, give(rocksdb_options_t { inner: db }));
        Ok(())
    });
}

/// Returns the objects that text cannot describe: the files, and the cache that all tables share.
unsafe fn known_parts(env: &rocksdb_env_t, cache: *mut rocksdb_cache_t) -> Options {
    let mut known = Options::default();
    known.db.components.file_system = env.fs.clone();
    let block_cache = cache.as_ref().map(|cache| Arc::clone(&cache.cache));
    let table = BlockBasedTableOptions { block_cache, ..BlockBasedTableOptions::default() };
    known.cf.table_factory = TableFactory::BlockBased(table);
    known
}

/// Frees what `rocksdb_load_latest_options` returned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_load_latest_options_destroy(
    db_options: *mut rocksdb_options_t,
    list_column_family_names: *mut *mut c_char,
    list_column_family_options: *mut *mut rocksdb_options_t,
    len: usize,
) {
    destroy(db_options);
    rocksdb_list_column_families_destroy(list_column_family_names, len);
    for &options in array(list_column_family_options, len) {
        destroy(options);
    }
    libc::free(list_column_family_options.cast());
}
