//! Global functions that differ from the interpreter's: protected calls that cannot catch a stop, functions that keep
//! read-only tables read-only, and functions that would load bytecode or allocate without a limit.

use rilua::vm::callinfo::LUA_MULTRET;
use rilua::vm::closure::RustFn;
use rilua::vm::state::{LuaState, MAXCALLS};
use rilua::{LuaApiMut, LuaError, LuaResult, Val, runtime_error};

use super::failure;
use super::syntax;
use super::value::{self, TableRef};

/// The most arguments and results of `unpack`, which is the number that a stack of Lua 5.1 holds.
const STACK_MAX: i64 = 8_000;

/// The functions, which replace those of the interpreter.
pub(super) const FUNCTIONS: &[(&str, RustFn)] = &[
    ("assert", assert),
    ("error", error),
    ("pcall", pcall),
    ("xpcall", xpcall),
    ("next", next),
    ("pairs", pairs),
    ("rawget", rawget),
    ("rawset", rawset),
    ("setmetatable", setmetatable),
    ("unpack", unpack),
    ("tostring", tostring),
    ("loadstring", loadstring),
    ("load", load),
    ("collectgarbage", collectgarbage),
];

/// The error of every change of a read-only table.
const READ_ONLY: &str = "Attempt to modify a readonly table";

/// Refuses an assignment to a field of a read-only table.
pub(super) fn refuse_change(_: &mut LuaState) -> LuaResult<u32> {
    Err(runtime_error(READ_ONLY))
}

/// The error of reading a global variable that does not exist.
pub(super) fn refuse_unknown(state: &mut LuaState) -> LuaResult<u32> {
    let name = value::argument(state, 2);
    let Some(name) = value::text(state, name) else {
        let text = "Second argument to luaProtectedTableError must be a string or number";
        return Err(runtime_error(text));
    };
    let name = String::from_utf8_lossy(&name);
    let text = format!("Script attempted to access nonexistent global variable '{name}'");
    Err(runtime_error(text))
}

/// `assert(value [, text])`.
fn assert(state: &mut LuaState) -> LuaResult<u32> {
    if value::argument_count(state) == 0 {
        return Err(value::bad_argument(state, 1, "value expected"));
    }
    if value::argument(state, 1).is_truthy() {
        return Ok(value::argument_count(state) as u32);
    }
    let text = state.opt_string(2)?.unwrap_or_else(|| b"assertion failed!".to_vec());
    let whole = [failure::place(state, 1).as_bytes(), &text].concat();
    let thrown = value::string(state, &whole);
    Err(value::raise(state, thrown))
}

/// `tostring(value)`.
fn tostring(state: &mut LuaState) -> LuaResult<u32> {
    if value::argument(state, 1) == Val::LightUserdata(0) {
        return value::return_string(state, b"userdata: (nil)");
    }
    rilua::stdlib::base::lua_tostring(state)
}

/// `error(value [, level])`.
fn error(state: &mut LuaState) -> LuaResult<u32> {
    let given = value::argument(state, 1);
    let level = state.opt_integer(2, 1)?;
    let mut thrown = given;
    if level > 0
        && let Some(text) = value::text(state, given)
    {
        let mut whole = failure::place(state, level as usize).into_bytes();
        value::check_room(state, whole.len() + text.len())?;
        whole.extend_from_slice(&text);
        thrown = value::string(state, &whole);
    }
    Err(value::raise(state, thrown))
}

/// What a protected call must restore after an error.
struct Saved {
    frame: usize,
    native_calls: u16,
    depth: u16,
}

impl Saved {
    fn new(state: &LuaState) -> Saved {
        Saved { frame: state.ci, native_calls: state.n_ccalls, depth: state.call_depth }
    }

    fn restore(&self, state: &mut LuaState) {
        state.ci = self.frame;
        state.base = state.ci().base;
        state.n_ccalls = self.native_calls;
        state.call_depth = self.depth;
        if state.ci < MAXCALLS {
            state.ci_overflow = false;
        }
    }
}

