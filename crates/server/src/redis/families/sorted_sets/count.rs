//! Ranks and numbers of members. Those of large sets come from an index of blocks: see [`ranks`](crate::redis::ranks).

use super::set::{SortedSet, Span, Walk, ends};
use crate::redis::context::{Cause, Context};
use crate::redis::failure::{DAMAGED, Done, Failure};
use crate::redis::ranks::{BLOCK_ROWS, Block, Divider, Home};
use crate::redis::values::Coll;
use crate::rows::redis::{Collection, Head, SCORE};
use crate::store::Range;

/// Members that are passed over one by one before an index is used.
const WALKED_MAX: u64 = 1024;
/// The rows of a block that a worker divides at once. More are divided on a thread.
const DIVIDED_MAX: u64 = 8192;
/// How often an evaluation divides blocks before it does without.
const DIVISIONS_MAX: u32 = 4;
/// How often it waits for divisions of others, a millisecond or more each, before it divides blocks under its latch.
const WAITS_MAX: u32 = 10_000;

impl SortedSet<'_> {
    /// Returns the number of members in a part of the set.
    pub fn count(&self, context: &mut Context<'_>, span: &Span<'_>) -> Done<u64> {
        let (kind, from, to) = ends(span);
        let (Some(from), Some(to)) = (from, to) else { return Ok(0) };
        self.count_rows(context, kind, &from, to.as_deref())
    }

    /// Returns the number of rows of a kind from a sub-key (included) to another (excluded); `None` is the end.
    pub fn count_rows(
        &self,
        context: &mut Context<'_>,
        kind: u8,
        from: &[u8],
        to: Option<&[u8]>,
    ) -> Done<u64> {
        if to.is_some_and(|to| to <= from) {
            return Ok(0);
        }
        let home = self.home(kind);
        let is_small = self.len() <= WALKED_MAX;
        if is_small || !context.server.ranks.has(&home) {
            let most = if is_small { u64::MAX } else { WALKED_MAX };
            let count = self.walk_rows(context, self.coll.range(kind, from, to), most)?;
            if count < most {
                return Ok(count);
            }
        }
        let below = match to {
            Some(to) => self.rows_below(context, &home, kind, to)?,
            None => self.len(),
        };
        let outside =
            if from.is_empty() { 0 } else { self.rows_below(context, &home, kind, from)? };
        Ok(below.saturating_sub(outside))
    }

    /// Returns a walk over members by their index in its direction. It begins near the first one, if it may use the
    /// index.
    pub fn walk_ranks(
        &self,
        context: &mut Context<'_>,
        (start, count): (u64, u64),
        is_backwards: bool,
    ) -> Done<Walk> {
        let (last, span) = (self.len().saturating_sub(1), Span::Ranks { start, count });
        let is_far = start.min(last.saturating_sub(start)) > WALKED_MAX;
        // In a group of a pipeline or a transaction it walks.
        let may_divide = context.cause() == Cause::Client || context.is_detached();
        if count > 0 && is_far && may_divide {
            let rank = if is_backwards { last - start } else { start };
            if let Some(block) = self.block_with_rank(context, rank)? {
                let mut walk = self.walk(context.txn, &Span::ALL, is_backwards)?;
                walk.begin_in(&self.coll, &block.start, rank - block.before)?;
                walk.limit(count);
                return Ok(walk);
            }
        }
        self.walk(context.txn, &span, is_backwards)
    }

    fn home(&self, kind: u8) -> Home {
        Home::new(self.coll.place.partition, &self.coll.prefix(kind))
    }

    /// Counts the rows of a range, up to a number.
    fn walk_rows(&self, context: &Context<'_>, range: Range, most: u64) -> Done<u64> {
        let (mut rows, mut count) = (context.sub_range(&self.coll, range)?, 0);
        let mut row = rows.first()?;
        while row.is_some() && count < most {
            count += 1;
            row = rows.next()?;
        }
        Ok(count)
    }

    /// Returns the number of rows below a sub-key.
    fn rows_below(
        &self,
        context: &mut Context<'_>,
        home: &Home,
        kind: u8,
        sub: &[u8],
    ) -> Done<u64> {
        let find = |context: &Context<'_>| context.server.ranks.find(home, sub);
        if let Some(block) = self.small_block(context, (home, kind), find)?
            && let Some(own) = context.effects.ranks.below(home, &block.start)
        {
            let range = self.coll.range(kind, &block.start, Some(sub));
            let inside = self.walk_rows(context, range, u64::MAX)?;
            return Ok(block.before.saturating_add_signed(own) + inside);
        }
        self.walk_rows(context, self.coll.range(kind, b"", Some(sub)), u64::MAX)
    }

    /// Returns the block that has the member of a rank, if there is an index without changes of this evaluation.
    fn block_with_rank(&self, context: &mut Context<'_>, rank: u64) -> Done<Option<Block>> {
        let home = self.home(SCORE);
        if context.effects.ranks.may_have(&home) {
            return Ok(None);
        }
        let find = |context: &Context<'_>| context.server.ranks.find_rank(&home, rank);
        self.small_block(context, (&home, SCORE), find)
    }

    /// Returns a block that `find` finds in the index, after the index was created and the block was divided. `None` if
    /// there can be no index.
    fn small_block(
        &self,
        context: &mut Context<'_>,
        (home, kind): (&Home, u8),
        find: impl Fn(&Context<'_>) -> Option<Block>,
    ) -> Done<Option<Block>> {
        for _ in 0..DIVISIONS_MAX {
            match find(context) {
                Some(block) if block.count <= 2 * BLOCK_ROWS => return Ok(Some(block)),
                Some(block) => {
                    if !self.divide(context, home, kind, block)? {
                        return Ok(None);
                    }
                }
                None => match self.committed_len(context)? {
                    Some(rows) => context.server.ranks.create(home, rows),
                    None => return Ok(None),
                },
            }
        }
        Ok(None)
    }

    /// Returns the number of members without what this evaluation wrote; `None` if the set is a new one.
    fn committed_len(&self, context: &Context<'_>) -> Done<Option<u64>> {
        if context.txn.is_empty() {
            return Ok(Some(self.len()));
        }
        let (mut row, place) = (None, &self.coll.place);
        context.server.store.get(place.partition, &place.meta(), None, &mut |value| {
            row = Head::parse(value).and_then(|(head, body)| Collection::parse(head, body));
        })?;
        Ok(row.filter(|row| row.version == self.coll.row.version).map(|row| row.count))
    }

    /// Divides a block. A large one is left to a thread, which divides it without latches, if this can be. Returns
    /// `false` if the index would take too much memory.
    fn divide(&self, context: &mut Context<'_>, home: &Home, kind: u8, block: Block) -> Done<bool> {
        let is_large = block.count > DIVIDED_MAX;
        if is_large && !context.is_detached() {
            return Err(match context.cause() {
                Cause::Client => Failure::NeedsThread,
                _ => Failure::TooLong { ran_us: 0 },
            });
        }
        if context.server.ranks.is_too_large(home) {
            return Ok(false);
        }
        let range = self.coll.range(kind, &block.start, block.end.as_deref());
        // Only committed rows are counted.
        let mut cursor = context.server.store.cursor(self.coll.place.partition, &range, None)?;
        let prefix_bytes = self.coll.prefix(kind).len();
        let may_begin_anew = context.cause() == Cause::Client && context.txn.is_empty();
        let effects = &context.effects;
        let is_patient = effects.divisions < DIVISIONS_MAX && effects.waits < WAITS_MAX;
        if is_large && may_begin_anew && is_patient {
            let ranks = &context.server.ranks;
            context.effects.division = ranks.begin_division(home, block, cursor, prefix_bytes);
            return Err(Failure::Undivided);
        }
        let mut divider = Divider::new(&block.start);
        cursor.seek_to_end(false);
        while let Some((row, _)) = cursor.item() {
            divider.add(row.get(prefix_bytes..).ok_or(DAMAGED)?);
            cursor.step(false);
        }
        cursor.status()?;
        context.server.ranks.divide(home, &block, divider.finish());
        Ok(true)
    }
}

impl Context<'_> {
    /// Notes that a row of a sorted set was written (1) or deleted (-1), if somebody may count rows: an index, or a
    /// later command of the same evaluation.
    pub(super) fn note_rank(
        &mut self,
        coll: &Coll<'_>,
        key: &[u8],
        prefix_bytes: usize,
        delta: i64,
    ) {
        let is_last = matches!(self.cause(), Cause::Client | Cause::Wake);
        if !is_last || !self.server.ranks.is_empty() {
            self.effects.ranks.add(coll.place.partition, key, prefix_bytes, delta);
        }
    }
}
