//! Creates iterators over the newest super-version, or reuses one from the iterator pool.

use super::modes::check_iterator;
use super::{Host, read_sequence};
use crate::base::SeqNo;
use crate::error::{Error, Result};
use crate::hooks::is_range_of_one_prefix;
use crate::iter::MergingIterator;
use crate::memtable::MemTable;
use crate::options::{ReadOptions, ReadTier};
use crate::rangedel::hide_covered;
use crate::read::{DbIter, PoolKey, SuperVersion};
use crate::session::ColumnFamilyData;
use crate::sst::{BlockAccess, ReadaheadOptions, ScanEnd, TableIterOptions};
use crate::version::{Source, Version};
use std::any::Any;
use std::sync::Arc;

/// Returns a user's iterator over one family. The database must outlive it.
pub(crate) fn iterator(
    host: &impl Host,
    family: &ColumnFamilyData,
    ro: &ReadOptions,
) -> Result<Box<DbIter>> {
    check_iterator(family, ro)?;
    if let Some(iter) = pooled(host, family, ro) {
        return Ok(iter);
    }
    // Without the memtables that it does not read, an iterator lets their memory go when they are flushed. A tailing
    // one reads all, and a pooled one may read more later.
    let is_lean = family.tables.memory().is_some() && !ro.tailing;
    let moment = match is_lean {
        true => host.make_room_for_iterator(family, ro.snapshot),
        false => None,
    };
    let sv = family.hold_super_version().ok_or_else(Error::closed)?;
    let seq = match (ro.snapshot, &moment) {
        (None, Some(moment)) => moment.sequence(),
        _ => read_sequence(host, ro),
    };
    if is_lean {
        let taken = sv.memtables().filter(|mem| !mem.is_kept() && mem.has_up_to(seq));
        taken.for_each(|mem| mem.charge_as_kept());
    }
    // Compute the key before the children are created: a memtable may get its first entry in between.
    let pool_key = pool_key(family, &sv, ro);
    let scan_end = if ro.auto_readahead_size { ScanEnd::new() } else { ScanEnd::default() };
    let (children, has_filled_only) = visible_children(family, &sv, ro, (seq, is_lean), &scan_end);
    let pool_key = pool_key.filter(|_| has_filled_only);
    let content = sv.content;
    let keepalive: Arc<dyn Any + Send + Sync> = match is_lean {
        true => Arc::clone(&sv.version) as _,
        false => sv,
    };
    let inner = MergingIterator::new(family.order.clone(), children);
    let iter = DbIter::new(
        inner,
        family.order.clone(),
        seq,
        family.merge_operator.clone(),
        ro,
        family.prefix_extractor.clone(),
        keepalive,
    );
    Ok(Box::new(
        iter.with_max_sequential_skip(max_sequential_skip(family))
            .with_statistics(host.statistics())
            .with_scan_end(scan_end)
            .with_gaps(Arc::clone(&family.gaps), content)
            .with_pool_key(pool_key),
    ))
}

/// Returns whether `auto_prefix_mode` lets an iterator with these options ask prefix filters.
pub(crate) fn may_ask_prefix_filters(family: &ColumnFamilyData, ro: &ReadOptions) -> bool {
    if !ro.auto_prefix_mode || ro.total_order_seek || !family.order.is_bytewise() {
        return false;
    }
    match (&family.prefix_extractor, &ro.iterate_lower_bound, &ro.iterate_upper_bound) {
        (Some(extractor), Some(lower), Some(upper)) => {
            is_range_of_one_prefix(&**extractor, lower, upper)
        }
        _ => false,
    }
}

