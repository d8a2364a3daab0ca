//! `backup`: backups of a running server, and the places that have them.

use crate::Answer;
use crate::connection::{Connection, Server, unexpected};
use crate::output::{Output, Progress, bytes};
use clap::{Args, Subcommand};
use ferrolith_server::audit::WorkFlags;
use ferrolith_server::backup::{self, Access, BackupInfo, BackupProgress, Place, Vault};
use ferrolith_server::error::{Error, Result};
use ferrolith_server::resp::PeerReply;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How often the state of a job is asked for.
const POLL: Duration = Duration::from_millis(200);

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make a running server create a backup, and wait for it
    Create(Create),
    /// Stop the work on backups in a running server; the next backup uses what was copied
    Stop {
        #[command(flatten)]
        server: Server,
    },
    /// List the backups in a directory or an object store
    List {
        #[command(flatten)]
        place: At,
    },
    /// Read all files of a backup and compare their checksums
    Verify {
        #[command(flatten)]
        which: Which,
        #[command(flatten)]
        rate: Rate,
    },
    /// Restore a backup to a new directory, from which a server can start
    Restore {
        #[command(flatten)]
        which: Which,
        /// The new directory: it must be empty, or not exist
        #[arg(long, value_name = "DIR")]
        to: PathBuf,
        #[command(flatten)]
        rate: Rate,
        #[command(flatten)]
        work: WorkFlags,
    },
    /// Delete a backup, or all but the newest
    Delete {
        #[command(flatten)]
        place: At,
        /// The number of the backup
        #[arg(long, value_name = "N", required_unless_present = "keep", conflicts_with = "keep")]
        id: Option<u32>,
        /// Delete all but so many of the newest
        #[arg(long, value_name = "N")]
        keep: Option<u32>,
    },
}

/// Where backups are.
#[derive(Debug, Args)]
pub(crate) struct At {
    /// The directory of the backups, or their address in an object store, such as s3://BUCKET/PREFIX
    dir: PathBuf,
    /// A file in TOML with credentials and settings of the object store, such as aws_access_key_id; without, the
    /// variables of the environment are used
    #[arg(long, value_name = "FILE", env = "FERROLITH_BACKUP_CREDENTIALS", hide_env_values = true)]
    credentials: Option<PathBuf>,
}

impl At {
    fn place(&self) -> Result<Place> {
        Place::named(&self.dir, self.credentials.as_deref())
    }
}

/// A backup in a place.
#[derive(Debug, Args)]
pub(crate) struct Which {
    #[command(flatten)]
    place: At,
    /// The number of the backup; without, the newest
    #[arg(long, value_name = "N")]
    id: Option<u32>,
}

/// The limit of the rate.
#[derive(Debug, Args)]
pub(crate) struct Rate {
    /// Read and write at most so many megabytes per second; 0 means no limit
    #[arg(long = "rate-mb", value_name = "MB", default_value_t = 0)]
    rate_mb: u64,
}

impl Rate {
    fn bytes(&self) -> u64 {
        self.rate_mb.saturating_mul(1 << 20)
    }
}

/// Arguments of `backup create`.
#[derive(Debug, Args)]
pub(crate) struct Create {
    /// The directory of the backups on the server's machine, or an address in an object store, in a place of the
    /// server's setting backup-dir
    dir: String,
    /// Delete all but so many of the newest backups afterwards
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    keep: Option<u32>,
    /// Do not read the copied files again
    #[arg(long = "no-verify")]
    skips_verification: bool,
    /// A text that is stored with the backup
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// Only start the backup; INFO backup shows how far it is
    #[arg(long = "no-wait")]
    skips_waiting: bool,
    #[command(flatten)]
    rate: Rate,
    #[command(flatten)]
    server: Server,
}

