//! Every property by its name: whether it exists, whether it is a number, and the shape of its text.

use super::{Case, Context};
use crate::abi::{Arg, Handle};
use crate::args;

const NAMES: &[&str] = &[
    "num-files-at-level0",
    "num-files-at-level6",
    "num-files-at-level7",
    "num-files-at-level-1",
    "num-files-at-level",
    "num-files-at-levelx",
    "num-files-at-level0x",
    "compression-ratio-at-level0",
    "compression-ratio-at-level1",
    "compression-ratio-at-level9",
    "compression-ratio-at-level",
    "stats",
    "sstables",
    "cfstats",
    "cfstats-no-file-histogram",
    "cf-file-histogram",
    "cf-write-stall-stats",
    "db-write-stall-stats",
    "dbstats",
    "levelstats",
    "block-cache-entry-stats",
    "fast-block-cache-entry-stats",
    "num-immutable-mem-table",
    "num-immutable-mem-table-flushed",
    "mem-table-flush-pending",
    "compaction-pending",
    "background-errors",
    "cur-size-active-mem-table",
    "cur-size-all-mem-tables",
    "size-all-mem-tables",
    "num-entries-active-mem-table",
    "num-entries-imm-mem-tables",
    "num-deletes-active-mem-table",
    "num-deletes-imm-mem-tables",
    "estimate-num-keys",
    "estimate-table-readers-mem",
    "is-file-deletions-enabled",
    "num-snapshots",
    "oldest-snapshot-time",
    "oldest-snapshot-sequence",
    "num-live-versions",
    "current-super-version-number",
    "estimate-live-data-size",
    "min-log-number-to-keep",
    "min-obsolete-sst-number-to-keep",
    "base-level",
    "total-sst-files-size",
    "live-sst-files-size",
    "obsolete-sst-files-size",
    "live-sst-files-size-at-temperature0",
    "live-sst-files-size-at-temperature",
    "estimate-pending-compaction-bytes",
    "aggregated-table-properties",
    "aggregated-table-properties-at-level0",
    "aggregated-table-properties-at-level9",
    "aggregated-table-properties-at-level",
    "num-running-compactions",
    "num-running-compaction-sorted-runs",
    "num-running-flushes",
    "actual-delayed-write-rate",
    "is-write-stopped",
    "estimate-oldest-key-time",
    "block-cache-capacity",
    "block-cache-usage",
    "block-cache-pinned-usage",
    "options-statistics",
    "num-blob-files",
    "blob-stats",
    "total-blob-file-size",
    "live-blob-file-size",
    "live-blob-file-garbage-size",
    "blob-cache-capacity",
    "blob-cache-usage",
    "blob-cache-pinned-usage",
    "nonsense",
    "",
    "NUM-SNAPSHOTS",
    "num-snapshots ",
];

/// Numbers that both must agree on after the same calls.
const EXACT: &[&str] = &[
    "num-files-at-level0",
    "num-files-at-level6",
    "num-immutable-mem-table",
    "num-immutable-mem-table-flushed",
    "mem-table-flush-pending",
    "compaction-pending",
    "background-errors",
    "num-entries-active-mem-table",
    "num-entries-imm-mem-tables",
    "num-deletes-active-mem-table",
    "num-deletes-imm-mem-tables",
    "estimate-num-keys",
    "is-file-deletions-enabled",
    "num-snapshots",
    "oldest-snapshot-sequence",
    "num-live-versions",
    "base-level",
    "is-write-stopped",
    "num-blob-files",
    "block-cache-capacity",
    "levelstats",
];

/// Text without its numbers: the words of each line up to its first number, repeated lines once.
fn shape(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let words: Vec<_> = line.split_whitespace().collect();
        let line = words.join(" ");
        let line = line.split(|c: char| c.is_ascii_digit()).next().unwrap_or("").trim_end();
        if lines.last().is_none_or(|last| last != line) && !line.is_empty() {
            lines.push(line.to_owned());
        }
    }
    lines.join("/")
}

fn ask(c: &mut Context<'_>, db: Handle, family: Option<Handle>, name: &str) {
    let full = if name.is_empty() { "".to_owned() } else { format!("rocksdb.{name}") };
    let mut number = [0];
    let (value, found) = match family {
        None => (
            c.make("property_value", args![db, &full]),
            c.abi.call_into("property_int", args![db, &full, Arg::Place(0)], &mut number),
        ),
        Some(family) => (
            c.make("property_value_cf", args![db, family, &full]),
            c.abi.call_into(
                "property_int_cf",
                args![db, family, &full, Arg::Place(0)],
                &mut number,
            ),
        ),
    };
    let text = c.abi.take_text(value);
    let shown = match &text {
        None => "none".to_owned(),
        Some(text) if EXACT.contains(&name) => {
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        }
        Some(text) => format!("[{}]", shape(text)),
    };
    c.say(format!("{shown}, number {}", found.handle() == 0));
}

/// What was done before a property is asked for.
const STAGES: [&str; 5] = ["new", "written", "flushed", "compacted", "snapshot"];

fn prepare(c: &mut Context<'_>, db: Handle, stage: &str) {
    let upto = STAGES.iter().position(|other| *other == stage).unwrap_or(0);
    if upto >= 1 {
        (0..30).for_each(|n| c.put(db, &format!("key{n:03}"), "value"));
        let wo = c.make("writeoptions_create", &[]);
        c.must("delete", args![db, wo, b"key007"]);
    }
    if upto >= 2 {
        c.flush(db);
    }
    if upto >= 3 {
        c.compact(db);
    }
    if upto >= 4 {
        c.make("create_snapshot", args![db]);
        c.put(db, "key007", "again");
    }
}

/// All cases.
pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for stage in STAGES {
        for name in NAMES {
            cases.push(Case::new(format!("{stage}: {name}"), move |c| {
                let Some(db) = c.fresh("", "db") else { return };
                prepare(c, db, stage);
                ask(c, db, None, name);
                c.close(db);
            }));
        }
    }
    for name in NAMES {
        cases.push(Case::new(format!("family: {name}"), move |c| {
            let Some(db) = c.fresh("", "db") else { return };
            let options = c.options("");
            let Some(family) = c.must("create_column_family", args![db, options, "more"]) else {
                return;
            };
            let wo = c.make("writeoptions_create", &[]);
            c.must("put_cf", args![db, wo, family, b"key", b"value"]);
            ask(c, db, Some(family), name);
            c.call("column_family_handle_destroy", args![family]);
            c.close(db);
        }));
    }
    cases
}
