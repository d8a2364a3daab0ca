use super::*;
use crate::fs::FileSystem;
use crate::fs::fault::{Fault, FaultFs, FaultKind, Op};
use crate::fs::filename::{manifest_file_name, table_file_name};
use crate::fs::mem::MemFs;
use crate::version::ObsoleteTable;
use crate::version::manifest::read_manifest;
use crate::version::replay::DEFAULT_COLUMN_FAMILY;
use crate::version::testing::{file, options, put_file, spec};

fn recover(fs: &MemFs, names: &[&str]) -> Result<VersionSet> {
    recover_on(options(Arc::new(fs.clone())), names)
}

fn recover_on(opts: VersionSetOptions, names: &[&str]) -> Result<VersionSet> {
    let specs: Vec<_> = names.iter().map(|name| spec(name)).collect();
    VersionSet::recover(opts, &specs).map(|(set, _)| set)
}

fn new_db() -> (MemFs, VersionSet) {
    let fs = MemFs::new();
    fs.create_dir_if_missing(Path::new("/db")).unwrap();
    let opts = options(Arc::new(fs.clone()));
    VersionSet::create_db(&opts, "the-id", &KeyOrder::bytewise()).unwrap();
    let set = recover(&fs, &["default"]).unwrap();
    (fs, set)
}

/// A new file of `cf` on disk that contains `key` once, at the next sequence number.
fn new_file(fs: &dyn FileSystem, set: &VersionSet, key: &str) -> FileMeta {
    let seq = set.counters().last_sequence() + 1;
    set.counters().set_last_sequence(seq);
    let f = file(set.counters().new_file_number(), (key, key), (seq, seq));
    put_file(fs, &table_file_name(Path::new("/db"), f.number), &[0; 1000]);
    f
}

fn flush_edit(cf: u32, file: FileMeta) -> VersionEdit {
    let mut edit = VersionEdit::for_column_family(cf);
    edit.add_file(0, Arc::new(file));
    edit
}

fn live(set: &VersionSet) -> Vec<(u32, usize, u64, u64)> {
    let mut files = Vec::new();
    for (id, cf) in set.column_families() {
        let all = cf.current().all_files();
        files.extend(all.map(|(level, f)| (id, level, f.number, f.epoch_number)));
    }
    files.sort_unstable();
    files
}

#[test]
fn a_new_database_is_empty_and_knows_its_id() {
    let (fs, set) = new_db();
    assert_eq!(set.db_id(), Some("the-id"));
    assert_eq!((set.manifest_number(), set.counters().next_file_number()), (1, 2));
    assert_eq!(set.counters().last_sequence(), 0);
    assert!(live(&set).is_empty());
    let names = VersionSet::list_column_families(&fs, Path::new("/db")).unwrap();
    assert_eq!(names, [DEFAULT_COLUMN_FAMILY]);
}

#[test]
fn installed_edits_survive_a_crash() {
    let (fs, mut set) = new_db();
    let a = new_file(&fs, &set, "a");
    let b = new_file(&fs, &set, "b");
    let (na, nb) = (a.number, b.number);
    let mut edit = flush_edit(0, a);
    let log = set.counters().new_file_number();
    edit.log_number = Some(log);
    edit.min_log_number_to_keep = Some(log);
    let versions = set.install(vec![edit]).unwrap();
    assert_eq!((versions.len(), versions[0].1.num_files(0)), (1, 1));
    set.install(vec![flush_edit(0, b)]).unwrap();
    assert_eq!(live(&set), [(0, 0, na, 1), (0, 0, nb, 2)]);

    let after = recover(&fs.crash_clone(), &["default"]).unwrap();
    assert_eq!(live(&after), live(&set));
    assert_eq!(after.counters().last_sequence(), 2);
    assert_eq!(after.counters().next_file_number(), set.counters().next_file_number());
    assert_eq!(after.column_family(0).unwrap().log_number(), log);
    assert_eq!((after.min_log_number_to_keep(), after.db_id()), (log, Some("the-id")));
    assert!(after.needs_manifest(after.manifest_number()) && !after.needs_manifest(1));
    assert_eq!(set.take_obsolete_manifests(), [1]);
    assert!(set.take_obsolete_manifests().is_empty());
}

