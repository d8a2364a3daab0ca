//! Commands on keys of any type: DEL, UNLINK, EXISTS, TYPE, TOUCH, RENAME, RENAMENX, COPY, MOVE.

use crate::redis::args::{Args, is, parse_integer};
use crate::redis::command::{
    ALL_KEYS, Command, DENYOOM, FAST, Group, ONE_ROW, READONLY, UNDECLARED, WRITE,
};
use crate::redis::context::Context;
use crate::redis::failure::{Done, NO_KEY, SYNTAX};
use crate::redis::keyspec::{KeyFlags, OW, RM, RO, RO_META, RW, RW_POP, one, range};
use crate::redis::values::Place;

const OW_INSERT: KeyFlags = KeyFlags(&["OW", "insert"]);

pub(in crate::redis) const COMMANDS: &[Command] = &[
    Command::new("del", -2, WRITE, Group::Generic, del)
        .with_keys(&[range(1, -1, 1, RM)])
        .with_docs("1.0.0", "Removes keys with their values."),
    Command::new("unlink", -2, WRITE.and(FAST), Group::Generic, del)
        .with_keys(&[range(1, -1, 1, RM)])
        .with_docs("4.0.0", "Removes keys; their values are freed later."),
    Command::new("exists", -2, READONLY.and(FAST), Group::Generic, exists)
        .with_keys(&[range(1, -1, 1, RO_META)])
        .with_docs("1.0.0", "Counts how many of the given keys exist."),
    Command::new("touch", -2, READONLY.and(FAST), Group::Generic, exists)
        .with_keys(&[range(1, -1, 1, RO_META)])
        .with_docs("3.2.1", "Counts the keys that exist, as if they were accessed."),
    Command::new("type", 2, READONLY.and(FAST).and(ONE_ROW), Group::Generic, type_of)
        .with_keys(&[one(1, RO_META)])
        .with_docs("1.0.0", "Returns the name of a value's type."),
    Command::new("rename", 3, WRITE, Group::Generic, rename)
        .with_keys(&[one(1, RW_POP), one(2, OW)])
        .with_docs("1.0.0", "Gives a key another name and replaces a key of that name."),
    Command::new("renamenx", 3, WRITE.and(FAST), Group::Generic, rename)
        .with_keys(&[one(1, RW_POP), one(2, OW_INSERT)])
        .with_docs("1.0.0", "Gives a key another name unless a key of that name exists."),
    Command::new("copy", -3, WRITE.and(DENYOOM).and(UNDECLARED), Group::Generic, copy)
        .with_keys(&[one(1, RO), one(2, OW)])
        .with_docs("6.2.0", "Copies a value to another key."),
    Command::new("move", 3, WRITE.and(FAST).and(ALL_KEYS), Group::Generic, move_key)
        .with_keys(&[one(1, RW)])
        .with_docs("1.0.0", "Moves a key to another database."),
];

fn del(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let mut count = 0;
    for key in args.from(1) {
        let place = context.place(key);
        if context.remove(&place)? {
            context.notify(b'g', "del", key);
            count += 1;
        }
    }
    context.out.integer(count);
    Ok(())
}

fn exists(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let mut count = 0;
    for key in args.from(1) {
        count += i64::from(context.head(&context.place(key))?.is_some());
    }
    context.out.integer(count);
    Ok(())
}

fn type_of(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let head = context.head(&context.place(args.at(1)))?;
    context.out.simple(head.map_or("none", |head| head.ty.name()));
    Ok(())
}

fn rename(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let (from, to) = (context.place(args.at(1)), context.place(args.at(2)));
    let keeps_existing = context.command.name == "renamenx";
    if context.head(&from)?.is_none() {
        return Err(NO_KEY.into());
    }
    let is_done = match (from.key == to.key, keeps_existing) {
        (true, keeps_existing) => !keeps_existing,
        (false, true) if context.head(&to)?.is_some() => false,
        (false, _) => {
            context.copy_value(&from, to.key)?;
            context.remove(&from)?;
            context.notify(b'g', "rename_from", from.key);
            context.notify(b'g', "rename_to", to.key);
            true
        }
    };
    match keeps_existing {
        true => context.out.integer(is_done.into()),
        false => context.out.ok(),
    }
    Ok(())
}

/// Parses the number of a database.
fn database(context: &Context<'_>, text: &[u8]) -> Done<u32> {
    let index = i32::try_from(parse_integer(text)?).map_err(|_| {
        format!("ERR value is out of range, value must between {} and {}", i32::MIN, i32::MAX)
    })?;
    let index = u32::try_from(index).ok().filter(|at| *at < context.server.databases.count());
    index.ok_or_else(|| "ERR DB index is out of range".into())
}

fn copy(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let (mut index, mut replaces) = (context.db().index(), false);
    let mut options = args.options(3);
    while let Some(word) = options.next() {
        if is(word, "replace") {
            replaces = true;
        } else if is(word, "db") && options.left() > 0 {
            index = database(context, options.value()?)?;
        } else {
            return Err(SYNTAX.into());
        }
    }
    let is_other = index != context.db().index();
    if args.at(1) == args.at(2) && !is_other {
        return Err("ERR source and destination objects are the same".into());
    }
    if is_other {
        context.require_all()?;
    }
    let (from, to) = (context.place(args.at(1)), args.at(2));
    let database = context.database(index)?;
    let is_copied = context.head(&from)?.is_some()
        && context.in_database(&database, |context| copy_to(context, &from, to, replaces))?;
    if is_copied {
        context.in_database(&database, |context| context.notify(b'g', "copy_to", to));
    }
    context.out.integer(is_copied.into());
    Ok(())
}

/// Copies a key to one of the selected database. Returns whether it did: not if that exists, unless it `replaces`.
fn copy_to(context: &mut Context<'_>, from: &Place<'_>, to: &[u8], replaces: bool) -> Done<bool> {
    if !replaces && context.head(&context.place(to))?.is_some() {
        return Ok(false);
    }
    context.copy_value(from, to)?;
    Ok(true)
}

fn move_key(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let index = database(context, args.at(2))?;
    if index == context.db().index() {
        return Err("ERR source and destination objects are the same".into());
    }
    let from = context.place(args.at(1));
    let database = context.database(index)?;
    let is_moved = context.head(&from)?.is_some()
        && context.in_database(&database, |context| copy_to(context, &from, from.key, false))?;
    if is_moved {
        context.remove(&from)?;
        context.notify(b'g', "move_from", from.key);
        context.in_database(&database, |context| context.notify(b'g', "move_to", from.key));
    }
    context.out.integer(is_moved.into());
    Ok(())
}
