//! From flags to a library's options object.
//!
//! What RocksDB's db_bench sets is set here, with its defaults, so that no engine runs with its own.
//! Options without a C function go through `get_options_from_string`.
#![allow(unsafe_code)]

use super::capi_symbols::{Object, Symbols};
use super::capi_tables::TableBuilder;
use crate::flags::{Fate, Flags, TABLES};
use std::ffi::{CString, c_char, c_int, c_uchar};
use std::ptr::null_mut;

/// Builds an options object and remembers what the library could not be told.
pub(super) struct Builder<'a> {
    symbols: &'a Symbols,
    flags: &'a Flags,
    options: Object,
    /// Flags without a way to this library.
    pub(super) missing: Vec<&'static str>,
}

/// `set!(builder, setter, "flag", value)`: calls the setter if the library has it.
macro_rules! set {
    ($builder:ident, $setter:ident, $flag:literal, $value:expr) => {
        match $builder.symbols.$setter {
            // SAFETY: the options object is live, and the value has the setter's type.
            Some(setter) => unsafe { setter($builder.options, $value) },
            None => $builder.miss($flag),
        }
    };
}
pub(super) use set;

impl<'a> Builder<'a> {
    /// Options with nothing set.
    pub(super) fn new(symbols: &'a Symbols, flags: &'a Flags) -> Builder<'a> {
        // SAFETY: no arguments; the object lives until the process ends.
        let options = unsafe { (symbols.options_create)() };
        Builder { symbols, flags, options, missing: Vec::new() }
    }

    /// Options as the flags say.
    pub(super) fn build(mut self) -> Result<(Object, Vec<&'static str>), String> {
        // SAFETY: the options object is live.
        unsafe { (self.symbols.options_set_create_if_missing)(self.options, 1) };
        self.numbers();
        self.sizes();
        self.switches();
        self.compression();
        self.memtable();
        self.tables()?;
        self.rest()?;
        Ok((self.options, self.missing))
    }

    /// Only what is given or differs from RocksDB's own default is worth a notice.
    fn miss(&mut self, flag: &'static str) {
        if self.flags.is_given(flag) {
            self.missing.push(flag);
        }
    }

    #[rustfmt::skip]
    fn numbers(&mut self) {
        let f = self.flags;
        set!(self, options_set_num_levels, "num_levels", f.int32("num_levels"));
        set!(self, options_set_max_open_files, "open_files", f.int32("open_files"));
        let threads = f.int32("file_opening_threads");
        set!(self, options_set_max_file_opening_threads, "file_opening_threads", threads);
        let buffers = f.int32("max_write_buffer_number");
        set!(self, options_set_max_write_buffer_number, "max_write_buffer_number", buffers);
        let merge = f.int32("min_write_buffer_number_to_merge");
        set!(self, options_set_min_write_buffer_number_to_merge, "min_write_buffer_number_to_merge", merge);
        let growth = f.int32("target_file_size_multiplier");
        set!(self, options_set_target_file_size_multiplier, "target_file_size_multiplier", growth);
        let trigger = f.int32("level0_file_num_compaction_trigger");
        set!(self, options_set_level0_file_num_compaction_trigger, "level0_file_num_compaction_trigger", trigger);
        let slow = f.int32("level0_slowdown_writes_trigger");
        set!(self, options_set_level0_slowdown_writes_trigger, "level0_slowdown_writes_trigger", slow);
        let stop = f.int32("level0_stop_writes_trigger");
        set!(self, options_set_level0_stop_writes_trigger, "level0_stop_writes_trigger", stop);
        let jobs = f.int32("max_background_jobs");
        set!(self, options_set_max_background_jobs, "max_background_jobs", jobs);
        let compactions = f.int32("max_background_compactions");
        set!(self, options_set_max_background_compactions, "max_background_compactions", compactions);
        let flushes = f.int32("max_background_flushes");
        set!(self, options_set_max_background_flushes, "max_background_flushes", flushes);
        set!(self, options_set_compaction_style, "compaction_style", f.int32("compaction_style"));
        set!(self, options_set_compaction_pri, "compaction_pri", f.int32("compaction_pri"));
        set!(self, options_set_max_subcompactions, "subcompactions", f.int32("subcompactions") as u32);
        let dump = f.int32("stats_dump_period_sec") as u32;
        set!(self, options_set_stats_dump_period_sec, "stats_dump_period_sec", dump);
        let growth = f.double("max_bytes_for_level_multiplier");
        set!(self, options_set_max_bytes_for_level_multiplier, "max_bytes_for_level_multiplier", growth);
        let bloom = f.double("memtable_bloom_size_ratio");
        set!(self, options_set_memtable_prefix_bloom_size_ratio, "memtable_bloom_size_ratio", bloom);
        set!(self, options_set_bloom_locality, "bloom_locality", f.int32("bloom_locality") as u32);
    }

    #[rustfmt::skip]
    fn sizes(&mut self) {
        let f = self.flags;
        let size = |name| f.uint(name) as usize;
        set!(self, options_set_write_buffer_size, "write_buffer_size", size("write_buffer_size"));
        set!(self, options_set_db_write_buffer_size, "db_write_buffer_size", size("db_write_buffer_size"));
        set!(self, options_set_arena_block_size, "arena_block_size", size("arena_block_size"));
        set!(self, options_set_max_successive_merges, "max_successive_merges", size("max_successive_merges"));
        set!(self, options_set_max_manifest_file_size, "max_manifest_file_size", size("max_manifest_file_size"));
        let soft = size("soft_pending_compaction_bytes_limit");
        set!(self, options_set_soft_pending_compaction_bytes_limit, "soft_pending_compaction_bytes_limit", soft);
        let hard = size("hard_pending_compaction_bytes_limit");
        set!(self, options_set_hard_pending_compaction_bytes_limit, "hard_pending_compaction_bytes_limit", hard);
        set!(self, options_set_target_file_size_base, "target_file_size_base", f.uint("target_file_size_base"));
        set!(self, options_set_max_bytes_for_level_base, "max_bytes_for_level_base", f.uint("max_bytes_for_level_base"));
        set!(self, options_set_max_compaction_bytes, "max_compaction_bytes", f.uint("max_compaction_bytes"));
        set!(self, options_set_periodic_compaction_seconds, "periodic_compaction_seconds", f.uint("periodic_compaction_seconds"));
        set!(self, options_set_ttl, "ttl_seconds", f.uint("ttl_seconds"));
        set!(self, options_set_bytes_per_sync, "bytes_per_sync", f.uint("bytes_per_sync"));
        set!(self, options_set_wal_bytes_per_sync, "wal_bytes_per_sync", f.uint("wal_bytes_per_sync"));
        set!(self, options_set_max_total_wal_size, "max_total_wal_size", f.uint("max_total_wal_size"));
        set!(self, options_set_WAL_ttl_seconds, "wal_ttl_seconds", f.uint("wal_ttl_seconds"));
        set!(self, options_set_WAL_size_limit_MB, "wal_size_limit_MB", f.uint("wal_size_limit_MB"));
        let keep = f.int("max_write_buffer_size_to_maintain");
        set!(self, options_set_max_write_buffer_size_to_maintain, "max_write_buffer_size_to_maintain", keep);
        if f.is_given("delete_obsolete_files_period_micros") {
            let period = f.uint("delete_obsolete_files_period_micros");
            set!(self, options_set_delete_obsolete_files_period_micros, "delete_obsolete_files_period_micros", period);
        }
    }

    #[rustfmt::skip]
    fn switches(&mut self) {
        let f = self.flags;
        let on = |name| c_uchar::from(f.on(name));
        let int = |name| c_int::from(f.on(name));
        let dynamic = on("level_compaction_dynamic_level_bytes");
        set!(self, options_set_level_compaction_dynamic_level_bytes, "level_compaction_dynamic_level_bytes", dynamic);
        set!(self, options_set_allow_mmap_reads, "mmap_read", on("mmap_read"));
        set!(self, options_set_allow_mmap_writes, "mmap_write", on("mmap_write"));
        set!(self, options_set_paranoid_checks, "paranoid_checks", on("paranoid_checks"));
        set!(self, options_set_manual_wal_flush, "manual_wal_flush", on("manual_wal_flush"));
        set!(self, options_set_inplace_update_support, "inplace_update_support", on("inplace_update_support"));
        set!(self, options_set_enable_pipelined_write, "enable_pipelined_write", on("enable_pipelined_write"));
        let whole = on("memtable_whole_key_filtering");
        set!(self, options_set_memtable_whole_key_filtering, "memtable_whole_key_filtering", whole);
        let concurrent = c_uchar::from(super::concurrent_memtable_write(f));
        set!(self, options_set_allow_concurrent_memtable_write, "allow_concurrent_memtable_write", concurrent);
        set!(self, options_set_use_fsync, "use_fsync", int("use_fsync"));
        set!(self, options_set_optimize_filters_for_hits, "optimize_filters_for_hits", int("optimize_filters_for_hits"));
        set!(self, options_set_disable_auto_compactions, "disable_auto_compactions", int("disable_auto_compactions"));
        if f.on("statistics") {
            match self.symbols.options_enable_statistics {
                // SAFETY: the options object is live.
                Some(enable) => unsafe { enable(self.options) },
                None => self.missing.push("statistics"),
            }
            set!(self, options_set_statistics_level, "stats_level", f.int32("stats_level"));
        }
    }

    fn compression(&mut self) {
        let f = self.flags;
        let codec = super::codec_number(f.text("compression_type"));
        set!(self, options_set_compression, "compression_type", c_int::from(codec));
        if let Some(setter) = self.symbols.options_set_compression_options {
            let dictionary = f.int32("compression_max_dict_bytes");
            // SAFETY: the options object is live; window bits, level, strategy, bytes of dictionary.
            unsafe { setter(self.options, -14, f.int32("compression_level"), 0, dictionary) };
        } else {
            self.miss("compression_level");
        }
        if f.int("compression_max_dict_bytes") > 0 {
            let train = f.int32("compression_zstd_max_train_bytes");
            set!(
                self,
                options_set_compression_options_zstd_max_train_bytes,
                "compression_zstd_max_train_bytes",
                train
            );
            let held = f.uint("compression_max_dict_buffer_bytes");
            set!(
                self,
                options_set_compression_options_max_dict_buffer_bytes,
                "compression_max_dict_buffer_bytes",
                held
            );
            let trainer = c_uchar::from(f.on("compression_use_zstd_dict_trainer"));
            set!(
                self,
                options_set_compression_options_use_zstd_dict_trainer,
                "compression_use_zstd_dict_trainer",
                trainer
            );
        }
        if f.int("min_level_to_compress") >= 0 {
            let level = f.int32("min_level_to_compress");
            set!(self, options_set_min_level_to_compress, "min_level_to_compress", level);
        }
    }

    fn memtable(&mut self) {
        let buckets = self.flags.uint("hash_bucket_count") as usize;
        let symbols = self.symbols;
        let options = self.options;
        // SAFETY: the options object is live. Height 4 and branching 4 are RocksDB's defaults.
        let known = unsafe {
            match self.flags.text("memtablerep") {
                "prefix_hash" => {
                    symbols.options_set_hash_skip_list_rep.map(|set| set(options, buckets, 4, 4))
                }
                "hash_linkedlist" => {
                    symbols.options_set_hash_link_list_rep.map(|set| set(options, buckets))
                }
                "vector" => symbols.options_set_memtable_vector_rep.map(|set| set(options)),
                _ => Some(()),
            }
        };
        if known.is_none() {
            self.missing.push("memtablerep");
        }
        let prefix = self.flags.uint("prefix_size") as usize;
        if prefix > 0 {
            match (symbols.slicetransform_create_fixed_prefix, symbols.options_set_prefix_extractor)
            {
                // SAFETY: the options object is live and takes the extractor over.
                (Some(create), Some(set)) => unsafe { set(self.options, create(prefix)) },
                _ => self.missing.push("prefix_size"),
            }
        }
    }

    fn tables(&mut self) -> Result<(), String> {
        if self.flags.on("use_plain_table") {
            let bits = super::plain_bloom_bits(self.flags);
            let key_size = self.flags.uint("key_size") as u32;
            let set = self.symbols.options_set_plain_table_factory.ok_or("it has no PlainTable")?;
            // SAFETY: the options object is live; the values are key length, Bloom bits, hash table
            // ratio, index sparseness, huge pages, encoding, full scan, stored index.
            unsafe { set(self.options, key_size, bits, 0.75, 16, 0, 0, 0, 0) };
            return Ok(());
        }
        let create =
            self.symbols.block_based_options_create.ok_or("it has no block-based tables")?;
        // SAFETY: no arguments.
        let mut table = TableBuilder::new(unsafe { create() }, self.symbols);
        table.fill(self.flags);
        self.missing.extend(table.missing.iter().filter(|flag| self.flags.is_given(flag)));
        let set = self.symbols.options_set_block_based_table_factory.ok_or("it sets no tables")?;
        // SAFETY: both objects are live.
        unsafe { set(self.options, table.options) };
        Ok(())
    }

    /// What has no setter of its own, as `name=value;`.
    fn rest(&mut self) -> Result<(), String> {
        let f = self.flags;
        let wal_dir = f.text("wal_dir");
        if !wal_dir.is_empty() {
            let dir = CString::new(wal_dir).map_err(|_| "--wal_dir holds a zero byte")?;
            set!(self, options_set_wal_dir, "wal_dir", dir.as_ptr());
        }
        self.additional_multipliers()?;
        let mut text = format!(
            "delayed_write_rate={};force_consistency_checks={};avoid_flush_during_recovery={};\
             avoid_flush_during_shutdown={};",
            f.uint("delayed_write_rate"),
            f.on("force_consistency_checks"),
            f.on("avoid_flush_during_recovery"),
            f.on("avoid_flush_during_shutdown"),
        );
        match (f.text("merge_operator"), self.symbols.options_set_uint64add_merge_operator) {
            ("", _) => {}
            // SAFETY: the options object is live.
            ("uint64add", Some(set)) => unsafe { set(self.options) },
            (name, _) => text += &format!("merge_operator={name};"),
        }
        let all = TABLES.iter().flat_map(|(_, rows)| rows.iter());
        let mut passed = vec!["delayed_write_rate"];
        for row in all.filter(|row| row.fate == Fate::Library && f.is_given(row.name)) {
            text += &format!("{}={};", row.name, f.value(row.name));
            passed.push(row.name);
        }
        self.parse_string(&text, &passed)
    }

    fn additional_multipliers(&mut self) -> Result<(), String> {
        let mut factors = super::additional_multipliers(self.flags)?;
        if factors.is_empty() {
            return Ok(());
        }
        match self.symbols.options_set_max_bytes_for_level_multiplier_additional {
            // SAFETY: the options object is live; the values are copied by the callee.
            Some(set) => unsafe { set(self.options, factors.as_mut_ptr(), factors.len()) },
            None => self.missing.push("max_bytes_for_level_multiplier_additional"),
        }
        Ok(())
    }

    fn parse_string(&mut self, text: &str, passed: &[&'static str]) -> Result<(), String> {
        let Some(parse) = self.symbols.get_options_from_string else {
            self.missing.extend(passed.iter().filter(|flag| self.flags.is_given(flag)));
            let lost = self.flags.text("merge_operator");
            return if lost.is_empty() || lost == "uint64add" {
                Ok(())
            } else {
                Err(format!("it cannot be told the merge operator {lost}"))
            };
        };
        let text = CString::new(text).map_err(|_| "a value holds a zero byte")?;
        let mut error: *mut c_char = null_mut();
        // SAFETY: both objects are live; the new one gets copies of all settings of the old one.
        unsafe {
            let parsed = (self.symbols.options_create)();
            parse(self.options, text.as_ptr(), parsed, &mut error);
            super::capi::take_error(self.symbols, error)?;
            self.options = parsed;
        }
        Ok(())
    }
}
