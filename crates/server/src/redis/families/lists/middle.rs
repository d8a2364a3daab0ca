//! Changes in the middle of a list: insertions, removals, and how a list becomes sparse and dense again.

use super::list::{DENSE, End, List, MOVED_MAX, SPARSE, START};
use super::places::{self, Sub};
use crate::redis::context::Context;
use crate::redis::failure::Done;
use crate::rows::redis::DATA;
use crate::store::Txn;

/// Sub-keys that would be longer are spread again, together with their neighbours.
const SUB_MAX: usize = 40;

impl List<'_> {
    /// Inserts an element so that its position becomes `position`, which is at most the number of elements.
    pub(super) fn insert(
        &mut self,
        context: &mut Context<'_>,
        position: u64,
        value: &[u8],
    ) -> Done {
        let count = self.len();
        let behind = count.saturating_sub(position);
        if position == 0 {
            self.push(context, End::Head, value)
        } else if behind == 0 {
            self.push(context, End::Tail, value)
        } else if !self.is_dense() && count <= MOVED_MAX {
            let mut values = self.values(context.txn, 0, count, &[])?;
            values.insert(position as usize, value.to_vec());
            self.rewrite(context, &values)
        } else if self.is_dense() && position <= behind && position <= MOVED_MAX {
            let moved = self.values(context.txn, 0, position, &[])?;
            self.head -= 1;
            self.put_from(context, self.head, &moved)?;
            self.insert_at(context, &places::of_index(self.head + position), value)
        } else if self.is_dense() && behind <= MOVED_MAX {
            let moved = self.values(context.txn, position, behind, &[])?;
            let index = self.head + position;
            self.tail += 1;
            self.put_from(context, index + 1, &moved)?;
            self.insert_at(context, &places::of_index(index), value)
        } else {
            self.insert_between(context, position, value)
        }
    }

    /// Removes the elements at positions, which ascend.
    pub(super) fn remove(&mut self, context: &mut Context<'_>, positions: &[u64]) -> Done {
        let (Some(first), Some(last)) = (positions.first(), positions.last()) else {
            return Ok(());
        };
        let (count, removed) = (self.len(), positions.len() as u64);
        let kept = count - removed;
        // What moves: the elements before the last removed one, or those behind the first.
        let (before, behind) = (last + 1 - removed, count - first - removed);
        if !self.is_dense() && kept <= MOVED_MAX {
            let values = self.values(context.txn, 0, count, positions)?;
            return self.rewrite(context, &values);
        }
        if self.is_dense() && before <= behind && before <= MOVED_MAX {
            let moved = self.values(context.txn, 0, last + 1, positions)?;
            self.delete(context, 0, removed)?;
            self.head += removed;
            self.put_from(context, self.head, &moved)?;
        } else if self.is_dense() && behind <= MOVED_MAX {
            let moved = self.values(context.txn, *first, count - first, positions)?;
            self.delete(context, kept, removed)?;
            self.tail -= removed;
            self.put_from(context, self.head + first, &moved)?;
        } else {
            let subs = self.subs_at(context.txn, positions)?;
            for sub in subs {
                context.sub_delete(&self.coll, DATA, &sub)?;
            }
            self.coll.row.head.encoding = SPARSE;
        }
        self.coll.row.count = kept;
        Ok(())
    }

    /// Makes a short sparse list dense again.
    pub(super) fn compact(&mut self, context: &mut Context<'_>) -> Done {
        if self.is_dense() || self.len() > MOVED_MAX {
            return Ok(());
        }
        let values = self.values(context.txn, 0, self.len(), &[])?;
        self.rewrite(context, &values)
    }

    /// Inserts between two elements without moving others, unless the sub-key would be too long.
    fn insert_between(&mut self, context: &mut Context<'_>, position: u64, value: &[u8]) -> Done {
        let low = self.sub_at(context.txn, position - 1)?;
        let high = self.sub_at(context.txn, position)?;
        self.coll.row.head.encoding = SPARSE;
        match places::between(&low, &high) {
            sub if sub.len() <= SUB_MAX => self.insert_at(context, &sub, value),
            _ => self.insert_spread(context, position, value),
        }
    }

    /// Inserts an element, and gives its neighbours on both sides evenly spaced sub-keys.
    fn insert_spread(&mut self, context: &mut Context<'_>, position: u64, value: &[u8]) -> Done {
        let start = position.saturating_sub(MOVED_MAX);
        let end = (position + MOVED_MAX).min(self.len());
        let low = match start.checked_sub(1) {
            Some(before) => self.sub_at(context.txn, before)?,
            None => {
                self.head -= 1;
                places::of_index(self.head)
            }
        };
        let high = match end < self.len() {
            true => self.sub_at(context.txn, end)?,
            false => places::of_index(self.tail),
        };
        let mut old = Vec::new();
        let mut values = Vec::new();
        self.walk(context.txn, End::Head, start, end - start, |sub, value| {
            old.push(Sub::from_slice(sub));
            values.push(value.to_vec());
            true
        })?;
        values.insert((position - start) as usize, value.to_vec());
        for sub in old {
            context.sub_delete(&self.coll, DATA, &sub)?;
        }
        let mut subs = Vec::new();
        places::spread(&low, &high, values.len(), &mut subs);
        for (sub, value) in subs.iter().zip(&values) {
            context.sub_put(&self.coll, DATA, sub, value)?;
        }
        self.coll.row.count += 1;
        Ok(())
    }

    /// Writes the row of a further element.
    fn insert_at(&mut self, context: &mut Context<'_>, sub: &[u8], value: &[u8]) -> Done {
        self.coll.row.count += 1;
        context.sub_put(&self.coll, DATA, sub, value)
    }

    /// Writes elements at consecutive indices.
    fn put_from(&self, context: &mut Context<'_>, index: u64, values: &[Vec<u8>]) -> Done {
        for (index, value) in (index..).zip(values) {
            context.sub_put(&self.coll, DATA, &places::of_index(index), value)?;
        }
        Ok(())
    }

    /// Writes all elements again, as a dense list with a new version.
    fn rewrite(&mut self, context: &mut Context<'_>, values: &[Vec<u8>]) -> Done {
        context.discard_rows(&self.coll)?;
        self.coll.row.version = context.server.store.versions().next();
        self.coll.row.head.encoding = DENSE;
        (self.head, self.tail) = (START, START + values.len() as u64);
        self.coll.row.count = values.len() as u64;
        self.put_from(context, START, values)
    }

    /// Returns the elements of a part, without those at `left_out`, positions that ascend.
    fn values(&self, txn: &Txn, start: u64, length: u64, left_out: &[u64]) -> Done<Vec<Vec<u8>>> {
        let (mut values, mut left_out) = (Vec::new(), left_out.iter().copied().peekable());
        let mut position = start;
        self.walk(txn, End::Head, start, length, |_, value| {
            if left_out.next_if_eq(&position).is_none() {
                values.push(value.to_vec());
            }
            position += 1;
            true
        })?;
        Ok(values)
    }

    /// Returns the sub-keys at positions, which ascend.
    fn subs_at(&self, txn: &Txn, positions: &[u64]) -> Done<Vec<Sub>> {
        if self.is_dense() {
            return Ok(positions.iter().map(|at| places::of_index(self.head + at)).collect());
        }
        let (mut subs, mut wanted) = (Vec::new(), positions.iter().copied().peekable());
        let mut position = 0;
        self.walk(txn, End::Head, 0, self.len(), |sub, _| {
            if wanted.next_if_eq(&position).is_some() {
                subs.push(Sub::from_slice(sub));
            }
            position += 1;
            wanted.peek().is_some()
        })?;
        Ok(subs)
    }
}
