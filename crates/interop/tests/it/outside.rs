//! What leaves a database and comes into one: checkpoints of either engine, opened by both.

use crate::children::{check_copy, run, run_and_kill};
use crate::tools;
use ferrolith_interop::steps::Step;
use ferrolith_interop::store::{Engine, Setup};
use ferrolith_interop::workload::{Merges, Model, Shape, Workload};
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
