//! The process that meets the full disk: opens a database and obeys commands, one a line.
//!
//! ```text
//! faults victim DIRECTORY DB_OPTIONS CF_OPTIONS SIZES sync|async LEDGER
//!
//! write N             each thread writes up to N batches    -> reply ACKNOWLEDGED REFUSED FIRST_ERROR
//! check               reads all and compares with the model -> reply ok | what differs
//! flush | wait        as the functions of these names       -> reply ok | error
//! set NAME VALUE      changes an option of the family       -> reply ok | error
//! set-db NAME VALUE   changes an option of the database     -> reply ok | error
//! property NAME       a property that is a number           -> reply NUMBER
//! arm | release       the next compaction waits in its first record, until it is released -> reply ok
//! close               closes the database and ends          -> reply ok | error
//! ```
//!
//! Between replies come lines `event ...`: background errors, ends of compactions, `event gate` when a compaction
//! waits. A thread that was refused tries the same batch again with the next `write`. The end of the input ends the
//! process, so that none outlives its parent.

use super::content::{Sizes, THREADS, apply};
use crate::ledger::Ledger;
use crate::store::{Result, Setup};
use crate::workload::{Family, Op, Shape};
use ferrolith::Error;
use ferrolith::internal::batch::WriteBatch;
use ferrolith::internal::db::{ColumnFamily, ColumnFamilyDescriptor, Db};
use ferrolith::internal::hooks::{
    BackgroundErrorReason, CompactionFilter, CompactionJobInfo, EventDb, EventListener,
    FilterDecision,
};
use ferrolith::internal::options::{
    ColumnFamilyOptions, DbOptions, DbPath, FlushOptions, OptionSet, ReadOptions, WriteOptions,
};
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, mpsc};
use std::time::{Duration, Instant};

/// A line to the parent, all of it at once.
fn say(text: impl std::fmt::Display) {
    let line = text.to_string().replace('\n', " ");
    let mut out = std::io::stdout().lock();
    // A parent that is gone needs no answer; the end of the input ends this process.
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

fn text(error: Error) -> String {
    error.to_string()
}

/// Where a compaction waits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gate {
    Open,
    Armed,
    Shut,
}

/// The hooks: they report, and hold a compaction up.
struct Hooks {
    gate: Mutex<Gate>,
    opened: Condvar,
}

impl Hooks {
    fn set(&self, gate: Gate) {
        *self.gate.lock().unwrap() = gate;
        self.opened.notify_all();
    }
}

struct GateFilter(Arc<Hooks>);

impl CompactionFilter for GateFilter {
    fn name(&self) -> &str {
        "FaultGate"
    }

    fn filter(&self, _: usize, _: &[u8], _: &[u8]) -> FilterDecision {
        let mut gate = self.0.gate.lock().unwrap();
        if *gate == Gate::Armed {
            *gate = Gate::Shut;
            say("event gate");
        }
        while *gate == Gate::Shut {
            gate = self.0.opened.wait(gate).unwrap();
        }
        FilterDecision::Keep
    }
}

struct Listener;

impl EventListener for Listener {
    fn on_compaction_completed(&self, _: EventDb<'_>, info: &CompactionJobInfo) {
        match &info.status {
            Ok(()) => say("event compaction ok"),
            Err(e) => say(format_args!("event compaction {e}")),
        }
    }

    fn on_background_error(&self, reason: BackgroundErrorReason, error: &mut Option<Error>) {
        let text = error.as_ref().map_or("no error".to_owned(), |e| e.to_string());
        say(format_args!("event background error, {}: {text}", reason.name()));
    }

    fn on_error_recovery_completed(&self, old: &Error) {
        say(format_args!("event recovered from {old}"));
    }
}

/// One writer.
struct Writer {
    thread: u32,
    done: u64,
    model: Family,
}

struct Victim {
    db: Db,
    family: ColumnFamily,
    hooks: Arc<Hooks>,
    sizes: Sizes,
    sync: bool,
    ledger: Ledger,
    writers: Vec<Writer>,
}

