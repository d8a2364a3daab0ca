//! What is done with an options object after something was set in it.

use super::Context;
use crate::abi::Handle;
use crate::args;

/// How an object comes to be, and how it is used.
#[derive(Clone, Copy)]
pub(super) struct Exercise {
    /// Makes the object.
    pub(super) make: fn(&mut Context<'_>) -> Handle,
    /// Uses it; the text is the setter's name.
    pub(super) use_it: fn(&mut Context<'_>, Handle, &str),
}

/// The exercise for a setter, by the beginning of its name.
pub(super) fn of(setter: &str) -> Option<Exercise> {
    let table: &[(&str, Exercise)] = &[
        ("options_", Exercise { make: |c| c.options(""), use_it: life }),
        (
            "block_based_options_",
            Exercise { make: |c| c.make("block_based_options_create", &[]), use_it: table },
        ),
        (
            "cuckoo_options_",
            Exercise { make: |c| c.make("cuckoo_options_create", &[]), use_it: cuckoo },
        ),
        (
            "universal_compaction_options_",
            Exercise {
                make: |c| c.make("universal_compaction_options_create", &[]),
                use_it: |c, made, setter| {
                    let options = with(c, "options_set_universal_compaction_options", made);
                    c.call("options_set_compaction_style", args![options, 1]);
                    life(c, options, setter);
                },
            },
        ),
        (
            "fifo_compaction_options_",
            Exercise {
                make: |c| c.make("fifo_compaction_options_create", &[]),
                use_it: |c, made, setter| {
                    let options = with(c, "options_set_fifo_compaction_options", made);
                    c.call("options_set_compaction_style", args![options, 2]);
                    life(c, options, setter);
                },
            },
        ),
        (
            "lru_cache_options_",
            Exercise {
                make: |c| c.make("lru_cache_options_create", &[]),
                use_it: |c, made, setter| cache(c, "cache_create_lru_opts", made, setter),
            },
        ),
        (
            "hyper_clock_cache_options_",
            Exercise {
                make: |c| c.make("hyper_clock_cache_options_create", args![1 << 20, 4096]),
                use_it: |c, made, setter| cache(c, "cache_create_hyper_clock_opts", made, setter),
            },
        ),
        (
            "cache_set_",
            Exercise {
                make: |c| c.make("cache_create_lru", args![1 << 20]),
                use_it: |c, made, setter| {
                    let options = with_table(c, "block_based_options_set_block_cache", made);
                    life(c, options, setter);
                },
            },
        ),
        (
            "write_buffer_manager_",
            Exercise {
                make: |c| c.make("write_buffer_manager_create", args![1 << 20, 0]),
                use_it: |c, made, setter| {
                    let options = with(c, "options_set_write_buffer_manager", made);
                    life(c, options, setter);
                },
            },
        ),
        (
            "sst_file_manager_",
            Exercise {
                make: |c| {
                    let env = c.make("create_default_env", &[]);
                    c.make("sst_file_manager_create", args![env])
                },
                use_it: |c, made, setter| {
                    let options = with(c, "options_set_sst_file_manager", made);
                    life(c, options, setter);
                },
            },
        ),
        (
            "env_set_",
            Exercise {
                make: |c| c.make("create_default_env", &[]),
                use_it: |c, made, setter| {
                    let options = with(c, "options_set_env", made);
                    life(c, options, setter);
                },
            },
        ),
        ("set_perf_level", Exercise { make: |_| 0, use_it: |_, _, _| () }),
        ("readoptions_", Exercise { make: |c| c.make("readoptions_create", &[]), use_it: read }),
        ("writeoptions_", Exercise { make: |c| c.make("writeoptions_create", &[]), use_it: write }),
        ("flushoptions_", Exercise { make: |c| c.make("flushoptions_create", &[]), use_it: flush }),
        (
            "compactoptions_",
            Exercise { make: |c| c.make("compactoptions_create", &[]), use_it: compact },
        ),
        (
            "wait_for_compact_options_",
            Exercise {
                make: |c| c.make("wait_for_compact_options_create", &[]),
                use_it: |c, made, _| {
                    let Some(db) = filled(c, "") else { return };
                    c.attempt("wait_for_compact", args![db, made]);
                },
            },
        ),
        (
            "ingestexternalfileoptions_",
            Exercise { make: |c| c.make("ingestexternalfileoptions_create", &[]), use_it: ingest },
        ),
        (
            "backup_engine_options_",
            Exercise {
                make: |c| c.make("backup_engine_options_create", args![c.path("backup").as_path()]),
                use_it: |c, made, _| {
                    let restore = c.make("restore_options_create", &[]);
                    backup(c, made, restore);
                },
            },
        ),
        (
            "restore_options_",
            Exercise {
                make: |c| c.make("restore_options_create", &[]),
                use_it: |c, made, _| {
                    let options =
                        c.make("backup_engine_options_create", args![c.path("backup").as_path()]);
                    backup(c, options, made);
                },
            },
        ),
        (
            "transactiondb_options_",
            Exercise {
                make: |c| c.make("transactiondb_options_create", &[]),
                use_it: |c, made, _| {
                    let options = c.make("transaction_options_create", &[]);
                    transaction(c, made, options);
                },
            },
        ),
        (
            "transaction_options_",
            Exercise {
                make: |c| c.make("transaction_options_create", &[]),
                use_it: |c, made, _| {
                    let options = c.make("transactiondb_options_create", &[]);
                    transaction(c, options, made);
                },
            },
        ),
        (
            "transaction_set_",
            Exercise {
                make: |c| {
                    let options = c.make("transactiondb_options_create", &[]);
                    let how = c.make("transaction_options_create", &[]);
                    begin(c, options, how).unwrap_or(0)
                },
                use_it: |c, made, _| finish(c, made),
            },
        ),
        (
            "optimistictransaction_options_",
            Exercise {
                make: |c| c.make("optimistictransaction_options_create", &[]),
                use_it: optimistic,
            },
        ),
    ];
    table.iter().find(|(prefix, _)| setter.starts_with(prefix)).map(|(_, exercise)| *exercise)
}

/// Options with an object set.
pub(super) fn with(c: &mut Context<'_>, setter: &str, object: Handle) -> Handle {
    let options = c.options("");
    c.call(setter, args![options, object]);
    options
}

/// Options with an object set in their table's options.
pub(super) fn with_table(c: &mut Context<'_>, setter: &str, object: Handle) -> Handle {
    let table = c.make("block_based_options_create", &[]);
    c.call(setter, args![table, object]);
    with(c, "options_set_block_based_table_factory", table)
}

fn table(c: &mut Context<'_>, made: Handle, setter: &str) {
    let options = with(c, "options_set_block_based_table_factory", made);
    life(c, options, setter);
}

fn cuckoo(c: &mut Context<'_>, made: Handle, _: &str) {
    let options = with(c, "options_set_cuckoo_table_factory", made);
    c.call("options_set_allow_mmap_reads", args![options, 1]);
    let Some(db) = c.open(options, "db") else { return };
    (0..20).for_each(|n| c.put(db, &format!("key{n:03}"), "value"));
    c.flush(db);
    c.get(db, "key007");
    c.get(db, "nokey7");
    c.close(db);
}

fn cache(c: &mut Context<'_>, create: &str, made: Handle, setter: &str) {
    let cache = c.make(create, args![made]);
    if cache == 0 {
        c.say("NULL");
        return;
    }
    let options = with_table(c, "block_based_options_set_block_cache", cache);
    life(c, options, setter);
}

/// Opens a new database with these options, uses it, and opens it again with the usual ones.
pub(super) fn life(c: &mut Context<'_>, options: Handle, setter: &str) {
    let Some(db) = c.open(options, "db") else { return };
    let option =
        setter.trim_start_matches("options_set_").trim_start_matches("block_based_options_set_");
    for line in c.persisted("db", option) {
        c.say(line);
    }
    fill(c, db);
    let wait = c.make("wait_for_compact_options_create", &[]);
    c.must("wait_for_compact", args![db, wait]);
    c.get(db, "key007");
    c.get(db, "nokey7");
    let ro = c.make("readoptions_create", &[]);
    c.scan(db, ro, None);
    c.compact(db);
    c.get(db, "key033");
    c.close(db);
    let usual = c.options("");
    let path = c.path("db");
    let Some(db) = c.must("open", args![usual, path.as_path()]) else { return };
    c.get(db, "key049");
    c.close(db);
}

/// Fifty keys, some in tables, some in the log.
fn fill(c: &mut Context<'_>, db: Handle) {
    let value = "value ".repeat(30);
    for n in 0..50 {
        c.put(db, &format!("key{n:03}"), if n % 10 == 0 { &value } else { "value" });
        if n == 20 || n == 40 {
            c.flush(db);
        }
    }
}

fn filled(c: &mut Context<'_>, list: &str) -> Option<Handle> {
    let db = c.fresh(list, "db")?;
    fill(c, db);
    Some(db)
}

fn read(c: &mut Context<'_>, made: Handle, _: &str) {
    let Some(db) = filled(c, "prefix_extractor=rocksdb.FixedPrefix.5") else { return };
    c.get_with(db, made, "key007");
    c.get_with(db, made, "key049");
    c.get_with(db, made, "nokey7");
    c.scan(db, made, None);
    c.scan(db, made, Some("key02"));
    c.scan(db, made, Some("key"));
    let iter = c.make("create_iterator", args![db, made]);
    c.call("iter_seek_for_prev", args![iter, b"key025x"]);
    c.drain(iter);
    c.close(db);
}

fn write(c: &mut Context<'_>, made: Handle, _: &str) {
    let Some(db) = filled(c, "") else { return };
    c.attempt("put", args![db, made, b"key", b"value"]);
    c.attempt("delete", args![db, made, b"key007"]);
    let batch = c.make("writebatch_create", &[]);
    c.call("writebatch_put", args![batch, b"more", b"value"]);
    c.attempt("write", args![db, made, batch]);
    c.get(db, "key");
    c.get(db, "key007");
    c.flush(db);
    c.close(db);
}

fn flush(c: &mut Context<'_>, made: Handle, _: &str) {
    let Some(db) = filled(c, "") else { return };
    c.attempt("flush", args![db, made]);
    c.attempt("flush", args![db, made]);
    c.get(db, "key049");
    c.close(db);
}

fn compact(c: &mut Context<'_>, made: Handle, _: &str) {
    let Some(db) = filled(c, "num_levels=5") else { return };
    c.call("compact_range_opt", args![db, made, 0, 0, 0, 0]);
    c.get(db, "key007");
    c.close(db);
}

fn ingest(c: &mut Context<'_>, made: Handle, _: &str) {
    let Some(db) = filled(c, "") else { return };
    let file = table_file(c, "in.sst", &["key007", "key100"]);
    c.attempt("ingest_external_file", args![db, crate::abi::Arg::Texts(vec![file]), 1, made]);
    c.get(db, "key007");
    c.get(db, "key100");
    let left = c.path("in.sst").exists();
    c.say(format!("file left: {left}"));
    c.close(db);
}

/// Makes a table outside of a database.
pub(super) fn table_file(c: &mut Context<'_>, name: &str, keys: &[&str]) -> std::ffi::CString {
    let (env, options) = (c.make("envoptions_create", &[]), c.options(""));
    let writer = c.make("sstfilewriter_create", args![env, options]);
    let path = c.path(name);
    c.must("sstfilewriter_open", args![writer, path.as_path()]);
    for key in keys {
        c.must("sstfilewriter_put", args![writer, key.as_bytes(), b"ingested"]);
    }
    c.must("sstfilewriter_finish", args![writer]);
    c.call("sstfilewriter_destroy", args![writer]);
    std::ffi::CString::new(path.to_string_lossy().as_ref()).unwrap_or_default()
}

fn backup(c: &mut Context<'_>, options: Handle, restore: Handle) {
    let Some(db) = filled(c, "") else { return };
    let env = c.make("create_default_env", &[]);
    let Some(engine) = c.attempt("backup_engine_open_opts", args![options, env]) else { return };
    for _ in 0..2 {
        c.attempt("backup_engine_create_new_backup", args![engine, db]);
        c.put(db, "more", "value");
    }
    c.close(db);
    let to = c.path("restored");
    let to = to.as_path();
    c.attempt("backup_engine_restore_db_from_latest_backup", args![engine, to, to, restore]);
    c.call("backup_engine_close", args![engine]);
    let plain = c.options("");
    if let Some(db) = c.open(plain, "restored") {
        c.get(db, "key049");
        c.get(db, "more");
        c.close(db);
    }
}

fn begin(c: &mut Context<'_>, db_options: Handle, options: Handle) -> Option<Handle> {
    let (plain, path) = (c.options(""), c.path("db"));
    let db = c.attempt("transactiondb_open", args![plain, db_options, path.as_path()])?;
    let wo = c.make("writeoptions_create", &[]);
    c.attempt("transactiondb_put", args![db, wo, b"key", b"value"]);
    Some(c.make("transaction_begin", args![db, wo, options, 0]))
}

fn finish(c: &mut Context<'_>, txn: Handle) {
    for key in ["a", "b", "c"] {
        c.attempt("transaction_put", args![txn, key.as_bytes(), b"value"]);
    }
    c.attempt("transaction_commit", args![txn]);
}

fn transaction(c: &mut Context<'_>, db_options: Handle, options: Handle) {
    if let Some(txn) = begin(c, db_options, options) {
        finish(c, txn);
    }
}

fn optimistic(c: &mut Context<'_>, made: Handle, _: &str) {
    let (plain, path) = (c.options(""), c.path("db"));
    let Some(db) = c.attempt("optimistictransactiondb_open", args![plain, path.as_path()]) else {
        return;
    };
    let wo = c.make("writeoptions_create", &[]);
    let txn = c.make("optimistictransaction_begin", args![db, wo, made, 0]);
    finish(c, txn);
}
