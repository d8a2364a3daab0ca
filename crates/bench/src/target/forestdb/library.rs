//! A shared library with ForestDB's C functions, and the settings that its databases are opened with.
//!
//! The types are those of `forestdb.h` and `fdb_types.h`. `fdb_config` is returned by value and has no version of its
//! own. Its fields up to `encryption_key` are the same in the tags v1.0 to v1.2 and in the branches `cb-master`
//! (8901b10) and `master` (e1f60eb); the fields of block reuse, which follow, exist in libraries that also export
//! `fdb_set_block_reusing_params`. What follows these is kept as the library returned it. The offsets on systems with
//! pointers of 64 bits:
//!
//! ```text
//!   0 chunksize                24 wal_flush_before_commit   44 cleanup_cache_onclose    80 num_wal_partitions
//!   4 blocksize                25 auto_commit               45 compress_document_body   82 num_bcache_partitions
//!   8 buffercache_size         28 purging_interval          46 compaction_mode          88 compaction_cb .. _ctx
//!  16 wal_threshold            32 seqtree_opt               47 compaction_threshold    112 max_writer_lock_prob
//!                              33 durability_opt            48 compaction_minimum_..   120 num_compactor_threads
//!                              36 flags                     56 compactor_sleep_..      128 num_bgflusher_threads
//!                              40 compaction_buf_maxsize    64 multi_kv_instances      136 encryption_key
//!                                                           72 prefetch_duration       176 block_reusing_threshold
//! ```
//!
//! A library whose defaults differ in a field that no version has changed is refused: its struct has another layout.
#![allow(unsafe_code)]

use super::Result;
use super::options::Settings;
use crate::target::symbols::{self, symbols};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An opaque object of the library.
pub(super) type Object = *mut c_void;
/// `fdb_status`: 0 is success, errors are negative.
pub(super) type Status = c_int;

type Bytes = *const c_void;
type Text = *const c_char;

/// `fdb_config`. Booleans are numbers and pointers are addresses, so that every pattern of bits is valid.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Config {
    chunksize: u16,
    blocksize: u32,
    buffercache_size: u64,
    wal_threshold: u64,
    wal_flush_before_commit: u8,
    auto_commit: u8,
    purging_interval: u32,
    seqtree_opt: u8,
    durability_opt: u8,
    flags: u32,
    compaction_buf_maxsize: u32,
    cleanup_cache_onclose: u8,
    compress_document_body: u8,
    compaction_mode: u8,
    compaction_threshold: u8,
    compaction_minimum_filesize: u64,
    compactor_sleep_duration: u64,
    multi_kv_instances: u8,
    prefetch_duration: u64,
    num_wal_partitions: u16,
    num_bcache_partitions: u16,
    compaction_cb: usize,
    compaction_cb_mask: u32,
    compaction_cb_ctx: usize,
    max_writer_lock_prob: usize,
    num_compactor_threads: usize,
    num_bgflusher_threads: usize,
    encryption_algorithm: c_int,
    encryption_bytes: [u8; 32],
    block_reusing_threshold: MaybeUninit<usize>,
    num_keeping_headers: MaybeUninit<usize>,
    /// More room than the fields of any version take.
    rest: [MaybeUninit<u64>; 64],
}

/// `fdb_file_info`.
#[repr(C)]
pub(super) struct FileInfo {
    pub(super) filename: Text,
    /// The file that a running compaction writes, otherwise null.
    pub(super) new_filename: Text,
    pub(super) doc_count: u64,
    pub(super) deleted_count: u64,
    pub(super) space_used: u64,
    pub(super) file_size: u64,
    pub(super) num_kv_stores: usize,
}

/// `fdb_doc`.
#[repr(C)]
pub(super) struct Doc {
    pub(super) keylen: usize,
    pub(super) metalen: usize,
    pub(super) bodylen: usize,
    pub(super) size_ondisk: usize,
    pub(super) key: *mut c_void,
    pub(super) seqnum: u64,
    pub(super) offset: u64,
    pub(super) meta: *mut c_void,
    pub(super) body: *mut c_void,
    pub(super) deleted: u8,
    pub(super) flags: u32,
}

