//! Runs cells one after the other, prints their progress, and a table at the end.

use super::cell::{Cell, Passed};
use super::disk::{self, FsKind, Mount};
use super::stages::Stage;
use crate::store::Result;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// No cell ran.
const NONE_RAN: u8 = 3;

enum Outcome {
    Passed(Passed),
    Failed,
    Skipped(String),
}

/// Says that nothing can run here, and why.
pub fn all_skipped(cells: &[Cell], why: &str) -> ExitCode {
    for cell in cells {
        println!("SKIPPED {cell}");
    }
    println!("fault matrix: 0 passed, 0 failed, {} SKIPPED: {why}", cells.len());
    ExitCode::from(NONE_RAN)
}

/// The run's directories.
struct Room {
    /// A tmpfs with mount points and small files.
    work: PathBuf,
    /// On a real disk.
    images: PathBuf,
}

impl Room {
    fn make(dir: &Path) -> Result<Room> {
        let make_dir = |path: &Path| {
            std::fs::create_dir_all(path).map_err(|e| format!("{}: {e}", path.display()))
        };
        make_dir(dir)?;
        let dir = dir.canonicalize().map_err(|e| format!("{}: {e}", dir.display()))?;
        sweep(&dir);
        let work = dir.join(format!("run-{}", std::process::id()));
        make_dir(&work)?;
        disk::run("mount", &["-t", "tmpfs", "-o", "size=1g", "tmpfs", &work.to_string_lossy()])?;
        Ok(Room { work, images: dir })
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let _ = disk::run("umount", &["-l", &self.work.to_string_lossy()]);
        let _ = std::fs::remove_dir(&self.work);
    }
}

/// Removes what runs that were killed have left: an empty mount point, an image that was just being mounted.
fn sweep(dir: &Path) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let mut words = name.split('-');
        let (what, Some(pid)) = (words.next(), words.next()) else { continue };
        if Path::new("/proc").join(pid).exists() {
            continue;
        }
        let _ = match what {
            Some("run") => std::fs::remove_dir(entry.path()),
            Some("image") => std::fs::remove_file(entry.path()),
            _ => Ok(()),
        };
    }
}

/// Why no cell of this file system can run here, if none can.
fn obstacle(kind: FsKind, room: &Room) -> Option<String> {
    let probe = || Mount::make(kind, &room.work.join("probe"), &room.images, 160).map(drop);
    kind.obstacle().or_else(|| probe().err())
}

/// Runs these cells below `dir`.
pub fn run_all(cells: &[Cell], dir: &Path) -> ExitCode {
    let room = match Room::make(dir) {
        Ok(room) => room,
        Err(e) => {
            eprintln!("faults: {e}");
            return ExitCode::FAILURE;
        }
    };
    let mut outcomes: Vec<(Cell, Outcome)> = Vec::new();
    let mut known: Option<(FsKind, Option<String>)> = None;
    for (n, cell) in cells.iter().enumerate() {
        if known.as_ref().is_none_or(|(kind, _)| *kind != cell.fs) {
            known = Some((cell.fs, obstacle(cell.fs, &room)));
        }
        let outcome = match known.as_ref().and_then(|(_, why)| why.clone()) {
            Some(why) => Outcome::Skipped(why),
            None => run_one(cell, n, &room),
        };
        println!("[{:3}/{}] {cell}: {}", n + 1, cells.len(), describe(&outcome));
        if let Outcome::Passed(passed) = &outcome {
            println!("          proof: {}", passed.evidence);
        }
        outcomes.push((*cell, outcome));
    }
    drop(room);
    table(&outcomes);
    summary(&outcomes)
}

fn run_one(cell: &Cell, n: usize, room: &Room) -> Outcome {
    let started = Instant::now();
    let work = room.work.join(format!("cell-{n}"));
    let keep = room.images.join("failed").join(cell.to_string().replace(' ', "."));
    let (result, transcript) = cell.run(&work, &room.images, &keep);
    let _ = std::fs::remove_dir_all(&work);
    match result {
        Ok(passed) => Outcome::Passed(passed),
        Err(e) => {
            println!("FAILED {cell} after {:.1?}: {e}", started.elapsed());
            let log = keep.join("transcript");
            let text = format!("{cell}: {e}\n{transcript}");
            if std::fs::create_dir_all(&keep).and_then(|()| std::fs::write(&log, text)).is_ok() {
                println!("  files and transcript: {}", keep.display());
            }
            Outcome::Failed
        }
    }
}

fn describe(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Failed => "FAILED".into(),
        Outcome::Skipped(why) => format!("SKIPPED: {why}"),
        Outcome::Passed(p) => format!(
            "ok; log {}; writes {} while full, resumed after {:.3} s; the failed operation succeeded {:.3} s later",
            if p.was_mapped { "mapped" } else { "not mapped" },
            p.while_full,
            p.resumed.as_secs_f64(),
            p.finished.as_secs_f64()
        ),
    }
}

/// A row per file system and stage, a column per log and way to write.
fn table(outcomes: &[(Cell, Outcome)]) {
    println!("\nSeconds from freeing space until every thread has written (limit: 5)\n");
    println!(
        "| file system | stage | mapped, async | mapped, sync | unmapped, async | unmapped, sync |"
    );
    println!("|---|---|---|---|---|---|");
    for fs in FsKind::ALL {
        for stage in Stage::ALL {
            let of_row: Vec<_> =
                outcomes.iter().filter(|(c, _)| c.fs == fs && c.stage == stage).collect();
            if of_row.is_empty() {
                continue;
            }
            let columns = [(true, false), (true, true), (false, false), (false, true)];
            let field = |(mapped, sync)| {
                let cell = of_row.iter().find(|(c, _)| c.mapped == mapped && c.sync == sync);
                match cell.map(|(_, outcome)| outcome) {
                    None => "-".to_owned(),
                    Some(Outcome::Failed) => "**FAILED**".into(),
                    Some(Outcome::Skipped(_)) => "skipped".into(),
                    Some(Outcome::Passed(p)) => {
                        let star = if mapped && !p.was_mapped { "*" } else { "" };
                        format!("{:.3}{star}", p.resumed.as_secs_f64())
                    }
                }
            };
            let fields: Vec<String> = columns.into_iter().map(field).collect();
            println!("| {} | {} | {} |", fs.name(), stage.name(), fields.join(" | "));
        }
    }
    println!(
        "\n\\* the engine does not map logs on this file system; it uses the default options and write(2)"
    );
}

fn summary(outcomes: &[(Cell, Outcome)]) -> ExitCode {
    let count = |wanted: fn(&Outcome) -> bool| outcomes.iter().filter(|(_, o)| wanted(o)).count();
    let passed = count(|o| matches!(o, Outcome::Passed(_)));
    let failed = count(|o| matches!(o, Outcome::Failed));
    let mut reasons: Vec<String> = Vec::new();
    for (cell, outcome) in outcomes {
        if let Outcome::Skipped(why) = outcome {
            let reason = format!("{}: {why}", cell.fs.name());
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
    }
    for (cell, _) in outcomes.iter().filter(|(_, o)| matches!(o, Outcome::Failed)) {
        println!("FAILED: {cell}");
    }
    let skipped = outcomes.len() - passed - failed;
    let why = if skipped > 0 { format!(" ({})", reasons.join("; ")) } else { String::new() };
    println!("fault matrix: {passed} passed, {failed} failed, {skipped} SKIPPED{why}");
    match (failed, passed) {
        (0, 0) => ExitCode::from(NONE_RAN),
        (0, _) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
