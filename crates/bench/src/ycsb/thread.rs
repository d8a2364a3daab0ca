//! One thread of a phase: which operation comes next, when, and what is counted of it.

use super::chooser::{KeyChooser, below, uniform};
use super::client::{Client, Work};
use super::run::{Phase, Shared};
use super::workload::Operation;
use crate::rng::Random64;
use crate::shared::latency::Latencies;
use crate::shared::schedule::Schedule;
use crate::target::Result;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// What a thread did.
#[derive(Default)]
pub(super) struct Counted {
    pub(super) operations: BTreeMap<Operation, Latencies>,
    pub(super) scanned: u64,
    pub(super) failed_inserts: (u64, Option<String>),
    pub(super) user_bytes: (u64, u64),
}

impl Counted {
    /// Adds those of another thread.
    pub(super) fn merge(&mut self, other: &Counted) {
        for (operation, latencies) in &other.operations {
            self.operations.entry(*operation).or_default().merge(latencies);
        }
        self.scanned += other.scanned;
        self.failed_inserts.0 += other.failed_inserts.0;
        let first = self.failed_inserts.1.take();
        self.failed_inserts.1 = first.or_else(|| other.failed_inserts.1.clone());
        self.user_bytes.0 += other.user_bytes.0;
        self.user_bytes.1 += other.user_bytes.1;
    }
}

/// The state and the counts of one thread.
pub(super) struct Thread<'s> {
    shared: &'s Shared<'s>,
    random: Random64,
    keys: KeyChooser,
    key: Vec<u8>,
    pub(super) counted: Counted,
}

/// Waits for `percent` of the time since `begin`, on the processor. Returns the time at the end.
fn slow_down(begin: Instant, percent: f64) -> Instant {
    let now = Instant::now();
    if percent == 0.0 {
        return now;
    }
    let until = now + (now - begin).mul_f64(percent / 100.0);
    loop {
        let now = Instant::now();
        if now >= until {
            return now;
        }
        std::hint::spin_loop();
    }
}

/// An operation that was begun.
struct InFlight {
    operation: Operation,
    /// The record of an insert.
    record: Option<u64>,
    begin: Instant,
    /// It began after the warm-up.
    measured: bool,
}

/// When a thread begins operations, and which of them count.
struct Pace {
    schedule: Schedule,
    measured: bool,
    end: Option<Instant>,
    /// Bytes that the warm-up wrote and read.
    warm_up_bytes: (u64, u64),
}

impl<'s> Thread<'s> {
    /// Creates a thread of a phase.
    pub(super) fn new(shared: &'s Shared<'s>, id: usize) -> Thread<'s> {
        let seed = (id as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Thread {
            shared,
            random: Random64::new(shared.terms.seed.wrapping_add(seed)),
            keys: shared.workload.key_chooser(),
            key: Vec::new(),
            counted: Counted::default(),
        }
    }

    /// Does operations until the phase is over.
    pub(super) fn work(&mut self, id: usize, client: &mut dyn Client) -> Result<()> {
        let shared = self.shared;
        let measured = shared.measured.load(Ordering::Acquire);
        let mut pace = Pace {
            schedule: Schedule::new(shared.workload.target, shared.meters.threads(), id),
            measured,
            end: self.end_from_now().filter(|_| measured),
            warm_up_bytes: (0, 0),
        };
        match shared.terms.in_flight {
            1 => self.one_by_one(id, client, &mut pace)?,
            many => self.in_flight(id, client, &mut pace, many)?,
        }
        let (written, read) = client.user_bytes();
        let (before_written, before_read) = pace.warm_up_bytes;
        self.counted.user_bytes = (written - before_written, read - before_read);
        if !pace.measured {
            // Nothing was measured.
            self.counted = Counted::default();
        }
        Ok(())
    }

    fn end_from_now(&self) -> Option<Instant> {
        let seconds = self.shared.workload.seconds;
        (seconds > 0).then(|| Instant::now() + Duration::from_secs(seconds))
    }

    /// Waits for the time of the next operation. Returns the time from which it counts, and that at which it begins;
    /// `None` if the phase is over.
    fn next(
        &mut self,
        client: &mut dyn Client,
        pace: &mut Pace,
    ) -> Option<(Option<Instant>, Instant)> {
        let shared = self.shared;
        if shared.stop.load(Ordering::Relaxed) {
            return None;
        }
        if !pace.measured && shared.measured.load(Ordering::Acquire) {
            // What was counted so far belongs to the warm-up.
            (pace.measured, pace.end, self.counted) =
                (true, self.end_from_now(), Counted::default());
            pace.warm_up_bytes = client.user_bytes();
        }
        if pace.measured && shared.begun.fetch_add(1, Ordering::Relaxed) >= shared.limit {
            return None;
        }
        let intended = pace.schedule.wait();
        let begin = Instant::now();
        (pace.end.is_none_or(|end| begin < end)).then_some((intended, begin))
    }

    fn one_by_one(&mut self, id: usize, client: &mut dyn Client, pace: &mut Pace) -> Result<()> {
        let meter = self.shared.meters.of(id);
        while let Some((intended, begin)) = self.next(client, pace) {
            let Some((operation, found)) = self.operation(client)? else { continue };
            let finish = slow_down(begin, self.shared.terms.slowdown);
            self.count(operation, (intended.unwrap_or(begin), begin, finish), found);
            meter.count(operation as usize, 1);
            meter.time(operation as usize, (finish - begin).as_nanos() as u64);
        }
        Ok(())
    }

