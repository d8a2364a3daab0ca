//! Unions, intersections and differences of sorted sets and sets.
//!
//! The result is collected in memory before it is replied or stored.

use super::reply_score;
use super::set::{SortedSet, Span};
use crate::redis::args::{Args, Options, is};
use crate::redis::context::Context;
use crate::redis::failure::{Done, NOT_INTEGER, SYNTAX, WRONG_TYPE};
use crate::redis::members::{member_key, member_of};
use crate::redis::values::Coll;
use crate::resp::Protocol;
use crate::rows::redis::{DATA, Type};
use crate::rows::sorted_set::score_bytes;
use crate::text::double;
use std::collections::HashMap;

/// How the scores of a member in several sets become one.
#[derive(Clone, Copy, Debug, Default)]
enum Aggregate {
    #[default]
    Sum,
    Min,
    Max,
}

impl Aggregate {
    fn parse(word: &[u8]) -> Done<Aggregate> {
        match word {
            word if is(word, "sum") => Ok(Aggregate::Sum),
            word if is(word, "min") => Ok(Aggregate::Min),
            word if is(word, "max") => Ok(Aggregate::Max),
            _ => Err(SYNTAX.into()),
        }
    }

    fn apply(self, one: f64, other: f64) -> f64 {
        match self {
            Aggregate::Sum => not_nan(one + other),
            Aggregate::Min if other < one => other,
            Aggregate::Max if other > one => other,
            Aggregate::Min | Aggregate::Max => one,
        }
    }
}

/// Returns 0 for a sum of opposite infinities, and for an infinity times 0.
fn not_nan(score: f64) -> f64 {
    if score.is_nan() { 0.0 } else { score }
}

/// An operation on sets.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Operation {
    Union,
    Inter,
    Diff,
    InterCard,
}

/// What an input key holds.
enum Source<'k> {
    Absent,
    Set(Coll<'k>),
    Sorted(SortedSet<'k>),
}

impl<'k> Source<'k> {
    fn find(context: &Context<'_>, key: &'k [u8]) -> Done<Source<'k>> {
        let head = context.head(&context.place(key))?;
        let found = match head.map(|head| head.ty) {
            None => None,
            Some(Type::SortedSet) => SortedSet::find(context, key)?.map(Source::Sorted),
            Some(Type::Set) => context.collection(key, Type::Set)?.map(Source::Set),
            Some(_) => return Err(WRONG_TYPE.into()),
        };
        Ok(found.unwrap_or(Source::Absent))
    }

    fn len(&self) -> u64 {
        match self {
            Source::Absent => 0,
            Source::Set(set) => set.row.count,
            Source::Sorted(set) => set.len(),
        }
    }

    /// Passes all members and their scores to `found`, while it returns true. Those of sets have the score 1.
    fn each(&self, context: &Context<'_>, mut found: impl FnMut(&[u8], f64) -> Done<bool>) -> Done {
        match self {
            Source::Absent => {}
            Source::Set(set) => {
                let mut members = context.members(Some(set))?;
                while let Some(sub) = members.sub()
                    && found(member_of(sub), 1.0)?
                {
                    members.advance()?;
                }
            }
            Source::Sorted(set) => {
                let mut walk = set.walk(context.txn, &Span::ALL, false)?;
                while let Some((member, score)) = walk.next()?
                    && found(member, score)?
                {}
            }
        }
        Ok(())
    }

    /// Returns the score of a member.
    fn score(&self, context: &Context<'_>, member: &[u8]) -> Done<Option<f64>> {
        match self {
            Source::Absent => Ok(None),
            Source::Set(set) => Ok(context.sub_get(set, DATA, &member_key(member), |_| 1.0)?),
            Source::Sorted(set) => set.score(context.txn, member),
        }
    }
}

/// A parsed command.
struct Query<'k> {
    operation: Operation,
    sources: Vec<(Source<'k>, f64)>,
    aggregate: Aggregate,
    has_scores: bool,
    /// The highest result of ZINTERCARD; 0 is without end.
    limit: u64,
}

/// Members with their scores.
type Members = Vec<(Vec<u8>, f64)>;

