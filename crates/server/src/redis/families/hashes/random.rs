//! HRANDFIELD: the fields are walked up to the last chosen one, so it takes time in proportion to the hash's size.

use super::hash::Hash;
use crate::redis::args::Args;
use crate::redis::context::Context;
use crate::redis::failure::Done;
use crate::redis::sample::{Amount, Sample};
use crate::resp::Reply;

pub(super) fn hrandfield(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let amount = Amount::parse(args, "withvalues")?;
    let Some(hash) = Hash::find(context, args.at(1))? else {
        match amount {
            Some(_) => context.out.array(0),
            None => context.out.null(),
        }
        return Ok(());
    };
    let has_values = amount.is_some_and(|amount| amount.has_values);
    let count = amount.map_or(1, |amount| amount.count);
    let mut sample = Sample::choose(hash.len(context)?, count)?;
    hash.each(context.txn, |name, field| {
        let value = || if has_values { field.payload.to_vec() } else { Vec::new() };
        sample.see(name, value);
        Ok(!sample.is_complete())
    })?;
    match amount {
        None => sample.reply_one(context.out),
        Some(_) => sample.reply(context.out, has_values.then_some(Reply::bulk)),
    }
    Ok(())
}