/// How many batches of a `write` were acknowledged, how many threads were refused, and why the first was.
#[derive(Default)]
struct Written {
    acknowledged: u64,
    refused: Option<String>,
}

impl Victim {
    fn write(&mut self, batches: u64) -> String {
        let (db, family, sizes, ledger) = (&self.db, &self.family, &self.sizes, &self.ledger);
        let wo = WriteOptions { sync: self.sync, ..WriteOptions::default() };
        let results: Vec<Written> = std::thread::scope(|scope| {
            let each = self.writers.iter_mut().map(|writer| {
                let wo = &wo;
                scope.spawn(move || writer.write(batches, db, family, wo, sizes, ledger))
            });
            let started: Vec<_> = each.collect();
            started.into_iter().map(|w| w.join().unwrap()).collect()
        });
        let acknowledged: u64 = results.iter().map(|w| w.acknowledged).sum();
        let refused: Vec<&String> = results.iter().filter_map(|w| w.refused.as_ref()).collect();
        format!("{acknowledged} {} {}", refused.len(), refused.first().map_or("", |text| text))
    }

    /// Reads everything. A batch that was refused may not be seen, so the content is exactly the model's.
    fn check(&self) -> Result<String> {
        let mut expected = Family::new();
        self.writers.iter().for_each(|w| expected.extend(w.model.clone()));
        let ro = ReadOptions::default();
        let found = scan(&self.db, &self.family)?;
        if let Some(difference) = crate::dump::difference(&found, &expected) {
            return Err(format!("a scan: {difference}"));
        }
        for (key, value) in &expected {
            if self.db.get_cf(&ro, &self.family, key).map_err(text)?.as_ref() != Some(value) {
                return Err(format!(
                    "get of {} does not return the written value",
                    crate::dump::show(key)
                ));
            }
        }
        Ok("ok".into())
    }

    fn obey(&mut self, command: &str) -> Result<String> {
        let words: Vec<&str> = command.split(' ').collect();
        let ok = |result: ferrolith::Result<()>| result.map(|()| "ok".to_owned()).map_err(text);
        match words[..] {
            ["write", batches] => Ok(self.write(batches.parse().map_err(|_| "malformed number")?)),
            ["check"] => self.check(),
            ["flush"] => ok(self.db.flush_cf(&FlushOptions::default(), &self.family)),
            ["wait"] => ok(self.db.wait_for_compact()),
            ["set", name, value] => ok(self.db.set_options(&[(name, value)])),
            ["set-db", name, value] => ok(self.db.set_db_options(&[(name, value)])),
            ["property", name] => {
                self.db.property_int(name).map(|n| n.to_string()).ok_or("no such property".into())
            }
            ["arm" | "release"] => {
                let armed = command == "arm";
                self.hooks.set(if armed { Gate::Armed } else { Gate::Open });
                Ok("ok".into())
            }
            ["close"] => ok(self.db.close()),
            _ => Err(format!("unknown command {command:?}")),
        }
    }
}

impl Writer {
    fn write(
        &mut self,
        batches: u64,
        db: &Db,
        family: &ColumnFamily,
        wo: &WriteOptions,
        sizes: &Sizes,
        ledger: &Ledger,
    ) -> Written {
        let mut written = Written::default();
        for _ in 0..batches {
            let ops = sizes.batch(self.thread, self.done);
            let result = records(family, &ops).and_then(|mut batch| db.write(wo, &mut batch));
            if let Err(e) = result {
                written.refused = Some(e.to_string());
                break;
            }
            self.done += 1;
            ledger.acknowledge(self.thread, self.done).expect("the ledger");
            apply(&mut self.model, &ops);
            written.acknowledged += 1;
        }
        written
    }
}

