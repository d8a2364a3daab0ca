//! A cache of rows in front of the engine: the newest values, by partition and key.
//!
//! Files in reading order: `stamp`, `words`, `ring`, `table`, `domains`, `tally`, this one, `writes`.
//!
//! The engine finds a row by descending the trees of memtables and tables, a cache miss at each level. This cache finds
//! it with two: a bucket of seven slots, and the entry with key and value. Readers take no lock and write nothing
//! shared but a bit of a slot when its entry is first used. They copy the value and then check that nothing changed
//! meanwhile.
//!
//! A hit must be what the engine would have returned at some moment of the read. Each bucket has a stamp: a version,
//! and the number of changes under way. Each domain (the rows of a partition with the same first byte of the key) has
//! one as well. An entry holds the stamp of its domain.
//!
//! * **RC1** A commit marks the buckets of its rows, and the domains of its ranges, before the engine begins it, and
//!   ends the marks after the engine ended it, whatever the result. A mark is a change of the stamp.
//! * **RC2** A read is a hit only if the bucket's stamp was quiet and the same before and after the copy, and the
//!   domain's was quiet and is that of the entry. *So no commit of the row was under way at the moment between.*
//! * **RC3** A reader that misses remembers both stamps before it reads the engine. It fills the cache only if both
//!   were quiet, by a change of the bucket's stamp that fails if the stamp is another one. The entry gets the
//!   remembered stamp of the domain. *A commit that the engine's read may have missed began later than the remembered
//!   stamps: if it began before the fill, the fill fails; if after, RC4 holds. A range deletion makes the domain's
//!   stamp another one for good, so that the entry is not valid, whenever it is stored.*
//! * **RC4** At the end of a mark the row may be replaced by the committed value if the mark was alone in its bucket
//!   all the time, the domain was quiet at its beginning, and the commit succeeded. Otherwise the row is removed. *Of
//!   two commits of a row at the same time, neither stores a value, so their order in the engine does not matter. A
//!   fill that began before the mark holds the shard's lock until it has ended, and the mark ends under that lock: it
//!   sees the filled entry. It takes no lock if the bucket had no slot for the row and the stamp is the one that the
//!   mark made, for then nobody filled the bucket.*
//! * **RC5** From RC2 to RC4: while no commit of a row is under way and its entry is valid, the entry is the newest
//!   value in the engine. *Therefore a hit sees all commits that ended before the read began, and whoever saw a commit
//!   in the engine also sees its marks.* In this respect reads of the cache and of the engine are the same.
//! * **RC6** Rows that must agree with each other as of one moment are not read here, unless their latches are held:
//!   two hits are two moments. Reads at a view are not served here at all. `Store::get` without a view and
//!   `Store::get_each_alone` are the only readers.
//! * **RC7** Rows of a list are as of moments in the order of the list, for a client's pipeline must not see a commit
//!   in its first reply and miss it in the second. Hits are. When a row is missed, hits behind it count only if their
//!   stamps are the same after the engine was read: then they are as of that moment, too. Otherwise the engine is read
//!   for all of them.
//! * **RC8** Rows that compactions drop are expired or garbage. Cached, they are what they were in the engine before
//!   the compaction: a reader compares the expiry with its time, and asks for no row of a version that no M row names.
//! * **RC9** Dropping a partition changes its domains after the partition left the list. *A fill of a read before that
//!   has an older stamp.*
//!
//! All other writes of the database are to partition 0, which is not cached.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod domains;
mod ring;
mod stamp;
mod table;
mod tally;
mod words;
mod writes;

/// What `stamp` and `words` need of the standard library; the loom test gives them loom's.
mod sync {
    pub(super) use std::sync::atomic::{AtomicU64, Ordering, fence};
}

