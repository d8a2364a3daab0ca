//! Situations of an open database: families, iterators, tables from outside, transactions, copies.

use super::exercise::table_file;
use super::situations::{List, of, open_families};
use super::{Case, Context};
use crate::abi::{Arg, Handle};
use crate::args;
use std::ffi::CString;

fn filled(c: &mut Context<'_>, list: &str) -> Option<Handle> {
    let db = c.fresh(list, "db")?;
    (0..30).for_each(|n| c.put(db, &format!("key{n:03}"), "value"));
    Some(db)
}

fn writes(c: &mut Context<'_>) -> Handle {
    c.make("writeoptions_create", &[])
}

/// A read option set, and what scans from three starts find.
fn scans(c: &mut Context<'_>, list: &str, set: fn(&Context<'_>, Handle)) {
    let Some(db) = filled(c, list) else { return };
    let ro = c.make("readoptions_create", &[]);
    set(c, ro);
    for start in [None, Some(""), Some("key"), Some("key010"), Some("k"), Some("zzz")] {
        c.scan(db, ro, start);
    }
    let iter = c.make("create_iterator", args![db, ro]);
    c.call("iter_seek_to_last", args![iter]);
    c.drain(iter);
    let iter = c.make("create_iterator", args![db, ro]);
    c.call("iter_seek_for_prev", args![iter, b"kez"]);
    c.drain(iter);
    c.close(db);
}

fn bounds(c: &Context<'_>, ro: Handle, lower: Option<&'static str>, upper: Option<&'static str>) {
    if let Some(lower) = lower {
        // RocksDB keeps the pointer.
        c.call(
            "readoptions_set_iterate_lower_bound",
            args![ro, lower.as_ptr() as u64, lower.len()],
        );
    }
    if let Some(upper) = upper {
        c.call(
            "readoptions_set_iterate_upper_bound",
            args![ro, upper.as_ptr() as u64, upper.len()],
        );
    }
}

/// A dropped family, and what can still be done with it.
fn dropped(c: &mut Context<'_>, then: fn(&mut Context<'_>, Handle, Handle)) {
    let Some(db) = filled(c, "") else { return };
    let options = c.options("");
    let Some(family) = c.must("create_column_family", args![db, options, "more"]) else { return };
    let wo = writes(c);
    c.must("put_cf", args![db, wo, family, b"key", b"value"]);
    c.attempt("drop_column_family", args![db, family]);
    then(c, db, family);
    c.call("column_family_handle_destroy", args![family]);
    c.close(db);
}

fn ingest(c: &mut Context<'_>, db: Handle, files: Vec<CString>) {
    let (io, count) = (c.make("ingestexternalfileoptions_create", &[]), files.len());
    c.attempt("ingest_external_file", args![db, Arg::Texts(files), count, io]);
}

fn text(text: impl AsRef<str>) -> CString {
    CString::new(text.as_ref()).unwrap_or_default()
}

/// A file made by `damage` of a good one, ingested.
fn ingest_damaged(c: &mut Context<'_>, damage: fn(&mut Vec<u8>)) {
    let Some(db) = filled(c, "") else { return };
    let file = table_file(c, "in.sst", &["key100", "key200"]);
    let path = c.path("in.sst");
    let mut bytes = std::fs::read(&path).unwrap_or_default();
    damage(&mut bytes);
    let _ = std::fs::write(&path, bytes);
    ingest(c, db, vec![file]);
    c.get(db, "key100");
    c.close(db);
}

fn writer(c: &mut Context<'_>) -> Handle {
    let (env, options) = (c.make("envoptions_create", &[]), c.options(""));
    c.make("sstfilewriter_create", args![env, options])
}

fn opened_writer(c: &mut Context<'_>) -> Handle {
    let (writer, path) = (writer(c), c.path("out.sst"));
    c.must("sstfilewriter_open", args![writer, path.as_path()]);
    writer
}

