//! Commands that read fields.

use super::hash::Hash;
use crate::redis::args::Args;
use crate::redis::context::Context;
use crate::redis::failure::Done;
use crate::rows::hash::Field;
use crate::rows::redis::Type;

pub(super) fn hget(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let hash = Hash::find(context, args.at(1))?;
    let found = match hash {
        Some(hash) => hash.get(context.txn, args.at(2), |field| context.out.bulk(field.payload))?,
        None => None,
    };
    if found.is_none() {
        context.out.null();
    }
    Ok(())
}

pub(super) fn hmget(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let hash = Hash::find(context, args.at(1))?;
    let (names, out) = (args.from(2), &mut *context.out);
    out.array(names.len());
    match hash {
        Some(hash) => hash.get_all(context.txn, names, |field| {
            out.bulk_or_null(field.map(|field| field.payload));
        }),
        None => {
            names.iter().for_each(|_| out.null());
            Ok(())
        }
    }
}

pub(super) fn hexists(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let found = match Hash::find(context, args.at(1))? {
        Some(hash) => hash.get(context.txn, args.at(2), |_| ())?,
        None => None,
    };
    context.out.integer(found.is_some().into());
    Ok(())
}

pub(super) fn hstrlen(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let length = match Hash::find(context, args.at(1))? {
        Some(hash) => hash.get(context.txn, args.at(2), |field| field.payload.len())?,
        None => None,
    };
    context.out.count(length.unwrap_or(0));
    Ok(())
}

pub(super) fn hlen(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let length = match Hash::find(context, args.at(1))? {
        Some(hash) => hash.len(context)?,
        None => 0,
    };
    context.out.integer(length as i64);
    Ok(())
}

pub(super) fn hgetall(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let (start, mut count) = (context.out.position(), 0);
    if let Some(hash) = Hash::find(context, args.at(1))? {
        hash.each(context.txn, |name, field| {
            context.out.bulk(name);
            context.out.bulk(field.payload);
            count += 1;
            Ok(true)
        })?;
    }
    context.out.map_later(start, count);
    Ok(())
}

pub(super) fn hkeys(context: &mut Context<'_>, args: Args<'_>) -> Done {
    list(context, args, |name, _| name)
}

pub(super) fn hvals(context: &mut Context<'_>, args: Args<'_>) -> Done {
    list(context, args, |_, payload| payload)
}

/// Replies a part of each field.
fn list(
    context: &mut Context<'_>,
    args: Args<'_>,
    part: for<'a> fn(&'a [u8], &'a [u8]) -> &'a [u8],
) -> Done {
    let (start, mut count) = (context.out.position(), 0);
    if let Some(hash) = Hash::find(context, args.at(1))? {
        hash.each(context.txn, |name, field| {
            context.out.bulk(part(name, field.payload));
            count += 1;
            Ok(true)
        })?;
    }
    context.out.array_later(start, count);
    Ok(())
}

pub(super) fn hscan(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let now_ms = context.now_ms();
    context.scan_collection(args, Type::Hash, |out, options, name, value| {
        let Some(field) = Field::parse(value).filter(|field| !field.is_expired(now_ms)) else {
            return 0;
        };
        out.bulk(name);
        if options.no_values {
            return 1;
        }
        out.bulk(field.payload);
        2
    })
}
