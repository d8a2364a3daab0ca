//! Setters of `rocksdb_options_t` that take more than one value, and presets that set many options.

use super::cache::rocksdb_cache_t;
use super::env::{rocksdb_dbpath_t, rocksdb_env_t, set_low_and_high_threads};
use super::rocksdb_options_t;
use crate::accessors::codec;
use crate::bytes::{array, path};
use crate::errptr::quiet;
use ferrolith::internal::compress::CompressionType;
use ferrolith::internal::options::{
    ColumnFamilyOptions, CompressionOptions, DbOptions, DbPath, MemtableFactory,
};
use std::ffi::{c_char, c_int};
use std::sync::Arc;

unsafe fn change_db(opt: *mut rocksdb_options_t, change: impl FnOnce(&mut DbOptions)) {
    quiet((), || opt.as_mut().map_or((), |opt| change(&mut opt.inner.db)));
}

unsafe fn change_cf(opt: *mut rocksdb_options_t, change: impl FnOnce(&mut ColumnFamilyOptions)) {
    quiet((), || opt.as_mut().map_or((), |opt| change(&mut opt.inner.cf)));
}

/// Sets the number of concurrent background jobs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_increase_parallelism(
    opt: *mut rocksdb_options_t,
    total_threads: c_int,
) {
    change_db(opt, |db| db.increase_parallelism(total_threads));
    set_low_and_high_threads(total_threads, 1);
}

/// Optimises for point lookups: Bloom filters, hashed data blocks and a cache of this many MiB.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_optimize_for_point_lookup(
    opt: *mut rocksdb_options_t,
    block_cache_size_mb: u64,
) {
    change_cf(opt, |cf| cf.optimize_for_point_lookup(block_cache_size_mb));
}

/// Chooses levels for memtables with this many bytes in total.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_optimize_level_style_compaction(
    opt: *mut rocksdb_options_t,
    memtable_memory_budget: u64,
) {
    change_cf(opt, |cf| cf.optimize_level_style_compaction(memtable_memory_budget));
}

/// Chooses universal compaction for memtables with this many bytes in total.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_optimize_universal_style_compaction(
    opt: *mut rocksdb_options_t,
    memtable_memory_budget: u64,
) {
    change_cf(opt, |cf| cf.optimize_universal_style_compaction(memtable_memory_budget));
}

/// Prepares for bulk loading, with one manual compaction at the end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_prepare_for_bulk_load(opt: *mut rocksdb_options_t) {
    quiet((), || opt.as_mut().map_or((), |opt| opt.inner.prepare_for_bulk_load()));
}

/// Sets a codec for each level. A number without a codec is refused when a database is opened.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_compression_per_level(
    opt: *mut rocksdb_options_t,
    level_values: *const c_int,
    num_levels: usize,
) {
    let numbers = array(level_values, num_levels).iter().map(|&n| n as u8);
    let unnamed = numbers.clone().find(|&n| codec(n).is_none());
    let codecs: Vec<CompressionType> = numbers.map(|n| codec(n).unwrap_or_default()).collect();
    change_cf(opt, |cf| {
        cf.compression_per_level = codecs;
        cf.unnamed.note("compression_per_level", unnamed.map(i64::from));
    });
}

/// Disables compression above a level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_min_level_to_compress(
    opt: *mut rocksdb_options_t,
    level: c_int,
) {
    let Ok(level) = usize::try_from(level) else { return };
    change_cf(opt, |cf| {
        let codec = |at| if at < level { CompressionType::None } else { cf.compression };
        let levels = usize::try_from(cf.num_levels).unwrap_or(0);
        cf.compression_per_level = (0..levels).map(codec).collect();
    });
}

/// Sets a factor for each level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_max_bytes_for_level_multiplier_additional(
    opt: *mut rocksdb_options_t,
    level_values: *mut c_int,
    num_levels: usize,
) {
    let factors = array(level_values, num_levels).to_vec();
    change_cf(opt, |cf| cf.max_bytes_for_level_multiplier_additional = factors);
}

fn set_codec(
    o: &mut CompressionOptions,
    window: c_int,
    level: c_int,
    strategy: c_int,
    dict: c_int,
) {
    o.window_bits = window;
    o.level = level;
    o.strategy = strategy;
    o.max_dict_bytes = dict as u32;
}

/// Sets the codec's options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_compression_options(
    opt: *mut rocksdb_options_t,
    w_bits: c_int,
    level: c_int,
    strategy: c_int,
    max_dict_bytes: c_int,
) {
    change_cf(opt, |cf| {
        set_codec(&mut cf.compression_opts, w_bits, level, strategy, max_dict_bytes);
    });
}

