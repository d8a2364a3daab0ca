//! What we do not support is refused by name, and the directory stays as it was for RocksDB.

use crate::children::{dump, finish, run_and_kill, start};
use crate::tools::{self, ldb, tool};
use ferrolith_interop::steps::Step;
use ferrolith_interop::store::{Engine, Setup};
use ferrolith_interop::workload::{Ranges, Shape};
use std::path::Path;

fn setup(dir: &Path) -> Setup {
    Setup { dir: dir.into(), db: String::new(), cf: String::new(), shape: Shape::default() }
}

/// We refuse with these words, and RocksDB still finds what it found before.
fn refused(setup: &Setup, words: &[&str]) {
    let before = tools::scan(&setup.dir, "default");
    let error = dump(Engine::Ferrolith, setup).expect_err("it should be refused");
    for word in words {
        assert!(error.to_lowercase().contains(word), "{error:?} does not name {word:?}");
    }
    assert_eq!(tools::scan(&setup.dir, "default"), before);
}

fn range_deletions(table: &str) {
    let table = format!("prefix_extractor=rocksdb.FixedPrefix.8;table_factory={{id={table}}}");
    let shape = Shape { ranges: Ranges::Keys, ..Shape::default() };
    for engine in [Engine::Ferrolith, Engine::Rocksdb] {
        let dir = tempfile::tempdir().unwrap();
        let setup = Setup { cf: table.clone(), shape, ..setup(dir.path()) };
        let setup = Setup { db: "allow_mmap_reads=true".into(), ..setup };
        let child = start(engine, &setup, &[Step::Fill { seed: 1, from: 0, to: 100 }]);
        let error = finish(child).unwrap_err();
        assert!(error.contains("CF default reports it does not support DeleteRange"), "{error}");
    }
}

#[test]
fn range_deletions_in_plain_tables() {
    range_deletions("PlainTable");
}

#[test]
fn range_deletions_in_cuckoo_tables() {
    range_deletions("CuckooTable");
}

/// Written, then not read: whoever opens the directory so is told the same.
#[test]
fn cuckoo_tables_without_mapped_files() {
    let shape = Shape { fixed: true, even: true, ..Shape::default() };
    let words = "Invalid argument: File is not mmaped";
    for engine in [Engine::Ferrolith, Engine::Rocksdb] {
        let dir = tempfile::tempdir().unwrap();
        let cf = "table_factory={id=CuckooTable}".to_owned();
        let setup = Setup { cf, shape, ..setup(dir.path()) };
        let fill = Step::Fill { seed: 1, from: 0, to: 100 };
        let error = finish(start(engine, &setup, &[fill, Step::Flush])).unwrap_err();
        assert!(error.contains(words), "{engine:?}: {error}");
        for reader in [Engine::Ferrolith, Engine::Rocksdb] {
            let error = dump(reader, &setup).unwrap_err();
            assert!(error.contains(words), "{engine:?}, {reader:?}: {error}");
        }
        let mapped = Setup { db: "allow_mmap_reads=true".into(), ..setup };
        for reader in [Engine::Ferrolith, Engine::Rocksdb] {
            assert!(dump(reader, &mapped).unwrap()[0].len() > 50);
        }
    }
}

#[test]
fn blob_files() {
    let dir = tempfile::tempdir().unwrap();
    let db = format!("--db={}", dir.path().display());
    let flags =
        ["--benchmarks=fillseq,flush", "--num=500", "--enable_blob_files", "--min_blob_size=16"];
    tool("db_bench", &[&[db.as_str()], &flags[..]].concat());
    refused(&setup(dir.path()), &["blob"]);
}

#[test]
fn families_that_were_not_named() {
    let dir = tempfile::tempdir().unwrap();
    ldb(dir.path(), &["put", "--create_if_missing", "a", "1"]);
    ldb(dir.path(), &["create_column_family", "other"]);
    refused(&setup(dir.path()), &["other"]);
}

#[test]
fn another_order_of_keys() {
    let dir = tempfile::tempdir().unwrap();
    let theirs =
        Setup { cf: "comparator=rocksdb.ReverseBytewiseComparator".into(), ..setup(dir.path()) };
    run_and_kill(Engine::Rocksdb, &theirs, &[Step::Fill { seed: 1, from: 0, to: 50 }]);
    let error = dump(Engine::Ferrolith, &setup(dir.path())).expect_err("it should be refused");
    assert!(error.contains("rocksdb.ReverseBytewiseComparator"), "{error}");
}

#[test]
fn a_directory_that_the_other_has_open() {
    use crate::children::{finish, start, wait_for_word};
    for (holder, other) in
        [(Engine::Rocksdb, Engine::Ferrolith), (Engine::Ferrolith, Engine::Rocksdb)]
    {
        let dir = tempfile::tempdir().unwrap();
        let mut holding = start(holder, &setup(dir.path()), &[Step::Park]);
        wait_for_word(&mut holding, "parked");
        let error = dump(other, &setup(dir.path())).expect_err("it is locked");
        let said = match other {
            Engine::Rocksdb => "LOCK",
            Engine::Ferrolith => "already open in another process",
        };
        assert!(error.contains(said), "{error}");
        finish(holding).unwrap();
        dump(other, &setup(dir.path())).unwrap();
    }
}
