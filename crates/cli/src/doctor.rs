//! `doctor`: looks for problems of a data directory or of a running server, and says what to do.

use crate::Answer;
use crate::connection::{Info, Server};
use crate::machine;
use crate::output::{Output, Progress, bytes};
use clap::Args;
use ferrolith::{ColumnFamilyOptions, Db, Options};
use ferrolith_server::backup;
use ferrolith_server::error::Result;
use ferrolith_server::store::DirectoryFormat;
use ferrolith_server::store::directory::{FORMATS, FormatVersion};
use serde_json::json;
use std::path::{Path, PathBuf};

/// The tables and the rows of each that a sample reads.
const SAMPLE_TABLES: usize = 64;
const SAMPLE_ROWS: usize = 1000;
/// The free share of a device below which it is a problem, in percent.
const FREE_MIN: u64 = 10;

/// Arguments of `doctor`.
#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// A data directory; without, the running server of --server
    dir: Option<PathBuf>,
    /// Read all rows of the directory, and not a sample
    #[arg(long, requires = "dir")]
    full: bool,
    #[command(flatten)]
    server: Server,
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Level {
    Fine,
    Advice,
    Problem,
}

struct Finding {
    level: Level,
    what: String,
    remedy: String,
}

#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn fine(&mut self, what: impl Into<String>) {
        self.0.push(Finding { level: Level::Fine, what: what.into(), remedy: String::new() });
    }

    fn advice(&mut self, what: impl Into<String>, remedy: impl Into<String>) {
        let (what, remedy) = (what.into(), remedy.into());
        self.0.push(Finding { level: Level::Advice, what, remedy });
    }

    fn problem(&mut self, what: impl Into<String>, remedy: impl Into<String>) {
        let (what, remedy) = (what.into(), remedy.into());
        self.0.push(Finding { level: Level::Problem, what, remedy });
    }
}

impl Doctor {
    pub(crate) fn run(&self, out: &Output) -> Result<Answer> {
        let mut findings = Findings::default();
        match &self.dir {
            Some(dir) => examine_directory(dir, self.full, &mut findings),
            None => examine_server(&self.server.connect()?.info("everything")?, &mut findings),
        }
        if machine::has_huge_pages_always() {
            findings.advice(
                "transparent huge pages are always on, which makes latencies and memory vary",
                "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
            );
        }
        report(&findings.0, out);
        let has_problem = findings.0.iter().any(|finding| finding.level == Level::Problem);
        Ok(if has_problem { Answer::No } else { Answer::Yes })
    }
}

fn report(findings: &[Finding], out: &Output) {
    let name = |level| match level {
        Level::Fine => "ok",
        Level::Advice => "advice",
        Level::Problem => "problem",
    };
    let mut text = String::new();
    for Finding { level, what, remedy } in findings {
        text += &format!("{}: {what}\n", name(*level));
        if !remedy.is_empty() {
            text += &format!("  remedy: {remedy}\n");
        }
    }
    let values = findings
        .iter()
        .map(|it| json!({ "level": name(it.level), "finding": it.what, "remedy": it.remedy }));
    out.print(text, &serde_json::Value::Array(values.collect()));
}

fn examine_directory(dir: &Path, full: bool, findings: &mut Findings) {
    if !dir.join("CURRENT").exists() {
        return findings.problem(
            format!("{} has no database: the file CURRENT is missing", dir.display()),
            "check the path; if files were lost, restore a backup with ferrolith backup restore",
        );
    }
    if let Err(error) = backup::check_complete(dir) {
        findings.problem(error.to_string(), "run ferrolith backup restore again");
    }
    let holder = machine::lock_holder(&dir.join("LOCK"));
    match holder {
        Some(process) => {
            findings.fine(format!("the process {process} has the database open"));
            examine_process(process, findings);
        }
        None => findings.fine("no process has the database open"),
    }
    examine_space(dir, findings);
    match DirectoryFormat::read(dir, FORMATS) {
        Ok(format) => findings.0.push(format_finding(format.current(), format.newest())),
        Err(error) => findings.problem(
            error.to_string(),
            "use the programs of that version or a later one, or restore a backup from before",
        ),
    }
    match open(dir) {
        Ok((db, names)) => examine_files(&db, &names, full, findings),
        Err(error) => findings.problem(
            format!("the database cannot be opened for reading: {error}"),
            "if a file is missing or damaged, restore a backup with ferrolith backup restore",
        ),
    }
}

