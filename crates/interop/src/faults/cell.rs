//! One cell of the matrix: makes the disks, runs the victim through the fault twice, and judges.

use super::content::THREADS;
use super::disk::{Ballast, Base, FsKind, Mount};
use super::driver::{Driver, Written};
use super::stages::{PATIENCE, Stage, all_written};
use super::verdict;
use crate::store::{Result, Setup};
use crate::workload::Shape;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Writes go on so soon after space was given back. A bound on correctness: measured times are far smaller.
pub const RESUME_LIMIT: Duration = Duration::from_secs(5);
/// How long the disk stays full after the first error: background work tries again meanwhile.
const FULL_FOR: Duration = Duration::from_millis(1200);
/// The size of the disk that becomes full, in megabytes.
const FULL_DISK: u64 = 128;
/// The size of the other disk.
const OTHER_DISK: u64 = 200;

/// A cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The file system.
    pub fs: FsKind,
    /// What fails.
    pub stage: Stage,
    /// The log is mapped where the engine maps; otherwise its blocks are not allocated ahead, and it is not mapped.
    pub mapped: bool,
    /// Writes wait for the device.
    pub sync: bool,
}

/// A log's name on the command line.
pub fn log_name(mapped: bool) -> &'static str {
    if mapped { "mapped" } else { "unmapped" }
}

/// The name of a way to write.
pub fn writes_name(sync: bool) -> &'static str {
    if sync { "sync" } else { "async" }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cell { fs, stage, mapped, sync } = *self;
        write!(f, "{} {} {} {}", fs.name(), stage.name(), log_name(mapped), writes_name(sync))
    }
}

/// What a cell that passed has shown.
#[derive(Clone, Debug, Default)]
pub struct Passed {
    /// Whether the process had mapped its log.
    pub was_mapped: bool,
    /// Whether writes were accepted, refused or blocked while the disk was full.
    pub while_full: String,
    /// How long after space was given back every thread's write was accepted.
    pub resumed: Duration,
    /// How long after that what had failed was done.
    pub finished: Duration,
    /// The error that proves that the stage was hit.
    pub evidence: String,
}

impl Cell {
    /// Whether `--quick` runs it: each stage on two file systems, with both logs, synced and not; and a mapped log
    /// whose blocks are shared, where a store into the mapping can find no room.
    pub fn is_quick(&self) -> bool {
        let Cell { fs, stage, mapped, sync } = *self;
        if fs.overlay {
            return false;
        }
        match (fs.base, stage) {
            (Base::Xfs, Stage::SharedWal) => mapped && !sync,
            (_, Stage::SharedWal | Stage::CompactionRoom | Stage::Everything) => false,
            (Base::Ext4, _) => mapped && !sync,
            (Base::Tmpfs, _) => !mapped && sync,
            _ => false,
        }
    }

    /// Whether the engine must map the log: without this, cells could pass that test something else.
    fn must_map(&self) -> bool {
        self.mapped && !self.fs.overlay && self.fs.base != Base::Btrfs
    }

    /// Runs it in the directory `work`, with images in `images`. The second result is the transcript.
    pub fn run(&self, work: &Path, images: &Path, keep: &Path) -> (Result<Passed>, String) {
        let ground = match Ground::make(self, work, images) {
            Ok(ground) => ground,
            Err(e) => return (Err(format!("creating the disks: {e}")), String::new()),
        };
        let mut transcript = String::new();
        let result = self.run_on(&ground, &mut transcript);
        if result.is_err() {
            ground.keep(keep);
        }
        (result, transcript)
    }

    fn run_on(&self, ground: &Ground, transcript: &mut String) -> Result<Passed> {
        let ledger = ground.scratch.join("ledger");
        let (setup, sizes) = (&ground.setup, self.stage.sizes().to_text());
        let (dir, ledger) = (setup.dir.to_string_lossy(), ledger.to_string_lossy());
        let args = [&*dir, &setup.db, &setup.cf, &sizes, writes_name(self.sync), &*ledger];
        let mut victim = Driver::start(&args, PATIENCE)?;
        let mut ballast = ground.full.ballast();
        let passed = self.attack(ground, &mut victim, &mut ballast);
        transcript.push_str(victim.transcript());
        drop(victim);
        let passed = passed?;
        let batches = verdict::acknowledged(Path::new(&*ledger), THREADS)?;
        let read_only = verdict::read_only(setup, &ground.scratch)
            .and_then(|found| verdict::judge(&self.stage.sizes(), &batches, &found));
        read_only.map_err(|e| format!("reading the full disk: {e}"))?;
        ballast.release()?;
        verdict::both_engines(ground, &self.stage.sizes(), &batches)?;
        Ok(passed)
    }

