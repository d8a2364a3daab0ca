//! Checkpoints, exports, backups, OPTIONS files, and other maintenance.

use super::filled;
use crate::abi::Arg;
use crate::args;
use crate::sweep::situations::List;

pub(super) const CASES: List = &[
    ("checkpoint: into a directory that exists", |c| {
        let Some(db) = filled(c, "") else { return };
        let Some(checkpoint) = c.must("checkpoint_object_create", args![db]) else { return };
        let _ = std::fs::create_dir(c.path("copy"));
        let path = c.path("copy");
        c.attempt("checkpoint_create", args![checkpoint, path.as_path(), 0]);
        c.close(db);
    }),
    ("checkpoint: into no path, into /, into a missing parent", |c| {
        let Some(db) = filled(c, "") else { return };
        let Some(checkpoint) = c.must("checkpoint_object_create", args![db]) else { return };
        c.attempt("checkpoint_create", args![checkpoint, "", 0]);
        c.attempt("checkpoint_create", args![checkpoint, "/", 0]);
        let path = c.path("none/copy");
        c.attempt("checkpoint_create", args![checkpoint, path.as_path(), 0]);
        c.close(db);
    }),
    ("checkpoint: twice", |c| {
        let Some(db) = filled(c, "") else { return };
        let Some(checkpoint) = c.must("checkpoint_object_create", args![db]) else { return };
        let path = c.path("copy");
        c.attempt("checkpoint_create", args![checkpoint, path.as_path(), 0]);
        c.attempt("checkpoint_create", args![checkpoint, path.as_path(), 0]);
        c.close(db);
    }),
    ("export: into a directory that exists", |c| {
        let Some(db) = filled(c, "") else { return };
        let Some(checkpoint) = c.must("checkpoint_object_create", args![db]) else { return };
        let cf = c.make("get_default_column_family_handle", args![db]);
        let _ = std::fs::create_dir(c.path("copy"));
        let path = c.path("copy");
        c.attempt("checkpoint_export_column_family", args![checkpoint, cf, path.as_path()]);
        c.attempt("checkpoint_export_column_family", args![checkpoint, cf, ""]);
        c.close(db);
    }),
    ("backup: none to restore", |c| {
        let (options, path) = (c.options(""), c.path("backup"));
        let Some(engine) = c.attempt("backup_engine_open", args![options, path.as_path()]) else {
            return;
        };
        let (restore, to) = (c.make("restore_options_create", &[]), c.path("to"));
        let to = to.as_path();
        c.attempt("backup_engine_restore_db_from_latest_backup", args![engine, to, to, restore]);
        c.attempt("backup_engine_restore_db_from_backup", args![engine, to, to, restore, 7]);
        c.attempt("backup_engine_verify_backup", args![engine, 7]);
        c.attempt("backup_engine_purge_old_backups", args![engine, 2]);
    }),
    ("backup: a damaged table in it", |c| {
        let Some(db) = filled(c, "") else { return };
        let (options, path) = (c.options(""), c.path("backup"));
        let Some(engine) = c.must("backup_engine_open", args![options, path.as_path()]) else {
            return;
        };
        c.attempt("backup_engine_create_new_backup_flush", args![engine, db, 1]);
        let tables = c.files("backup/shared_checksum", ".sst");
        for table in tables {
            let _ = std::fs::write(table, "short");
        }
        c.attempt("backup_engine_verify_backup", args![engine, 1]);
        let (restore, to) = (c.make("restore_options_create", &[]), c.path("to"));
        let to = to.as_path();
        c.attempt("backup_engine_restore_db_from_latest_backup", args![engine, to, to, restore]);
        c.close(db);
    }),
    ("backup: a missing table in it", |c| {
        let Some(db) = filled(c, "") else { return };
        let (options, path) = (c.options(""), c.path("backup"));
        let Some(engine) = c.must("backup_engine_open", args![options, path.as_path()]) else {
            return;
        };
        c.attempt("backup_engine_create_new_backup_flush", args![engine, db, 1]);
        for table in c.files("backup/shared_checksum", ".sst") {
            let _ = std::fs::remove_file(table);
        }
        c.attempt("backup_engine_verify_backup", args![engine, 1]);
        c.call("backup_engine_close", args![engine]);
        let engine = c.attempt("backup_engine_open", args![options, path.as_path()]);
        if let Some(engine) = engine {
            let info = c.make("backup_engine_get_backup_info", args![engine]);
            let count = c.call("backup_engine_info_count", args![info]);
            c.say(format!("{count:?}"));
        }
        c.close(db);
    }),
    ("backup: a file in place of its directory", |c| {
        let _ = std::fs::write(c.path("backup"), "text");
        let (options, path) = (c.options(""), c.path("backup"));
        c.attempt("backup_engine_open", args![options, path.as_path()]);
    }),
    ("options file: no directory", |c| {
        let (env, path) = (c.make("create_default_env", &[]), c.path("none"));
        let cache = c.make("cache_create_lru", args![1 << 20]);
        let mut places = [0; 4];
        let args = args![env, 0, cache];
        let args = [
            &[Arg::from(path.as_path())],
            &args[..],
            &[Arg::Place(0), Arg::Place(1), Arg::Place(2), Arg::Place(3)],
        ]
        .concat();
        let result = c.abi.try_call_into("load_latest_options", &args, &mut places);
        c.outcome("load_latest_options", result);
    }),
    ("wait for compact: then closed", |c| {
        let Some(db) = filled(c, "") else { return };
        let how = c.make("wait_for_compact_options_create", &[]);
        c.call("wait_for_compact_options_set_close_db", args![how, 1]);
        c.attempt("wait_for_compact", args![db, how]);
    }),
    ("manual compaction disabled", |c| {
        let Some(db) = filled(c, "") else { return };
        c.call("disable_manual_compaction", args![db]);
        c.compact(db);
        c.attempt("suggest_compact_range", args![db, b"a", b"z"]);
        c.call("enable_manual_compaction", args![db]);
        c.get(db, "key007");
        c.close(db);
    }),
    ("plain table: no prefix", |c| {
        let Some(db) = c.fresh("table_factory=PlainTable;allow_mmap_reads=true", "db") else {
            return;
        };
        c.put(db, "key", "value");
        c.flush(db);
        c.get(db, "key");
    }),
    ("hash memtable with concurrent writes", |c| {
        let options = c.options("");
        c.call("options_set_hash_skip_list_rep", args![options, 100, 4, 4]);
        c.open(options, "db");
    }),
];
