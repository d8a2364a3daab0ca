//! The library `cjson`: JSON as values of scripts.
//!
//! Each table that `cjson.new()` returns has its own settings, which the functions change while the server runs.

mod decode;
mod encode;

use rilua::vm::closure::{Closure, RustClosure, RustFn};
use rilua::vm::state::LuaState;
use rilua::vm::value::Userdata;
use rilua::{LuaResult, Val};

use super::value::{self, TableRef};

/// The value of `cjson.null`.
const NULL: Val = Val::LightUserdata(0);

/// The deepest nesting that any setting allows. A stack of Lua 5.1 holds about as many values.
const DEPTH_MAX: usize = 7_990;

/// How numbers that JSON does not have are written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Invalid {
    Refuse,
    Write,
    Null,
}

/// The settings of one table of functions.
#[derive(Clone, Copy, Debug)]
struct Settings {
    sparse_convert: bool,
    sparse_ratio: usize,
    sparse_safe: usize,
    encode_depth_max: usize,
    decode_depth_max: usize,
    digits: usize,
    /// A hint that this implementation does not need; scripts read it back.
    keeps_buffer: bool,
    encode_invalid: Invalid,
    decode_invalid: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            sparse_convert: false,
            sparse_ratio: 2,
            sparse_safe: 10,
            encode_depth_max: 1000,
            decode_depth_max: 1000,
            digits: 14,
            keeps_buffer: true,
            encode_invalid: Invalid::Refuse,
            decode_invalid: true,
        }
    }
}

const FUNCTIONS: &[(&str, RustFn)] = &[
    ("encode", encode::encode),
    ("decode", decode::decode),
    ("encode_sparse_array", encode_sparse_array),
    ("encode_max_depth", |state| depth_option(state, |settings| &mut settings.encode_depth_max)),
    ("decode_max_depth", |state| depth_option(state, |settings| &mut settings.decode_depth_max)),
    ("encode_number_precision", encode_number_precision),
    ("encode_keep_buffer", |state| bool_option(state, |settings| &mut settings.keeps_buffer)),
    ("encode_invalid_numbers", encode_invalid_numbers),
    ("decode_invalid_numbers", |state| bool_option(state, |settings| &mut settings.decode_invalid)),
];

/// Creates a table of functions with default settings.
pub(super) fn create(state: &mut LuaState) -> LuaResult<TableRef> {
    let settings = Userdata::new(Box::new(Settings::default()));
    let settings = Val::Userdata(state.gc.alloc_userdata(settings));
    let table = value::new_table(state);
    for (name, function) in FUNCTIONS {
        let mut closure = RustClosure::new(*function, name);
        closure.upvalues.push(settings);
        let function = Val::Function(state.gc.alloc_closure(Closure::Rust(closure)));
        value::set_field(state, table, name, function)?;
    }
    value::set_functions(state, table, &[("new", new)])?;
    value::set_field(state, table, "null", NULL)?;
    for (name, text) in [("_NAME", "cjson"), ("_VERSION", "2.1.0")] {
        let text = value::string(state, text.as_bytes());
        value::set_field(state, table, name, text)?;
    }
    Ok(table)
}

/// `cjson.new()`.
fn new(state: &mut LuaState) -> LuaResult<u32> {
    let table = create(state)?;
    state.push(Val::Table(table));
    Ok(1)
}

/// Returns the settings of the running function.
fn settings(state: &LuaState) -> Settings {
    let userdata = match value::upvalue(state, 0) {
        Val::Userdata(userdata) => state.gc.userdata.get(userdata),
        _ => None,
    };
    userdata.and_then(|inner| inner.downcast_ref().copied()).unwrap_or_default()
}

fn change(state: &mut LuaState, change: impl FnOnce(&mut Settings)) {
    if let Val::Userdata(userdata) = value::upvalue(state, 0)
        && let Some(inner) = state.gc.userdata.get_mut(userdata)
        && let Some(settings) = inner.downcast_mut()
    {
        change(settings);
    }
}

fn check_count(state: &LuaState, most: usize) -> LuaResult<()> {
    if value::argument_count(state) > most {
        return Err(value::bad_argument(state, most + 1, "found too many arguments"));
    }
    Ok(())
}

