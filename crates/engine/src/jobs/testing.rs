//! An open database without threads, for transcripts: its jobs run when a command says so.

mod trace;
mod writers;

use crate::base::testing::Command;
use crate::catalog::State;
use crate::fs::fault::{Fault, FaultFs, FaultKind, Op};
use crate::fs::mem::MemFs;
use crate::hooks::{BackgroundErrorReason, EventListener, FlushReason};
use crate::iter::testing::text::show_value;
use crate::lookup::iterator;
use crate::open::{ColumnFamilyDescriptor, Core, DEFAULT_COLUMN_FAMILY, open_without_threads};
use crate::options::{ColumnFamilyOptions, DbOptions, OptionSet, ReadOptions, WriteOptions};
use crate::read::Taken;
use crate::session::ColumnFamilyData;
use std::path::Path;
use std::sync::Arc;
use trace::Trace;
use writers::{Writers, parse_batch};

/// Where the database is.
const DIR: &str = "/db";

/// The database of a transcript.
pub(crate) struct Stage {
    mem: MemFs,
    fs: FaultFs,
    trace: Arc<Trace>,
    options: (DbOptions, ColumnFamilyOptions),
    families: Vec<String>,
    core: Option<Arc<Core>>,
    writers: Writers,
    snapshots: Vec<Taken>,
}

impl Stage {
    /// A stage without a database; the command `open` makes one.
    pub(crate) fn new() -> Stage {
        let mem = MemFs::new();
        Stage {
            fs: FaultFs::new(Arc::new(mem.clone())),
            trace: Arc::new(Trace::new(mem.clone())),
            mem,
            options: Default::default(),
            families: Vec::new(),
            core: None,
            writers: Writers::default(),
            snapshots: Vec::new(),
        }
    }

    /// Runs a command. Its output is followed by what listeners were told and what was done to files meanwhile.
    pub(crate) fn command(&mut self, command: &Command<'_>) -> String {
        let said = match command.name {
            "open" => self.open(command),
            "reopen" => self.reopen(self.mem.clone()),
            "crash" => self.reopen(self.mem.crash_clone()),
            "fail" => self.fail(command),
            "heal" => {
                self.fs.clear();
                String::new()
            }
            "write" => self.write(command),
            "start" => self.start(command),
            "hold" => {
                self.trace.hold();
                String::new()
            }
            "release" => {
                self.trace.release();
                self.writers.join()
            }
            "sync" => said(self.core().commit.sync_wal()),
            "seal" => self.seal(command),
            "flush" => self.flush(),
            "compact" => self.compact(),
            "renew" => self.renew(),
            "purge" => {
                self.core().files.purge_tables();
                String::new()
            }
            "snapshot" => self.snapshot(),
            "state" => self.state(),
            "read" => self.read(command),
            other => panic!("unknown command {other}"),
        };
        if matches!(command.name, "reopen" | "crash" | "open") {
            self.trace.take();
        }
        said + &self.trace.take()
    }

    fn core(&self) -> &Arc<Core> {
        self.core.as_ref().expect("open first")
    }

    // ---- opening -----------------------------------------------------------------------------

    fn open(&mut self, command: &Command<'_>) -> String {
        command.allow(&["families", "db", "options"]);
        let (mut db, mut cf) = (DbOptions::default(), ColumnFamilyOptions::default());
        db.set_options("create_if_missing=true;create_missing_column_families=true").unwrap();
        db.set_options(command.value("db").unwrap_or("")).unwrap();
        cf.set_options("compression=kNoCompression").unwrap();
        cf.set_options(command.value("options").unwrap_or("")).unwrap();
        let more = command.value("families").unwrap_or("").split_terminator(',');
        self.families = [DEFAULT_COLUMN_FAMILY].into_iter().chain(more).map(Into::into).collect();
        self.options = (db, cf);
        self.reopen(MemFs::new())
    }

    /// Opens what a process that was killed has left in `mem`.
    fn reopen(&mut self, mem: MemFs) -> String {
        self.snapshots.clear();
        self.core = None;
        self.fs = FaultFs::new(Arc::new(mem.clone()));
        self.trace = Arc::new(Trace::new(mem.clone()));
        self.mem = mem;
        let trace = Arc::clone(&self.trace);
        self.fs.observe(move |op, path| trace.file_operation(op, path));
        let (mut db, cf) = self.options.clone();
        db.components.file_system = Some(Arc::new(self.fs.clone()));
        db.components.listeners.push(Arc::clone(&self.trace) as Arc<dyn EventListener>);
        let describe = |name: &String| ColumnFamilyDescriptor::new(name, cf.clone());
        let families = self.families.iter().map(describe).collect();
        let core = open_without_threads(db, Path::new(DIR), families).unwrap();
        self.core = Some(core);
        self.state()
    }

    fn fail(&self, command: &Command<'_>) -> String {
        command.allow(&["op", "file", "kind", "nth", "times"]);
        let op = match command.value("op").unwrap() {
            "create" => Op::Create,
            "append" => Op::Append,
            "sync" => Op::Sync,
            other => panic!("unknown operation {other}"),
        };
        let kind = match command.value("kind") {
            None => FaultKind::Io,
            Some("no-space") => FaultKind::NoSpace,
            Some("after-done") => FaultKind::AfterDone,
            Some(other) => FaultKind::Short(other.strip_prefix("short:").unwrap().parse().unwrap()),
        };
        let fault = Fault::always(op, command.value("file").unwrap_or(""), kind);
        let skip = command.number("nth").unwrap_or(0);
        self.fs.inject(Fault { skip, times: command.number("times").unwrap_or(1), ..fault });
        String::new()
    }

    // ---- writing -----------------------------------------------------------------------------

