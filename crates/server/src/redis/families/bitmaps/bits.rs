//! SETBIT, GETBIT, BITCOUNT and BITPOS.

use super::BAD_OFFSET;
use crate::bits::range::{BitRange, Unit};
use crate::bits::{self, field};
use crate::redis::args::Args;
use crate::redis::context::Context;
use crate::redis::failure::{Done, SYNTAX};
use crate::redis::string_value::{Part, StringRow, StringValue};
use crate::text::integer;
use std::ops::ControlFlow;

fn offset(context: &Context<'_>, args: Args<'_>) -> Done<u64> {
    field::parse_offset(args.at(2), context.string_max()).ok_or_else(|| BAD_OFFSET.into())
}

pub(super) fn setbit(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let (key, offset) = (args.at(1), offset(context, args)?);
    let bit = match integer::parse(args.at(3)) {
        Some(0) => false,
        Some(1) => true,
        _ => return Err("ERR bit is not an integer or out of range".into()),
    };
    let found = context.string(key)?;
    let grows = found.as_ref().map_or(0, StringValue::len) <= offset / 8;
    let mut edit = context.edit_string(key, found, offset / 8 + 1)?;
    let mut byte = [0];
    edit.read(context.txn, offset / 8, &mut byte)?;
    let [old] = byte;
    let was_set = bits::get(old, offset);
    if grows || was_set != bit {
        edit.write(context.txn, offset / 8, &[bits::set(old, offset, bit)])?;
        context.finish_edit(edit)?;
        context.notify(b'$', "setbit", key);
    }
    context.out.integer(was_set.into());
    Ok(())
}

pub(super) fn getbit(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let (key, offset) = (args.at(1), offset(context, args)?);
    let bit_of =
        |bytes: &[u8], at: u64| bytes.get(at as usize).is_some_and(|byte| bits::get(*byte, offset));
    let bit = match context.string_row(key, |bytes, _| bit_of(bytes, offset / 8))? {
        StringRow::Absent => false,
        StringRow::Found(bit, _) => bit,
        StringRow::Chunked => match context.string(key)? {
            Some(value) if offset / 8 < value.len() => {
                bit_of(&value.bytes(context.txn, offset / 8, offset / 8 + 1)?, 0)
            }
            _ => false,
        },
    };
    context.out.integer(bit.into());
    Ok(())
}

/// Returns the unit of a range's ends, the argument at an index.
fn unit(args: Args<'_>, index: usize) -> Done<Unit> {
    match args.get(index) {
        Some(word) => Unit::parse(word).ok_or_else(|| SYNTAX.into()),
        None => Ok(Unit::Byte),
    }
}

pub(super) fn bitcount(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let Some(value) = context.string(args.at(1))? else {
        context.out.integer(0);
        return Ok(());
    };
    let range = match args.len() {
        2 => BitRange::whole(value.len()),
        4 | 5 => {
            let (start, end) = (args.integer(2)?, args.integer(3)?);
            // Redis looks at the unit after this.
            if start < 0 && end < 0 && start > end {
                None
            } else {
                BitRange::resolve_for_count(start, end, unit(args, 4)?, value.len())
            }
        }
        _ => return Err(SYNTAX.into()),
    };
    let mut count = 0;
    if let Some(range) = range {
        let (first, last) = range.bytes();
        value.parts(context.txn, first, last + 1, |at, part| {
            if let Part::Bytes(bytes) = part {
                count += range.count(at, bytes);
            }
            ControlFlow::Continue(())
        })?;
    }
    context.out.integer(count as i64);
    Ok(())
}

pub(super) fn bitpos(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let bit = match args.integer(2)? {
        0 => false,
        1 => true,
        _ => return Err("ERR The bit argument must be 1 or 0.".into()),
    };
    let Some(value) = context.string(args.at(1))? else {
        context.out.integer(if bit { -1 } else { 0 });
        return Ok(());
    };
    let (has_end, range) = match args.len() {
        3 => (false, BitRange::whole(value.len())),
        4..=6 => {
            let start = args.integer(3)?;
            let unit = unit(args, 5)?;
            let end = if args.len() > 4 { args.integer(4)? } else { -1 };
            (args.len() > 4, BitRange::resolve(start, end, unit, value.len()))
        }
        _ => return Err(SYNTAX.into()),
    };
    let Some(range) = range else {
        context.out.integer(-1);
        return Ok(());
    };
    let (first, last) = range.bytes();
    let mut found = None;
    value.parts(context.txn, first, last + 1, |at, part| {
        found = match part {
            Part::Bytes(bytes) => range.find(bit, at, bytes),
            Part::Zeros(count) => range.find_in_zeros(bit, at, count),
        };
        if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    let position = found.map_or_else(|| range.not_found(bit, has_end), |at| at as i64);
    context.out.integer(position);
    Ok(())
}
