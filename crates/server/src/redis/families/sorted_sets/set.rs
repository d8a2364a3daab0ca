//! A sorted set as rows, and walks over its members.

use crate::redis::context::Context;
use crate::redis::copies::BulkWriter;
use crate::redis::failure::{DAMAGED, Done};
use crate::redis::values::Coll;
use crate::rows::redis::{DATA, SCORE, Type};
use crate::rows::sorted_set::{above_score_bytes, parse_rank, parse_score, rank_sub, score_bytes};
use crate::store::{Range, Rows, Txn};
use crate::text::range::{LexBound, LexRange, ScoreRange};
use smallvec::SmallVec;

/// A sorted set that a command works on. A new count is stored by [`SortedSet::save`].
pub(in crate::redis::families) struct SortedSet<'k> {
    pub(super) coll: Coll<'k>,
    has_new_count: bool,
}

impl<'k> SortedSet<'k> {
    /// Returns a sorted set; `None` if the key is absent.
    pub fn find(context: &Context<'_>, key: &'k [u8]) -> Done<Option<SortedSet<'k>>> {
        let coll = context.collection(key, Type::SortedSet)?;
        Ok(coll.map(|coll| SortedSet { coll, has_new_count: false }))
    }

    /// Returns a sorted set, which is new if the key is absent.
    pub fn find_or_new(context: &Context<'_>, key: &'k [u8]) -> Done<SortedSet<'k>> {
        let coll = context.collection_or_new(key, Type::SortedSet)?;
        Ok(SortedSet { coll, has_new_count: false })
    }

    /// Replaces what a key holds by these members, each of which occurs once, and replies their number. If there are
    /// none, the key is removed.
    pub fn store(
        context: &mut Context<'_>,
        key: &[u8],
        members: &[(impl AsRef<[u8]>, f64)],
        event: &'static str,
    ) -> Done {
        let mut coll = context.new_collection(key, Type::SortedSet)?;
        context.out.count(members.len());
        let mut writer = BulkWriter::new(context);
        for (member, score) in members {
            let member = member.as_ref();
            writer.put(context, &coll, DATA, member, &score_bytes(*score))?;
            writer.put(context, &coll, SCORE, &rank_sub(*score, member), b"")?;
        }
        writer.finish(context)?;
        coll.row.count = members.len() as u64;
        let was_there = context.remove(&coll.place)?;
        if !members.is_empty() {
            context.save(&mut coll)?;
            context.notify(b'z', event, key);
        } else if was_there {
            context.notify(b'g', "del", key);
        }
        Ok(())
    }

    /// Returns the number of members.
    pub fn len(&self) -> u64 {
        self.coll.row.count
    }

    /// Returns whether the key was there.
    pub fn is_stored(&self) -> bool {
        self.coll.is_stored
    }

    /// Returns the score of a member.
    pub fn score(&self, txn: &Txn, member: &[u8]) -> Done<Option<f64>> {
        let key = self.coll.sub_key(DATA, member);
        match txn.get(self.coll.place.partition, &key, parse_score)? {
            None => Ok(None),
            Some(score) => Ok(Some(score.ok_or(DAMAGED)?)),
        }
    }

    /// Returns the scores of members.
    pub fn scores(&self, txn: &Txn, members: &[&[u8]]) -> Done<SmallVec<[Option<f64>; 8]>> {
        if !self.coll.is_stored {
            return Ok(members.iter().map(|_| None).collect());
        }
        if let [member] = members {
            return Ok(SmallVec::from_iter([self.score(txn, member)?]));
        }
        let partition = self.coll.place.partition;
        let keys: Vec<_> =
            members.iter().map(|member| (partition, self.coll.sub_key(DATA, member))).collect();
        let mut scores = SmallVec::with_capacity(keys.len());
        for value in txn.multi_get(&keys)? {
            let score = match value {
                Some(value) => Some(parse_score(&value).ok_or(DAMAGED)?),
                None => None,
            };
            scores.push(score);
        }
        Ok(scores)
    }

    /// Writes a member whose score is `old`, or which is absent.
    pub fn put(
        &mut self,
        context: &mut Context<'_>,
        member: &[u8],
        score: f64,
        old: Option<f64>,
    ) -> Done {
        match old {
            Some(old) => self.delete_row(context, SCORE, &rank_sub(old, member))?,
            None => {
                self.coll.row.count += 1;
                self.has_new_count = true;
            }
        }
        let key = self.coll.sub_key(DATA, member);
        context.txn.put(self.coll.place.partition, &key, &score_bytes(score))?;
        if old.is_none() {
            context.note_rank(&self.coll, &key, key.len() - member.len(), 1);
        }
        let sub = rank_sub(score, member);
        let key = self.coll.sub_key(SCORE, &sub);
        context.txn.put(self.coll.place.partition, &key, b"")?;
        context.note_rank(&self.coll, &key, key.len() - sub.len(), 1);
        Ok(())
    }

    /// Deletes a member of this score.
    pub fn delete(&mut self, context: &mut Context<'_>, member: &[u8], score: f64) -> Done {
        self.coll.row.count = self.coll.row.count.saturating_sub(1);
        self.has_new_count = true;
        self.delete_row(context, DATA, member)?;
        self.delete_row(context, SCORE, &rank_sub(score, member))
    }

    fn delete_row(&self, context: &mut Context<'_>, kind: u8, sub: &[u8]) -> Done {
        let key = self.coll.sub_key(kind, sub);
        context.txn.delete(self.coll.place.partition, &key)?;
        context.note_rank(&self.coll, &key, key.len() - sub.len(), -1);
        Ok(())
    }

    /// Stores the count. Returns whether no member is left, so that the key is removed.
    pub fn save(&mut self, context: &mut Context<'_>) -> Done<bool> {
        if self.has_new_count || !self.coll.is_stored {
            context.save(&mut self.coll)?;
        } else {
            context.touch(self.coll.place.key);
        }
        Ok(self.coll.row.count == 0)
    }

    /// Returns a walk over a part of the members, forwards or backwards.
    pub fn walk(&self, txn: &Txn, span: &Span<'_>, is_backwards: bool) -> Done<Walk> {
        let (kind, from, to) = ends(span);
        let prefix_bytes = self.coll.prefix(kind).len();
        let mut walk = Walk {
            rows: None,
            kind,
            prefix_bytes,
            is_backwards,
            step: Step::Begin,
            left: u64::MAX,
        };
        let (Some(from), Some(to)) = (from, to) else { return Ok(walk) };
        let range: Range = self.coll.range(kind, &from, to.as_deref());
        if range.start < range.end {
            walk.rows = Some(txn.rows(self.coll.place.partition, range)?);
        }
        if let Span::Ranks { start, count } = span {
            walk.begin_at(self.len(), *start, *count)?;
        }
        Ok(walk)
    }
}

