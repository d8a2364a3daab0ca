//! The data of events, which listeners read field by field.
//!
//! The data belongs to the engine and is valid during the callback that gets it. Texts that the functions return are
//! valid as long, and are not NUL-terminated.

use crate::bytes::put;
use crate::errptr::save;
use ferrolith::internal::hooks::{
    CompactionJobInfo, ExternalFileIngestionInfo, FlushJobInfo, MemTableInfo, SubcompactionJobInfo,
    WriteStallCondition, WriteStallInfo,
};
use ferrolith::{Error, Result};
use std::ffi::{c_char, c_int, c_uchar};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr;

/// The data of an event as C sees it: the same object behind an opaque name.
macro_rules! infos {
    ($($(#[$doc:meta])* $name:ident: $inner:ty;)*) => {$(
        $(#[$doc])*
        #[repr(transparent)]
        pub struct $name($inner);

        impl $name {
            pub(crate) fn of(info: &$inner) -> &$name {
                // SAFETY: the type is transparent, so both have the same layout; the lifetime is kept.
                unsafe { &*ptr::from_ref(info).cast() }
            }
        }
    )*};
}

infos! {
    /// A flush.
    rocksdb_flushjobinfo_t: FlushJobInfo;
    /// A compaction.
    rocksdb_compactionjobinfo_t: CompactionJobInfo;
    /// A sub-compaction.
    rocksdb_subcompactionjobinfo_t: SubcompactionJobInfo;
    /// A file that was ingested.
    rocksdb_externalfileingestioninfo_t: ExternalFileIngestionInfo;
    /// A change of stalls.
    rocksdb_writestallinfo_t: WriteStallInfo;
    /// A stall condition: a number, as in RocksDB.
    rocksdb_writestallcondition_t: WriteStallCondition;
    /// A memtable that was sealed.
    rocksdb_memtableinfo_t: MemTableInfo;
}

/// An error that a listener may clear.
pub struct rocksdb_status_ptr_t {
    pub(crate) inner: Option<Error>,
}

/// Returns bytes that are valid as long as the data.
unsafe fn lend(bytes: &[u8], len: *mut usize) -> *const c_char {
    put(len, bytes.len());
    bytes.as_ptr().cast()
}

unsafe fn lend_path(path: &Path, len: *mut usize) -> *const c_char {
    lend(path.as_os_str().as_bytes(), len)
}

unsafe fn lend_file(files: &[PathBuf], at: usize, len: *mut usize) -> *const c_char {
    match files.get(at) {
        Some(path) => lend_path(path, len),
        None => {
            put(len, 0);
            ptr::null()
        }
    }
}

unsafe fn tell(status: &Result<()>, errptr: *mut *mut c_char) {
    if let Err(e) = status {
        save(errptr, e);
    }
}

/// Returns the error as text; empty if a listener has cleared it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_status_ptr_get_error(
    status: *mut rocksdb_status_ptr_t,
    errptr: *mut *mut c_char,
) {
    if let Some(error) = status.as_ref().and_then(|status| status.inner.as_ref()) {
        save(errptr, error);
    }
}

/// Clears the error: writes continue.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_reset_status(status_ptr: *mut rocksdb_status_ptr_t) {
    if let Some(status) = status_ptr.as_mut() {
        status.inner = None;
    }
}

/// A flush: the column family's name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_flushjobinfo_cf_name(
    handle: *const rocksdb_flushjobinfo_t,
    len: *mut usize,
) -> *const c_char {
    lend((*handle).0.cf_name.as_bytes(), len)
}

/// A flush: the table's path.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_flushjobinfo_file_path(
    handle: *const rocksdb_flushjobinfo_t,
    len: *mut usize,
) -> *const c_char {
    lend_path(&(*handle).0.file_path, len)
}

/// A flush: whether level 0 delays writers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_flushjobinfo_triggered_writes_slowdown(
    handle: *const rocksdb_flushjobinfo_t,
) -> c_uchar {
    u8::from((*handle).0.triggered_writes_slowdown)
}

