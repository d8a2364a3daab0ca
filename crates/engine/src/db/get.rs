//! The read path: pin, look at the memtables, then at the files.
//!
//! A point lookup takes no lock and counts nothing: it pins itself, loads the super-version and
//! *then* the visible sequence number. In the other order a flush between the two could drop the
//! very version that the reader is entitled to.

use super::counted;
use super::get_many::look_up_in_groups;
use super::read_modes::{check_iterator, check_timestamps, within_limits};
use super::state::DbInner;
use super::ttl::{STAMP_SIZE, without_stamp};
use crate::base::perf::{self, PerfMetric, PerfTimer};
use crate::base::pinned::PIN_FROM_BYTES;
use crate::base::{LookupBuffer, LookupKey, MAX_SEQUENCE_NUMBER, PinnedValue, SeqNo};
use crate::budget::{IoPriority, reads_at};
use crate::env::epoch;
use crate::error::{Code, Error, Result};
use crate::fs::cpu_timer::CpuTimer;
use crate::iter::{GetContext, MergingIterator, Outcome, Receiver};
use crate::options::{ReadOptions, ReadTier};
use crate::rangedel::hide_covered;
use crate::read::{DbIter, SuperVersion, Ticket};
use crate::session::ColumnFamilyData;
use crate::sst::{BlockAccess, TableIterOptions};
use crate::version::Source;

/// The error of an operation on a closed database.
#[cold]
pub(super) fn closed() -> Error {
    Error::new(Code::ShutdownInProgress, "the database is closed")
}

impl DbInner {
    /// The sequence number to read at.
    #[inline]
    fn read_sequence(&self, ro: &ReadOptions) -> SeqNo {
        ro.snapshot.unwrap_or_else(|| self.order.visible())
    }

    /// The newest visible value of a key.
    #[inline]
    pub(crate) fn get(
        &self,
        family: &ColumnFamilyData,
        ro: &ReadOptions,
        user_key: &[u8],
    ) -> Result<Option<PinnedValue>> {
        let timer = PerfTimer::start(PerfMetric::GetSnapshotTime);
        let guard = epoch::pin();
        let sv = family.super_version(&guard).ok_or_else(closed)?;
        check_timestamps(family, ro)?;
        let seq = self.read_sequence(ro);
        drop(timer);
        let _cpu = CpuTimer::start(PerfMetric::GetCpuNanos);
        let _reads = limits(ro).then(|| reads_at(ro.rate_limiter_priority));
        if self.skips_memtables(ro) {
            let value = look_up_in_files(family, sv, ro, user_key, seq);
            return if self.stamps_values() { value.and_then(without_stamp) } else { value };
        }
        let value = match &self.statistics {
            None => look_up(family, sv, ro, user_key, seq),
            Some(stats) => counted::get(stats, family, sv, ro, user_key, seq),
        };
        if let Ok(Some(value)) = &value {
            perf::count(PerfMetric::GetReadBytes, value.len() as u64);
        }
        if self.stamps_values() { value.and_then(without_stamp) } else { value }
    }

    /// As [`DbInner::get`], but a small value goes to `receiver` where it lies. The receiver must not
    /// use the database: the lookup is pinned.
    #[inline]
    pub(crate) fn get_to(
        &self,
        family: &ColumnFamilyData,
        ro: &ReadOptions,
        user_key: &[u8],
        receiver: Receiver<'_>,
    ) -> Result<Outcome> {
        // What is seldom asked for is done on the way that can do it.
        let counted = self.statistics.is_some() || perf::is_used();
        if counted || self.skips_memtables(ro) || self.stamps_values() {
            return Ok(receive(self.get(family, ro, user_key)?, receiver));
        }
        let guard = epoch::pin();
        let sv = family.super_version(&guard).ok_or_else(closed)?;
        check_timestamps(family, ro)?;
        let key = LookupBuffer::new(user_key, self.read_sequence(ro));
        let key = key.key();
        let _reads = limits(ro).then(|| reads_at(ro.rate_limiter_priority));
        let ctx = GetContext::new(user_key, family.merge_operator.as_deref());
        let ctx = ctx.ignoring_range_deletions(ro.ignore_range_deletions);
        let mut ctx = ctx.with_receiver(receiver);
        sv.get(&key, ro, &mut ctx, &family.tables)?;
        ctx.outcome()
    }

