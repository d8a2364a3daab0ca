//! Power loss and failing writes against prepared transactions: what is left is what some moment had,
//! both committed and prepared, and no older moment than what was synced. `FERROLITH_FAULT_SEED`
//! repeats a run.

use super::super::support::dump_cf;
use super::{DIR, eventually, faulty, loosely_crashed, over, seed, synced};
use ferrolith::internal::batch::WriteBatch;
use ferrolith::internal::db::{ColumnFamily, ColumnFamilyDescriptor};
use ferrolith::internal::fs::FileSystem;
use ferrolith::internal::fs::fault::{Fault, FaultKind, Op};
use ferrolith::internal::fs::mem::MemFs;
use ferrolith::internal::options::{FlushOptions, Options, WriteOptions};
use ferrolith::internal::txn::{
    Transaction, TransactionDb, TransactionDbOptions, TransactionOptions, TransactionState,
};
use std::collections::BTreeMap;
use std::path::Path;

/// Family, key, value.
type Record = (usize, Vec<u8>, Vec<u8>);
type Content = BTreeMap<(usize, Vec<u8>), Vec<u8>>;

/// What was done to the log.
#[derive(Clone, Debug)]
enum Event {
    Write(Vec<Record>),
    Prepare(Vec<u8>, Vec<Record>),
    Commit(Vec<u8>),
    Rollback(Vec<u8>),
}

/// What there is at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
struct Moment {
    content: Content,
    prepared: BTreeMap<Vec<u8>, Vec<Record>>,
}

impl Moment {
    fn apply(&mut self, event: &Event) {
        let mut write = |records: &[Record]| {
            for (cf, key, value) in records {
                self.content.insert((*cf, key.clone()), value.clone());
            }
        };
        match event {
            Event::Write(records) => write(records),
            Event::Prepare(name, records) => {
                self.prepared.insert(name.clone(), records.clone());
            }
            Event::Commit(name) => write(&self.prepared.remove(name).unwrap()),
            Event::Rollback(name) => drop(self.prepared.remove(name)),
        }
    }
}

/// Everything since the last crash, and how much of it must survive.
#[derive(Clone, Default)]
struct History {
    start: Moment,
    events: Vec<Event>,
    durable: usize,
    names: u32,
}

impl History {
    /// Finds the moment that is left, and goes on from there.
    fn check(&mut self, found: &Moment, what: &str) {
        let mut moment = self.start.clone();
        let mut matches = Vec::new();
        for (n, event) in std::iter::once(None).chain(self.events.iter().map(Some)).enumerate() {
            event.into_iter().for_each(|event| moment.apply(event));
            if moment == *found {
                matches.push(n);
            }
        }
        assert!(
            matches.iter().any(|n| *n >= self.durable),
            "{what}: {} of {} events were durable, it looks as after {matches:?}; prepared {:?}",
            self.durable,
            self.events.len(),
            found.prepared.keys(),
        );
        *self = History { start: found.clone(), names: self.names, ..History::default() };
    }
}

struct Opened {
    db: TransactionDb,
    cfs: Vec<ColumnFamily>,
    /// Prepared, by name.
    live: Vec<Transaction>,
}

fn options(fs: impl FileSystem + 'static, atomic_flush: bool) -> Options {
    let mut options = over(fs);
    options.db.atomic_flush = atomic_flush;
    options.cf.write_buffer_size = 64 << 10;
    options.cf.merge_operator = None;
    options
}

fn open(options: &Options, families: usize) -> ferrolith::Result<Opened> {
    let describe = |name: &&str| ColumnFamilyDescriptor::new(*name, options.cf.clone());
    let descriptors = ["default", "one", "two"][..families].iter().map(describe).collect();
    let quick = TransactionDbOptions::default();
    let (db, cfs) = TransactionDb::open_cf(&options.db, &quick, Path::new(DIR), descriptors)?;
    let live = db.get_all_prepared_transactions();
    Ok(Opened { db, cfs, live })
}

/// The puts of a batch.
#[derive(Default)]
struct Puts(Vec<Record>);

impl ferrolith::internal::batch::BatchHandler for Puts {
    fn put(&mut self, cf: u32, key: &[u8], value: &[u8]) -> ferrolith::Result<()> {
        self.0.push((cf as usize, key.to_vec(), value.to_vec()));
        Ok(())
    }
    fn delete(&mut self, _: u32, _: &[u8]) -> ferrolith::Result<()> {
        unreachable!()
    }
    fn single_delete(&mut self, _: u32, _: &[u8]) -> ferrolith::Result<()> {
        unreachable!()
    }
    fn merge(&mut self, _: u32, _: &[u8], _: &[u8]) -> ferrolith::Result<()> {
        unreachable!()
    }
}

impl Opened {
    fn found(&self) -> Moment {
        let mut found = Moment::default();
        for (n, cf) in self.cfs.iter().enumerate() {
            let entries = dump_cf(&self.db.db().clone().into(), cf);
            found.content.extend(entries.into_iter().map(|(key, value)| ((n, key), value)));
        }
        for txn in &self.live {
            assert_eq!(txn.state(), TransactionState::Prepared);
            let mut puts = Puts::default();
            ferrolith::internal::batch::iterate(txn.batch().batch().data(), &mut puts).unwrap();
            found.prepared.insert(txn.name().to_vec(), puts.0);
        }
        found
    }

