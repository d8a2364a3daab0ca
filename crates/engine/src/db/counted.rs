//! Lookups and writes with statistics on. Apart from the plain paths, so that those pay one branch.

use super::get::context;
use super::read_modes::within_limits;
use super::state::DbInner;
use super::ttl::stamped;
use super::write::Terms;
use crate::base::perf::{self, PerfMetric, PerfTimer};
use crate::base::{LookupBuffer, PinnedValue, SeqNo};
use crate::batch::WriteBatch;
use crate::error::Result;
use crate::options::{ReadOptions, WriteOptions};
use crate::read::SuperVersion;
use crate::session::ColumnFamilyData;
use crate::stats::{Activity, HistogramType, Statistics, Ticker, busy_with};
use std::time::Instant;

/// A lookup that counts where it was answered.
fn look_up(
    stats: &Statistics,
    family: &ColumnFamilyData,
    sv: &SuperVersion,
    ro: &ReadOptions,
    user_key: &[u8],
    seq: SeqNo,
) -> Result<Option<PinnedValue>> {
    let key = LookupBuffer::new(user_key, seq);
    let key = key.key();
    sv.prefetch(&key);
    let mut ctx = context(family, ro, &key).with_statistics(stats);
    let is_settled = sv.get_from_memtables(&key, &mut ctx);
    // A range tombstone that settles it is no hit: RocksDB goes on to the tables.
    let is_hit = is_settled && ctx.has_seen();
    stats.add(if is_hit { Ticker::MemtableHit } else { Ticker::MemtableMiss }, 1);
    if is_settled {
        return ctx.finish();
    }
    let level = sv.get_from_files(&key, ro, &mut ctx, &family.tables)?;
    let value = ctx.finish()?;
    if let (Some(level), Some(_)) = (level, &value) {
        let hit = match level {
            0 => Ticker::GetHitL0,
            1 => Ticker::GetHitL1,
            _ => Ticker::GetHitL2AndUp,
        };
        stats.add(hit, 1);
    }
    Ok(value)
}

/// [`DbInner::get`] with statistics.
pub(super) fn get(
    stats: &Statistics,
    family: &ColumnFamilyData,
    sv: &SuperVersion,
    ro: &ReadOptions,
    user_key: &[u8],
    seq: SeqNo,
) -> Result<Option<PinnedValue>> {
    let start = Instant::now();
    let _busy = busy_with(Activity::Get);
    let result = look_up(stats, family, sv, ro, user_key, seq);
    stats.add(Ticker::NumberKeysRead, 1);
    // A key that is not there is a read of no bytes.
    if let Ok(value) = &result {
        let bytes = value.as_ref().map_or(0, |value| value.len() as u64);
        stats.add(Ticker::BytesRead, bytes);
        stats.record(HistogramType::BytesPerRead, bytes);
    }
    stats.record_since(HistogramType::DbGet, start);
    result
}

/// [`DbInner::multi_get`] with statistics.
pub(super) fn multi_get<K: AsRef<[u8]>>(
    stats: &Statistics,
    family: &ColumnFamilyData,
    sv: &SuperVersion,
    ro: &ReadOptions,
    keys: &[K],
    seq: SeqNo,
) -> Vec<Result<Option<PinnedValue>>> {
    let start = Instant::now();
    let _busy = busy_with(Activity::MultiGet);
    let one = |key: &K| look_up(stats, family, sv, ro, key.as_ref(), seq);
    let results = within_limits(ro, keys, one);
    let values = results.iter().filter_map(|r| r.as_ref().ok()?.as_ref());
    let (mut found, mut bytes) = (0, 0);
    values.for_each(|value| {
        found += 1;
        bytes += value.len() as u64;
    });
    stats.add(Ticker::NumberMultigetCalls, 1);
    stats.add(Ticker::NumberMultigetKeysRead, keys.len() as u64);
    stats.add(Ticker::NumberMultigetKeysFound, found);
    stats.add(Ticker::NumberMultigetBytesRead, bytes);
    stats.record(HistogramType::BytesPerMultiget, bytes);
    stats.record_since(HistogramType::DbMultiget, start);
    results
}

