//! The functions of `rocksdb/c.h` that the tests call, found in the vendor's library at run time.
//!
//! Unsafe, as the functions are called by pointers. Invariants: the library is never
//! unloaded; argument lists are those of 10.10.1's `rocksdb/c.h`. Every exchange test runs through
//! here.
#![allow(unsafe_code)]

use crate::store::Result;
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_uchar, c_void};
use std::path::Path;
use std::ptr::null_mut;
use std::sync::OnceLock;

/// An opaque object of the library.
pub(crate) type Object = *mut c_void;
/// Bytes or a C string.
pub(crate) type Text = *const c_char;
/// Where a function puts the text of its error.
pub(crate) type Errors = *mut *mut c_char;

macro_rules! functions {
    ($set:ident $($name:ident: fn($($arg:ty),*) $(-> $ret:ty)?;)*) => {
        /// The functions, callable for ever.
        #[allow(non_snake_case, reason = "the names are those of c.h")]
        pub(crate) struct $set { $(pub(crate) $name: unsafe extern "C" fn($($arg),*) $(-> $ret)?,)* }

        impl $set {
            /// # Safety
            /// The library must implement `rocksdb/c.h` of 10.10.1, and never be unloaded.
            unsafe fn find(library: &Library) -> std::result::Result<$set, libloading::Error> {
                Ok($set {
                    // SAFETY: the types are those of rocksdb/c.h.
                    $($name: *unsafe { library.get(concat!("rocksdb_", stringify!($name))) }?,)*
                })
            }
        }
    };
}

functions! {
    FigureFunctions
    open: fn(Object, Text, Errors) -> Object;
    open_for_read_only: fn(Object, Text, c_uchar, Errors) -> Object;
    livefiles: fn(Object) -> Object;
    put: fn(Object, Object, Text, usize, Text, usize, Errors);
    delete: fn(Object, Object, Text, usize, Errors);
    singledelete: fn(Object, Object, Text, usize, Errors);
    merge: fn(Object, Object, Text, usize, Text, usize, Errors);
    get: fn(Object, Object, Text, usize, *mut usize, Errors) -> *mut c_char;
    multi_get: fn(
        Object, Object, usize, *const Text, *const usize, *mut *mut c_char, *mut usize,
        *mut *mut c_char
    );
    writebatch_put: fn(Object, Text, usize, Text, usize);
    writebatch_delete_range: fn(Object, Text, usize, Text, usize);
    create_iterator: fn(Object, Object) -> Object;
    iter_seek_for_prev: fn(Object, Text, usize);
    compact_range: fn(Object, Text, usize, Text, usize);
    set_options: fn(Object, c_int, *const Text, *const Text, Errors);
    ingest_external_file: fn(Object, *const Text, usize, Object, Errors);
    disable_file_deletions: fn(Object, Errors);
    enable_file_deletions: fn(Object, Errors);
    flush: fn(Object, Object, Errors);
    property_value: fn(Object, Text) -> *mut c_char;
    options_enable_statistics: fn(Object);
    options_set_statistics_level: fn(Object, c_int);
    options_statistics_get_string: fn(Object) -> *mut c_char;
    options_statistics_get_ticker_count: fn(Object, u32) -> u64;
    set_perf_level: fn(c_int);
    perfcontext_create: fn() -> Object;
    perfcontext_reset: fn(Object);
    perfcontext_report: fn(Object, c_uchar) -> *mut c_char;
    perfcontext_metric: fn(Object, c_int) -> u64;
    perfcontext_destroy: fn(Object);
}

functions! {
    TransactionFunctions
    transactiondb_options_create: fn() -> Object;
    transactiondb_options_destroy: fn(Object);
    transactiondb_open_column_families: fn(
        Object, Object, Text, c_int, *const Text, *const Object, *mut Object, Errors
    ) -> Object;
    transactiondb_close: fn(Object);
    transactiondb_write: fn(Object, Object, Object, Errors);
    transactiondb_flush_cf: fn(Object, Object, Object, Errors);
    transactiondb_create_iterator_cf: fn(Object, Object, Object) -> Object;
    transactiondb_get_prepared_transactions: fn(Object, *mut usize) -> *mut Object;
    transaction_options_create: fn() -> Object;
    transaction_options_destroy: fn(Object);
    transaction_begin: fn(Object, Object, Object, Object) -> Object;
    transaction_put_cf: fn(Object, Object, Text, usize, Text, usize, Errors);
    transaction_set_name: fn(Object, Text, usize, Errors);
    transaction_get_name: fn(Object, *mut usize) -> *mut c_char;
    transaction_prepare: fn(Object, Errors);
    transaction_commit: fn(Object, Errors);
    transaction_rollback: fn(Object, Errors);
    transaction_destroy: fn(Object);
}

