//! Writes, batches and column families.

use super::{filled, writes};
use crate::abi::{Arg, Handle};
use crate::args;
use crate::sweep::Context;
use crate::sweep::exercise::table_file;
use crate::sweep::situations::{List, open_families};
use std::ffi::CString;

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

pub(super) const CASES: List = &[
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
            let list = |s| Arg::Texts(vec![CString::new(s).unwrap_or_default()]);
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
];