fn records(family: &ColumnFamily, ops: &[Op]) -> ferrolith::Result<WriteBatch> {
    let mut batch = WriteBatch::new();
    for op in ops {
        match op {
            Op::Put(_, key, value) => batch.put_cf(family.id(), key, value)?,
            Op::Delete(_, key) => batch.delete_cf(family.id(), key)?,
            _ => unreachable!("no other operation is made here"),
        }
    }
    Ok(batch)
}

fn scan(db: &Db, family: &ColumnFamily) -> Result<Family> {
    let mut found = Family::new();
    let mut it = db.iter_cf(&ReadOptions::default(), family).map_err(text)?;
    it.seek_to_first();
    while it.valid() {
        found.insert(it.key().to_vec(), it.value().to_vec());
        it.next();
    }
    it.status().map_err(text)?;
    Ok(found)
}

fn options(dir: &str, db: &str, cf: &str) -> Result<(Setup, DbOptions, ColumnFamilyOptions)> {
    let (dir, shape) = (PathBuf::from(dir), Shape::default());
    let setup = Setup { dir, db: db.into(), cf: cf.into(), shape };
    let mut db = DbOptions { create_if_missing: true, ..DbOptions::default() };
    db.set_options(&setup.db_options()).map_err(text)?;
    let paths = setup.data_paths()?.into_iter();
    db.db_paths = paths.map(|(path, target_size)| DbPath { path, target_size }).collect();
    let mut options = ColumnFamilyOptions::default();
    options.set_options(&setup.cf).map_err(text)?;
    Ok((setup, db, options))
}

/// The commands, from a thread that ends the process when there will be no more.
fn commands() -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(std::result::Result::ok) {
            let _ = sender.send(line);
        }
        std::process::exit(4);
    });
    receiver
}

/// Runs a victim.
pub fn main(args: &[String]) -> Result<()> {
    let [dir, db, cf, sizes, sync, ledger] = args else {
        return Err("usage: victim DIRECTORY DB_OPTIONS CF_OPTIONS SIZES sync|async LEDGER".into());
    };
    let commands = commands();
    let (setup, mut db, mut cf) = options(dir, db, cf)?;
    let hooks = Arc::new(Hooks { gate: Mutex::new(Gate::Open), opened: Condvar::new() });
    db.components.listeners = vec![Arc::new(Listener)];
    cf.compaction_filter = Some(Arc::new(GateFilter(Arc::clone(&hooks))));
    let families = vec![ColumnFamilyDescriptor::new("default", cf)];
    let (db, mut families) = Db::open_cf(&db, setup.dir(), families).map_err(text)?;
    let sizes = Sizes::parse(sizes).ok_or("malformed sizes")?;
    let writer = |thread| Writer { thread, done: 0, model: Family::new() };
    let mut victim = Victim {
        db,
        family: families.remove(0),
        hooks,
        sizes,
        sync: sync == "sync",
        ledger: Ledger::open(Path::new(ledger))?,
        writers: (0..THREADS).map(writer).collect(),
    };
    say("reply ok");
    for command in commands {
        let started = Instant::now();
        let reply = victim.obey(&command).unwrap_or_else(|e| e);
        if started.elapsed() > Duration::from_secs(1) {
            say(format_args!("event {command} took {:?}", started.elapsed()));
        }
        say(format_args!("reply {reply}"));
        if command == "close" {
            return Ok(());
        }
    }
    Ok(())
}

/// Reads a directory without writing to it, which must be possible on a full disk, into a file.
pub fn read_only(args: &[String]) -> Result<()> {
    let [dir, db, cf, out] = args else {
        return Err("usage: read-only DIRECTORY DB_OPTIONS CF_OPTIONS FILE".into());
    };
    let (setup, db, cf) = options(dir, db, cf)?;
    let families = vec![ColumnFamilyDescriptor::new("default", cf)];
    let opened = Db::open_cf_for_read_only(&db, setup.dir(), families, false);
    let (db, families) = opened.map_err(text)?;
    crate::dump::write(Path::new(out), &[scan(&db, &families[0])?])
}
