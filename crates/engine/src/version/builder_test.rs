use super::*;
use crate::version::testing::{file, shared};

fn empty() -> Arc<Version> {
    Arc::new(Version::empty(KeyOrder::bytewise(), 7))
}

fn add(files: &[(usize, &Arc<FileMeta>)]) -> VersionEdit {
    let mut edit = VersionEdit::default();
    for (level, file) in files {
        edit.add_file(*level, Arc::clone(file));
    }
    edit
}

fn build(base: &Arc<Version>, edits: &[VersionEdit]) -> Result<BuiltVersion> {
    let mut builder = VersionBuilder::new(Arc::clone(base));
    for edit in edits {
        builder.apply(edit)?;
    }
    builder.build()
}

fn numbers(version: &Version, level: usize) -> Vec<u64> {
    version.files(level).iter().map(|f| f.number).collect()
}

fn epoch(mut f: FileMeta, epoch: u64) -> Arc<FileMeta> {
    f.epoch_number = epoch;
    Arc::new(f)
}

#[track_caller]
fn refused(result: Result<BuiltVersion>, numbers: &[&str]) {
    let e = result.map(|b| b.version).unwrap_err();
    assert!(e.is_corruption(), "{e}");
    for n in numbers {
        assert!(e.message().contains(n), "{n} is not named: {e}");
    }
}

#[test]
fn edits_add_up() {
    let (f1, f2) = (shared(1, ("a", "c"), (1, 2)), shared(2, ("b", "d"), (3, 4)));
    let (f3, f4) = (shared(3, ("m", "p"), (1, 2)), shared(4, ("a", "c"), (1, 2)));
    let v1 = build(&empty(), &[add(&[(0, &f1)]), add(&[(0, &f2), (1, &f3)]), add(&[(1, &f4)])]);
    let v1 = Arc::new(v1.unwrap().version);
    assert_eq!(numbers(&v1, 0), [2, 1], "newest first");
    assert_eq!(numbers(&v1, 1), [4, 3], "by key");
    assert_eq!((v1.total_files(), v1.level_bytes(0), v1.deepest_level()), (4, 2000, Some(1)));

    // A move and a compaction in one edit; level 2 does not change and is shared.
    let mut edit = add(&[(2, &f3), (1, &shared(5, ("a", "d"), (0, 0)))]);
    edit.deleted_files = vec![(1, 3), (0, 1), (0, 2), (1, 4)];
    let built = build(&v1, &[edit]).unwrap();
    assert_eq!(numbers(&built.version, 0), [0; 0]);
    assert_eq!(numbers(&built.version, 1), [5]);
    assert_eq!(numbers(&built.version, 2), [3]);
    let mut removed: Vec<u64> = built.removed.iter().map(|f| f.number).collect();
    removed.sort_unstable();
    assert_eq!(removed, [1, 2, 4], "the moved file is not removed");
    assert!(Arc::ptr_eq(built.version.level(3), v1.level(3)));
}

#[test]
fn a_move_keeps_the_metadata_that_is_known() {
    let known = shared(3, ("m", "p"), (1, 2));
    let v1 = Arc::new(build(&empty(), &[add(&[(1, &known)])]).unwrap().version);
    let mut edit = add(&[(2, &shared(3, ("m", "p"), (1, 2)))]);
    edit.delete_file(1, 3);
    let v2 = build(&v1, &[edit]).unwrap().version;
    assert!(Arc::ptr_eq(&v2.files(2)[0], &known));
}

#[test]
fn files_that_come_and_go_within_the_edits_are_not_there() {
    let f1 = shared(1, ("a", "c"), (1, 2));
    let mut delete = VersionEdit::default();
    delete.delete_file(3, 1);
    let built = build(&empty(), &[add(&[(3, &f1)]), delete]).unwrap();
    assert_eq!(built.version.total_files(), 0);
    assert!(built.removed.is_empty());
}

