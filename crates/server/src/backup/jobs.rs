//! The work on backups in a running server: one job at a time, on a thread of its own, and listings beside it.

use super::{BackupProgress, Place, Vault};
use crate::error::{Error, Result};
use parking_lot::Mutex;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak, mpsc};
use std::thread::JoinHandle;
use std::time::Instant;
use tracing::{error, info, warn};

/// What a job does.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// Creates a backup.
    Create,
    /// Verifies a backup.
    Verify,
    /// Deletes a backup.
    Delete,
}

impl Kind {
    /// Returns the name in INFO.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Create => "create",
            Kind::Verify => "verify",
            Kind::Delete => "delete",
        }
    }
}

/// Opens the place of a job. Opening ends early if the progress is stopped.
pub type Open = Box<dyn FnOnce(&Arc<BackupProgress>) -> Result<Vault> + Send>;
/// Does the work of a job.
pub type Work = Box<dyn FnOnce(&mut Vault, &Arc<BackupProgress>) -> Result<Finished> + Send>;

/// The work of a job that succeeded.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Finished {
    /// The number of the backup.
    pub id: u32,
    /// What failed beside the work itself, such as deleting older backups.
    pub warning: Option<String>,
}

impl From<u32> for Finished {
    fn from(id: u32) -> Finished {
        Finished { id, warning: None }
    }
}

/// A job before it starts.
pub struct Job {
    /// What it does.
    pub kind: Kind,
    /// Where the backups are.
    pub place: Place,
    /// The time, in seconds since 1970.
    pub now_s: u64,
    /// Opens the place.
    pub open: Open,
    /// Does the work.
    pub work: Work,
}

/// A job that runs.
#[derive(Clone, Debug)]
pub struct Running {
    /// Counts the jobs of this process, from 1 on.
    pub number: u64,
    /// What it does.
    pub kind: Kind,
    /// Where the backups are.
    pub place: Place,
    /// How far it is.
    pub progress: Arc<BackupProgress>,
    /// When it began, in seconds since 1970.
    pub began_s: u64,
    began: Instant,
}

impl Running {
    /// Returns for how long it has run, in seconds.
    pub fn seconds(&self) -> u64 {
        self.began.elapsed().as_secs()
    }
}

/// How a job ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The number of the job.
    pub number: u64,
    /// What it did.
    pub kind: Kind,
    /// Where the backups are.
    pub place: Place,
    /// The backup, or the error.
    pub result: std::result::Result<Finished, String>,
    /// When it ended, in seconds since 1970.
    pub ended_s: u64,
    /// How long it took, in seconds.
    pub seconds: u64,
    /// The bytes that it copied or verified, with the reused ones.
    pub bytes: u64,
    /// The bytes that a backup which did not finish had copied.
    pub reused: u64,
}

#[derive(Default)]
struct State {
    running: Option<Running>,
    last: Option<Outcome>,
    /// When a backup was created last, in seconds since 1970.
    created_s: Option<u64>,
    thread: Option<JoinHandle<()>>,
    /// What stops the listings that run, and some that have ended.
    listings: Vec<Weak<BackupProgress>>,
    is_closed: bool,
    /// How many jobs there were.
    count: u64,
}

/// The jobs of a server.
#[derive(Clone, Default)]
pub struct Jobs(Arc<Mutex<State>>);

fn stopping() -> Error {
    Error::Setting("the server stops".to_owned())
}

/// Does a step of a job. A panic, whose text is in the log, is an error of the job, which would otherwise seem to run
/// for ever.
fn caught<T>(step: impl FnOnce() -> Result<T>) -> Result<T> {
    let result = catch_unwind(AssertUnwindSafe(step));
    result.unwrap_or_else(|_| Err(Error::corrupt("the job panicked")))
}

impl State {
    /// Makes a job the one that runs.
    fn claim(&mut self, job: &Job) -> Result<Running> {
        if self.is_closed {
            return Err(stopping());
        }
        if let Some(running) = &self.running {
            let (kind, place) = (running.kind.name(), &running.place);
            return Err(Error::Setting(format!(
                "a job runs ({kind} in {place}): wait for its end, or stop it with FERROLITH BACKUP-STOP"
            )));
        }
        self.count += 1;
        let running = Running {
            number: self.count,
            kind: job.kind,
            place: job.place.clone(),
            progress: Arc::default(),
            began_s: job.now_s,
            began: Instant::now(),
        };
        self.running = Some(running.clone());
        Ok(running)
    }

    /// Stops the job and the listings that run, and returns whether there is one.
    fn stop(&mut self) -> bool {
        let listings = self.listings.drain(..).filter_map(|listing| listing.upgrade());
        let job = self.running.iter().map(|running| running.progress.clone());
        let all: Vec<_> = listings.chain(job).collect();
        all.iter().for_each(|progress| progress.stop());
        !all.is_empty()
    }
}