use super::Partition;
use super::local::SYSTEM;
use crate::error::Result;
use domains::{Domains, Part, first_byte};
use smallvec::SmallVec;
use stamp::Seen;
use std::cell::Cell;
use std::ops::Range;
use table::{Row, Spot, Table};
use tally::Tally;
pub(super) use writes::Writes;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Longer keys are not cached.
const KEY_MAX: usize = 1024;
/// Longer values are not cached: the engine's cost is mostly that of finding a row, and one large value would displace
/// many small ones.
const VALUE_MAX: usize = 4096;
/// Rows that are looked up together without an allocation.
const TOGETHER: usize = 32;

thread_local! {
    /// Holds a value while its reader sees it.
    static BUFFER: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// A cache of rows.
pub(super) struct RowCache {
    table: Table,
    domains: Domains,
    tally: Tally,
    /// Makes collisions unpredictable.
    seed: u64,
}

/// What a reader that missed a row remembers until it has read the engine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ticket {
    hash: u64,
    seen: Seen,
    domain: Seen,
}

/// What is left to do after several rows were looked up.
#[derive(Default)]
pub(super) struct Rest {
    /// The rows that were missed: their positions, and what [`RowCache::fill`] needs.
    pub(super) missed: SmallVec<[(usize, Option<Ticket>); TOGETHER]>,
    /// Rows behind the first missed one that were found.
    later: Vec<Later>,
    values: Vec<u8>,
}

/// A row that was found, but behind one that was missed.
struct Later {
    at: usize,
    ticket: Ticket,
    partition: Partition,
    first: u8,
    value: Range<usize>,
}

impl Rest {
    fn add(&mut self, at: usize, row: &Row<'_>, ticket: Ticket, value: &[u8]) {
        let start = self.values.len();
        self.values.extend_from_slice(value);
        let (partition, first) = (row.partition, first_byte(row.key));
        self.later.push(Later { at, ticket, partition, first, value: start..self.values.len() });
    }

    /// Returns whether rows were found behind the first missed one. Their values are those of the moment at which the
    /// missed rows are read only if [`RowCache::are_still`] says so afterwards.
    pub(super) fn has_later(&self) -> bool {
        !self.later.is_empty()
    }

    /// Passes the rows that were found behind the first missed one to `found`.
    pub(super) fn deliver(&self, found: &mut dyn FnMut(usize, &[u8])) {
        for row in &self.later {
            found(row.at, self.values.get(row.value.clone()).unwrap_or_default());
        }
    }
}

impl RowCache {
    /// Returns an empty cache of this many bytes, at least 1 MiB.
    ///
    /// # Errors
    ///
    /// The system refuses the memory.
    pub(super) fn new(bytes: usize) -> Result<RowCache> {
        Ok(RowCache {
            table: Table::new(bytes)?,
            domains: Domains::default(),
            tally: Tally::default(),
            seed: fastrand::u64(..),
        })
    }

    #[inline]
    fn is_cacheable(partition: Partition, key: &[u8]) -> bool {
        partition != SYSTEM && key.len() <= KEY_MAX
    }

    #[inline]
    fn hash(&self, partition: Partition, key: &[u8]) -> u64 {
        xxh3_64_with_seed(key, self.seed.wrapping_add(partition.0.into()))
    }

    /// Passes the value of a row to `found`. If the cache does not have it, returns what [`fill`](RowCache::fill)
    /// needs; `None` if the row is not one to be cached.
    #[inline]
    pub(super) fn get(
        &self,
        partition: Partition,
        key: &[u8],
        found: &mut dyn FnMut(&[u8]),
    ) -> std::result::Result<(), Option<Ticket>> {
        if !RowCache::is_cacheable(partition, key) {
            return Err(None);
        }
        let row = Row { partition, key, hash: self.hash(partition, key) };
        let (spot, domain) = self.spot(&row);
        let mut value = BUFFER.take();
        value.clear();
        let is_hit = self.table.read(&row, spot, domain, &mut value);
        self.tally.add(is_hit.into(), (!is_hit).into());
        if is_hit {
            found(&value);
        }
        BUFFER.set(value);
        if is_hit { Ok(()) } else { Err(ticket(&row, spot, domain)) }
    }

