//! RocksDB's own tool reads, checks and extends our MANIFESTs, and we recover the result. Run with
//! `cargo test -p ferrolith --lib ldb -- --ignored` where `ldb` is installed. Debian's build has
//! assertions enabled, so it aborts on input that other builds would accept.

use super::testing::{Tables, ikey, options, spec};
use super::{FileMeta, ObsoleteTable, VersionEdit, VersionSet, VersionSetOptions};
use crate::base::KeyOrder;
use crate::fs::identity::new_db_id;
use crate::fs::posix;
use crate::options::TableFactory;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

fn ldb(dir: &Path, arguments: &[&str]) -> String {
    let output = Command::new("ldb")
        .arg(format!("--db={}", dir.display()))
        .args(arguments)
        .output()
        .expect("ldb must be installed");
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {text}");
    text.into_owned()
}

fn open(dir: &Path, names: &[&str], max_manifest_file_size: u64) -> VersionSet {
    let specs: Vec<_> = names.iter().map(|name| spec(name)).collect();
    let opts =
        VersionSetOptions { dir: dir.to_path_buf(), max_manifest_file_size, ..options(posix()) };
    VersionSet::recover(opts, &specs).unwrap().0
}

/// A table that contains each key once, at the next sequence numbers.
fn table(tables: &mut Tables, set: &VersionSet, cf: u32, keys: &[&str]) -> Arc<FileMeta> {
    let name = set.column_family(cf).unwrap().name();
    tables.cf = (cf, if name == "one" { "one" } else { "default" });
    let first = set.counters().last_sequence() + 1;
    set.counters().set_last_sequence(first + keys.len() as u64 - 1);
    let entries: Vec<_> = (first..)
        .zip(keys)
        .map(|(seq, key)| (ikey(key, seq), format!("{key}@{seq}").into_bytes()))
        .collect();
    Arc::new(tables.write(set.counters().new_file_number(), &entries))
}

fn add(cf: u32, level: usize, file: &Arc<FileMeta>) -> VersionEdit {
    let mut edit = VersionEdit::for_column_family(cf);
    edit.add_file(level, Arc::clone(file));
    edit
}

/// Applies every kind of edit. The result: default has a@4 b c@5 (level 0) over a b z (level 6);
/// one has k and q.
fn build(dir: &Path, max_manifest_file_size: u64) {
    let opts = VersionSetOptions { dir: dir.to_path_buf(), ..options(posix()) };
    VersionSet::create_db(&opts, &new_db_id(), &KeyOrder::bytewise()).unwrap();
    let mut tables = Tables::of(TableFactory::default(), posix(), dir.to_path_buf());
    let mut set = open(dir, &["default"], max_manifest_file_size);
    set.create_column_family(&spec("two"), 2).unwrap();
    let one = set.create_column_family(&spec("one"), 2).unwrap();
    let t = &mut tables;

    // A flush, then a move to the bottom.
    let bottom = table(t, &set, 0, &["a", "b", "z"]);
    set.install(vec![add(0, 0, &bottom)]).unwrap();
    let mut edit = add(0, 6, &bottom);
    edit.delete_file(0, bottom.number);
    set.install(vec![edit]).unwrap();

    // An atomic flush of two column families, with log numbers.
    let (f1, f2) = (table(t, &set, 0, &["a"]), table(t, &set, one, &["k", "q"]));
    let log = set.counters().new_file_number();
    let mut edits = vec![add(0, 0, &f1), add(one, 0, &f2), VersionEdit::default()];
    edits[0].log_number = Some(log);
    edits[1].log_number = Some(log);
    edits[2].min_log_number_to_keep = Some(log);
    set.install(edits).unwrap();

    // A compaction within level 0, then a newer flush; a dropped column family.
    let f3 = table(t, &set, 0, &["b"]);
    set.install(vec![add(0, 0, &f3)]).unwrap();
    let merged = vec![(ikey("a", 4), b"a@4".to_vec()), (ikey("b", 7), b"b@7".to_vec())];
    t.cf = (0, "default");
    let merged = Arc::new(t.write(set.counters().new_file_number(), &merged));
    let mut edit = add(0, 0, &merged);
    edit.deleted_files = vec![(0, f1.number), (0, f3.number)];
    set.install(vec![edit]).unwrap();
    let f4 = table(t, &set, 0, &["c"]);
    set.install(vec![add(0, 0, &f4)]).unwrap();
    set.drop_column_family(1).unwrap();
    drop((bottom, f1, f2, f3));
    for ObsoleteTable { number, dir } in set.obsolete_files().take() {
        posix().remove_file(&crate::fs::filename::table_file_name(&dir, number)).unwrap();
    }
}

#[test]
#[ignore = "needs RocksDB's ldb"]
fn ldb_reads_checks_and_continues_what_we_installed() {
    for max_manifest_file_size in [1 << 30, 1] {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        build(dir, max_manifest_file_size);

        let names = ldb(dir, &["list_column_families"]);
        assert!(names.contains("{default, one}"), "{names}");
        let scan = "a ==> a@4\nb ==> b@7\nc ==> c@8\nz ==> z@3\n";
        for _ in 0..2 {
            assert_eq!(ldb(dir, &["scan"]).replace(" : ", " ==> "), scan);
            let one = ldb(dir, &["--column_family=one", "scan"]).replace(" : ", " ==> ");
            assert_eq!(one, "k ==> k@5\nq ==> q@6\n");
            assert!(ldb(dir, &["checkconsistency"]).contains("OK"));
        }
        ldb(dir, &["put", "new", "value"]);
        ldb(dir, &["--column_family=one", "put", "r", "s"]);
        ldb(dir, &["compact"]);
        assert_eq!(ldb(dir, &["get", "a"]), "a@4\n");

        let set = open(dir, &["default", "one"], 1 << 30);
        let version = set.column_family(0).unwrap().current();
        assert_eq!(version.num_files(0), 0, "{version:?}");
        assert_eq!(version.total_files(), 1, "{version:?}");
        assert!(set.counters().last_sequence() >= 10);
        assert_eq!(set.max_column_family(), 2);
    }
}