/// Sets the options of the last level's codec.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_bottommost_compression_options(
    opt: *mut rocksdb_options_t,
    w_bits: c_int,
    level: c_int,
    strategy: c_int,
    max_dict_bytes: c_int,
    enabled: u8,
) {
    change_cf(opt, |cf| {
        let last = &mut cf.bottommost_compression_opts;
        set_codec(last, w_bits, level, strategy, max_dict_bytes);
        last.enabled = enabled != 0;
    });
}

/// Sets the bytes of samples for the last level's dictionaries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_bottommost_compression_options_zstd_max_train_bytes(
    opt: *mut rocksdb_options_t,
    zstd_max_train_bytes: c_int,
    enabled: u8,
) {
    change_cf(opt, |cf| {
        cf.bottommost_compression_opts.zstd_max_train_bytes = zstd_max_train_bytes as u32;
        cf.bottommost_compression_opts.enabled = enabled != 0;
    });
}

/// Sets whether the last level's dictionaries are trained.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_bottommost_compression_options_use_zstd_dict_trainer(
    opt: *mut rocksdb_options_t,
    use_zstd_dict_trainer: u8,
    enabled: u8,
) {
    change_cf(opt, |cf| {
        cf.bottommost_compression_opts.use_zstd_dict_trainer = use_zstd_dict_trainer != 0;
        cf.bottommost_compression_opts.enabled = enabled != 0;
    });
}

/// Sets the bytes that are buffered for the last level's dictionaries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_bottommost_compression_options_max_dict_buffer_bytes(
    opt: *mut rocksdb_options_t,
    max_dict_buffer_bytes: u64,
    enabled: u8,
) {
    change_cf(opt, |cf| {
        cf.bottommost_compression_opts.max_dict_buffer_bytes = max_dict_buffer_bytes;
        cf.bottommost_compression_opts.enabled = enabled != 0;
    });
}

/// Uses memtables to which entries are appended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_memtable_vector_rep(opt: *mut rocksdb_options_t) {
    change_cf(opt, |cf| cf.memtable_factory = MemtableFactory::Vector { count: 0 });
}

/// Uses memtables with a skip list per prefix.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_hash_skip_list_rep(
    opt: *mut rocksdb_options_t,
    bucket_count: usize,
    skiplist_height: i32,
    skiplist_branching_factor: i32,
) {
    let factory =
        MemtableFactory::HashSkipList { bucket_count, skiplist_height, skiplist_branching_factor };
    change_cf(opt, |cf| cf.memtable_factory = factory);
}

/// Uses memtables with a linked list per prefix.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_hash_link_list_rep(
    opt: *mut rocksdb_options_t,
    bucket_count: usize,
) {
    change_cf(opt, |cf| cf.memtable_factory = MemtableFactory::HashLinkList { bucket_count });
}

/// Sets the directory of LOG.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_db_log_dir(
    opt: *mut rocksdb_options_t,
    name: *const c_char,
) {
    let dir = path(name);
    change_db(opt, |db| db.db_log_dir = dir);
}

/// Sets the directory of WALs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_wal_dir(
    opt: *mut rocksdb_options_t,
    name: *const c_char,
) {
    let dir = path(name);
    change_db(opt, |db| db.wal_dir = dir);
}

unsafe fn paths(values: *const *const rocksdb_dbpath_t, n: usize) -> Vec<DbPath> {
    array(values, n).iter().filter_map(|p| Some(p.as_ref()?.inner.clone())).collect()
}

/// Sets the directories of tables.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_db_paths(
    opt: *mut rocksdb_options_t,
    path_values: *const *const rocksdb_dbpath_t,
    num_paths: usize,
) {
    let paths = paths(path_values, num_paths);
    change_db(opt, |db| db.db_paths = paths);
}

/// Sets the directories of a column family's tables.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_cf_paths(
    opt: *mut rocksdb_options_t,
    path_values: *const *const rocksdb_dbpath_t,
    num_paths: usize,
) {
    let paths = paths(path_values, num_paths);
    change_cf(opt, |cf| cf.cf_paths = paths);
}

/// Sets the file system. NULL means the operating system's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_env(
    opt: *mut rocksdb_options_t,
    env: *mut rocksdb_env_t,
) {
    let fs = env.as_ref().and_then(|env| env.fs.clone());
    change_db(opt, |db| db.components.file_system = fs);
}

/// Sets a row cache.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_row_cache(
    opt: *mut rocksdb_options_t,
    cache: *mut rocksdb_cache_t,
) {
    if let Some(cache) = cache.as_ref() {
        change_db(opt, |db| db.row_cache = Some(Arc::clone(&cache.cache)));
    }
}

/// Sets a blob cache.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_blob_cache(
    opt: *mut rocksdb_options_t,
    blob_cache: *mut rocksdb_cache_t,
) {
    if let Some(cache) = blob_cache.as_ref() {
        change_cf(opt, |cf| cf.blob_cache = Some(Arc::clone(&cache.cache)));
    }
}