/// A write whose parts somebody measures: what is none of the others comes before or after them.
struct PartsOfWrite {
    whole: PerfTimer,
    others: u64,
}

impl PartsOfWrite {
    const OTHERS: [PerfMetric; 4] = [
        PerfMetric::WriteWalTime,
        PerfMetric::WriteMemtableTime,
        PerfMetric::WriteDelayTime,
        PerfMetric::WriteSchedulingFlushesCompactionsTime,
    ];

    fn others() -> u64 {
        PartsOfWrite::OTHERS.into_iter().map(perf::value).sum()
    }

    #[cold]
    fn begin() -> PartsOfWrite {
        let whole = PerfTimer::start(PerfMetric::WritePreAndPostProcessTime);
        PartsOfWrite { whole, others: PartsOfWrite::others() }
    }

    #[cold]
    fn end(self) {
        drop(self.whole);
        let others = PartsOfWrite::others().saturating_sub(self.others);
        perf::take_away(PerfMetric::WritePreAndPostProcessTime, others);
    }
}

impl DbInner {
    /// Commits a batch; see `write.rs`.
    #[inline]
    pub(crate) fn write(
        &self,
        wo: &WriteOptions,
        batch: &mut WriteBatch,
        terms: Terms<'_>,
    ) -> Result<()> {
        if self.stamps_values() {
            let mut stamped = stamped(batch)?;
            let result = self.write_as_is(wo, &mut stamped, terms);
            batch.set_sequence(stamped.sequence());
            return result;
        }
        self.write_as_is(wo, batch, terms)
    }

    #[inline]
    fn write_as_is(
        &self,
        wo: &WriteOptions,
        batch: &mut WriteBatch,
        terms: Terms<'_>,
    ) -> Result<()> {
        let parts = perf::is_used().then(PartsOfWrite::begin);
        let result = match &self.statistics {
            None => self.commit(wo, batch, terms),
            Some(stats) => self.counted_write(stats, wo, batch, terms),
        };
        if let Some(parts) = parts {
            parts.end();
        }
        // Here, since the writer is neither pinned nor holds a lock any more.
        self.deliver_events();
        result
    }

    fn counted_write(
        &self,
        stats: &Statistics,
        wo: &WriteOptions,
        batch: &mut WriteBatch,
        terms: Terms<'_>,
    ) -> Result<()> {
        let start = Instant::now();
        let result = self.commit(wo, batch, terms);
        if result.is_ok() {
            let bytes = batch.data().len() as u64;
            stats.add(Ticker::NumberKeysWritten, u64::from(batch.count()));
            stats.add(Ticker::BytesWritten, bytes);
            // There is no leader that writes for others.
            stats.add(Ticker::WriteDoneBySelf, 1);
            stats.record(HistogramType::BytesPerWrite, bytes);
            if !wo.disable_wal {
                stats.add(Ticker::WriteWithWal, 1);
                stats.add(Ticker::WalFileBytes, bytes);
            }
        }
        stats.record_since(HistogramType::DbWrite, start);
        result
    }

    /// Waits as long as a stall asks for; false if the write may not wait.
    #[cold]
    pub(super) fn wait_in_stall(&self, bytes: usize, no_slowdown: bool) -> bool {
        let _timer = PerfTimer::start(PerfMetric::WriteDelayTime);
        let admitted = self.controller.admit(bytes, no_slowdown);
        if let (Some(stalled), Some(stats)) = (admitted, &self.statistics)
            && !stalled.is_zero()
        {
            stats.add(Ticker::StallMicros, stalled.as_micros() as u64);
            stats.record(HistogramType::WriteStall, stalled.as_micros() as u64);
        }
        admitted.is_some()
    }
}
