//! What happens after a failure in the background or in the WAL.
//!
//! One place decides. Reads always go on. A failed flush or MANIFEST write stops writes, since
//! memory would fill. A compaction for which the device has no room stops nobody: writers stop when too many
//! files wait for it. Any other error of a compaction stops writes as a flush's does. After an I/O error all are
//! tried again (`retries.rs`), and writes go on as soon as they succeed: a full disk needs no restart. A WAL that
//! failed is replaced (`wal_renewal.rs`). Corruption, and any other error that is not an I/O error, stops writes
//! until the database is opened again.

use super::events::Event;
use super::state::DbInner;
use super::wal_renewal::WalHealth;
use crate::env::sync::atomic::Ordering;
use crate::error::{Code, Error, Result, Severity, SubCode};
use crate::hooks::{BackgroundErrorReason, FlushReason};
use crate::stats::{self, Ticker};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a job that calls code of the user's: a panic there is the job's error, which stops writes.
/// Jobs change what others see only when they install, MANIFEST first, so nothing is left half done;
/// locks are let go on the way.
pub(super) fn caught<T>(job: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(job)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(Error::new(Code::Aborted, format!("a job panicked: {}", text.unwrap_or("no text"))))
    })
}

/// Whether this is no failure: the job's result is not wanted any more.
pub(super) fn is_unwanted(error: &Error) -> bool {
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

impl DbInner {
    /// An error once the database is closing. Who asks under a lock that `close` takes after it has
    /// said so can rely on the answer for as long as the lock is held.
    pub(crate) fn check_open(&self) -> Result<()> {
        if self.is_closing() {
            return Err(Error::new(Code::ShutdownInProgress, "the database is closing"));
        }
        Ok(())
    }

    /// Stops writes because of an error that retrying does not cure.
    pub(crate) fn fail(&self, error: &Error) {
        self.queue_event(|| Event::Failed(BackgroundErrorReason::WriteCallback, error.clone()));
        self.stop_writes(error.clone().with_severity(Severity::FatalError));
    }

    /// Takes the error of a background job.
    pub(crate) fn background_error(&self, reason: BackgroundErrorReason, error: &Error) {
        if is_unwanted(error) {
            return;
        }
        let what = reason.name();
        self.info_log.error(format_args!("{what} failed: {error}"));
        let severity = severity(reason, error);
        let error = error.clone().with_severity(severity);
        let retries = severity <= Severity::HardError;
        for (ticker, counts) in [
            (Ticker::ErrorHandlerBgErrorCount, true),
            (Ticker::ErrorHandlerBgIoErrorCount, error.code() == Code::IOError),
            (Ticker::ErrorHandlerBgRetryableIoErrorCount, retries),
            (Ticker::ErrorHandlerAutoresumeCount, retries),
        ] {
            stats::add(&self.statistics, ticker, u64::from(counts));
        }
        match self.ask_about_error(reason, error, retries) {
            Some(error) if error.severity() <= Severity::SoftError => {}
            Some(error) => self.stop_writes(error),
            None => self.info_log.info(format_args!("a listener cleared the error of {what}")),
        }
    }

    pub(super) fn stop_writes(&self, error: Error) {
        let mut state = self.state.lock();
        let worse = state.error.as_ref().is_none_or(|old| error.severity() > old.severity());
        if worse {
            state.error = Some(error);
        }
        self.failed.store(true, Ordering::Release);
        self.controller.set_failed(true);
        drop(state);
        self.progress.notify_all();
    }

    /// A job that had failed succeeded: writes may go on.
    pub(crate) fn recovered(&self) {
        if self.is_out_of_allowed_space() {
            return;
        }
        let mut state = self.state.lock();
        if state.wal_health != WalHealth::Whole {
            return;
        }
        if state.error.as_ref().is_some_and(|e| e.severity() <= Severity::HardError) {
            self.info_log.info(format_args!("the background error was resolved; writes continue"));
            stats::add(&self.statistics, Ticker::ErrorHandlerAutoresumeSuccessCount, 1);
            if let Some(old) = state.error.take() {
                self.queue_event(|| Event::Recovered(old));
            }
            self.failed.store(self.refuses_writes.load(Ordering::Acquire), Ordering::Release);
            self.controller.set_failed(false);
        }
        drop(state);
        self.deliver_events();
        self.progress.notify_all();
    }

    /// A compaction succeeded, and with it those that had found no room with the error `ended`. That
    /// cures the error of an earlier one, but not that of a flush.
    pub(crate) fn compaction_succeeded(&self, ended: Option<Error>) {
        if let Some(old) = ended {
            self.info_log.info(format_args!("compactions have enough disk space again"));
            stats::add(&self.statistics, Ticker::ErrorHandlerAutoresumeSuccessCount, 1);
            self.queue_event(|| Event::Recovered(old.with_severity(Severity::SoftError)));
            self.deliver_events();
        }
        if !self.failed.load(Ordering::Acquire) {
            return;
        }
        let state = self.state.lock();
        let waiting = state.families.values().any(|f| f.switch_wanted || !f.immutables.is_empty());
        drop(state);
        if !waiting {
            self.recovered();
        }
    }

    /// The error that forbids background work, if there is one.
    pub(crate) fn check_retry(&self) -> Result<()> {
        let state = self.state.lock();
        match &state.error {
            Some(e) if DbInner::must_not_retry(&state.error) => Err(e.clone()),
            _ => Ok(()),
        }
    }

    /// Whether background work should not be tried for now.
    pub(crate) fn must_not_retry(error: &Option<Error>) -> bool {
        error.as_ref().is_some_and(|e| e.severity() > Severity::HardError)
    }

    /// Tries again what failed in the background; the error that is left, if one is.
    pub(crate) fn resume(&self) -> Result<()> {
        let mut state = self.state.lock();
        state.retries.try_now();
        self.work.notify_all();
        match &state.error {
            Some(e) if e.severity() > Severity::HardError => return Err(e.clone()),
            // Nothing failed but the user's limit, so there is nothing to try first.
            Some(e) if e.subcode() == SubCode::SpaceLimit => {
                drop(state);
                self.recovered();
            }
            _ => drop(state),
        }
        self.wait_for_wal()?;
        let options = crate::options::FlushOptions::default();
        self.flush_with_others(&self.default_family, &options, FlushReason::ErrorRecovery)?;
        self.recovered();
        Ok(())
    }
}