    /// The values of many keys, all as of one moment.
    pub(crate) fn multi_get<K: AsRef<[u8]>>(
        &self,
        family: &ColumnFamilyData,
        ro: &ReadOptions,
        keys: &[K],
    ) -> Vec<Result<Option<PinnedValue>>> {
        let guard = epoch::pin();
        let Some(sv) = family.super_version(&guard) else {
            return keys.iter().map(|_| Err(closed())).collect();
        };
        let seq = self.read_sequence(ro);
        let _reads = limits(ro).then(|| reads_at(ro.rate_limiter_priority));
        if let Err(e) = check_timestamps(family, ro) {
            return keys.iter().map(|_| Err(e.clone())).collect();
        }
        if self.skips_memtables(ro) {
            let look_up = |key: &K| look_up_in_files(family, sv, ro, key.as_ref(), seq);
            return self.plain_values(within_limits(ro, keys, look_up));
        }
        let values = match &self.statistics {
            None => look_up_in_groups(family, sv, ro, keys, seq, &guard),
            Some(stats) => counted::multi_get(stats, family, sv, ro, keys, seq),
        };
        if perf::is_used() {
            let found = values.iter().filter_map(|value| value.as_ref().ok()?.as_ref());
            let bytes = found.map(|value| value.len() as u64).sum();
            perf::count(PerfMetric::MultigetReadBytes, bytes);
        }
        self.plain_values(values)
    }

    /// Values without the time of their write, in a database that stores it.
    fn plain_values(
        &self,
        values: Vec<Result<Option<PinnedValue>>>,
    ) -> Vec<Result<Option<PinnedValue>>> {
        match self.stamps_values() {
            true => values.into_iter().map(|value| value.and_then(without_stamp)).collect(),
            false => values,
        }
    }

    /// The sequence number of the newest write to a key, range deletions included; 0 where there is
    /// none. Numbers are told apart down to the oldest snapshot.
    pub(crate) fn newest_sequence(&self, cf: u32, user_key: &[u8]) -> Result<SeqNo> {
        let family = self.family_by_id(cf).ok_or_else(|| {
            Error::invalid_argument(format!("Could not access column family {cf}"))
        })?;
        let guard = epoch::pin();
        let sv = family.super_version(&guard).ok_or_else(closed)?;
        let key = LookupBuffer::new(user_key, MAX_SEQUENCE_NUMBER);
        let key = key.key();
        let mut ctx = GetContext::new(user_key, family.merge_operator.as_deref());
        sv.get(&key, &ReadOptions::default(), &mut ctx, &family.tables)?;
        Ok(ctx.newest_sequence())
    }

    /// The user's iterator over one family. The database must outlive it.
    pub(crate) fn iter(&self, family: &ColumnFamilyData, ro: &ReadOptions) -> Result<Box<DbIter>> {
        check_iterator(family, ro)?;
        if let Some(iter) = self.parked_iter(family, ro) {
            return Ok(iter);
        }
        let sv = family.hold_super_version().ok_or_else(closed)?;
        let seq = self.read_sequence(ro);
        // Before the children are made: a memtable may get its first entry meanwhile.
        let ticket = self.ticket(family, &sv, ro);
        let tombstones = match ro.ignore_range_deletions {
            true => None,
            false => sv.range_tombstones(&family.tables),
        };
        // A memtable that is empty now has nothing to say at `seq`. A tailing iterator will ask again,
        // and tombstones are given for all places.
        let only_filled = tombstones.is_none() && !ro.tailing;
        let mut children = children(family, &sv, ro, only_filled);
        let ticket = ticket.filter(|_| only_filled);
        if let Some(tombstones) = tombstones {
            let places = children.into_iter().map(|place| Box::new(place) as Box<_>).collect();
            let places = hide_covered(&family.order, seq, places, &tombstones);
            children = places.into_iter().map(Source::Other).collect();
        }
        let inner = MergingIterator::new(family.order.clone(), children);
        let iter = DbIter::new(
            inner,
            family.order.clone(),
            seq,
            family.merge_operator.clone(),
            ro,
            family.prefix_extractor.clone(),
            sv,
        );
        let stamp = if self.stamps_values() { STAMP_SIZE } else { 0 };
        Ok(Box::new(
            iter.with_value_suffix(stamp)
                .with_max_sequential_skip(max_sequential_skip(family))
                .with_statistics(self.statistics.as_ref())
                .with_ticket(ticket),
        ))
    }

    /// An iterator that waits for being used again, if one suits.
    fn parked_iter(&self, family: &ColumnFamilyData, ro: &ReadOptions) -> Option<Box<DbIter>> {
        let mut seq = 0;
        let mut iter = family.parked(|sv, parked| {
            seq = self.read_sequence(ro);
            // Tombstones that were written since are none of the parked iterator's.
            (ro.ignore_range_deletions || !sv.has_range_tombstones(&family.tables))
                && self.ticket(family, sv, ro).is_some_and(|ticket| ticket == *parked)
        })?;
        iter.renew(seq, ro, family.prefix_extractor.as_ref(), max_sequential_skip(family));
        Some(iter)
    }