/// A flush: whether level 0 stops writers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_flushjobinfo_triggered_writes_stop(
    handle: *const rocksdb_flushjobinfo_t,
) -> c_uchar {
    u8::from((*handle).0.triggered_writes_stop)
}

/// A flush: the newest sequence number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_flushjobinfo_largest_seqno(
    handle: *const rocksdb_flushjobinfo_t,
) -> u64 {
    (*handle).0.largest_seqno
}

/// A flush: the oldest sequence number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_flushjobinfo_smallest_seqno(
    handle: *const rocksdb_flushjobinfo_t,
) -> u64 {
    (*handle).0.smallest_seqno
}

/// A flush: why it was started.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_flushjobinfo_flush_reason(
    handle: *const rocksdb_flushjobinfo_t,
) -> u32 {
    (*handle).0.flush_reason as u32
}

/// A compaction: its status; empty if it succeeded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionjobinfo_status(
    info: *const rocksdb_compactionjobinfo_t,
    errptr: *mut *mut c_char,
) {
    tell(&(*info).0.status, errptr);
}

/// A compaction: the column family's name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionjobinfo_cf_name(
    handle: *const rocksdb_compactionjobinfo_t,
    len: *mut usize,
) -> *const c_char {
    lend((*handle).0.cf_name.as_bytes(), len)
}

/// A compaction: the number of files that it reads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionjobinfo_input_files_count(
    handle: *const rocksdb_compactionjobinfo_t,
) -> usize {
    (*handle).0.input_files.len()
}

/// A compaction: a file that it reads; NULL if there are fewer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionjobinfo_input_file_at(
    handle: *const rocksdb_compactionjobinfo_t,
    pos: usize,
    len: *mut usize,
) -> *const c_char {
    lend_file(&(*handle).0.input_files, pos, len)
}

/// A compaction: the number of files that it wrote.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionjobinfo_output_files_count(
    handle: *const rocksdb_compactionjobinfo_t,
) -> usize {
    (*handle).0.output_files.len()
}

/// A compaction: a file that it wrote; NULL if there are fewer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionjobinfo_output_file_at(
    handle: *const rocksdb_compactionjobinfo_t,
    pos: usize,
    len: *mut usize,
) -> *const c_char {
    lend_file(&(*handle).0.output_files, pos, len)
}

/// A compaction: how long it took.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionjobinfo_elapsed_micros(
    handle: *const rocksdb_compactionjobinfo_t,
) -> u64 {
    (*handle).0.stats.elapsed_micros
}

/// A compaction: keys that could not be parsed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionjobinfo_num_corrupt_keys(
    handle: *const rocksdb_compactionjobinfo_t,
) -> u64 {
    (*handle).0.stats.num_corrupt_keys
}

/// A compaction: the first input level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionjobinfo_base_input_level(
    handle: *const rocksdb_compactionjobinfo_t,
) -> c_int {
    (*handle).0.base_input_level
}

/// A compaction: the output level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionjobinfo_output_level(
    handle: *const rocksdb_compactionjobinfo_t,
) -> c_int {
    (*handle).0.output_level
}

/// A compaction: entries read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionjobinfo_input_records(
    handle: *const rocksdb_compactionjobinfo_t,
) -> u64 {
    (*handle).0.stats.num_input_records
}

/// A compaction: entries written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionjobinfo_output_records(
    handle: *const rocksdb_compactionjobinfo_t,
) -> u64 {
    (*handle).0.stats.num_output_records
}

/// A compaction: bytes read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionjobinfo_total_input_bytes(
    handle: *const rocksdb_compactionjobinfo_t,
) -> u64 {
    (*handle).0.stats.total_input_bytes
}

/// A compaction: bytes written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionjobinfo_total_output_bytes(
    handle: *const rocksdb_compactionjobinfo_t,
) -> u64 {
    (*handle).0.stats.total_output_bytes
}

/// A compaction: why it was picked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionjobinfo_compaction_reason(
    handle: *const rocksdb_compactionjobinfo_t,
) -> u32 {
    (*handle).0.compaction_reason as u32
}

