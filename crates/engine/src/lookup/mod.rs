//! Lookups of one key or of many keys, and iterators, in one column family at one sequence number.
//!
//! There is one implementation of lookups ([`Lookup`]), generic over its observer ([`observe`]): none, the database's
//! statistics, or the perf context. This folder does not depend on the database type; [`Host`] provides what a read
//! needs.

mod get;
mod into;
mod iterate;
mod many;
mod modes;
mod observe;
mod one;
mod operands;

pub(crate) use get::{get, newest_sequence};
pub(crate) use into::{get_into_buffer, get_into_vec, get_with};
pub(crate) use iterate::{iterator, may_ask_prefix_filters};
pub(crate) use many::{multi_get, multi_get_with};
pub(crate) use operands::merge_operands;

use crate::base::SeqNo;
use crate::options::{ReadOptions, ReadTier};
use crate::read::Moment;
use crate::session::ColumnFamilyData;
use crate::stats::Statistics;
use one::Lookup;
use std::sync::Arc;

/// The database that a read uses.
pub(crate) trait Host {
    /// Returns the statistics that reads update, if the options enable them.
    fn statistics(&self) -> Option<&Arc<Statistics>>;
    /// Returns the newest sequence number that readers see. Reads load it after the super-version. In the opposite
    /// order, a flush in between could drop the entry that the reader must see.
    fn visible(&self) -> SeqNo;
    /// Prepares for an iterator over a family, at `snapshot` or else at the newest sequence number. If memory is
    /// limited and iterators keep much of it in flushed memtables, the family is flushed, and the result is the moment
    /// at which the iterator must read.
    fn make_room_for_iterator(
        &self,
        family: &ColumnFamilyData,
        snapshot: Option<SeqNo>,
    ) -> Option<Moment<'_>>;
    /// Returns whether a crash would lose data in memtables.
    fn has_unlogged_data(&self) -> bool;
}

/// Returns the sequence number to read at.
#[inline]
fn read_sequence(host: &impl Host, ro: &ReadOptions) -> SeqNo {
    ro.snapshot.unwrap_or_else(|| host.visible())
}

/// Returns whether a lookup skips memtables because a crash would lose their content.
#[inline]
fn skips_memtables(host: &impl Host, ro: &ReadOptions) -> bool {
    ro.read_tier == ReadTier::Persisted && host.has_unlogged_data()
}