#[test]
fn a_compaction_is_as_old_as_its_oldest_input_and_a_move_keeps_its_file() {
    let (fs, mut set) = new_db();
    let files: Vec<FileMeta> = ["a", "b", "c"].iter().map(|k| new_file(&fs, &set, k)).collect();
    let numbers: Vec<u64> = files.iter().map(|f| f.number).collect();
    for f in files {
        set.install(vec![flush_edit(0, f)]).unwrap();
    }
    let reader = Arc::clone(set.column_family(0).unwrap().current());
    let mut edit = flush_edit(0, new_file(&fs, &set, "b"));
    edit.deleted_files = vec![(0, numbers[1]), (0, numbers[2])];
    let output = edit.new_files[0].1.number;
    set.install(vec![edit]).unwrap();
    assert_eq!(live(&set), [(0, 0, numbers[0], 1), (0, 0, output, 2)]);

    assert!(set.obsolete_files().is_empty(), "a version still has the inputs");
    drop(reader);
    let mut obsolete: Vec<u64> = set.obsolete_files().take().iter().map(|t| t.number).collect();
    obsolete.sort_unstable();
    assert_eq!(obsolete, numbers[1..]);

    let moved = Arc::clone(&set.column_family(0).unwrap().current().files(0)[1]);
    let mut edit = VersionEdit::default();
    edit.delete_file(0, moved.number);
    edit.add_file(6, Arc::clone(&moved));
    set.install(vec![edit]).unwrap();
    assert!(Arc::ptr_eq(&set.column_family(0).unwrap().current().files(6)[0], &moved));
    drop(moved);
    assert!(set.obsolete_files().is_empty(), "it only moved");
    set.install(vec![flush_edit(0, new_file(&fs, &set, "d"))]).unwrap();
    assert_eq!(live(&set)[1].3, 4, "epochs go on");
    drop(set);
}

#[test]
fn closing_buries_nothing() {
    let (fs, mut set) = new_db();
    set.install(vec![flush_edit(0, new_file(&fs, &set, "a"))]).unwrap();
    let obsolete_files = set.obsolete_files().clone();
    drop(set);
    assert!(obsolete_files.is_empty());
}

#[test]
fn column_families_get_ids_once() {
    let (fs, mut set) = new_db();
    assert_eq!(set.create_column_family(&spec("one"), 7).unwrap(), 1);
    assert_eq!(set.create_column_family(&spec("two"), 7).unwrap(), 2);
    assert!(set.create_column_family(&spec("two"), 7).is_err());
    set.install(vec![flush_edit(2, new_file(&fs, &set, "a"))]).unwrap();
    let number = live(&set)[0].2;
    let reader = Arc::clone(set.column_family(2).unwrap().current());
    set.drop_column_family(2).unwrap();
    assert!(set.obsolete_files().is_empty());
    drop(reader);
    let dir: Arc<Path> = Path::new("/db").into();
    assert_eq!(set.obsolete_files().take(), [ObsoleteTable { number, dir }]);
    let e = set.install(vec![VersionEdit::for_column_family(2)]).unwrap_err();
    assert_eq!(e.code(), Code::ColumnFamilyDropped);
    assert_eq!(set.drop_column_family(2).unwrap_err().code(), Code::ColumnFamilyDropped);
    assert!(set.drop_column_family(0).is_err());

    // The id stays used: in the same MANIFEST, and in the next one, which no longer contains the
    // drop.
    for round in 0..2 {
        let mut after = recover(&fs.crash_clone(), &["default", "one"]).unwrap();
        assert_eq!(after.column_family(1).unwrap().log_number(), 7);
        assert_eq!(after.max_column_family(), 2, "round {round}");
        set = recover(&fs, &["default", "one"]).unwrap();
        set.install(vec![VersionEdit::default()]).unwrap();
        assert_eq!(after.create_column_family(&spec("three"), 9).unwrap(), 3);
    }
}

