//! Short forms for reading and writing values of the interpreter.
//!
//! The interpreter collects garbage only between instructions, so values that a function here creates need no root
//! until the function returns or calls back into the script.

use std::borrow::Cow;

use rilua::vm::closure::{Closure, RustClosure, RustFn};
use rilua::vm::gc::arena::GcRef;
use rilua::vm::state::LuaState;
use rilua::vm::table::Table;
use rilua::{LuaError, LuaResult, Val, runtime_error};

/// A table of the interpreter.
pub(super) type TableRef = GcRef<Table>;

/// The value of the light userdata in the metatable of a read-only table. Scripts cannot create this value.
const READ_ONLY_MARK: Val = Val::LightUserdata(usize::MAX);

/// The name of the field that holds [`READ_ONLY_MARK`].
const READ_ONLY_FIELD: &[u8] = b"__readonly";

/// Returns the number of arguments of the running function.
pub(super) fn argument_count(state: &LuaState) -> usize {
    state.top.saturating_sub(state.base)
}

/// Returns an argument, counted from 1. A missing one is nil.
pub(super) fn argument(state: &LuaState, index: usize) -> Val {
    if index <= argument_count(state) { state.stack_get(state.base + index - 1) } else { Val::Nil }
}

/// Returns an argument that must be a table. A read-only table is replaced by the table that it shows.
pub(super) fn table_argument(state: &mut LuaState, index: usize) -> LuaResult<TableRef> {
    match argument(state, index) {
        Val::Table(table) => Ok(shown_table(state, table)),
        _ => Err(state.type_error(index, "table")),
    }
}

/// Returns the bytes of a string.
pub(super) fn bytes(state: &LuaState, value: Val) -> Option<&[u8]> {
    match value {
        Val::Str(text) => state.gc.string_arena.get(text).map(|text| text.data()),
        _ => None,
    }
}

/// Returns the bytes of a string, or the text of a number.
pub(super) fn text(state: &LuaState, value: Val) -> Option<Cow<'_, [u8]>> {
    match value {
        Val::Num(_) => Some(Cow::Owned(value.to_string().into_bytes())),
        value => bytes(state, value).map(Cow::Borrowed),
    }
}

/// Returns the number that a value is or, as a string, reads as.
pub(super) fn number(state: &LuaState, value: Val) -> Option<f64> {
    if let Val::Num(number) = value {
        return Some(number);
    }
    let text = std::str::from_utf8(bytes(state, value)?).ok()?.trim_ascii();
    if let Some(digits) = text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        return u64::from_str_radix(digits, 16).ok().map(|number| number as f64);
    }
    // Rust reads names of infinities and NaN, which Lua does not.
    let is_number = text.bytes().all(|b| b.is_ascii_digit() || b".eE+-".contains(&b));
    if is_number { text.parse().ok() } else { None }
}

/// Creates a string.
pub(super) fn string(state: &mut LuaState, bytes: &[u8]) -> Val {
    Val::Str(state.gc.intern_string(bytes))
}

/// Creates an empty table.
pub(super) fn new_table(state: &mut LuaState) -> TableRef {
    state.gc.alloc_table(Table::new())
}

/// Returns the value of a key, without metamethods.
pub(super) fn get(state: &LuaState, table: TableRef, key: Val) -> Val {
    let strings = &state.gc.string_arena;
    state.gc.tables.get(table).map_or(Val::Nil, |table| table.get(key, strings))
}

/// Returns a named field, without metamethods.
pub(super) fn field(state: &mut LuaState, table: TableRef, name: &[u8]) -> Val {
    let key = string(state, name);
    get(state, table, key)
}

/// Returns an element of the array part, without metamethods.
pub(super) fn element(state: &LuaState, table: TableRef, index: usize) -> Val {
    state.gc.tables.get(table).map_or(Val::Nil, |table| table.get_int(index as i64))
}

/// Returns the border that the operator `#` gives.
pub(super) fn length(state: &LuaState, table: TableRef) -> usize {
    state.gc.tables.get(table).map_or(0, |table| table.len(&state.gc.string_arena))
}

/// Returns the pair after a key, or the first one after nil.
pub(super) fn next(state: &LuaState, table: TableRef, key: Val) -> LuaResult<Option<(Val, Val)>> {
    match state.gc.tables.get(table) {
        Some(table) => table.next(key, &state.gc.string_arena),
        None => Ok(None),
    }
}