    /// Counts an operation that ended.
    fn count(
        &mut self,
        operation: Operation,
        (intended, begin, finish): (Instant, Instant, Instant),
        found: bool,
    ) {
        let latencies = self.counted.operations.entry(operation).or_default();
        latencies.service.add((finish - begin).as_nanos() as u64);
        latencies.intended.add((finish - intended).as_nanos() as u64);
        latencies.not_found += u64::from(!found);
    }

    /// Keeps `many` operations in flight. A latency is the time from the beginning of the operation until its end is
    /// taken: the wait in the client counts.
    fn in_flight(
        &mut self,
        id: usize,
        client: &mut dyn Client,
        pace: &mut Pace,
        many: usize,
    ) -> Result<()> {
        let shared = self.shared;
        let (shape, meter) = (&shared.workload.shape, shared.meters.of(id));
        let mut flights: Vec<Option<InFlight>> = (0..many).map(|_| None).collect();
        let mut free: Vec<usize> = (0..many).collect();
        let mut is_over = false;
        loop {
            while let Some(&ticket) = free.last()
                && !is_over
            {
                let Some((_, begin)) = self.next(client, pace) else {
                    is_over = true;
                    break;
                };
                let (operation, record, work) = self.draw();
                client.begin(shape, (&self.key, work), ticket, &mut self.random)?;
                free.pop();
                flights[ticket] =
                    Some(InFlight { operation, record, begin, measured: pace.measured });
            }
            if free.len() == many {
                return Ok(());
            }
            let ended = client.end(shape)?;
            let finish = Instant::now();
            let Some(flight) = flights.get_mut(ended.ticket).and_then(Option::take) else {
                return Err(format!("operation {} ended twice", ended.ticket));
            };
            free.push(ended.ticket);
            flight.record.into_iter().for_each(|record| shared.inserted.end(record));
            let (operation, begin) = (flight.operation, flight.begin);
            if flight.measured == pace.measured {
                self.counted.scanned +=
                    if operation == Operation::Scan { ended.records } else { 0 };
                self.count(operation, (begin, begin, finish), ended.is_found);
            }
            meter.count(operation as usize, 1);
            meter.time(operation as usize, (finish - begin).as_nanos() as u64);
        }
    }

    /// Draws the next operation; its key is then in `key`. Returns its kind, and the record if it is an insert.
    fn draw(&mut self) -> (Operation, Option<u64>, Work<'static>) {
        let workload = self.shared.workload;
        let operation = match self.shared.terms.phase {
            Phase::Load => Operation::Insert,
            Phase::Run => workload.operation(uniform(&mut self.random)),
        };
        if operation == Operation::Insert {
            let record = self.shared.inserted.begin();
            workload.shape.key(record, &mut self.key);
            return (operation, Some(record), Work::Insert);
        }
        let record = self.keys.pick(&mut self.random, &self.shared.inserted);
        workload.shape.key(record, &mut self.key);
        let fields = workload.shape.fields.len() as u64;
        let mut field = |all: bool| (!all).then(|| below(&mut self.random, fields) as usize);
        let work = match operation {
            Operation::Read => Work::Read(field(workload.read_all_fields)),
            Operation::Update => Work::Update(field(workload.write_all_fields)),
            Operation::ReadModifyWrite => Work::ReadModifyWrite(
                field(workload.read_all_fields),
                field(workload.write_all_fields),
            ),
            Operation::Insert => Work::Insert,
            Operation::Scan => {
                let length = workload.scan_length(&mut self.random);
                let all = workload.read_all_fields;
                Work::Scan(length, (!all).then(|| below(&mut self.random, fields) as usize))
            }
        };
        (operation, None, work)
    }

    /// Does the next operation. Returns its kind, and whether its record exists; `None` if it is an insert that failed
    /// and the phase goes on.
    fn operation(&mut self, client: &mut dyn Client) -> Result<Option<(Operation, bool)>> {
        let (operation, record, work) = self.draw();
        if let Some(record) = record {
            return Ok(self.insert(client, record)?.then_some((operation, true)));
        }
        let (shape, key) = (&self.shared.workload.shape, &self.key);
        let found = match work {
            Work::Read(field) => client.read(shape, key, field)?,
            Work::Update(field) => client.update(shape, key, field, &mut self.random)?,
            Work::Scan(length, field) => {
                let records = client.scan(shape, key, length, field)?;
                self.counted.scanned += records;
                records > 0
            }
            Work::ReadModifyWrite(read, written) => {
                client.read(shape, key, read)?
                    && client.update(shape, key, written, &mut self.random)?
            }
            work => return Err(format!("{work:?}: no workload draws it")),
        };
        Ok(Some((operation, found)))
    }

    /// Inserts a record, whose key is in `key`. Returns false if it failed and the phase goes on.
    fn insert(&mut self, client: &mut dyn Client, record: u64) -> Result<bool> {
        let workload = self.shared.workload;
        let (retries, pause) = workload.insert_retries;
        let mut tried = 0;
        let result = loop {
            let result = client.insert(&workload.shape, &self.key, &mut self.random);
            if result.is_ok() || tried >= retries {
                break result;
            }
            tried += 1;
            // From 0.8 to 1.2 times the pause, so that threads do not retry at the same time.
            let pause = pause as f64 * (0.8 + 0.4 * uniform(&mut self.random));
            std::thread::sleep(Duration::from_secs_f64(pause));
        };
        self.shared.inserted.end(record);
        match result {
            Err(error) if workload.keep_going => {
                let failed = &mut self.counted.failed_inserts;
                failed.0 += 1;
                failed.1.get_or_insert(error);
                Ok(false)
            }
            result => result.map(|()| true),
        }
    }
}
