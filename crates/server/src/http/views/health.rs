//! What is wrong with the server, and what to do about it.

use super::super::App;
use super::super::refusal::Refusal;
use super::place_of;
use crate::redis::replica::{LinkState, Mode};
use schemars::JsonSchema;
use serde::Serialize;

/// The share of a disk in percent from which on its state is a warning, or an error.
const DISK_WARNING: f64 = 80.0;
const DISK_ERROR: f64 = 95.0;

/// How serious a problem is.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(in crate::http) enum Severity {
    /// Nothing is wrong.
    Ok,
    /// Something will go wrong, or is slower than it should be.
    Warning,
    /// Something fails.
    Error,
}

/// The health of the server.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::http) struct Health {
    /// The severity of the worst problem.
    status: Severity,
    /// All problems, the worst first.
    problems: Vec<Problem>,
    /// The disk of the data; null if the system does not tell.
    disk: Option<Disk>,
}

/// Something that is wrong.
#[derive(Debug, Serialize, JsonSchema)]
struct Problem {
    /// How serious it is.
    severity: Severity,
    /// What is wrong.
    text: String,
    /// What to do.
    remedy: String,
}

/// The disk of the data.
#[derive(Debug, Serialize, JsonSchema)]
struct Disk {
    /// Its size in bytes.
    total_bytes: u64,
    /// The bytes that this process may still write.
    free_bytes: u64,
    /// The directory of the data.
    directory: String,
}

/// Returns the health of the server.
pub(in crate::http) fn get(app: &App) -> Result<Health, Refusal> {
    let disk = disk(app);
    let mut problems = Vec::new();
    background_error(app, &mut problems);
    stalls(app, &mut problems);
    problems.extend(refused_writes(app));
    problems.extend(disk.as_ref().and_then(full_disk));
    replication(app, &mut problems);
    scripts(app, &mut problems);
    problems.sort_by_key(|problem| std::cmp::Reverse(problem.severity));
    let status = problems.first().map_or(Severity::Ok, |problem| problem.severity);
    Ok(Health { status, problems, disk })
}

/// Returns whether the server should get requests; if not, why. The answer of `/health`.
pub(in crate::http) fn illness(app: &App) -> Option<&'static str> {
    let is_above_zero = |name: &str| app.parts.store.figure(name).is_some_and(|value| value > 0);
    if is_above_zero("rocksdb.background-errors") {
        return Some("a flush or a compaction failed: see the log");
    }
    if is_above_zero("rocksdb.is-write-stopped") {
        return Some("writes wait for flushes or compactions");
    }
    if app.parts.store.has_full_disk() {
        return Some("the disk is full, and writes are refused: free space");
    }
    None
}

fn background_error(app: &App, problems: &mut Vec<Problem>) {
    if app.parts.store.figure("rocksdb.background-errors").is_none_or(|count| count == 0) {
        return;
    }
    let text =
        app.parts.store.events().error().map_or(String::new(), |(_, text)| format!(": {text}"));
    problems.push(Problem {
        severity: Severity::Error,
        text: format!("Writes are refused, because a flush or a compaction failed{text}"),
        remedy: "Free space on the disk, or repair what the message and the file LOG in the data \
                 directory name; the server then continues by itself, or after a restart"
            .to_owned(),
    });
}

fn stalls(app: &App, problems: &mut Vec<Problem>) {
    let latest = app.parts.store.events().stalls();
    for (family, condition) in app.parts.store.events().conditions() {
        let stall = latest.iter().find(|stall| stall.family == family);
        let cause = stall.map_or("", |stall| stall.cause.as_str());
        let cause = if cause.is_empty() { String::new() } else { format!(" ({cause})") };
        let (table, partition) = place_of(app, &family);
        let partition = partition.map_or(String::new(), |number| format!(" partition {number}"));
        let severity = if condition == "stopped" { Severity::Error } else { Severity::Warning };
        problems.push(Problem {
            severity,
            text: format!(
                "Writes to {table}{partition} are {condition}{cause} until flushes and compactions catch up"
            ),
            remedy: "Write more slowly or in other partitions, use a faster disk, or give more \
                     memory with --memory-mb; the view LSM shows what is behind"
                .to_owned(),
        });
    }
}

fn disk(app: &App) -> Option<Disk> {
    let directory = app.parts.store.directory();
    let stat = rustix::fs::statvfs(directory).ok()?;
    Some(Disk {
        total_bytes: stat.f_blocks.saturating_mul(stat.f_frsize),
        free_bytes: stat.f_bavail.saturating_mul(stat.f_frsize),
        directory: directory.display().to_string(),
    })
}

fn refused_writes(app: &App) -> Option<Problem> {
    app.parts.store.has_full_disk().then(|| Problem {
        severity: Severity::Error,
        text: "Writes are refused, because the disk is full".to_owned(),
        remedy: "Free space on the disk; the server then continues by itself".to_owned(),
    })
}

fn full_disk(disk: &Disk) -> Option<Problem> {
    let used = 100.0 - disk.free_bytes as f64 * 100.0 / disk.total_bytes.max(1) as f64;
    let severity = match used {
        used if used >= DISK_ERROR => Severity::Error,
        used if used >= DISK_WARNING => Severity::Warning,
        _ => return None,
    };
    Some(Problem {
        severity,
        text: format!("The disk of {} is {used:.0} % full", disk.directory),
        remedy: "Delete data or other files, or move the directory to a larger disk; the server \
                 refuses writes while the disk is full"
            .to_owned(),
    })
}

fn replication(app: &App, problems: &mut Vec<Problem>) {
    let replication = &app.parts.server.replication;
    if replication.mode() == Mode::Master {
        return;
    }
    let status = replication.status();
    let target = status.target.map_or(String::new(), |target| target.address());
    if status.link != LinkState::Up && status.link != LinkState::Syncing {
        let cause = match status.last_error.as_str() {
            "" => String::new(),
            cause => format!(": {cause}"),
        };
        problems.push(Problem {
            severity: Severity::Error,
            text: format!("The copy of {target} gets no changes{cause}"),
            remedy: "Check that the other server runs and accepts this one (masteruser, \
                     masterauth); REPLICAOF NO ONE ends the copy"
                .to_owned(),
        });
    }
    if status.errors > 0 {
        problems.push(Problem {
            severity: Severity::Warning,
            text: format!(
                "{} commands of {target} failed here: {}",
                status.errors, status.last_error
            ),
            remedy: "The copy may differ: make it again with REPLICAOF".to_owned(),
        });
    }
}

fn scripts(app: &App, problems: &mut Vec<Problem>) {
    if app.parts.server.scripts.running.busy_text().is_some() {
        problems.push(Problem {
            severity: Severity::Error,
            text: "A script runs too long, and other commands are answered with BUSY".to_owned(),
            remedy: "Wait, or end it with SCRIPT KILL or FUNCTION KILL".to_owned(),
        });
    }
}
