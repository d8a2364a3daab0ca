//! Converts flags to a library's options object: the settings that every engine gets, set one by one with
//! `rocksdb_get_options_from_string`, and the objects that text cannot create.
//!
//! A given flag that cannot be passed on is an error that names it.
#![allow(unsafe_code)]

use super::capi::take_error;
use super::capi_symbols::{Object, Symbols};
use super::settings::settings;
use crate::flags::Flags;
use std::ffi::{CString, c_char, c_int, c_uchar};
use std::ptr::null_mut;

/// Flags whose features this tool uses only through Rust calls.
const FERROLITH_ONLY: &[&str] = &[
    "options_file",
    "use_keep_filter",
    "use_uint64_comparator",
    "rate_limit_user_ops",
    "rate_limit_auto_wal_flush",
    "adaptive_readahead",
    "optimize_multiget_for_io",
    "auto_refresh_iterator_with_snapshot",
    "write_batch_protection_bytes_per_key",
    "cache_high_pri_pool_ratio",
    "cache_low_pri_pool_ratio",
];

/// Builds an options object.
pub(super) struct Builder<'a> {
    symbols: &'a Symbols,
    flags: &'a Flags,
    options: Object,
    block_cache: Option<Object>,
}

impl<'a> Builder<'a> {
    /// Options with nothing set.
    pub(super) fn new(symbols: &'a Symbols, flags: &'a Flags) -> Builder<'a> {
        // SAFETY: no arguments; the object lives until the process ends.
        let options = unsafe { (symbols.options_create)() };
        Builder { symbols, flags, options, block_cache: None }
    }

    /// Builds the options for the flags.
    pub(super) fn build(mut self) -> Result<Object, String> {
        let f = self.flags;
        for flag in FERROLITH_ONLY {
            if f.is_given(flag) && !f.is_default(flag) {
                return Err(format!(
                    "--{flag}={} is not supported with a library: RocksDB's C API cannot set it",
                    f.value(flag)
                ));
            }
        }
        if super::expiry::is_wanted(f) {
            return Err(
                "--expire_style=compaction_filter is not supported with a library: this tool \
                passes no compaction filters to libraries"
                    .to_owned(),
            );
        }
        // SAFETY: the options object is live.
        unsafe { (self.symbols.options_set_create_if_missing)(self.options, 1) };
        if !f.on("use_plain_table") && !f.on("use_cuckoo_table") {
            self.block_based()?;
        }
        self.settings()?;
        let more = f.text("options_string");
        if !more.is_empty() {
            self.parse(more).map_err(|error| format!("--options_string={more}: {error}"))?;
        }
        self.statistics()?;
        self.rate_limiter()?;
        self.shared_memory()?;
        self.families_and_log()?;
        Ok(self.options)
    }

    /// If a setting's flag is not given, the library may not know the setting, and then keeps its own default.
    fn settings(&mut self) -> Result<(), String> {
        let mut refused = Vec::new();
        for setting in settings(self.flags)? {
            let result = self.parse(&setting.text());
            if let (Err(error), true) = (result, setting.given) {
                let value = self.flags.value(setting.flag);
                refused.push(format!(
                    "--{}={value}: the library rejects the option {}: {error}",
                    setting.flag,
                    setting.text()
                ));
            }
        }
        if refused.is_empty() { Ok(()) } else { Err(refused.join("\n")) }
    }

    fn parse(&mut self, text: &str) -> Result<(), String> {
        let parse = self
            .symbols
            .get_options_from_string
            .ok_or("it does not export rocksdb_get_options_from_string")?;
        let text = CString::new(text).map_err(|_| "a value contains a zero byte")?;
        let mut error: *mut c_char = null_mut();
        // SAFETY: both objects are live; the new one gets copies of all settings of the old one, which is then
        // destroyed by the library that made it and not used again.
        unsafe {
            let parsed = (self.symbols.options_create)();
            parse(self.options, text.as_ptr(), parsed, &mut error);
            if let Err(error) = take_error(self.symbols, error) {
                (self.symbols.options_destroy)(parsed);
                return Err(error);
            }
            (self.symbols.options_destroy)(self.options);
            self.options = parsed;
        }
        Ok(())
    }

    /// The block cache; other settings of block-based tables are texts.
    fn block_based(&mut self) -> Result<(), String> {
        let s = self.symbols;
        let missing = |name: &str| format!("it does not export rocksdb_{name}");
        let create =
            s.block_based_options_create.ok_or_else(|| missing("block_based_options_create"))?;
        let set = s
            .options_set_block_based_table_factory
            .ok_or_else(|| missing("options_set_block_based_table_factory"))?;
        let cache = self.cache()?;
        self.block_cache = cache;
        // SAFETY: all objects are live; the options take the table's options over, which hold the cache.
        unsafe {
            let table = create();
            match cache {
                Some(cache) => {
                    let set = s.block_based_options_set_block_cache;
                    set.ok_or_else(|| missing("block_based_options_set_block_cache"))?(
                        table, cache,
                    );
                }
                None => {
                    let set = s.block_based_options_set_no_block_cache;
                    set.ok_or_else(|| missing("block_based_options_set_no_block_cache"))?(table, 1);
                }
            }
            set(self.options, table);
        }
        Ok(())
    }

    fn cache(&self) -> Result<Option<Object>, String> {
        let (f, s) = (self.flags, self.symbols);
        let size = f.uint("cache_size") as usize;
        let shards = f.int32("cache_numshardbits");
        if size == 0 {
            return Ok(None);
        }
        let kind = f.text("cache_type");
        let missing = || {
            format!("--cache_type={kind}: the library does not export the functions for this flag")
        };
        if kind == "lru_cache" {
            let functions = (
                s.lru_cache_options_create,
                s.lru_cache_options_set_capacity,
                s.lru_cache_options_set_num_shard_bits,
                s.cache_create_lru_opts,
            );
            let (Some(create), Some(capacity), Some(bits), Some(make)) = functions else {
                return Err(missing());
            };
            // SAFETY: the objects are live; a cache outlives the options it was made with.
            return Ok(Some(unsafe {
                let options = create();
                capacity(options, size);
                bits(options, shards);
                make(options)
            }));
        }
        let functions = (
            s.hyper_clock_cache_options_create,
            s.hyper_clock_cache_options_set_num_shard_bits,
            s.cache_create_hyper_clock_opts,
        );
        let (Some(create), Some(bits), Some(make)) = functions else { return Err(missing()) };
        let charge =
            if kind == "fixed_hyper_clock_cache" { f.uint("block_size") as usize } else { 0 };
        // SAFETY: as above.
        Ok(Some(unsafe {
            let options = create(size, charge);
            bits(options, shards);
            make(options)
        }))
    }

    fn statistics(&self) -> Result<(), String> {
        if !self.flags.on("statistics") {
            return Ok(());
        }
        let functions =
            (self.symbols.options_enable_statistics, self.symbols.options_set_statistics_level);
        let (Some(enable), Some(level)) = functions else {
            return Err(
                "--statistics: the library does not export the functions for this flag".to_owned()
            );
        };
        // SAFETY: the options object is live.
        unsafe {
            enable(self.options);
            level(self.options, self.flags.int32("stats_level"));
        }
        Ok(())
    }

    fn rate_limiter(&self) -> Result<(), String> {
        let (f, s) = (self.flags, self.symbols);
        let rate = i64::try_from(f.uint("rate_limiter_bytes_per_sec")).unwrap_or(i64::MAX);
        if rate == 0 {
            return Ok(());
        }
        let missing = || {
            "--rate_limiter_bytes_per_sec: the library does not export the functions for this flag"
                .to_owned()
        };
        let (Some(create), Some(set)) = (s.ratelimiter_create_with_mode, s.options_set_ratelimiter)
        else {
            return Err(missing());
        };
        // RocksDB's numbers: 0 reads, 1 writes.
        let mode = c_int::from(!f.on("rate_limit_bg_reads"));
        let tuned = c_uchar::from(f.on("rate_limiter_auto_tuned"));
        // SAFETY: the options object is live and shares the limiter.
        unsafe {
            set(self.options, create(rate, f.int("rate_limiter_refill_period_us"), 10, mode, tuned))
        };
        Ok(())
    }

    /// Sets the memory that memtables and rows share.
    fn shared_memory(&self) -> Result<(), String> {
        let (f, s) = (self.flags, self.symbols);
        if f.on("cost_write_buffer_to_cache") {
            let functions =
                (s.write_buffer_manager_create_with_cache, s.options_set_write_buffer_manager);
            let (Some(create), Some(set), Some(cache)) =
                (functions.0, functions.1, self.block_cache)
            else {
                return Err("--cost_write_buffer_to_cache needs a block cache and a library that \
                    exports the functions for it"
                    .to_owned());
            };
            // SAFETY: all objects are live; the options share the manager, and it the cache.
            unsafe {
                set(self.options, create(f.uint("db_write_buffer_size") as usize, cache, false))
            };
        }
        let size = f.uint("row_cache_size") as usize;
        if size == 0 {
            return Ok(());
        }
        match (s.cache_create_lru, s.options_set_row_cache) {
            // SAFETY: the options object is live and shares the cache.
            (Some(create), Some(set)) => unsafe { set(self.options, create(size)) },
            _ => {
                return Err(
                    "--row_cache_size: the library does not export the functions for this flag"
                        .to_owned(),
                );
            }
        }
        Ok(())
    }

    fn families_and_log(&self) -> Result<(), String> {
        let (f, s) = (self.flags, self.symbols);
        if f.int("num_column_families") > 1 {
            let set = s.options_set_create_missing_column_families;
            let set = set.ok_or(
                "--num_column_families: the library does not export the functions for this flag",
            )?;
            // SAFETY: the options object is live.
            unsafe { set(self.options, 1) };
        }
        if f.on("use_stderr_info_logger") {
            let (Some(create), Some(set)) = (s.logger_create_stderr_logger, s.options_set_info_log)
            else {
                return Err(
                    "--use_stderr_info_logger: the library does not export the functions for this flag".to_owned()
                );
            };
            // SAFETY: the options object is live and shares the logger; 1 is the level INFO, and no prefix is no text.
            unsafe { set(self.options, create(1, std::ptr::null())) };
        }
        Ok(())
    }
}