impl Jobs {
    /// Starts a job, and returns its number. Its place is opened before this function returns, so that a wrong one
    /// is an error here. That may take long, if there are many backups; INFO shows the job meanwhile.
    ///
    /// # Errors
    ///
    /// Another job runs, the server stops, or the place cannot be opened.
    pub fn start(&self, job: Job) -> Result<u64> {
        let (opened, is_open) = mpsc::channel();
        let number = {
            let mut state = self.0.lock();
            let running = state.claim(&job)?;
            let (number, jobs) = (running.number, self.clone());
            let (kind, place) = (job.kind.name(), &job.place);
            info!(target: "ferrolith::backup", kind, %place, job = number, "started");
            let thread = std::thread::Builder::new().name("backup".to_owned());
            match thread.spawn(move || jobs.run(job, &running, &opened)) {
                Ok(thread) => state.thread = Some(thread),
                Err(error) => {
                    state.running = None;
                    return Err(Error::Io("starting a thread".to_owned(), error));
                }
            }
            number
        };
        // Without the lock: it may take long, and INFO needs the lock.
        let panicked = |_| Err(Error::corrupt("the job panicked"));
        is_open.recv().unwrap_or_else(panicked)?;
        Ok(number)
    }

    /// Opens the place, tells whether that succeeded, and does the work.
    fn run(&self, job: Job, running: &Running, opened: &mpsc::Sender<Result<()>>) {
        let progress = &running.progress;
        let mut vault = match caught(|| (job.open)(progress)) {
            Ok(vault) => vault,
            Err(error) => {
                log_failure(running, &error);
                self.0.lock().running = None;
                _ = opened.send(Err(error));
                return;
            }
        };
        _ = opened.send(Ok(()));
        let result = caught(|| (job.work)(&mut vault, progress));
        // The place is free before anybody sees the end.
        drop(vault);
        self.end(result);
    }

    fn end(&self, result: Result<Finished>) {
        let mut state = self.0.lock();
        let Some(running) = state.running.take() else { return };
        let seconds = running.seconds();
        let ended_s = running.began_s + seconds;
        match &result {
            Ok(finished) => log_success(&running, finished),
            Err(error) => log_failure(&running, error),
        }
        if result.is_ok() && running.kind == Kind::Create {
            state.created_s = Some(ended_s);
        }
        state.last = Some(Outcome {
            number: running.number,
            kind: running.kind,
            place: running.place,
            result: result.map_err(|error| error.to_string()),
            ended_s,
            seconds,
            bytes: running.progress.copied_bytes(),
            reused: running.progress.reused_bytes(),
        });
    }

    /// Returns the job that runs, if one does.
    pub fn running(&self) -> Option<Running> {
        self.0.lock().running.clone()
    }

    /// Returns how the last job ended.
    pub fn last(&self) -> Option<Outcome> {
        self.0.lock().last.clone()
    }

    /// Returns when this process created a backup last, in seconds since 1970.
    pub fn created_s(&self) -> Option<u64> {
        self.0.lock().created_s
    }

    /// Returns what stops a listing of backups, for as long as the caller keeps it.
    ///
    /// # Errors
    ///
    /// The server stops.
    pub fn listing(&self) -> Result<Arc<BackupProgress>> {
        let mut state = self.0.lock();
        if state.is_closed {
            return Err(stopping());
        }
        let listing = Arc::<BackupProgress>::default();
        state.listings.retain(|it| it.strong_count() > 0);
        state.listings.push(Arc::downgrade(&listing));
        Ok(listing)
    }

    /// Makes the running job and listings end soon, and returns whether there is one.
    pub fn stop(&self) -> bool {
        self.0.lock().stop()
    }

    /// Stops the running job, waits for its end, and refuses further ones.
    pub fn close(&self) {
        let thread = {
            let mut state = self.0.lock();
            state.is_closed = true;
            state.stop();
            state.thread.take()
        };
        if let Some(thread) = thread {
            // A panic was printed when it happened.
            _ = thread.join();
        }
    }
}

fn log_success(running: &Running, finished: &Finished) {
    let (kind, place, job) = (running.kind.name(), &running.place, running.number);
    if let Some(warning) = &finished.warning {
        warn!(target: "ferrolith::backup", kind, %place, job, "{warning}");
    }
    let (bytes, reused_bytes) = (running.progress.copied_bytes(), running.progress.reused_bytes());
    let (backup, seconds) = (finished.id, running.seconds());
    info!(
        target: "ferrolith::backup",
        kind, %place, job, backup, bytes, reused_bytes, seconds, "done"
    );
}

/// A stopped job is no failure.
fn log_failure(running: &Running, error: &Error) {
    let (kind, place, job) = (running.kind.name(), &running.place, running.number);
    let (bytes, seconds) = (running.progress.copied_bytes(), running.seconds());
    match running.progress.is_stopped() {
        true => info!(
            target: "ferrolith::backup",
            kind, %place, job, bytes, seconds, %error, "stopped"
        ),
        false => error!(
            target: "ferrolith::backup",
            kind, %place, job, bytes, seconds, %error, "failed"
        ),
    }
}

#[cfg(test)]
#[path = "jobs_test.rs"]
mod tests;