    fn family(&self, name: &str) -> Arc<ColumnFamilyData> {
        self.core().catalog.family_by_name(name).unwrap_or_else(|| panic!("no family {name}"))
    }

    fn write_options(command: &Command<'_>) -> WriteOptions {
        WriteOptions {
            sync: command.has("sync"),
            disable_wal: command.has("no-wal"),
            no_slowdown: command.has("no-slowdown"),
            ..WriteOptions::default()
        }
    }

    fn write(&self, command: &Command<'_>) -> String {
        command.allow(&["sync", "no-wal", "no-slowdown"]);
        let mut batch = parse_batch(&command.lines, |name| self.family(name).id);
        writers::commit(self.core(), &Stage::write_options(command), &mut batch)
    }

    /// Has another thread write, and waits until its record is in the WAL.
    fn start(&mut self, command: &Command<'_>) -> String {
        let (name, _) = command.arguments.split_once(' ').unwrap_or((command.arguments, ""));
        let batch = parse_batch(&command.lines, |name| self.family(name).id);
        let core = Arc::clone(self.core());
        let options = Stage::write_options(command);
        let said = self.writers.start(name, core, options, batch);
        if options.sync {
            self.trace.wait_for_sync();
        }
        said
    }

    fn snapshot(&mut self) -> String {
        let core = Arc::clone(self.core());
        let taken = core.catalog.snapshots().take(false, || core.catalog.order().visible());
        let said = format!("at {}\n", taken.sequence());
        self.snapshots.push(taken);
        said
    }

    // ---- jobs --------------------------------------------------------------------------------

    fn seal(&self, command: &Command<'_>) -> String {
        let names = command.arguments.split_whitespace();
        let families: Vec<_> = names.map(|name| self.family(name)).collect();
        let families: Vec<_> = families.iter().map(|family| &**family).collect();
        let sealed = self.core().commit.seal_filled(&families, FlushReason::ManualFlush);
        self.core().reporter.deliver();
        said(sealed)
    }

    /// Does what a flush thread would do next, without waiting after a failure.
    fn flush(&self) -> String {
        let core = self.core();
        let flusher = core.jobs.flusher();
        let mut state = core.catalog.state();
        state.running.retries.flushes.try_now();
        let Some(work) = flusher.pick_flush(&mut state) else { return "nothing to flush\n".into() };
        drop(state);
        let result = flusher.run_flush(work);
        if let Err(e) = &result {
            core.catalog.background_error(BackgroundErrorReason::Flush, e);
        }
        said(result)
    }

    /// Does what a compaction thread would do next.
    fn compact(&self) -> String {
        let core = self.core();
        let mut state = core.catalog.state();
        state.running.retries.compactions.try_now();
        let Some(work) = core.jobs.compactor.pick_compaction(&mut state) else {
            return "nothing to compact\n".into();
        };
        drop(state);
        // Parts of a compaction run one after the other.
        let _one_thread = crate::env::threads::Refusals::after(0);
        let result = core.jobs.compactor.run_compaction(work);
        if let Err(e) = &result {
            core.catalog.background_error(BackgroundErrorReason::Compaction, e);
        }
        said(result)
    }

    /// Replaces a failed WAL, as a flush thread does before it flushes.
    fn renew(&self) -> String {
        let core = self.core();
        let flusher = core.jobs.flusher();
        let mut state = core.catalog.state();
        state.running.retries.flushes.try_now();
        if !flusher.wants_new_wal(&state) {
            return "nothing to renew\n".into();
        }
        let attempt = state.wals.begin_renewal();
        drop(state);
        flusher.renew_in_background(attempt);
        String::new()
    }

    // ---- looking -----------------------------------------------------------------------------

    /// WALs, memtables and tables.
    fn state(&self) -> String {
        let core = self.core();
        let visible = core.catalog.order().visible();
        let state = core.catalog.state();
        let wals: Vec<String> = state.wals.iter().map(|wal| wal.number.to_string()).collect();
        let mut out = format!("visible {visible}; WALs {}", wals.join(" "));
        if state.wals.health() != crate::catalog::WalHealth::Whole {
            out += &format!(", {:?}", state.wals.health());
        }
        if let Some(error) = core.session.health.error() {
            out += &format!("; writes stopped: {error}");
        }
        out.push('\n');
        out + &show_families(&state)
    }

    /// Everything that a reader sees in a family.
    fn read(&self, command: &Command<'_>) -> String {
        let name = match command.arguments {
            "" => DEFAULT_COLUMN_FAMILY,
            name => name,
        };
        let family = self.family(name);
        let mut iter = iterator(&**self.core(), &family, &ReadOptions::default()).unwrap();
        let mut pairs = Vec::new();
        iter.seek_to_first();
        while iter.valid() {
            let key = String::from_utf8_lossy(iter.key()).into_owned();
            pairs.push(format!("{key}={}", show_value(iter.value())));
            iter.next();
        }
        iter.status().unwrap();
        pairs.join(" ") + "\n"
    }
}

fn show_families(state: &State) -> String {
    let mut out = String::new();
    for family in state.families.values() {
        let mem = &family.mem;
        out += &format!(
            "{}: {} entries since WAL {}",
            family.data.name,
            mem.num_entries(),
            family.mem_wal_number
        );
        for immutable in &family.immutables {
            let (entries, wal) = (immutable.mem.num_entries(), immutable.wal_number);
            out += &format!("; immutable {entries} entries since WAL {wal}");
        }
        for (level, file) in family.current.all_files() {
            out += &format!("; L{level} {}", file.number);
        }
        out.push('\n');
    }
    out
}

/// `ok`, or the error.
fn said(result: crate::error::Result<()>) -> String {
    match result {
        Ok(()) => "ok\n".into(),
        Err(e) => format!("error: {}\n", e.to_string().replace(DIR, "")),
    }
}