/// Returns what the format of a directory means for a downgrade.
fn format_finding(current: FormatVersion, newest: FormatVersion) -> Finding {
    let FormatVersion { number, name, since } = current;
    let readers = match since {
        "" => "servers that know it can open the directory".to_owned(),
        since => format!("servers from version {since} on can open the directory"),
    };
    let name = if name.is_empty() { String::new() } else { format!(" ({name})") };
    if number >= newest.number {
        let what = format!(
            "format {number}{name}, finalized: it is the newest of this version, and {readers}"
        );
        return Finding { level: Level::Fine, what, remedy: String::new() };
    }
    let what = format!(
        "format {number}{name}, not finalized: {readers}, so a downgrade to one of them is possible; this version also \
         knows format {}",
        newest.number
    );
    let remedy = "when no downgrade is needed any more: ferrolith finalize".to_owned();
    Finding { level: Level::Advice, what, remedy }
}

/// Returns the format with this number, without a name if this program does not know it.
fn format_of(number: u32) -> FormatVersion {
    let known = FORMATS.iter().find(|format| format.number == number).copied();
    known.unwrap_or(FormatVersion { number, name: "", since: "" })
}

fn open(dir: &Path) -> ferrolith::Result<(Db, Vec<String>)> {
    let names = Db::list_cf(Options::new(), dir)?;
    let mut options = Options::new();
    for name in names.iter().filter(|name| *name != "default") {
        options = options.column_family(name.clone(), ColumnFamilyOptions::new());
    }
    Ok((Db::open_read_only(&options, dir)?, names))
}

fn examine_process(process: u32, findings: &mut Findings) {
    let (open, limit) = (machine::open_files(process), machine::open_files_limit(process));
    if let (Some(open), Some(limit)) = (open, limit) {
        match open * 10 > limit * 8 {
            true => findings.problem(
                format!("the process has {open} files open and may open {limit}"),
                "raise the limit of open files: LimitNOFILE in a systemd unit, or ulimit -n",
            ),
            false => findings.fine(format!("{open} of at most {limit} files are open")),
        }
    }
    if let Some(swapped) = machine::swapped(process).filter(|swapped| *swapped > 16 << 20) {
        findings.problem(
            format!("{} of the process are swapped out", bytes(swapped)),
            "lower memory-mb, or give the machine more memory",
        );
    }
}

fn examine_space(dir: &Path, findings: &mut Findings) {
    let Some(space) = machine::space(dir) else { return };
    let percent = space.free * 100 / space.total.max(1);
    let text = format!("{} ({percent} %) of the device are free", bytes(space.free));
    match percent < FREE_MIN {
        true => findings.problem(
            text,
            "compactions need space for a while: delete data, or move to a larger device",
        ),
        false => findings.fine(text),
    }
}

/// Checks that tables have their sizes, and reads some or all rows, whose blocks have checksums.
fn examine_files(db: &Db, names: &[String], full: bool, findings: &mut Findings) {
    let files = db.live_files();
    let mut wrong = Vec::new();
    for file in &files {
        let path = file.db_path.join(file.name.trim_start_matches('/'));
        match std::fs::metadata(&path) {
            Ok(found) if found.len() == file.size => {}
            Ok(found) => wrong.push(format!(
                "{} has {} bytes and should have {}",
                path.display(),
                found.len(),
                file.size
            )),
            Err(error) => wrong.push(format!("{}: {error}", path.display())),
        }
    }
    let remedy = "restore a backup with ferrolith backup restore";
    if wrong.is_empty() {
        findings.fine(format!("{} tables are there with their sizes", files.len()));
    }
    wrong.into_iter().for_each(|what| findings.problem(what, remedy));
    let mut progress = Progress::begin();
    let (mut rows, mut tables) = (0_u64, 0);
    let result = match full {
        true => names.iter().try_for_each(|name| {
            let family = db.cf(name)?;
            db.iter_cf(&family).try_for_each(|row| {
                row?;
                rows += 1;
                progress.show(|| format!("{rows} rows read"));
                Ok(())
            })
        }),
        false => {
            let step = files.len().div_ceil(SAMPLE_TABLES).max(1);
            files.iter().step_by(step).try_for_each(|file| {
                let family = db.cf(&file.column_family_name)?;
                let range = file.smallest_key.clone()..;
                tables += 1;
                for row in family.range(range).take(SAMPLE_ROWS) {
                    row?;
                    rows += 1;
                }
                progress.show(|| format!("{rows} rows of {tables} tables read"));
                Ok(())
            })
        }
    };
    progress.end();
    match result {
        Ok(()) if full => findings.fine(format!("all {rows} rows can be read")),
        Ok(()) => findings.fine(format!(
            "a sample of {rows} rows from {tables} tables can be read (--full reads all)"
        )),
        Err(error) => {
            let error: ferrolith::Error = error;
            findings.problem(format!("a row cannot be read: {error}"), remedy);
        }
    }
}

