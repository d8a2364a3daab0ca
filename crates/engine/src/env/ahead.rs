//! The helper thread: work that is done ahead of the threads that serve users.
//!
//! The kernel provides fresh pages one by one, at up to a microsecond each. A writer that needs the next megabyte of
//! its log would wait for all of them at once, and of small writes one in a thousand would be that writer. So the next
//! piece of memory or of a file is prepared on another thread while the current one is still in use.
//!
//! There is one such thread per process. It starts with the first [`Helper`] and ends with the last one, and runs jobs
//! in order. A job is never needed: if the system refuses the thread, or the job is late, the caller does without its
//! result.

use super::sync::{Condvar, Mutex};
use super::threads::{self, JoinHandle};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};

/// Work for another thread.
pub type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    closed: bool,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
}

/// The right to have jobs run on the helper thread.
pub struct Helper {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

static CURRENT: Mutex<Weak<Helper>> = Mutex::new(Weak::new());

impl Helper {
    /// Returns the process's helper, which is started if necessary. `None` if the system refuses the thread.
    pub fn get() -> Option<Arc<Helper>> {
        let mut current = CURRENT.lock();
        if let Some(helper) = current.upgrade() {
            return Some(helper);
        }
        let shared = Arc::new(Shared::default());
        let of_thread = Arc::clone(&shared);
        let thread = threads::spawn("ferro-ahead", move || of_thread.run()).ok()?;
        let helper = Arc::new(Helper { shared, thread: Some(thread) });
        *current = Arc::downgrade(&helper);
        Some(helper)
    }

    /// Runs a job soon. Jobs that have not begun when the last `Helper` is dropped are dropped.
    pub fn run(&self, job: impl FnOnce() + Send + 'static) {
        self.shared.queue.lock().jobs.push_back(Box::new(job));
        self.shared.changed.notify_all();
    }
}

impl Shared {
    fn run(&self) {
        let mut queue = self.queue.lock();
        while !queue.closed {
            let Some(job) = queue.jobs.pop_front() else {
                self.changed.wait(&mut queue);
                continue;
            };
            drop(queue);
            // Nobody needs the result of a job that panicked; the message was printed.
            let _ = catch_unwind(AssertUnwindSafe(job));
            // A thread that serves users may wait for this processor, and a job can take milliseconds.
            threads::yield_now();
            queue = self.queue.lock();
        }
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        let mut queue = self.shared.queue.lock();
        queue.closed = true;
        let unused = std::mem::take(&mut queue.jobs);
        drop(queue);
        drop(unused);
        self.shared.changed.notify_all();
        // A job may own the last reference.
        if let Some(thread) = self.thread.take()
            && thread.thread().id() != threads::id()
        {
            let _ = thread.join();
        }
    }
}

/// The state of a result.
enum Progress<T> {
    /// The job has not begun.
    Queued,
    Running,
    /// The job has ended, or will never run.
    Ended(Option<T>),
}

struct Cell<T> {
    progress: Mutex<Progress<T>>,
    ended: Condvar,
}

impl<T> Cell<T> {
    fn end(&self, result: Option<T>) {
        *self.progress.lock() = Progress::Ended(result);
        self.ended.notify_all();
    }
}

/// Ends the cell on drop, also if the job panics or is never run.
struct EndOnDrop<T>(Arc<Cell<T>>);

impl<T> Drop for EndOnDrop<T> {
    fn drop(&mut self) {
        if !matches!(*self.0.progress.lock(), Progress::Ended(_)) {
            self.0.end(None);
        }
    }
}

/// A result that the helper thread is preparing. Dropping it cancels a job that has not begun.
pub struct Ahead<T>(Arc<Cell<T>>);

impl<T: Send + 'static> Ahead<T> {
    /// Starts a job that returns the result, or `None` if it fails.
    pub fn start(helper: &Helper, job: impl FnOnce() -> Option<T> + Send + 'static) -> Ahead<T> {
        let (result, job) = Ahead::prepare(job);
        helper.run(job);
        result
    }

    /// Returns the future result of a job, and the job. If that is dropped instead of run, there is no result.
    pub fn prepare(job: impl FnOnce() -> Option<T> + Send + 'static) -> (Ahead<T>, Job) {
        let cell = Arc::new(Cell { progress: Mutex::new(Progress::Queued), ended: Condvar::new() });
        let ending = EndOnDrop(Arc::clone(&cell));
        let run = move || {
            let mut progress = ending.0.progress.lock();
            if let Progress::Queued = *progress {
                *progress = Progress::Running;
                drop(progress);
                ending.0.end(job());
            }
        };
        (Ahead(cell), Box::new(run))
    }

    /// Returns whether the job has ended.
    pub fn is_ready(&self) -> bool {
        matches!(*self.0.progress.lock(), Progress::Ended(_))
    }

    /// Returns the result if there is one. A job that has not begun is cancelled, and a running one is waited for.
    pub fn finish(self) -> Option<T> {
        let mut progress = self.0.progress.lock();
        loop {
            match &mut *progress {
                Progress::Queued => {
                    *progress = Progress::Ended(None);
                    return None;
                }
                Progress::Running => self.0.ended.wait(&mut progress),
                Progress::Ended(result) => return result.take(),
            }
        }
    }
}

impl<T> Drop for Ahead<T> {
    fn drop(&mut self) {
        let mut progress = self.0.progress.lock();
        if let Progress::Queued = *progress {
            *progress = Progress::Ended(None);
        }
    }
}

#[cfg(test)]
#[path = "ahead_test.rs"]
mod tests;
