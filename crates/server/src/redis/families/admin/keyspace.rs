//! The numbers of keys that INFO shows.

use crate::redis::context::Context;
use crate::redis::databases::Database;
use crate::redis::failure::Done;
use crate::redis::values::is_absent;
use crate::rows::redis::{Head, META, Row, after_prefix, meta_prefix};
use crate::store::Range;
use crate::text::slot::SLOTS;

/// INFO counts so many keys of a database; the numbers of larger ones are estimates from the slots of these.
const COUNT_MAX: u64 = 20_000;

/// The keys of a database.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct Keys {
    /// The number of keys.
    pub keys: u64,
    /// The number of keys that expire.
    pub expiring: u64,
    /// The mean time that these have left, in milliseconds.
    pub mean_ttl_ms: u64,
}

/// Returns the numbers of keys of a database.
pub(super) fn count(context: &Context<'_>, database: &Database) -> Done<Keys> {
    let (mut keys, mut left_ms, mut visited) = (Keys::default(), 0_u64, 0);
    for (at, partition) in database.partitions().iter().enumerate() {
        let start = meta_prefix(database.slots_of(at).start);
        let range = Range { start, end: after_prefix(&[META]) };
        let mut rows = context.txn.rows(*partition, range)?;
        let mut item = rows.first()?;
        while let Some((row, value)) = item {
            let (Some(Row::Meta { slot, .. }), Some((head, body))) =
                (Row::parse(row), Head::parse(value))
            else {
                break;
            };
            if visited == COUNT_MAX {
                return Ok(keys.scaled(slot, left_ms));
            }
            visited += 1;
            if !is_absent(head, body, context.now_ms()) {
                keys.keys += 1;
                if head.expire_ms != 0 {
                    keys.expiring += 1;
                    left_ms = left_ms.saturating_add(head.expire_ms - context.now_ms());
                }
            }
            item = rows.next()?;
        }
    }
    Ok(keys.scaled(SLOTS - 1, left_ms))
}

impl Keys {
    /// Returns the numbers of a whole database, when these are those of the slots up to one.
    fn scaled(self, slot: u16, left_ms: u64) -> Keys {
        let scale = |count: u64| count * u64::from(SLOTS) / (u64::from(slot) + 1);
        let mean_ttl_ms = left_ms / self.expiring.max(1);
        Keys { keys: scale(self.keys), expiring: scale(self.expiring), mean_ttl_ms }
    }
}
