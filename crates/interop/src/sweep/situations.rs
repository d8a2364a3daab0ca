//! Situations that are errors, or that somebody might take for one: opening and closing, reading and writing.

use super::{Case, Context};
use crate::abi::{Arg, Handle};
use crate::args;
use std::ffi::CString;
use std::path::Path;

/// A list of cases: a name, and what is done.
pub(super) type List = &'static [(&'static str, fn(&mut Context<'_>))];

pub(super) fn of(list: List) -> impl Iterator<Item = Case> {
    list.iter().map(|(name, run)| Case::new(*name, *run))
}

/// Opens with families; the handles are placed in the result.
pub(super) fn open_families(
    c: &mut Context<'_>,
    list: &str,
    dir: &str,
    names: &[&str],
) -> Option<(Handle, Vec<Handle>)> {
    let (options, path) = (c.options(list), c.path(dir));
    let texts = names.iter().map(|name| CString::new(*name).unwrap_or_default()).collect();
    let each = Arg::Numbers(vec![options; names.len()]);
    let mut handles = vec![0; names.len().max(1)];
    let args = args![options, path.as_path(), names.len(), Arg::Texts(texts), each, Arg::Place(0)];
    let result = c.abi.try_call_into("open_column_families", args, &mut handles);
    let db = c.outcome("open_column_families", result)?.handle();
    Some((db, handles))
}

/// A closed database with keys in tables and in the log.
pub(super) fn old_database(c: &mut Context<'_>, list: &str) {
    let Some(db) = c.fresh(list, "db") else { return };
    for n in 0..40 {
        c.put(db, &format!("key{n:03}"), "value");
        if n == 20 {
            c.flush(db);
        }
    }
    c.close(db);
}

pub(super) fn reopen(c: &mut Context<'_>, list: &str) {
    let options = c.options(list);
    if let Some(db) = c.open(options, "db") {
        c.get(db, "key007");
        c.get(db, "key033");
        c.close(db);
    }
}

fn read_only(c: &mut Context<'_>, list: &str, fail_if_log: u8) {
    let (options, path) = (c.options(list), c.path("db"));
    let Some(db) = c.attempt("open_for_read_only", args![options, path.as_path(), fail_if_log])
    else {
        return;
    };
    c.get(db, "key007");
    c.get(db, "key033");
    let wo = c.make("writeoptions_create", &[]);
    let fo = c.make("flushoptions_create", &[]);
    c.attempt("put", args![db, wo, b"key", b"value"]);
    c.attempt("delete", args![db, wo, b"key"]);
    c.attempt("merge", args![db, wo, b"key", b"value"]);
    c.attempt("flush", args![db, fo]);
    c.attempt("create_column_family", args![db, options, "more"]);
    c.attempt("disable_file_deletions", args![db]);
    c.attempt("flush_wal", args![db, 1]);
    let file = Arg::Texts(vec![CString::new("none.sst").unwrap_or_default()]);
    let io = c.make("ingestexternalfileoptions_create", &[]);
    c.attempt("ingest_external_file", args![db, file, 1, io]);
    let text = |text: &str| Arg::Texts(vec![CString::new(text).unwrap_or_default()]);
    c.attempt("set_options", args![db, 1, text("ttl"), text("5")]);
    c.close(db);
}

const OPENING: List = &[
    ("open: no directory, not created", |c| {
        let options = c.make("options_create", &[]);
        c.open(options, "none");
    }),
    ("open: an empty directory, not created", |c| {
        let options = c.make("options_create", &[]);
        let _ = std::fs::create_dir(c.path("db"));
        c.open(options, "db");
    }),
    ("open: a file in place of the directory", |c| {
        let _ = std::fs::write(c.path("db"), "text");
        let options = c.options("");
        c.open(options, "db");
    }),
    ("open: a file in place of the directory, not created", |c| {
        let _ = std::fs::write(c.path("db"), "text");
        let options = c.make("options_create", &[]);
        c.open(options, "db");
    }),
    ("open: twice in one process", |c| {
        let options = c.options("");
        let db = c.open(options, "db");
        c.open(options, "db");
        if let Some(db) = db {
            c.close(db);
        }
        reopen(c, "");
    }),
    ("open: error_if_exists", |c| {
        old_database(c, "");
        reopen(c, "error_if_exists=true");
    }),
    ("open: error_if_exists while it is open", |c| {
        let options = c.options("");
        let db = c.open(options, "db");
        reopen(c, "error_if_exists=true");
        if let Some(db) = db {
            c.close(db);
        }
    }),
    ("open: error_if_exists, nothing there", |c| reopen(c, "error_if_exists=true")),
    ("open: another comparator", |c| {
        old_database(c, "");
        reopen(c, "comparator=rocksdb.ReverseBytewiseComparator");
    }),
    ("open: back to the usual comparator", |c| {
        old_database(c, "comparator=rocksdb.ReverseBytewiseComparator");
        reopen(c, "");
    }),
    ("open: fewer levels than files", |c| {
        let Some(db) = c.fresh("num_levels=7;level_compaction_dynamic_level_bytes=true", "db")
        else {
            return;
        };
        c.put(db, "key007", "value");
        c.flush(db);
        c.compact(db);
        c.close(db);
        reopen(c, "num_levels=3");
    }),
    ("open: more levels", |c| {
        old_database(c, "num_levels=3");
        reopen(c, "num_levels=9");
    }),
    ("open: families that are not named", |c| {
        let Some(db) = c.fresh("", "db") else { return };
        let options = c.options("");
        c.must("create_column_family", args![db, options, "one"]);
        c.must("create_column_family", args![db, options, "two"]);
        c.close(db);
        reopen(c, "");
    }),
    ("open: a family that does not exist", |c| {
        old_database(c, "");
        open_families(c, "", "db", &["default", "more"]);
    }),
    ("open: a family that does not exist, created", |c| {
        old_database(c, "");
        open_families(c, "create_missing_column_families=true", "db", &["default", "more"]);
    }),
    ("open: without the default family", |c| {
        old_database(c, "");
        open_families(c, "", "db", &["more"]);
    }),
    ("open: a family named twice", |c| {
        old_database(c, "");
        open_families(c, "", "db", &["default", "default"]);
    }),
    ("open: no families at all", |c| {
        old_database(c, "");
        open_families(c, "", "db", &[]);
    }),
    ("open: a new database with a missing family", |c| {
        open_families(c, "", "db", &["default", "more"]);
    }),
    ("list families: no database", |c| {
        let options = c.options("");
        let path = c.path("none");
        let mut count = [0];
        let result = c.abi.try_call_into(
            "list_column_families",
            args![options, path.as_path(), Arg::Place(0)],
            &mut count,
        );
        c.outcome("list_column_families", result);
    }),
    ("destroy: no database", |c| {
        let (options, path) = (c.options(""), c.path("none"));
        c.attempt("destroy_db", args![options, path.as_path()]);
    }),
    ("destroy: an open database", |c| {
        let Some(db) = c.fresh("", "db") else { return };
        let (options, path) = (c.options(""), c.path("db"));
        c.attempt("destroy_db", args![options, path.as_path()]);
        c.close(db);
    }),
    ("destroy: a database with a stranger's file", |c| {
        old_database(c, "");
        let _ = std::fs::write(c.path("db/mine.txt"), "text");
        let (options, path) = (c.options(""), c.path("db"));
        c.attempt("destroy_db", args![options, path.as_path()]);
        let left = c.files("db", "").len();
        c.say(format!("{left} left"));
    }),
    ("repair: no database", |c| {
        let (options, path) = (c.options(""), c.path("none"));
        c.attempt("repair_db", args![options, path.as_path()]);
    }),
    ("repair: an open database", |c| {
        let Some(db) = c.fresh("", "db") else { return };
        let (options, path) = (c.options(""), c.path("db"));
        c.attempt("repair_db", args![options, path.as_path()]);
        c.close(db);
    }),
    ("repair: a healthy database", |c| {
        old_database(c, "");
        let (options, path) = (c.options(""), c.path("db"));
        c.attempt("repair_db", args![options, path.as_path()]);
        reopen(c, "");
    }),
    ("read-only: no database", |c| {
        let (options, path) = (c.make("options_create", &[]), c.path("none"));
        c.attempt("open_for_read_only", args![options, path.as_path(), 0]);
    }),
    ("read-only: no database, create_if_missing", |c| {
        let (options, path) = (c.options(""), c.path("none"));
        c.attempt("open_for_read_only", args![options, path.as_path(), 0]);
    }),
    ("read-only: an empty directory", |c| {
        let _ = std::fs::create_dir(c.path("db"));
        read_only(c, "", 0);
    }),
    ("read-only: every write", |c| {
        old_database(c, "");
        read_only(c, "", 0);
    }),
    ("read-only: fails if there is a log", |c| {
        old_database(c, "");
        read_only(c, "", 1);
    }),
    ("read-only: beside a writer", |c| {
        let Some(db) = c.fresh("", "db") else { return };
        c.put(db, "key007", "value");
        read_only(c, "", 0);
        c.close(db);
    }),
    ("read-only: a family that does not exist", |c| {
        old_database(c, "");
        let (options, path) = (c.options(""), c.path("db"));
        let names =
            ["default", "more"].iter().map(|n| CString::new(*n).unwrap_or_default()).collect();
        let handles = Arg::Numbers(vec![0; 2]);
        let each = Arg::Numbers(vec![options; 2]);
        c.attempt(
            "open_for_read_only_column_families",
            args![options, path.as_path(), 2, Arg::Texts(names), each, handles, 0],
        );
    }),
    ("ttl: opened without", |c| {
        let (options, path) = (c.options(""), c.path("db"));
        let Some(db) = c.attempt("open_with_ttl", args![options, path.as_path(), 1000]) else {
            return;
        };
        c.put(db, "key007", "value");
        c.close(db);
        reopen(c, "merge_operator=put");
    }),
    ("options: atomic_flush with pipelined writes", |c| {
        reopen(c, "atomic_flush=true;enable_pipelined_write=true")
    }),
    ("options: unordered and pipelined writes", |c| {
        reopen(c, "unordered_write=true;enable_pipelined_write=true")
    }),
    ("options: unordered writes, no concurrent memtable", |c| {
        reopen(c, "unordered_write=true;allow_concurrent_memtable_write=false")
    }),
    ("options: in place and concurrent", |c| {
        reopen(c, "inplace_update_support=true;allow_concurrent_memtable_write=true")
    }),
    ("options: block_align with compression", |c| {
        reopen(c, "block_based_table_factory={block_align=true};compression=kSnappyCompression")
    }),
    ("options: block_align, odd block size", |c| {
        reopen(
            c,
            "block_based_table_factory={block_align=true;block_size=5000};compression=kNoCompression",
        )
    }),
    ("options: hash index without extractor", |c| {
        reopen(c, "block_based_table_factory={index_type=kHashSearch}")
    }),
    ("options: cached filters without cache", |c| {
        reopen(
            c,
            "block_based_table_factory={no_block_cache=true;cache_index_and_filter_blocks=true}",
        )
    }),
    ("options: hash ratio 0 with hash index in blocks", |c| {
        reopen(
            c,
            "block_based_table_factory={data_block_index_type=kDataBlockBinaryAndHash;\
             data_block_hash_table_util_ratio=0}",
        )
    }),
    ("options: a dictionary trainer without size", |c| {
        reopen(c, "compression=kZSTD;compression_opts={zstd_max_train_bytes=100}")
    }),
    ("options: Xpress", |c| reopen(c, "compression=kXpressCompression")),
    ("options: PlainTable without mmap", |c| reopen(c, "table_factory=PlainTable")),
    ("options: PlainTable with ttl", |c| {
        reopen(c, "table_factory=PlainTable;allow_mmap_reads=true;ttl=100;prefix_extractor=fixed:3")
    }),
    ("options: FIFO with several levels", |c| {
        reopen(c, "compaction_style=kCompactionStyleFIFO;num_levels=7")
    }),
    ("options: FIFO with ttl", |c| {
        reopen(c, "compaction_style=kCompactionStyleFIFO;ttl=100;num_levels=1")
    }),
    ("options: universal, max_read_amp too small", |c| {
        reopen(
            c,
            "compaction_style=kCompactionStyleUniversal;level0_file_num_compaction_trigger=8;\
             compaction_options_universal={max_read_amp=3}",
        )
    }),
    ("options: universal, max_read_amp negative", |c| {
        reopen(
            c,
            "compaction_style=kCompactionStyleUniversal;compaction_options_universal={max_read_amp=-5}",
        )
    }),
    ("options: stop writes below slowdown", |c| {
        reopen(c, "level0_stop_writes_trigger=2;level0_slowdown_writes_trigger=20")
    }),
    ("options: wal_ttl with no logs kept", |c| reopen(c, "WAL_ttl_seconds=10;WAL_size_limit_MB=1")),
    ("options: recycled logs and kept ones", |c| {
        reopen(c, "recycle_log_file_num=4;WAL_ttl_seconds=10")
    }),
    ("options: recycled logs, absolute consistency", |c| {
        reopen(c, "recycle_log_file_num=4;wal_recovery_mode=kAbsoluteConsistency")
    }),
    ("options: best-efforts recovery with atomic flush", |c| {
        reopen(c, "best_efforts_recovery=true;atomic_flush=true")
    }),
    ("options: memtable_protection 3", |c| reopen(c, "memtable_protection_bytes_per_key=3")),
    ("options: block_protection 3", |c| reopen(c, "block_protection_bytes_per_key=3")),
    ("options: preserve seconds", |c| reopen(c, "preserve_internal_time_seconds=10")),
    ("options: delayed_write_rate 0", |c| reopen(c, "delayed_write_rate=0")),
    ("options: num_levels 1, leveled", |c| reopen(c, "num_levels=1")),
    ("options: num_levels 0", |c| {
        reopen(c, "num_levels=0;level_compaction_dynamic_level_bytes=false")
    }),
    ("options: five db_paths", |c| {
        let options = c.options("");
        let paths =
            (0..5).map(|n| c.make("dbpath_create", args![c.path(&n.to_string()).as_path(), 100]));
        let paths: Vec<u64> = paths.collect();
        c.call("options_set_db_paths", args![options, Arg::Numbers(paths), 5]);
        c.open(options, "db");
    }),
    ("options: max_successive_merges with in place", |c| {
        reopen(
            c,
            "max_successive_merges=3;inplace_update_support=true;allow_concurrent_memtable_write=false",
        )
    }),
];

const MISSING: &[(&str, &str)] = &[
    ("a table", ".sst"),
    ("CURRENT", "CURRENT"),
    ("MANIFEST", "MANIFEST-"),
    ("IDENTITY", "IDENTITY"),
    ("OPTIONS", "OPTIONS-"),
    ("the log", ".log"),
    ("LOCK", "LOCK"),
];

/// What is done to a file.
type Damage = fn(&mut Vec<u8>);

const DAMAGES: &[(&str, Damage)] = &[
    ("empty", |bytes| bytes.clear()),
    ("cut by one byte", |bytes| {
        bytes.pop();
    }),
    ("cut in half", |bytes| bytes.truncate(bytes.len() / 2)),
    ("first byte", |bytes| {
        if let Some(byte) = bytes.first_mut() {
            *byte ^= 0x55;
        }
    }),
    ("the middle", |bytes| {
        let at = bytes.len() / 2;
        if let Some(byte) = bytes.get_mut(at) {
            *byte ^= 0x55;
        }
    }),
    ("last byte", |bytes| {
        if let Some(byte) = bytes.last_mut() {
            *byte ^= 0x55;
        }
    }),
    ("a byte more", |bytes| bytes.push(7)),
];

fn lose(c: &mut Context<'_>, ending: &str, damage: Option<Damage>) {
    let Some(file) = c.files("db", ending).pop() else {
        c.say("no such file");
        return;
    };
    match damage {
        None => {
            let _ = std::fs::remove_file(&file);
        }
        Some(damage) => change(&file, damage),
    }
}

fn change(file: &Path, damage: fn(&mut Vec<u8>)) {
    let mut bytes = std::fs::read(file).unwrap_or_default();
    damage(&mut bytes);
    let _ = std::fs::write(file, bytes);
}

/// Files that are missing or damaged, opened in each mode that matters.
fn damaged() -> Vec<Case> {
    let mut cases = Vec::new();
    for (what, ending) in MISSING {
        for list in ["", "paranoid_checks=false"] {
            cases.push(Case::new(format!("missing: {what}, {list}"), move |c| {
                old_database(c, "");
                lose(c, ending, None);
                reopen(c, list);
            }));
        }
        if matches!(*ending, "LOCK" | "OPTIONS-") {
            continue;
        }
        for (how, damage) in DAMAGES {
            cases.push(Case::new(format!("damaged: {what}, {how}"), move |c| {
                old_database(c, "block_based_table_factory={format_version=5}");
                lose(c, ending, Some(*damage));
                reopen(c, "");
            }));
        }
    }
    for mode in
        ["kAbsoluteConsistency", "kTolerateCorruptedTailRecords", "kSkipAnyCorruptedRecords"]
    {
        for (how, damage) in DAMAGES {
            cases.push(Case::new(format!("damaged: the log, {how}, {mode}"), move |c| {
                old_database(c, "");
                lose(c, ".log", Some(*damage));
                reopen(c, &format!("wal_recovery_mode={mode}"));
            }));
        }
    }
    cases
}

/// All cases of this file.
pub(super) fn cases() -> Vec<Case> {
    of(OPENING).chain(damaged()).collect()
}
