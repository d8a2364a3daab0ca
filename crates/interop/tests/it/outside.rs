//! What leaves a database and comes into one: checkpoints of either engine, opened by both; tables
//! made by either, ingested by both.

use crate::children::{check_copy, run, run_and_kill};
use crate::tools;
use ferrolith_interop::steps::Step;
use ferrolith_interop::store::{Engine, Setup};
use ferrolith_interop::workload::{Merges, Model, Shape, Workload, ingest};
use std::path::Path;

fn setup(dir: &Path) -> Setup {
    let shape = Shape { families: 3, merges: Merges::Add, ..Shape::default() };
    let cf = "write_buffer_size=64K;target_file_size_base=64K;merge_operator=uint64add;\
              block_based_table_factory={format_version=5}";
    Setup { dir: dir.into(), db: String::new(), cf: cf.into(), shape }
}

/// `engine` makes a checkpoint of a directory with levels and WALs, writes on and is killed: both
/// engines and 7.8.3's tools find in the copy what was there at its moment, and can write to it.
fn checkpoint_by(engine: Engine, log_size: u64) {
    let root = tempfile::tempdir().unwrap();
    let copy = root.path().join("copy");
    let (setup, there) = (setup(&root.path().join("db")), setup(&copy));
    let seed = fastrand::u64(..1 << 40);
    let when = format!("seed {seed}, {engine:?}, log size {log_size}");
    let (mut workload, mut model) = (Workload::new(setup.shape, seed, 0), Model::new(&setup.shape));
    (0..800).for_each(|_| model.apply(&workload.next_batch()));
    let fill = |from, to| Step::Fill { seed, from, to };
    let checkpoint = Step::Checkpoint { log_size, dir: copy.clone() };
    run_and_kill(
        engine,
        &setup,
        &[fill(0, 400), Step::Compact, fill(400, 800), checkpoint, fill(800, 1200), Step::Compact],
    );
    for reader in [Engine::Rocksdb, Engine::Ferrolith] {
        check_copy(&when, reader, &there, &model.families);
    }
    if engine == Engine::Ferrolith {
        tools::check(&when, &copy, &there.names(), &model.families);
    }
    (800..1000).for_each(|_| model.apply(&workload.next_batch()));
    let other = if engine == Engine::Rocksdb { Engine::Ferrolith } else { Engine::Rocksdb };
    run(other, &there, &[fill(800, 1000), Step::Compact]);
    check_copy(&when, engine, &there, &model.families);
    (1000..1200).for_each(|_| model.apply(&workload.next_batch()));
    check_copy(&when, engine, &setup, &model.families);
}

#[test]
fn our_checkpoint() {
    checkpoint_by(Engine::Ferrolith, 0);
}

#[test]
fn our_checkpoint_with_wals() {
    checkpoint_by(Engine::Ferrolith, u64::MAX);
}

#[test]
fn their_checkpoint() {
    checkpoint_by(Engine::Rocksdb, 0);
}

#[test]
fn their_checkpoint_with_wals() {
    checkpoint_by(Engine::Rocksdb, u64::MAX);
}

