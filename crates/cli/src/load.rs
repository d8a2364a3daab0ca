//! `table load`: files of rows that are added to a Pegasus table, by a running server or in its stopped directory; and
//! `table check-files`, which only reads them.

use crate::Answer;
use crate::backup::Rate;
use crate::connection::{Connection, Info, Server, unexpected};
use crate::output::{Output, Progress, bytes};
use clap::Args;
use ferrolith_server::clock::{Clock, SystemClock};
use ferrolith_server::error::{Error, Result};
use ferrolith_server::load::{LoadProgress, Loaded, Loader, Request, check_files};
use ferrolith_server::resp::PeerReply;
use ferrolith_server::rows::pegasus::Version;
use ferrolith_server::store::local::{LocalStore, StoreOptions};
use ferrolith_server::store::{Durability, Latches};
use ferrolith_server::tables::Catalogue;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often the state of a load is looked at.
const POLL: Duration = Duration::from_millis(200);

/// The memory for the work in a directory, in MiB.
const MEMORY_MB: u32 = 512;

/// Arguments of `table load`.
#[derive(Debug, Args)]
pub(crate) struct Load {
    /// The name of the table, which exists
    table: String,
    /// SST files, directories of them, checkpoints of a Pegasus replica, Pegasus's directory of a bulk load (with
    /// bulk_load_info) or of a table in a backup (with meta/app_metadata). A running server reads them: the paths are
    /// on its machine, in a directory of its setting load-dir, and may be relative to the first one
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    version: ValueVersion,
    #[command(flatten)]
    rate: Rate,
    /// Load into the directory of a server that is stopped, instead of a running server. Nothing is connected to then,
    /// and the flags and variables of TLS have no effect
    #[arg(long, value_name = "DIR", conflicts_with_all = ["address", "user", "password_file", "database", "timeout", "skips_waiting"])]
    dir: Option<PathBuf>,
    /// Megabytes of memory for the work in a directory, with --dir; without, 512
    #[arg(long = "memory-mb", value_name = "MB", requires = "dir", value_parser = clap::value_parser!(u32).range(16..))]
    memory_mb: Option<u32>,
    /// Only start the load; INFO load shows how far it is, and FERROLITH LOAD-STOP stops it
    #[arg(long = "no-wait")]
    skips_waiting: bool,
    #[command(flatten)]
    server: Server,
}

/// Arguments of `table check-files`.
#[derive(Debug, Args)]
pub(crate) struct CheckFiles {
    /// SST files, directories of them, checkpoints of a Pegasus replica, Pegasus's directory of a bulk load (with
    /// bulk_load_info) or of a table in a backup (with meta/app_metadata)
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    version: ValueVersion,
    #[command(flatten)]
    rate: Rate,
}

/// The version of values.
#[derive(Debug, Args)]
struct ValueVersion {
    /// The version of Pegasus's values in files that do not say it: 0 has no timetags; without, 1
    #[arg(id = "value-version", long = "value-version", value_name = "0|1", value_parser = clap::value_parser!(u8).range(0..=1))]
    number: Option<u8>,
}

impl ValueVersion {
    fn get(&self) -> Option<Version> {
        self.number.map(|number| if number == 0 { Version::V0 } else { Version::V1 })
    }
}

impl CheckFiles {
    pub(crate) fn run(&self, out: &Output) -> Result<Answer> {
        let now_s = SystemClock::new().wall_ms() / 1000;
        let (checked, seconds) = watched(&self.rate, |state| {
            check_files(&self.paths, self.version.get(), now_s, state)
        })?;
        let Loaded { files, bytes: count, rows, .. } = checked;
        let text = format!(
            "{files} files can be loaded: {rows} rows, {}, {seconds:.1} s\n{}",
            bytes(count),
            left_out(&checked)
        );
        out.print(text, &counts(&checked, seconds));
        Ok(Answer::Yes)
    }
}

impl Load {
    pub(crate) fn run(&self, out: &Output) -> Result<Answer> {
        match &self.dir {
            Some(dir) => self.load_into(dir, out),
            // `requires` does not apply if another flag excludes the required one.
            None if self.memory_mb.is_some() => {
                Err(Error::Setting("--memory-mb needs --dir: a running server has its own".into()))
            }
            None => self.load_at_server(out),
        }
    }

    /// Loads into a directory that no server uses.
    fn load_into(&self, dir: &Path, out: &Output) -> Result<Answer> {
        if !dir.join("CURRENT").exists() {
            let text = format!("{} is no data directory of ferrolith-server", dir.display());
            return Err(Error::Setting(text));
        }
        let options = StoreOptions::new(
            Durability::Os,
            (self.memory_mb.unwrap_or(MEMORY_MB) as usize) << 20,
            2,
        );
        let store = LocalStore::open(dir, options)?;
        let result = self.load_with(&store);
        // The first error says why; that of closing follows from it or stands alone.
        let closed = store.close();
        let (loaded, seconds) = result?;
        closed?;
        self.report(&loaded, seconds, out);
        Ok(Answer::Yes)
    }

    fn load_with(&self, store: &Arc<LocalStore>) -> Result<(Loaded, f64)> {
        let catalogue = Arc::new(Catalogue::open(store.clone())?);
        let (latches, clock) = (Arc::new(Latches::default()), Arc::new(SystemClock::new()));
        let loader = Loader::new(store.clone(), catalogue, latches, clock);
        let request = Request {
            table: self.table.clone(),
            paths: self.paths.clone(),
            version: self.version.get(),
        };
        watched(&self.rate, |state| loader.load(&request, state))
    }

