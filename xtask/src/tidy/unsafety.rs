//! The files that may contain `unsafe`, and the tests that would catch a mistake there.

use std::collections::BTreeMap;
use std::path::Path;

/// How unsafe code begins. It is split so that this file passes.
const FORMS: &[&str] =
    &[concat!("unsafe", " {"), concat!("unsafe", " fn"), concat!("unsafe", " impl")];

/// Miri, for the memtables and the codecs: docs/testing.md has the command, and the tests that it runs.
const MIRI: &str = "docs/testing.md";
/// Valgrind, AddressSanitizer and ThreadSanitizer, for the C ABI.
const SANITIZERS: &str = "tools/sanitize.sh";
const MEMTABLE: &str = "crates/engine/src/memtable/memtable_test.rs";
const BTREE: &str = "crates/engine/src/memtable/btree_test.rs";
const EPOCHS: &str = "crates/engine/src/env/epoch_test.rs";
const BTREE_LOOM: &str = "crates/engine/src/memtable/btree_loom_test.rs";
const POSIX: &str = "crates/engine/src/fs/posix/posix_test.rs";
const MAPPED_LOG: &str = "crates/engine/src/fs/posix/log_test.rs";
/// All frames in it are decoded with assertions that copies stay within their memory.
const ZSTD_DECODER: &str = "crates/engine/src/compress/zstd/small/decode/decode_test.rs";
const BENCH: &str = "crates/bench/tests/it/main.rs";
const INTEROP: &str = "crates/interop/tests/it/main.rs";

/// Files below `crates` with unsafe code outside tests, and the tools that check each. A name that ends with a slash is
/// a folder, in which every function takes pointers from C. Programs that only measure are not checked by a tool.
const ALLOWED: &[(&str, &[&str])] = &[
    ("bench/examples/thinness.rs", &[]),
    ("bench/src/target/capi.rs", &[BENCH]),
    ("bench/src/target/capi_backup.rs", &[BENCH]),
    ("bench/src/target/capi_options.rs", &[BENCH]),
    ("bench/src/target/capi_session.rs", &[BENCH]),
    ("bench/src/target/capi_transaction.rs", &[BENCH]),
    ("bench/src/target/forestdb/handle.rs", &["crates/bench/src/target/peers_test.rs"]),
    ("bench/src/target/forestdb/library.rs", &["crates/bench/src/target/peers_test.rs"]),
    ("bench/src/target/lmdb.rs", &[]),
    ("bench/src/target/symbols.rs", &[BENCH]),
    ("capi/", &[SANITIZERS]),
    ("engine/examples/table_get.rs", &[]),
    ("engine/src/base/prefetch.rs", &[BTREE]),
    ("engine/src/cache/heap.rs", &["crates/engine/src/cache/heap_test.rs"]),
    ("engine/src/cache/held.rs", &["crates/engine/src/cache/cache_test.rs"]),
    ("engine/src/cache/slots.rs", &["crates/engine/src/cache/cache_test.rs"]),
    ("engine/src/cache/stock.rs", &["crates/engine/src/cache/heap_test.rs"]),
    ("engine/src/compress/lz4/encode.rs", &["crates/engine/src/compress/lz4/lz4_test.rs", MIRI]),
    ("engine/src/compress/zstd/finalize.rs", &["crates/engine/src/compress/zstd/both_test.rs"]),
    ("engine/src/compress/zstd/small/decode/copy.rs", &[ZSTD_DECODER, MIRI]),
    ("engine/src/compress/zstd/small/decode/processor.rs", &[ZSTD_DECODER, MIRI]),
    ("engine/src/env/epoch.rs", &[EPOCHS, MIRI]),
    ("engine/src/env/epoch_slots.rs", &[EPOCHS, MIRI]),
    ("engine/src/env/mapping.rs", &["crates/engine/src/env/mapping_test.rs", MIRI]),
    ("engine/src/fs/posix/random_access.rs", &["crates/engine/src/fs/mem_test.rs"]),
    ("engine/src/fs/posix/sigbus.rs", &[MAPPED_LOG]),
    ("engine/src/fs/posix/sys.rs", &[POSIX]),
    ("engine/src/fs/posix/window.rs", &[POSIX, MAPPED_LOG]),
    ("engine/src/memtable/arena.rs", &["crates/engine/src/memtable/arena_test.rs", MIRI]),
    ("engine/src/memtable/btree.rs", &[BTREE, BTREE_LOOM, MIRI]),
    ("engine/src/memtable/btree_cursor.rs", &[BTREE, BTREE_LOOM, MIRI]),
    ("engine/src/memtable/btree_node.rs", &[BTREE, BTREE_LOOM, MIRI]),
    ("engine/src/memtable/btree_slot.rs", &[BTREE, BTREE_LOOM, MIRI]),
    ("engine/src/memtable/chunk.rs", &["crates/engine/src/memtable/arena_test.rs", MIRI]),
    ("engine/src/memtable/entry.rs", &[MEMTABLE, MIRI]),
    ("engine/src/memtable/hash.rs", &["crates/engine/src/memtable/hash_test.rs", MIRI]),
    ("engine/src/memtable/in_place.rs", &["crates/engine/src/memtable/in_place_test.rs", MIRI]),
    ("engine/src/memtable/iterator.rs", &[MEMTABLE, MIRI]),
    ("engine/src/memtable/memtable.rs", &[MEMTABLE, MIRI]),
    ("engine/src/memtable/sorted.rs", &[MEMTABLE, MIRI]),
    ("engine/src/memtable/spare.rs", &["crates/engine/src/memtable/spare_test.rs", MIRI]),
    ("engine/src/memtable/stripes.rs", &["crates/engine/src/memtable/in_place_test.rs", MIRI]),
    ("engine/src/memtable/tower.rs", &["crates/engine/src/memtable/hash_test.rs", MIRI]),
    ("engine/src/memtable/zeroed.rs", &["crates/engine/src/memtable/zeroed.rs", MIRI]),
    ("interop/src/abi.rs", &["crates/interop/tests/it/sweep.rs"]),
    ("interop/src/bin/os-calls/interpose.rs", &["crates/interop/tests/it/os_calls.rs"]),
    ("interop/src/bin/os-calls/sites.rs", &["crates/interop/tests/it/os_calls.rs"]),
    ("interop/src/c_functions.rs", &[INTEROP]),
    ("interop/src/figures.rs", &["crates/interop/tests/it/figures.rs"]),
    ("interop/src/phases.rs", &["crates/interop/tests/it/phases.rs"]),
    ("interop/src/theirs.rs", &[INTEROP]),
    ("librocksdb-sys/", &["crates/librocksdb-sys/program.rs"]),
];

