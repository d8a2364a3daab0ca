//! The lookup of one key, from the newest place to the oldest. Every lookup of a single key runs this code.

use super::modes::{charged, check_timestamps};
use super::observe::{Observe, Phase, Unobserved};
use super::{Host, read_sequence, skips_memtables};
use crate::base::{LookupBuffer, LookupKey, PinnedValue, SeqNo};
use crate::env::epoch::{self, Guard};
use crate::error::{Error, Result};
use crate::hooks::MergeOperator;
use crate::iter::{GetContext, Outcome, Receiver};
use crate::options::ReadOptions;
use crate::read::SuperVersion;
use crate::session::ColumnFamilyData;

/// The family, super-version and sequence number of a lookup.
pub(crate) struct Lookup<'a> {
    pub(super) family: &'a ColumnFamilyData,
    pub(super) sv: &'a SuperVersion,
    pub(super) ro: &'a ReadOptions,
    pub(super) seq: SeqNo,
    /// Whether memtables are skipped.
    pub(super) files_only: bool,
}

/// Pins a super-version, then loads the sequence number to read at, and runs a lookup.
#[inline(always)]
pub(super) fn pinned<R, O: Observe>(
    host: &impl Host,
    family: &ColumnFamilyData,
    ro: &ReadOptions,
    observer: &O,
    look_up: impl FnOnce(&Lookup<'_>, &Guard) -> Result<R>,
) -> Result<R> {
    let choosing = observer.span(Phase::Pin);
    let guard = epoch::pin();
    let sv = family.super_version(&guard).ok_or_else(Error::closed)?;
    check_timestamps(family, ro)?;
    let seq = read_sequence(host, ro);
    drop(choosing);
    let _searching = observer.span(Phase::Search);
    let _charged = charged(ro);
    let files_only = skips_memtables(host, ro);
    look_up(&Lookup { family, sv, ro, seq, files_only }, &guard)
}

impl Lookup<'_> {
    /// Returns the newest visible value of a key.
    #[inline]
    pub(super) fn value<O: Observe>(
        &self,
        user_key: &[u8],
        observer: &O,
    ) -> Result<Option<PinnedValue>> {
        let key = LookupBuffer::new(user_key, self.seq);
        let key = key.key();
        let mut ctx = self.context(&key, observer);
        let level = self.search(&key, &mut ctx, observer)?;
        let value = ctx.finish().map_err(|e| e.in_family(&self.family.name))?;
        if let (Some(level), Some(_)) = (level, &value) {
            observer.found_in_level(level);
        }
        Ok(value)
    }

    /// Does the same as [`Lookup::value`], but passes a small value to `receiver` in place.
    #[inline]
    pub(super) fn receive<O: Observe>(
        &self,
        user_key: &[u8],
        receiver: Receiver<'_>,
        observer: &O,
    ) -> Result<Outcome> {
        let key = LookupBuffer::new(user_key, self.seq);
        let key = key.key();
        let mut ctx = self.context(&key, observer).with_receiver(receiver);
        let level = self.search(&key, &mut ctx, observer)?;
        let outcome = ctx.outcome().map_err(|e| e.in_family(&self.family.name))?;
        if let Some(level) = level
            && !matches!(outcome, Outcome::Missing)
        {
            observer.found_in_level(level);
        }
        Ok(outcome)
    }

    /// Returns the newest visible value of a key, with `operator` in place of the family's merge operator.
    pub(super) fn merged_by(
        &self,
        user_key: &[u8],
        operator: &dyn MergeOperator,
    ) -> Result<Option<PinnedValue>> {
        let key = LookupBuffer::new(user_key, self.seq);
        let key = key.key();
        let ctx = GetContext::new(key.user_key(), Some(operator));
        let mut ctx = ctx.ignoring_range_deletions(self.ro.ignore_range_deletions);
        self.search(&key, &mut ctx, &Unobserved)?;
        ctx.finish().map_err(|e| e.in_family(&self.family.name))
    }

    /// Returns the sequence number of the newest visible write to a key, range deletions included; 0 if there is none.
    pub(super) fn newest_sequence<O: Observe>(
        &self,
        user_key: &[u8],
        observer: &O,
    ) -> Result<SeqNo> {
        let key = LookupBuffer::new(user_key, self.seq);
        let key = key.key();
        let mut ctx = self.context(&key, observer);
        self.search(&key, &mut ctx, observer)?;
        Ok(ctx.newest_sequence())
    }

    /// Returns the state of a new lookup.
    #[inline(always)]
    pub(super) fn context<'k, O: Observe>(
        &'k self,
        key: &LookupKey<'k>,
        observer: &'k O,
    ) -> GetContext<'k> {
        let ctx = GetContext::new(key.user_key(), self.family.merge_operator.as_deref());
        let ctx = ctx.ignoring_range_deletions(self.ro.ignore_range_deletions);
        ctx.with_statistics(observer.statistics())
    }

    /// Searches the places, newest first. Returns the level that settled the answer, if any.
    #[inline]
    fn search<O: Observe>(
        &self,
        key: &LookupKey<'_>,
        ctx: &mut GetContext<'_>,
        observer: &O,
    ) -> Result<Option<usize>> {
        if !self.files_only {
            self.sv.prefetch(key);
            if self.search_memtables(key, ctx, observer) {
                // A range tombstone that settles the answer is no hit: RocksDB would continue with the tables.
                observer.left_memtables(ctx.has_seen());
                return Ok(None);
            }
        }
        observer.left_memtables(false);
        let _timed = observer.span(Phase::Files);
        self.sv.version.get(key, self.ro, ctx, &self.family.tables)
    }

    /// Searches the memtables. Returns whether they settled the answer.
    #[inline]
    fn search_memtables<O: Observe>(
        &self,
        key: &LookupKey<'_>,
        ctx: &mut GetContext<'_>,
        observer: &O,
    ) -> bool {
        let _timed = observer.span(Phase::Memtables);
        observer.asks_memtable(&self.sv.mem);
        self.sv.mem.get(key, ctx)
            || self.sv.immutables.iter().any(|mem| {
                observer.asks_memtable(mem);
                mem.get(key, ctx)
            })
    }
}