/// `pcall(function, ...)`. An error table of the server is replaced by its text, as before Redis 7.
fn pcall(state: &mut LuaState) -> LuaResult<u32> {
    let start = state.base;
    if value::argument_count(state) == 0 {
        return Err(value::bad_argument(state, 1, "value expected"));
    }
    let saved = Saved::new(state);
    state.error_object = None;
    match state.call_function(start, LUA_MULTRET) {
        Ok(()) => {
            let results: Vec<Val> = (start..state.top).map(|at| state.stack_get(at)).collect();
            state.top = start;
            state.push(Val::Bool(true));
            results.iter().for_each(|result| state.push(*result));
            Ok(results.len() as u32 + 1)
        }
        Err(error) if failure::is_final(&error) => Err(error),
        Err(error) => {
            let mut thrown = failure::value_of(state, &error);
            saved.restore(state);
            state.close_upvalues(start);
            state.top = start;
            if let Val::Table(table) = thrown {
                let inner = value::field(state, table, b"err");
                if matches!(inner, Val::Str(_) | Val::Num(_)) {
                    thrown = inner;
                }
            }
            state.push(Val::Bool(false));
            state.push(thrown);
            Ok(2)
        }
    }
}

/// `xpcall(function, handler)`. The handler sees the stack of the error.
fn xpcall(state: &mut LuaState) -> LuaResult<u32> {
    let handler = value::argument(state, 2);
    if value::argument_count(state) < 2 {
        return Err(value::bad_argument(state, 2, "value expected"));
    }
    let function = value::argument(state, 1);
    let start = state.base;
    let saved = Saved::new(state);
    state.error_object = None;
    // The handler stays on the stack, where the collector finds it.
    state.stack_set(start, handler);
    state.stack_set(start + 1, function);
    state.top = start + 2;
    match state.call_function(start + 1, LUA_MULTRET) {
        Ok(()) => {
            state.stack_set(start, Val::Bool(true));
            Ok((state.top - start) as u32)
        }
        Err(error) if failure::is_final(&error) => Err(error),
        Err(error) => {
            let thrown = failure::value_of(state, &error);
            state.close_upvalues(start);
            let at = state.top;
            state.push(handler);
            state.push(thrown);
            let handled = match state.call_function(at, 1) {
                Ok(()) => state.stack_get(at),
                Err(error) if failure::is_final(&error) => return Err(error),
                Err(_) => {
                    state.error_object = None;
                    value::string(state, b"error in error handling")
                }
            };
            saved.restore(state);
            state.top = start;
            state.push(Val::Bool(false));
            state.push(handled);
            Ok(2)
        }
    }
}

/// `next(table [, key])`.
fn next(state: &mut LuaState) -> LuaResult<u32> {
    let table = value::table_argument(state, 1)?;
    let key = value::argument(state, 2);
    match value::next(state, table, key)? {
        Some((key, inner)) => {
            state.push(key);
            state.push(inner);
            Ok(2)
        }
        None => {
            state.push(Val::Nil);
            Ok(1)
        }
    }
}

/// `pairs(table)`. The iterator is `next` of this module, which reads through read-only tables.
fn pairs(state: &mut LuaState) -> LuaResult<u32> {
    value::table_argument(state, 1)?;
    let table = value::argument(state, 1);
    let iterator = value::function(state, "next", next);
    state.push(iterator);
    state.push(table);
    state.push(Val::Nil);
    Ok(3)
}

/// `rawget(table, key)`.
fn rawget(state: &mut LuaState) -> LuaResult<u32> {
    let table = value::table_argument(state, 1)?;
    let found = value::get(state, table, value::argument(state, 2));
    state.push(found);
    Ok(1)
}

/// Returns the first argument, a table that may be changed.
pub(super) fn writable_argument(state: &mut LuaState) -> LuaResult<TableRef> {
    let Val::Table(table) = value::argument(state, 1) else {
        return Err(state.type_error(1, "table"));
    };
    if value::read_only_meta(state, table).is_some() {
        // A function of the server raises this without a place.
        let text = value::string(state, READ_ONLY.as_bytes());
        return Err(value::raise(state, text));
    }
    Ok(table)
}

/// `rawset(table, key, value)`.
fn rawset(state: &mut LuaState) -> LuaResult<u32> {
    let table = writable_argument(state)?;
    value::set(state, table, value::argument(state, 2), value::argument(state, 3))?;
    state.push(Val::Table(table));
    Ok(1)
}

/// `setmetatable(table, metatable)`.
fn setmetatable(state: &mut LuaState) -> LuaResult<u32> {
    writable_argument(state)?;
    rilua::stdlib::base::lua_setmetatable(state)
}

