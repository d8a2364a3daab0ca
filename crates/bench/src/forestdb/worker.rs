//! The loops of readers, iterators and writers.

use super::choose::Place;
use super::config::Config;
use super::document::Buffer;
use super::run::{Counted, Shared, State};
use crate::rng::Random64;
use crate::shared::meters::Meter;
use crate::shared::schedule::Schedule;
use crate::target::{Result, Session};
use std::thread::{Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

/// The role of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Reads documents by key.
    Read,
    /// Reads ranges.
    Range,
    /// Updates documents.
    Write,
}

impl Role {
    /// All of them, in the order of their numbers.
    pub const ALL: [Role; 3] = [Role::Read, Role::Range, Role::Write];

    /// Returns its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Role::Read => "READ",
            Role::Range => "RANGE",
            Role::Write => "WRITE",
        }
    }

    /// Returns the batches per second of each thread; 0: no limit. A percentage of writes excludes rates.
    pub fn rate(self, config: &Config) -> u64 {
        match (config.operation.write_percent, self) {
            (Some(_), _) => 0,
            (None, Role::Write) => config.threads.rates.1,
            (None, _) => config.threads.rates.0,
        }
    }
}

/// Starts the threads of a step. A percentage of writes of 0 drops the writers, one of 100 the others.
pub fn spawn<'s>(
    scope: &'s Scope<'s, '_>,
    shared: &'s Shared<'s>,
) -> Vec<(Role, ScopedJoinHandle<'s, Counted>)> {
    let (threads, percent) = (&shared.config.threads, shared.config.operation.write_percent);
    let counts = [
        (Role::Read, threads.readers, percent != Some(100)),
        (Role::Range, threads.iterators, percent != Some(100)),
        (Role::Write, threads.writers, percent != Some(0)),
    ];
    let roles = counts.into_iter().filter(|(.., kept)| *kept);
    let roles = roles.flat_map(|(role, count, _)| (0..count).map(move |index| (role, index)));
    let both = threads.writers > 0 && threads.readers + threads.iterators > 0;
    let percent = percent.filter(|percent| both && (1..100).contains(percent));
    roles
        .enumerate()
        .map(|(id, (role, index))| {
            let run = move || Worker::new(shared, role, (id, index), percent).run();
            (role, scope.spawn(run))
        })
        .collect()
}

/// One thread.
struct Worker<'s> {
    shared: &'s Shared<'s>,
    meter: &'s Meter,
    role: Role,
    /// Its number among the threads of its role.
    index: usize,
    random: Random64,
    seed: u64,
    /// The percentage of writes that threads wait for.
    percent: Option<u64>,
    /// The documents of a batch, their keys and values.
    batch: Vec<u64>,
    keys: Vec<Vec<u8>>,
    values: Vec<Vec<u8>>,
    buffers: Vec<Buffer>,
    writes: u64,
    copy: Vec<u8>,
    counted: Counted,
}

impl<'s> Worker<'s> {
    fn new(
        shared: &'s Shared<'s>,
        role: Role,
        (id, index): (usize, usize),
        percent: Option<u64>,
    ) -> Worker<'s> {
        let own = if shared.config.threads.seed_per_thread { id as u64 + 1 } else { 0 };
        let seed = shared.config.seed.wrapping_add(own.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        Worker {
            shared,
            meter: shared.meters.of(id),
            role,
            index,
            random: Random64::new(seed),
            seed,
            percent,
            batch: Vec::new(),
            keys: Vec::new(),
            values: Vec::new(),
            buffers: Vec::new(),
            writes: 0,
            copy: Vec::new(),
            counted: Counted::default(),
        }
    }

    fn run(mut self) -> Counted {
        let shared = self.shared;
        let worked = shared.files.sessions(shared.write).and_then(|mut s| self.work(&mut s));
        if let Err(error) = worked {
            shared.fail(error);
        }
        self.counted
    }