functions! {
    Functions
    free: fn(*mut c_void);
    options_create: fn() -> Object;
    options_destroy: fn(Object);
    options_set_create_if_missing: fn(Object, c_uchar);
    options_set_create_missing_column_families: fn(Object, c_uchar);
    options_set_db_paths: fn(Object, *const Object, usize);
    dbpath_create: fn(Text, u64) -> Object;
    dbpath_destroy: fn(Object);
    get_options_from_string: fn(Object, Text, Object, Errors);
    open_column_families: fn(Object, Text, c_int, *const Text, *const Object, *mut Object, Errors)
        -> Object;
    column_family_handle_destroy: fn(Object);
    list_column_families: fn(Object, Text, *mut usize, Errors) -> *mut *mut c_char;
    list_column_families_destroy: fn(*mut *mut c_char, usize);
    create_column_family: fn(Object, Object, Text, Errors) -> Object;
    drop_column_family: fn(Object, Object, Errors);
    close: fn(Object);
    writeoptions_create: fn() -> Object;
    writeoptions_destroy: fn(Object);
    writeoptions_set_sync: fn(Object, c_uchar);
    writeoptions_disable_WAL: fn(Object, c_int);
    writebatch_create: fn() -> Object;
    writebatch_destroy: fn(Object);
    writebatch_put_cf: fn(Object, Object, Text, usize, Text, usize);
    writebatch_delete_cf: fn(Object, Object, Text, usize);
    writebatch_delete_range_cf: fn(Object, Object, Text, usize, Text, usize);
    writebatch_singledelete_cf: fn(Object, Object, Text, usize);
    writebatch_merge_cf: fn(Object, Object, Text, usize, Text, usize);
    write: fn(Object, Object, Object, Errors);
    readoptions_create: fn() -> Object;
    readoptions_destroy: fn(Object);
    readoptions_set_total_order_seek: fn(Object, c_uchar);
    readoptions_set_prefix_same_as_start: fn(Object, c_uchar);
    get_cf: fn(Object, Object, Object, Text, usize, *mut usize, Errors) -> *mut c_char;
    create_iterator_cf: fn(Object, Object, Object) -> Object;
    iter_destroy: fn(Object);
    iter_valid: fn(Object) -> c_uchar;
    iter_seek: fn(Object, Text, usize);
    iter_seek_to_first: fn(Object);
    iter_seek_to_last: fn(Object);
    iter_next: fn(Object);
    iter_prev: fn(Object);
    iter_key: fn(Object, *mut usize) -> Text;
    iter_value: fn(Object, *mut usize) -> Text;
    iter_get_error: fn(Object, Errors);
    flushoptions_create: fn() -> Object;
    flushoptions_destroy: fn(Object);
    flush_cf: fn(Object, Object, Object, Errors);
    compactoptions_create: fn() -> Object;
    compactoptions_destroy: fn(Object);
    compactoptions_set_bottommost_level_compaction: fn(Object, c_uchar);
    compact_range_cf_opt: fn(Object, Object, Object, Text, usize, Text, usize);
    wait_for_compact_options_create: fn() -> Object;
    wait_for_compact_options_destroy: fn(Object);
    wait_for_compact: fn(Object, Object, Errors);
    checkpoint_object_create: fn(Object, Errors) -> Object;
    checkpoint_object_destroy: fn(Object);
    checkpoint_create: fn(Object, Text, u64, Errors);
    checkpoint_export_column_family: fn(Object, Object, Text, Errors) -> Object;
    export_import_files_metadata_create: fn() -> Object;
    export_import_files_metadata_destroy: fn(Object);
    export_import_files_metadata_set_db_comparator_name: fn(Object, Text);
    export_import_files_metadata_get_files: fn(Object) -> Object;
    export_import_files_metadata_set_files: fn(Object, Object);
    import_column_family_options_create: fn() -> Object;
    import_column_family_options_destroy: fn(Object);
    create_column_family_with_import: fn(Object, Object, Text, Object, Object, Errors) -> Object;
    livefiles_create: fn() -> Object;
    livefiles_destroy: fn(Object);
    livefiles_add: fn(Object, Object);
    livefiles_count: fn(Object) -> c_int;
    livefiles_name: fn(Object, c_int) -> Text;
    livefiles_level: fn(Object, c_int) -> c_int;
    livefiles_size: fn(Object, c_int) -> usize;
    livefiles_smallest_seqno: fn(Object, c_int) -> u64;
    livefiles_largest_seqno: fn(Object, c_int) -> u64;
    livefile_create: fn() -> Object;
    livefile_set_name: fn(Object, Text);
    livefile_set_directory: fn(Object, Text);
    livefile_set_level: fn(Object, c_int);
    livefile_set_size: fn(Object, usize);
    livefile_set_smallest_seqno: fn(Object, u64);
    livefile_set_largest_seqno: fn(Object, u64);
    envoptions_create: fn() -> Object;
    envoptions_destroy: fn(Object);
    sstfilewriter_create: fn(Object, Object) -> Object;
    sstfilewriter_destroy: fn(Object);
    sstfilewriter_open: fn(Object, Text, Errors);
    sstfilewriter_put: fn(Object, Text, usize, Text, usize, Errors);
    sstfilewriter_delete: fn(Object, Text, usize, Errors);
    sstfilewriter_delete_range: fn(Object, Text, usize, Text, usize, Errors);
    sstfilewriter_finish: fn(Object, Errors);
    ingestexternalfileoptions_create: fn() -> Object;
    ingestexternalfileoptions_destroy: fn(Object);
    ingest_external_file_cf: fn(Object, Object, *const Text, usize, Object, Errors);
}

