//! Runs `interop-peer` children and copies directories.

use ferrolith_interop::dump::{self, difference};
use ferrolith_interop::steps::Step;
use ferrolith_interop::store::{Engine, Setup};
use ferrolith_interop::workload::Family;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// No child needs nearly as long; one that does hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// Starts a child.
pub fn start(engine: Engine, setup: &Setup, steps: &[Step]) -> Child {
    start_under(&[], engine, setup, steps)
}

/// Starts a child as the argument of another program.
pub fn start_under(by: &[&str], engine: Engine, setup: &Setup, steps: &[Step]) -> Child {
    if engine == Engine::Rocksdb {
        ferrolith_interop::peers::library().unwrap();
    }
    let whole = [by, &[env!("CARGO_BIN_EXE_interop-peer")]].concat();
    Command::new(whole[0])
        .args(&whole[1..])
        .arg(engine.name())
        .args([setup.dir.as_os_str(), setup.db.as_ref(), setup.cf.as_ref()])
        .arg(setup.shape.to_text())
        .args(steps.iter().map(Step::to_text))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Whether a child ends by itself, and not by a signal.
pub fn ends_well(mut child: Child) -> bool {
    drop(child.stdin.take());
    let status = child.wait().unwrap();
    assert!(status.code().is_none_or(|code| code == 0), "{status}: {}", complaint(&mut child));
    status.success()
}

/// Waits for a child that should end by itself.
pub fn finish(mut child: Child) -> Result<(), String> {
    let started = Instant::now();
    drop(child.stdin.take());
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            return Err("it hangs; killed".into());
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let status = child.wait().unwrap();
    if status.success() {
        return Ok(());
    }
    Err(format!("{status}: {}", complaint(&mut child)))
}

/// What a child that has ended said.
pub fn complaint(child: &mut Child) -> String {
    let mut text = String::new();
    child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
    text.trim().to_owned()
}

/// Waits until a child has said `word`.
pub fn wait_for_word(child: &mut Child, word: &str) {
    let mut lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
    let said = lines.find(|line| line.as_ref().is_ok_and(|line| line == word));
    if said.is_none() {
        panic!("a child ended before it said {word:?}: {}", complaint(child));
    }
}

/// Runs the steps and closes the database.
pub fn run(engine: Engine, setup: &Setup, steps: &[Step]) {
    if let Err(error) = finish(start(engine, setup, steps)) {
        panic!("{engine:?} on {}: {error}", setup.dir.display());
    }
}

/// Runs the steps and kills the process while the database is open.
pub fn run_and_kill(engine: Engine, setup: &Setup, steps: &[Step]) {
    let mut child = start(engine, setup, &[steps, &[Step::Park]].concat());
    wait_for_word(&mut child, "parked");
    child.kill().unwrap();
    child.wait().unwrap();
}

/// All that `engine` reads in the directory itself.
pub fn dump(engine: Engine, setup: &Setup) -> Result<Vec<Family>, String> {
    let out = tempfile::NamedTempFile::new().unwrap();
    finish(start(engine, setup, &[Step::Dump(out.path().into())]))?;
    dump::read(out.path())
}

/// All that `engine` reads in a copy of the directory.
pub fn dump_copy(engine: Engine, setup: &Setup) -> Result<Vec<Family>, String> {
    let copy = tempfile::tempdir().unwrap();
    copy_dir(&setup.dir, copy.path());
    dump(engine, &Setup { dir: copy.path().into(), ..setup.clone() })
}

/// Checks that `engine` finds exactly `expected` in a copy of the directory.
pub fn check_copy(when: &str, engine: Engine, setup: &Setup, expected: &[Family]) {
    let copy = tempfile::tempdir().unwrap();
    copy_dir(&setup.dir, copy.path());
    let there = Setup { dir: copy.path().into(), ..setup.clone() };
    let result = dump(engine, &there).and_then(|found| {
        assert_eq!(found.len(), expected.len());
        let differences = found.iter().zip(expected).enumerate().filter_map(|(n, (a, b))| {
            difference(a, b).map(|difference| format!("family {n}: {difference}"))
        });
        differences.map(Err).next().unwrap_or(Ok(()))
    });
    if let Err(error) = result {
        keep(copy);
        panic!("{when}: {engine:?} with {:?} {:?}: {error}", setup.db, setup.cf);
    }
}

/// Leaves a directory for inspection.
pub fn keep(dir: tempfile::TempDir) {
    eprintln!("kept {}", dir.keep().display());
}

/// Copies a database that nobody has open.
pub fn copy_dir(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_dir(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