/// Sets a key without metamethods. Fails if the table is read-only or memory is short.
pub(super) fn set(state: &mut LuaState, table: TableRef, key: Val, value: Val) -> LuaResult<()> {
    let gc = &mut state.gc;
    let Some(inner) = gc.tables.get_mut(table) else { return Ok(()) };
    let before = inner.estimated_memory();
    inner.raw_set(key, value, &gc.string_arena)?;
    let grown = inner.estimated_memory().saturating_sub(before);
    gc.gc_state.track_alloc(grown);
    gc.barrier_back(table);
    gc.check_alloc_limit()
}

/// Sets a named field without metamethods.
pub(super) fn set_field(
    state: &mut LuaState,
    table: TableRef,
    name: &str,
    value: Val,
) -> LuaResult<()> {
    let key = string(state, name.as_bytes());
    set(state, table, key, value)
}

/// Sets an element without metamethods. Elements count from 1.
pub(super) fn set_element(
    state: &mut LuaState,
    table: TableRef,
    index: usize,
    value: Val,
) -> LuaResult<()> {
    set(state, table, Val::Num(index as f64), value)
}

/// Creates a function.
pub(super) fn function(state: &mut LuaState, name: &str, function: RustFn) -> Val {
    Val::Function(state.gc.alloc_closure(Closure::Rust(RustClosure::new(function, name))))
}

/// Sets named functions of a table.
pub(super) fn set_functions(
    state: &mut LuaState,
    table: TableRef,
    functions: &[(&str, RustFn)],
) -> LuaResult<()> {
    for (name, inner) in functions {
        let value = function(state, name, *inner);
        set_field(state, table, name, value)?;
    }
    Ok(())
}

/// Returns the error that a script sees as `bad argument`.
pub(super) fn bad_argument(state: &LuaState, index: usize, text: &str) -> LuaError {
    state.arg_error(index, text)
}

/// Returns an error whose value is any value of the script.
pub(super) fn raise(state: &mut LuaState, value: Val) -> LuaError {
    state.error_object = Some(value);
    runtime_error(value.type_name())
}

/// Fails if so many more bytes exceed the memory of the interpreter.
pub(super) fn check_room(state: &LuaState, more: usize) -> LuaResult<()> {
    let collector = &state.gc.gc_state;
    if collector.total_bytes.saturating_add(more) > collector.alloc_limit {
        return Err(LuaError::Memory);
    }
    Ok(())
}

/// Pushes a new string as the only result. Checks the memory first.
pub(super) fn return_string(state: &mut LuaState, bytes: &[u8]) -> LuaResult<u32> {
    check_room(state, bytes.len())?;
    let value = string(state, bytes);
    state.push(value);
    Ok(1)
}

/// Returns an empty table that shows another one and refuses changes. `getmetatable` of it returns `shown_meta`, or the
/// table itself.
pub(super) fn read_only(
    state: &mut LuaState,
    shown: TableRef,
    shown_meta: Option<TableRef>,
    refuse: RustFn,
) -> LuaResult<TableRef> {
    let (meta, table) = (new_table(state), new_table(state));
    set_field(state, meta, "__index", Val::Table(shown))?;
    let refuse = function(state, "__newindex", refuse);
    set_field(state, meta, "__newindex", refuse)?;
    set_field(state, meta, "__metatable", Val::Table(shown_meta.unwrap_or(table)))?;
    let mark = string(state, READ_ONLY_FIELD);
    set(state, meta, mark, READ_ONLY_MARK)?;
    set_metatable(state, table, meta);
    Ok(table)
}

/// Sets the metatable of a table.
pub(super) fn set_metatable(state: &mut LuaState, table: TableRef, meta: TableRef) {
    if let Some(inner) = state.gc.tables.get_mut(table) {
        inner.set_metatable(Some(meta));
    }
    state.gc.barrier_back(table);
}

/// Returns the metatable of a table if the table is read-only.
pub(super) fn read_only_meta(state: &mut LuaState, table: TableRef) -> Option<TableRef> {
    let meta = state.gc.tables.get(table)?.metatable()?;
    (field(state, meta, READ_ONLY_FIELD) == READ_ONLY_MARK).then_some(meta)
}

/// Returns the table that a read-only table shows, or the table itself.
pub(super) fn shown_table(state: &mut LuaState, table: TableRef) -> TableRef {
    let Some(meta) = read_only_meta(state, table) else { return table };
    match field(state, meta, b"__index") {
        Val::Table(shown) => shown,
        _ => table,
    }
}

/// Returns a value that is bound to the running function.
pub(super) fn upvalue(state: &LuaState, index: usize) -> Val {
    let Val::Function(function) = state.stack_get(state.ci().func) else { return Val::Nil };
    match state.gc.closures.get(function) {
        Some(Closure::Rust(closure)) => closure.upvalues.get(index).copied().unwrap_or(Val::Nil),
        _ => Val::Nil,
    }
}
