//! Commands that read scores, ranks and counts.

use super::reply_score;
use super::set::{SortedSet, Span};
use crate::redis::args::{Args, wrong_arity};
use crate::redis::context::Context;
use crate::redis::failure::{Done, SYNTAX};
use crate::redis::sample::{Amount, Sample};
use crate::rows::redis::{SCORE, Type};
use crate::rows::sorted_set::{parse_score, rank_sub, score_bytes};
use crate::text::double;
use crate::text::range::{LexRange, ScoreRange};

/// The error of a range of scores.
pub(super) const NOT_SCORES: &str = "ERR min or max is not a float";
/// The error of a range of members.
pub(super) const NOT_MEMBERS: &str = "ERR min or max not valid string range item";

pub(super) fn zcard(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let length = SortedSet::find(context, args.at(1))?.map_or(0, |set| set.len());
    context.out.integer(length as i64);
    Ok(())
}

pub(super) fn zscore(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let score = match SortedSet::find(context, args.at(1))? {
        Some(set) => set.score(context.txn, args.at(2))?,
        None => None,
    };
    match score {
        Some(score) => reply_score(context.out, score),
        None => context.out.null(),
    }
    Ok(())
}

pub(super) fn zmscore(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let members = args.from(2);
    let scores = match SortedSet::find(context, args.at(1))? {
        Some(set) => set.scores(context.txn, members)?,
        None => members.iter().map(|_| None).collect(),
    };
    context.out.array(members.len());
    for score in scores {
        match score {
            Some(score) => reply_score(context.out, score),
            None => context.out.null(),
        }
    }
    Ok(())
}

pub(super) fn zrank(context: &mut Context<'_>, args: Args<'_>) -> Done {
    rank(context, args, false)
}

pub(super) fn zrevrank(context: &mut Context<'_>, args: Args<'_>) -> Done {
    rank(context, args, true)
}

fn rank(context: &mut Context<'_>, args: Args<'_>, is_backwards: bool) -> Done {
    if args.len() > 4 {
        return Err(wrong_arity(context.command.full_name));
    }
    let with_score = args.len() == 4;
    if with_score && !args.is(3, "withscore") {
        return Err(SYNTAX.into());
    }
    let found = match SortedSet::find(context, args.at(1))? {
        Some(set) => find_rank(context, &set, args.at(2), is_backwards)?,
        None => None,
    };
    match found {
        Some((rank, score)) if with_score => {
            context.out.array(2);
            context.out.integer(rank);
            reply_score(context.out, score);
        }
        Some((rank, _)) => context.out.integer(rank),
        None if with_score => context.out.null_array(),
        None => context.out.null(),
    }
    Ok(())
}

/// Returns a member's index and its score.
fn find_rank(
    context: &mut Context<'_>,
    set: &SortedSet<'_>,
    member: &[u8],
    is_backwards: bool,
) -> Done<Option<(i64, f64)>> {
    let Some(score) = set.score(context.txn, member)? else { return Ok(None) };
    let mut sub = rank_sub(score, member);
    let rank = if is_backwards {
        // The next sub-key behind the member's.
        sub.push(0);
        set.count_rows(context, SCORE, &sub, None)?
    } else {
        set.count_rows(context, SCORE, b"", Some(&sub))?
    };
    Ok(Some((rank.cast_signed(), score)))
}

pub(super) fn zcount(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let range = ScoreRange::parse(args.at(2), args.at(3)).ok_or(NOT_SCORES)?;
    count(context, args.at(1), &Span::Scores(range))
}

pub(super) fn zlexcount(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let range = LexRange::parse(args.at(2), args.at(3)).ok_or(NOT_MEMBERS)?;
    count(context, args.at(1), &Span::Members(range))
}

fn count(context: &mut Context<'_>, key: &[u8], span: &Span<'_>) -> Done {
    let count = match SortedSet::find(context, key)? {
        Some(set) => set.count(context, span)?,
        None => 0,
    };
    context.out.integer(count.cast_signed());
    Ok(())
}

pub(super) fn zrandmember(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let amount = Amount::parse(args, "withscores")?;
    let Some(set) = SortedSet::find(context, args.at(1))? else {
        match amount {
            Some(_) => context.out.array(0),
            None => context.out.null(),
        }
        return Ok(());
    };
    let count = amount.map_or(1, |amount| amount.count);
    let mut sample = Sample::choose(set.len(), count)?;
    let mut walk = set.walk(context.txn, &Span::ALL, false)?;
    while !sample.is_complete()
        && let Some((member, score)) = walk.next()?
    {
        sample.see(member, || score_bytes(score).to_vec());
    }
    let Some(amount) = amount else {
        sample.reply_one(context.out);
        return Ok(());
    };
    let reply = amount.has_values.then_some(|out: &mut crate::resp::Reply, score: &[u8]| {
        reply_score(out, parse_score(score).unwrap_or(0.0));
    });
    sample.reply(context.out, reply);
    Ok(())
}

pub(super) fn zscan(context: &mut Context<'_>, args: Args<'_>) -> Done {
    context.scan_collection(args, Type::SortedSet, |out, _, member, value| {
        let Some(score) = parse_score(value) else { return 0 };
        out.bulk(member);
        out.bulk(double::format(score).as_bytes());
        2
    })
}