    /// Passes positions and values of rows to `found`, up to the first row that the cache does not have: each as of a
    /// moment of its own, one after the other. Returns the others.
    pub(super) fn get_each(
        &self,
        keys: &[(Partition, &[u8])],
        found: &mut dyn FnMut(usize, &[u8]),
    ) -> Rest {
        let rows: SmallVec<[Row<'_>; TOGETHER]> = keys
            .iter()
            .map(|&(partition, key)| Row { partition, key, hash: self.hash(partition, key) })
            .collect();
        // The cache misses of all buckets overlap, and then those of all entries.
        self.table.touch_buckets(rows.iter().map(|row| row.hash));
        let spots: SmallVec<[(Spot, Seen); TOGETHER]> =
            rows.iter().map(|row| self.spot(row)).collect();
        self.table.touch_entries(spots.iter().map(|(spot, _)| *spot));
        let (mut rest, mut value) = (Rest::default(), BUFFER.take());
        for (at, (row, (spot, domain))) in rows.iter().zip(&spots).enumerate() {
            let ticket = ticket(row, *spot, *domain)
                .filter(|_| RowCache::is_cacheable(row.partition, row.key));
            value.clear();
            match ticket {
                Some(ticket) if self.table.read(row, *spot, *domain, &mut value) => {
                    match rest.missed.is_empty() {
                        true => found(at, &value),
                        false => rest.add(at, row, ticket, &value),
                    }
                }
                ticket => rest.missed.push((at, ticket)),
            }
        }
        BUFFER.set(value);
        self.tally.add(rows.len() - rest.missed.len(), rest.missed.len());
        rest
    }

    /// Returns whether the rows that were found behind the first missed one have not been written since.
    pub(super) fn are_still(&self, rest: &Rest) -> bool {
        rest.later.iter().all(|row| {
            let bucket = self.table.bucket(row.ticket.hash);
            bucket.stamp.is_still(row.ticket.seen)
                && self.domains.seen(row.partition, row.first) == row.ticket.domain
        })
    }

    /// Stores a row that the engine returned after the ticket was made, unless a change may have come between.
    pub(super) fn fill(&self, ticket: Ticket, partition: Partition, key: &[u8], value: &[u8]) {
        if value.len() > VALUE_MAX {
            return;
        }
        let bucket = self.table.bucket(ticket.hash);
        let mut ring = self.table.lock(bucket);
        if bucket.stamp.begin_if_still(ticket.seen) {
            let row = Row { partition, key, hash: ticket.hash };
            self.table.store(&mut ring, &row, value, ticket.domain);
            bucket.stamp.end();
        }
    }

    /// Forgets all rows of a partition.
    pub(super) fn forget_partition(&self, partition: Partition) {
        let part = Part::of_partition(partition);
        self.domains.begin(part);
        self.domains.end(part);
    }

    /// Returns a figure by its name.
    pub(super) fn figure(&self, name: &str) -> Option<u64> {
        let (used, all) = self.table.bytes();
        match name {
            "ferrolith.row-cache-hits" => Some(self.tally.hits()),
            "ferrolith.row-cache-misses" => Some(self.tally.misses()),
            "ferrolith.row-cache-usage" => Some(used as u64),
            "ferrolith.row-cache-capacity" => Some(all as u64),
            _ => None,
        }
    }

    /// Returns where a row may be, and the stamp of its domain, which is read after that of the bucket.
    #[inline]
    fn spot(&self, row: &Row<'_>) -> (Spot, Seen) {
        let spot = self.table.spot(row.hash);
        (spot, self.domains.seen(row.partition, first_byte(row.key)))
    }
}

/// Returns what a fill needs, if the stamps allow one.
#[inline]
fn ticket(row: &Row<'_>, spot: Spot, domain: Seen) -> Option<Ticket> {
    let is_quiet = spot.seen.is_quiet() && domain.is_quiet();
    is_quiet.then_some(Ticket { hash: row.hash, seen: spot.seen, domain })
}

#[cfg(test)]
#[path = "row_cache_test.rs"]
mod tests;
