use super::*;
use crate::version::VersionSet;
use crate::version::testing::{bytes_of, db_with, options, shared, spec};
use serde_json::Value;

#[test]
fn unknown_column_families_and_blob_files_are_refused() {
    let v: Value = serde_json::from_str(include_str!("testdata/manifests.json")).unwrap();
    let db = |name: &str| {
        db_with(&[
            ("CURRENT", b"MANIFEST-000005\n".to_vec()),
            ("MANIFEST-000005", bytes_of(&v[name], "hex")),
        ])
    };
    let fs = db("manifest_wal_basic");
    let e = VersionSet::recover(options(Arc::new(fs.clone())), &[spec("default")])
        .map(|_| ())
        .unwrap_err();
    assert_eq!(e.to_string(), "Invalid argument: Column families not opened: cf1");
    let specs = [spec("default"), spec("cf1"), spec("new")];
    let (_, missing) = VersionSet::recover(options(Arc::new(fs.clone())), &specs).unwrap();
    assert_eq!(missing, ["new"]);

    let fs = db("manifest_blob");
    let e = VersionSet::recover(options(Arc::new(fs.clone())), &[spec("default")])
        .map(|_| ())
        .unwrap_err();
    assert_eq!(e.code(), crate::Code::NotSupported);
    assert!(e.message().contains("blob files: column family default has values in 000010.blob"));
}

#[test]
fn too_few_levels_are_an_invalid_argument() {
    let v: Value = serde_json::from_str(include_str!("testdata/manifests.json")).unwrap();
    let fs = db_with(&[
        ("CURRENT", b"MANIFEST-000005\n".to_vec()),
        ("MANIFEST-000005", bytes_of(&v["manifest_levels_11"], "hex")),
    ]);
    let few = ColumnFamilySpec { num_levels: 6, ..spec("default") };
    let e = VersionSet::recover(options(Arc::new(fs.clone())), &[few]).map(|_| ()).unwrap_err();
    assert_eq!(e.code(), crate::Code::InvalidArgument);
    assert!(e.message().contains("num_levels is 6, but file #9 is on level 6"), "{e}");
}

#[test]
fn missing_epochs_follow_levels_and_age() {
    let mut files = vec![
        (0, shared(1, ("a", "z"), (50, 60))),
        (0, shared(2, ("a", "z"), (61, 70))),
        (3, shared(3, ("a", "c"), (1, 2))),
        (3, shared(4, ("d", "e"), (3, 4))),
        (6, shared(5, ("a", "z"), (0, 0))),
    ];
    let order = KeyOrder::bytewise();
    complete_epochs(&order, &mut files).unwrap();
    let epochs: Vec<u64> = files.iter().map(|(_, f)| f.epoch_number).collect();
    assert_eq!(epochs, [3, 4, 2, 2, 1]);

    // If one file has no epoch number, all files are numbered again, by sequence numbers.
    files[0].1 = Arc::new(files[0].1.with_epoch(90));
    complete_epochs(&order, &mut files).unwrap();
    assert_eq!(files[0].1.epoch_number, 90, "all have one: nothing changes");
    files[2].1 = Arc::new(files[2].1.with_epoch(0));
    complete_epochs(&order, &mut files).unwrap();
    let epochs: Vec<u64> = files.iter().map(|(_, f)| f.epoch_number).collect();
    assert_eq!(epochs, [3, 4, 2, 2, 1]);

    let mut bad = vec![(0, shared(1, ("a", "b"), (5, 9))), (0, shared(2, ("x", "z"), (1, 20)))];
    assert!(complete_epochs(&order, &mut bad).unwrap_err().is_corruption());
}
