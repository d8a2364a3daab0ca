//! Every setter of an options object of the C ABI, with values that are usual, odd, negative, huge, or name nothing:
//! set, read back, use.

use super::exercise::{self, Exercise};
use super::{Case, Context};
use crate::abi::{Arg, Function, Handle, Returned, table};
use std::collections::HashSet;

/// Setters whose argument is no scalar, or whose handle is no options object: why they are not swept one by one.
const NOT_SWEPT: &[(&str, &str)] = &[
    ("block_based_options_set_filter_policy", "swept below, by the policy's own setting"),
    ("block_based_options_set_block_cache", "an object; its own settings are swept"),
    ("options_set_block_based_table_factory", "an object; its own settings are swept"),
    ("options_set_cuckoo_table_factory", "an object; its own settings are swept"),
    ("options_set_write_buffer_manager", "an object; its own settings are swept"),
    ("options_set_sst_file_manager", "an object; its own settings are swept"),
    ("options_set_universal_compaction_options", "an object; its own settings are swept"),
    ("options_set_fifo_compaction_options", "an object; its own settings are swept"),
    ("options_set_ratelimiter", "swept below, by the limiter's own settings"),
    ("options_set_row_cache", "an object; its own settings are swept"),
    ("options_set_blob_cache", "an object; its own settings are swept"),
    ("options_set_compaction_filter", "a callback"),
    ("options_set_compaction_filter_factory", "a callback"),
    ("options_set_comparator", "a callback"),
    ("options_set_merge_operator", "a callback"),
    ("options_set_prefix_extractor", "swept below, by the extractor's own setting"),
    ("options_set_env", "an object; its own settings are swept"),
    ("options_set_info_log", "a callback"),
    ("options_set_compression_per_level", "a list; swept below"),
    ("options_set_max_bytes_for_level_multiplier_additional", "a list; swept below"),
    ("options_set_db_paths", "paths; a situation"),
    ("options_set_cf_paths", "paths; a situation"),
    ("options_set_db_log_dir", "a path; a situation"),
    ("options_set_wal_dir", "a path; a situation"),
    ("backup_engine_options_set_backup_dir", "a path"),
    ("backup_engine_options_set_env", "an object"),
    ("lru_cache_options_set_memory_allocator", "a callback"),
    ("hyper_clock_cache_options_set_memory_allocator", "a callback"),
    ("readoptions_set_snapshot", "an object; a situation"),
    ("readoptions_set_iterate_upper_bound", "bytes; a situation"),
    ("readoptions_set_iterate_lower_bound", "bytes; a situation"),
    ("readoptions_set_timestamp", "user-defined timestamps are missing"),
    ("readoptions_set_iter_start_ts", "user-defined timestamps are missing"),
    ("compactoptions_set_full_history_ts_low", "user-defined timestamps are missing"),
    ("transaction_set_name", "a situation"),
    ("set_options", "text; the strings' group"),
    ("set_options_cf", "text; the strings' group"),
    ("import_column_family_options_set_move_files", "the files of an export; tests/it/outside.rs"),
    ("export_import_files_metadata_set_db_comparator_name", "the files of an export"),
    ("export_import_files_metadata_set_files", "the files of an export"),
    ("compactionfilter_set_ignore_snapshots", "a callback"),
    ("writebatch_set_save_point", "no setting"),
    ("writebatch_wi_set_save_point", "no setting"),
    ("transaction_set_savepoint", "no setting"),
];

/// Functions that set something without `_set_` in their name.
const SET_TOO: &[&str] = &[
    "options_compaction_readahead_size",
    "options_increase_parallelism",
    "options_optimize_for_point_lookup",
    "options_optimize_level_style_compaction",
    "options_optimize_universal_style_compaction",
    "writeoptions_disable_WAL",
];

fn is_swept(function: &Function) -> bool {
    let name = function.name;
    let sets = name.contains("set_") || SET_TOO.contains(&name);
    let other = name.contains("reset_") || name.contains("_get_") || name.starts_with("livefile_");
    let not_here = NOT_SWEPT.iter().any(|(left_out, _)| *left_out == name);
    sets && !other && !not_here && !name.contains("_create") && function.state != "unsupported"
}

