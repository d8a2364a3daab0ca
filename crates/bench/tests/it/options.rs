//! A flag that sets an option sets it on both engines: the OPTIONS files that they write say the same.

use super::{Dir, good, library};
use ferrolith_bench::flags::{Fate, Kind, Row, TABLES};
use std::collections::BTreeMap;
use std::path::Path;

/// Flags that stay as they are, and why.
const LEFT: &[(&str, &str)] = &[
    ("enable_blob_files", "Ferrolith refuses it"),
    ("mmap_write", "Ferrolith refuses it"),
    ("memory_limit", "RocksDB has no such option"),
    ("use_direct_reads", "excludes --mmap_read"),
    ("universal_incremental", "Ferrolith refuses it"),
    ("preclude_last_level_data_seconds", "Ferrolith refuses it"),
    ("wal_dir", "the directories differ"),
    ("unordered_write", "excludes --enable_pipelined_write"),
    ("inplace_update_support", "excludes concurrent inserts"),
    ("persist_stats_to_disk", "adds a column family to RocksDB's database"),
    ("block_align", "excludes compression"),
    ("compaction_style", "is tried by itself"),
];

/// Values that are not the default plus one.
const VALUES: &[(&str, &str)] = &[
    ("checksum_type", "3"),
    ("compaction_pri", "1"),
    ("index_shortening_mode", "0"),
    ("universal_stop_style", "0"),
    ("min_level_to_compress", "2"),
    ("num_levels", "6"),
    ("format_version", "5"),
    ("memtable_protection_bytes_per_key", "8"),
    ("block_protection_bytes_per_key", "8"),
    ("max_bytes_for_level_multiplier_additional", "1,2,1,1,1,1"),
    ("merge_operator", "put"),
    ("wal_compression", "zstd"),
    ("compression_type", "lz4"),
    ("blob_compression_type", "lz4"),
    ("compression_level", "3"),
    ("periodic_compaction_seconds", "1000"),
    ("ttl_seconds", "2000"),
    ("arena_block_size", "65536"),
    ("super_block_alignment_size", "8192"),
    ("data_block_hash_table_util_ratio", "0.5"),
    ("max_bytes_for_level_multiplier", "11"),
];

/// Options that one of the two writes otherwise, and why.
const DIFFERENT: &[(&str, &str)] = &[(
    "experimental_mempurge_threshold",
    "RocksDB turns it off beside others of the options set here",
)];

fn other_value(row: &Row) -> String {
    if let Some((_, value)) = VALUES.iter().find(|(name, _)| *name == row.name) {
        return (*value).to_owned();
    }
    match row.kind {
        Kind::Bool => if row.default == "true" { "false" } else { "true" }.to_owned(),
        Kind::Double => (row.default.parse::<f64>().unwrap() / 2.0 + 0.25).to_string(),
        _ => (row.default.parse::<i128>().unwrap() + 1).to_string(),
    }
}

/// `section name` and value of each line of the newest OPTIONS file.
fn written(dir: &Path) -> BTreeMap<String, String> {
    let names = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let newest = names.filter(|path| path.to_string_lossy().contains("OPTIONS-")).max().unwrap();
    let (mut section, mut all) = (String::new(), BTreeMap::new());
    for line in std::fs::read_to_string(newest).unwrap().lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[') {
            section = name.split([' ', ']', '/']).next().unwrap().to_owned();
        } else if let Some((name, value)) = line.split_once('=') {
            all.insert(format!("{section} {name}"), value.to_owned());
        }
    }
    all
}

/// The value of `option` in a file: of a part, if it has a dot.
fn value_of(file: &BTreeMap<String, String>, option: &str) -> Option<String> {
    if let Some(name) = option.strip_prefix("block_based_table_factory.") {
        return file.get(&format!("TableOptions {name}")).cloned();
    }
    if let Some((part, name)) = option.split_once('.') {
        let text = file.get(&format!("CFOptions {part}"))?;
        let pairs =
            text.trim_matches(['{', '}']).split(';').filter_map(|pair| pair.split_once('='));
        return pairs.into_iter().find(|(n, _)| *n == name).map(|(_, value)| value.to_owned());
    }
    ["DBOptions", "CFOptions"]
        .iter()
        .find_map(|section| file.get(&format!("{section} {option}")).cloned())
}

fn same(ours: &str, theirs: &str) -> bool {
    let number = |text: &str| text.parse::<f64>().ok();
    ours == theirs || (number(ours).is_some() && number(ours) == number(theirs))
}

#[test]
fn flags_set_the_same_options_on_both_engines() {
    let Some(library) = library() else { return };
    let dir = Dir::new("options");
    let rows = || {
        let all = TABLES.iter().flat_map(|(_, rows)| rows.iter());
        all.filter_map(|row| match row.fate {
            Fate::Sets(option) => Some((row, option)),
            _ => None,
        })
    };
    let set: Vec<String> = rows()
        .filter(|(row, _)| !LEFT.iter().any(|(name, _)| *name == row.name))
        .map(|(row, _)| format!("--{}={}", row.name, other_value(row)))
        .collect();
    assert!(set.len() > 130, "{}", set.len());
    let run = |name: &str, engine: &[&str], more: &[&str]| {
        let mut args = vec!["--benchmarks=fillseq", "--num=10"];
        args.extend(more);
        let db = dir.arg("db", name);
        args.push(&db);
        args.extend(engine);
        good(&args);
        written(&dir.0.join(name))
    };
    let set: Vec<&str> = set.iter().map(String::as_str).collect();
    let universal = ["--compaction_style=1", "--num_levels=4", "--use_cuckoo_table=0"];
    for (round, flags) in [("many", &set[..]), ("defaults", &[]), ("universal", &universal)] {
        let ours = run(&format!("{round}-ours"), &[], flags);
        let theirs = run(&format!("{round}-theirs"), &[&library], flags);
        let mut wrong = Vec::new();
        for (row, option) in rows() {
            let (Some(ours), Some(theirs)) = (value_of(&ours, option), value_of(&theirs, option))
            else {
                continue;
            };
            if !same(&ours, &theirs) && !DIFFERENT.iter().any(|(name, _)| *name == option) {
                wrong.push(format!("--{}: {option}: ours {ours}, theirs {theirs}", row.name));
            }
        }
        assert!(wrong.is_empty(), "{round}: {wrong:#?}");
    }
}