/// `unpack(list [, from [, to]])`.
fn unpack(state: &mut LuaState) -> LuaResult<u32> {
    let table = value::table_argument(state, 1)?;
    let from = state.opt_integer(2, 1)?;
    let to = state.opt_integer(3, value::length(state, table) as i64)?;
    if from > to {
        return Ok(0);
    }
    let count = to.saturating_sub(from).saturating_add(1);
    if count.saturating_add(value::argument_count(state) as i64) > STACK_MAX {
        return Err(runtime_error("too many results to unpack"));
    }
    for index in from..=to {
        let element = value::get(state, table, Val::Num(index as f64));
        state.push(element);
    }
    Ok(count as u32)
}

/// `loadstring(text [, name])`. Bytecode is refused.
fn loadstring(state: &mut LuaState) -> LuaResult<u32> {
    let source = state.check_string(1)?;
    let name = state.opt_string(2)?.unwrap_or_else(|| source.clone());
    load_source(state, &source, &String::from_utf8_lossy(&name))
}

/// `load(function [, name])`.
fn load(state: &mut LuaState) -> LuaResult<u32> {
    let reader = value::argument(state, 1);
    if !matches!(reader, Val::Function(_)) {
        return Err(state.type_error(1, "function"));
    }
    let name = state.opt_string(2)?.unwrap_or_else(|| b"=(load)".to_vec());
    let mut source = Vec::new();
    loop {
        let at = state.top;
        state.push(reader);
        state.call_function(at, 1)?;
        let piece = state.stack_get(at);
        state.top = at;
        match value::bytes(state, piece) {
            Some([]) => break,
            Some(piece) => {
                value::check_room(state, source.len() + piece.len())?;
                source.extend_from_slice(piece);
            }
            None if piece.is_nil() => break,
            None => return Err(runtime_error("reader function must return a string")),
        }
    }
    load_source(state, &source, &String::from_utf8_lossy(&name))
}

fn load_source(state: &mut LuaState, source: &[u8], name: &str) -> LuaResult<u32> {
    match compile(state, source, name) {
        Ok(function) => {
            state.push(function);
            Ok(1)
        }
        Err(text) => {
            state.push(Val::Nil);
            let text = value::string(state, &text);
            state.push(text);
            Ok(2)
        }
    }
}

/// Compiles a chunk. Bytecode and expressions that are too deep for the compiler are refused. The error is a text.
pub(super) fn compile(state: &mut LuaState, source: &[u8], name: &str) -> Result<Val, Vec<u8>> {
    let chunk = rilua::error::chunkid(name);
    if source.first() == Some(&0x1b) {
        return Err(format!("{chunk}: bytecode is not supported").into_bytes());
    }
    syntax::check(source)
        .map_err(|line| format!("{chunk}:{line}: chunk has too many syntax levels").into_bytes())?;
    value::check_room(state, source.len()).map_err(|_| b"not enough memory".to_vec())?;
    // A first line with `#` is skipped by the compiler only in files of the command line.
    let prefixed;
    let source = match source {
        [b'#', ..] => {
            prefixed = [b" ", source].concat();
            &prefixed
        }
        source => source,
    };
    match state.load_bytes(source, name) {
        Ok(function) => Ok(Val::Function(function.gc_ref())),
        Err(LuaError::Syntax(error)) => Err(error.to_lua_bytes()),
        Err(error) => Err(error.to_string().into_bytes()),
    }
}

/// `collectgarbage([option])`. The collector cannot be stopped or slowed down.
fn collectgarbage(state: &mut LuaState) -> LuaResult<u32> {
    let option = state.opt_string(1)?.unwrap_or_else(|| b"collect".to_vec());
    let result = match option.as_slice() {
        b"collect" => {
            state.full_gc()?;
            0.0
        }
        b"count" => state.gc.gc_state.total_bytes as f64 / 1024.0,
        b"step" => {
            state.full_gc()?;
            state.push(Val::Bool(true));
            return Ok(1);
        }
        b"stop" | b"restart" => 0.0,
        b"setpause" | b"setstepmul" => 200.0,
        other => {
            let text = format!("invalid option '{}'", String::from_utf8_lossy(other));
            return Err(value::bad_argument(state, 1, &text));
        }
    };
    state.push(Val::Num(result));
    Ok(1)
}