/// Settings and their first values that are left out, as both libraries would wait for minutes or for ever, or
/// RocksDB would: a rate of a few bytes per second, gigabytes of disk taken ahead, no thread for the work.
const TAKES_LONG: &[(&str, &[i64])] = &[
    ("backup_engine_options_set_backup_rate_limit", &[1, 7, 4096]),
    ("backup_engine_options_set_restore_rate_limit", &[1, 7, 4096]),
    ("backup_engine_options_set_max_background_operations", &[0]),
    ("backup_engine_options_set_callback_trigger_interval_size", &[0]),
    ("options_optimize_level_style_compaction", &[1 << 32]),
    ("options_optimize_universal_style_compaction", &[1 << 32]),
    ("options_set_write_buffer_size", &[1 << 32]),
    ("options_set_manifest_preallocation_size", &[1 << 32]),
    ("wait_for_compact_options_set_timeout", &[1, 7, 4096]),
    ("ratelimiter_create_with_mode", &[1, 4096]),
    ("write_buffer_manager_create", &[1, 7, 4096]),
    // Whether the flush that passes the limit or the write behind it is told first, is chance.
    ("sst_file_manager_set_max_allowed_space_usage", &[1, 7]),
];

fn takes_long(name: &str, values: &[Arg]) -> bool {
    let number = |at: usize| match values.get(at) {
        Some(Arg::Number(n)) => *n as i64,
        _ => 0,
    };
    // The limiter's second setting is a period; so short a one is all overhead.
    let period = name == "ratelimiter_create_with_mode" && matches!(number(1), -1 | 1);
    period || TAKES_LONG.iter().any(|(of, list)| *of == name && list.contains(&number(0)))
}

/// Values worth a try, by the C type.
fn values(c_type: &str) -> Vec<Arg> {
    fn all<T: Copy + Into<Arg>>(list: &[T]) -> Vec<Arg> {
        list.iter().map(|&value| value.into()).collect()
    }
    match c_type {
        "unsigned char" => all::<u8>(&[0, 1, 255]),
        "bool" => all::<u8>(&[0, 1]),
        "char" => all::<i32>(&[-1, 0, 1, 2, 3, 4, 5, 127]),
        "int" | "int32_t" => all::<i32>(&[i32::MIN, -1, 0, 1, 2, 3, 4, 5, 7, 64, i32::MAX]),
        "uint32_t" | "unsigned int" => all::<u32>(&[0, 1, 2, 7, 4096, u32::MAX]),
        "int64_t" => all::<i64>(&[i64::MIN, -1, 0, 1, 4096, i64::MAX]),
        "uint64_t" | "size_t" => {
            all::<u64>(&[0, 1, 7, 4096, 1 << 20, 1 << 32, i64::MAX as u64, u64::MAX])
        }
        "double" => all::<f64>(&[-1.0, 0.0, 0.3, 0.5, 1.0, 2.0, 1e9, f64::INFINITY, f64::NAN]),
        other => panic!("no values for {other:?}"),
    }
}

fn shown(arg: &Arg) -> String {
    match arg {
        Arg::Number(n) => (*n as i64).to_string(),
        Arg::Double(n) => n.to_string(),
        other => format!("{other:?}"),
    }
}

/// All cases.
pub(super) fn cases() -> Vec<Case> {
    let table = table();
    let names: HashSet<&str> = table.iter().map(|function| function.name).collect();
    let mut cases = Vec::new();
    for function in table.iter().filter(|function| is_swept(function)) {
        let name = function.name;
        let exercise =
            exercise::of(name).unwrap_or_else(|| panic!("no situation uses the setting of {name}"));
        let getter = name.replacen("_set_", "_get_", 1);
        let getter = (getter != name && names.contains(&*getter)).then_some(getter);
        let types: Vec<_> =
            (1..function.arguments.len()).map(|at| function.argument_type(at)).collect();
        for arguments in combinations(&types) {
            if takes_long(name, &arguments) {
                continue;
            }
            let shown: Vec<_> = arguments.iter().map(shown).collect();
            let getter = getter.clone();
            cases.push(Case::new(format!("{name} {}", shown.join(" ")), move |c| {
                set_and_use(c, name, &arguments, getter.as_deref(), exercise);
            }));
        }
    }
    cases.extend(parts());
    cases.extend(lists());
    cases
}

