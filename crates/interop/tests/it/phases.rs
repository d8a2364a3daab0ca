//! Two-phase commits over both engines: what one prepares, the other one finds, commits or rolls back,
//! after a close and after a crash.

use crate::tools;
use ferrolith_interop::ours::Ours;
use ferrolith_interop::phases::{Content, OurPhases, Phases, Record, TheirPhases};
use ferrolith_interop::store::{Engine, Setup};
use ferrolith_interop::theirs::Theirs;
use ferrolith_interop::workload::Shape;
use std::collections::BTreeMap;
use std::path::Path;

fn open(engine: Engine, dir: &Path) -> Box<dyn Phases> {
    let opened: Result<Box<dyn Phases>, String> = match engine {
        Engine::Ferrolith => OurPhases::open(dir).map(|phases| Box::new(phases) as _),
        Engine::Rocksdb => TheirPhases::open(dir).map(|phases| Box::new(phases) as _),
    };
    opened.unwrap_or_else(|e| panic!("{engine:?} cannot open {}: {e}", dir.display()))
}

#[derive(Clone, Default)]
struct Model {
    content: Content,
    prepared: BTreeMap<String, Vec<Record>>,
    names: u32,
}

impl Model {
    fn write(&mut self, records: &[Record]) {
        for (family, key, value) in records {
            self.content.insert((*family, key.clone()), value.clone());
        }
    }

    fn decide(&mut self, name: &str, commits: bool) {
        let records = self.prepared.remove(name).unwrap();
        if commits {
            self.write(&records);
        }
    }

    fn check(&self, found: &dyn Phases, when: &str) {
        let names: Vec<String> = self.prepared.keys().cloned().collect();
        assert_eq!(found.prepared(), names, "{when}");
        assert!(found.content().unwrap() == self.content, "{when}: content differs");
    }
}

/// Records of keys that no other transaction has.
fn records(rng: &mut fastrand::Rng, of: u32) -> Vec<Record> {
    let record = |rng: &mut fastrand::Rng| {
        let key = format!("{of:04} {}", rng.u32(..5)).into_bytes();
        (rng.usize(..3), key, rng.u64(..).to_be_bytes().repeat(rng.usize(1..200)))
    };
    (0..rng.usize(..5)).map(|_| record(rng)).collect()
}

fn work(db: &mut dyn Phases, model: &mut Model, rng: &mut fastrand::Rng) {
    for _ in 0..rng.usize(1..25) {
        model.names += 1;
        let some = records(rng, model.names);
        let names: Vec<String> = model.prepared.keys().cloned().collect();
        match rng.u32(..10) {
            0..3 => {
                let name = format!("txn {:04}", model.names);
                db.prepare(&name, &some).unwrap();
                model.prepared.insert(name, some);
            }
            3..6 if !names.is_empty() => {
                let (name, commits) = (&names[rng.usize(..names.len())], rng.u32(..3) > 0);
                db.decide(name, commits).unwrap();
                model.decide(name, commits);
            }
            6..8 => db.flush(rng.usize(..3)).unwrap(),
            _ => {
                db.write(&some).unwrap();
                model.write(&some);
            }
        }
    }
}

