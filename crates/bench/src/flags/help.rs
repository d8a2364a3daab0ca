//! `--help`: the common flags, by heading, and the names of all benchmarks. `--help=all` lists every flag.

use super::builtins::rows;
use super::{Kind, Row};
use crate::workloads::GROUPS;

/// Flags that `--help` shows; they keep the order and the headings of the tables.
pub(super) const COMMON: &[&str] = &[
    "engine",
    "engine_lib",
    "json",
    "benchmarks",
    "num",
    "reads",
    "writes",
    "threads",
    "duration",
    "seed",
    "key_size",
    "value_size",
    "compression_ratio",
    "batch_size",
    "seek_nexts",
    "readwritepercent",
    "benchmark_write_rate_limit",
    "histogram",
    "stats_interval_seconds",
    "db",
    "wal_dir",
    "use_existing_db",
    "readonly",
    "sync",
    "disable_wal",
    "statistics",
    "options_file",
    "write_buffer_size",
    "cache_size",
    "block_size",
    "bloom_bits",
    "compression_type",
    "compaction_style",
    "max_background_jobs",
];

/// Columns of the text.
const WIDTH: usize = 100;

pub(super) const ABOUT: &str = "Measures Ferrolith or any shared library with RocksDB's C API. Flags and output are \
    those of RocksDB's db_bench.";

/// Returns the text of `--help`.
pub(super) fn short() -> String {
    let mut text = wrapped(ABOUT, "", "");
    text += "\nUsage: db_bench [--flag=value]...\n";
    let mut last = "";
    for (heading, row) in rows().filter(|(_, row)| COMMON.contains(&row.name)) {
        if heading != last {
            text += &format!("\n{heading}:\n");
            last = heading;
        }
        let first = format!("  --{:<27}", row.name);
        text += &wrapped(&about(row), &first, &" ".repeat(first.len()));
    }
    text += "\nBenchmarks:\n";
    for (heading, benchmarks) in GROUPS {
        let names: Vec<&str> = benchmarks.iter().map(|benchmark| benchmark.name).collect();
        text += &wrapped(&names.join(", "), &format!("  {heading}: "), "    ");
    }
    text += &format!(
        "\n--help=all describes all {} flags and the benchmarks, --helpmatch=word the flags with this word.\n",
        rows().count()
    );
    text
}

/// Returns the description of a flag, its words and its default, unless that is empty or false.
fn about(row: &Row) -> String {
    let mut text = row.help.to_owned();
    if let Kind::Choice(words) = row.kind {
        text += &format!(" [{}]", words.join(", "));
    }
    match row.default {
        "" | "false" => text,
        default => format!("{text} [default: {}]", default.replace(',', ", ")),
    }
}

/// Returns the text in lines, the first of which begins with `first` and the others with `rest`.
fn wrapped(text: &str, first: &str, rest: &str) -> String {
    let (mut out, mut line) = (String::new(), first.to_owned());
    let mut is_new = true;
    for word in text.split(' ') {
        if !is_new && line.len() + 1 + word.len() > WIDTH {
            out += line.trim_end();
            out.push('\n');
            (line, is_new) = (rest.to_owned(), true);
        }
        if !is_new {
            line.push(' ');
        }
        line += word;
        is_new = false;
    }
    out + line.trim_end() + "\n"
}
