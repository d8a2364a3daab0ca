//! ZADD, ZINCRBY and ZREM.

use super::reply_score;
use super::set::SortedSet;
use crate::redis::args::{Args, is};
use crate::redis::context::Context;
use crate::redis::failure::{Done, SYNTAX};
use std::collections::{HashMap, HashSet};

/// The options of ZADD.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::redis::families) struct Options {
    /// Only add.
    pub nx: bool,
    /// Only update.
    pub xx: bool,
    /// Only update to a higher score.
    pub gt: bool,
    /// Only update to a lower score.
    pub lt: bool,
    /// Count updated members, too.
    pub ch: bool,
    /// Add to the score, and reply it.
    pub incr: bool,
}

impl Options {
    /// Parses the options. Returns them, and the index of the first score.
    fn parse(args: Args<'_>) -> (Options, usize) {
        let mut options = Options::default();
        for at in 2..args.len() {
            let flag = match args.at(at) {
                word if is(word, "nx") => &mut options.nx,
                word if is(word, "xx") => &mut options.xx,
                word if is(word, "gt") => &mut options.gt,
                word if is(word, "lt") => &mut options.lt,
                word if is(word, "ch") => &mut options.ch,
                word if is(word, "incr") => &mut options.incr,
                _ => return (options, at),
            };
            *flag = true;
        }
        (options, args.len())
    }

    /// Checks the options for contradictions.
    fn check(&self, pairs: usize) -> Done {
        if self.nx && self.xx {
            return Err("ERR XX and NX options at the same time are not compatible".into());
        }
        if (self.nx && (self.gt || self.lt)) || (self.gt && self.lt) {
            return Err("ERR GT, LT, and/or NX options at the same time are not compatible".into());
        }
        if self.incr && pairs > 1 {
            return Err("ERR INCR option supports a single increment-element pair".into());
        }
        Ok(())
    }

    /// Returns the new score of a member whose score is `current`; `None` if it keeps its state.
    fn new_score(&self, current: Option<f64>, score: f64) -> Done<Option<f64>> {
        let Some(current) = current else { return Ok((!self.xx).then_some(score)) };
        if self.nx {
            return Ok(None);
        }
        let score = if self.incr { current + score } else { score };
        if score.is_nan() {
            return Err("ERR resulting score is not a number (NaN)".into());
        }
        let is_refused = (self.lt && score >= current) || (self.gt && score <= current);
        Ok((!is_refused).then_some(score))
    }
}

pub(super) fn zadd(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let (options, first) = Options::parse(args);
    add(context, args, options, first)
}

pub(super) fn zincrby(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let (options, first) = Options::parse(args);
    add(context, args, Options { incr: true, ..options }, first)
}

fn add(context: &mut Context<'_>, args: Args<'_>, options: Options, first: usize) -> Done {
    let rest = args.from(first);
    if rest.is_empty() || rest.len() % 2 == 1 {
        return Err(SYNTAX.into());
    }
    options.check(rest.len() / 2)?;
    let mut scores = Vec::with_capacity(rest.len() / 2);
    for at in (first..args.len()).step_by(2) {
        scores.push(args.float(at)?);
    }
    let members: Vec<&[u8]> = rest.iter().skip(1).step_by(2).copied().collect();
    add_members(context, args.at(1), options, &members, &scores)
}

/// Adds members with these scores, and replies as ZADD does.
pub(in crate::redis::families) fn add_members(
    context: &mut Context<'_>,
    key: &[u8],
    options: Options,
    members: &[&[u8]],
    scores: &[f64],
) -> Done {
    let mut set = SortedSet::find_or_new(context, key)?;
    let outcome = decide(context, &set, &options, members, scores)?;
    for (member, old, new) in &outcome.changes {
        set.put(context, member, *new, *old)?;
    }
    if !outcome.changes.is_empty() {
        set.save(context)?;
        context.notify(b'z', if options.incr { "zincr" } else { "zadd" }, key);
    }
    match outcome.last {
        Some(score) if options.incr => reply_score(context.out, score),
        None if options.incr => context.out.null(),
        _ => {
            let updated = if options.ch { outcome.changes.len() } else { outcome.added };
            context.out.count(updated);
        }
    }
    Ok(())
}

/// What a ZADD does.
#[derive(Default)]
struct Outcome<'a> {
    /// Members with their scores before and after.
    changes: Vec<(&'a [u8], Option<f64>, f64)>,
    /// The number of new members.
    added: usize,
    /// The score of the last member that the options allow to be written.
    last: Option<f64>,
}

/// Finds what is to be written, without writing.
fn decide<'a>(
    context: &Context<'_>,
    set: &SortedSet<'_>,
    options: &Options,
    members: &[&'a [u8]],
    scores: &[f64],
) -> Done<Outcome<'a>> {
    let mut outcome = Outcome::default();
    if options.xx && !set.is_stored() {
        return Ok(outcome);
    }
    let stored = set.scores(context.txn, members)?;
    // A member that is named twice has the score that the first pair gave it.
    let mut latest: HashMap<&[u8], f64> = HashMap::new();
    for ((member, score), stored) in members.iter().zip(scores).zip(stored) {
        let current = latest.get(member).copied().or(stored);
        let Some(new) = options.new_score(current, *score)? else { continue };
        outcome.last = Some(new);
        if current == Some(new) {
            continue;
        }
        outcome.added += usize::from(current.is_none());
        outcome.changes.push((member, current, new));
        if members.len() > 1 {
            latest.insert(member, new);
        }
    }
    Ok(outcome)
}

pub(super) fn zrem(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let (key, members) = (args.at(1), args.from(2));
    let Some(mut set) = SortedSet::find(context, key)? else {
        context.out.integer(0);
        return Ok(());
    };
    let scores = set.scores(context.txn, members)?;
    let (mut seen, mut deleted) = (HashSet::new(), 0);
    for (member, score) in members.iter().zip(scores) {
        let Some(score) = score else { continue };
        if members.len() > 1 && !seen.insert(*member) {
            continue;
        }
        set.delete(context, member, score)?;
        deleted += 1;
    }
    if deleted > 0 {
        super::save_removal(context, &mut set, key, "zrem")?;
    }
    context.out.integer(deleted);
    Ok(())
}
