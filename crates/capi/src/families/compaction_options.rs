//! Options of compaction: styles and calls. Plain settings are generated from `abi.tsv`.

use super::rocksdb_options_t;
use crate::bytes::bound;
use crate::errptr::quiet;
use crate::handles::{destroy, give};
use ferrolith::internal::options::{
    CompactOnDeletion, CompactRangeOptions, FifoCompactionOptions, UniversalCompactionOptions,
};
use std::ffi::c_char;

/// Options of universal compaction.
#[derive(Default)]
pub struct rocksdb_universal_compaction_options_t {
    pub(crate) inner: UniversalCompactionOptions,
}

/// Options of FIFO compaction.
#[derive(Default)]
pub struct rocksdb_fifo_compaction_options_t {
    pub(crate) inner: FifoCompactionOptions,
}

/// Options of a manual compaction.
#[derive(Default)]
pub struct rocksdb_compactoptions_t {
    pub(crate) inner: CompactRangeOptions,
}

/// Creates options with RocksDB's defaults.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_universal_compaction_options_create()
-> *mut rocksdb_universal_compaction_options_t {
    give(rocksdb_universal_compaction_options_t::default())
}

/// Destroys the object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_universal_compaction_options_destroy(
    handle: *mut rocksdb_universal_compaction_options_t,
) {
    destroy(handle);
}

/// Creates options with RocksDB's defaults.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_fifo_compaction_options_create()
-> *mut rocksdb_fifo_compaction_options_t {
    give(rocksdb_fifo_compaction_options_t::default())
}

/// Destroys the object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_fifo_compaction_options_destroy(
    fifo_opts: *mut rocksdb_fifo_compaction_options_t,
) {
    destroy(fifo_opts);
}

/// Copies the current options of universal compaction.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_universal_compaction_options(
    handle: *mut rocksdb_options_t,
    universal: *mut rocksdb_universal_compaction_options_t,
) {
    if let (Some(options), Some(universal)) = (handle.as_mut(), universal.as_ref()) {
        options.inner.cf.compaction_options_universal = universal.inner.clone();
    }
}

/// Copies the current options of FIFO compaction.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_fifo_compaction_options(
    opt: *mut rocksdb_options_t,
    fifo: *mut rocksdb_fifo_compaction_options_t,
) {
    if let (Some(options), Some(fifo)) = (opt.as_mut(), fifo.as_ref()) {
        options.inner.cf.compaction_options_fifo = fifo.inner.clone();
    }
}

/// Creates options of a manual compaction.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactoptions_create() -> *mut rocksdb_compactoptions_t {
    give(rocksdb_compactoptions_t::default())
}

/// Destroys the object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactoptions_destroy(handle: *mut rocksdb_compactoptions_t) {
    destroy(handle);
}

/// Sets the oldest timestamp whose history a compaction keeps; NULL keeps all.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactoptions_set_full_history_ts_low(
    handle: *mut rocksdb_compactoptions_t,
    ts: *mut c_char,
    tslen: usize,
) {
    quiet((), || {
        if let Some(options) = handle.as_mut() {
            options.inner.full_history_ts_low = bound(ts, tslen).map(<[u8]>::to_vec);
        }
    });
}

unsafe fn add_collector(options: *mut rocksdb_options_t, collector: CompactOnDeletion) {
    if let Some(options) = options.as_mut() {
        options.inner.cf.compact_on_deletion.push(collector);
    }
}

/// Marks tables with `num_dels_trigger` tombstones among `window_size` consecutive keys for compaction.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_add_compact_on_deletion_collector_factory(
    handle: *mut rocksdb_options_t,
    window_size: usize,
    num_dels_trigger: usize,
) {
    let settings = CompactOnDeletion {
        window_size,
        deletion_trigger: num_dels_trigger,
        ..CompactOnDeletion::default()
    };
    add_collector(handle, settings);
}

/// Does the same, and marks tables in which the fraction of tombstones is at least `deletion_ratio`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_add_compact_on_deletion_collector_factory_del_ratio(
    handle: *mut rocksdb_options_t,
    window_size: usize,
    num_dels_trigger: usize,
    deletion_ratio: f64,
) {
    let settings = CompactOnDeletion {
        window_size,
        deletion_trigger: num_dels_trigger,
        deletion_ratio,
        ..CompactOnDeletion::default()
    };
    add_collector(handle, settings);
}

/// Does the same for tables of at least `min_file_size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_add_compact_on_deletion_collector_factory_min_file_size(
    handle: *mut rocksdb_options_t,
    window_size: usize,
    num_dels_trigger: usize,
    deletion_ratio: f64,
    min_file_size: u64,
) {
    let deletion_trigger = num_dels_trigger;
    let settings =
        CompactOnDeletion { window_size, deletion_trigger, deletion_ratio, min_file_size };
    add_collector(handle, settings);
}