    /// Does something until `operations` are done or a write fails.
    fn work(&mut self, history: &mut History, rng: &mut fastrand::Rng, operations: usize) {
        for _ in 0..operations {
            let sync = rng.u32(..5) == 0;
            let wo = if sync { synced() } else { WriteOptions::default() };
            let done = match rng.u32(..14) {
                0..4 => self.prepare(history, rng, &wo),
                4..7 if !self.live.is_empty() => self.decide(history, rng, true),
                7..9 if !self.live.is_empty() => self.decide(history, rng, false),
                9 => {
                    let cf = &self.cfs[rng.usize(..self.cfs.len())];
                    let _ = self.db.db().flush_cf(&FlushOptions::default(), cf);
                    continue;
                }
                10 => self.db.db().sync_wal().map(|()| true),
                _ => self.write(history, rng, &wo).map(|()| sync),
            };
            match done {
                Ok(true) => history.durable = history.events.len(),
                Ok(false) => {}
                Err(_) => return,
            }
        }
    }

    fn write(
        &self,
        history: &mut History,
        rng: &mut fastrand::Rng,
        wo: &WriteOptions,
    ) -> ferrolith::Result<()> {
        // Each write leaves something of its own, or moments could not be told apart.
        let records = records(rng, self.cfs.len());
        let mut batch = WriteBatch::new();
        for (cf, key, value) in &records {
            batch.put_cf(self.cfs[*cf].id(), key, value).unwrap();
        }
        history.events.push(Event::Write(records));
        self.db.db().write(wo, &mut batch)
    }

    fn prepare(
        &mut self,
        history: &mut History,
        rng: &mut fastrand::Rng,
        wo: &WriteOptions,
    ) -> ferrolith::Result<bool> {
        let mut txn = self.db.begin(wo, &TransactionOptions::default());
        let records = records(rng, self.cfs.len());
        for (cf, key, value) in &records {
            txn.batch_mut().put_cf(self.cfs[*cf].id(), key, value).unwrap();
        }
        history.names += 1;
        let name = format!("txn {}", history.names).into_bytes();
        txn.set_name(&name).unwrap();
        history.events.push(Event::Prepare(name, records));
        txn.prepare()?;
        self.live.push(txn);
        Ok(wo.sync)
    }

    /// Recovered transactions always sync their end.
    fn decide(
        &mut self,
        history: &mut History,
        rng: &mut fastrand::Rng,
        commits: bool,
    ) -> ferrolith::Result<bool> {
        let mut txn = self.live.swap_remove(rng.usize(..self.live.len()));
        let name = txn.name().to_vec();
        let recovered = history.start.prepared.contains_key(&name);
        if commits {
            history.events.push(Event::Commit(name));
            txn.commit()?;
        } else {
            history.events.push(Event::Rollback(name));
            txn.rollback()?;
        }
        Ok(recovered)
    }
}

fn records(rng: &mut fastrand::Rng, families: usize) -> Vec<Record> {
    let record = |rng: &mut fastrand::Rng| {
        let size = if rng.u32(..12) == 0 { rng.usize(..40_000) } else { rng.usize(..100) };
        let mut value = rng.u64(..).to_be_bytes().to_vec();
        value.resize(8 + size, 7);
        (rng.usize(..families), rng.u32(..40).to_be_bytes().to_vec(), value)
    };
    // Only the last record of a key shows.
    let records: BTreeMap<_, _> =
        (0..rng.usize(1..5)).map(|_| record(rng)).map(|(cf, k, v)| ((cf, k), v)).collect();
    records.into_iter().map(|((cf, key), value)| (cf, key, value)).collect()
}

#[test]
fn power_loss_leaves_one_moment_and_no_older_one_than_was_synced() {
    let seed = seed();
    eprintln!("two phases: seed {seed}");
    for chain in 0..10 {
        let mut rng = fastrand::Rng::with_seed(seed + chain);
        let mut mem = MemFs::new();
        let mut history = History::default();
        // One family alone has its logs synced for other reasons than several.
        let (families, atomic_flush) = ([1, 3][rng.usize(..2)], rng.bool());
        for round in 0..25 {
            let what = format!("seed {seed}, chain {chain}, round {round}");
            let options = options(mem.clone(), atomic_flush);
            let mut opened =
                open(&options, families).unwrap_or_else(|e| panic!("{what}: cannot open: {e}"));
            history.check(&opened.found(), &what);
            let operations = rng.usize(1..40);
            opened.work(&mut history, &mut rng, operations);
            mem = match rng.u32(..4) {
                0 => mem.crash_clone(),
                1 => loosely_crashed(&mem, &mut rng),
                2 => mem.crash_clone_with(|_, loose| loose),
                _ => {
                    // Closed: everything is there, also where nobody syncs any more.
                    history.durable = history.events.len();
                    drop(opened);
                    continue;
                }
            };
        }
    }
}

