//! `redis.register_function`, which the code of a library calls while it is loaded.

use rilua::vm::state::LuaState;
use rilua::{LuaResult, Val};

use super::failure;
use super::flags::Flags;
use super::library;
use super::run::{self, Registered};
use super::value::{self, TableRef};

/// The result of reading the arguments: a function, or the text of the error.
type Parsed = Result<Registered, &'static str>;

/// `redis.register_function(name, callback)` or `redis.register_function{function_name=..., callback=..., ...}`.
pub(super) fn register_function(state: &mut LuaState) -> LuaResult<u32> {
    if run::with(|_, run| run.loading.is_some()) != Some(true) {
        let text = "redis.register_function can only be called on FUNCTION LOAD command";
        return Err(failure::raise_text(state, text));
    }
    let parsed = match value::argument_count(state) {
        1 => named(state)?,
        2 => positional(state),
        _ => Err("wrong number of arguments to redis.register_function"),
    };
    let added = parsed.and_then(|function| {
        run::with(|_, run| match &mut run.loading {
            Some(functions) => add(functions, function),
            None => Ok(()),
        })
        .unwrap_or(Ok(()))
    });
    match added {
        Ok(()) => Ok(0),
        Err(text) => Err(failure::raise_text(state, text)),
    }
}

fn add(functions: &mut Vec<Registered>, function: Registered) -> Result<(), &'static str> {
    if !library::is_name(&function.name) {
        return Err(library::BAD_NAME);
    }
    if functions.iter().any(|known| known.name == function.name) {
        return Err("Function already exists in the library");
    }
    functions.push(function);
    Ok(())
}

fn positional(state: &mut LuaState) -> Parsed {
    let name = value::argument(state, 1);
    let Some(name) = value::text(state, name) else {
        return Err("first argument to redis.register_function must be a string");
    };
    let callback = value::argument(state, 2);
    if !matches!(callback, Val::Function(_)) {
        return Err("second argument to redis.register_function must be a function");
    }
    Ok(Registered { name: name.into_owned(), description: None, flags: Flags::default(), callback })
}

/// Reads the fields of the only argument.
fn named(state: &mut LuaState) -> LuaResult<Parsed> {
    let Val::Table(table) = value::argument(state, 1) else {
        return Ok(Err(
            "calling redis.register_function with a single argument is only applicable \
                       to Lua table (representing named arguments).",
        ));
    };
    let (mut name, mut description, mut callback) = (None, None, None);
    let mut flags = Flags::default();
    let mut key = Val::Nil;
    while let Some((found, inner)) = value::next(state, table, key)? {
        key = found;
        let Some(field) = value::text(state, key) else {
            return Ok(Err("named argument key given to redis.register_function is not a string"));
        };
        let text = value::text(state, inner).map(|text| text.into_owned());
        match field.to_ascii_lowercase().as_slice() {
            b"function_name" if text.is_some() => name = text,
            b"function_name" => {
                return Ok(Err("function_name argument given to redis.register_function must be \
                               a string"));
            }
            b"description" if text.is_some() => description = text,
            b"description" => {
                return Ok(Err("description argument given to redis.register_function must be a \
                               string"));
            }
            b"callback" if matches!(inner, Val::Function(_)) => callback = Some(inner),
            b"callback" => {
                return Ok(Err("callback argument given to redis.register_function must be a \
                               function"));
            }
            b"flags" => match inner {
                Val::Table(inner) => match read_flags(state, inner) {
                    Some(found) => flags = found,
                    None => return Ok(Err("unknown flag given")),
                },
                _ => {
                    return Ok(Err("flags argument to redis.register_function must be a table \
                                   representing function flags"));
                }
            },
            _ => return Ok(Err("unknown argument given to redis.register_function")),
        }
    }
    let Some(name) = name else {
        return Ok(Err("redis.register_function must get a function name argument"));
    };
    let Some(callback) = callback else {
        return Ok(Err("redis.register_function must get a callback argument"));
    };
    Ok(Ok(Registered { name, description, flags, callback }))
}

/// Reads an array of names. `None` if one of them is unknown.
fn read_flags(state: &mut LuaState, table: TableRef) -> Option<Flags> {
    let mut flags = Flags::default();
    for index in 1.. {
        let element = value::element(state, table, index);
        if element.is_nil() {
            break;
        }
        let name = value::text(state, element)?.to_ascii_lowercase();
        flags.insert(Flags::of_name(&name)?);
    }
    Some(flags)
}
