//! Flags that RocksDB dropped: accepted with a line that says what became of them.

use super::Fate::Obsolete;
use super::Kind::{Bool, Double, Int32, Int64, Text};
use super::{Row, row};

/// Flags of old command lines.
#[rustfmt::skip]
pub(super) const OBSOLETE: &[Row] = &[
    row("disable_seek_compaction", Int32, "0", Obsolete("obsolete: reads start no compactions in either engine, so there is nothing to disable"), "Removed from RocksDB in 2014"),
    row("hard_rate_limit", Double, "0", Obsolete("obsolete: since RocksDB 3 writers are slowed by --soft_pending_compaction_bytes_limit and --hard_pending_compaction_bytes_limit, which keep their defaults"), "Accepted for old command lines"),
    row("soft_rate_limit", Double, "0", Obsolete("obsolete: see --soft_pending_compaction_bytes_limit, which keeps its default"), "Accepted for old command lines"),
    row("rate_limit_delay_max_milliseconds", Int32, "1000", Obsolete("obsolete: delays follow --delayed_write_rate"), "Accepted for old command lines"),
    row("disable_data_sync", Bool, "false", Obsolete("obsolete: finished tables are always synced, in both engines"), "Accepted for old command lines"),
    row("max_grandparent_overlap_factor", Int32, "10", Obsolete("obsolete: the size of a compaction is bounded by --max_compaction_bytes, which keeps its default"), "Accepted for old command lines"),
    row("source_compaction_factor", Int32, "1", Obsolete("obsolete: see --max_compaction_bytes, which keeps its default"), "Accepted for old command lines"),
    row("expanded_compaction_factor", Int32, "25", Obsolete("obsolete: see --max_compaction_bytes, which keeps its default"), "Accepted for old command lines"),
    row("max_mem_compaction_level", Int32, "2", Obsolete("obsolete: memtables are flushed to level 0"), "Accepted for old command lines"),
    row("block_write_buffer_size", Int64, "0", Obsolete("obsolete: it had no effect"), "Accepted for old command lines"),
    row("purge_redundant_kvs_while_flush", Bool, "true", Obsolete("obsolete: flushes always drop shadowed versions"), "Accepted for old command lines"),
    row("filter_deletes", Bool, "false", Obsolete("obsolete: deletes are written without a look-up"), "Accepted for old command lines"),
    row("skip_table_builder_flush", Bool, "false", Obsolete("obsolete: tables are written through a buffer"), "Accepted for old command lines"),
    row("new_table_reader_for_compaction_inputs", Int32, "1", Obsolete("obsolete: compactions read through the readers that exist"), "Accepted for old command lines"),
    row("use_multi_thread_write", Bool, "true", Obsolete("obsolete: see --allow_concurrent_memtable_write"), "Accepted for old command lines"),
    row("compaction_fadvice", Text, "NORMAL", Obsolete("obsolete: inputs of compactions are read ahead; no advice is given"), "Accepted for old command lines"),
    row("random_access_max_buffer_size", Int32, "1048576", Obsolete("obsolete: removed from RocksDB 8"), "Accepted for old command lines"),
    row("max_write_buffer_number_to_maintain", Int32, "0", Obsolete("obsolete: see --max_write_buffer_size_to_maintain"), "Accepted for old command lines"),
    row("check_flush_compaction_key_order", Bool, "true", Obsolete("obsolete: the order of keys is always checked while writing tables"), "Accepted for old command lines"),
    row("use_block_based_filter", Bool, "false", Obsolete("obsolete: filters cover whole tables"), "Accepted for old command lines"),
    row("compaction_measure_io_stats", Bool, "false", Obsolete("obsolete: now --report_bg_io_stats, which is set to it"), "Accepted for old command lines, RocksDB's tools/benchmark.sh among them"),
    row("writes_per_second", Int64, "0", Obsolete("obsolete: now --benchmark_write_rate_limit; honoured in operations: writers do so many per second"), "Accepted for old command lines"),
];
