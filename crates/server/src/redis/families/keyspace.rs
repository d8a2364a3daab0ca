//! Commands on all keys of a database: DBSIZE, KEYS, SCAN, RANDOMKEY, FLUSHDB, FLUSHALL, SWAPDB.

use crate::redis::args::{Args, is, parse_integer};
use crate::redis::command::{ALL_KEYS, Command, FAST, Group, READONLY, READS_FIRST, WRITE};
use crate::redis::context::Context;
use crate::redis::cursors::{Cursors, Scanned};
use crate::redis::databases::Database;
use crate::redis::failure::{Done, Failure, SYNTAX};
use crate::redis::keyspace::Scope;
use crate::redis::scanning::{ScanOptions, after, parse_cursor, reply_scan};
use crate::resp::Reply;
use crate::rows::redis::{DATA, GROUP, META, RowKey, SCORE};
use crate::store::{Partition, Range};
use crate::text::glob::{self, Case};
use crate::text::slot::SLOTS;
use std::ops::ControlFlow;
use std::sync::Arc;

pub(in crate::redis) const COMMANDS: &[Command] = &[
    Command::new("dbsize", 1, READONLY.and(FAST), Group::Server, dbsize)
        .with_docs("1.0.0", "Returns the number of keys in the selected database."),
    Command::new("keys", 2, READONLY, Group::Generic, keys)
        .with_docs("1.0.0", "Returns all keys that match a pattern."),
    Command::new("scan", -2, READONLY, Group::Generic, scan)
        .with_docs("2.8.0", "Returns some keys and a cursor with which the next call continues."),
    Command::new("randomkey", 1, READONLY, Group::Generic, random_key)
        .with_docs("1.0.0", "Returns a key chosen at random."),
    Command::new("flushdb", -1, WRITE.and(ALL_KEYS).and(READS_FIRST), Group::Server, flush_db)
        .with_docs("1.0.0", "Removes all keys of the selected database."),
    Command::new("flushall", -1, WRITE.and(ALL_KEYS).and(READS_FIRST), Group::Server, flush_all)
        .with_docs("1.0.0", "Removes all keys of all databases."),
    Command::new("swapdb", 3, WRITE.and(FAST).and(ALL_KEYS), Group::Server, swap_db)
        .with_docs("4.0.0", "Exchanges the contents of two databases."),
];

/// The keys up to which DBSIZE counts exactly.
const COUNT_MAX: u64 = 1_000_000;
/// Rows that a flush deletes one by one; a range with more is deleted at once.
const DELETED_SINGLY_MAX: usize = 1000;
/// The random steps of RANDOMKEY behind a random slot.
const RANDOM_STEPS: usize = 128;

/// DBSIZE counts exactly up to [`COUNT_MAX`] keys. Of larger databases it counts so many and extrapolates from the
/// slots that these are in.
fn dbsize(context: &mut Context<'_>, _: Args<'_>) -> Done {
    let (mut visited, mut alive, mut last) = (0, 0, None);
    context.walk_keys(&Scope::All, (0, b""), |key| {
        visited += 1;
        alive += u64::from(!key.is_expired);
        if visited <= COUNT_MAX {
            return ControlFlow::Continue(());
        }
        last = Some(key.slot);
        ControlFlow::Break(())
    })?;
    if let Some(slot) = last {
        alive = alive * u64::from(SLOTS) / (u64::from(slot) + 1);
    }
    context.out.integer(alive.cast_signed());
    Ok(())
}

fn keys(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let pattern = args.at(1);
    let (start, mut count) = (context.out.position(), 0);
    let mut found = Reply::new(context.out.protocol);
    context.walk_keys(&Scope::of_pattern(pattern), (0, b""), |key| {
        let is_match = pattern == b"*" || glob::matches(pattern, key.key, Case::Sensitive);
        if is_match && !key.is_expired {
            found.bulk(key.key);
            count += 1;
        }
        ControlFlow::Continue(())
    })?;
    context.out.raw(found.bytes());
    context.out.array_later(start, count);
    Ok(())
}

fn scan(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let cursor = parse_cursor(args.at(1))?;
    let options = ScanOptions::parse(args, 2)?;
    let scanned = Scanned::Keys(context.db().index());
    let (slot, from) = match cursor {
        0 => (0, Vec::new()),
        _ => (Cursors::slot(cursor), after(context.server.cursors.resume(scanned, cursor))),
    };
    let scope = options.pattern.map_or(Scope::All, Scope::of_pattern);
    let mut found = Reply::new(context.out.protocol);
    let (mut visited, mut count, mut last, mut has_more) = (0, 0, None, false);
    context.walk_keys(&scope, (slot, &from), |key| {
        if visited == options.count {
            has_more = true;
            return ControlFlow::Break(());
        }
        visited += 1;
        if visited == options.count {
            last = Some((key.slot, key.key.to_vec()));
        }
        let is_of_type = options.type_name.is_none_or(|name| is(name, key.head.ty.name()));
        if is_of_type && !key.is_expired && options.matches(key.key) {
            found.bulk(key.key);
            count += 1;
        }
        ControlFlow::Continue(())
    })?;
    let next = match last.filter(|_| has_more) {
        Some((slot, last)) => context.server.cursors.save(scanned, slot, last),
        None => 0,
    };
    reply_scan(context.out, next, count, &found);
    Ok(())
}