symbols! {
    prefix "fdb_";
    required {
        get_default_config: fn() -> Config;
        get_lib_version: fn() -> Text;
        error_msg: fn(Status) -> Text;
        open: fn(*mut Object, Text, *mut Config) -> Status;
        close: fn(Object) -> Status;
        shutdown: fn() -> Status;
        kvs_open_default: fn(Object, *mut Object, *mut c_void) -> Status;
        kvs_close: fn(Object) -> Status;
        get_kv: fn(Object, Bytes, usize, *mut *mut c_void, *mut usize) -> Status;
        set_kv: fn(Object, Bytes, usize, Bytes, usize) -> Status;
        del_kv: fn(Object, Bytes, usize) -> Status;
        free_block: fn(*mut c_void) -> Status;
        commit: fn(Object, u8) -> Status;
        compact: fn(Object, Text) -> Status;
        get_file_info: fn(Object, *mut FileInfo) -> Status;
        snapshot_open: fn(Object, *mut Object, u64) -> Status;
        iterator_init: fn(Object, *mut Object, Bytes, usize, Bytes, usize, u16) -> Status;
        iterator_seek: fn(Object, Bytes, usize, u8) -> Status;
        iterator_next: fn(Object) -> Status;
        iterator_prev: fn(Object) -> Status;
        iterator_get: fn(Object, *mut *mut Doc) -> Status;
        iterator_close: fn(Object) -> Status;
        doc_free: fn(*mut Doc) -> Status;
    }
    optional {
        set_block_reusing_params: fn(Object, usize, usize) -> Status;
    }
}

/// How a handle commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Commit {
    /// Each write commits, and a commit is synced.
    Synced,
    /// Each write commits; nothing is synced.
    Unsynced,
    /// The library commits when its WAL index is full, without a sync.
    Auto,
}

/// The loaded library.
pub(super) struct Library {
    pub(super) symbols: Symbols,
    defaults: Config,
    path: PathBuf,
}

impl Library {
    /// Loads the library, which stays loaded until the process ends. Refuses a file without one of the functions, and
    /// an unknown layout of `fdb_config`.
    pub(super) fn load(path: &Path) -> Result<Arc<Library>> {
        let fail = |error: String| format!("--engine_lib={}: {error}", path.display());
        let library = symbols::load(path, "docs/engines.md says how to build ForestDB's library");
        let symbols = library.and_then(Symbols::find).map_err(fail)?;
        // SAFETY: the function only fills the struct, of which `Config` is longer than any version.
        let defaults = unsafe { (symbols.get_default_config)() };
        let library = Arc::new(Library { symbols, defaults, path: path.to_owned() });
        // One more reference: the library has threads of its own, and values are freed by its functions.
        std::mem::forget(Arc::clone(&library));
        let block_reuse = library.block_reusing_threshold(&library.defaults);
        check_defaults(&library.defaults, block_reuse).map_err(fail)?;
        Ok(library)
    }

    /// Returns the library's version, as `git describe` named it when it was built, and its path.
    pub(super) fn version(&self) -> (String, &Path) {
        // SAFETY: the function returns a constant C string, or null.
        let version = unsafe { text((self.symbols.get_lib_version)()) };
        (version.unwrap_or_else(|| "unknown".to_owned()), &self.path)
    }

    /// Returns `status` as a result; `what` is the function that returned it.
    pub(super) fn result(&self, what: &str, status: Status) -> Result<()> {
        if status == 0 {
            return Ok(());
        }
        // SAFETY: the function returns a constant C string for any number.
        let message = unsafe { text((self.symbols.error_msg)(status)) };
        Err(format!("ForestDB: {what}: {} ({status})", message.unwrap_or_default()))
    }

    /// Ends the library's threads and frees its cache. All databases must be closed.
    pub(super) fn shutdown(&self) -> Result<()> {
        // SAFETY: the function has no arguments and refuses while a database is open.
        self.result("fdb_shutdown", unsafe { (self.symbols.shutdown)() })
    }

