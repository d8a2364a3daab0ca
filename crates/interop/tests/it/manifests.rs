//! A MANIFEST that lost its end, or whose end is zeros: whoever opens the database finds the same tables,
//! or the same refusal.

use crate::children::{finish, start};
use ferrolith::internal::db::Db;
use ferrolith::internal::options::{FlushOptions, Options, WriteOptions};
use ferrolith_interop::steps::Step;
use ferrolith_interop::store::{Engine, Setup};
use ferrolith_interop::workload::Shape;
use ferrolith_interop::{figures, ours};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

type Tables = Result<BTreeSet<(String, i32)>, String>;

/// A database with some tables, and edits in its MANIFEST that came one after the other.
fn made_by(engine: Engine, dir: &Path) {
    let cf = "disable_auto_compactions=true".to_owned();
    let setup = Setup { dir: dir.into(), db: String::new(), cf, shape: Shape::default() };
    let mut steps = Vec::new();
    for i in 0..4 {
        steps.extend([Step::Fill { seed: i, from: 0, to: 20 }, Step::Flush]);
    }
    finish(start(engine, &setup, &steps)).unwrap();
}

fn manifest(dir: &Path) -> PathBuf {
    let current = std::fs::read_to_string(dir.join("CURRENT")).unwrap();
    dir.join(current.trim())
}

/// Both open it, and see the same; or neither does.
fn compare(dir: &Path, what: &str) -> Tables {
    let (our, their) = (ours::tables_read_only(dir), figures::tables_read_only(dir));
    match (&our, &their) {
        (Ok(our), Ok(their)) => assert_eq!(our, their, "{what}"),
        (Err(our), Err(their)) => {
            assert_eq!(
                our.starts_with("Corruption"),
                their.starts_with("Corruption"),
                "{what}: {our}: {their}"
            );
        }
        _ => panic!("{what}: ours: {our:?}, theirs: {their:?}"),
    }
    our
}

/// Cuts the MANIFEST at these offsets, and has it end with zeros from there.
fn sweep(dir: &Path, offsets: impl Fn(usize) -> Vec<usize>) {
    let path = manifest(dir);
    let whole = std::fs::read(&path).unwrap();
    let size = whole.len();
    let all = compare(dir, "whole").unwrap();
    assert!(all.len() >= 4, "{all:?}");
    let offsets = offsets(size);
    let mut refused = 0;
    for &at in &offsets {
        std::fs::write(&path, &whole[..at]).unwrap();
        let _ = compare(dir, &format!("cut at {at} of {size}"));
        let mut zeros = whole.clone();
        zeros[at..].fill(0);
        std::fs::write(&path, &zeros).unwrap();
        if let Err(e) = compare(dir, &format!("zeros from {at} of {size}")) {
            assert!(e.contains("MANIFEST"), "{e}");
            refused += 1;
        }
    }
    assert!(refused > offsets.len() / 2, "{refused} of {} refused", offsets.len());
}

#[test]
fn a_manifest_of_ours_without_its_end() {
    let dir = tempfile::tempdir().unwrap();
    made_by(Engine::Ferrolith, dir.path());
    sweep(dir.path(), |size| (0..size).collect());
}

#[test]
fn a_manifest_of_rocksdbs_without_its_end() {
    let dir = tempfile::tempdir().unwrap();
    made_by(Engine::Rocksdb, dir.path());
    sweep(dir.path(), |size| (0..size).collect());
}

/// A record that begins in one block and ends in the next.
#[test]
fn a_long_manifest_without_its_end() {
    let dir = tempfile::tempdir().unwrap();
    let mut options = Options::default();
    options.db.create_if_missing = true;
    options.cf.disable_auto_compactions = true;
    let db = Db::open(&options, dir.path()).unwrap();
    for i in 0..10u8 {
        for end in [0, 9] {
            db.put(&WriteOptions::default(), &[&[i, end], &[b'k'; 2000][..]].concat(), b"v")
                .unwrap();
        }
        db.flush(&FlushOptions::default()).unwrap();
    }
    db.close().unwrap();
    sweep(dir.path(), |size| {
        assert!(size > 36 << 10, "{size}");
        let block = 32 << 10;
        (block - 12..block + 20).chain((block / 2..size).step_by(241)).collect()
    });
}