/// What a killed process leaves: a copy of a moment in which nothing changed.
fn killed(dir: &Path) -> tempfile::TempDir {
    let listed = || -> std::io::Result<Vec<_>> {
        let sized = |entry: std::io::Result<std::fs::DirEntry>| {
            let entry = entry?;
            Ok((entry.file_name(), entry.metadata()?.len()))
        };
        let mut list = std::fs::read_dir(dir)?.map(sized).collect::<std::io::Result<Vec<_>>>()?;
        list.sort();
        Ok(list)
    };
    let copied = |to: &Path| -> std::io::Result<bool> {
        let before = listed()?;
        for (name, _) in before.iter().filter(|(name, _)| name != "LOCK") {
            std::fs::copy(dir.join(name), to.join(name))?;
        }
        Ok(listed()? == before)
    };
    for _ in 0..100 {
        let copy = tempfile::tempdir().unwrap();
        if copied(copy.path()).unwrap_or(false) {
            return copy;
        }
        // Background work deletes what it has replaced.
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("{} never stands still", dir.display());
}

const BOTH: [Engine; 2] = [Engine::Ferrolith, Engine::Rocksdb];

#[test]
fn each_engine_finds_what_the_other_one_prepared() {
    let seed = fastrand::u64(..1 << 40);
    eprintln!("seed {seed}");
    let mut rng = fastrand::Rng::with_seed(seed);
    let root = tempfile::tempdir().unwrap();
    let mut model = Model::default();
    for round in 0..16 {
        let engine = BOTH[rng.usize(..2)];
        let when = format!("seed {seed}, round {round}, {engine:?}");
        let mut db = open(engine, root.path());
        model.check(&*db, &when);
        work(&mut *db, &mut model, &mut rng);
        model.check(&*db, &when);
        // Killed here, everything is still there for both, and can be decided.
        for other in BOTH {
            let left = killed(root.path());
            let mut model = model.clone();
            for again in 0..2 {
                let when = format!("{when}, killed, then {other:?} {again}");
                let mut db = open(other, left.path());
                model.check(&*db, &when);
                let names: Vec<String> = model.prepared.keys().cloned().collect();
                for name in &names {
                    let commits = rng.bool();
                    if again == 0 && rng.bool() {
                        continue;
                    }
                    db.decide(name, commits).unwrap();
                    model.decide(name, commits);
                }
                model.check(&*db, &when);
            }
            let back = open(if rng.bool() { engine } else { other }, left.path());
            model.check(&*back, &format!("{when}, killed, {other:?}, and back"));
        }
    }
}

#[test]
fn both_refuse_a_prepared_directory_without_transactions() {
    for engine in BOTH {
        let root = tempfile::tempdir().unwrap();
        let mut db = open(engine, root.path());
        db.prepare("x", &[(0, b"a".to_vec(), b"1".to_vec())]).unwrap();
        let setup = |dir: &Path| Setup {
            dir: dir.into(),
            db: String::new(),
            cf: String::new(),
            shape: Shape { families: 3, ..Shape::default() },
        };
        let text = "WAL contains prepared transactions. Open with TransactionDB::Open().";
        let left = killed(root.path());
        let ours = Ours::open(&setup(left.path())).map(|_| ()).unwrap_err();
        let theirs = Theirs::open(&setup(left.path())).map(|_| ()).unwrap_err();
        for error in [ours, theirs] {
            assert!(error.starts_with("Not implemented: ") && error.contains(text), "{error}");
        }
        drop(db);
        open(engine, left.path()).decide("x", true).unwrap();
    }
}

#[test]
fn ldb_reads_the_marks_in_our_wal() {
    let root = tempfile::tempdir().unwrap();
    let mut db = open(Engine::Ferrolith, root.path());
    db.prepare("first", &[(0, b"a".to_vec(), b"1".to_vec())]).unwrap();
    db.decide("first", true).unwrap();
    db.prepare("second", &[(1, b"b".to_vec(), b"2".to_vec())]).unwrap();
    let left = killed(root.path());
    let mut logs = std::fs::read_dir(left.path()).unwrap().map(|entry| entry.unwrap().path());
    let wal = logs.find(|path| path.extension().is_some_and(|e| e == "log")).unwrap();
    let wal = format!("--walfile={}", wal.display());
    let output = tools::ldb(left.path(), &["dump_wal", &wal, "--print_value"]);
    for mark in ["BEGIN_PREPARE", "END_PREPARE(0x6669727374)", "ROLLBACK(0x6669727374)"] {
        assert!(output.contains(mark), "{mark} is not in {output}");
    }
}
