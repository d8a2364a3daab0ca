//! Whether a database may be written: the error that stopped writes, and how far closing has come.
//!
//! Writers look at one flag. Whoever finds it set asks for the reason under the lock, which is an innermost one.

use crate::env::lock_rank::{INNERMOST, RankedMutex};
use crate::env::sync::atomic::{AtomicBool, Ordering};
use crate::error::{Code, Error, Result, Severity};
use std::sync::Arc;

/// The state of health of one opening.
pub(crate) struct Health {
    /// Set with `error`: writers look at it without the lock.
    failed: AtomicBool,
    /// `close` has begun: `failed` stays set.
    refuses_writes: AtomicBool,
    error: RankedMutex<Option<Error>, INNERMOST>,
    /// Nothing new begins.
    closing: AtomicBool,
    /// Jobs stop. Set before `closing`, or long before it by who cancels background work.
    stopped: Arc<AtomicBool>,
    /// The process that opened the database.
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
    /// The error that stopped writes, if one did.
    #[inline]
    pub(crate) fn check_writable(&self) -> Result<()> {
        if self.failed.load(Ordering::Acquire) { self.reason() } else { Ok(()) }
    }

    #[cold]
    fn reason(&self) -> Result<()> {
        match &*self.error.lock() {
            Some(error) => Err(error.clone()),
            None if self.refuses_writes.load(Ordering::Acquire) => Err(Error::closed()),
            // Background work recovered between our look at the flag and the lock.
            None => Ok(()),
        }
    }

    /// Whether something has stopped writes.
    #[inline]
    pub(crate) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }

    /// The error that stopped writes.
    pub(crate) fn error(&self) -> Option<Error> {
        self.error.lock().clone()
    }

    /// The error that forbids background work, if there is one.
    pub(crate) fn check_retry(&self) -> Result<()> {
        match &*self.error.lock() {
            Some(e) if e.severity() > Severity::HardError => Err(e.clone()),
            _ => Ok(()),
        }
    }

    /// Whether background work should not be tried for now.
    pub(crate) fn must_not_retry(&self) -> bool {
        self.has_failed() && self.check_retry().is_err()
    }

    /// Stops writes. Of several errors the worst stays.
    pub(crate) fn fail(&self, error: Error) {
        let mut present = self.error.lock();
        if present.as_ref().is_none_or(|old| error.severity() > old.severity()) {
            *present = Some(error);
        }
        self.failed.store(true, Ordering::Release);
    }

    /// Lets writes go on, unless the error is one that only opening again cures. Returns the error that is gone.
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

    /// Stops jobs; whether they were running until now.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
    }

    /// Whether background work has ended for good.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }

    /// What jobs look at between two steps.
    pub(crate) fn stopped(&self) -> &Arc<AtomicBool> {
        &self.stopped
    }

    /// An error where nobody works in the background any more.
    pub(crate) fn check_running(&self) -> Result<()> {
        if self.is_stopped() {
            return Err(Error::new(
                Code::ShutdownInProgress,
                "background work was cancelled: open the database again",
            ));
        }
        Ok(())
    }

    /// Begins closing. False if somebody has begun already.
    pub(crate) fn begin_closing(&self) -> bool {
        self.stop();
        let first = !self.closing.swap(true, Ordering::AcqRel);
        self.failed.store(true, Ordering::Release);
        first
    }

    /// Whether closing has begun.
    pub(crate) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// An error once the database is being closed. Who asks under a lock that `close` takes after it has
    /// said so can rely on the answer for as long as the lock is held.
    pub(crate) fn check_open(&self) -> Result<()> {
        if self.is_closing() { Err(Error::closed()) } else { Ok(()) }
    }

    /// Whether this is a child of the process that opened the database. The threads are the parent's, and so
    /// are the files: what the child closed would be cut off under the parent's hands.
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
