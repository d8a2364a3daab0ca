//! Walks over the keys of a database, in the order of slots and, in a slot, of bytes. They read M rows only.

use super::context::Context;
use super::databases::Database;
use super::failure::Done;
use super::values::is_absent;
use crate::rows::redis::{Head, META, Row, RowKey, after_prefix, meta_key, meta_prefix};
use crate::store::Range;
use crate::text::{glob, slot};
use std::ops::ControlFlow;

/// A key that a walk visits.
#[derive(Clone, Copy, Debug)]
pub struct Visited<'a> {
    /// Its slot.
    pub slot: u16,
    /// The key.
    pub key: &'a [u8],
    /// The head of its M row.
    pub head: Head,
    /// Whether it has expired, so that it is absent for commands.
    pub is_expired: bool,
}

/// The keys that a walk visits.
#[derive(Clone, Debug)]
pub enum Scope {
    /// All keys of the database.
    All,
    /// The keys of a slot that begin with these bytes.
    Slot(u16, Vec<u8>),
}

impl Scope {
    /// Returns a scope with all keys that match a pattern. Patterns that begin with a hash tag are bounded to its slot.
    pub fn of_pattern(pattern: &[u8]) -> Scope {
        let (prefix, is_literal) = glob::literal_prefix(pattern);
        if is_literal || slot::hashed_part(&prefix).len() < prefix.len() {
            Scope::Slot(slot::of_key(&prefix), prefix)
        } else {
            Scope::All
        }
    }
}

impl Context<'_> {
    /// Passes keys of the selected database to `visit`, until it breaks. The walk begins at the first key of the scope
    /// at or above `from`: a slot and bytes of a key.
    pub fn walk_keys(
        &self,
        scope: &Scope,
        from: (u16, &[u8]),
        mut visit: impl FnMut(Visited<'_>) -> ControlFlow<()>,
    ) -> Done {
        let start = meta_key(from.0, from.1);
        for (partition, range) in ranges(&self.db, scope, from.0) {
            let start = start.clone().max(range.start);
            if start >= range.end {
                continue;
            }
            let mut rows = self.txn.rows(partition, Range { start, end: range.end })?;
            let mut item = rows.first()?;
            while let Some((row, value)) = item {
                if let (Some(Row::Meta { slot, key }), Some((head, body))) =
                    (Row::parse(row), Head::parse(value))
                {
                    let is_expired = is_absent(head, body, self.now_ms);
                    if visit(Visited { slot, key, head, is_expired }).is_break() {
                        return Ok(());
                    }
                }
                item = rows.next()?;
            }
        }
        Ok(())
    }
}

/// Returns the ranges of M rows of a scope, without partitions that end before a slot.
fn ranges(db: &Database, scope: &Scope, from: u16) -> Vec<(crate::store::Partition, Range)> {
    match scope {
        Scope::Slot(slot, prefix) => {
            let start = meta_key(*slot, prefix);
            let end = after_prefix(&start);
            (*slot >= from)
                .then(|| (db.partition_of(*slot), Range { start, end }))
                .into_iter()
                .collect()
        }
        Scope::All => {
            let all = db.partitions().iter().enumerate();
            let all = all.filter(|(at, _)| db.slots_of(*at).end > from);
            let end = after_prefix(&[META]);
            all.map(|(at, partition)| {
                let start: RowKey = meta_prefix(db.slots_of(at).start);
                (*partition, Range { start, end: end.clone() })
            })
            .collect()
        }
    }
}
