//! The workers that run commands for the browser of keys.

use super::refusal::Refusal;
use crate::redis::{Server, Worker};
use parking_lot::{Condvar, Mutex};
use std::time::{Duration, Instant};

/// The commands that run at once. One that waits for a latch holds up no other key.
const WORKERS: usize = 4;
/// How long a request waits for a worker.
const PATIENCE: Duration = Duration::from_secs(1);

/// Workers that are idle.
pub(super) struct Pool {
    idle: Mutex<Vec<Worker>>,
    returned: Condvar,
}

impl Pool {
    /// Returns workers that finish long commands by themselves, since nothing else waits for their threads.
    pub(super) fn new(server: &Server) -> Pool {
        let idle = (0..WORKERS).map(|_| server.detached_worker()).collect();
        Pool { idle: Mutex::new(idle), returned: Condvar::new() }
    }

    /// Calls `run` with a worker.
    ///
    /// # Errors
    ///
    /// All are busy for a second.
    pub(super) fn with<R>(&self, run: impl FnOnce(&mut Worker) -> R) -> Result<R, Refusal> {
        let end = Instant::now() + PATIENCE;
        let mut idle = self.idle.lock();
        let worker = loop {
            if let Some(worker) = idle.pop() {
                break worker;
            }
            if self.returned.wait_until(&mut idle, end).timed_out() {
                let text = "all threads that read keys are busy or wait for keys; try again later";
                return Err(Refusal::busy(text));
            }
        };
        drop(idle);
        let mut lease = Lease { pool: self, worker: Some(worker) };
        // It is there until the lease ends.
        lease.worker.as_mut().map(run).ok_or_else(|| Refusal::failed("there is no worker"))
    }
}

/// A worker that returns to its pool, also after a panic.
struct Lease<'p> {
    pool: &'p Pool,
    worker: Option<Worker>,
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        self.pool.idle.lock().extend(self.worker.take());
        self.pool.returned.notify_one();
    }
}
