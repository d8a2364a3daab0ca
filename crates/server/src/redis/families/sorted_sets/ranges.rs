//! ZRANGE and its relatives: replies, stores or removes a range of members.

use super::read::{NOT_MEMBERS, NOT_SCORES};
use super::reply_score;
use super::set::{SortedSet, Span, Walk};
use crate::redis::args::{Args, is, parse_integer};
use crate::redis::context::Context;
use crate::redis::failure::{Done, SYNTAX};
use crate::resp::Protocol;
use crate::text::range::{LexBound, LexRange, ScoreRange};

/// What the ends of a range are.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Order {
    Rank,
    Score,
    Member,
}

/// A parsed range command.
struct Query<'a> {
    key: &'a [u8],
    order: Order,
    is_backwards: bool,
    has_scores: bool,
    offset: i64,
    count: i64,
    min: &'a [u8],
    max: &'a [u8],
}

/// What the name of a command fixes: options for the same are refused then.
#[derive(Clone, Copy, Default)]
struct Fixed {
    order: Option<Order>,
    is_backwards: Option<bool>,
    is_store: bool,
}

impl<'a> Query<'a> {
    /// Parses `key min max [options]`, where the key is at an index.
    fn parse(args: Args<'a>, key_at: usize, fixed: Fixed) -> Done<Query<'a>> {
        let (mut order, mut is_backwards) = (fixed.order, fixed.is_backwards);
        let (mut has_scores, mut offset, mut count) = (false, 0, -1);
        let mut options = args.options(key_at + 3);
        while let Some(word) = options.next() {
            if !fixed.is_store && is(word, "withscores") {
                has_scores = true;
            } else if is(word, "limit") && options.left() >= 2 {
                offset = parse_integer(options.value()?)?;
                count = parse_integer(options.value()?)?;
            } else if fixed.is_backwards.is_none() && is(word, "rev") {
                is_backwards = Some(true);
            } else if order.is_none() && is(word, "bylex") {
                order = Some(Order::Member);
            } else if order.is_none() && is(word, "byscore") {
                order = Some(Order::Score);
            } else {
                return Err(SYNTAX.into());
            }
        }
        let (order, is_backwards) = (order.unwrap_or(Order::Rank), is_backwards.unwrap_or(false));
        if count != -1 && order == Order::Rank {
            return Err("ERR syntax error, LIMIT is only supported in combination with either \
                        BYSCORE or BYLEX"
                .into());
        }
        if has_scores && order == Order::Member {
            return Err(
                "ERR syntax error, WITHSCORES not supported in combination with BYLEX".into()
            );
        }
        let (mut min, mut max) = (args.at(key_at + 1), args.at(key_at + 2));
        if is_backwards && order != Order::Rank {
            (min, max) = (max, min);
        }
        let key = args.at(key_at);
        Ok(Query { key, order, is_backwards, has_scores, offset, count, min, max })
    }

    /// Returns the walk over the result; `None` if the key is absent.
    fn walk(&self, context: &mut Context<'_>) -> Done<Option<Walk>> {
        let ends = Ends::parse(self.order, self.min, self.max)?;
        let Some(set) = SortedSet::find(context, self.key)? else { return Ok(None) };
        let mut walk = begin(context, &set, &ends.span(set.len()), self.is_backwards)?;
        if self.order != Order::Rank {
            match u64::try_from(self.offset) {
                Ok(offset) if offset == 0 || offset < set.len() => {
                    walk.skip(offset)?;
                    // A negative count is without end.
                    walk.limit(u64::try_from(self.count).unwrap_or(u64::MAX));
                }
                _ => walk.limit(0),
            }
        }
        Ok(Some(walk))
    }
}

/// The ends of a range.
enum Ends<'a> {
    Ranks(i64, i64),
    Scores(ScoreRange),
    Members(LexRange<'a>),
}

impl<'a> Ends<'a> {
    fn parse(order: Order, min: &'a [u8], max: &'a [u8]) -> Done<Ends<'a>> {
        Ok(match order {
            Order::Rank => Ends::Ranks(parse_integer(min)?, parse_integer(max)?),
            Order::Score => Ends::Scores(ScoreRange::parse(min, max).ok_or(NOT_SCORES)?),
            Order::Member => match LexRange::parse(min, max).ok_or(NOT_MEMBERS)? {
                // All members, in the order of Redis: clients read sets with several scores this way, too.
                LexRange { min: LexBound::First, max: LexBound::Last } => Ends::Ranks(0, -1),
                range => Ends::Members(range),
            },
        })
    }