    /// What decides which children an iterator has; `None` for those that are not parked. With statistics
    /// none is: what an iterator did is counted at its end.
    fn ticket(
        &self,
        family: &ColumnFamilyData,
        sv: &SuperVersion,
        ro: &ReadOptions,
    ) -> Option<Ticket> {
        let parks = !ro.tailing && ro.read_tier == ReadTier::All && ro.deadline_us == 0;
        // An iterator that waits would keep blocks that its user has pinned, or more tables open than allowed.
        let keeps_much = ro.pin_data || !family.tables.pins_readers();
        if !parks || keeps_much || self.statistics.is_some() {
            return None;
        }
        let memtables = std::iter::once(&sv.mem).chain(&sv.immutables);
        let filled = memtables.filter(|mem| !mem.is_empty()).count();
        Some(Ticket { tables: table_options(family, ro), filled })
    }
}

fn max_sequential_skip(family: &ColumnFamilyData) -> u64 {
    family.read_options(|options| options.max_sequential_skip_in_iterations)
}

/// How an iterator with these options reads tables.
fn table_options(family: &ColumnFamilyData, ro: &ReadOptions) -> TableIterOptions {
    TableIterOptions {
        verify_checksums: ro.verify_checksums,
        access: BlockAccess::of(ro),
        total_order: ro.total_order() || family.prefix_extractor.is_none(),
        within_one_prefix: ro.within_one_prefix,
        readahead: ro.readahead_size,
        for_compaction: false,
        pin: ro.pin_data,
    }
}

/// The newest value of a key that is visible at `seq`.
#[inline]
pub(super) fn look_up(
    family: &ColumnFamilyData,
    sv: &SuperVersion,
    ro: &ReadOptions,
    user_key: &[u8],
    seq: SeqNo,
) -> Result<Option<PinnedValue>> {
    let key = LookupBuffer::new(user_key, seq);
    let key = key.key();
    let mut ctx = context(family, ro, &key);
    sv.get(&key, ro, &mut ctx, &family.tables)?;
    ctx.finish()
}

/// The state of a lookup that begins.
#[inline]
pub(super) fn context<'a>(
    family: &'a ColumnFamilyData,
    ro: &ReadOptions,
    key: &LookupKey<'a>,
) -> GetContext<'a> {
    let ctx = GetContext::new(key.user_key(), family.merge_operator.as_deref());
    ctx.ignoring_range_deletions(ro.ignore_range_deletions)
}

/// Gives a small value to a receiver that came too late to take it where it lies.
fn receive(value: Option<PinnedValue>, receiver: Receiver<'_>) -> Outcome {
    match value {
        None => Outcome::Missing,
        Some(value) if value.len() < PIN_FROM_BYTES => {
            receiver(&value);
            Outcome::Received
        }
        Some(value) => Outcome::Kept(value),
    }
}

/// As [`look_up`], without the memtables.
#[cold]
fn look_up_in_files(
    family: &ColumnFamilyData,
    sv: &SuperVersion,
    ro: &ReadOptions,
    user_key: &[u8],
    seq: SeqNo,
) -> Result<Option<PinnedValue>> {
    let key = LookupBuffer::new(user_key, seq);
    let key = key.key();
    let mut ctx = context(family, ro, &key);
    sv.version.get(&key, ro, &mut ctx, &family.tables)?;
    ctx.finish()
}

/// One iterator per place, newest first; with `only_filled` without empty memtables.
fn children(
    family: &ColumnFamilyData,
    sv: &SuperVersion,
    ro: &ReadOptions,
    only_filled: bool,
) -> Vec<Source> {
    let table_options = table_options(family, ro);
    let memtables = std::iter::once(&sv.mem).chain(&sv.immutables);
    let memtables = memtables.filter(|mem| !only_filled || !mem.is_empty());
    let mut children = Vec::with_capacity(1 + sv.immutables.len() + sv.version.num_places());
    children.extend(memtables.map(|mem| Source::Memtable(mem.iter(table_options.total_order))));
    if ro.read_tier == ReadTier::Memtable {
        return children;
    }
    sv.version.add_iterators(&table_options, &family.tables, &mut children);
    children
}

/// Whether reads with these options are charged to the rate limiter.
#[inline]
fn limits(ro: &ReadOptions) -> bool {
    ro.rate_limiter_priority != IoPriority::Total
}