pub(crate) fn run(command: Command, out: &Output) -> Result<Answer> {
    match command {
        Command::Create(create) => create.run(out),
        Command::Stop { server } => {
            server.connect()?.call(&[b"FERROLITH", b"BACKUP-STOP"])?;
            out.print("stopped\n", &json!({ "stopped": true }));
            Ok(Answer::Yes)
        }
        Command::List { place } => list(place.place()?, out),
        Command::Verify { which, rate } => verify(&which, &rate, out),
        Command::Restore { which, to, rate, work } => {
            let call =
                ["backup".to_owned(), "restore".to_owned(), which.place.place()?.to_string()];
            let id = which.id.map(|id| ["--id".to_owned(), id.to_string()]);
            let target = ["--to".to_owned(), to.display().to_string()];
            let call: Vec<_> =
                call.into_iter().chain(id.into_iter().flatten()).chain(target).collect();
            work.run(&call, || restore(&which, &to, &rate, out))
        }
        Command::Delete { place, id, keep } => {
            let place = place.place()?;
            Vault::open(&place, Access::List, 0)?;
            let mut vault = Vault::open(&place, Access::Write, 0)?;
            match (id, keep) {
                (Some(id), _) => vault.delete(id, &Arc::default())?,
                (None, Some(keep)) => vault.clean(Some(keep), &Arc::default())?,
                (None, None) => return Err(Error::Setting("expected --id or --keep".to_owned())),
            }
            let left = vault.list().len();
            out.print(format!("{left} backups are left\n"), &json!({ "backups": left }));
            Ok(Answer::Yes)
        }
    }
}

impl Create {
    fn run(&self, out: &Output) -> Result<Answer> {
        let mut connection = self.server.connect()?;
        let (rate, keep) = (self.rate.bytes().to_string(), self.keep.map(|keep| keep.to_string()));
        let verifies = if self.skips_verification { "no" } else { "yes" };
        let mut words = vec!["FERROLITH", "BACKUP", &self.dir, "RATE", &rate, "VERIFY", verifies];
        words.extend(keep.iter().flat_map(|keep| ["KEEP", keep]));
        words.extend(self.note.iter().flat_map(|note| ["NOTE", note]));
        let words: Vec<&[u8]> = words.into_iter().map(str::as_bytes).collect();
        let reply = connection.call(&words)?;
        let PeerReply::Integer(number) = reply else {
            return Err(unexpected("FERROLITH BACKUP", &reply));
        };
        if self.skips_waiting {
            out.print("started\n", &json!({ "started": true }));
            return Ok(Answer::Yes);
        }
        wait(&mut connection, number, out)
    }
}

/// Waits for the end of the server's job of this number.
fn wait(connection: &mut Connection, job: i64, out: &Output) -> Result<Answer> {
    let mut progress = Progress::begin();
    let info = loop {
        let info = connection.info("backup")?;
        // Another job may begin as soon as this one has ended.
        if info.number("backup_job_number") as i64 != job {
            break info;
        }
        let number = |name: &str| info.number(name) as u64;
        progress.show(|| line(number("backup_done_bytes"), number("backup_planned_bytes")));
        std::thread::sleep(POLL);
    };
    progress.end();
    if info.number("backup_last_job_number") as i64 != job {
        return Err(Error::Setting(format!(
            "job {job} has ended, and another one after it, so INFO no longer shows how it ended: see ferrolith backup \
             list, and the server's log"
        )));
    }
    let text = |name: &str| info.get(name).unwrap_or_default().to_owned();
    if text("backup_last_status") != "ok" {
        return Err(Error::Setting(format!("the backup failed: {}", text("backup_last_error"))));
    }
    let number = |name: &str| info.number(name) as u64;
    let (id, count, reused) =
        (number("backup_last_id"), number("backup_last_bytes"), number("backup_last_reused_bytes"));
    let (seconds, dir) = (number("backup_last_seconds"), text("backup_last_dir"));
    let copied = bytes(count.saturating_sub(reused));
    out.print(
        format!("backup {id} in {dir}: {copied} copied, {} reused, {seconds} s\n", bytes(reused)),
        &json!({ "id": id, "dir": dir, "bytes": count, "reused_bytes": reused, "seconds": seconds }),
    );
    if let Some(warning) = info.get("backup_last_warning") {
        eprintln!("ferrolith: {warning}");
    }
    Ok(Answer::Yes)
}

