//! What happens after a failure in the background or in the WAL.
//!
//! One place decides. Reads always go on. A failed flush or MANIFEST write stops writes, since
//! memory would fill. A compaction for which the device has no room stops nobody: writers stop when too many
//! files wait for it. Any other error of a compaction stops writes as a flush's does. After an I/O error all are
//! tried again (`retries.rs`), and writes go on as soon as they succeed: a full disk needs no restart. A WAL that
//! failed is replaced (`commit/wal_failure.rs`). Corruption, and any other error that is not an I/O error, stops writes
//! until the database is opened again.

use super::catalog::Catalog;
use super::wals::WalHealth;
use crate::error::{Code, Error, Result, Severity, SubCode};
use crate::hooks::BackgroundErrorReason;
use crate::report::Event;
use crate::stats::{self, Ticker};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a job that calls code of the user's: a panic there is the job's error, which stops writes.
/// Jobs change what others see only when they install, MANIFEST first, so nothing is left half done;
/// locks are let go on the way.
pub(crate) fn caught<T>(job: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(job)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(Error::new(Code::Aborted, format!("a job panicked: {}", text.unwrap_or("no text"))))
    })
}

/// Whether this is no failure: the job's result is not wanted any more.
pub(crate) fn is_unwanted(error: &Error) -> bool {
    let paused = error.subcode() == SubCode::ManualCompactionPaused;
    paused || matches!(error.code(), Code::ShutdownInProgress | Code::ColumnFamilyDropped)
}

/// How bad an error in the background is.
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
    /// Stops writes because of an error that retrying does not cure.
    pub(crate) fn fail(&self, error: &Error) {
        self.reporter.queue(|| Event::Failed(BackgroundErrorReason::WriteCallback, error.clone()));
        self.stop_writes(error.clone().with_severity(Severity::FatalError));
    }

    /// Takes the error of a background job.
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

    /// Stops writes until [`Catalog::recovered`], or for good if the error is worse than a hard one.
    pub(crate) fn stop_writes(&self, error: Error) {
        // Under the lock: who looks at the error and then waits is waiting when it is woken.
        let state = self.state.lock();
        self.session.health.fail(error);
        self.controller.set_failed(true);
        drop(state);
        self.notify_waiters();
    }

    /// A job that had failed succeeded: writes may go on.
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

    /// A compaction succeeded, and with it those that had found no room with the error `ended`. That
    /// cures the error of an earlier one, but not that of a flush.
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
