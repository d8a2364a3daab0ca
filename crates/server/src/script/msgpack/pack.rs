//! `cmsgpack.pack`.

use rilua::vm::state::LuaState;
use rilua::{LuaResult, Val};

use super::super::value::{self, TableRef};

/// Tables that nest deeper are written as nil.
const DEPTH_MAX: usize = 16;

/// `cmsgpack.pack(value, ...)`.
pub(super) fn pack(state: &mut LuaState) -> LuaResult<u32> {
    state.gc_check()?;
    let count = value::argument_count(state);
    if count == 0 {
        return Err(value::bad_argument(state, 0, "MessagePack pack needs input."));
    }
    let mut out = Vec::new();
    for index in 1..=count {
        let given = value::argument(state, index);
        write(state, given, 0, &mut out)?;
    }
    value::return_string(state, &out)
}

fn write(state: &mut LuaState, given: Val, depth: usize, out: &mut Vec<u8>) -> LuaResult<()> {
    value::check_room(state, out.len())?;
    match given {
        Val::Str(_) => {
            let text = value::bytes(state, given).unwrap_or_default();
            value::check_room(state, out.len() + text.len())?;
            write_length(out, text.len(), (0xa0, 32), &[(0xd9, 1), (0xda, 2), (0xdb, 4)]);
            out.extend_from_slice(text);
        }
        Val::Bool(truth) => out.push(if truth { 0xc3 } else { 0xc2 }),
        Val::Num(number) => write_number(out, number),
        Val::Table(table) if depth < DEPTH_MAX => {
            let table = value::shown_table(state, table);
            return write_table(state, table, depth, out);
        }
        _ => out.push(0xc0),
    }
    Ok(())
}

/// Writes a length in the shortest form: in one byte below a limit, or after one of the codes with their sizes.
fn write_length(out: &mut Vec<u8>, length: usize, fixed: (u8, usize), forms: &[(u8, usize)]) {
    if length < fixed.1 {
        out.push(fixed.0 | length as u8);
        return;
    }
    let bytes = (length as u64).to_be_bytes();
    let fits = |size: &usize| *size == 4 || length < 1 << (8 * size);
    if let Some((code, size)) = forms.iter().find(|(_, size)| fits(size)) {
        out.push(*code);
        out.extend_from_slice(bytes.get(8 - size..).unwrap_or_default());
    }
}

fn write_number(out: &mut Vec<u8>, number: f64) {
    let is_integer = number.trunc() == number
        && (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&number);
    if is_integer {
        return write_integer(out, number as i64);
    }
    let single = number as f32;
    if f64::from(single) == number {
        out.push(0xca);
        out.extend_from_slice(&single.to_be_bytes());
    } else {
        out.push(0xcb);
        out.extend_from_slice(&number.to_be_bytes());
    }
}

fn write_integer(out: &mut Vec<u8>, integer: i64) {
    let (code, size) = match integer {
        -32..=127 => {
            out.push(integer as u8);
            return;
        }
        128..=0xff => (0xcc, 1),
        0x100..=0xffff => (0xcd, 2),
        0x1_0000..=0xffff_ffff => (0xce, 4),
        0x1_0000_0000.. => (0xcf, 8),
        -128..-32 => (0xd0, 1),
        -0x8000..-128 => (0xd1, 2),
        -0x8000_0000..-0x8000 => (0xd2, 4),
        _ => (0xd3, 8),
    };
    out.push(code);
    out.extend_from_slice(integer.to_be_bytes().get(8 - size..).unwrap_or_default());
}

fn write_table(
    state: &mut LuaState,
    table: TableRef,
    depth: usize,
    out: &mut Vec<u8>,
) -> LuaResult<()> {
    let (count, is_array) = measure(state, table)?;
    if is_array {
        let length = value::length(state, table);
        write_length(out, length, (0x90, 16), &[(0xdc, 2), (0xdd, 4)]);
        for index in 1..=length {
            let element = value::element(state, table, index);
            write(state, element, depth + 1, out)?;
        }
        return Ok(());
    }
    write_length(out, count, (0x80, 16), &[(0xde, 2), (0xdf, 4)]);
    let mut key = Val::Nil;
    while let Some((found, inner)) = value::next(state, table, key)? {
        key = found;
        write(state, key, depth + 1, out)?;
        write(state, inner, depth + 1, out)?;
    }
    Ok(())
}

/// Returns the number of pairs, and whether their keys are all the integers from 1 to that number.
fn measure(state: &LuaState, table: TableRef) -> LuaResult<(usize, bool)> {
    let (mut count, mut last, mut is_array, mut key) = (0usize, 0usize, true, Val::Nil);
    while let Some((found, _)) = value::next(state, table, key)? {
        key = found;
        count += 1;
        match found {
            Val::Num(number)
                if number > 0.0 && number.trunc() == number && number <= f64::from(i32::MAX) =>
            {
                last = last.max(number as usize);
            }
            _ => is_array = false,
        }
    }
    Ok((count, is_array && last == count))
}