#[test]
fn wrong_places_are_refused() {
    let f1 = shared(1, ("a", "c"), (1, 2));
    let v1 = Arc::new(build(&empty(), &[add(&[(1, &f1)])]).unwrap().version);
    let mut delete = VersionEdit::default();
    delete.delete_file(2, 1);
    refused(build(&v1, &[delete.clone()]), &["cannot remove file #1 from level 2"]);
    delete.deleted_files = vec![(900, 1)];
    refused(build(&v1, &[delete.clone()]), &["cannot remove file #1 from level 900"]);
    delete.deleted_files = vec![(1, 1)];
    refused(build(&v1, &[delete.clone(), delete]), &["cannot remove file #1 from level 1"]);
    refused(
        build(&v1, &[add(&[(3, &f1)])]),
        &["cannot add file #1 to level 3: it is already on level 1"],
    );
    refused(
        build(&empty(), &[add(&[(3, &f1)]), add(&[(3, &f1)])]),
        &["cannot add file #1 to level 3"],
    );
    let e = build(&empty(), &[add(&[(7, &f1)])]).map(|b| b.version).unwrap_err();
    assert_eq!(e.code(), crate::Code::InvalidArgument);
    assert!(e.message().contains("num_levels is 7, but file #1 is on level 7"), "{e}");
}

#[test]
fn overlap_below_level_0_is_refused() {
    let f1 = shared(1, ("a", "c"), (1, 2));
    for (other, fits) in [(("c", "d"), false), (("b", "b"), false), (("d", "e"), true)] {
        let f2 = shared(2, other, (3, 4));
        let result = build(&empty(), &[add(&[(6, &f1), (6, &f2)])]);
        if fits {
            assert_eq!(numbers(&result.unwrap().version, 6), [1, 2]);
        } else {
            refused(result, &["level 6", "#1 ", "#2 "]);
        }
    }
    // One user key, split between neighbours by old RocksDB releases: internal keys ascend.
    let newer = shared(7, ("a", "k"), (8, 9));
    let older = shared(8, ("k", "z"), (1, 2));
    let built = build(&empty(), &[add(&[(2, &older), (2, &newer)])]).unwrap();
    assert_eq!(numbers(&built.version, 2), [7, 8]);
    let backwards = shared(9, ("z", "a"), (1, 2));
    refused(build(&empty(), &[add(&[(0, &backwards)])]), &["#9"]);
}

#[test]
fn level_0_without_epochs_follows_sequence_numbers() {
    let case = |ranges: &[(u64, u64)]| {
        let files: Vec<_> = (1..).zip(ranges).map(|(n, &r)| shared(n, ("a", "z"), r)).collect();
        let files: Vec<_> = files.iter().map(|f| (0, f)).collect();
        build(&empty(), &[add(&files)])
    };
    let order = |ranges: &[(u64, u64)]| numbers(&case(ranges).unwrap().version, 0);
    assert_eq!(order(&[(1, 10), (11, 20), (21, 30)]), [3, 2, 1]);
    assert_eq!(order(&[(1, 10), (15, 15), (11, 20)]), [3, 2, 1], "ingested inside a range");
    assert_eq!(order(&[(0, 0), (0, 0), (1, 5)]), [3, 2, 1], "ingested at zero");
    refused(case(&[(1, 10), (1, 10)]), &["#1 ", "#2 ", "descend"]);
    refused(case(&[(1, 10), (1, 20)]), &["#1 ", "#2 "]);
    refused(case(&[(5, 10), (1, 20)]), &["#1 ", "#2 "]);
    refused(case(&[(15, 15), (15, 15)]), &["#1 ", "#2 "]);
}

#[test]
fn level_0_with_epochs_follows_them() {
    let a = epoch(file(1, ("a", "m"), (50, 60)), 4);
    let b = epoch(file(2, ("k", "z"), (70, 80)), 3);
    let v = build(&empty(), &[add(&[(0, &b), (0, &a)])]).unwrap().version;
    assert_eq!(numbers(&v, 0), [1, 2], "the epoch decides, not the sequence number");
    let apart = epoch(file(3, ("n", "z"), (1, 1)), 4);
    let v = build(&empty(), &[add(&[(0, &apart), (0, &a)])]).unwrap().version;
    assert_eq!(numbers(&v, 0), [1, 3]);
    let same = epoch(file(4, ("b", "c"), (1, 1)), 4);
    refused(build(&empty(), &[add(&[(0, &same), (0, &a)])]), &["#1 ", "#4 ", "one epoch"]);
}
