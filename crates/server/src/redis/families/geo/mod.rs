//! Commands on positions, which are members of sorted sets: their scores are geohashes.

mod query;
mod search;

use super::sorted_sets::add::{Options, add_members};
use super::sorted_sets::set::SortedSet;
use crate::geo::{Position, Unit, format_distance};
use crate::redis::args::{Args, is};
use crate::redis::command::{
    Command, DENYOOM, Flags, Group, Handler, READONLY, READS_FIRST, WRITE,
};
use crate::redis::context::Context;
use crate::redis::failure::{Done, NOT_FLOAT, SYNTAX};
use crate::redis::keyspec::{KeySpec, OW, RO, RW_UPDATE, after, one};
use crate::text::double;

const ADD: Flags = WRITE.and(DENYOOM).and(READS_FIRST);

const fn command(name: &'static str, arity: i32, flags: Flags, run: Handler) -> Command {
    const KEYS: &[KeySpec] = &[one(1, RO)];
    Command::new(name, arity, flags, Group::Geo, run).with_keys(KEYS)
}

const RADIUS_KEYS: &[KeySpec] = &[one(1, RO), after("STORE", 6, OW), after("STOREDIST", 6, OW)];
const MEMBER_KEYS: &[KeySpec] = &[one(1, RO), after("STORE", 5, OW), after("STOREDIST", 5, OW)];

pub(in crate::redis) const COMMANDS: &[Command] = &[
    command("geoadd", -5, ADD, geoadd)
        .with_keys(&[one(1, RW_UPDATE)])
        .with_docs("3.2.0", "Adds members with positions, or changes their positions."),
    command("geopos", -2, READONLY, geopos).with_docs("3.2.0", "Returns the positions of members."),
    command("geohash", -2, READONLY, geohash)
        .with_docs("3.2.0", "Returns the positions of members as geohashes of 11 letters."),
    command("geodist", -4, READONLY, geodist)
        .with_docs("3.2.0", "Returns the distance between two members."),
    command("georadius", -6, ADD, search::georadius)
        .with_keys(RADIUS_KEYS)
        .with_docs("3.2.0", "Returns or stores the members in a circle around a position."),
    command("georadius_ro", -6, READONLY, search::georadius_ro)
        .with_docs("3.2.10", "Returns the members in a circle around a position."),
    command("georadiusbymember", -5, ADD, search::georadiusbymember)
        .with_keys(MEMBER_KEYS)
        .with_docs("3.2.0", "Returns or stores the members in a circle around a member."),
    command("georadiusbymember_ro", -5, READONLY, search::georadiusbymember_ro)
        .with_docs("3.2.10", "Returns the members in a circle around a member."),
    command("geosearch", -7, READONLY, search::geosearch)
        .with_docs("6.2.0", "Returns the members in a circle or a box."),
    command("geosearchstore", -8, ADD, search::geosearchstore)
        .with_keys(&[one(1, OW), one(2, RO)])
        .with_docs("6.2.0", "Stores the members in a circle or a box in another key."),
];

/// Parses a longitude and a latitude, which are neighbours among the arguments.
fn parse_position(args: Args<'_>, at: usize) -> Done<Position> {
    let degrees = |at| double::parse(args.at(at)).ok_or(NOT_FLOAT);
    let (longitude, latitude) = (degrees(at)?, degrees(at + 1)?);
    Position::new(longitude, latitude).ok_or_else(|| {
        format!("ERR invalid longitude,latitude pair {longitude:.6},{latitude:.6}").into()
    })
}

fn parse_unit(text: &[u8]) -> Done<Unit> {
    Unit::parse(text)
        .ok_or_else(|| "ERR unsupported unit provided. please use M, KM, FT, MI".into())
}

fn geoadd(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let (mut options, mut first) = (Options::default(), 2);
    while let Some(word) = args.get(first) {
        let flag = match word {
            word if is(word, "nx") => &mut options.nx,
            word if is(word, "xx") => &mut options.xx,
            word if is(word, "ch") => &mut options.ch,
            _ => break,
        };
        *flag = true;
        first += 1;
    }
    let rest = args.from(first);
    if rest.is_empty() || !rest.len().is_multiple_of(3) || (options.nx && options.xx) {
        return Err(SYNTAX.into());
    }
    let mut scores = Vec::with_capacity(rest.len() / 3);
    for at in (first..args.len()).step_by(3) {
        scores.push(parse_position(args, at)?.score() as f64);
    }
    let members: Vec<&[u8]> = rest.iter().skip(2).step_by(3).copied().collect();
    add_members(context, args.at(1), options, &members, &scores)
}

/// Returns the positions of members; `None` for those that are absent.
fn positions(context: &Context<'_>, key: &[u8], members: &[&[u8]]) -> Done<Vec<Option<Position>>> {
    let Some(set) = SortedSet::find(context, key)? else { return Ok(vec![None; members.len()]) };
    let scores = set.scores(context.txn, members)?;
    Ok(scores.into_iter().map(|score| score.map(Position::from_score)).collect())
}

fn geopos(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let found = positions(context, args.at(1), args.from(2))?;
    context.out.array(found.len());
    for position in found {
        match position {
            Some(position) => reply_position(context, position),
            None => context.out.null_array(),
        }
    }
    Ok(())
}

/// Replies a longitude and a latitude.
fn reply_position(context: &mut Context<'_>, position: Position) {
    context.out.array(2);
    context.out.double(&double::format_human(position.longitude));
    context.out.double(&double::format_human(position.latitude));
}

fn geohash(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let found = positions(context, args.at(1), args.from(2))?;
    context.out.array(found.len());
    for position in found {
        let text = position.map(Position::geohash);
        context.out.bulk_or_null(text.as_ref().map(String::as_bytes));
    }
    Ok(())
}

fn geodist(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let unit = match args.len() {
        4 => Unit::Metres,
        5 => parse_unit(args.at(4))?,
        _ => return Err(SYNTAX.into()),
    };
    match positions(context, args.at(1), args.range(2, 4))?[..] {
        [Some(one), Some(other)] => {
            let distance = one.distance(other) / unit.metres();
            context.out.bulk(format_distance(distance).as_bytes());
        }
        _ => context.out.null(),
    }
    Ok(())
}
