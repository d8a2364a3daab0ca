//! MGET, MSET and MSETNX.

use crate::redis::args::{Args, wrong_arity};
use crate::redis::context::Context;
use crate::redis::failure::Done;
use crate::rows::redis::{Head, RAW, Type};

pub(super) fn mget(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let keys = args.from(1);
    let rows: Vec<_> = keys
        .iter()
        .map(|key| {
            let place = context.place(key);
            (place.partition, place.meta())
        })
        .collect();
    let found = context.txn.multi_get(&rows)?;
    context.out.array(keys.len());
    for (key, value) in keys.iter().zip(found) {
        let head = value.as_deref().and_then(Head::parse);
        let head = head.filter(|(head, _)| !head.is_expired(context.now_ms()));
        context.count_lookup(key, head.is_some());
        match head {
            Some((Head { ty: Type::String, encoding: RAW, .. }, body)) => context.out.bulk(body),
            Some((Head { ty: Type::String, .. }, _)) => {
                context.reply_string(key)?;
            }
            _ => context.out.null(),
        }
    }
    Ok(())
}

pub(super) fn mset(context: &mut Context<'_>, args: Args<'_>) -> Done {
    write_all(context, args)?;
    context.out.ok();
    Ok(())
}

pub(super) fn msetnx(context: &mut Context<'_>, args: Args<'_>) -> Done {
    check_pairs(args, "msetnx")?;
    for key in args.from(1).iter().step_by(2) {
        if context.head(&context.place(key))?.is_some() {
            context.out.integer(0);
            return Ok(());
        }
    }
    write_all(context, args)?;
    context.out.integer(1);
    Ok(())
}

fn check_pairs(args: Args<'_>, name: &str) -> Done {
    if args.len().is_multiple_of(2) { Err(wrong_arity(name)) } else { Ok(()) }
}

fn write_all(context: &mut Context<'_>, args: Args<'_>) -> Done {
    check_pairs(args, "mset")?;
    for pair in args.from(1).chunks_exact(2) {
        let [key, value] = pair else { continue };
        context.put_string(&context.place(key), value, 0)?;
        context.notify(b'$', "set", key);
    }
    Ok(())
}