/// Loads the vendor's library at the first call.
fn library() -> Result<&'static Library> {
    static LOADED: OnceLock<Result<&'static Library>> = OnceLock::new();
    LOADED.get_or_init(|| load(&crate::peers::library()?)).clone()
}

fn load(path: &Path) -> Result<&'static Library> {
    // SAFETY: the initialisers of RocksDB run, which is what we want; the library is leaked, so it is never
    // unloaded; it is the vendor's build of 10.10.1, or ours with the same functions.
    let library = unsafe { Library::new(path) };
    let library = library.map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(&*Box::leak(Box::new(library)))
}

/// What figures are read with.
pub(crate) type ForFigures = (&'static Functions, &'static FigureFunctions);

/// The functions of our own library at `path`, loaded at the first call.
pub(crate) fn our_functions(path: &Path) -> Result<ForFigures> {
    static FOUND: OnceLock<Result<(Functions, FigureFunctions)>> = OnceLock::new();
    let find = || {
        let library = load(path)?;
        // SAFETY: the library has the functions of rocksdb/c.h and stays.
        let found = unsafe { (Functions::find(library), FigureFunctions::find(library)) };
        let text = |e: libloading::Error| e.to_string();
        Ok((found.0.map_err(text)?, found.1.map_err(text)?))
    };
    let found = FOUND.get_or_init(find).as_ref().map_err(Clone::clone)?;
    Ok((&found.0, &found.1))
}

/// The functions that tests of every kind need.
pub(crate) fn functions() -> Result<&'static Functions> {
    static FOUND: OnceLock<Result<Functions>> = OnceLock::new();
    // SAFETY: the library is the vendor's and stays.
    let find = || unsafe { Functions::find(library()?).map_err(|e| e.to_string()) };
    FOUND.get_or_init(find).as_ref().map_err(Clone::clone)
}

/// The functions that tell figures.
pub(crate) fn figure_functions() -> Result<&'static FigureFunctions> {
    static FOUND: OnceLock<Result<FigureFunctions>> = OnceLock::new();
    // SAFETY: as above.
    let find = || unsafe { FigureFunctions::find(library()?).map_err(|e| e.to_string()) };
    FOUND.get_or_init(find).as_ref().map_err(Clone::clone)
}

/// The functions of databases with transactions.
pub(crate) fn transaction_functions() -> Result<&'static TransactionFunctions> {
    static FOUND: OnceLock<Result<TransactionFunctions>> = OnceLock::new();
    // SAFETY: as above.
    let find = || unsafe { TransactionFunctions::find(library()?).map_err(|e| e.to_string()) };
    FOUND.get_or_init(find).as_ref().map_err(Clone::clone)
}

/// Calls `body` with a place for an error text, and takes what it put there.
pub(crate) fn checked<T>(f: &Functions, body: impl FnOnce(Errors) -> T) -> Result<T> {
    let mut error: *mut c_char = null_mut();
    let result = body(&mut error);
    if error.is_null() {
        return Ok(result);
    }
    // SAFETY: a non-null error is a C string that the caller owns.
    unsafe {
        let text = CStr::from_ptr(error).to_string_lossy().into_owned();
        (f.free)(error.cast());
        Err(text)
    }
}

/// Text for C.
pub(crate) fn c_string(text: &str) -> Result<CString> {
    CString::new(text).map_err(|e| e.to_string())
}
