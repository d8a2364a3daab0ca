//! Compactions, ingestion and the table writer.

use super::filled;
use crate::abi::{Arg, Handle};
use crate::args;
use crate::sweep::Context;
use crate::sweep::exercise::table_file;
use crate::sweep::situations::List;
use std::ffi::CString;

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

pub(super) const CASES: List = &[
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
];
