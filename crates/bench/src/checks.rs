//! Checks for values and combinations of flags that cannot be run.

use crate::config::Config;
use crate::flags::Flags;

/// Flags that count something and have no meaning below 0.
const NOT_NEGATIVE: &[&str] = &[
    "value_size",
    "value_size_min",
    "value_size_max",
    "prefix_size",
    "keys_per_prefix",
    "duration",
    "ops_between_duration_checks",
    "batch_size",
    "seek_nexts",
    "max_scan_distance",
    "multiread_stride",
    "readwritepercent",
    "deletepercent",
    "mergereadpercent",
    "same_value_percentage",
    "stats_interval",
    "stats_interval_seconds",
    "report_interval_seconds",
    "sample_latency",
    "hash_bucket_count",
    "num_column_families",
    "numdistinct",
    "range_tombstone_width",
    "writes_before_delete_range",
    "writes_per_range_tombstone",
    "max_num_range_tombstones",
    "keyrange_num",
    "key_id_range",
    "touch_memory",
    "num_deletion_threads",
    "multiscan_size",
    "multiscan_stride",
    "disposable_entries_value_size",
    "persistent_entries_value_size",
];

/// Combinations that cannot be run. The names are the flags'.
pub fn check(config: &Config, flags: &Flags) -> Result<(), String> {
    let at_least = |name: &str, least: i64| match flags.int(name) {
        n if n < least => Err(format!("ERROR: --{name}={n} must be {least} or more")),
        _ => Ok(()),
    };
    for name in ["num", "key_size", "threads", "block_size", "runs"] {
        at_least(name, 1)?;
    }
    for name in NOT_NEGATIVE {
        at_least(name, 0)?;
    }
    for name in ["readwritepercent", "deletepercent", "mergereadpercent", "same_value_percentage"] {
        if flags.int(name) > 100 {
            return Err(format!("ERROR: --{name}={} must be 100 or less", flags.int(name)));
        }
    }
    for name in ["overwrite_probability", "stddev"] {
        if flags.double(name) < 0.0 {
            return Err(format!("ERROR: --{name}={} must be 0 or more", flags.double(name)));
        }
    }
    if flags.int("touch_memory") > 0 && flags.text("engine") != "both" {
        return Err("ERROR: --touch_memory needs --engine=both".to_owned());
    }
    if config.mix.ranges > config.num {
        return Err(format!("ERROR: --keyrange_num={} must be at most --num", config.mix.ranges));
    }
    if config.transactions.sets == 0 || config.transactions.sets > 9999 {
        return Err(format!(
            "ERROR: --transaction_sets={} must be 1 to 9999",
            config.transactions.sets
        ));
    }
    let (prefix, rep) = (config.keys.prefix_size, flags.text("memtablerep"));
    if prefix > config.keys.key_size {
        return Err("ERROR: --prefix_size must be at most --key_size".to_owned());
    }
    if prefix == 0 && ["prefix_hash", "hash_linkedlist"].contains(&rep) {
        return Err(format!("ERROR: --memtablerep={rep} needs --prefix_size"));
    }
    for table in ["use_plain_table", "use_cuckoo_table"] {
        if flags.on(table) && !flags.on("mmap_read") {
            return Err(format!("ERROR: --{table} needs --mmap_read"));
        }
    }
    if prefix == 0 && flags.on("use_hash_search") {
        return Err("ERROR: --use_hash_search needs --prefix_size".to_owned());
    }
    if config.keys.key_size != 8 && flags.on("use_uint64_comparator") {
        return Err("ERROR: --use_uint64_comparator needs --key_size=8".to_owned());
    }
    if flags.on("statistics") && !(0..=5).contains(&flags.int("stats_level")) {
        return Err(format!("ERROR: --stats_level={} must be 0 to 5", flags.int("stats_level")));
    }
    if !(0..=6).contains(&flags.int("perf_level")) {
        return Err(format!("ERROR: --perf_level={} must be 0 to 6", flags.int("perf_level")));
    }
    if config.missing_prefix && prefix <= 8 {
        return Err("ERROR: --seek_missing_prefix needs --prefix_size above 8".to_owned());
    }
    if flags.on("use_existing_keys") && !flags.on("use_existing_db") {
        return Err("ERROR: --use_existing_keys needs --use_existing_db".to_owned());
    }
    if config.read_percent + config.delete_percent > 100 && flags.is_given("deletepercent") {
        return Err("ERROR: the sum of --readwritepercent and --deletepercent must be at most 100"
            .to_owned());
    }
    if !(0.0..=1.0).contains(&flags.double("compression_ratio")) {
        return Err("ERROR: --compression_ratio must be between 0 and 1".to_owned());
    }
    Ok(())
}
