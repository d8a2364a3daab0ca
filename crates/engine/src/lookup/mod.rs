//! Looking up: one key, many keys, and iterators, in one column family at one sequence number.
//!
//! There is one lookup ([`Lookup`]), generic over who observes it ([`observe`]): nobody, the database's
//! statistics, or the perf context. Nothing here knows a database; what a read needs of it is [`Host`].

mod get;
mod into;
mod iterate;
mod many;
mod modes;
mod observe;
mod one;

pub(crate) use get::{get, newest_sequence};
pub(crate) use into::{get_into_buffer, get_into_vec, get_with};
pub(crate) use iterate::iterator;
pub(crate) use many::multi_get;

use crate::base::{PinnedValue, SeqNo};
use crate::error::Result;
use crate::options::{ReadOptions, ReadTier};
use crate::stats::Statistics;
use one::Lookup;
use std::sync::Arc;

/// The database that is read.
pub(crate) trait Host {
    /// Counts what reads do, if the options ask for it.
    fn statistics(&self) -> Option<&Arc<Statistics>>;
    /// The newest sequence number that readers see. Reads load it after the super-version: in the other order a
    /// flush between the two could drop the very version that the reader is entitled to.
    fn visible(&self) -> SeqNo;
    /// Whether a crash would lose what memtables hold.
    fn has_unlogged_data(&self) -> bool;
    /// What is stored at the end of each value and not shown to users.
    fn value_suffix(&self) -> Option<ValueSuffix>;
}

/// The end of a stored value that users do not see.
#[derive(Clone, Copy)]
pub(crate) struct ValueSuffix {
    /// In bytes.
    pub(crate) len: usize,
    /// Refuses a value whose end is damaged.
    pub(crate) check: fn(&[u8]) -> Result<()>,
}

impl ValueSuffix {
    /// The part of a stored value that users see.
    fn cut(self, value: Option<PinnedValue>) -> Result<Option<PinnedValue>> {
        let Some(mut value) = value else { return Ok(None) };
        (self.check)(&value)?;
        value.truncate(value.len().saturating_sub(self.len));
        Ok(Some(value))
    }
}

/// The sequence number to read at.
#[inline]
fn read_sequence(host: &impl Host, ro: &ReadOptions) -> SeqNo {
    ro.snapshot.unwrap_or_else(|| host.visible())
}

/// Whether a lookup leaves memtables out, since a crash would lose what is in them.
#[inline]
fn skips_memtables(host: &impl Host, ro: &ReadOptions) -> bool {
    ro.read_tier == ReadTier::Persisted && host.has_unlogged_data()
}