/// Fails unless there is exactly one argument.
fn check_one(state: &LuaState) -> LuaResult<()> {
    if value::argument_count(state) != 1 {
        return Err(value::bad_argument(state, 1, "expected 1 argument"));
    }
    Ok(())
}

/// Reads an argument that is a number in a range. `None` if it is nil.
fn integer(state: &LuaState, index: usize, low: i64, high: i64) -> LuaResult<Option<usize>> {
    if value::argument(state, index).is_nil() {
        return Ok(None);
    }
    let number = state.check_integer(index)?;
    if !(low..=high).contains(&number) {
        let text = format!("expected integer between {low} and {high}");
        return Err(value::bad_argument(state, 1, &text));
    }
    Ok(usize::try_from(number).ok())
}

/// Reads an argument that is a truth value or one of `names`. Returns the place of the name.
fn choice(state: &LuaState, index: usize, names: &[&str]) -> LuaResult<Option<usize>> {
    match value::argument(state, index) {
        Val::Nil => Ok(None),
        Val::Bool(truth) => Ok(Some(usize::from(truth))),
        _ => {
            let given = state.check_string(index)?;
            match names.iter().position(|name| name.as_bytes() == given) {
                Some(place) => Ok(Some(place)),
                None => {
                    let given = String::from_utf8_lossy(&given);
                    let text = format!("invalid option '{given}'");
                    Err(value::bad_argument(state, index, &text))
                }
            }
        }
    }
}

fn depth_option(state: &mut LuaState, field: fn(&mut Settings) -> &mut usize) -> LuaResult<u32> {
    check_count(state, 1)?;
    if let Some(depth) = integer(state, 1, 1, i64::from(i32::MAX))? {
        change(state, |settings| *field(settings) = depth);
    }
    let depth = *field(&mut settings(state));
    state.push(Val::Num(depth as f64));
    Ok(1)
}

fn bool_option(state: &mut LuaState, field: fn(&mut Settings) -> &mut bool) -> LuaResult<u32> {
    check_count(state, 1)?;
    if let Some(place) = choice(state, 1, &["off", "on"])? {
        change(state, |settings| *field(settings) = place == 1);
    }
    let truth = *field(&mut settings(state));
    state.push(Val::Bool(truth));
    Ok(1)
}

fn encode_sparse_array(state: &mut LuaState) -> LuaResult<u32> {
    check_count(state, 3)?;
    if let Some(place) = choice(state, 1, &["off", "on"])? {
        change(state, |settings| settings.sparse_convert = place == 1);
    }
    if let Some(ratio) = integer(state, 2, 0, i64::from(i32::MAX))? {
        change(state, |settings| settings.sparse_ratio = ratio);
    }
    if let Some(safe) = integer(state, 3, 0, i64::from(i32::MAX))? {
        change(state, |settings| settings.sparse_safe = safe);
    }
    let settings = settings(state);
    state.push(Val::Bool(settings.sparse_convert));
    state.push(Val::Num(settings.sparse_ratio as f64));
    state.push(Val::Num(settings.sparse_safe as f64));
    Ok(3)
}

fn encode_number_precision(state: &mut LuaState) -> LuaResult<u32> {
    check_count(state, 1)?;
    if let Some(digits) = integer(state, 1, 1, 14)? {
        change(state, |settings| settings.digits = digits);
    }
    let digits = settings(state).digits;
    state.push(Val::Num(digits as f64));
    Ok(1)
}

fn encode_invalid_numbers(state: &mut LuaState) -> LuaResult<u32> {
    check_count(state, 1)?;
    if let Some(place) = choice(state, 1, &["off", "on", "null"])? {
        let chosen = [Invalid::Refuse, Invalid::Write, Invalid::Null].get(place).copied();
        change(state, |settings| settings.encode_invalid = chosen.unwrap_or(Invalid::Refuse));
    }
    let result = match settings(state).encode_invalid {
        Invalid::Refuse => Val::Bool(false),
        Invalid::Write => Val::Bool(true),
        Invalid::Null => value::string(state, b"null"),
    };
    state.push(result);
    Ok(1)
}
