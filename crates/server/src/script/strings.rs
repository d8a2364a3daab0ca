//! Functions of the libraries `string` and `table` that could allocate without a limit in the interpreter.

use rilua::stdlib::table;
use rilua::vm::closure::RustFn;
use rilua::vm::state::LuaState;
use rilua::{LuaError, LuaResult, Val, runtime_error};

use super::base;
use super::format;
use super::value;

/// Functions of `string`.
pub(super) const FUNCTIONS: &[(&str, RustFn)] =
    &[("char", char), ("rep", rep), ("format", format::format)];

/// Functions of `table`.
pub(super) const TABLE_FUNCTIONS: &[(&str, RustFn)] = &[
    ("concat", concat),
    ("insert", |state| change(state, table::tab_insert)),
    ("remove", |state| change(state, table::tab_remove)),
    ("sort", |state| change(state, table::tab_sort)),
];

/// `string.rep(text, count)`.
fn rep(state: &mut LuaState) -> LuaResult<u32> {
    let text = state.check_string(1)?;
    let count = usize::try_from(state.check_integer(2)?).unwrap_or(0);
    let length = text.len().checked_mul(count).ok_or(LuaError::Memory)?;
    value::check_room(state, length)?;
    value::return_string(state, &text.repeat(count))
}

/// `string.char(byte, ...)`.
fn char(state: &mut LuaState) -> LuaResult<u32> {
    let mut bytes = Vec::new();
    for index in 1..=value::argument_count(state) {
        match u8::try_from(state.check_integer(index)?) {
            Ok(byte) => bytes.push(byte),
            Err(_) => return Err(value::bad_argument(state, index, "invalid value")),
        }
    }
    value::return_string(state, &bytes)
}

/// Calls a function that changes its first argument, unless that is read-only.
fn change(state: &mut LuaState, function: RustFn) -> LuaResult<u32> {
    base::writable_argument(state)?;
    function(state)
}

/// `table.concat(table [, separator [, from [, to]]])`.
fn concat(state: &mut LuaState) -> LuaResult<u32> {
    let table = value::table_argument(state, 1)?;
    let separator = state.opt_string(2)?.unwrap_or_default();
    let from = state.opt_integer(3, 1)?;
    let to = match value::argument(state, 4) {
        Val::Nil => value::length(state, table) as i64,
        _ => state.check_integer(4)?,
    };
    let mut result = Vec::new();
    for index in from..=to {
        let element = value::get(state, table, Val::Num(index as f64));
        let Some(text) = value::text(state, element) else {
            let kind = element.type_name();
            let text = format!("invalid value ({kind}) at index {index} in table for 'concat'");
            return Err(runtime_error(text));
        };
        value::check_room(state, result.len() + text.len() + separator.len())?;
        result.extend_from_slice(&text);
        if index < to {
            result.extend_from_slice(&separator);
        }
    }
    value::return_string(state, &result)
}
