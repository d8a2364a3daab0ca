//! Commands on strings.

use crate::redis::args::Args;
use crate::redis::command::{Command, DENYOOM, FAST, Group, ONE_ROW, READONLY, READS_FIRST, WRITE};
use crate::redis::context::Context;
use crate::redis::failure::{Done, WRONG_TYPE};
use crate::redis::keyspec::{OW, RO, one};
use crate::rows::redis::{Head, RAW, Type};

pub(in crate::redis) const COMMANDS: &[Command] = &[
    Command::new("get", 2, READONLY.and(FAST).and(ONE_ROW), Group::String, get)
        .with_keys(&[one(1, RO)])
        .with_docs("1.0.0", "Returns the string value of a key."),
    Command::new("set", -3, WRITE.and(DENYOOM).and(READS_FIRST), Group::String, set)
        .with_keys(&[one(1, OW)])
        .with_docs("1.0.0", "Sets the string value of a key, ignoring its type. The key is created if it doesn't exist."),
];

fn get(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let place = context.place(args.at(1));
    let found = context.meta_with_reply(&place, |head, body, out| {
        let is_string = head.ty == Type::String;
        if is_string {
            out.bulk(body);
        }
        is_string
    });
    match found? {
        Some(true) => {}
        Some(false) => return Err(WRONG_TYPE.into()),
        None => context.out.null(),
    }
    Ok(())
}

fn set(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let place = context.place(args.at(1));
    let mut value = Vec::with_capacity(args.at(2).len() + 8);
    Head { ty: Type::String, encoding: RAW, expire_ms: 0 }.write(&mut value);
    value.extend_from_slice(args.at(2));
    context.txn.put(place.partition, &place.meta(), &value)?;
    context.touch(place.key);
    context.out.ok();
    Ok(())
}
