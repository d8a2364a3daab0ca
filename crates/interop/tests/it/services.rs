//! What `ldb` 7.8.3 does to whole directories, done to ours: ingesting, checkpoints, backups,
//! repairs, fewer levels.

use crate::children::{check_copy, run};
use crate::tools::{self, ldb};
use ferrolith_interop::ours::Ours;
use ferrolith_interop::peers;
use ferrolith_interop::steps::Step;
use ferrolith_interop::store::{Engine, Setup};
use ferrolith_interop::workload::{Family, Model, Shape, Workload};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

fn setup(dir: &Path, cf: &str) -> Setup {
    let cf = format!("write_buffer_size=64K;target_file_size_base=64K;{cf}");
    Setup { dir: dir.into(), db: String::new(), cf, shape: Shape::default() }
}

/// A directory of ours with several levels and a live WAL, and what is in it.
fn ours(dir: &Path) -> Vec<Family> {
    let setup = setup(dir, "");
    let seed = fastrand::u64(..1 << 40);
    eprintln!("seed {seed}");
    let (mut workload, mut model) = (Workload::new(setup.shape, seed, 0), Model::new(&setup.shape));
    (0..1500).for_each(|_| model.apply(&workload.next_batch()));
    run(Engine::Ferrolith, &setup, &[Step::Fill { seed, from: 0, to: 1000 }, Step::Compact]);
    // Closed, not killed: `ldb repair` would take obsolete files for live ones.
    run(Engine::Ferrolith, &setup, &[Step::Fill { seed, from: 1000, to: 1500 }, Step::Wait]);
    model.families
}

#[test]
fn checkpoint() {
    let root = tempfile::tempdir().unwrap();
    let (dir, copy) = (root.path().join("db"), root.path().join("copy"));
    let content = ours(&dir);
    ldb(&dir, &["checkpoint", &format!("--checkpoint_dir={}", copy.display())]);
    check_copy("checkpoint", Engine::Ferrolith, &setup(&copy, ""), &content);
}

#[test]
fn backup_and_restore() {
    let root = tempfile::tempdir().unwrap();
    let (dir, copy) = (root.path().join("db"), root.path().join("copy"));
    let content = ours(&dir);
    let backup = format!("--backup_dir={}", root.path().join("backup").display());
    ldb(&dir, &["backup", &backup]);
    ldb(&copy, &["restore", &backup]);
    check_copy("restore", Engine::Ferrolith, &setup(&copy, ""), &content);
}

/// One directory of backups, to which `ldb` and our engine add in turn, and from which each restores
/// what the other one made.
#[test]
fn backups_are_shared() {
    let root = tempfile::tempdir().unwrap();
    let path = |name: &str| root.path().join(name);
    let content = ours(&path("db"));
    let backups = path("backups");
    let argument = format!("--backup_dir={}", backups.display());
    ldb(&path("db"), &["backup", &argument]);
    Ours::restore(&backups, &path("theirs")).unwrap();
    check_copy("ldb backup", Engine::Ferrolith, &setup(&path("theirs"), ""), &content);
    let db = Ours::open(&setup(&path("db"), "")).unwrap();
    db.back_up(&backups).unwrap();
    drop(db);
    ldb(&path("ours"), &["restore", &argument]);
    check_copy("our backup", Engine::Rocksdb, &setup(&path("ours"), ""), &content);
    Ours::restore(&backups, &path("again")).unwrap();
    check_copy("our restore", Engine::Rocksdb, &setup(&path("again"), ""), &content);
}

fn lose_manifest(dir: &Path) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.to_string_lossy().contains("MANIFEST-") {
            std::fs::remove_file(path).unwrap();
        }
    }
}

#[test]
fn our_repair() {
    let dir = tempfile::tempdir().unwrap();
    let content = ours(dir.path());
    lose_manifest(dir.path());
    Ours::repair(&setup(dir.path(), "")).unwrap();
    check_copy("repair", Engine::Rocksdb, &setup(dir.path(), ""), &content);
    check_copy("repair", Engine::Ferrolith, &setup(dir.path(), ""), &content);
}

/// The MANIFEST is lost; what ours wrote into tables and WALs is enough to make a new one.
#[test]
fn repair() {
    let dir = tempfile::tempdir().unwrap();
    let content = ours(dir.path());
    lose_manifest(dir.path());
    ldb(dir.path(), &["repair"]);
    check_copy("repair", Engine::Rocksdb, &setup(dir.path(), ""), &content);
    check_copy("repair", Engine::Ferrolith, &setup(dir.path(), ""), &content);
}

#[test]
fn fewer_levels() {
    let dir = tempfile::tempdir().unwrap();
    let content = ours(dir.path());
    ldb(dir.path(), &["reduce_levels", "--new_levels=3"]);
    check_copy("3 levels", Engine::Ferrolith, &setup(dir.path(), "num_levels=3"), &content);
    check_copy("7 levels", Engine::Ferrolith, &setup(dir.path(), ""), &content);
}

/// Tables made outside carry sequence number 0; the MANIFEST says which one counts.
#[test]
fn ingested_tables() {
    let root = tempfile::tempdir().unwrap();
    let (dir, table) = (root.path().join("db"), root.path().join("outside.sst"));
    let mut content = ours(&dir);
    let pairs: Vec<(String, String)> =
        (0..500).map(|n| (format!("key{n:05}"), format!("ingested {n}"))).collect();
    ldb(&dir, &["put", "key00007", "older"]);
    write_table(&dir, &table, &pairs);
    let table = table.to_string_lossy();
    ldb(&dir, &["ingest_extern_sst", "--allow_global_seqno=true", &table]);
    ldb(&dir, &["put", "key00008", "newer"]);
    content[0].extend(pairs.into_iter().map(|(k, v)| (k.into_bytes(), v.into_bytes())));
    content[0].insert(b"key00008".to_vec(), b"newer".to_vec());
    assert_eq!(tools::scan(&dir, "default"), content[0]);
    check_copy("ingested", Engine::Ferrolith, &setup(&dir, ""), &content);
    run(Engine::Ferrolith, &setup(&dir, ""), &[Step::Compact]);
    check_copy("compacted here", Engine::Ferrolith, &setup(&dir, ""), &content);
    tools::check("compacted here", &dir, &["default".into()], &content);
}

fn write_table(dir: &Path, table: &Path, pairs: &[(String, String)]) {
    let mut child = Command::new(peers::tool("ldb").unwrap())
        .arg(format!("--db={}", dir.display()))
        .arg("write_extern_sst")
        .arg(table)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let text: String = pairs.iter().map(|(k, v)| format!("{k} ==> {v}\n")).collect();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(child.wait_with_output().unwrap().status.success());
}