/// A transactional database and two transactions.
fn pair(c: &mut Context<'_>) -> Option<(Handle, Handle, Handle)> {
    let (plain, path) = (c.options(""), c.path("db"));
    let how = c.make("transactiondb_options_create", &[]);
    c.call("transactiondb_options_set_transaction_lock_timeout", args![how, 1]);
    c.call("transactiondb_options_set_default_lock_timeout", args![how, 1]);
    let db = c.must("transactiondb_open", args![plain, how, path.as_path()])?;
    let (wo, to) = (writes(c), c.make("transaction_options_create", &[]));
    let one = c.make("transaction_begin", args![db, wo, to, 0]);
    let two = c.make("transaction_begin", args![db, wo, to, 0]);
    Some((db, one, two))
}

fn optimistic(c: &mut Context<'_>) -> Option<(Handle, Handle, Handle)> {
    let (plain, path) = (c.options(""), c.path("db"));
    let db = c.must("optimistictransactiondb_open", args![plain, path.as_path()])?;
    let (wo, to) = (writes(c), c.make("optimistictransaction_options_create", &[]));
    let one = c.make("optimistictransaction_begin", args![db, wo, to, 0]);
    let two = c.make("optimistictransaction_begin", args![db, wo, to, 0]);
    Some((db, one, two))
}

fn txn_put(c: &mut Context<'_>, txn: Handle, key: &str) {
    c.attempt("transaction_put", args![txn, key.as_bytes(), b"value"]);
}

fn name(c: &mut Context<'_>, txn: Handle, name: &str) {
    c.attempt("transaction_set_name", args![txn, name.as_bytes()]);
}

fn write_bytes(c: &mut Context<'_>, rep: &[u8]) {
    let Some(db) = filled(c, "") else { return };
    let wo = writes(c);
    let batch = c.make("writebatch_create_from", args![rep]);
    c.attempt("write", args![db, wo, batch]);
    c.close(db);
}

fn delete_range(c: &mut Context<'_>, begin: &str, end: &str) {
    let Some(db) = filled(c, "") else { return };
    let (wo, cf) = (writes(c), c.make("get_default_column_family_handle", args![db]));
    c.attempt("delete_range_cf", args![db, wo, cf, begin.as_bytes(), end.as_bytes()]);
    c.get(db, begin);
    c.close(db);
}

