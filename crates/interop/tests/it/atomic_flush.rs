//! Processes killed while they write to several families without a WAL. With `atomic_flush` what is
//! left is what the first so many batches made, in all families; both engines find the same and go on
//! from there.

use crate::children::{check_copy, complaint, dump, keep, start, wait_for_word};
use crate::tools::tool;
use ferrolith_interop::steps::Step;
use ferrolith_interop::store::{Engine, Setup};
use ferrolith_interop::workload::{Merges, Model, Shape, Workload};
use std::time::Duration;

const SMALL: &str = "merge_operator=stringappend;write_buffer_size=64K;target_file_size_base=64K;\
    max_bytes_for_level_base=256K;level0_file_num_compaction_trigger=3";

/// Kills until each engine's flushes were found often enough; at most so often.
const KILLS_MAX: u32 = 60;
const FOUND: u32 = 4;

/// How many batches after `from` make `model` what was found.
fn advance(model: &mut Model, workload: &mut Workload, found: &Model) -> Option<u64> {
    // No memory holds more.
    (0..400_000).find(|_| {
        let same = model.families == found.families;
        if !same {
            model.apply(&workload.next_batch());
        }
        same
    })
}

#[test]
fn families_stand_at_one_point_after_kills() {
    let seed = fastrand::u64(..1 << 40);
    eprintln!("seed {seed}");
    let root = tempfile::tempdir().unwrap();
    let shape = Shape { families: 3, merges: Merges::Append, slots: 300, ..Shape::default() };
    let db = "atomic_flush=true;max_background_jobs=4;max_manifest_file_size=20000";
    let dir = root.path().join("db");
    let setup = Setup { dir: dir.clone(), db: db.into(), cf: SMALL.into(), shape };
    let (mut workload, mut model) = (Workload::new(shape, seed, 0), Model::new(&shape));
    let (mut at, mut found, mut groups) = (0, [0; 2], [0; 2]);
    for kill in 0..KILLS_MAX {
        if found.iter().all(|&n| n >= FOUND) {
            break;
        }
        let engine = usize::from(found[1] < found[0] || (found[0] == found[1] && kill % 2 == 1));
        let who = [Engine::Ferrolith, Engine::Rocksdb][engine];
        let mut child = start(who, &setup, &[Step::Unlogged { seed, from: at }]);
        wait_for_word(&mut child, "open");
        std::thread::sleep(Duration::from_millis(fastrand::u64(10..400)));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(complaint(&mut child), "");
        let manifest = std::fs::read_to_string(dir.join("CURRENT")).unwrap();
        let manifest = dir.join(manifest.trim());
        let told =
            tool("ldb", &["manifest_dump", "--verbose", &format!("--path={}", manifest.display())]);
        groups[engine] += u32::from(told.contains("AtomicGroup"));
        // The copies are flushed and closed; the original stays as the kill left it.
        let copy = tempfile::tempdir().unwrap();
        crate::children::copy_dir(&dir, copy.path());
        let there = Setup { dir: copy.path().into(), ..setup.clone() };
        let families = dump(Engine::Ferrolith, &there).unwrap();
        let mut left = Model::new(&shape);
        left.families = families;
        let Some(more) = advance(&mut model, &mut workload, &left) else {
            keep(root);
            panic!("kill {kill} of {who:?}: no number of batches from {at} on makes what is left");
        };
        check_copy(&format!("kill {kill} of {who:?}"), Engine::Rocksdb, &setup, &left.families);
        at += more;
        found[engine] += u32::from(more > 0);
    }
    eprintln!("{found:?} of the kills found something new, {at} batches are left");
    assert!(found.iter().all(|&n| n > 0), "flushes were found {found:?} times");
    assert!(groups.iter().all(|&n| n > 0), "groups were found {groups:?} times");
}