/// Returns the kind of the rows of a part of a sorted set, the first sub-key, and the one behind the part, of which
/// `None` is the end of all rows. Without one of them the part is empty.
pub(super) fn ends(span: &Span<'_>) -> (u8, Option<Sub>, Option<Option<Sub>>) {
    match span {
        Span::Scores(range) => score_ends(range),
        Span::Members(range) => (DATA, lex_start(range.min), lex_end(range.max)),
        Span::Ranks { .. } => (SCORE, Some(Sub::new()), Some(None)),
    }
}

/// The end of a sub-key.
pub(super) type Sub = SmallVec<[u8; 64]>;

/// A part of a sorted set.
#[derive(Clone, Debug)]
pub(in crate::redis::families) enum Span<'a> {
    /// Members by their index in the direction of the walk.
    Ranks {
        /// The first index.
        start: u64,
        /// The number of members.
        count: u64,
    },
    /// Members with scores in a range.
    Scores(ScoreRange),
    /// Members in a range of bytes, in the order of members. If scores differ, the result is not Redis's, which is
    /// arbitrary then.
    Members(LexRange<'a>),
}

impl Span<'_> {
    /// All members in the order of scores.
    pub const ALL: Span<'static> = Span::Ranks { start: 0, count: u64::MAX };

    /// Returns the members from one index to another, negative ones counted from the end, of a set of this length.
    pub fn of_indices(start: i64, stop: i64, length: u64) -> Span<'static> {
        let length = i64::try_from(length).unwrap_or(i64::MAX);
        let absolute = |index: i64| if index < 0 { index.saturating_add(length) } else { index };
        let (start, stop) = (absolute(start).max(0), absolute(stop).min(length - 1));
        let count = if start > stop { 0 } else { stop.abs_diff(start) + 1 };
        Span::Ranks { start: start.unsigned_abs(), count }
    }
}

