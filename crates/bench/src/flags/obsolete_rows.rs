//! Flags that RocksDB dropped. They are accepted, and a line says what replaced them.

use super::Fate::Obsolete;
use super::Kind::{Bool, Double, Int32, Int64, Text};
use super::{Row, row};

/// Flags of old command lines.
#[rustfmt::skip]
pub(super) const OBSOLETE: &[Row] = &[
    row("disable_seek_compaction", Int32, "0", Obsolete("obsolete: in neither engine do reads trigger compactions"), "Removed from RocksDB in 2014"),
    row("hard_rate_limit", Double, "0", Obsolete("obsolete: use --hard_pending_compaction_bytes_limit, which this flag does not change"), "Accepted for old command lines"),
    row("soft_rate_limit", Double, "0", Obsolete("obsolete: use --soft_pending_compaction_bytes_limit, which this flag does not change"), "Accepted for old command lines"),
    row("rate_limit_delay_max_milliseconds", Int32, "1000", Obsolete("obsolete: use --delayed_write_rate"), "Accepted for old command lines"),
    row("disable_data_sync", Bool, "false", Obsolete("obsolete: finished tables are always synced, in both engines"), "Accepted for old command lines"),
    row("max_grandparent_overlap_factor", Int32, "10", Obsolete("obsolete: use --max_compaction_bytes, which this flag does not change"), "Accepted for old command lines"),
    row("source_compaction_factor", Int32, "1", Obsolete("obsolete: use --max_compaction_bytes, which this flag does not change"), "Accepted for old command lines"),
    row("expanded_compaction_factor", Int32, "25", Obsolete("obsolete: use --max_compaction_bytes, which this flag does not change"), "Accepted for old command lines"),
    row("max_mem_compaction_level", Int32, "2", Obsolete("obsolete: memtables are always flushed to level 0"), "Accepted for old command lines"),
    row("block_write_buffer_size", Int64, "0", Obsolete("obsolete: this flag had no effect"), "Accepted for old command lines"),
    row("purge_redundant_kvs_while_flush", Bool, "true", Obsolete("obsolete: flushes always drop hidden entries"), "Accepted for old command lines"),
    row("filter_deletes", Bool, "false", Obsolete("obsolete: deletes are always written without a lookup"), "Accepted for old command lines"),
    row("skip_table_builder_flush", Bool, "false", Obsolete("obsolete: table files are always written through a buffer"), "Accepted for old command lines"),
    row("new_table_reader_for_compaction_inputs", Int32, "1", Obsolete("obsolete: compactions use the tables that are already open"), "Accepted for old command lines"),
    row("use_multi_thread_write", Bool, "true", Obsolete("obsolete: use --allow_concurrent_memtable_write"), "Accepted for old command lines"),
    row("compaction_fadvice", Text, "NORMAL", Obsolete("obsolete: compactions use readahead instead of fadvise"), "Accepted for old command lines"),
    row("random_access_max_buffer_size", Int32, "1048576", Obsolete("obsolete: RocksDB 8 removed this flag"), "Accepted for old command lines"),
    row("max_write_buffer_number_to_maintain", Int32, "0", Obsolete("obsolete: use --max_write_buffer_size_to_maintain"), "Accepted for old command lines"),
    row("check_flush_compaction_key_order", Bool, "true", Obsolete("obsolete: the key order is always checked when a table is written"), "Accepted for old command lines"),
    row("use_block_based_filter", Bool, "false", Obsolete("obsolete: filters always cover a whole table or a partition"), "Accepted for old command lines"),
    row("compaction_measure_io_stats", Bool, "false", Obsolete("obsolete: the flag is now --report_bg_io_stats, which gets this value"), "Accepted for old command lines, such as those of RocksDB's tools/benchmark.sh"),
    row("writes_per_second", Int64, "0", Obsolete("obsolete: use --benchmark_write_rate_limit, in bytes; this flag still limits writes, in operations per second"), "Accepted for old command lines"),
];
