//! BITFIELD and BITFIELD_RO.

use super::BAD_OFFSET;
use crate::bits::field::{FieldOp, FieldType, Overflow, WINDOW};
use crate::redis::args::{Args, is, parse_integer};
use crate::redis::context::Context;
use crate::redis::failure::{Done, SYNTAX};
use crate::redis::string_value::StringValue;

const BAD_TYPE: &str = "ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.";

/// One operation of the command.
struct Operation {
    ty: FieldType,
    offset: u64,
    op: FieldOp,
    overflow: Overflow,
}

impl Operation {
    /// Returns the number of bytes from the beginning of the string to the end of the field.
    fn end(&self) -> u64 {
        self.ty.bytes(self.offset).1 + 1
    }
}

pub(super) fn bitfield(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let operations = parse(context, args)?;
    if operations.iter().all(|operation| operation.op == FieldOp::Get) {
        return read(context, args.at(1), &operations);
    }
    change(context, args.at(1), &operations)
}

pub(super) fn bitfield_ro(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let operations = parse(context, args)?;
    if operations.iter().any(|operation| operation.op != FieldOp::Get) {
        return Err("ERR BITFIELD_RO only supports the GET subcommand".into());
    }
    read(context, args.at(1), &operations)
}

fn parse(context: &Context<'_>, args: Args<'_>) -> Done<Vec<Operation>> {
    let (mut operations, mut overflow) = (Vec::new(), Overflow::Wrap);
    let mut words = args.options(2);
    while let Some(word) = words.next() {
        let left = words.left();
        if is(word, "overflow") && left >= 1 {
            overflow =
                Overflow::parse(words.value()?).ok_or("ERR Invalid OVERFLOW type specified")?;
            continue;
        }
        let is_get = is(word, "get") && left >= 2;
        let is_set = is(word, "set") && left >= 3;
        if !(is_get || is_set || is(word, "incrby") && left >= 3) {
            return Err(SYNTAX.into());
        }
        let ty = FieldType::parse(words.value()?).ok_or(BAD_TYPE)?;
        let offset = ty.parse_offset(words.value()?, context.string_max()).ok_or(BAD_OFFSET)?;
        let op = match (is_get, is_set) {
            (true, _) => FieldOp::Get,
            (_, true) => FieldOp::Set(parse_integer(words.value()?)?),
            _ => FieldOp::IncrBy(parse_integer(words.value()?)?),
        };
        operations.push(Operation { ty, offset, op, overflow });
    }
    Ok(operations)
}

fn read(context: &mut Context<'_>, key: &[u8], operations: &[Operation]) -> Done {
    let value = context.string(key)?;
    context.out.array(operations.len());
    for operation in operations {
        let mut window = [0; WINDOW];
        let (first, _) = operation.ty.bytes(operation.offset);
        if let Some(value) = &value {
            let end = operation.end().min(value.len());
            let bytes = value.bytes(context.txn, first.min(end), end)?;
            window.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
        }
        reply(context, operation, &mut window);
    }
    Ok(())
}

fn change(context: &mut Context<'_>, key: &[u8], operations: &[Operation]) -> Done {
    let writes = operations.iter().filter(|operation| operation.op != FieldOp::Get);
    let length = writes.map(Operation::end).max().unwrap_or(0);
    let found = context.string(key)?;
    let mut is_changed = found.as_ref().map_or(0, StringValue::len) < length;
    let mut edit = context.edit_string(key, found, length)?;
    context.out.array(operations.len());
    for operation in operations {
        let (first, last) = operation.ty.bytes(operation.offset);
        let mut window = [0; WINDOW];
        let bytes = window.get_mut(..(last - first + 1) as usize).unwrap_or_default();
        edit.read(context.txn, first, bytes)?;
        let before = window;
        reply(context, operation, &mut window);
        if window != before {
            let bytes = window.get(..(last - first + 1) as usize).unwrap_or_default();
            edit.write(context.txn, first, bytes)?;
            is_changed = true;
        }
    }
    if is_changed {
        context.finish_edit(edit)?;
        context.notify(b'$', "setbit", key);
    }
    Ok(())
}

/// Applies an operation to the bytes of its field, and replies its result.
fn reply(context: &mut Context<'_>, operation: &Operation, window: &mut [u8; WINDOW]) {
    let Operation { ty, offset, op, overflow } = *operation;
    match ty.apply(window, offset, op, overflow) {
        Some(value) => context.out.integer(value),
        None => context.out.null(),
    }
}
