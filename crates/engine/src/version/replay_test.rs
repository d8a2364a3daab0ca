use super::*;
use crate::version::testing::{real_manifests, records_of, shared};

fn edit(change: impl FnOnce(&mut VersionEdit)) -> VersionEdit {
    let mut edit = VersionEdit::default();
    change(&mut edit);
    edit
}

/// The mandatory fields of a MANIFEST.
fn head() -> VersionEdit {
    edit(|e| {
        e.log_number = Some(3);
        e.next_file_number = Some(10);
        e.last_sequence = Some(100);
    })
}

fn replay(edits: &[VersionEdit]) -> Result<ManifestState> {
    let mut state = ManifestState::default();
    for edit in edits {
        state.apply_record(&edit.encode())?;
    }
    state.finish()?;
    Ok(state)
}

#[track_caller]
fn refused(edits: &[VersionEdit], text: &str) {
    let e = replay(edits).unwrap_err();
    assert!(e.is_corruption() && e.message().contains(text), "{e}");
}

fn files(state: &ManifestState, cf: u32) -> Vec<(usize, u64)> {
    state.column_families[&cf].files.values().map(|(level, f)| (*level, f.number)).collect()
}

fn real(name: &str) -> ManifestState {
    let (_, manifest) = real_manifests().into_iter().find(|(n, _)| n == name).unwrap();
    let mut state = ManifestState::default();
    for record in records_of(&manifest) {
        state.apply_record(&record).unwrap();
    }
    state.finish().unwrap();
    state
}

#[test]
fn real_manifests_replay_to_their_last_state() {
    for name in ["manifest_cf", "manifest_cf_11"] {
        let state = real(name);
        assert_eq!(state.column_families.len(), 2, "{name}: cfB was dropped");
        assert_eq!(state.column_families[&1].name, "cfA");
        assert_eq!((state.max_column_family, state.last_sequence), (2, 4));
        assert_eq!(state.min_log_number_to_keep, 18);
        assert_eq!(state.next_file_number, 20);
    }
    let state = real("manifest_cf");
    assert_eq!((files(&state, 0), files(&state, 1)), (vec![(1, 13), (1, 19)], vec![(0, 14)]));
    assert_eq!(state.column_families[&1].log_number, 12);

    let state = real("manifest_levels_11");
    assert_eq!(files(&state, 0), [(6, 9), (0, 11)]);
    assert_eq!(state.db_id.as_deref(), Some("60953c8f-5d7b-43ac-8967-87c29a8c5e0c"));
    let state = real("manifest_ingest");
    assert_eq!(files(&state, 0), [(0, 8), (0, 10), (0, 11)]);
    let state = real("manifest_tracked_wals");
    assert_eq!((state.next_file_number, state.last_sequence), (17, 3));
}

#[test]
fn blob_files_that_still_hold_values_are_named() {
    let state = real("manifest_blob");
    let live: Vec<u64> = state.column_families[&0].live_blob_files().collect();
    assert_eq!(live, [10, 13]);
    let add = [0x90, 0x03, 10, 2, 50, 0, 0, 0];
    let garbage = [0x91, 0x03, 10, 2, 50, 0];
    let mut state = ManifestState::default();
    state.apply_record(&add).unwrap();
    state.apply_record(&garbage).unwrap();
    assert_eq!(state.column_families[&0].live_blob_files().count(), 0);
    assert!(state.apply_record(&add).is_err(), "twice");
    let mut unknown = garbage;
    unknown[2] = 11;
    assert!(state.apply_record(&unknown).is_err());
}

#[test]
fn each_required_field_is_missed() {
    refused(&[], "no log_file_number entry in MANIFEST");
    refused(&[edit(|e| e.log_number = Some(1))], "no next_file_number entry in MANIFEST");
    let without_sequence = edit(|e| {
        e.log_number = Some(1);
        e.next_file_number = Some(2);
    });
    refused(&[without_sequence], "no last_sequence_number entry in MANIFEST");
    assert!(replay(&[head()]).is_ok());
}

#[test]
fn next_file_number_is_above_every_number() {
    let f = shared(50, ("a", "b"), (1, 2));
    let state = replay(&[head(), edit(|e| e.add_file(0, f))]).unwrap();
    assert_eq!(state.next_file_number, 51);
    let state = replay(&[head(), edit(|e| e.log_number = Some(77))]).unwrap();
    assert_eq!(state.next_file_number, 78);
    let last = edit(|e| e.log_number = Some(MAX_FILE_NUMBER));
    refused(&[head(), last], "no file numbers are left");
}