/// Setters of lists.
fn lists() -> Vec<Case> {
    let lists: [&[i32]; 10] = [
        &[],
        &[0],
        &[-1],
        &[1],
        &[7, 0],
        &[0, 1, 4, 7],
        &[0, 8],
        &[99],
        &[1, -5, 1],
        &[i32::MAX, i32::MIN],
    ];
    let setters = [
        "options_set_compression_per_level",
        "options_set_max_bytes_for_level_multiplier_additional",
    ];
    let mut cases = Vec::new();
    for (setter, list) in
        setters.iter().flat_map(|setter| lists.iter().map(move |list| (*setter, *list)))
    {
        cases.push(Case::new(format!("{setter} {list:?}"), move |c| {
            let options = c.options("");
            c.call(setter, &[options.into(), Arg::Ints(list.to_vec()), list.len().into()]);
            exercise::life(c, options, setter);
        }));
    }
    cases
}

/// One odd argument at a time; the others are usual.
fn combinations(types: &[&str]) -> Vec<Vec<Arg>> {
    if types.is_empty() {
        return vec![Vec::new()];
    }
    let usual = |c_type: &str| match c_type {
        "double" => Arg::Double(1.0),
        "int64_t" => Arg::Number(1 << 24),
        _ => Arg::Number(1),
    };
    let mut all = Vec::new();
    for at in 0..types.len() {
        for value in values(types[at]) {
            let mut arguments: Vec<Arg> = types.iter().map(|c_type| usual(c_type)).collect();
            arguments[at] = value;
            all.push(arguments);
        }
    }
    all
}

fn set_and_use(
    c: &mut Context<'_>,
    name: &str,
    arguments: &[Arg],
    getter: Option<&str>,
    e: Exercise,
) {
    let handle = (e.make)(c);
    if name.ends_with("_rep") {
        // Most memtables take one writer at a time.
        c.call("options_set_allow_concurrent_memtable_write", &[handle.into(), 0.into()]);
    }
    if name == "options_set_plain_table_factory" {
        c.call("options_set_allow_mmap_reads", &[handle.into(), 1.into()]);
        let prefix = c.make("slicetransform_create_fixed_prefix", &[3.into()]);
        c.call("options_set_prefix_extractor", &[handle.into(), prefix.into()]);
    }
    c.call(name, &[&[handle.into()], arguments].concat());
    if let Some(getter) = getter {
        match c.call(getter, &[handle.into()]) {
            Returned::Double(n) => c.say(format!("is {n}")),
            n => c.say(format!("is {}", n.handle() as i64)),
        }
    }
    (e.use_it)(c, handle, name);
}

/// Objects whose settings are arguments of what makes them.
fn parts() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut part =
        |what: &'static str, types: &[&str], put: fn(&mut Context<'_>, Handle) -> Handle| {
            for arguments in combinations(types) {
                if takes_long(what, &arguments) {
                    continue;
                }
                let shown: Vec<_> = arguments.iter().map(shown).collect();
                cases.push(Case::new(format!("{what} {}", shown.join(" ")), move |c| {
                    let made = c.make(what, &arguments);
                    if made == 0 {
                        c.say("NULL");
                        return;
                    }
                    let options = put(c, made);
                    exercise::life(c, options, what);
                }));
            }
        };
    let filter = |c: &mut Context<'_>, made| {
        exercise::with_table(c, "block_based_options_set_filter_policy", made)
    };
    part("filterpolicy_create_bloom", &["double"], filter);
    part("filterpolicy_create_bloom_full", &["double"], filter);
    part("filterpolicy_create_ribbon", &["double"], filter);
    part("filterpolicy_create_ribbon_hybrid", &["double", "int"], filter);
    part("slicetransform_create_fixed_prefix", &["size_t"], |c, made| {
        exercise::with(c, "options_set_prefix_extractor", made)
    });
    let cache = |c: &mut Context<'_>, made| {
        exercise::with_table(c, "block_based_options_set_block_cache", made)
    };
    part("cache_create_lru", &["size_t"], cache);
    part("cache_create_lru_with_strict_capacity_limit", &["size_t"], cache);
    part("cache_create_hyper_clock", &["size_t", "size_t"], cache);
    let limiter = |c: &mut Context<'_>, made| exercise::with(c, "options_set_ratelimiter", made);
    part("ratelimiter_create_with_mode", &["int64_t", "int64_t", "int", "int", "bool"], limiter);
    part("write_buffer_manager_create", &["size_t", "bool"], |c, made| {
        exercise::with(c, "options_set_write_buffer_manager", made)
    });
    cases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_exists() {
        let names: HashSet<&str> = table().iter().map(|function| function.name).collect();
        for (name, _) in NOT_SWEPT {
            assert!(names.contains(name), "{name}");
        }
        assert!(cases().len() > 1500);
    }
}
