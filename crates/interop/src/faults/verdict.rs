//! What is there after a fault, as both engines see it, against what was acknowledged.

use super::cell::Ground;
use super::content::{Sizes, apply, expected, owner};
use crate::dump::{self, difference};
use crate::ledger::Ledger;
use crate::steps::Step;
use crate::store::{Engine, Result, Setup};
use crate::workload::Family;
use std::path::Path;
use std::process::Command;

/// The acknowledged batches of each thread.
pub fn acknowledged(ledger: &Path, threads: u32) -> Result<Vec<u64>> {
    let ledger = Ledger::open(ledger)?;
    (0..threads).map(|thread| ledger.acknowledged(thread)).collect()
}

/// Runs this program as a child, for at most a minute.
fn child(args: &[&std::ffi::OsStr]) -> Result<()> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut command = Command::new("timeout");
    command.args(["--signal=KILL", "60"]).arg(program).args(args);
    let done = command.output().map_err(|e| format!("timeout: {e}"))?;
    if done.status.success() {
        return Ok(());
    }
    Err(format!("{}: {}", done.status, String::from_utf8_lossy(&done.stderr).trim()))
}

/// All that this engine reads when it opens the directory for reading only.
pub fn read_only(setup: &Setup, scratch: &Path) -> Result<Vec<Family>> {
    let out = scratch.join("read-only");
    let Setup { dir, db, cf, .. } = setup;
    child(&["read-only".as_ref(), dir.as_ref(), db.as_ref(), cf.as_ref(), out.as_ref()])?;
    dump::read(&out)
}

/// All that an engine reads, every way there is, after recovery.
fn content(engine: Engine, setup: &Setup, scratch: &Path) -> Result<Vec<Family>> {
    let out = scratch.join(engine.name());
    let (shape, step) = (setup.shape.to_text(), Step::Dump(out.clone()).to_text());
    child(&[
        "peer".as_ref(),
        engine.name().as_ref(),
        setup.dir.as_ref(),
        setup.db.as_ref(),
        setup.cf.as_ref(),
        shape.as_ref(),
        step.as_ref(),
    ])?;
    dump::read(&out)
}

/// RocksDB on a copy, this engine on the directory itself: both find what was acknowledged, and the same.
pub fn both_engines(ground: &Ground, sizes: &Sizes, batches: &[u64]) -> Result<()> {
    let (setup, scratch) = (&ground.setup, &ground.scratch);
    let copy = scratch.join("copy");
    copy_dir(&setup.dir, &copy.join("db"))?;
    if ground.wal != setup.dir {
        copy_dir(&ground.wal, &copy.join("wal"))?;
    }
    let (old, new) = (ground.wal.to_string_lossy(), copy.join("wal"));
    let db = setup.db.replace(&*old, &new.to_string_lossy());
    let there = Setup { dir: copy.join("db"), db, ..setup.clone() };
    let theirs = content(Engine::Rocksdb, &there, scratch).map_err(|e| format!("RocksDB: {e}"))?;
    judge(sizes, batches, &theirs).map_err(|e| format!("RocksDB: {e}"))?;
    let ours = content(Engine::Ferrolith, setup, scratch).map_err(|e| format!("we: {e}"))?;
    judge(sizes, batches, &ours).map_err(|e| format!("we: {e}"))?;
    match difference(&ours[0], &theirs[0]) {
        None => Ok(()),
        Some(difference) => Err(format!("Ferrolith and RocksDB disagree: {difference}")),
    }
}

/// Each thread's content is that of its acknowledged batches, with or without the one that was refused last.
pub fn judge(sizes: &Sizes, batches: &[u64], found: &[Family]) -> Result<()> {
    let [found] = found else { return Err(format!("{} families", found.len())) };
    for (thread, (mut model, done)) in expected(sizes, batches).into_iter().zip(batches).enumerate()
    {
        let own = found.iter().filter(|(key, _)| owner(key) == thread as u32);
        let own: Family = own.map(|(key, value)| (key.clone(), value.clone())).collect();
        if let Some(difference) = difference(&own, &model) {
            apply(&mut model, &sizes.batch(thread as u32, *done));
            if own != model {
                return Err(format!("LOST: thread {thread} after {done} batches: {difference}"));
            }
        }
    }
    Ok(())
}

/// Copies a database that nobody has open, links followed.
pub fn copy_dir(from: &Path, to: &Path) -> Result<()> {
    let copied = std::fs::create_dir_all(to).and_then(|()| {
        for entry in std::fs::read_dir(from)? {
            let (path, target) = {
                let e = entry?;
                (e.path(), to.join(e.file_name()))
            };
            if path.is_dir() {
                copy_dir(&path, &target).map_err(std::io::Error::other)?;
            } else {
                std::fs::copy(&path, &target)?;
            }
        }
        Ok(())
    });
    copied.map_err(|e| format!("copying {}: {e}", from.display()))
}
