//! The work on backups in a running server: one job at a time, on a thread of its own.

use super::{BackupProgress, Place, Vault};
use crate::error::{Error, Result};
use parking_lot::Mutex;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
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

/// Opens the place of a job.
pub type Open = Box<dyn FnOnce() -> Result<Vault> + Send>;
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
    is_closed: bool,
    /// How many jobs there were.
    count: u64,
}

/// The jobs of a server.
#[derive(Clone, Default)]
pub struct Jobs(Arc<Mutex<State>>);

/// The place of the job that runs. Dropping it makes room for others, unless the job has started.
struct Claim {
    jobs: Jobs,
    number: u64,
    progress: Arc<BackupProgress>,
    has_started: bool,
}

impl Drop for Claim {
    fn drop(&mut self) {
        if !self.has_started {
            self.jobs.0.lock().running = None;
        }
    }
}

fn stopping() -> Error {
    Error::Setting("the server stops".to_owned())
}

impl Jobs {
    /// Starts a job, and returns its number. Its place is opened before this function returns, so that a wrong one
    /// is an error here. That may take long, if there are many backups; INFO shows the job meanwhile.
    ///
    /// # Errors
    ///
    /// Another job runs, the server stops, or the place cannot be opened.
    pub fn start(&self, job: Job) -> Result<u64> {
        let mut claim = self.claim(job.kind, job.place, job.now_s)?;
        // Without the lock: it may take long, and INFO needs the lock.
        let mut vault = (job.open)()?;
        let (jobs, progress) = (self.clone(), claim.progress.clone());
        let run = move || {
            let work = || (job.work)(&mut vault, &progress);
            let result = catch_unwind(AssertUnwindSafe(work));
            // The panic was printed when it happened. Without this, the job would seem to run for ever.
            let result = result.unwrap_or_else(|_| Err(Error::corrupt("the job panicked")));
            // The place is free before anybody sees the end.
            drop(vault);
            jobs.end(result);
        };
        // It is unlocked before the claim is dropped.
        let mut state = self.0.lock();
        if state.is_closed {
            return Err(stopping());
        }
        let thread = std::thread::Builder::new().name("backup".to_owned()).spawn(run);
        let thread = thread.map_err(|error| Error::Io("starting a thread".to_owned(), error))?;
        state.thread = Some(thread);
        claim.has_started = true;
        Ok(claim.number)
    }

    /// Makes a job the one that runs.
    fn claim(&self, kind: Kind, place: Place, now_s: u64) -> Result<Claim> {
        let mut state = self.0.lock();
        if state.is_closed {
            return Err(stopping());
        }
        if let Some(running) = &state.running {
            let (kind, place) = (running.kind.name(), &running.place);
            return Err(Error::Setting(format!(
                "a job runs ({kind} in {place}): wait for its end, or stop it with FERROLITH BACKUP-STOP"
            )));
        }
        state.count += 1;
        let (number, progress) = (state.count, Arc::<BackupProgress>::default());
        info!(target: "ferrolith::backup", kind = kind.name(), %place, "started");
        state.running = Some(Running {
            number,
            kind,
            place,
            progress: progress.clone(),
            began_s: now_s,
            began: Instant::now(),
        });
        Ok(Claim { jobs: self.clone(), number, progress, has_started: false })
    }

    fn end(&self, result: Result<Finished>) {
        let mut state = self.0.lock();
        let Some(running) = state.running.take() else { return };
        let seconds = running.seconds();
        let ended_s = running.began_s + seconds;
        if let Err(error) = &result {
            let (kind, place) = (running.kind.name(), &running.place);
            error!(target: "ferrolith::backup", kind, %place, seconds, %error, "failed");
        } else if running.kind == Kind::Create {
            state.created_s = Some(ended_s);
        }
        if let Ok(Finished { warning: Some(warning), .. }) = &result {
            let (kind, place) = (running.kind.name(), &running.place);
            warn!(target: "ferrolith::backup", kind, %place, "{warning}");
        }
        if let Ok(Finished { id, .. }) = &result {
            let (kind, place) = (running.kind.name(), &running.place);
            info!(target: "ferrolith::backup", kind, %place, backup = id, seconds, "done");
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

    /// Makes the running job end soon, and returns whether there is one.
    pub fn stop(&self) -> bool {
        let state = self.0.lock();
        state.running.iter().for_each(|running| running.progress.stop());
        state.running.is_some()
    }

    /// Stops the running job, waits for its end, and refuses further ones.
    pub fn close(&self) {
        let thread = {
            let mut state = self.0.lock();
            state.is_closed = true;
            state.running.iter().for_each(|running| running.progress.stop());
            state.thread.take()
        };
        if let Some(thread) = thread {
            // A panic was printed when it happened.
            _ = thread.join();
        }
    }
}

#[cfg(test)]
#[path = "jobs_test.rs"]
mod tests;