#[test]
fn several_edits_count_together() {
    let (fs, mut set) = new_db();
    set.create_column_family(&spec("one"), 2).unwrap();
    let edits: Vec<_> = (0..2)
        .map(|cf| flush_edit(cf, new_file(&fs, &set, "k")))
        .chain([VersionEdit::default()])
        .collect();
    let versions = set.install(edits).unwrap();
    assert_eq!(versions.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [0, 1]);
    // Cut the MANIFEST at every byte: it contains both files or neither.
    let path = manifest_file_name(Path::new("/db"), set.manifest_number());
    let whole = fs.read_file(&path).unwrap();
    let mut counts = BTreeSet::new();
    for n in 0..=whole.len() {
        let cut = fs.crash_clone();
        put_file(&cut, &path, &whole[..n]);
        if let Ok(after) = recover(&cut, &["default", "one"]) {
            counts.insert(live(&after).len());
        }
    }
    assert_eq!(counts, BTreeSet::from([0, 2]));
}

#[test]
fn a_large_manifest_is_replaced_by_a_small_one() {
    let (fs, _) = new_db();
    let mut opts = options(Arc::new(fs.clone()));
    opts.max_manifest_file_size = 2000;
    let mut set = recover_on(opts, &["default"]).unwrap();
    let mut manifests = BTreeSet::new();
    let mut previous: Option<u64> = None;
    for _ in 0..100 {
        let mut edit = flush_edit(0, new_file(&fs, &set, "a"));
        edit.deleted_files.extend(previous.map(|n| (0, n)));
        previous = Some(edit.new_files[0].1.number);
        set.install(vec![edit]).unwrap();
        manifests.insert(set.manifest_number());
        assert!(set.manifest_size() < 2200);
    }
    assert!((3..20).contains(&manifests.len()), "{manifests:?}");
    let mut obsolete = set.take_obsolete_manifests();
    obsolete.push(set.manifest_number());
    assert_eq!(obsolete.len(), manifests.len() + 1, "and the first, from create_db");
    assert_eq!(live(&recover(&fs.crash_clone(), &["default"]).unwrap()), live(&set));
}

/// Checks the sequence numbers of a MANIFEST against VS2, as its reader would.
fn check_manifest(fs: &MemFs, number: u64) {
    let path = manifest_file_name(Path::new("/db"), number);
    read_manifest(fs, &path).unwrap();
}

#[test]
fn last_sequence_covers_files_and_never_descends() {
    let (fs, mut set) = new_db();
    let mut ahead = new_file(&fs, &set, "a");
    ahead.largest_seqno = 500;
    set.install(vec![flush_edit(0, ahead)]).unwrap();
    set.install(vec![VersionEdit::default()]).unwrap();
    check_manifest(&fs, set.manifest_number());
    let after = recover(&fs, &["default"]).unwrap();
    assert_eq!(after.counters().last_sequence(), 500);
}

#[test]
fn inconsistent_edits_are_refused_before_anything_is_written() {
    let (fs, mut set) = new_db();
    set.install(vec![flush_edit(0, new_file(&fs, &set, "a"))]).unwrap();
    let size = set.manifest_size();
    let mut edit = VersionEdit::default();
    edit.delete_file(3, 99);
    assert!(set.install(vec![edit]).unwrap_err().is_corruption());
    let drop = VersionEdit { column_family_drop: true, ..VersionEdit::default() };
    assert!(set.install(vec![drop]).is_err());
    assert_eq!(set.manifest_size(), size);
    assert!(!set.needs_new_manifest());
}

