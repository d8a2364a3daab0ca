//! The numbers in docs/c-abi.md.

use super::table::{Row, Table};
use std::collections::BTreeMap;
use std::fmt::Write;

const BEGIN: &str = "<!-- begin: written by cargo x abi -->";
const END: &str = "<!-- end -->";

/// Name prefixes that form separate groups in the table, and the names of the groups.
const GROUPS: &[(&str, &str)] = &[
    ("rocksdb_backup_engine", "Backup"),
    ("rocksdb_restore_options", "Backup"),
    ("rocksdb_block_based_options", "Block-based tables"),
    ("rocksdb_cuckoo_options", "Cuckoo tables"),
    ("rocksdb_optimistictransaction", "Transactions"),
    ("rocksdb_transaction", "Transactions"),
    ("rocksdb_compactionservice", "Remote compaction"),
    ("rocksdb_compaction_service", "Remote compaction"),
    ("rocksdb_open_and_compact", "Remote compaction"),
    ("rocksdb_options_set_compaction_service", "Remote compaction"),
    ("rocksdb_writebatch_wi", "Indexed batches"),
    ("rocksdb_writebatch", "Batches"),
    ("rocksdb_iter_", "Iterators"),
    ("rocksdb_create_iterator", "Iterators"),
    ("rocksdb_options_", "Options"),
    ("rocksdb_readoptions_", "Read and write options"),
    ("rocksdb_writeoptions_", "Read and write options"),
    ("rocksdb_universal_compaction_options", "Compaction and its options"),
    ("rocksdb_fifo_compaction_options", "Compaction and its options"),
    ("rocksdb_compactoptions", "Compaction and its options"),
    ("rocksdb_compact", "Compaction and its options"),
    ("rocksdb_suggest_compact", "Compaction and its options"),
    ("rocksdb_wait_for_compact", "Compaction and its options"),
    ("rocksdb_cache", "Caches and memory"),
    ("rocksdb_lru_cache", "Caches and memory"),
    ("rocksdb_hyper_clock_cache", "Caches and memory"),
    ("rocksdb_jemalloc", "Caches and memory"),
    ("rocksdb_memory", "Caches and memory"),
    ("rocksdb_approximate_memory", "Caches and memory"),
    ("rocksdb_write_buffer_manager", "Caches and memory"),
    ("rocksdb_flushjobinfo", "Listeners and their infos"),
    ("rocksdb_subcompactionjobinfo", "Listeners and their infos"),
    ("rocksdb_externalfileingestioninfo", "Listeners and their infos"),
    ("rocksdb_eventlistener", "Listeners and their infos"),
    ("rocksdb_writestall", "Listeners and their infos"),
    ("rocksdb_memtableinfo", "Listeners and their infos"),
    ("rocksdb_statistics", "Statistics, perf context, limits"),
    ("rocksdb_perfcontext", "Statistics, perf context, limits"),
    ("rocksdb_set_perf", "Statistics, perf context, limits"),
    ("rocksdb_ratelimiter", "Statistics, perf context, limits"),
    ("rocksdb_sst_file_manager", "Statistics, perf context, limits"),
    ("rocksdb_sstfilewriter", "Files: live, checkpoint, SST writer, ingestion"),
    ("rocksdb_ingest", "Files: live, checkpoint, SST writer, ingestion"),
    ("rocksdb_livefile", "Files: live, checkpoint, SST writer, ingestion"),
    ("rocksdb_checkpoint", "Files: live, checkpoint, SST writer, ingestion"),
    ("rocksdb_export_import", "Files: live, checkpoint, SST writer, ingestion"),
    ("rocksdb_import_column", "Files: live, checkpoint, SST writer, ingestion"),
    ("rocksdb_level_metadata", "Files: live, checkpoint, SST writer, ingestion"),
    ("rocksdb_sst_file_metadata", "Files: live, checkpoint, SST writer, ingestion"),
    ("rocksdb_column_family_metadata", "Files: live, checkpoint, SST writer, ingestion"),
    ("rocksdb_comparator", "Callbacks"),
    ("rocksdb_mergeoperator", "Callbacks"),
    ("rocksdb_slicetransform", "Callbacks"),
    ("rocksdb_filterpolicy", "Callbacks"),
    ("rocksdb_logger", "Callbacks"),
    ("rocksdb_env", "Environment"),
    ("rocksdb_create_", "Environment"),
];

const REST: &str = "Database: open, read, write, flush, properties";

/// Returns the document with the part between the markers regenerated.
pub(crate) fn update(table: &Table, old: &str) -> Result<String, String> {
    let (before, rest) = old.split_once(BEGIN).ok_or(format!("docs/c-abi.md: no {BEGIN}"))?;
    let (_, after) = rest.split_once(END).ok_or(format!("docs/c-abi.md: no {END}"))?;
    Ok(format!("{before}{BEGIN}\n{}\n{END}{after}", numbers(table)))
}

fn group(row: &Row) -> &'static str {
    if row.name.ends_with("_with_ts") || row.name.contains("history_ts_low") {
        return "User-defined timestamps";
    }
    if row.name.contains("blob") && row.name.starts_with("rocksdb_options_") {
        return "Blob files";
    }
    let found = GROUPS.iter().find(|(prefix, _)| row.name.starts_with(prefix));
    found.map_or(REST, |(_, group)| group)
}

fn numbers(table: &Table) -> String {
    let mut groups: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in &table.rows {
        groups.entry(group(row)).or_default().push(row);
    }
    let mut out = String::from(
        "\n| Functions | All | Implemented | Accepted without effect | Refused |\n|---|---|---|---|---|\n",
    );
    let mut line = |name: &str, rows: &mut dyn Iterator<Item = &Row>| {
        let (mut n, mut implemented, mut accepted) = (0, 0, 0);
        for row in rows {
            n += 1;
            implemented += usize::from(row.state == "implemented");
            accepted += usize::from(row.state == "accepted");
        }
        let refused = n - implemented - accepted;
        writeln!(out, "| {name} | {n} | {implemented} | {accepted} | {refused} |")
            .expect("a String takes all");
    };
    for (name, rows) in &groups {
        line(name, &mut rows.iter().copied());
    }
    line("**All**", &mut table.rows.iter());
    for (state, title) in [("accepted", "Accepted without effect"), ("unsupported", "Refused")] {
        let names = table.rows.iter().filter(|r| r.state == state);
        let names: Vec<String> =
            names.map(|r| format!("`{}`", &r.name["rocksdb_".len()..])).collect();
        if !names.is_empty() {
            write!(out, "\n{title} (each begins with `rocksdb_`): {}.\n", names.join(", "))
                .expect("a String takes all");
        }
    }
    out
}