    fn span(self, length: u64) -> Span<'a> {
        match self {
            Ends::Ranks(start, stop) => Span::of_indices(start, stop, length),
            Ends::Scores(range) => Span::Scores(range),
            Ends::Members(range) => Span::Members(range),
        }
    }
}

/// Returns a walk over a part of a set. A walk over ranks may begin anew on a thread of its own.
fn begin(
    context: &mut Context<'_>,
    set: &SortedSet<'_>,
    span: &Span<'_>,
    is_backwards: bool,
) -> Done<Walk> {
    match span {
        Span::Ranks { start, count } => set.walk_ranks(context, (*start, *count), is_backwards),
        span => set.walk(context.txn, span, is_backwards),
    }
}

/// Runs a command that replies a range.
fn reply(context: &mut Context<'_>, args: Args<'_>, fixed: Fixed) -> Done {
    let query = Query::parse(args, 1, fixed)?;
    let (start, mut count) = (context.out.position(), 0);
    let is_nested = query.has_scores && context.out.protocol == Protocol::Resp3;
    if let Some(mut walk) = query.walk(context)? {
        while let Some((member, score)) = walk.next()? {
            if is_nested {
                context.out.array(2);
            }
            context.out.bulk(member);
            if query.has_scores {
                reply_score(context.out, score);
            }
            count += 1;
        }
    }
    let per_member = if query.has_scores && !is_nested { 2 } else { 1 };
    context.out.array_later(start, count * per_member);
    Ok(())
}

pub(super) fn zrange(context: &mut Context<'_>, args: Args<'_>) -> Done {
    reply(context, args, Fixed::default())
}

pub(super) fn zrevrange(context: &mut Context<'_>, args: Args<'_>) -> Done {
    reply(context, args, fixed(Order::Rank, true))
}

pub(super) fn zrangebyscore(context: &mut Context<'_>, args: Args<'_>) -> Done {
    reply(context, args, fixed(Order::Score, false))
}

pub(super) fn zrevrangebyscore(context: &mut Context<'_>, args: Args<'_>) -> Done {
    reply(context, args, fixed(Order::Score, true))
}

pub(super) fn zrangebylex(context: &mut Context<'_>, args: Args<'_>) -> Done {
    reply(context, args, fixed(Order::Member, false))
}

pub(super) fn zrevrangebylex(context: &mut Context<'_>, args: Args<'_>) -> Done {
    reply(context, args, fixed(Order::Member, true))
}

fn fixed(order: Order, is_backwards: bool) -> Fixed {
    Fixed { order: Some(order), is_backwards: Some(is_backwards), is_store: false }
}

pub(super) fn zrangestore(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let query = Query::parse(args, 2, Fixed { is_store: true, ..Fixed::default() })?;
    let mut members: Vec<(Vec<u8>, f64)> = Vec::new();
    if let Some(mut walk) = query.walk(context)? {
        while let Some((member, score)) = walk.next()? {
            members.push((member.to_vec(), score));
        }
    }
    SortedSet::store(context, args.at(1), &members, "zrangestore")
}

pub(super) fn zremrangebyrank(context: &mut Context<'_>, args: Args<'_>) -> Done {
    remove(context, args, Order::Rank, "zremrangebyrank")
}

pub(super) fn zremrangebyscore(context: &mut Context<'_>, args: Args<'_>) -> Done {
    remove(context, args, Order::Score, "zremrangebyscore")
}

pub(super) fn zremrangebylex(context: &mut Context<'_>, args: Args<'_>) -> Done {
    remove(context, args, Order::Member, "zremrangebylex")
}

fn remove(context: &mut Context<'_>, args: Args<'_>, order: Order, event: &'static str) -> Done {
    let ends = Ends::parse(order, args.at(2), args.at(3))?;
    let key = args.at(1);
    let mut deleted = 0;
    if let Some(mut set) = SortedSet::find(context, key)? {
        let mut walk = begin(context, &set, &ends.span(set.len()), false)?;
        while let Some((member, score)) = walk.next()? {
            set.delete(context, member, score)?;
            deleted += 1;
        }
        if deleted > 0 {
            super::save_removal(context, &mut set, key, event)?;
        }
    }
    context.out.integer(deleted);
    Ok(())
}