    /// Makes a running server load.
    fn load_at_server(&self, out: &Output) -> Result<Answer> {
        let mut connection = self.server.connect()?;
        let version = self.version.number.map(|number| number.to_string());
        let mut words: Vec<&[u8]> = vec![b"FERROLITH", b"LOAD", self.table.as_bytes()];
        if let Some(version) = &version {
            words.extend([&b"VERSION"[..], version.as_bytes()]);
        }
        let rate = self.rate.bytes().to_string();
        words.extend([&b"RATE"[..], rate.as_bytes(), b"FILES"]);
        words.extend(self.paths.iter().map(|path| path.as_os_str().as_encoded_bytes()));
        let reply = connection.call(&words)?;
        let PeerReply::Integer(number) = reply else {
            return Err(unexpected("FERROLITH LOAD", &reply));
        };
        if self.skips_waiting {
            out.print("started\n", &json!({ "started": true }));
            return Ok(Answer::Yes);
        }
        let info = wait(&mut connection, number)?;
        if info.get("load_last_status") != Some("ok") {
            let error = info.get("load_last_error").unwrap_or_default();
            return Err(Error::Setting(format!("the load failed: {error}")));
        }
        let number = |name: &str| info.number(name) as u64;
        let loaded = Loaded {
            files: number("load_last_files"),
            bytes: number("load_last_bytes"),
            rows: number("load_last_rows"),
            expired: number("load_last_expired_rows"),
            foreign: number("load_last_foreign_rows"),
        };
        self.report(&loaded, info.number("load_last_seconds"), out);
        Ok(Answer::Yes)
    }

    fn report(&self, loaded: &Loaded, seconds: f64, out: &Output) {
        let Loaded { files, bytes: count, rows, .. } = *loaded;
        let rate = bytes((count as f64 / seconds.max(0.001)) as u64);
        let text = format!(
            "loaded {rows} rows from {files} files into table {}: {}, {seconds:.1} s, {rate}/s\n{}",
            self.table,
            bytes(count),
            left_out(loaded)
        );
        let mut value = counts(loaded, seconds);
        value["table"] = json!(self.table);
        out.print(text, &value);
    }
}

/// What was read, for `--json`.
fn counts(read: &Loaded, seconds: f64) -> serde_json::Value {
    json!({
        "files": read.files,
        "bytes": read.bytes,
        "rows": read.rows,
        "expired_rows": read.expired,
        "foreign_rows": read.foreign,
        "seconds": seconds,
    })
}

/// Returns lines about rows that are not loaded.
fn left_out(loaded: &Loaded) -> String {
    let mut text = String::new();
    if loaded.expired > 0 {
        text += &format!("left out: {} that have expired\n", loaded.expired);
    }
    if loaded.foreign > 0 {
        let foreign = loaded.foreign;
        text += &format!("left out: {foreign} that a split had left in a partition not theirs\n");
    }
    text
}

/// Does work on another thread, and shows its progress. Returns its result, and how many seconds it took.
fn watched(
    rate: &Rate,
    work: impl FnOnce(&LoadProgress) -> Result<Loaded> + Send,
) -> Result<(Loaded, f64)> {
    let (state, begun) = (LoadProgress::with_rate(rate.bytes()), Instant::now());
    let mut progress = Progress::begin();
    let result = std::thread::scope(|scope| {
        let work = scope.spawn(|| work(&state));
        while !work.is_finished() {
            progress.show(|| State::of(&state).line(begun.elapsed().as_secs_f64()));
            std::thread::sleep(Duration::from_millis(20));
        }
        work.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    progress.end();
    Ok((result?, begun.elapsed().as_secs_f64()))
}

/// Waits for the end of the server's load of this number, and returns how it ended.
fn wait(connection: &mut Connection, load: i64) -> Result<Info> {
    let mut progress = Progress::begin();
    let info = loop {
        let info = connection.info("load")?;
        // Another load may begin as soon as this one has ended.
        if info.number("load_number") as i64 != load {
            break info;
        }
        progress.show(|| State::told(&info).line(info.number("load_seconds")));
        std::thread::sleep(POLL);
    };
    progress.end();
    if info.number("load_last_number") as i64 != load {
        return Err(Error::Setting(format!(
            "load {load} has ended, and another one after it, so INFO no longer shows how it ended: see the server's log"
        )));
    }
    Ok(info)
}

/// How far a load is.
struct State {
    to_check: u64,
    checked: u64,
    planned: u64,
    loaded: u64,
    rows: u64,
}

impl State {
    fn of(progress: &LoadProgress) -> State {
        State {
            to_check: progress.bytes_to_check(),
            checked: progress.checked_bytes(),
            planned: progress.planned_bytes(),
            loaded: progress.loaded_bytes(),
            rows: progress.rows(),
        }
    }

    fn told(info: &Info) -> State {
        let number = |name: &str| info.number(name) as u64;
        State {
            to_check: number("load_check_planned_bytes"),
            checked: number("load_checked_bytes"),
            planned: number("load_planned_bytes"),
            loaded: number("load_done_bytes"),
            rows: number("load_read_rows"),
        }
    }

    fn line(&self, seconds: f64) -> String {
        let percent = |done: u64, all: u64| (done as f64 * 100.0 / all.max(1) as f64).min(100.0);
        if self.checked < self.to_check {
            let (checked, all) = (bytes(self.checked), bytes(self.to_check));
            let percent = percent(self.checked, self.to_check);
            return format!("checking digests: {percent:.0} %, {checked} of {all}");
        }
        let (loaded, all) = (bytes(self.loaded), bytes(self.planned));
        let rate = bytes((self.loaded as f64 / seconds.max(0.001)) as u64);
        let percent = percent(self.loaded, self.planned);
        format!("loading: {percent:.0} %, {loaded} of {all}, {rate}/s, {} rows", self.rows)
    }
}
