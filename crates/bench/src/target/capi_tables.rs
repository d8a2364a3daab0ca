//! From flags to a library's options of block-based tables.
#![allow(unsafe_code)]

use super::capi_options::set;
use super::capi_symbols::{Object, Symbols};
use crate::flags::Flags;
use std::ffi::{c_char, c_int, c_uchar};

/// As `Builder`, for block-based tables.
pub(super) struct TableBuilder<'a> {
    /// The object; the database's options take it over.
    pub(super) options: Object,
    symbols: &'a Symbols,
    /// Flags without a way to this library.
    pub(super) missing: Vec<&'static str>,
}

impl<'a> TableBuilder<'a> {
    /// Options that the library just made.
    pub(super) fn new(options: Object, symbols: &'a Symbols) -> TableBuilder<'a> {
        TableBuilder { options, symbols, missing: Vec::new() }
    }

    fn miss(&mut self, flag: &'static str) {
        self.missing.push(flag);
    }

    /// Sets what the flags say.
    #[rustfmt::skip]
    pub(super) fn fill(&mut self, f: &Flags) {
        let on = |name| c_uchar::from(f.on(name));
        set!(self, block_based_options_set_block_size, "block_size", f.uint("block_size") as usize);
        let restarts = f.int32("block_restart_interval");
        set!(self, block_based_options_set_block_restart_interval, "block_restart_interval", restarts);
        let restarts = f.int32("index_block_restart_interval");
        set!(self, block_based_options_set_index_block_restart_interval, "index_block_restart_interval", restarts);
        set!(self, block_based_options_set_format_version, "format_version", f.int32("format_version"));
        set!(self, block_based_options_set_checksum, "checksum_type", f.int32("checksum_type") as c_char);
        set!(self, block_based_options_set_whole_key_filtering, "whole_key_filtering", on("whole_key_filtering"));
        let charged = on("cache_index_and_filter_blocks");
        set!(self, block_based_options_set_cache_index_and_filter_blocks, "cache_index_and_filter_blocks", charged);
        let hash = c_int::from(f.on("use_data_block_hash_index"));
        set!(self, block_based_options_set_data_block_index_type, "use_data_block_hash_index", hash);
        let fill = f.double("data_block_hash_table_util_ratio");
        set!(self, block_based_options_set_data_block_hash_ratio, "data_block_hash_table_util_ratio", fill);
        if f.int("bloom_bits") > 0 {
            match self.symbols.filterpolicy_create_bloom_full {
                Some(create) => {
                    // SAFETY: a plain number; the table options take the policy over below.
                    let policy = unsafe { create(f.int("bloom_bits") as f64) };
                    set!(self, block_based_options_set_filter_policy, "bloom_bits", policy);
                }
                None => self.miss("bloom_bits"),
            }
        }
        match self.cache(f) {
            Some(cache) => set!(self, block_based_options_set_block_cache, "cache_size", cache),
            None if f.int("cache_size") <= 0 => {
                set!(self, block_based_options_set_no_block_cache, "cache_size", 1);
            }
            None => self.miss("cache_type"),
        }
    }

    fn cache(&self, f: &Flags) -> Option<Object> {
        let size = f.uint("cache_size") as usize;
        let shards = f.int32("cache_numshardbits");
        if f.int("cache_size") <= 0 {
            return None;
        }
        let s = self.symbols;
        // SAFETY: the objects are live; a cache outlives the options it was made with.
        unsafe {
            if f.text("cache_type") == "lru_cache" {
                let options = (s.lru_cache_options_create?)();
                (s.lru_cache_options_set_capacity?)(options, size);
                (s.lru_cache_options_set_num_shard_bits?)(options, shards);
                return Some((s.cache_create_lru_opts?)(options));
            }
            let fixed = f.text("cache_type") == "fixed_hyper_clock_cache";
            let charge = if fixed { f.uint("block_size") as usize } else { 0 };
            let options = (s.hyper_clock_cache_options_create?)(size, charge);
            (s.hyper_clock_cache_options_set_num_shard_bits?)(options, shards);
            Some((s.cache_create_hyper_clock_opts?)(options))
        }
    }
}
