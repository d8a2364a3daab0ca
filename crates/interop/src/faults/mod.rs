//! The fault matrix: a disk that becomes full, on each file system, at each stage of writing.
//!
//! A cell of the matrix is a file system, a [`Stage`], a log that is mapped or written by write(2), and writes that are
//! synced or not. For each cell the program makes file systems of its own ([`disk`]), starts a [`victim`] on them,
//! fills the disk at the right moment ([`stages`]), and demands ([`cell`]):
//!
//! 1. The stage was hit: an error that names the right file and "No space left" was seen. Otherwise the cell fails.
//! 2. No signal, no panic; reads go on and are right while the disk is full.
//! 3. Space was given back: writes go on within [`cell::RESUME_LIMIT`].
//! 4. It happens again, and the process is killed or closed while the disk is full. The full directory can be read
//!    without writing. With space again, RocksDB (on a copy) and this engine find every acknowledged batch.
//!
//! `cargo x faults` runs it. It needs root, since it mounts; elsewhere every cell is skipped, and the last line says
//! so.

pub mod cell;
pub mod content;
pub mod disk;
pub mod driver;
pub mod report;
pub mod stages;
pub mod verdict;
pub mod victim;

use crate::store::Result;
use cell::Cell;
use disk::FsKind;
use stages::Stage;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// The command's help.
pub const USAGE: &str = include_str!("usage.txt");

/// What a command line asks for.
#[derive(Debug)]
struct Selection {
    cells: Vec<Cell>,
    dir: PathBuf,
    list: bool,
}

/// Keeps the values that a list between commas names; a name that fits none is an error.
fn choose<T: Copy>(names: &str, all: &[T], name: impl Fn(T) -> &'static str) -> Result<Vec<T>> {
    let one = |wanted: &str| {
        let known = || all.iter().map(|value| name(*value)).collect::<Vec<_>>().join(", ");
        let found = all.iter().copied().find(|value| name(*value) == wanted);
        found.ok_or_else(|| format!("unknown name {wanted:?}; known: {}", known()))
    };
    names.split(',').map(one).collect()
}

fn parse(args: &[String]) -> Result<Selection> {
    let (mut kinds, mut stages) = (FsKind::ALL.to_vec(), Stage::ALL.to_vec());
    let (mut logs, mut writes) = (vec![true, false], vec![false, true]);
    let (mut quick, mut list) = (false, false);
    let mut dir = std::env::temp_dir().join("ferrolith-faults");
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} needs a value"));
        match arg.as_str() {
            "--fs" => kinds = choose(value()?, &FsKind::ALL, FsKind::name)?,
            "--stage" => stages = choose(value()?, &Stage::ALL, Stage::name)?,
            "--log" => logs = choose(value()?, &[true, false], cell::log_name)?,
            "--writes" => writes = choose(value()?, &[false, true], cell::writes_name)?,
            "--dir" => dir = PathBuf::from(value()?),
            "--quick" => quick = true,
            "--list" => list = true,
            other => return Err(format!("unknown flag {other:?}")),
        }
    }
    let mut cells = Vec::new();
    for fs in kinds {
        for stage in stages.iter().copied().filter(|stage| stage.is_possible_on(fs)) {
            for (mapped, sync) in
                logs.iter().flat_map(|log| writes.iter().map(|sync| (*log, *sync)))
            {
                cells.push(Cell { fs, stage, mapped, sync });
            }
        }
    }
    cells.retain(|cell| !quick || cell.is_quick());
    Ok(Selection { cells, dir, list })
}

/// Why nothing can run here, if nothing can.
fn obstacle() -> Option<String> {
    if !is_root() {
        return Some("mounting requires root".into());
    }
    let own = Command::new("unshare").args(["--mount", "true"]).output();
    match own {
        Ok(done) if done.status.success() => None,
        Ok(done) => Some(format!(
            "cannot create a mount namespace: {}",
            String::from_utf8_lossy(&done.stderr).trim()
        )),
        Err(e) => Some(format!("unshare: {e}")),
    }
}

/// The owner of the process's own directory in /proc.
fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|meta| meta.uid() == 0)
}

/// Set in the process that has its own mounts.
const INSIDE: &str = "FERROLITH_FAULTS_INSIDE";

/// The program `faults`.
pub fn main(args: &[String]) -> ExitCode {
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        print!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let done = match args.split_first() {
        Some((word, rest)) if word == "victim" => victim::main(rest),
        Some((word, rest)) if word == "read-only" => victim::read_only(rest),
        Some((word, rest)) if word == "peer" => crate::steps::main(rest),
        _ => match parse(args) {
            Ok(selection) => return start(&selection, args),
            Err(e) => {
                eprintln!("faults: {e}\n\n{USAGE}");
                return ExitCode::from(2);
            }
        },
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("faults: {e}");
            ExitCode::FAILURE
        }
    }
}

fn start(selection: &Selection, args: &[String]) -> ExitCode {
    if selection.list {
        selection.cells.iter().for_each(|cell| println!("{cell}"));
        return ExitCode::SUCCESS;
    }
    if std::env::var_os(INSIDE).is_some() {
        return report::run_all(&selection.cells, &selection.dir);
    }
    if let Some(why) = obstacle().or_else(|| crate::peers::library().err()) {
        return report::all_skipped(&selection.cells, &why);
    }
    // A private namespace: its mounts end with its last process, even if that is killed.
    let again = std::env::current_exe().and_then(|program| {
        Command::new("unshare")
            .args(["--mount", "--propagation", "private"])
            .arg(program)
            .args(args)
            .env(INSIDE, "1")
            .status()
    });
    match again {
        Ok(status) => ExitCode::from(status.code().map_or(1, |code| code as u8)),
        Err(e) => {
            eprintln!("faults: unshare: {e}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_choose_cells() {
        let cells = |text: &str| {
            let args: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            parse(&args).map(|selection| selection.cells.len())
        };
        // Seven stages everywhere, the eighth where blocks can be shared; four kinds of cells each.
        assert_eq!(cells(""), Ok((8 * 7 + 4) * 4));
        assert_eq!(cells("--fs xfs,tmpfs --stage wal,shared-wal --writes sync"), Ok(6));
        assert_eq!(cells("--quick"), Ok(11));
        assert!(cells("--fs ntfs").is_err_and(|e| e.contains("ntfs") && e.contains("overlay-xfs")));
        assert!(cells("--stage").is_err());
    }
}
