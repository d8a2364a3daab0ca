//! BITOP.

use crate::bits::ops::BitOp;
use crate::redis::args::Args;
use crate::redis::context::Context;
use crate::redis::failure::{Done, SYNTAX};
use crate::redis::string_value::StringValue;

/// Bytes of the result that are computed at once. A result of many steps is still stored as one value.
const STEP: u64 = 1 << 20;

pub(super) fn bitop(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let op = BitOp::parse(args.at(1)).ok_or(SYNTAX)?;
    if op == BitOp::Not && args.len() != 4 {
        return Err("ERR BITOP NOT must be called with a single source key.".into());
    }
    let mut values = Vec::with_capacity(args.len() - 3);
    for key in args.from(3) {
        values.push(context.string(key)?);
    }
    let target = context.place(args.at(2));
    let length = values.iter().flatten().map(StringValue::len).max().unwrap_or(0);
    if length == 0 {
        if context.remove(&target)? {
            context.notify(b'g', "del", target.key);
        }
        context.out.integer(0);
        return Ok(());
    }
    let mut edit = context.edit_string(target.key, None, length)?;
    let mut at = 0;
    while at < length {
        let end = (at + STEP).min(length);
        let mut parts = Vec::with_capacity(values.len());
        for value in &values {
            parts.push(match value {
                Some(value) if at < value.len() => {
                    value.bytes(context.txn, at, end.min(value.len()))?
                }
                _ => Vec::new(),
            });
        }
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        let mut result = vec![0; (end - at) as usize];
        op.combine(&mut result, &parts);
        edit.write(context.txn, at, &result)?;
        at = end;
    }
    context.remove(&target)?;
    context.finish_edit(edit)?;
    context.notify(b'$', "set", target.key);
    context.out.integer(length as i64);
    Ok(())
}
