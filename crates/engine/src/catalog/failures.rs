//! The response to failures in the background or in the WAL.
//!
//! All these decisions are made here. Reads always continue. A failed flush or MANIFEST write stops writes, because
//! memory would fill up. A compaction that does not fit on the device does not stop writers; they stop when too many
//! files wait for compaction. Any other compaction error stops writes, as a flush error does. After an I/O error the
//! job is retried (`retries.rs`), and writes resume as soon as it succeeds: a full disk needs no restart. A failed WAL
//! is replaced (`commit/wal_failure.rs`). Corruption, and any other error that is not an I/O error, stops writes until
//! the database is reopened.

use super::catalog::Catalog;
use super::wals::WalHealth;
use crate::error::{Code, Error, Result, Severity, SubCode};
use crate::hooks::BackgroundErrorReason;
use crate::report::Event;
use crate::stats::{self, Ticker};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a job that calls user code. A panic in it becomes the job's error, which stops writes. Jobs change shared state
/// only when they install, with the MANIFEST first, so nothing is left half done. Unwinding releases the locks.
pub(crate) fn caught<T>(job: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(job)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(Error::new(Code::Aborted, format!("a job panicked: {}", text.unwrap_or("no text"))))
    })
}

/// Returns whether the error is no failure: the job was cancelled because its result is no longer needed.
pub(crate) fn is_unwanted(error: &Error) -> bool {
    let paused = error.subcode() == SubCode::ManualCompactionPaused;
    paused || matches!(error.code(), Code::ShutdownInProgress | Code::ColumnFamilyDropped)
}

/// Returns the severity of a background error.
fn severity(reason: BackgroundErrorReason, error: &Error) -> Severity {
    match error.code() {
        Code::IOError if reason == BackgroundErrorReason::Compaction && error.is_no_space() => {
            Severity::SoftError
        }
        Code::IOError => Severity::HardError,
        _ => Severity::UnrecoverableError,
    }
}

impl Catalog {
    /// Stops writes because of an error that a retry cannot cure.
    pub(crate) fn fail(&self, error: &Error) {
        self.reporter.queue(|| Event::Failed(BackgroundErrorReason::WriteCallback, error.clone()));
        self.stop_writes(error.clone().with_severity(Severity::FatalError));
    }

    /// Handles the error of a background job.
    pub(crate) fn background_error(&self, reason: BackgroundErrorReason, error: &Error) {
        if is_unwanted(error) {
            return;
        }
        let what = reason.name();
        self.session.info_log.error(format_args!("{what} failed: {error}"));
        let severity = severity(reason, error);
        let error = error.clone().with_severity(severity);
        let retries = severity <= Severity::HardError;
        for (ticker, counts) in [
            (Ticker::ErrorHandlerBgErrorCount, true),
            (Ticker::ErrorHandlerBgIoErrorCount, error.code() == Code::IOError),
            (Ticker::ErrorHandlerBgRetryableIoErrorCount, retries),
            (Ticker::ErrorHandlerAutoresumeCount, retries),
        ] {
            stats::add(&self.session.statistics, ticker, u64::from(counts));
        }
        match self.reporter.ask_about_error(reason, error, retries) {
            Some(error) if error.severity() <= Severity::SoftError => {}
            Some(error) => self.stop_writes(error),
            None => {
                self.session.info_log.info(format_args!("a listener cleared the error of {what}"))
            }
        }
    }

    /// Stops writes until [`Catalog::recovered`], or for good if the error is worse than a hard error.
    pub(crate) fn stop_writes(&self, error: Error) {
        // Take the lock: a thread that checks the error under it and then waits is waiting before the notification.
        let state = self.state.lock();
        self.session.health.fail(error);
        self.controller.set_failed(true);
        drop(state);
        self.notify_waiters();
    }

    /// Notes that a job succeeded that had failed before, so writes may resume.
    pub(crate) fn recovered(&self) {
        if self.files.is_out_of_allowed_space() {
            return;
        }
        let state = self.state.lock();
        if state.wals.health() != WalHealth::Whole {
            return;
        }
        if let Some(old) = self.session.health.recover() {
            self.session
                .info_log
                .info(format_args!("the background error was resolved; writes continue"));
            let resumed = Ticker::ErrorHandlerAutoresumeSuccessCount;
            stats::add(&self.session.statistics, resumed, 1);
            self.reporter.queue(|| Event::Recovered(old));
            self.controller.set_failed(false);
        }
        drop(state);
        self.reporter.deliver();
        self.notify_waiters();
    }

    /// Notes that a compaction succeeded. `ended` is the error of earlier compactions that had found no room; it is
    /// over now. That clears the error of an earlier compaction, but not the error of a flush.
    pub(crate) fn compaction_succeeded(&self, ended: Option<Error>) {
        if let Some(old) = ended {
            self.session.info_log.info(format_args!("compactions have enough disk space again"));
            stats::add(&self.session.statistics, Ticker::ErrorHandlerAutoresumeSuccessCount, 1);
            self.reporter.queue(|| Event::Recovered(old.with_severity(Severity::SoftError)));
            self.reporter.deliver();
        }
        if !self.session.health.has_failed() {
            return;
        }
        let state = self.state.lock();
        let waiting = state.families.values().any(|f| f.seal_wanted || !f.immutables.is_empty());
        drop(state);
        if !waiting {
            self.recovered();
        }
    }
}