/// Returns the first sub-key of a range of scores, and the one behind the range. `None` is an empty range.
fn score_ends(range: &ScoreRange) -> (u8, Option<Sub>, Option<Option<Sub>>) {
    if range.is_empty() {
        return (SCORE, None, None);
    }
    let place =
        |score, is_above| if is_above { above_score_bytes(score) } else { score_bytes(score) };
    let from = place(range.min.score, range.min.exclusive);
    let to = place(range.max.score, !range.max.exclusive);
    (SCORE, Some(Sub::from_slice(&from)), Some(Some(Sub::from_slice(&to))))
}

/// Returns the first sub-key at or above the lower end of a range; `None` if there is none.
fn lex_start(bound: LexBound<'_>) -> Option<Sub> {
    match bound {
        LexBound::First => Some(Sub::new()),
        LexBound::Last => None,
        LexBound::Inclusive(member) => Some(Sub::from_slice(member)),
        LexBound::Exclusive(member) => Some(after(member)),
    }
}

/// Returns the sub-key behind the upper end of a range, of which `None` is the end of all rows; `None` if the range is
/// empty.
fn lex_end(bound: LexBound<'_>) -> Option<Option<Sub>> {
    match bound {
        LexBound::First => None,
        LexBound::Last => Some(None),
        LexBound::Inclusive(member) => Some(Some(after(member))),
        LexBound::Exclusive(member) => Some(Some(Sub::from_slice(member))),
    }
}

/// Returns the next bytes behind a member.
fn after(member: &[u8]) -> Sub {
    let mut sub = Sub::from_slice(member);
    sub.push(0);
    sub
}

/// A walk over members and their scores. It sees the rows as they were when it was created.
pub(in crate::redis::families) struct Walk {
    rows: Option<Rows>,
    kind: u8,
    prefix_bytes: usize,
    is_backwards: bool,
    step: Step,
    left: u64,
}

/// How a walk finds its next row.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Step {
    /// At an end of the range.
    Begin,
    /// Where the rows are.
    Stay,
    /// Behind where the rows are.
    Move,
}

impl Walk {
    /// Returns the next member and its score.
    pub fn next(&mut self) -> Done<Option<(&[u8], f64)>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let Some(rows) = &mut self.rows else { return Ok(None) };
        let row = match (self.step, self.is_backwards) {
            (Step::Begin, false) => rows.first()?,
            (Step::Begin, true) => rows.last()?,
            (Step::Stay, _) => rows.item(),
            (Step::Move, _) => rows.next()?,
        };
        self.step = Step::Move;
        let Some((key, value)) = row else { return Ok(None) };
        let sub = key.get(self.prefix_bytes..).unwrap_or_default();
        let found = match self.kind {
            SCORE => parse_rank(sub),
            _ => parse_score(value).map(|score| (sub, score)),
        };
        Ok(Some(found.ok_or(DAMAGED)?))
    }

    /// Passes over so many members.
    pub fn skip(&mut self, count: u64) -> Done {
        for _ in 0..count {
            if self.next()?.is_none() {
                break;
            }
        }
        Ok(())
    }

    /// Ends the walk after so many further members.
    pub fn limit(&mut self, count: u64) {
        self.left = count;
    }

    /// Moves to the member that is so many rows behind the first one at or above a sub-key.
    pub(super) fn begin_in(&mut self, coll: &Coll<'_>, from: &[u8], skipped: u64) -> Done {
        let is_backwards = std::mem::replace(&mut self.is_backwards, false);
        if let Some(rows) = &mut self.rows {
            rows.seek(&coll.sub_key(self.kind, from))?;
        }
        (self.step, self.left) = (Step::Stay, u64::MAX);
        self.skip(skipped)?;
        self.next()?;
        self.is_backwards = is_backwards;
        self.turn()
    }

    /// Moves to an index of a set of this length, from the nearer end.
    fn begin_at(&mut self, length: u64, start: u64, count: u64) -> Done {
        if count == 0 || start >= length {
            self.left = 0;
            return Ok(());
        }
        let behind = length - 1 - start;
        if start <= behind {
            self.skip(start)?;
        } else {
            self.is_backwards = !self.is_backwards;
            self.skip(behind)?;
            self.next()?;
            self.is_backwards = !self.is_backwards;
            self.turn()?;
        }
        self.left = count;
        Ok(())
    }

    /// Makes the rows continue in the direction of the walk from where they are.
    fn turn(&mut self) -> Done {
        let Some(rows) = &mut self.rows else { return Ok(()) };
        let Some(key) = rows.item().map(|(key, _)| key.to_vec()) else { return Ok(()) };
        match self.is_backwards {
            true => rows.seek_for_prev(&key)?,
            false => rows.seek(&key)?,
        };
        self.step = Step::Stay;
        Ok(())
    }
}
