//! GET and GETDEL.

use crate::redis::args::Args;
use crate::redis::context::Context;
use crate::redis::failure::Done;

pub(super) fn get(context: &mut Context<'_>, args: Args<'_>) -> Done {
    context.reply_string(args.at(1))?;
    Ok(())
}

pub(super) fn getdel(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let key = args.at(1);
    if context.reply_string(key)?.is_some() {
        context.remove(&context.place(key))?;
        context.notify(b'g', "del", key);
    }
    Ok(())
}