impl<'k> Query<'k> {
    /// Parses `numkeys key ... [options]`, which begin at an index.
    fn parse(
        context: &Context<'_>,
        args: Args<'k>,
        at: usize,
        operation: Operation,
    ) -> Done<Query<'k>> {
        let number = args.integer(at)?;
        if number < 1 {
            let name = context.command.full_name;
            return Err(format!("ERR at least 1 input key is needed for '{name}' command").into());
        }
        let number = usize::try_from(number).map_err(|_| NOT_INTEGER)?;
        if number > args.len().saturating_sub(at + 1) {
            return Err(SYNTAX.into());
        }
        let mut sources = Vec::with_capacity(number);
        for key in args.range(at + 1, at + 1 + number) {
            sources.push((Source::find(context, key)?, 1.0));
        }
        let (aggregate, has_scores, limit) = (Aggregate::Sum, false, 0);
        let mut query = Query { operation, sources, aggregate, has_scores, limit };
        query.parse_options(args.options(at + 1 + number), at == 2)?;
        Ok(query)
    }

    fn parse_options(&mut self, mut options: Options<'_>, is_store: bool) -> Done {
        let has_weights = matches!(self.operation, Operation::Union | Operation::Inter);
        let is_card = self.operation == Operation::InterCard;
        while let Some(word) = options.next() {
            if has_weights && options.left() >= self.sources.len() && is(word, "weights") {
                for (_, weight) in &mut self.sources {
                    *weight =
                        double::parse(options.value()?).ok_or("ERR weight value is not a float")?;
                }
            } else if has_weights && options.left() >= 1 && is(word, "aggregate") {
                self.aggregate = Aggregate::parse(options.value()?)?;
            } else if !is_store && !is_card && is(word, "withscores") {
                self.has_scores = true;
            } else if is_card && options.left() >= 1 && is(word, "limit") {
                let limit = crate::text::integer::parse(options.value()?);
                let limit = limit.and_then(|limit| u64::try_from(limit).ok());
                self.limit = limit.ok_or("ERR LIMIT can't be negative")?;
            } else {
                return Err(SYNTAX.into());
            }
        }
        Ok(())
    }

    /// Returns the result in the order of scores.
    fn run(&mut self, context: &Context<'_>) -> Done<Members> {
        // Sums of floating-point numbers depend on the order of their parts. Redis's is this.
        if self.operation != Operation::Diff {
            self.sources.sort_by_key(|(source, _)| source.len());
        }
        let mut members = match self.operation {
            Operation::Union => self.union(context)?,
            Operation::Inter | Operation::InterCard => self.intersection(context)?,
            Operation::Diff => self.difference(context)?,
        };
        members.sort_unstable_by(|(one, score), (other, other_score)| {
            let scores = score_bytes(*score).cmp(&score_bytes(*other_score));
            scores.then_with(|| one.cmp(other))
        });
        Ok(members)
    }

    fn union(&self, context: &Context<'_>) -> Done<Members> {
        let mut members: HashMap<Vec<u8>, f64> = HashMap::new();
        for (source, weight) in &self.sources {
            source.each(context, |member, score| {
                let score = not_nan(weight * score);
                match members.get_mut(member) {
                    Some(sum) => *sum = self.aggregate.apply(*sum, score),
                    None => {
                        members.insert(member.to_vec(), score);
                    }
                }
                Ok(true)
            })?;
        }
        Ok(members.into_iter().collect())
    }

    fn intersection(&self, context: &Context<'_>) -> Done<Members> {
        let mut members = Members::new();
        let Some(((first, weight), others)) = self.sources.split_first() else {
            return Ok(members);
        };
        first.each(context, |member, score| {
            let mut sum = not_nan(weight * score);
            for (other, weight) in others {
                let Some(score) = other.score(context, member)? else { return Ok(true) };
                sum = self.aggregate.apply(sum, weight * score);
            }
            members.push((member.to_vec(), sum));
            Ok(self.limit == 0 || (members.len() as u64) < self.limit)
        })?;
        Ok(members)
    }

    fn difference(&self, context: &Context<'_>) -> Done<Members> {
        let Some(((first, _), others)) = self.sources.split_first() else {
            return Ok(Members::new());
        };
        let mut members: HashMap<Vec<u8>, f64> = HashMap::new();
        first.each(context, |member, score| {
            members.insert(member.to_vec(), score);
            Ok(true)
        })?;
        for (other, _) in others {
            if other.len() <= members.len() as u64 {
                other.each(context, |member, _| {
                    members.remove(member);
                    Ok(!members.is_empty())
                })?;
                continue;
            }
            let mut common = Vec::new();
            for member in members.keys() {
                if other.score(context, member)?.is_some() {
                    common.push(member.clone());
                }
            }
            for member in common {
                members.remove(&member);
            }
        }
        Ok(members.into_iter().collect())
    }
}

fn reply(context: &mut Context<'_>, args: Args<'_>, operation: Operation) -> Done {
    let mut query = Query::parse(context, args, 1, operation)?;
    let members = query.run(context)?;
    let is_nested = query.has_scores && context.out.protocol == Protocol::Resp3;
    let per_member = if query.has_scores && !is_nested { 2 } else { 1 };
    context.out.array(members.len() * per_member);
    for (member, score) in &members {
        if is_nested {
            context.out.array(2);
        }
        context.out.bulk(member);
        if query.has_scores {
            reply_score(context.out, *score);
        }
    }
    Ok(())
}

fn store(
    context: &mut Context<'_>,
    args: Args<'_>,
    operation: Operation,
    event: &'static str,
) -> Done {
    let members = Query::parse(context, args, 2, operation)?.run(context)?;
    SortedSet::store(context, args.at(1), &members, event)
}

pub(super) fn zunion(context: &mut Context<'_>, args: Args<'_>) -> Done {
    reply(context, args, Operation::Union)
}

pub(super) fn zinter(context: &mut Context<'_>, args: Args<'_>) -> Done {
    reply(context, args, Operation::Inter)
}

pub(super) fn zdiff(context: &mut Context<'_>, args: Args<'_>) -> Done {
    reply(context, args, Operation::Diff)
}

pub(super) fn zintercard(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let members = Query::parse(context, args, 1, Operation::InterCard)?.run(context)?;
    context.out.count(members.len());
    Ok(())
}

pub(super) fn zunionstore(context: &mut Context<'_>, args: Args<'_>) -> Done {
    store(context, args, Operation::Union, "zunionstore")
}

pub(super) fn zinterstore(context: &mut Context<'_>, args: Args<'_>) -> Done {
    store(context, args, Operation::Inter, "zinterstore")
}

pub(super) fn zdiffstore(context: &mut Context<'_>, args: Args<'_>) -> Done {
    store(context, args, Operation::Diff, "zdiffstore")
}
