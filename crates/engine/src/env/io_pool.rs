//! Threads that read files, so that a reader can wait for several reads at once, or need not wait at all.
//!
//! The process has one pool, since the reads of all its databases compete for the same devices. A thread starts when
//! there is a read and no idle thread, up to a limit, and ends when it was idle for a while. A read that no thread has
//! begun when its result is needed is cancelled, and the reader does it itself; so nothing depends on the threads.

use super::ahead::{Ahead, Job};
use super::sync::{Condvar, Mutex};
use super::threads;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// The maximum number of threads: enough to keep a fast device busy.
const THREADS_MAX: usize = 16;
/// With this many reads queued, the threads are behind, and readers read for themselves.
const QUEUED_MAX: usize = 16 * THREADS_MAX;
/// The time after which an idle thread ends.
const IDLE_MAX: Duration = Duration::from_secs(2);

struct Queue {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
}

static QUEUE: Mutex<Queue> = Mutex::new(Queue { jobs: VecDeque::new(), threads: 0, idle: 0 });
static ADDED: Condvar = Condvar::new();

/// Starts a job that returns its result, or `None` if it fails. There is no result either if too many jobs are queued.
pub fn start<T: Send + 'static>(job: impl FnOnce() -> Option<T> + Send + 'static) -> Ahead<T> {
    let (result, job) = Ahead::prepare(job);
    let mut queue = QUEUE.lock();
    if queue.jobs.len() >= QUEUED_MAX {
        drop(queue);
        drop(job);
        return result;
    }
    queue.jobs.push_back(job);
    if queue.jobs.len() > queue.idle && queue.threads < THREADS_MAX {
        queue.threads += 1;
        drop(queue);
        // If the system refuses the thread, others do the job, or its owner does.
        if threads::spawn("ferro-read", work).is_err() {
            QUEUE.lock().threads -= 1;
        }
    } else {
        drop(queue);
        ADDED.notify_one();
    }
    result
}

/// Runs jobs until there was none for a while.
fn work() {
    let mut queue = QUEUE.lock();
    loop {
        if let Some(job) = queue.jobs.pop_front() {
            drop(queue);
            // Nobody needs the result of a job that panicked; the message was printed.
            let _ = catch_unwind(AssertUnwindSafe(job));
            queue = QUEUE.lock();
            continue;
        }
        queue.idle += 1;
        let timed_out = ADDED.wait_for(&mut queue, IDLE_MAX);
        queue.idle -= 1;
        if timed_out && queue.jobs.is_empty() {
            queue.threads -= 1;
            return;
        }
    }
}

#[cfg(test)]
#[path = "io_pool_test.rs"]
mod tests;