fn examine_server(info: &Info, findings: &mut Findings) {
    let number = |name: &str| info.number(name);
    let text = |name: &str| info.get(name).unwrap_or_default().to_owned();
    findings.fine(format!(
        "the server {} has run for {} s",
        text("ferrolith_version"),
        number("uptime_in_seconds")
    ));
    let format = |name: &str| format_of(number(name) as u32);
    // Servers from before the formats do not show any.
    if number("ferrolith_format") > 0.0 {
        let (current, newest) = (format("ferrolith_format"), format("ferrolith_format_newest"));
        findings.0.push(format_finding(current, newest));
    }
    let (clients, most) = (number("connected_clients"), number("maxclients"));
    match clients > most * 0.8 {
        true => findings.problem(
            format!("{clients} of at most {most} clients are connected"),
            "raise max-connections, or look for clients that do not close: CLIENT LIST",
        ),
        false => findings.fine(format!("{clients} of at most {most} clients are connected")),
    }
    if number("rejected_connections") > 0.0 {
        findings.advice(
            format!("{} connections were refused since the start", number("rejected_connections")),
            "raise max-connections",
        );
    }
    let (used, total) = (number("used_memory_rss"), number("total_system_memory"));
    match total > 0.0 && used > total * 0.9 {
        true => findings.problem(
            format!("the server uses {} of {}", bytes(used as u64), bytes(total as u64)),
            "lower memory-mb",
        ),
        false => findings.fine(format!("the server uses {} of memory", bytes(used as u64))),
    }
    if text("role") == "slave" && text("master_link_status") != "up" {
        findings.problem(
            format!("the link to the master is down: {}", text("replication_last_error")),
            "check that the master runs and that masterauth is right",
        );
    }
    examine_backups(info, findings);
}

fn examine_backups(info: &Info, findings: &mut Findings) {
    let text = |name: &str| info.get(name).unwrap_or_default().to_owned();
    if let Some(warning) = info.get("backup_last_warning") {
        findings.problem(
            warning.to_owned(),
            "remove the cause, and delete them with ferrolith backup delete --keep",
        );
    }
    if text("backup_last_status") == "failed" {
        findings.problem(
            format!(
                "the last {} of a backup failed: {}",
                text("backup_last_job"),
                text("backup_last_error")
            ),
            "remove the cause, and create a backup with ferrolith backup create",
        );
    } else if info.number("backup_created_time") <= 0.0 {
        findings.advice(
            "no backup was created since the start of the server",
            "create one each day: ferrolith backup create",
        );
    } else {
        let age_s = info.number("server_time_usec") / 1e6 - info.number("backup_created_time");
        match age_s > 2.0 * 86_400.0 {
            true => findings.advice(
                format!("the last backup is {:.0} hours old", age_s / 3600.0),
                "create one each day: ferrolith backup create",
            ),
            false => findings.fine(format!("the last backup is {:.0} minutes old", age_s / 60.0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_format_leaves_the_way_back_open() {
        let old = FormatVersion { number: 1, name: "the first format", since: "0.1.0" };
        let new = FormatVersion { number: 2, name: "packed lists", since: "9.0.0" };
        let before = format_finding(old, new);
        assert_eq!(before.level, Level::Advice);
        let text =
            "format 1 (the first format), not finalized: servers from version 0.1.0 on can open";
        assert!(before.what.starts_with(text), "{}", before.what);
        assert!(before.remedy.contains("ferrolith finalize"));
        let after = format_finding(new, new);
        assert_eq!(after.level, Level::Fine);
        let text = "format 2 (packed lists), finalized: it is the newest of this version, and servers from version 9.0.0 on";
        assert!(after.what.starts_with(text), "{}", after.what);
        // Of a running server that is newer than this program.
        let unknown = format_finding(format_of(7), format_of(8));
        assert!(unknown.what.starts_with("format 7, not finalized: servers that know it"));
    }
}
