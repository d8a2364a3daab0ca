//! Table formats: `rocksdb_block_based_table_options_t`, filters, PlainTable, CuckooTable. Simple accessors are
//! generated from `abi.tsv`.
//!
//! A factory copies the table's options when it is set. Later changes of these options have no effect.

use super::{rocksdb_cache_t, rocksdb_options_t};
use crate::errptr::quiet;
use crate::handles::{destroy, give};
use ferrolith::internal::options::{
    BlockBasedTableOptions, CuckooTableOptions, FilterPolicy, PlainTableEncoding,
    PlainTableOptions, TableFactory,
};
use std::ffi::{c_char, c_int};
use std::sync::Arc;

/// Options of the block-based format.
#[derive(Default)]
pub struct rocksdb_block_based_table_options_t {
    pub(crate) inner: BlockBasedTableOptions,
}

/// Options of CuckooTable.
#[derive(Default)]
pub struct rocksdb_cuckoo_table_options_t {
    pub(crate) inner: CuckooTableOptions,
}

/// The filter of new tables.
pub struct rocksdb_filterpolicy_t {
    policy: FilterPolicy,
}

/// Creates options with RocksDB's defaults.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_block_based_options_create()
-> *mut rocksdb_block_based_table_options_t {
    give(rocksdb_block_based_table_options_t::default())
}

/// Destroys the object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_block_based_options_destroy(
    options: *mut rocksdb_block_based_table_options_t,
) {
    destroy(options);
}

/// Sets the filter and takes ownership: the caller must not destroy it. NULL means no filter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_block_based_options_set_filter_policy(
    options: *mut rocksdb_block_based_table_options_t,
    filter_policy: *mut rocksdb_filterpolicy_t,
) {
    let policy = filter_policy.as_ref().map(|filter| filter.policy);
    destroy(filter_policy);
    if let Some(options) = options.as_mut() {
        options.inner.filter_policy = policy;
    }
}

/// Sets the cache. NULL has no effect.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_block_based_options_set_block_cache(
    options: *mut rocksdb_block_based_table_options_t,
    block_cache: *mut rocksdb_cache_t,
) {
    if let (Some(options), Some(cache)) = (options.as_mut(), block_cache.as_ref()) {
        options.inner.block_cache = Some(Arc::clone(&cache.cache));
    }
}

unsafe fn set_factory(opt: *mut rocksdb_options_t, factory: TableFactory) {
    quiet((), || {
        if let Some(opt) = opt.as_mut() {
            opt.inner.cf.table_factory = factory;
        }
    });
}

/// Makes new tables block-based, with the current values of these options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_block_based_table_factory(
    opt: *mut rocksdb_options_t,
    table_options: *mut rocksdb_block_based_table_options_t,
) {
    if let Some(table) = table_options.as_ref() {
        set_factory(opt, TableFactory::BlockBased(table.inner.clone()));
    }
}

/// Makes new tables PlainTables.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_plain_table_factory(
    opt: *mut rocksdb_options_t,
    user_key_len: u32,
    bloom_bits_per_key: c_int,
    hash_table_ratio: f64,
    index_sparseness: usize,
    huge_page_tlb_size: usize,
    encoding_type: c_char,
    full_scan_mode: u8,
    store_index_in_file: u8,
) {
    let encoding = match encoding_type {
        1 => PlainTableEncoding::Prefix,
        _ => PlainTableEncoding::Plain,
    };
    let table = PlainTableOptions {
        user_key_len,
        bloom_bits_per_key,
        hash_table_ratio,
        index_sparseness,
        huge_page_tlb_size,
        encoding_type: encoding,
        full_scan_mode: full_scan_mode != 0,
        store_index_in_file: store_index_in_file != 0,
    };
    set_factory(opt, TableFactory::Plain(table));
    if let Some(opt) = opt.as_mut() {
        let unnamed = (!(0..=1).contains(&encoding_type)).then_some(encoding_type.into());
        opt.inner.cf.unnamed.note("encoding_type", unnamed);
    }
}

/// Makes new tables CuckooTables.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_cuckoo_table_factory(
    opt: *mut rocksdb_options_t,
    table_options: *mut rocksdb_cuckoo_table_options_t,
) {
    if let Some(table) = table_options.as_ref() {
        set_factory(opt, TableFactory::Cuckoo(table.inner));
    }
}

/// Creates options of CuckooTable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cuckoo_options_create() -> *mut rocksdb_cuckoo_table_options_t {
    give(rocksdb_cuckoo_table_options_t::default())
}

/// Destroys the object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cuckoo_options_destroy(
    options: *mut rocksdb_cuckoo_table_options_t,
) {
    destroy(options);
}

fn bloom(bits_per_key: f64) -> *mut rocksdb_filterpolicy_t {
    give(rocksdb_filterpolicy_t { policy: FilterPolicy::Bloom { bits_per_key } })
}

fn ribbon(bits_per_key: f64, bloom_before_level: c_int) -> *mut rocksdb_filterpolicy_t {
    give(rocksdb_filterpolicy_t {
        policy: FilterPolicy::Ribbon { bits_per_key, bloom_before_level },
    })
}

/// Creates a Bloom filter policy with this many bits per key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_filterpolicy_create_bloom(
    bits_per_key: f64,
) -> *mut rocksdb_filterpolicy_t {
    bloom(bits_per_key)
}

/// Does the same: filters always cover whole files.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_filterpolicy_create_bloom_full(
    bits_per_key: f64,
) -> *mut rocksdb_filterpolicy_t {
    bloom(bits_per_key)
}

/// Creates a Ribbon filter policy that is as accurate as a Bloom filter with this many bits per key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_filterpolicy_create_ribbon(
    bloom_equivalent_bits_per_key: f64,
) -> *mut rocksdb_filterpolicy_t {
    ribbon(bloom_equivalent_bits_per_key, -1)
}

/// Creates a policy with Ribbon filters from a level on, and Bloom filters above it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_filterpolicy_create_ribbon_hybrid(
    bloom_equivalent_bits_per_key: f64,
    bloom_before_level: c_int,
) -> *mut rocksdb_filterpolicy_t {
    ribbon(bloom_equivalent_bits_per_key, bloom_before_level)
}

/// Destroys a filter that was not handed to options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_filterpolicy_destroy(handle: *mut rocksdb_filterpolicy_t) {
    destroy(handle);
}
