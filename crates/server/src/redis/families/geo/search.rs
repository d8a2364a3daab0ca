//! GEORADIUS, GEORADIUSBYMEMBER and GEOSEARCH: finds, orders, and replies or stores members in an area.

use super::query::{Form, Order, Query};
use super::reply_position;
use crate::geo::{Area, Position, format_distance};
use crate::redis::args::Args;
use crate::redis::context::Context;
use crate::redis::failure::{Done, SYNTAX};
use crate::redis::families::sorted_sets::set::{SortedSet, Span};
use crate::text::range::{ScoreBound, ScoreRange};
use std::collections::HashSet;

/// A member in the searched area.
struct Hit {
    member: Vec<u8>,
    position: Position,
    score: f64,
    /// The distance from the centre, in metres.
    distance: f64,
}

pub(super) fn georadius(context: &mut Context<'_>, args: Args<'_>) -> Done {
    run(context, args, Form::Radius { can_store: true })
}

pub(super) fn georadius_ro(context: &mut Context<'_>, args: Args<'_>) -> Done {
    run(context, args, Form::Radius { can_store: false })
}

pub(super) fn georadiusbymember(context: &mut Context<'_>, args: Args<'_>) -> Done {
    run(context, args, Form::RadiusByMember { can_store: true })
}

pub(super) fn georadiusbymember_ro(context: &mut Context<'_>, args: Args<'_>) -> Done {
    run(context, args, Form::RadiusByMember { can_store: false })
}

pub(super) fn geosearch(context: &mut Context<'_>, args: Args<'_>) -> Done {
    run(context, args, Form::Search)
}

pub(super) fn geosearchstore(context: &mut Context<'_>, args: Args<'_>) -> Done {
    run(context, args, Form::SearchStore)
}

fn run(context: &mut Context<'_>, args: Args<'_>, form: Form) -> Done {
    let query = Query::parse(context, args, form)?;
    let (mut hits, mut unit_metres) = (Vec::new(), 1.0);
    if let Some((set, area)) = query.target() {
        hits = find(context, set, &area, if query.is_any { query.count } else { 0 })?;
        unit_metres = area.unit.metres();
    }
    match query.order {
        Order::None => {}
        Order::Ascending => hits.sort_by(|one, other| one.distance.total_cmp(&other.distance)),
        Order::Descending => hits.sort_by(|one, other| other.distance.total_cmp(&one.distance)),
    }
    if query.count > 0 {
        hits.truncate(query.count);
    }
    match query.store {
        Some(key) => store(context, args, &query, key, hits, unit_metres),
        None => {
            reply(context, &query, &hits, unit_metres);
            Ok(())
        }
    }
}

/// Returns the members in an area: all of them if `limit` is 0.
fn find(context: &Context<'_>, set: &SortedSet<'_>, area: &Area, limit: usize) -> Done<Vec<Hit>> {
    let mut hits = Vec::new();
    for (first, end) in area.score_ranges() {
        let min = ScoreBound { score: first as f64, exclusive: false };
        let max = ScoreBound { score: end as f64, exclusive: true };
        let mut walk = set.walk(context.txn, &Span::Scores(ScoreRange { min, max }), false)?;
        while let Some((member, score)) = walk.next()? {
            let position = Position::from_score(score);
            let Some(distance) = area.distance_inside(position) else { continue };
            hits.push(Hit { member: member.to_vec(), position, score, distance });
            if hits.len() == limit {
                return Ok(hits);
            }
        }
    }
    Ok(hits)
}

fn reply(context: &mut Context<'_>, query: &Query<'_>, hits: &[Hit], unit_metres: f64) {
    let options = [query.has_distance, query.has_hash, query.has_position];
    let options = options.into_iter().filter(|has_option| *has_option).count();
    context.out.array(hits.len());
    for hit in hits {
        if options > 0 {
            context.out.array(options + 1);
        }
        context.out.bulk(&hit.member);
        if query.has_distance {
            context.out.bulk(format_distance(hit.distance / unit_metres).as_bytes());
        }
        if query.has_hash {
            context.out.integer(hit.score as i64);
        }
        if query.has_position {
            reply_position(context, hit.position);
        }
    }
}

fn store(
    context: &mut Context<'_>,
    args: Args<'_>,
    query: &Query<'_>,
    key: &[u8],
    hits: Vec<Hit>,
    unit_metres: f64,
) -> Done {
    // The latches were taken by the first STORE and the first STOREDIST.
    let positions = context.command.key_positions(args);
    if !positions.iter().any(|at| args.at(*at) == key) {
        return Err(SYNTAX.into());
    }
    // Far around a pole, a cell may be searched twice.
    let mut seen = HashSet::new();
    let members: Vec<(&[u8], f64)> = hits
        .iter()
        .filter(|hit| seen.insert(&hit.member))
        .map(|hit| {
            let score = if query.stores_distance { hit.distance / unit_metres } else { hit.score };
            (&hit.member[..], score)
        })
        .collect();
    let event = if query.is_search() { "geosearchstore" } else { "georadiusstore" };
    SortedSet::store(context, key, &members, event)
}
