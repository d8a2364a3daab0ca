//! The threads of one benchmark, which start together: for the warm-up, and for the measured part.

use super::thread::{Presence, Shared, Thread};
use crate::config::{Config, Interval};
use crate::keys::KeyMaker;
use crate::rng::Random64;
use crate::shared::meters::Meters;
use crate::shared::warm_up::WarmUp;
use crate::stats::{Counter, Stats};
use crate::target::{Result, Target};
use crate::values::ValueShape;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier};

/// The work of one thread.
type Body = fn(&mut Thread<'_>) -> Result<()>;

/// The threads of one benchmark.
pub(super) struct Crowd<'a> {
    /// The configuration of the benchmark.
    pub config: &'a Config,
    /// The work of each thread.
    pub body: Body,
    /// The values that are written.
    pub values: &'a ValueShape,
    /// The database.
    pub target: &'a dyn Target,
    /// The seed of thread 0, added to that of the configuration.
    pub first: u64,
    /// Threads in the background: 0 or 1.
    pub extra: usize,
    /// Counts by kind of operation, if somebody reads them.
    pub meters: Option<Arc<Meters>>,
    /// Ends the benchmark early when it becomes true.
    pub stop: Arc<AtomicBool>,
}

impl Crowd<'_> {
    /// Returns the number of threads.
    pub fn count(&self) -> usize {
        self.config.threads + self.extra
    }

    /// Runs the benchmark until the warm-up is over. Returns what the threads did, and whether the throughput was found
    /// to be steady.
    ///
    /// # Errors
    /// The first error of a thread.
    pub fn warm_up(&self, warm_up: WarmUp) -> Result<(Vec<Stats>, bool)> {
        let Some(meters) = &self.meters else { return Ok((Vec::new(), false)) };
        let config = Config {
            duration: warm_up.most_seconds(),
            finish_after_writes: false,
            interval: Interval::default(),
            ..self.config.clone()
        };
        let over = Arc::new(AtomicBool::new(false));
        let crowd = Crowd {
            config: &config,
            stop: Arc::clone(&over),
            meters: Some(Arc::clone(meters)),
            ..*self
        };
        let counters: Vec<Arc<Counter>> = (0..self.count()).map(|_| Arc::default()).collect();
        std::thread::scope(|scope| {
            let threads = scope.spawn(|| crowd.run(&counters));
            let is_over = || self.stop.load(Ordering::Relaxed) || threads.is_finished();
            let detected = warm_up.wait(meters, is_over);
            over.store(true, Ordering::Relaxed);
            let panicked = |_| Err("the threads of the warm-up panicked".to_owned());
            Ok((threads.join().unwrap_or_else(panicked)?, detected))
        })
    }

    /// Starts the threads together and waits for all. After an error the others stop soon.
    pub fn run(&self, counters: &[Arc<Counter>]) -> Result<Vec<Stats>> {
        let stop = Arc::clone(&self.stop);
        let shared = Shared::new(self.config, self.values.clone(), self.target.clock(), stop);
        let barrier = Barrier::new(counters.len());
        std::thread::scope(|scope| {
            let start = |id: usize| {
                let (counter, barrier, shared) = (Arc::clone(&counters[id]), &barrier, &shared);
                scope.spawn(move || self.thread(id, counter, barrier, shared))
            };
            let threads: Vec<_> = (0..counters.len()).map(start).collect();
            let join = |thread: std::thread::ScopedJoinHandle<'_, Result<Stats>>| {
                thread.join().unwrap_or_else(|_| Err("a benchmark thread panicked".to_owned()))
            };
            threads.into_iter().map(join).collect()
        })
    }

    fn thread(
        &self,
        id: usize,
        counter: Arc<Counter>,
        barrier: &Barrier,
        shared: &Shared,
    ) -> Result<Stats> {
        let config = self.config;
        let mut presence = Presence::new(shared, id >= self.extra);
        let session = self.target.session(config.read_mode, config.write_mode);
        let keys = KeyMaker::new(&config.keys);
        barrier.wait();
        let mut thread = Thread {
            id,
            random: Random64::new(config.seed.wrapping_add(self.first + id as u64)),
            stats: Stats::start(id, config.timing, config.slow_micros, config.interval, counter),
            config,
            shared,
            session: session?,
            target: self.target,
            keys,
        };
        if let Some(meters) = &self.meters {
            thread.stats.record(Arc::clone(meters));
        }
        let counted = config.perf_level > 1;
        if counted {
            thread.session.set_perf_level(config.perf_level)?;
        }
        let result = (self.body)(&mut thread);
        thread.stats.stop();
        if counted {
            thread.stats.perf = thread.session.perf_report();
        }
        presence.succeeded = result.is_ok();
        result.map(|()| thread.stats)
    }
}