/// Reports unsafe code in files that are not listed, rows that are not needed, and rows whose tools do not exist. Test
/// files of the engine may call unsafe code, because they are beside the code that they test.
pub(super) fn check(root: &Path, sources: &BTreeMap<String, String>, problems: &mut Vec<String>) {
    problems.extend(unlisted(sources));
    for (place, runs) in ALLOWED {
        let is_there = |(name, text): (&String, &String)| {
            name.strip_prefix("crates/").is_some_and(|name| name.starts_with(place))
                && first_unsafe(text).is_some()
        };
        if !sources.iter().any(is_there) {
            problems.push(format!(
                "xtask/src/tidy/unsafety.rs: there is no unsafe code in {place}: remove the row"
            ));
        }
        for run in runs.iter().filter(|run| !root.join(run).is_file()) {
            problems.push(format!(
                "xtask/src/tidy/unsafety.rs: {place}: {run} does not exist: name what tests it"
            ));
        }
    }
}

fn unlisted(sources: &BTreeMap<String, String>) -> Vec<String> {
    let mut problems = Vec::new();
    for (name, text) in sources {
        let below = name.strip_prefix("crates/").unwrap_or(name);
        let is_listed = |(place, _): &(&str, _)| {
            below == *place || place.ends_with('/') && below.starts_with(place)
        };
        if name.ends_with("_test.rs") || ALLOWED.iter().any(is_listed) {
            continue;
        }
        if let Some(line) = first_unsafe(text) {
            problems.push(format!(
                "{name}:{line}: unsafe code in a file that xtask/src/tidy/unsafety.rs does not list: add it \
                 with the runs that would catch a mistake"
            ));
        }
    }
    problems
}

/// Returns the line of the first unsafe code.
fn first_unsafe(text: &str) -> Option<usize> {
    let is_unsafe = |line: &str| {
        let code = line.split("//").next().unwrap_or("");
        FORMS.iter().any(|form| code.contains(form))
    };
    text.lines().position(is_unsafe).map(|at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_with_unsafe_code_must_be_listed() {
        let planted = format!("fn f() {{\n    {} g() }}\n}}\n", FORMS[0]);
        let found = |name: &str| unlisted(&BTreeMap::from([(name.to_owned(), planted.clone())]));
        assert_eq!(found("crates/engine/src/memtable/btree.rs"), [""; 0]);
        assert_eq!(found("crates/capi/src/new.rs"), [""; 0]);
        let problems = found("crates/engine/src/memtable/new.rs");
        assert!(problems[0].starts_with("crates/engine/src/memtable/new.rs:2: "), "{problems:?}");
    }

    #[test]
    fn rows_that_nothing_needs_are_found() {
        let mut problems = Vec::new();
        check(Path::new("/nowhere"), &BTreeMap::new(), &mut problems);
        let runs: usize = ALLOWED.iter().map(|(_, runs)| runs.len()).sum();
        assert_eq!(problems.len(), ALLOWED.len() + runs);
    }
}