/// RANDOMKEY chooses a slot, and from there one of the next [`RANDOM_STEPS`] keys: exactly fair in a database with no
/// more keys, nearly fair in larger ones.
fn random_key(context: &mut Context<'_>, _: Args<'_>) -> Done {
    let first = fastrand::u16(..SLOTS);
    let mut near: Vec<Vec<u8>> = Vec::new();
    // From the slot to the end of the database, then from its beginning to the slot.
    for (from, end) in [(first, SLOTS), (0, first)] {
        context.walk_keys(&Scope::All, (from, b""), |key| {
            if near.len() == RANDOM_STEPS || key.slot >= end {
                return ControlFlow::Break(());
            }
            if !key.is_expired {
                near.push(key.key.to_vec());
            }
            ControlFlow::Continue(())
        })?;
    }
    let chosen = fastrand::choice(&near);
    context.out.bulk_or_null(chosen.map(|key| &key[..]));
    Ok(())
}

fn check_flush(args: Args<'_>) -> Done {
    match args.len() {
        1 => Ok(()),
        2 if args.is(1, "async") || args.is(1, "sync") => Ok(()),
        _ => Err(SYNTAX.into()),
    }
}

fn flush_db(context: &mut Context<'_>, args: Args<'_>) -> Done {
    check_flush(args)?;
    let database = context.db().clone();
    empty(context, &database)?;
    context.out.ok();
    Ok(())
}

fn flush_all(context: &mut Context<'_>, args: Args<'_>) -> Done {
    check_flush(args)?;
    empty_all(context)?;
    context.out.ok();
    Ok(())
}

/// Removes all keys of all databases.
pub(in crate::redis) fn empty_all(context: &mut Context<'_>) -> Done {
    let databases: Vec<_> = context.existing_databases().collect();
    databases.iter().try_for_each(|database| empty(context, database))
}

/// Removes all keys of a database.
fn empty(context: &mut Context<'_>, database: &Arc<Database>) -> Done {
    touch_watched(context, std::slice::from_ref(database))?;
    for partition in database.partitions() {
        for kind in [META, DATA, SCORE, GROUP] {
            empty_range(context, *partition, Range::prefix(&[kind]))?;
        }
    }
    context.touch_all(database.index());
    Ok(())
}

/// Deletes the rows of a range: none if it is empty, single rows if they are few.
fn empty_range(context: &mut Context<'_>, partition: Partition, range: Range) -> Done {
    let mut few: Vec<RowKey> = Vec::new();
    let mut rows = context.txn.rows(partition, range.clone())?;
    let mut item = rows.first()?;
    while let Some((row, _)) = item {
        if few.len() == DELETED_SINGLY_MAX {
            return Ok(context.txn.delete_range(partition, &range)?);
        }
        few.push(RowKey::from_slice(row));
        item = rows.next()?;
    }
    for row in few {
        context.txn.delete(partition, &row)?;
    }
    Ok(())
}

fn swap_db(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let index = |at: usize, error: &'static str| -> Done<i32> {
        let index = parse_integer(args.at(at)).ok().and_then(|index| i32::try_from(index).ok());
        index.ok_or_else(|| error.into())
    };
    let first = index(1, "ERR invalid first DB index")?;
    let second = index(2, "ERR invalid second DB index")?;
    let count = context.server.databases.count();
    let [Some(first), Some(second)] =
        [first, second].map(|index| u32::try_from(index).ok().filter(|index| *index < count))
    else {
        return Err("ERR DB index is out of range".into());
    };
    if first != second {
        let both = [context.database(first)?, context.database(second)?];
        touch_watched(context, &both)?;
        context.effects.swaps.add(first, second);
        both.iter().for_each(|database| context.touch_all(database.index()));
        context.reload()?;
    }
    context.out.ok();
    Ok(())
}

/// Notes that watched keys of databases change, those that exist in one of them.
fn touch_watched(context: &mut Context<'_>, databases: &[Arc<Database>]) -> Done {
    for watching in databases {
        for key in context.server.watches.keys_of(watching.index()) {
            let mut exists = false;
            for database in databases {
                exists |= context.in_database(database, |context| {
                    Ok::<_, Failure>(context.head(&context.place(&key))?.is_some())
                })?;
            }
            if exists {
                context.in_database(watching, |context| context.touch(&key));
            }
        }
    }
    Ok(())
}
