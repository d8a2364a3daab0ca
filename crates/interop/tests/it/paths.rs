//! Tables in three directories, `db_paths`: the engines take turns on them, and each finds all that
//! the other one put anywhere, and removes what it replaces.

use crate::children::{check_copy, run, run_and_kill};
use ferrolith_interop::steps::Step;
use ferrolith_interop::store::{Engine, Setup};
use ferrolith_interop::workload::{Model, Shape, Workload};
use std::collections::BTreeSet;
use std::path::Path;

/// So many that every seed reaches the third path.
const BATCHES: u64 = 1600;
/// The most manual compactions until all tables are in the first path.
const COMPACTIONS_MAX: usize = 5;

/// Turns after which tables must have been seen in the second and the third path.
const TURNS_MAX: usize = 12;

/// The tables in each of the three paths.
fn tables(dir: &Path) -> Vec<BTreeSet<String>> {
    let names = |i| {
        let entries = std::fs::read_dir(dir.join(format!("path{i}"))).unwrap();
        let names = entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned());
        names.filter(|name| name.ends_with(".sst")).collect()
    };
    (0..3).map(names).collect()
}

fn take_turns(data_paths: &str, cf: &str, engines: [Engine; 4]) {
    let dir = tempfile::tempdir().unwrap();
    let seed = fastrand::u64(..1 << 40);
    let shape = Shape { families: 2, ..Shape::default() };
    let setup = Setup {
        dir: dir.path().into(),
        db: format!("data_paths={data_paths}"),
        cf: format!(
            "write_buffer_size=64K;target_file_size_base=64K;max_bytes_for_level_base=128K;\
             max_bytes_for_level_multiplier=4;level0_file_num_compaction_trigger=2;\
             compression=kNoCompression;{cf}"
        ),
        shape,
    };
    let (mut workload, mut model) = (Workload::new(shape, seed, 0), Model::new(&shape));
    let mut used = [false; 3];
    let mut turns = 0;
    for (turn, engine) in (0u64..).zip(engines.into_iter().cycle()).take(TURNS_MAX) {
        // Where tables are at the end of a turn depends on how compactions ran, so four turns may not show both paths.
        if turn as usize >= engines.len() && used[1..] == [true; 2] {
            break;
        }
        turns = turn + 1;
        let fill = Step::Fill { seed, from: turn * BATCHES, to: turns * BATCHES };
        (0..BATCHES).for_each(|_| model.apply(&workload.next_batch()));
        match turn % 2 {
            0 => run_and_kill(engine, &setup, &[fill, Step::Flush, Step::Wait]),
            _ => run(engine, &setup, &[fill, Step::Flush, Step::Wait]),
        }
        let when = format!("seed {seed}, turn {turn} by {engine:?}");
        for (used, tables) in used.iter_mut().zip(tables(dir.path())) {
            *used |= !tables.is_empty();
        }
        for reader in [Engine::Ferrolith, Engine::Rocksdb] {
            check_copy(&when, reader, &setup, &model.families);
        }
        let main = std::fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().path());
        let in_main = main.filter(|path| path.extension().is_some_and(|e| e == "sst")).count();
        assert_eq!(in_main, 0, "{when}");
    }
    // Whether a table is in the first path at the end of a turn, when compactions have come to rest, is
    // chance; that path is looked at below.
    assert_eq!(used[1..], [true; 2], "seed {seed}");
    // Into the first path: RocksDB's default for a manual compaction. What that replaces has to go from the others. It
    // replaces a table of the last level only if newer ones overlap it, which nothing else compacts here; one with the
    // first or the last keys may need more rounds.
    let cf = format!("disable_auto_compactions=true;{}", setup.cf);
    let manual = Setup { dir: setup.dir.clone(), db: setup.db.clone(), cf, shape };
    for engine in [Engine::Ferrolith, Engine::Rocksdb] {
        let mut left = Vec::new();
        for _ in 0..COMPACTIONS_MAX {
            let fill = Step::Fill { seed, from: turns * BATCHES, to: (turns + 1) * BATCHES };
            (0..BATCHES).for_each(|_| model.apply(&workload.next_batch()));
            turns += 1;
            run(engine, &manual, &[fill, Step::Flush, Step::Compact, Step::Wait]);
            run(engine, &setup, &[]);
            left = tables(dir.path()).iter().map(BTreeSet::len).collect();
            if left[1..] == [0, 0] {
                break;
            }
        }
        assert!(left[0] > 0 && left[1..] == [0, 0], "seed {seed}, {engine:?}: {left:?}");
        check_copy("compacted", Engine::Rocksdb, &setup, &model.families);
        check_copy("compacted", Engine::Ferrolith, &setup, &model.families);
    }
}

const BY_TURNS: [Engine; 4] =
    [Engine::Ferrolith, Engine::Rocksdb, Engine::Ferrolith, Engine::Rocksdb];
const THEIRS_FIRST: [Engine; 4] =
    [Engine::Rocksdb, Engine::Ferrolith, Engine::Rocksdb, Engine::Ferrolith];

#[test]
fn leveled() {
    take_turns("262144:524288:1", "", BY_TURNS);
}

#[test]
fn leveled_theirs_first() {
    take_turns("262144:524288:1", "", THEIRS_FIRST);
}

#[test]
fn universal() {
    take_turns("200000:500000:1", "compaction_style=kCompactionStyleUniversal", BY_TURNS);
}

#[test]
fn universal_theirs_first() {
    take_turns("200000:500000:1", "compaction_style=kCompactionStyleUniversal", THEIRS_FIRST);
}

/// Each level of a tree that RocksDB made is in the path that our rule says.
#[test]
fn rocksdb_chooses_the_same_paths_for_levels() {
    use ferrolith::internal::db::Db;
    use ferrolith::internal::options::{DbPath, OptionSet, Options};
    for (targets, of_levels) in [
        (vec![262_144, 524_288, 1], [0, 0, 1, 2, 2, 2, 2]),
        (vec![131_072, 1 << 20, 1], [0, 1, 1, 2, 2, 2, 2]),
        (vec![100_000, 800_000, 9], [1, 1, 1, 2, 2, 2, 2]),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let sizes: Vec<String> = targets.iter().map(u64::to_string).collect();
        let setup = Setup {
            dir: dir.path().into(),
            db: format!("data_paths={}", sizes.join(":")),
            cf: "write_buffer_size=64K;target_file_size_base=64K;max_bytes_for_level_base=128K;\
                 max_bytes_for_level_multiplier=4;level0_file_num_compaction_trigger=2;\
                 level_compaction_dynamic_level_bytes=false;compression=kNoCompression"
                .into(),
            shape: Shape::default(),
        };
        let steps = [Step::Fill { seed: 7, from: 0, to: 3000 }, Step::Flush, Step::Wait];
        run(Engine::Rocksdb, &setup, &steps);
        let mut options = Options::default();
        options.cf.set_options(&setup.cf).unwrap();
        let path = |(path, target_size)| DbPath { path, target_size };
        options.db.db_paths = setup.data_paths().unwrap().into_iter().map(path).collect();
        let db = Db::open_for_read_only(&options, dir.path(), false).unwrap();
        let mut deepest = 0;
        for file in db.live_files_metadata().iter().filter(|file| file.level > 0) {
            let expected = dir.path().join(format!("path{}", of_levels[file.level]));
            assert_eq!(file.db_path, expected, "level {} with {targets:?}", file.level);
            deepest = deepest.max(file.level);
        }
        assert!(deepest >= 2, "{deepest}");
    }
}