    fn work(&mut self, sessions: &mut [Box<dyn Session + 's>]) -> Result<()> {
        let shared = self.shared;
        let config = shared.config;
        let mut schedule = Schedule::new(self.role.rate(config), 1, 0);
        let mut measured = false;
        loop {
            self.wait_for_ratio();
            let intended = schedule.wait();
            let state = shared.state();
            if state != State::Warm && !measured {
                // What was counted belongs to the warm-up, also if this thread slept through the measured part.
                (measured, self.counted) = (true, Counted::default());
            }
            if state == State::Over {
                return Ok(());
            }
            let size = config.operation.sizes[self.role as usize].pick(&mut self.random);
            if measured && !shared.take(size) {
                return Ok(());
            }
            self.choose(size);
            let begin = Instant::now();
            let documents = match self.role {
                Role::Read => self.read(sessions)?,
                Role::Range => self.range(sessions, size)?,
                Role::Write => self.write(sessions)?,
            };
            let end = Instant::now();
            if config.latencies {
                self.meter.time(self.role as usize, (end - begin).as_nanos() as u64);
                let latencies = &mut self.counted.latencies;
                latencies.service.add((end - begin).as_nanos() as u64);
                latencies.intended.add((end - intended.unwrap_or(begin)).as_nanos() as u64);
            }
            self.counted.documents += documents;
            self.counted.batches += 1;
            self.counted.last = Some(end);
            self.meter.count(self.role as usize, documents);
        }
    }

    /// Waits while the other side must catch up to keep the percentage of writes.
    fn wait_for_ratio(&self) {
        let Some(percent) = self.percent else { return };
        let live = |role: Role| self.shared.meters.operations_of(role as usize);
        while self.shared.state() != State::Over {
            let writes = live(Role::Write);
            let all = live(Role::Read) + live(Role::Range) + writes;
            let (have, want) = (writes * 100, all * percent);
            let ahead = if self.role == Role::Write { have > want } else { have < want };
            if !ahead {
                return;
            }
            std::thread::sleep(Duration::from_micros(1));
        }
    }

    /// Chooses the documents of the next batch, and makes their keys and values: not part of the latency.
    fn choose(&mut self, size: u64) {
        let (shared, config) = (self.shared, self.shared.config);
        let place = Place {
            documents: config.shape.documents,
            centre: &config.operation.centre,
            scatter: config.operation.scatter,
            distinct: self.role == Role::Read,
        };
        let disjoint = config.threads.disjoint_write && self.role == Role::Write;
        let (index, writers) = (self.index, config.threads.writers);
        let allowed = |document| !disjoint || shared.files.of(document) % writers == index;
        let documents = if self.role == Role::Range { 1 } else { size };
        place.batch(&mut self.random, documents, allowed, &mut self.batch);
        self.keys.resize(self.keys.len().max(self.batch.len()), Vec::new());
        for (number, key) in self.batch.iter().zip(&mut self.keys) {
            config.shape.key(*number, key);
        }
        if self.role != Role::Write {
            return;
        }
        self.values.resize(self.keys.len(), Vec::new());
        while self.buffers.len() < self.batch.len() {
            let slot = self.buffers.len() as u64 + 1;
            self.buffers.push(Buffer::new(self.seed ^ slot.rotate_left(40)));
        }
        for (slot, number) in self.batch.iter().enumerate() {
            self.writes += 1;
            let (key, value) = (&self.keys[slot], &mut self.values[slot]);
            self.buffers[slot].value(&config.shape, (*number, key), self.writes, value);
        }
    }

    /// Reads the documents and copies their values.
    fn read(&mut self, sessions: &mut [Box<dyn Session + 's>]) -> Result<u64> {
        for (number, key) in self.batch.iter().zip(&self.keys) {
            let session = &mut sessions[self.shared.files.of(*number)];
            match session.get(key)? {
                Some(value) => {
                    self.shared.config.shape.check(*number, key, value)?;
                    self.copy.clear();
                    self.copy.extend_from_slice(value);
                }
                None => self.counted.latencies.not_found += 1,
            }
        }
        Ok(self.batch.len() as u64)
    }

    /// Reads up to `size` documents from a key on and copies keys and values. A range ends with its database.
    fn range(&mut self, sessions: &mut [Box<dyn Session + 's>], size: u64) -> Result<u64> {
        let (Some(number), Some(key)) = (self.batch.first(), self.keys.first()) else {
            return Ok(0);
        };
        let session = &mut sessions[self.shared.files.of(*number)];
        session.open_iterator(None, None)?;
        session.seek(key);
        let mut documents = 0;
        while documents < size && session.valid() {
            self.copy.clear();
            self.copy.extend_from_slice(session.key());
            self.copy.extend_from_slice(session.value());
            documents += 1;
            if documents < size {
                session.next();
            }
        }
        let status = session.status();
        session.close_iterator();
        self.counted.latencies.not_found += u64::from(documents == 0);
        status.map(|()| documents)
    }

    /// Updates the documents, with one batch for each database.
    fn write(&mut self, sessions: &mut [Box<dyn Session + 's>]) -> Result<u64> {
        let files = self.shared.files;
        for ((number, key), value) in self.batch.iter().zip(&self.keys).zip(&self.values) {
            sessions[files.of(*number)].batch_put(key, value);
        }
        for (i, number) in self.batch.iter().enumerate() {
            let file = files.of(*number);
            let is_first = !self.batch[..i].iter().any(|earlier| files.of(*earlier) == file);
            if is_first {
                sessions[file].batch_write()?;
            }
        }
        Ok(self.batch.len() as u64)
    }
}