/// `writer` makes tables; `owner` takes them into a database that has older and newer versions of
/// their keys in tables, memtables and WALs. Both engines agree at every stop.
fn ingestion(writer: Engine, owner: Engine, table: &str) {
    let root = tempfile::tempdir().unwrap();
    let shape = Shape { families: 2, ..Shape::default() };
    let cf = format!("write_buffer_size=64K;target_file_size_base=64K;{table}");
    let setup =
        |dir: &str| Setup { dir: root.path().join(dir), db: String::new(), cf: cf.clone(), shape };
    let (db, other) = (setup("db"), setup("other"));
    let seed = fastrand::u64(..1 << 40);
    let when = |what: &str| format!("seed {seed}, {writer:?} for {owner:?}: {what}");
    let (mut workload, mut model) = (Workload::new(shape, seed, 0), Model::new(&shape));
    let mut at = 0;
    let mut fill = |model: &mut Model, batches: u64| {
        (0..batches).for_each(|_| model.apply(&workload.next_batch()));
        at += batches;
        Step::Fill { seed, from: at - batches, to: at }
    };
    let path = |n: u64| root.path().join(format!("{n}.sst"));
    let make: Vec<_> = (0..4).map(|n| Step::Table { seed: seed + n, path: path(n) }).collect();
    run(writer, &other, &make);

    let mut steps = vec![fill(&mut model, 300), Step::Compact, fill(&mut model, 200)];
    for n in 0..4 {
        let family = n as usize % 2;
        steps.push(Step::Ingest { family, path: path(n) });
        ingest(&mut model.families[family], shape.table(seed + n));
        steps.push(fill(&mut model, 50));
    }
    run_and_kill(owner, &db, &steps);
    for reader in [Engine::Ferrolith, Engine::Rocksdb] {
        check_copy(&when("killed"), reader, &db, &model.families);
    }
    for (turn, engine) in [Engine::Rocksdb, Engine::Ferrolith].into_iter().enumerate() {
        run(engine, &db, &[fill(&mut model, 100), Step::Compact, fill(&mut model, 100)]);
        for reader in [Engine::Ferrolith, Engine::Rocksdb] {
            check_copy(&when(&format!("turn {turn}")), reader, &db, &model.families);
        }
    }
}

#[test]
fn rocksdb_ingests_our_tables() {
    ingestion(Engine::Ferrolith, Engine::Rocksdb, "");
    let old = "block_based_table_factory={format_version=5;filter_policy=bloomfilter:10}";
    ingestion(Engine::Ferrolith, Engine::Rocksdb, old);
}

#[test]
fn we_ingest_rocksdbs_tables() {
    ingestion(Engine::Rocksdb, Engine::Ferrolith, "");
    let old = "block_based_table_factory={format_version=5;filter_policy=bloomfilter:10}";
    ingestion(Engine::Rocksdb, Engine::Ferrolith, old);
}

#[test]
fn we_ingest_our_tables_and_rocksdb_reads_them() {
    ingestion(Engine::Ferrolith, Engine::Ferrolith, "");
}

/// `from` exports a family with several levels and sequence numbers; `to` imports it into another
/// database. Both engines read it there.
fn export(from: Engine, to: Engine) {
    let root = tempfile::tempdir().unwrap();
    let shape = Shape { families: 2, ..Shape::default() };
    let cf = "write_buffer_size=64K;target_file_size_base=64K";
    let setup =
        |dir: &str| Setup { dir: root.path().join(dir), db: String::new(), cf: cf.into(), shape };
    let (one, two, dir) = (setup("one"), setup("two"), root.path().join("exported"));
    let seed = fastrand::u64(..1 << 40);
    let when = format!("seed {seed}, {from:?} to {to:?}");
    let content = |seed: u64, batches: u64| {
        let (mut workload, mut model) = (Workload::new(shape, seed, 0), Model::new(&shape));
        (0..batches).for_each(|_| model.apply(&workload.next_batch()));
        model.families
    };
    let fill = |seed, from, to| Step::Fill { seed, from, to };
    let export = Step::Export { family: 1, dir: dir.clone() };
    run(from, &one, &[fill(seed, 0, 400), Step::Compact, fill(seed, 400, 700), export]);
    let import = Step::Import { family: 1, dir };
    run(to, &two, &[fill(seed + 1, 0, 100), import]);
    let mut expected = content(seed + 1, 100);
    expected[1] = content(seed, 700).swap_remove(1);
    for reader in [Engine::Ferrolith, Engine::Rocksdb] {
        check_copy(&when, reader, &two, &expected);
    }
    run(from, &two, &[Step::Compact]);
    for reader in [Engine::Ferrolith, Engine::Rocksdb] {
        check_copy(&when, reader, &two, &expected);
    }
}

#[test]
fn rocksdb_imports_our_export() {
    export(Engine::Ferrolith, Engine::Rocksdb);
}

#[test]
fn we_import_rocksdbs_export() {
    export(Engine::Rocksdb, Engine::Ferrolith);
}