/// Returns one iterator per place, newest first, without the entries that range tombstones cover at `seq`, and whether
/// empty memtables were left out. A lean iterator also leaves out memtables without entries up to `seq`.
fn visible_children(
    family: &ColumnFamilyData,
    sv: &SuperVersion,
    ro: &ReadOptions,
    (seq, is_lean): (SeqNo, bool),
    scan_end: &ScanEnd,
) -> (Vec<Source>, bool) {
    let memtables: Vec<_> = match is_lean {
        true => sv.memtables().filter(|mem| mem.has_up_to(seq)).collect(),
        false => sv.memtables().collect(),
    };
    let tombstones = match ro.ignore_range_deletions {
        true => None,
        false => sv.range_tombstones(&memtables, &family.tables),
    };
    // A memtable that is empty now has no entry visible at `seq`. A tailing iterator reads it again later, and
    // tombstones are listed for all places.
    let only_filled = tombstones.is_none() && !ro.tailing;
    let filled = memtables.into_iter().filter(|mem| !only_filled || !mem.is_empty());
    let children = children(family, filled, &sv.version, ro, scan_end);
    let Some(tombstones) = tombstones else { return (children, only_filled) };
    let places = children.into_iter().map(|place| Box::new(place) as Box<_>).collect();
    let places = hide_covered(&family.order, seq, places, &tombstones);
    (places.into_iter().map(Source::Other).collect(), only_filled)
}

/// Returns a suitable pooled iterator, if there is one.
fn pooled(host: &impl Host, family: &ColumnFamilyData, ro: &ReadOptions) -> Option<Box<DbIter>> {
    let mut seq = 0;
    let mut iter = family.pooled(|sv, pooled| {
        seq = read_sequence(host, ro);
        // The pooled iterator lacks range tombstones that were written after its creation.
        (ro.ignore_range_deletions || !sv.has_range_tombstones(&family.tables))
            && pool_key(family, sv, ro).is_some_and(|pool_key| pool_key == *pooled)
    })?;
    iter.renew(seq, ro, family.prefix_extractor.as_ref(), max_sequential_skip(family));
    Some(iter)
}

/// Returns what determines the children of an iterator; `None` for iterators that are not pooled.
fn pool_key(family: &ColumnFamilyData, sv: &SuperVersion, ro: &ReadOptions) -> Option<PoolKey> {
    let poolable = !ro.tailing && ro.read_tier == ReadTier::All && ro.deadline_us == 0;
    // A pooled iterator would keep the blocks that its user has pinned, or keep more tables open than allowed.
    let keeps_much = ro.pin_data || !family.tables.pins_readers();
    if !poolable || keeps_much {
        return None;
    }
    let filled = sv.memtables().filter(|mem| !mem.is_empty()).count();
    Some(PoolKey { tables: table_options(family, ro, &ScanEnd::default()), filled })
}

fn max_sequential_skip(family: &ColumnFamilyData) -> u64 {
    family.read_options(|options| options.max_sequential_skip_in_iterations)
}

/// Returns how an iterator with these options reads tables.
fn table_options(
    family: &ColumnFamilyData,
    ro: &ReadOptions,
    scan_end: &ScanEnd,
) -> TableIterOptions {
    TableIterOptions {
        verify_checksums: ro.verify_checksums,
        access: BlockAccess::of(ro),
        total_order: ro.total_order() || family.prefix_extractor.is_none(),
        within_one_prefix: ro.within_one_prefix,
        readahead: ReadaheadOptions {
            size: ro.readahead_size,
            adaptive: ro.adaptive_readahead,
            asynchronous: ro.async_io,
            trims: ro.auto_readahead_size,
            scan_end: scan_end.clone(),
        },
        for_compaction: false,
        pin: ro.pin_data,
    }
}

/// Returns one iterator per place, newest first: of these memtables, and of the version.
fn children<'a>(
    family: &ColumnFamilyData,
    memtables: impl Iterator<Item = &'a Arc<MemTable>>,
    version: &Version,
    ro: &ReadOptions,
    scan_end: &ScanEnd,
) -> Vec<Source> {
    let table_options = table_options(family, ro, scan_end);
    let mut children = Vec::with_capacity(2 + version.num_places());
    children.extend(memtables.map(|mem| Source::Memtable(mem.iter(table_options.total_order))));
    if ro.read_tier == ReadTier::Memtable {
        return children;
    }
    version.add_iterators(&table_options, &family.tables, &mut children);
    children
}