#[test]
fn a_crash_while_opening_loses_nothing_that_is_prepared() {
    let seed = seed();
    eprintln!("two phases: seed {seed}");
    let mut rng = fastrand::Rng::with_seed(seed);
    let (mem, _) = faulty();
    let mut history = History::default();
    let mut opened = open(&options(mem.clone(), false), 3).unwrap();
    opened.work(&mut history, &mut rng, 25);
    opened.db.db().sync_wal().unwrap();
    history.durable = history.events.len();
    let left = mem.crash_clone();
    drop(opened);
    let mut stop = 0;
    loop {
        stop += rng.u64(1..25);
        let mem = left.crash_clone();
        let fs = ferrolith::internal::fs::fault::FaultFs::new(std::sync::Arc::new(mem.clone()));
        fs.inject(Fault::writes_stop(stop, FaultKind::Io));
        let opened = open(&options(fs.clone(), false), 3);
        let done = opened.is_ok();
        let after = match rng.bool() {
            true => mem.crash_clone(),
            false => loosely_crashed(&mem, &mut rng),
        };
        drop(opened);
        let what = format!("seed {seed}, writes stop after {stop}");
        let again =
            open(&options(after, false), 3).unwrap_or_else(|e| panic!("{what}: cannot open: {e}"));
        history.clone().check(&again.found(), &what);
        if done {
            assert!(stop > 25, "opening writes more than that");
            break;
        }
    }
}

#[test]
fn failing_writes_leave_prepared_transactions_whole() {
    let seed = seed();
    eprintln!("two phases: seed {seed}");
    for run in 0..60 {
        let mut rng = fastrand::Rng::with_seed(seed + 1000 + run);
        let (mem, fs) = faulty();
        let families = [1, 3][rng.usize(..2)];
        let mut history = History::default();
        let mut opened = open(&options(fs.clone(), false), families).unwrap();
        let kind = if rng.bool() { FaultKind::Io } else { FaultKind::Short(rng.usize(..50)) };
        fs.inject(Fault::writes_stop(rng.u64(..120), kind));
        opened.work(&mut history, &mut rng, 80);
        let left = if rng.bool() { mem.crash_clone() } else { loosely_crashed(&mem, &mut rng) };
        drop(opened);
        let what = format!("seed {seed}, run {run}, {kind:?}");
        let again = open(&options(left, false), families)
            .unwrap_or_else(|e| panic!("{what}: cannot open: {e}"));
        history.check(&again.found(), &what);
    }
}

#[test]
fn a_name_is_free_again_after_a_preparation_that_was_not_synced() {
    let (_, fs) = faulty();
    let opened = open(&options(fs.clone(), false), 1).unwrap();
    fs.inject(Fault { times: 1, ..Fault::always(Op::Sync, ".log", FaultKind::Io) });
    let prepare = || {
        let mut txn = opened.db.begin(&synced(), &TransactionOptions::default());
        txn.put(&opened.cfs[0], b"key", b"value")?;
        txn.set_name(b"name")?;
        txn.prepare()?;
        Ok::<_, ferrolith::Error>(txn)
    };
    assert!(prepare().is_err());
    let mut last = None;
    eventually("a transaction of this name is prepared", || match prepare() {
        Ok(txn) => last.replace(txn).is_none(),
        Err(e) => {
            assert!(!e.message().contains("Duplicate"), "{e}");
            false
        }
    });
    last.unwrap().commit().unwrap();
    assert_eq!(dump_cf(&opened.db.db().clone().into(), &opened.cfs[0]).len(), 1);
}

/// The commit is in the log that begins with the flush: nothing syncs it, and the flush lets go the
/// log in which the transaction was prepared. Without that one, both would be lost.
#[test]
fn an_unsynced_commit_during_a_flush_does_not_cost_what_was_prepared() {
    let mem = MemFs::new();
    let opened = open(&options(mem.clone(), false), 3).unwrap();
    let wo = WriteOptions::default();
    for i in 0..30 {
        let name = format!("txn {i}").into_bytes();
        let mut txn = opened.db.begin(&synced(), &TransactionOptions::default());
        txn.put(&opened.cfs[1], &name, b"1").unwrap();
        txn.set_name(&name).unwrap();
        txn.prepare().unwrap();
        // The memtable that takes the commit is younger than that log.
        opened.db.put(&wo, &opened.cfs[1], b"filler", b"").unwrap();
        opened.db.db().flush_cf(&FlushOptions::default(), &opened.cfs[1]).unwrap();
        opened.db.put(&wo, &opened.cfs[2], b"filler", &[7; 5000]).unwrap();
        let background = FlushOptions { wait: false, ..FlushOptions::default() };
        opened.db.db().flush_cf(&background, &opened.cfs[2]).unwrap();
        txn.set_write_options(&wo);
        txn.commit().unwrap();
        opened.db.db().wait_for_compact().unwrap();
        let left = open(&options(mem.crash_clone(), false), 3).unwrap().found();
        let committed = left.content.contains_key(&(1, name.clone()));
        assert!(committed || left.prepared.contains_key(&name), "{i}: lost");
    }
}