    /// Returns the value of `block_reusing_threshold` if the library has the field.
    fn block_reusing_threshold(&self, config: &Config) -> Option<u64> {
        let exists = self.symbols.set_block_reusing_params.is_some();
        // SAFETY: a library with that function fills the field.
        exists.then(|| unsafe { config.block_reusing_threshold.assume_init() } as u64)
    }

    /// Returns the settings for a handle.
    pub(super) fn config(&self, settings: &Settings, commit: Commit) -> Result<Config> {
        let mut config = self.defaults;
        config.buffercache_size = settings.cache_size;
        if let Some(bytes) = settings.block_size {
            config.blocksize = bytes;
        }
        config.compress_document_body = u8::from(settings.compression);
        // FDB_COMPACTION_AUTO. There is one store in a file, as in ForestDB-Benchmark.
        (config.compaction_mode, config.multi_kv_instances) = (1, 0);
        config.auto_commit = u8::from(commit == Commit::Auto);
        // FDB_DRB_NONE and FDB_DRB_ASYNC.
        config.durability_opt = if commit == Commit::Synced { 0 } else { 2 };
        for (name, number) in &settings.options {
            self.set(&mut config, name, *number)?;
        }
        Ok(config)
    }

    /// Sets one of the options in `options.rs`, which has checked its range.
    fn set(&self, config: &mut Config, name: &str, number: u64) -> Result<()> {
        match name {
            "wal_threshold" => config.wal_threshold = number,
            "compaction_threshold" => config.compaction_threshold = number as u8,
            "compaction_minimum_filesize" => config.compaction_minimum_filesize = number,
            "compactor_sleep_duration" => config.compactor_sleep_duration = number,
            "num_compactor_threads" => config.num_compactor_threads = number as usize,
            "num_wal_partitions" => config.num_wal_partitions = number as u16,
            "num_bcache_partitions" => config.num_bcache_partitions = number as u16,
            "prefetch_duration" => config.prefetch_duration = number,
            "block_reusing_threshold" if self.block_reusing_threshold(config).is_some() => {
                config.block_reusing_threshold = MaybeUninit::new(number as usize);
            }
            _ => return Err(format!("--forestdb_options: this library has no option {name}")),
        }
        Ok(())
    }
}

/// Checks fields from the first to the last one in use, whose defaults no version has changed.
fn check_defaults(config: &Config, block_reuse: Option<u64>) -> Result<()> {
    let fields = [
        ("chunksize", u64::from(config.chunksize), 8),
        ("blocksize", u64::from(config.blocksize), 4096),
        ("buffercache_size", config.buffercache_size, 128 << 20),
        ("wal_flush_before_commit", u64::from(config.wal_flush_before_commit), 1),
        ("auto_commit", u64::from(config.auto_commit), 0),
        ("durability_opt", u64::from(config.durability_opt), 0),
        ("flags", u64::from(config.flags), 1),
        ("compress_document_body", u64::from(config.compress_document_body), 0),
        ("compaction_mode", u64::from(config.compaction_mode), 0),
        ("compaction_threshold", u64::from(config.compaction_threshold), 30),
        ("compaction_minimum_filesize", config.compaction_minimum_filesize, 1 << 20),
        ("compactor_sleep_duration", config.compactor_sleep_duration, 28_800),
        ("multi_kv_instances", u64::from(config.multi_kv_instances), 1),
        ("max_writer_lock_prob", config.max_writer_lock_prob as u64, 100),
        ("num_compactor_threads", config.num_compactor_threads as u64, 4),
        ("block_reusing_threshold", block_reuse.unwrap_or(65), 65),
    ];
    match fields.into_iter().find(|(_, found, expected)| found != expected) {
        None => Ok(()),
        Some((field, found, expected)) => Err(format!(
            "fdb_get_default_config() returns {found} as {field}, expected {expected}: this \
             tool does not know the library's struct fdb_config; use a library that was built \
             as docs/engines.md says"
        )),
    }
}

/// Copies a C string.
///
/// # Safety
/// `text` is null or a C string.
unsafe fn text(text: Text) -> Option<String> {
    // SAFETY: the caller guarantees it.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

#[cfg(test)]
#[path = "library_test.rs"]
mod tests;