fn line(done: u64, planned: u64) -> String {
    let percent = (done as f64 * 100.0 / planned.max(1) as f64).min(100.0);
    format!("{percent:.0} %, {} of {}", bytes(done), bytes(planned))
}

fn list(place: Place, out: &Output) -> Result<Answer> {
    let vault = Vault::open(&place, Access::List, 0)?;
    let (backups, damaged) = (vault.list(), vault.damaged());
    let now_s = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let mut text = String::new();
    for backup in &backups {
        let BackupInfo { backup_id, timestamp, size, number_files, app_metadata } = backup;
        let age_s = now_s.saturating_sub(u64::try_from(*timestamp).unwrap_or(0));
        let (age, note) = (age(age_s), String::from_utf8_lossy(app_metadata));
        text +=
            &format!("{backup_id}  {age} ago  {}  {number_files} files  {note}\n", bytes(*size));
    }
    for (id, error) in &damaged {
        text += &format!("{id}  damaged: {error}\n");
    }
    if text.is_empty() {
        text = "no backups\n".to_owned();
    }
    let whole = backups.iter().map(describe);
    let broken = damaged.iter().map(|(id, error)| json!({ "id": id, "error": error }));
    out.print(text, &Value::Array(whole.chain(broken).collect()));
    Ok(Answer::Yes)
}

fn describe(backup: &BackupInfo) -> Value {
    json!({
        "id": backup.backup_id,
        "time": backup.timestamp,
        "bytes": backup.size,
        "files": backup.number_files,
        "note": String::from_utf8_lossy(&backup.app_metadata),
    })
}

/// Returns a time span with one unit.
fn age(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        7200..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}

fn open(which: &Which, rate: &Rate) -> Result<(Vault, u32)> {
    let vault = Vault::open(&which.place.place()?, Access::Read, rate.bytes())?;
    let id = which.id.map_or_else(|| vault.newest(), Ok)?;
    Ok((vault, id))
}

fn verify(which: &Which, rate: &Rate, out: &Output) -> Result<Answer> {
    let (vault, id) = open(which, rate)?;
    let state = Arc::<BackupProgress>::default();
    watched(|| vault.verify(id, &state), || line(state.copied_bytes(), state.planned_bytes()))?;
    let count = state.copied_bytes();
    let text = format!("backup {id} is whole: {} read\n", bytes(count));
    out.print(text, &json!({ "id": id, "bytes": count }));
    Ok(Answer::Yes)
}

fn restore(which: &Which, to: &Path, rate: &Rate, out: &Output) -> Result<Answer> {
    let (vault, id) = open(which, rate)?;
    let backup = vault.list().into_iter().find(|backup| backup.backup_id == id);
    let size = backup.map_or(0, |backup| backup.size);
    watched(|| backup::restore(&vault, id, to), || line(size_of(to), size))?;
    let text = format!("backup {id} is restored to {}: {}\n", to.display(), bytes(size));
    out.print(text, &json!({ "id": id, "to": to.display().to_string(), "bytes": size }));
    Ok(Answer::Yes)
}

/// Does work on another thread, and shows its progress.
fn watched(work: impl FnOnce() -> Result<()> + Send, state: impl Fn() -> String) -> Result<()> {
    let mut progress = Progress::begin();
    let result = std::thread::scope(|scope| {
        let work = scope.spawn(work);
        while !work.is_finished() {
            progress.show(&state);
            std::thread::sleep(Duration::from_millis(20));
        }
        work.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    progress.end();
    result
}

/// Returns the bytes of the files in a directory.
fn size_of(dir: &Path) -> u64 {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.metadata().ok()).map(|found| found.len()).sum()
}
