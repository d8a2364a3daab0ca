//! Commands that search a list for a value.

use super::list::{End, List};
use crate::redis::args::{Args, is, parse_integer};
use crate::redis::context::Context;
use crate::redis::failure::{Done, SYNTAX};

pub(super) fn lrem(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let (count, wanted) = (args.integer(2)?, args.at(3));
    let Some(mut list) = List::find(context, args.at(1))? else {
        context.out.integer(0);
        return Ok(());
    };
    let from = if count < 0 { End::Tail } else { End::Head };
    let limit = match count.unsigned_abs() {
        0 => u64::MAX,
        limit => limit,
    };
    let mut positions = Vec::new();
    let (length, mut distance) = (list.len(), 0);
    list.walk(context.txn, from, 0, length, |_, value| {
        if value == wanted {
            positions.push(position(from, distance, length));
        }
        distance += 1;
        (positions.len() as u64) < limit
    })?;
    if from == End::Tail {
        positions.reverse();
    }
    if !positions.is_empty() {
        list.remove(context, &positions)?;
        list.save_removed(context, "lrem")?;
    }
    context.out.count(positions.len());
    Ok(())
}

pub(super) fn linsert(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let offset = match args.at(2) {
        word if is(word, "before") => 0,
        word if is(word, "after") => 1,
        _ => return Err(SYNTAX.into()),
    };
    let Some(mut list) = List::find(context, args.at(1))? else {
        context.out.integer(0);
        return Ok(());
    };
    let (mut found, mut distance) = (false, 0);
    list.walk(context.txn, End::Head, 0, list.len(), |_, value| {
        found = value == args.at(3);
        distance += u64::from(!found);
        !found
    })?;
    if !found {
        context.out.integer(-1);
        return Ok(());
    }
    list.insert(context, distance + offset, args.at(4))?;
    list.save(context)?;
    context.notify(b'l', "linsert", list.key());
    context.out.integer(list.len() as i64);
    Ok(())
}

/// What LPOS searches for.
struct Search {
    /// How many matches are passed over.
    skipped: u64,
    from: End,
    /// How many positions are replied, 0 for all; `None` replies one, and not as an array.
    count: Option<u64>,
    /// How many elements are compared.
    compared_max: u64,
}

pub(super) fn lpos(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let search = parse_search(args)?;
    let wanted = args.at(2);
    let Some(list) = List::find(context, args.at(1))? else {
        match search.count {
            Some(_) => context.out.array(0),
            None => context.out.null(),
        }
        return Ok(());
    };
    let limit = match search.count {
        None => 1,
        Some(0) => u64::MAX,
        Some(count) => count,
    };
    let (mut distance, mut matches, mut found) = (0, 0, Vec::new());
    let (length, from) = (list.len(), search.from);
    list.walk(context.txn, from, 0, search.compared_max, |_, value| {
        if value == wanted {
            matches += 1;
            if matches > search.skipped {
                found.push(position(from, distance, length));
            }
        }
        distance += 1;
        (found.len() as u64) < limit
    })?;
    match (search.count, found.first()) {
        (Some(_), _) => {
            context.out.array(found.len());
            found.iter().for_each(|position| context.out.integer(*position as i64));
        }
        (None, Some(position)) => context.out.integer(*position as i64),
        (None, None) => context.out.null(),
    }
    Ok(())
}

fn parse_search(args: Args<'_>) -> Done<Search> {
    let mut search = Search { skipped: 0, from: End::Head, count: None, compared_max: u64::MAX };
    let mut options = args.options(3);
    while let Some(word) = options.next() {
        if is(word, "rank") && options.left() > 0 {
            let rank = parse_integer(options.value()?)?;
            search.from = if rank < 0 { End::Tail } else { End::Head };
            search.skipped = rank.unsigned_abs().checked_sub(1).ok_or(
                "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second \
                 ... or use negative to start from the end of the list",
            )?;
        } else if is(word, "count") && options.left() > 0 {
            let count = unsigned(options.value()?).ok_or("ERR COUNT can't be negative")?;
            search.count = Some(count);
        } else if is(word, "maxlen") && options.left() > 0 {
            search.compared_max = match unsigned(options.value()?) {
                None => return Err("ERR MAXLEN can't be negative".into()),
                Some(0) => u64::MAX,
                Some(max) => max,
            };
        } else {
            return Err(SYNTAX.into());
        }
    }
    Ok(search)
}

fn unsigned(argument: &[u8]) -> Option<u64> {
    parse_integer(argument).ok().and_then(|value| u64::try_from(value).ok())
}

/// Returns the position of an element at a distance from an end.
fn position(from: End, distance: u64, length: u64) -> u64 {
    match from {
        End::Head => distance,
        End::Tail => length - 1 - distance,
    }
}