const USES: List = &[
    ("merge: without operator", |c| {
        let Some(db) = filled(c, "") else { return };
        let wo = writes(c);
        c.attempt("merge", args![db, wo, b"key", b"value"]);
        c.close(db);
    }),
    ("merge: operator fails", |c| {
        let Some(db) = filled(c, "merge_operator=uint64add") else { return };
        let wo = writes(c);
        c.attempt("merge", args![db, wo, b"key007", b"12345678"]);
        c.get(db, "key007x");
        c.close(db);
    }),
    ("delete_range: end before begin", |c| delete_range(c, "key020", "key010")),
    ("delete_range: nothing between", |c| delete_range(c, "key010", "key010")),
    ("write: no log, yet synced", |c| {
        let Some(db) = filled(c, "") else { return };
        let wo = writes(c);
        c.call("writeoptions_set_sync", args![wo, 1]);
        c.call("writeoptions_disable_WAL", args![wo, 1]);
        c.attempt("put", args![db, wo, b"key", b"value"]);
        c.close(db);
    }),
    ("write: an empty batch's bytes", |c| write_bytes(c, b"")),
    ("write: a batch shorter than its header", |c| write_bytes(c, b"short")),
    ("write: a batch without the records it counts", |c| {
        write_bytes(c, b"\0\0\0\0\0\0\0\0\x01\0\0\0")
    }),
    ("write: a batch with an unknown record", |c| {
        write_bytes(c, b"\0\0\0\0\0\0\0\0\x01\0\0\0\x7f")
    }),
    ("write: a batch with half a record", |c| {
        write_bytes(c, b"\0\0\0\0\0\0\0\0\x01\0\0\0\x01\x09k")
    }),
    ("write: a batch with a wrong count", |c| {
        let Some(db) = filled(c, "") else { return };
        let wo = writes(c);
        let batch =
            c.make("writebatch_create_from", args![b"\0\0\0\0\0\0\0\0\x05\0\0\0\x01\x01k\x01v"]);
        c.attempt("write", args![db, wo, batch]);
        c.get(db, "k");
        c.close(db);
    }),
    ("write: a batch for an unknown family", |c| {
        let Some(db) = filled(c, "") else { return };
        let wo = writes(c);
        let rep = b"\0\0\0\0\0\0\0\0\x01\0\0\0\x05\x09\x01k\x01v";
        let batch = c.make("writebatch_create_from", args![rep]);
        c.attempt("write", args![db, wo, batch]);
        c.close(db);
    }),
    ("write: a batch for an unknown family, ignored", |c| {
        let Some(db) = filled(c, "") else { return };
        let wo = writes(c);
        let rep = b"\0\0\0\0\0\0\0\0\x01\0\0\0\x05\x09\x01k\x01v";
        let batch = c.make("writebatch_create_from", args![rep]);
        c.call("writeoptions_set_ignore_missing_column_families", args![wo, 1]);
        c.attempt("write", args![db, wo, batch]);
        c.close(db);
    }),
    ("batch: rollback without save point", |c| {
        let batch = c.make("writebatch_create", &[]);
        c.attempt("writebatch_rollback_to_save_point", args![batch]);
        c.attempt("writebatch_pop_save_point", args![batch]);
        let indexed = c.make("writebatch_wi_create", args![0, 1]);
        c.attempt("writebatch_wi_rollback_to_save_point", args![indexed]);
    }),
    ("families: created twice", |c| {
        let Some(db) = filled(c, "") else { return };
        let options = c.options("");
        c.attempt("create_column_family", args![db, options, "more"]);
        c.attempt("create_column_family", args![db, options, "more"]);
        c.attempt("create_column_family", args![db, options, "default"]);
        c.attempt("create_column_family", args![db, options, ""]);
        c.close(db);
    }),
    ("families: the default one dropped", |c| {
        let Some(db) = filled(c, "") else { return };
        let cf = c.make("get_default_column_family_handle", args![db]);
        c.attempt("drop_column_family", args![db, cf]);
        c.close(db);
    }),
    ("families: dropped twice", |c| {
        dropped(c, |c, db, cf| {
            c.attempt("drop_column_family", args![db, cf]);
        });
    }),
    ("families: a dropped one written", |c| {
        dropped(c, |c, db, cf| {
            let wo = writes(c);
            c.attempt("put_cf", args![db, wo, cf, b"key", b"value"]);
        });
    }),
    ("families: a dropped one read", |c| {
        dropped(c, |c, db, cf| {
            let ro = c.make("readoptions_create", &[]);
            let mut len = [0];
            let result =
                c.abi.try_call_into("get_cf", args![db, ro, cf, b"key", Arg::Place(0)], &mut len);
            c.outcome("get_cf", result);
            let iter = c.make("create_iterator_cf", args![db, ro, cf]);
            c.call("iter_seek_to_first", args![iter]);
            c.drain(iter);
        });
    }),
    ("families: a dropped one flushed", |c| {
        dropped(c, |c, db, cf| {
            let fo = c.make("flushoptions_create", &[]);
            c.attempt("flush_cf", args![db, fo, cf]);
        });
    }),
    ("families: a dropped one changed", |c| {
        dropped(c, |c, db, cf| {
            let list = |s| Arg::Texts(vec![text(s)]);
            c.attempt("set_options_cf", args![db, cf, 1, list("ttl"), list("5")]);
        });
    }),
    ("families: a dropped one ingests", |c| {
        dropped(c, |c, db, cf| {
            let file = table_file(c, "in.sst", &["a"]);
            let io = c.make("ingestexternalfileoptions_create", &[]);
            c.attempt("ingest_external_file_cf", args![db, cf, Arg::Texts(vec![file]), 1, io]);
        });
    }),
    ("families: a dropped one's properties", |c| {
        dropped(c, |c, db, cf| {
            let value = c.make("property_value_cf", args![db, cf, "rocksdb.estimate-num-keys"]);
            let value = c.abi.take_text(value);
            c.say(format!("{value:?}"));
        });
    }),
    ("families: created while others are dropped", |c| {
        dropped(c, |c, db, _| {
            let options = c.options("");
            c.attempt("create_column_family", args![db, options, "more"]);
        });
    }),
    ("families: two of the same database in one batch", |c| {
        let Some((db, cfs)) =
            open_families(c, "create_missing_column_families=true", "db", &["default", "one"])
        else {
            return;
        };
        let (wo, batch) = (writes(c), c.make("writebatch_create", &[]));
        for cf in cfs {
            c.call("writebatch_put_cf", args![batch, cf, b"key", b"value"]);
        }
        c.attempt("write", args![db, wo, batch]);
    }),
    ("iterate: lower bound above the upper", |c| {
        scans(c, "", |c, ro| bounds(c, ro, Some("key020"), Some("key010")))
    }),
    ("iterate: equal bounds", |c| {
        scans(c, "", |c, ro| bounds(c, ro, Some("key010"), Some("key010")))
    }),
    ("iterate: bounds between keys", |c| {
        scans(c, "", |c, ro| bounds(c, ro, Some("key0095"), Some("key0125")))
    }),
    ("iterate: an upper bound before all", |c| {
        scans(c, "", |c, ro| bounds(c, ro, None, Some("a")))
    }),
    ("iterate: a lower bound behind all", |c| scans(c, "", |c, ro| bounds(c, ro, Some("z"), None))),
    ("iterate: empty bounds", |c| scans(c, "", |c, ro| bounds(c, ro, Some(""), Some("")))),
    ("iterate: persisted tier", |c| {
        scans(c, "", |c, ro| {
            c.call("readoptions_set_read_tier", args![ro, 2]);
        });
    }),
    ("iterate: cached tier", |c| {
        scans(c, "", |c, ro| {
            c.call("readoptions_set_read_tier", args![ro, 1]);
        });
    }),
    ("iterate: few skippable keys", |c| {
        let Some(db) = filled(c, "") else { return };
        let (wo, ro) = (writes(c), c.make("readoptions_create", &[]));
        (0..20).for_each(|n| {
            c.must("delete", args![db, wo, format!("key{n:03}").as_bytes()]);
        });
        c.call("readoptions_set_max_skippable_internal_keys", args![ro, 5]);
        c.scan(db, ro, None);
        c.close(db);
    }),
    ("iterate: the start's prefix, fixed", |c| {
        scans(c, "prefix_extractor=fixed:5", |c, ro| {
            c.call("readoptions_set_prefix_same_as_start", args![ro, 1]);
        });
    }),
    ("iterate: the start's prefix, capped", |c| {
        scans(c, "prefix_extractor=capped:5", |c, ro| {
            c.call("readoptions_set_prefix_same_as_start", args![ro, 1]);
        });
    }),
    ("iterate: the start's prefix, fixed, longer than keys", |c| {
        scans(c, "prefix_extractor=fixed:9", |c, ro| {
            c.call("readoptions_set_prefix_same_as_start", args![ro, 1]);
        });
    }),
    ("iterate: the start's prefix without extractor", |c| {
        scans(c, "", |c, ro| {
            c.call("readoptions_set_prefix_same_as_start", args![ro, 1]);
        });
    }),
    ("iterate: next and prev where it is not valid", |c| {
        let Some(db) = filled(c, "") else { return };
        let ro = c.make("readoptions_create", &[]);
        let iter = c.make("create_iterator", args![db, ro]);
        c.attempt("iter_get_error", args![iter]);
        c.call("iter_seek", args![iter, b"zzz"]);
        let valid = c.call("iter_valid", args![iter]);
        c.say(format!("{valid:?}"));
        c.attempt("iter_get_error", args![iter]);
        c.attempt("iter_refresh", args![iter]);
        c.drain(iter);
        c.close(db);
    }),
    ("snapshot: of another time", |c| {
        let Some(db) = filled(c, "") else { return };
        let (snapshot, ro) =
            (c.make("create_snapshot", args![db]), c.make("readoptions_create", &[]));
        c.put(db, "key007", "new");
        c.call("readoptions_set_snapshot", args![ro, snapshot]);
        c.get_with(db, ro, "key007");
        c.call("release_snapshot", args![db, snapshot]);
        c.close(db);
    }),
    ("updates: from the future", |c| {
        let Some(db) = filled(c, "") else { return };
        for seq in [0u64, 1, 30, 31, 32, 1000, u64::MAX] {
            c.attempt("get_updates_since", args![db, seq, 0]);
        }
        c.close(db);
    }),
    ("compact: begin behind end", |c| {
        let Some(db) = filled(c, "") else { return };
        c.flush(db);
        c.call("compact_range", args![db, b"key020", b"key010"]);
        c.attempt("suggest_compact_range", args![db, b"key020", b"key010"]);
        c.get(db, "key015");
        c.close(db);
    }),
    ("delete files in range: begin behind end", |c| {
        let Some(db) = filled(c, "") else { return };
        c.flush(db);
        c.compact(db);
        c.attempt("delete_file_in_range", args![db, b"key020", b"key010"]);
        c.attempt("delete_file_in_range", args![db, b"a", b"z"]);
        c.get(db, "key015");
        c.close(db);
    }),
    ("ingest: no file", |c| {
        let Some(db) = filled(c, "") else { return };
        let path = c.path("none.sst");
        ingest(c, db, vec![text(path.to_string_lossy())]);
        c.close(db);
    }),
    ("ingest: no files", |c| {
        let Some(db) = filled(c, "") else { return };
        ingest(c, db, vec![]);
        c.close(db);
    }),
    ("ingest: a directory", |c| {
        let Some(db) = filled(c, "") else { return };
        let path = c.path("db");
        ingest(c, db, vec![text(path.to_string_lossy())]);
        c.close(db);
    }),
    ("ingest: a text file", |c| {
        let Some(db) = filled(c, "") else { return };
        let path = c.path("text.sst");
        let _ = std::fs::write(
            &path,
            "This is a text and not a table, however long it may be. ".repeat(9),
        );
        ingest(c, db, vec![text(path.to_string_lossy())]);
        c.close(db);
    }),
    ("ingest: an empty file", |c| ingest_damaged(c, |bytes| bytes.clear())),
    ("ingest: a file that is cut", |c| ingest_damaged(c, |bytes| bytes.truncate(bytes.len() / 2))),
    ("ingest: a damaged magic number", |c| {
        ingest_damaged(c, |bytes| {
            if let Some(byte) = bytes.last_mut() {
                *byte ^= 1;
            }
        });
    }),
    ("ingest: a damaged data block", |c| {
        ingest_damaged(c, |bytes| {
            if let Some(byte) = bytes.get_mut(3) {
                *byte ^= 1;
            }
        });
    }),
    ("ingest: the same file twice", |c| {
        let Some(db) = filled(c, "") else { return };
        let file = table_file(c, "in.sst", &["key100", "key200"]);
        ingest(c, db, vec![file.clone(), file]);
        c.close(db);
    }),
    ("ingest: files that overlap", |c| {
        let Some(db) = filled(c, "") else { return };
        let one = table_file(c, "one.sst", &["key100", "key200"]);
        let two = table_file(c, "two.sst", &["key150", "key250"]);
        ingest(c, db, vec![one, two]);
        c.get(db, "key150");
        c.close(db);
    }),
    ("ingest: without sequence numbers, over keys", |c| {
        let Some(db) = filled(c, "") else { return };
        let file = table_file(c, "in.sst", &["key007", "key200"]);
        let io = c.make("ingestexternalfileoptions_create", &[]);
        c.call("ingestexternalfileoptions_set_allow_global_seqno", args![io, 0]);
        c.attempt("ingest_external_file", args![db, Arg::Texts(vec![file]), 1, io]);
        c.close(db);
    }),
    ("ingest: without a flush, over keys", |c| {
        let Some(db) = filled(c, "") else { return };
        let file = table_file(c, "in.sst", &["key007", "key200"]);
        let io = c.make("ingestexternalfileoptions_create", &[]);
        c.call("ingestexternalfileoptions_set_allow_blocking_flush", args![io, 0]);
        c.attempt("ingest_external_file", args![db, Arg::Texts(vec![file]), 1, io]);
        c.close(db);
    }),
    ("ingest: another comparator's file", |c| {
        let Some(db) = c.fresh("comparator=rocksdb.ReverseBytewiseComparator", "db") else {
            return;
        };
        let file = table_file(c, "in.sst", &["key007", "key200"]);
        ingest(c, db, vec![file]);
        c.close(db);
    }),
    ("table writer: keys out of order", |c| {
        let writer = opened_writer(c);
        c.attempt("sstfilewriter_put", args![writer, b"b", b"1"]);
        c.attempt("sstfilewriter_put", args![writer, b"a", b"1"]);
        c.attempt("sstfilewriter_put", args![writer, b"b", b"1"]);
        c.attempt("sstfilewriter_finish", args![writer]);
    }),
    ("table writer: nothing in it", |c| {
        let writer = opened_writer(c);
        c.attempt("sstfilewriter_finish", args![writer]);
    }),
    ("table writer: not open", |c| {
        let writer = writer(c);
        c.attempt("sstfilewriter_put", args![writer, b"b", b"1"]);
        c.attempt("sstfilewriter_delete", args![writer, b"c"]);
        c.attempt("sstfilewriter_finish", args![writer]);
    }),
    ("table writer: finished twice", |c| {
        let writer = opened_writer(c);
        c.attempt("sstfilewriter_put", args![writer, b"b", b"1"]);
        c.attempt("sstfilewriter_finish", args![writer]);
        c.attempt("sstfilewriter_finish", args![writer]);
        c.attempt("sstfilewriter_put", args![writer, b"c", b"1"]);
    }),
    ("table writer: no directory", |c| {
        let (writer, path) = (writer(c), c.path("none/out.sst"));
        c.attempt("sstfilewriter_open", args![writer, path.as_path()]);
    }),
    ("table writer: a range upside down", |c| {
        let writer = opened_writer(c);
        c.attempt("sstfilewriter_delete_range", args![writer, b"b", b"a"]);
        c.attempt("sstfilewriter_delete_range", args![writer, b"b", b"b"]);
        c.attempt("sstfilewriter_finish", args![writer]);
    }),
    ("transactions: one key", |c| {
        let Some((_, one, two)) = pair(c) else { return };
        txn_put(c, one, "key");
        txn_put(c, two, "key");
        c.attempt("transaction_commit", args![one]);
        c.attempt("transaction_commit", args![two]);
    }),
    ("transactions: a write beside", |c| {
        let Some((db, one, _)) = pair(c) else { return };
        txn_put(c, one, "key");
        let wo = writes(c);
        c.attempt("transactiondb_put", args![db, wo, b"key", b"value"]);
        c.attempt("transactiondb_delete", args![db, wo, b"key"]);
    }),
    ("transactions: committed twice", |c| {
        let Some((_, one, _)) = pair(c) else { return };
        txn_put(c, one, "key");
        c.attempt("transaction_commit", args![one]);
        c.attempt("transaction_commit", args![one]);
        c.attempt("transaction_rollback", args![one]);
        txn_put(c, one, "key");
    }),
    ("transactions: rolled back twice", |c| {
        let Some((_, one, _)) = pair(c) else { return };
        c.attempt("transaction_rollback", args![one]);
        c.attempt("transaction_rollback", args![one]);
        c.attempt("transaction_commit", args![one]);
    }),
    ("transactions: prepared without a name", |c| {
        let Some((_, one, _)) = pair(c) else { return };
        txn_put(c, one, "key");
        c.attempt("transaction_prepare", args![one]);
    }),
    ("transactions: prepared twice", |c| {
        let Some((_, one, _)) = pair(c) else { return };
        name(c, one, "one");
        txn_put(c, one, "key");
        c.attempt("transaction_prepare", args![one]);
        c.attempt("transaction_prepare", args![one]);
        c.attempt("transaction_commit", args![one]);
        c.attempt("transaction_prepare", args![one]);
    }),
    ("transactions: names", |c| {
        let Some((_, one, two)) = pair(c) else { return };
        name(c, one, "");
        name(c, one, &"x".repeat(513));
        name(c, one, "one");
        name(c, one, "again");
        name(c, two, "one");
    }),
    ("transactions: rollback to no save point", |c| {
        let Some((_, one, _)) = pair(c) else { return };
        c.attempt("transaction_rollback_to_savepoint", args![one]);
    }),
    ("transactions: a key changed since the snapshot", |c| {
        let Some((db, _, _)) = pair(c) else { return };
        let (wo, to) = (writes(c), c.make("transaction_options_create", &[]));
        c.call("transaction_options_set_set_snapshot", args![to, 1]);
        let txn = c.make("transaction_begin", args![db, wo, to, 0]);
        c.attempt("transactiondb_put", args![db, wo, b"key", b"value"]);
        txn_put(c, txn, "key");
        c.attempt("transaction_delete", args![txn, b"key"]);
        c.attempt("transaction_commit", args![txn]);
    }),
    ("transactions: a batch that is too large", |c| {
        let Some((db, _, _)) = pair(c) else { return };
        let (wo, to) = (writes(c), c.make("transaction_options_create", &[]));
        c.call("transaction_options_set_max_write_batch_size", args![to, 44]);
        let txn = c.make("transaction_begin", args![db, wo, to, 0]);
        (0..4).for_each(|n| txn_put(c, txn, &format!("key{n:03}")));
        c.attempt("transaction_commit", args![txn]);
    }),
    ("transactions: too many locks", |c| {
        let (plain, path) = (c.options(""), c.path("db"));
        let how = c.make("transactiondb_options_create", &[]);
        c.call("transactiondb_options_set_max_num_locks", args![how, 2]);
        let Some(db) = c.must("transactiondb_open", args![plain, how, path.as_path()]) else {
            return;
        };
        let (wo, to) = (writes(c), c.make("transaction_options_create", &[]));
        let txn = c.make("transaction_begin", args![db, wo, to, 0]);
        (0..4).for_each(|n| txn_put(c, txn, &format!("key{n:03}")));
    }),
    ("transactions: expired", |c| {
        let Some((db, _, _)) = pair(c) else { return };
        let (wo, to) = (writes(c), c.make("transaction_options_create", &[]));
        c.call("transaction_options_set_expiration", args![to, 1]);
        let txn = c.make("transaction_begin", args![db, wo, to, 0]);
        txn_put(c, txn, "key");
        std::thread::sleep(std::time::Duration::from_millis(20));
        txn_put(c, txn, "more");
        c.attempt("transaction_commit", args![txn]);
    }),
    ("transactions: write unprepared policies, opened plainly", |c| {
        let Some((_, one, _)) = pair(c) else { return };
        name(c, one, "one");
        txn_put(c, one, "key");
        c.attempt("transaction_prepare", args![one]);
        let options = c.options("");
        c.open(options, "db");
    }),
    ("optimistic: a conflict", |c| {
        let Some((_, one, two)) = optimistic(c) else { return };
        txn_put(c, one, "key");
        txn_put(c, two, "key");
        c.attempt("transaction_commit", args![one]);
        c.attempt("transaction_commit", args![two]);
        c.attempt("transaction_commit", args![two]);
    }),
    ("optimistic: prepared", |c| {
        let Some((_, one, _)) = optimistic(c) else { return };
        name(c, one, "one");
        c.attempt("transaction_prepare", args![one]);
        c.attempt("transaction_rollback", args![one]);
        c.attempt("transaction_commit", args![one]);
    }),
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

/// All cases of this file.
pub(super) fn cases() -> Vec<Case> {
    of(USES).collect()
}