    /// Two faults; the process ends in the second.
    fn attack(
        &self,
        ground: &Ground,
        victim: &mut Driver,
        ballast: &mut Ballast,
    ) -> Result<Passed> {
        let mut was_mapped = false;
        for _ in 0..20 {
            all_written(victim, 1)?;
            // A large record is written without a mapping, so one look is not enough.
            was_mapped |= victim.has_mapped_log(&ground.wal)?;
        }
        let wrong = if was_mapped { !self.mapped } else { self.must_map() };
        if wrong {
            return Err(format!("the log is mapped: {was_mapped}; this cell expects the opposite"));
        }
        let mut passed = Passed { was_mapped, ..Passed::default() };
        passed.evidence = self.stage.hit(victim, ballast, &ground.wal)?;
        passed.while_full = self.stay_full(victim)?;

        ballast.release()?;
        let released = Instant::now();
        passed.resumed = resume(victim, released)?;
        let resumed = Instant::now();
        self.stage.finish(victim).map_err(|e| format!("with space again: {e}"))?;
        passed.finished = resumed.elapsed();
        all_written(victim, 10)?;
        victim.must("check", PATIENCE)?;

        let again = self.stage.hit(victim, ballast, &ground.wal);
        again.map_err(|e| format!("the second time: {e}"))?;
        self.stay_full(victim).map_err(|e| format!("the second time: {e}"))?;
        if self.sync {
            victim.close(PATIENCE).map(drop)?
        } else {
            victim.kill()?
        }
        Ok(passed)
    }

    /// While the disk is full: reads are right, and writes are accepted where they must be.
    fn stay_full(&self, victim: &mut Driver) -> Result<String> {
        let full_until = Instant::now() + FULL_FOR;
        victim.must("check", PATIENCE).map_err(|e| format!("while the disk is full: {e}"))?;
        // Where writes may wait for space, a short look tells how the engine behaves.
        let must = self.stage.accepts_writes();
        let patience = if must { PATIENCE } else { Duration::from_millis(800) };
        let written = victim.write(2, patience)?;
        std::thread::sleep(full_until.saturating_duration_since(Instant::now()));
        if must && written != Written::All {
            return Err(format!(
                "while the disk is full, a write that needs no space on it: {written:?}"
            ));
        }
        Ok(match written {
            Written::All => "accepted".into(),
            Written::Refused(_) => "refused".into(),
            Written::Blocked => "blocked".into(),
        })
    }
}

/// Writes until every thread's batch is accepted; how long that took.
fn resume(victim: &mut Driver, released: Instant) -> Result<Duration> {
    let mut last = Written::Blocked;
    while released.elapsed() < 4 * RESUME_LIMIT {
        last = victim.write(1, PATIENCE)?;
        if last == Written::All {
            let resumed = released.elapsed();
            if resumed > RESUME_LIMIT {
                return Err(format!("writes resumed only {resumed:.2?} after space was freed"));
            }
            return Ok(resumed);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Err(format!(
        "writes are still STOPPED {:?} after space was freed: {last:?}",
        released.elapsed()
    ))
}

/// The disks of a cell and where the database's files lie.
pub struct Ground {
    /// What becomes full.
    pub full: Mount,
    /// Has space always; unmounted by its drop.
    _other: Mount,
    /// On neither.
    pub scratch: PathBuf,
    /// How the database is opened.
    pub setup: Setup,
    /// The WAL's directory.
    pub wal: PathBuf,
}

impl Ground {
    fn make(cell: &Cell, work: &Path, images: &Path) -> Result<Ground> {
        let scratch = work.join("scratch");
        let make_dir = |path: &Path| {
            std::fs::create_dir_all(path).map_err(|e| format!("{}: {e}", path.display()))
        };
        make_dir(&scratch)?;
        let full = Mount::make(cell.fs, &work.join("full"), images, FULL_DISK)?;
        let other = Mount::make(cell.fs, &work.join("other"), images, OTHER_DISK)?;
        let dir = full.path().join("db");
        make_dir(&dir)?;
        let mut db = "max_background_jobs=2;max_subcompactions=1".to_owned();
        let wal = if cell.stage.fills_wal() { dir.clone() } else { other.path().join("wal") };
        if !cell.stage.fills_wal() {
            make_dir(&wal)?;
            db.push_str(&format!(";wal_dir={}", wal.display()));
        }
        if !cell.stage.fills_tables() {
            let tables = other.path().join("tables");
            make_dir(&tables)?;
            let linked = std::os::unix::fs::symlink(&tables, dir.join("path0"));
            linked.map_err(|e| format!("path0: {e}"))?;
            db.push_str(";data_paths=1000000000");
        }
        if !cell.mapped {
            db.push_str(";allow_fallocate=false");
        }
        let setup = Setup { dir, db, cf: cell.stage.cf_options(), shape: Shape::default() };
        Ok(Ground { full, _other: other, scratch, setup, wal })
    }

    /// Copies the database's files for inspection.
    fn keep(&self, keep: &Path) {
        let _ = std::fs::remove_dir_all(keep);
        let copied = verdict::copy_dir(&self.setup.dir, &keep.join("db"));
        let copied = copied.and_then(|()| verdict::copy_dir(&self.wal, &keep.join("wal")));
        if let Err(e) = copied {
            eprintln!("faults: keeping the files of a failing cell: {e}");
        }
    }
}
