//! WAL renewal after a failure: the background's part of the steps in `commit/wal_failure.rs`, and waiting for them.

use super::flush::Flusher;
use crate::catalog::{Renewal, State, WalHealth};
use crate::env::clock::Instant;
use crate::error::{Error, Result};

impl Flusher {
    /// Returns whether a flush thread should begin a new WAL.
    pub(crate) fn wants_new_wal(&self, state: &State) -> bool {
        state.wals.health() == WalHealth::Lost
            && !self.pauses.all()
            && !self.session.health.must_not_retry()
            && state.running.retries.flushes.is_due(Instant::now())
    }

    /// Begins a new WAL if the live one failed.
    pub(crate) fn renew_in_background(&self, attempt: Renewal) {
        let renewed = self.commit.seal_if_lost();
        self.reporter.deliver();
        if let Err(e) = renewed {
            self.session.info_log.error(format_args!("cannot create a new WAL: {e}"));
            self.renewal_failed(attempt);
        }
    }

    /// Notes a failed attempt at renewal; there will be another one, at once if a thread waits for it.
    pub(crate) fn renewal_failed(&self, attempt: Renewal) {
        let mut state = self.catalog.state();
        state.wals.renewal_failed(attempt);
        state.running.retries.flushes.failed(Instant::now());
        if state.wals.has_wait_since(attempt) {
            state.running.retries.flushes.try_now();
            self.catalog.notify_jobs();
        }
        drop(state);
        self.catalog.notify_waiters();
    }

    /// Notes that everything in memory is in tables.
    pub(crate) fn wal_is_whole(&self) {
        let mut state = self.catalog.state();
        if state.wals.health() != WalHealth::Renewed {
            return;
        }
        state.wals.set_health(WalHealth::Whole);
        drop(state);
        self.commit.settle();
    }

    /// Waits until the WAL is whole. Returns an error if the next attempt at renewal fails; one that is running already
    /// may fail for a cause that is gone.
    pub(crate) fn wait_for_wal(&self) -> Result<()> {
        let mut state = self.catalog.state();
        let wait = state.wals.begin_wait();
        state.running.retries.try_now();
        self.catalog.notify_jobs();
        while state.wals.health() != WalHealth::Whole {
            let hopeless = state.wals.has_failed_since(wait)
                || self.session.health.must_not_retry()
                || self.pauses.all()
                || self.session.health.is_stopped();
            if hopeless {
                let error = self.session.health.error();
                return Err(error.unwrap_or_else(|| Error::corruption("the WAL failed")));
            }
            self.catalog.wait_for_progress(&mut state);
        }
        Ok(())
    }
}
