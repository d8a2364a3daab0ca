//! The health of an open database: whether it can be written, the error that stopped writes, and the progress of
//! closing.
//!
//! Writers read one flag. A writer that finds it set gets the reason under the lock, which is an innermost one.

use crate::env::lock_rank::{INNERMOST, RankedMutex};
use crate::env::sync::atomic::{AtomicBool, Ordering};
use crate::error::{Code, Error, Result, Severity};
use std::sync::Arc;

/// The health of one opening of a database.
pub(crate) struct Health {
    /// Set together with `error`. Writers read it without the lock.
    failed: AtomicBool,
    /// Whether `close` has begun. `failed` then stays set.
    refuses_writes: AtomicBool,
    error: RankedMutex<Option<Error>, INNERMOST>,
    /// Whether the database is closing, so that no new operation may begin.
    closing: AtomicBool,
    /// Whether jobs must stop. Set before `closing`, or much earlier when background work is cancelled.
    stopped: Arc<AtomicBool>,
    /// The id of the process that opened the database.
    process: u32,
}

impl Default for Health {
    fn default() -> Health {
        Health {
            failed: AtomicBool::new(false),
            refuses_writes: AtomicBool::new(false),
            error: RankedMutex::new(None),
            closing: AtomicBool::new(false),
            stopped: Arc::default(),
            process: std::process::id(),
        }
    }
}

impl Health {
    /// Returns the error that stopped writes, if any.
    #[inline]
    pub(crate) fn check_writable(&self) -> Result<()> {
        if self.failed.load(Ordering::Acquire) { self.reason() } else { Ok(()) }
    }

    #[cold]
    fn reason(&self) -> Result<()> {
        match &*self.error.lock() {
            Some(error) => Err(error.clone()),
            None if self.refuses_writes.load(Ordering::Acquire) => Err(Error::closed()),
            // Background work recovered after the flag was read and before the lock was taken.
            None => Ok(()),
        }
    }

    /// Returns whether an error has stopped writes.
    #[inline]
    pub(crate) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }

    /// Returns the error that stopped writes.
    pub(crate) fn error(&self) -> Option<Error> {
        self.error.lock().clone()
    }

    /// Returns the error that forbids background work, if any.
    pub(crate) fn check_retry(&self) -> Result<()> {
        match &*self.error.lock() {
            Some(e) if e.severity() > Severity::HardError => Err(e.clone()),
            _ => Ok(()),
        }
    }

    /// Returns whether background work should not be tried for now.
    pub(crate) fn must_not_retry(&self) -> bool {
        self.has_failed() && self.check_retry().is_err()
    }

    /// Stops writes. Of several errors, the most severe is kept.
    pub(crate) fn fail(&self, error: Error) {
        let mut present = self.error.lock();
        if present.as_ref().is_none_or(|old| error.severity() > old.severity()) {
            *present = Some(error);
        }
        self.failed.store(true, Ordering::Release);
    }

    /// Lets writes resume, unless only reopening cures the error. Returns the error that was cleared.
    pub(crate) fn recover(&self) -> Option<Error> {
        let mut present = self.error.lock();
        let gone = present.take_if(|e| e.severity() <= Severity::HardError)?;
        self.failed.store(self.refuses_writes.load(Ordering::Acquire), Ordering::Release);
        Some(gone)
    }

    // ---- closing -----------------------------------------------------------------------------

    /// Refuses writes from now on.
    pub(crate) fn refuse_writes(&self) {
        self.refuses_writes.store(true, Ordering::Release);
        self.failed.store(true, Ordering::Release);
    }

    /// Stops jobs.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
    }

    /// Returns whether background work has ended for good.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }

    /// Returns the flag that jobs check between steps.
    pub(crate) fn stopped(&self) -> &Arc<AtomicBool> {
        &self.stopped
    }

    /// Returns an error if background work has ended for good.
    pub(crate) fn check_running(&self) -> Result<()> {
        if self.is_stopped() {
            return Err(Error::new(
                Code::ShutdownInProgress,
                "background work was cancelled: open the database again",
            ));
        }
        Ok(())
    }

    /// Begins closing. Returns false if closing had already begun.
    pub(crate) fn begin_closing(&self) -> bool {
        self.stop();
        let first = !self.closing.swap(true, Ordering::AcqRel);
        self.failed.store(true, Ordering::Release);
        first
    }

    /// Returns whether closing has begun.
    pub(crate) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// Returns an error if the database is closing. `close` sets the flag and then takes certain locks, so a caller
    /// that holds one of these can rely on the result until it releases the lock.
    pub(crate) fn check_open(&self) -> Result<()> {
        if self.is_closing() { Err(Error::closed()) } else { Ok(()) }
    }

    /// Returns whether this process is a child of the one that opened the database. Threads and files belong to the
    /// parent: closing in the child would truncate files that the parent still uses.
    pub(crate) fn is_of_parent(&self) -> bool {
        self.process != std::process::id()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(severity: Severity) -> Error {
        Error::new(Code::IOError, "x").with_severity(severity)
    }

    #[test]
    fn the_worst_error_stays_and_only_some_are_cured() {
        let health = Health::default();
        assert!(health.check_writable().is_ok() && health.recover().is_none());
        health.fail(error(Severity::HardError));
        health.fail(error(Severity::SoftError));
        assert_eq!(health.error().unwrap().severity(), Severity::HardError);
        assert!(health.check_writable().is_err() && !health.must_not_retry());
        assert!(health.recover().is_some());
        assert!(health.check_writable().is_ok());
        health.fail(error(Severity::FatalError));
        health.fail(error(Severity::HardError));
        assert!(health.recover().is_none() && health.must_not_retry());
        assert_eq!(health.check_writable().unwrap_err().severity(), Severity::FatalError);
    }

    #[test]
    fn a_cure_while_closing_lets_no_write_in() {
        let health = Health::default();
        health.fail(error(Severity::HardError));
        health.refuse_writes();
        assert!(health.recover().is_some());
        let refused = health.check_writable().unwrap_err();
        assert_eq!(refused.code(), Code::ShutdownInProgress);
        assert!(health.begin_closing() && !health.begin_closing());
        assert!(health.check_open().is_err() && health.check_running().is_err());
    }
}