#[test]
fn sequence_numbers_must_make_sense() {
    let f = shared(5, ("a", "b"), (90, 101));
    refused(&[head(), edit(|e| e.add_file(2, f))], "last_sequence is 100, but");
    let lower = edit(|e| e.last_sequence = Some(99));
    refused(&[head(), lower], "last_sequence descends from 100 to 99");
}

#[test]
fn files_must_be_where_the_edits_say() {
    let add = edit(|e| e.add_file(1, shared(5, ("a", "b"), (1, 2))));
    refused(&[head(), add.clone(), add.clone()], "cannot add file #5 to level 1");
    refused(&[head(), edit(|e| e.delete_file(1, 5))], "cannot remove file #5 from level 1");
    refused(
        &[head(), add.clone(), edit(|e| e.delete_file(2, 5))],
        "cannot remove file #5 from level 2",
    );
    let moved = edit(|e| {
        e.delete_file(1, 5);
        e.add_file(2, shared(5, ("a", "b"), (1, 2)));
    });
    assert_eq!(files(&replay(&[head(), add, moved]).unwrap(), 0), [(2, 5)]);
}

#[test]
fn column_families_come_and_go() {
    let add = |id, name: &str| {
        edit(|e| {
            e.column_family = id;
            e.column_family_add = Some(name.to_owned());
            e.comparator = Some("c".to_owned());
            e.log_number = Some(4);
        })
    };
    let drop = |id| {
        edit(|e| {
            e.column_family = id;
            e.column_family_drop = true;
        })
    };
    let state = replay(&[head(), add(4, "x"), add(2, "y"), drop(4)]).unwrap();
    assert_eq!(state.column_families.keys().copied().collect::<Vec<_>>(), [0, 2]);
    assert_eq!(state.max_column_family, 4, "ids are not used again");
    assert_eq!(state.column_families[&2].log_number, 4);
    refused(&[head(), add(4, "x"), add(4, "y")], "4 is added twice");
    refused(&[head(), add(4, "x"), add(5, "x")], "x is added twice");
    refused(&[head(), add(0, "x")], "0 is added twice");
    refused(&[head(), add(7, "default")], "default is added twice");
    refused(&[head(), drop(0)], "default column family is dropped");
    refused(&[head(), drop(3)], "3 is dropped, but does not exist");
    let stray = edit(|e| {
        e.column_family = 9;
        e.log_number = Some(1);
    });
    refused(&[head(), stray], "column family 9 of an edit does not exist");
    let mut both = add(4, "x");
    both.add_file(0, shared(5, ("a", "b"), (1, 2)));
    refused(&[head(), both], "and changes files");
    let other = edit(|e| e.comparator = Some("d".to_owned()));
    refused(&[head(), edit(|e| e.comparator = Some("c".to_owned())), other], "comparator changes");
}

#[test]
fn an_atomic_group_counts_whole_or_not_at_all() {
    let member = |number: u64, remaining| {
        edit(|e| {
            e.add_file(1, shared(number, (&number.to_string(), &number.to_string()), (1, 2)));
            e.in_atomic_group = Some(remaining);
        })
    };
    let last = edit(|e| e.in_atomic_group = Some(0));
    let whole = [head(), member(5, 2), member(6, 1), last.clone()];
    assert_eq!(files(&replay(&whole).unwrap(), 0), [(1, 5), (1, 6)]);
    assert_eq!(files(&replay(&whole[..3]).unwrap(), 0), [], "cut off");
    let twice = [&whole[..], &[member(7, 0)]].concat();
    assert_eq!(files(&replay(&twice).unwrap(), 0).len(), 3);
    refused(&[head(), member(5, 2), last], "0 edits remain after one with 2");
    refused(&[head(), member(5, 2), member(6, 2)], "2 edits remain after one with 2");
    refused(
        &[head(), member(5, 1), head()],
        "found an edit outside the group while 1 edits remain",
    );
}

#[test]
fn damaged_manifests_never_panic() {
    let mut rng = fastrand::Rng::with_seed(3);
    for (_, manifest) in real_manifests() {
        let records = records_of(&manifest);
        for _ in 0..300 {
            let mut state = ManifestState::default();
            let hit = rng.usize(..records.len());
            for (i, record) in records.iter().enumerate() {
                let mut record = record.clone();
                if i == hit && !record.is_empty() {
                    let at = rng.usize(..record.len());
                    record[at] = rng.u8(..);
                }
                if rng.u8(..20) > 0 && state.apply_record(&record).is_err() {
                    break;
                }
            }
            let _ = state.finish();
        }
    }
}
