//! The population: documents in the order of their numbers, which is not the order of their keys.
//!
//! Loader `t` of `n` fills databases `t`, `t + n`, and so on, so that each database has one writer.

use super::config::{Config, Population};
use super::document::{Buffer, Filler};
use super::files::Files;
use crate::shared::latency::Latencies;
use crate::shared::meters::Meters;
use crate::target::{Result, WriteMode};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// The result of a population.
#[derive(Default)]
pub struct Loaded {
    /// Documents.
    pub documents: u64,
    /// Latencies of batches.
    pub batches: Latencies,
    /// Seconds until the last batch was written.
    pub seconds: f64,
    /// Seconds of the flush after it.
    pub flush_seconds: f64,
    /// Seconds that the population waited for compactions; `None` if it did not.
    pub compaction_seconds: Option<f64>,
    /// It was ended before it was done.
    pub interrupted: bool,
    /// The first error of a thread.
    pub error: Option<String>,
}

struct Shared<'a> {
    files: &'a Files,
    config: &'a Config,
    population: &'a Population,
    write: WriteMode,
    meters: &'a Meters,
    stop: &'a AtomicBool,
    error: Mutex<Option<String>>,
}

/// Populates the databases. `meters` has one kind of operation: documents.
pub fn load(
    (files, config, population): (&Files, &Config, &Population),
    write: WriteMode,
    meters: &Meters,
    stop: &AtomicBool,
) -> Loaded {
    let error = Mutex::new(None);
    let shared = Shared { files, config, population, write, meters, stop, error };
    let start = Instant::now();
    let batches = std::thread::scope(|scope| {
        let shared = &shared;
        let spawn = |id| scope.spawn(move || shared.thread(id));
        let threads: Vec<_> = (0..population.threads).map(spawn).collect();
        let mut batches = Latencies::default();
        for thread in threads {
            match thread.join() {
                Ok(latencies) => batches.merge(&latencies),
                Err(_) => shared.fail("a thread panicked".to_owned()),
            }
        }
        batches
    });
    let mut loaded = Loaded {
        documents: meters.operations(),
        batches,
        seconds: start.elapsed().as_secs_f64(),
        interrupted: stop.load(Ordering::Relaxed),
        error: shared.error.into_inner().unwrap_or_else(PoisonError::into_inner),
        ..Loaded::default()
    };
    if loaded.error.is_none() && !loaded.interrupted {
        loaded.error = finish(files, config, population, &mut loaded).err();
    }
    loaded
}

/// Makes the population durable, as the original program does, and waits for compactions if asked.
fn finish(
    files: &Files,
    config: &Config,
    population: &Population,
    loaded: &mut Loaded,
) -> Result<()> {
    let start = Instant::now();
    files.flush()?;
    if config.operation.sync {
        let status = std::process::Command::new("sync").status();
        if !status.map_err(|e| format!("the command sync: {e}"))?.success() {
            return Err("the command sync failed".to_owned());
        }
    }
    loaded.flush_seconds = start.elapsed().as_secs_f64();
    if population.compaction_wait {
        let start = Instant::now();
        files.wait_for_compaction()?;
        loaded.compaction_seconds = Some(start.elapsed().as_secs_f64());
    }
    Ok(())
}

impl Shared<'_> {
    fn fail(&self, error: String) {
        self.stop.store(true, Ordering::Relaxed);
        self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    fn thread(&self, id: usize) -> Latencies {
        let mut latencies = Latencies::default();
        if let Err(error) = self.work(id, &mut latencies) {
            self.fail(error);
        }
        latencies
    }

    fn work(&self, id: usize, latencies: &mut Latencies) -> Result<()> {
        let shape = &self.config.shape;
        let slots = match shape.filler {
            Filler::Document => 1,
            Filler::Buffer => self.population.batch,
        };
        let slot_seed = |slot: u64| self.config.seed ^ ((id as u64) << 32 | slot).rotate_left(17);
        let mut buffers: Vec<Buffer> = (0..slots)
            .map(|slot| match shape.filler {
                // The bytes of a document must not depend on the thread that writes it.
                Filler::Document => Buffer::new(self.config.seed),
                Filler::Buffer => Buffer::new(slot_seed(slot)),
            })
            .collect();
        let meter = self.meters.of(id);
        let mut sessions = self.files.sessions(self.write)?;
        let (mut key, mut value) = (Vec::new(), Vec::new());
        for file in (id..self.files.count()).step_by(self.population.threads) {
            let (mut next, end) = self.files.range(file);
            let Some(session) = sessions.get_mut(file) else { continue };
            while next < end && !self.stop.load(Ordering::Relaxed) {
                let batch_end = end.min(next.saturating_add(self.population.batch));
                for number in next..batch_end {
                    shape.key(number, &mut key);
                    let slot = (number - next) % slots;
                    buffers[slot as usize].value(shape, (number, &key), 0, &mut value);
                    session.batch_put(&key, &value);
                }
                let begin = Instant::now();
                session.batch_write()?;
                if self.config.latencies {
                    let nanos = begin.elapsed().as_nanos() as u64;
                    meter.time(0, nanos);
                    latencies.service.add(nanos);
                    latencies.intended.add(nanos);
                }
                meter.count(0, batch_end - next);
                next = batch_end;
            }
        }
        Ok(())
    }
}