/// Every operation fails once, in every way: memory and disk stay consistent, the next install
/// works, and no file is deleted that the device may refer to.
#[test]
fn after_any_write_error_the_next_install_starts_a_new_manifest() {
    let kinds = [FaultKind::Io, FaultKind::NoSpace, FaultKind::Short(5), FaultKind::AfterDone];
    for kind in kinds {
        for first_install in [true, false] {
            for n in 0.. {
                if !fail_the_nth_write(n, kind, first_install) {
                    assert!(n >= if first_install { 6 } else { 2 }, "{n} operations were tried");
                    break;
                }
            }
        }
    }
}

/// Returns whether the fault hit an operation.
fn fail_the_nth_write(n: u64, kind: FaultKind, first_install: bool) -> bool {
    let (mem, _) = new_db();
    let fs = FaultFs::new(Arc::new(mem.clone()));
    let mut set = recover_on(options(Arc::new(fs.clone())), &["default"]).unwrap();
    if !first_install {
        set.install(vec![flush_edit(0, new_file(&mem, &set, "a"))]).unwrap();
    }
    let before = live(&set);
    let file = new_file(&mem, &set, "b");
    let number = file.number;
    let fault = Fault { op: None, path_contains: String::new(), skip: n, times: 1, kind };
    fs.inject(fault);
    let result = set.install(vec![flush_edit(0, file)]);
    fs.clear();
    let crashes = [0, 1, 2].map(|part| mem.crash_clone_with(|_, loose| loose * part / 2));
    let seen = crashes.map(|fs| live(&recover(&fs, &["default"]).unwrap()));
    let Err(_) = result else {
        assert!(seen.iter().all(|seen| *seen == live(&set)), "an installed edit is durable");
        return false;
    };
    assert_eq!(live(&set), before, "nothing changed in memory");
    assert!(set.needs_new_manifest() && set.needs_table(number));
    for seen in seen {
        assert!(seen == before || seen.iter().any(|f| f.2 == number), "{seen:?}");
    }
    let (_, current) = crate::fs::filename::read_current(&mem, Path::new("/db")).unwrap();
    assert!(set.needs_manifest(current), "CURRENT names {current}");
    assert!(set.take_obsolete_manifests().iter().all(|&m| m != current));

    set.install(vec![flush_edit(0, new_file(&mem, &set, "c"))]).unwrap();
    assert!(!set.needs_new_manifest() && !set.needs_table(number), "the failed edit is resolved");
    for fs in [mem.crash_clone(), mem.crash_clone_with(|_, loose| loose)] {
        assert_eq!(live(&recover(&fs, &["default"]).unwrap()), live(&set));
    }
    let (_, current) = crate::fs::filename::read_current(&mem, Path::new("/db")).unwrap();
    assert_eq!(set.manifest_number(), current);
    assert!(set.take_obsolete_manifests().iter().all(|&m| m < current));
    true
}

#[test]
fn the_first_manifest_of_an_opening_is_written_before_current_names_it() {
    let (mem, _) = new_db();
    let fs = FaultFs::new(Arc::new(mem.clone()));
    let mut set = recover_on(options(Arc::new(fs.clone())), &["default"]).unwrap();
    fs.inject(Fault::always(Op::Rename, "CURRENT", FaultKind::Io));
    assert!(set.install(vec![VersionEdit::default()]).is_err());
    assert_eq!(mem.read_file(Path::new("/db/CURRENT")).unwrap(), b"MANIFEST-000001\n");
    assert!(set.needs_manifest(1) && set.needs_manifest(2), "CURRENT may name either");
    fs.clear();
    set.install(vec![VersionEdit::default()]).unwrap();
    assert_eq!(set.take_obsolete_manifests(), [1, 2]);
    assert_eq!(mem.read_file(Path::new("/db/CURRENT")).unwrap(), b"MANIFEST-000003\n");
}