/// A compaction: files read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionjobinfo_num_input_files(
    handle: *const rocksdb_compactionjobinfo_t,
) -> usize {
    (*handle).0.stats.num_input_files
}

/// A compaction: files read from the output level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionjobinfo_num_input_files_at_output_level(
    handle: *const rocksdb_compactionjobinfo_t,
) -> usize {
    (*handle).0.stats.num_input_files_at_output_level
}

/// A sub-compaction: its status; empty if it succeeded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_subcompactionjobinfo_status(
    info: *const rocksdb_subcompactionjobinfo_t,
    errptr: *mut *mut c_char,
) {
    tell(&(*info).0.status, errptr);
}

/// A sub-compaction: the column family's name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_subcompactionjobinfo_cf_name(
    handle: *const rocksdb_subcompactionjobinfo_t,
    len: *mut usize,
) -> *const c_char {
    lend((*handle).0.cf_name.as_bytes(), len)
}

/// A sub-compaction: the thread that runs it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_subcompactionjobinfo_thread_id(
    handle: *const rocksdb_subcompactionjobinfo_t,
) -> u64 {
    (*handle).0.thread_id
}

/// A sub-compaction: the first input level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_subcompactionjobinfo_base_input_level(
    handle: *const rocksdb_subcompactionjobinfo_t,
) -> c_int {
    (*handle).0.base_input_level
}

/// A sub-compaction: the output level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_subcompactionjobinfo_output_level(
    handle: *const rocksdb_subcompactionjobinfo_t,
) -> c_int {
    (*handle).0.output_level
}

/// A sub-compaction: why the compaction was picked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_subcompactionjobinfo_compaction_reason(
    handle: *const rocksdb_subcompactionjobinfo_t,
) -> u32 {
    (*handle).0.compaction_reason as u32
}

/// An ingested file: the column family's name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_externalfileingestioninfo_cf_name(
    handle: *const rocksdb_externalfileingestioninfo_t,
    len: *mut usize,
) -> *const c_char {
    lend((*handle).0.cf_name.as_bytes(), len)
}

/// An ingested file: the table's path.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_externalfileingestioninfo_internal_file_path(
    handle: *const rocksdb_externalfileingestioninfo_t,
    len: *mut usize,
) -> *const c_char {
    lend_path(&(*handle).0.internal_file_path, len)
}

/// A change of stalls: the column family's name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writestallinfo_cf_name(
    handle: *const rocksdb_writestallinfo_t,
    len: *mut usize,
) -> *const c_char {
    lend((*handle).0.cf_name.as_bytes(), len)
}

/// A change of stalls: the current condition.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writestallinfo_cur(
    handle: *const rocksdb_writestallinfo_t,
) -> *const rocksdb_writestallcondition_t {
    rocksdb_writestallcondition_t::of(&(*handle).0.cur)
}

/// A change of stalls: the previous condition.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writestallinfo_prev(
    handle: *const rocksdb_writestallinfo_t,
) -> *const rocksdb_writestallcondition_t {
    rocksdb_writestallcondition_t::of(&(*handle).0.prev)
}

/// A sealed memtable: the column family's name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_memtableinfo_cf_name(
    handle: *const rocksdb_memtableinfo_t,
    len: *mut usize,
) -> *const c_char {
    lend((*handle).0.cf_name.as_bytes(), len)
}

/// A sealed memtable: its first sequence number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_memtableinfo_first_seqno(
    handle: *const rocksdb_memtableinfo_t,
) -> u64 {
    (*handle).0.first_seqno
}

/// A sealed memtable: a sequence number that no entry is older than.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_memtableinfo_earliest_seqno(
    handle: *const rocksdb_memtableinfo_t,
) -> u64 {
    (*handle).0.earliest_seqno
}

/// A sealed memtable: its entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_memtableinfo_num_entries(
    handle: *const rocksdb_memtableinfo_t,
) -> u64 {
    (*handle).0.num_entries
}

/// A sealed memtable: its tombstones.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_memtableinfo_num_deletes(
    handle: *const rocksdb_memtableinfo_t,
) -> u64 {
    (*handle).0.num_deletes
}
