//! The functions of the table `redis`.

use std::borrow::Cow;

use rilua::vm::closure::RustFn;
use rilua::vm::state::LuaState;
use rilua::{LuaError, LuaResult, Val, runtime_error};
use smallvec::SmallVec;

use super::failure;
use super::host::{Interrupt, LogLevel};
use super::library_api;
use super::run;
use super::to_lua;
use super::value::{self, TableRef};
use crate::resp::Protocol;
use crate::text::double;

/// The version of Redis that scripts and clients are told: some require at least this one.
pub const REDIS_VERSION: &str = "7.2.5";

/// The same version, with a byte per part.
const VERSION_NUMBER: u32 = 0x0007_0205;

const FUNCTIONS: &[(&str, RustFn)] = &[
    ("call", |state| call(state, true)),
    ("pcall", |state| call(state, false)),
    ("error_reply", error_reply),
    ("status_reply", status_reply),
    ("sha1hex", sha1hex),
    ("setresp", setresp),
    ("set_repl", set_repl),
    ("acl_check_cmd", acl_check_cmd),
];

/// Functions that only scripts of EVAL have. There is no debugger, so two of them do nothing.
const EVAL_FUNCTIONS: &[(&str, RustFn)] = &[
    ("replicate_commands", |state| return_bool(state, true)),
    ("breakpoint", |state| return_bool(state, false)),
    ("debug", |_| Ok(0)),
];

const REPLICATION: &[(&str, u32)] =
    &[("REPL_NONE", 0), ("REPL_AOF", 1), ("REPL_SLAVE", 2), ("REPL_REPLICA", 2), ("REPL_ALL", 3)];

const LOG_LEVELS: &[(&str, u32)] =
    &[("LOG_DEBUG", 0), ("LOG_VERBOSE", 1), ("LOG_NOTICE", 2), ("LOG_WARNING", 3)];

/// Creates the table for scripts of EVAL, or the one for functions.
pub(super) fn create(state: &mut LuaState, is_eval: bool) -> LuaResult<TableRef> {
    let table = value::new_table(state);
    value::set_functions(state, table, FUNCTIONS)?;
    if is_eval {
        value::set_functions(state, table, EVAL_FUNCTIONS)?;
    }
    set_numbers(state, table, REPLICATION)?;
    add_log_and_version(state, table)?;
    Ok(table)
}

/// Creates the table that the code of a library sees while it is loaded.
pub(super) fn create_for_loading(state: &mut LuaState) -> LuaResult<TableRef> {
    let table = value::new_table(state);
    let register = value::function(state, "register_function", library_api::register_function);
    value::set_field(state, table, "register_function", register)?;
    add_log_and_version(state, table)?;
    Ok(table)
}

fn add_log_and_version(state: &mut LuaState, table: TableRef) -> LuaResult<()> {
    value::set_functions(state, table, &[("log", log)])?;
    set_numbers(state, table, LOG_LEVELS)?;
    set_numbers(state, table, &[("REDIS_VERSION_NUM", VERSION_NUMBER)])?;
    let version = value::string(state, REDIS_VERSION.as_bytes());
    value::set_field(state, table, "REDIS_VERSION", version)
}

fn set_numbers(state: &mut LuaState, table: TableRef, numbers: &[(&str, u32)]) -> LuaResult<()> {
    for (name, number) in numbers {
        value::set_field(state, table, name, Val::Num(f64::from(*number)))?;
    }
    Ok(())
}

fn return_bool(state: &mut LuaState, truth: bool) -> LuaResult<u32> {
    state.push(Val::Bool(truth));
    Ok(1)
}

/// Returns the arguments as strings. Numbers are printed with 17 digits. `None` if one is neither.
fn arguments(state: &LuaState) -> Option<SmallVec<[Cow<'_, [u8]>; 8]>> {
    (1..=value::argument_count(state))
        .map(|index| match value::argument(state, index) {
            Val::Num(number) => {
                let mut text = Vec::with_capacity(24);
                double::append_17_digits(&mut text, number);
                Some(Cow::Owned(text))
            }
            other => value::bytes(state, other).map(Cow::Borrowed),
        })
        .collect()
}

/// Returns the error of arguments that no command can have.
fn check_arguments(state: &LuaState) -> Option<&'static str> {
    if value::argument_count(state) == 0 {
        return Some("Please specify at least one argument for this redis lib call");
    }
    let is_good = (1..=value::argument_count(state))
        .all(|index| matches!(value::argument(state, index), Val::Num(_) | Val::Str(_)));
    if is_good {
        return None;
    }
    Some("Lua redis lib command arguments must be strings or integers")
}

/// `redis.call` and `redis.pcall`.
fn call(state: &mut LuaState, raises: bool) -> LuaResult<u32> {
    state.gc_check()?;
    if let Some(error) = check_arguments(state) {
        return fail(state, error, raises);
    }
    let called = run::with(|host, run| {
        if run.loading.is_some() {
            return None;
        }
        let mut reply = std::mem::take(&mut run.reply);
        reply.protocol = run.protocol;
        if let Some(arguments) = arguments(state) {
            let arguments: SmallVec<[&[u8]; 8]> = arguments.iter().map(AsRef::as_ref).collect();
            if let Interrupt::Stop(reason) = host.call(&arguments, &mut reply) {
                run.stop = Some(reason);
            }
        }
        Some(reply)
    });
    let Some(mut reply) = called.flatten() else {
        let text = "redis.call/pcall can only be called inside a script invocation";
        return Err(failure::raise_text(state, text));
    };
    if run::with(|_, run| run.stop.is_some()) == Some(true) {
        return Err(run::stopped());
    }
    let is_error = reply.bytes().first() == Some(&b'-');
    let converted = to_lua::convert(state, reply.bytes());
    reply.clear();
    run::with(|_, run| run.reply = reply);
    let converted = converted?;
    if raises && is_error {
        return Err(value::raise(state, converted));
    }
    state.push(converted);
    Ok(1)
}

/// Raises an error of the server, or returns its table.
fn fail(state: &mut LuaState, text: &str, raises: bool) -> LuaResult<u32> {
    if raises {
        return Err(failure::raise_text(state, text));
    }
    let table = failure::error_table(state, text)?;
    state.push(table);
    Ok(1)
}

/// `redis.error_reply(text)`.
fn error_reply(state: &mut LuaState) -> LuaResult<u32> {
    let Some(text) = only_string(state) else {
        return fail(state, "wrong number or type of arguments", false);
    };
    let text = text.strip_prefix(b"-").unwrap_or(&text).to_vec();
    let table = failure::error_table_of_reply(state, &text)?;
    state.push(table);
    Ok(1)
}

/// `redis.status_reply(text)`.
fn status_reply(state: &mut LuaState) -> LuaResult<u32> {
    if only_string(state).is_none() {
        return fail(state, "wrong number or type of arguments", false);
    }
    let table = value::new_table(state);
    let text = value::argument(state, 1);
    value::set_field(state, table, "ok", text)?;
    state.push(Val::Table(table));
    Ok(1)
}

fn only_string(state: &LuaState) -> Option<Vec<u8>> {
    if value::argument_count(state) != 1 {
        return None;
    }
    value::bytes(state, value::argument(state, 1)).map(<[u8]>::to_vec)
}

/// `redis.sha1hex(text)`.
fn sha1hex(state: &mut LuaState) -> LuaResult<u32> {
    if value::argument_count(state) != 1 {
        return Err(failure::raise_text(state, "wrong number of arguments"));
    }
    let argument = value::argument(state, 1);
    let digest = super::sha::hex(&value::text(state, argument).unwrap_or_default());
    value::return_string(state, digest.as_bytes())
}

/// Fails unless a script runs, rather than the code of a library that is being loaded.
fn check_running(state: &mut LuaState, name: &str) -> Result<(), LuaError> {
    match run::with(|_, run| run.loading.is_none()) {
        Some(true) => Ok(()),
        _ => {
            let text = format!("redis.{name} can only be called inside a script invocation");
            Err(failure::raise_text(state, &text))
        }
    }
}

/// `redis.setresp(version)`.
fn setresp(state: &mut LuaState) -> LuaResult<u32> {
    check_running(state, "setresp")?;
    if value::argument_count(state) != 1 {
        return Err(failure::raise_text(state, "redis.setresp() requires one argument."));
    }
    let protocol = match value::number(state, value::argument(state, 1)).map(f64::trunc) {
        Some(2.0) => Protocol::Resp2,
        Some(3.0) => Protocol::Resp3,
        _ => return Err(failure::raise_text(state, "RESP version must be 2 or 3.")),
    };
    run::with(|_, run| run.protocol = protocol);
    Ok(0)
}

/// `redis.set_repl(flags)`. All writes of a script are one batch, so the flags are checked and change nothing.
fn set_repl(state: &mut LuaState) -> LuaResult<u32> {
    check_running(state, "set_repl")?;
    if value::argument_count(state) != 1 {
        return Err(failure::raise_text(state, "redis.set_repl() requires two arguments."));
    }
    let flags = value::number(state, value::argument(state, 1)).unwrap_or(0.0);
    if flags as i64 & !3 != 0 {
        let text = "Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.";
        return Err(failure::raise_text(state, text));
    }
    Ok(0)
}

/// `redis.acl_check_cmd(command, ...)`.
fn acl_check_cmd(state: &mut LuaState) -> LuaResult<u32> {
    check_running(state, "acl_check_cmd")?;
    if let Some(error) = check_arguments(state) {
        return Err(failure::raise_text(state, error));
    }
    let answer = run::with(|host, _| {
        let arguments = arguments(state)?;
        let arguments: SmallVec<[&[u8]; 8]> = arguments.iter().map(AsRef::as_ref).collect();
        host.may_call(&arguments)
    });
    match answer.flatten() {
        Some(may) => return_bool(state, may),
        None => Err(failure::raise_text(state, "Invalid command passed to redis.acl_check_cmd()")),
    }
}

/// `redis.log(level, text, ...)`.
fn log(state: &mut LuaState) -> LuaResult<u32> {
    let count = value::argument_count(state);
    if count < 2 {
        let text = "redis.log() requires two arguments or more.";
        return Err(failure::raise_text(state, text));
    }
    let Some(level) = value::number(state, value::argument(state, 1)) else {
        let text = "First argument must be a number (log level).";
        return Err(failure::raise_text(state, text));
    };
    let level = match level.trunc() {
        0.0 => LogLevel::Debug,
        1.0 => LogLevel::Verbose,
        2.0 => LogLevel::Notice,
        3.0 => LogLevel::Warning,
        _ => return Err(failure::raise_text(state, "Invalid debug level.")),
    };
    let mut line = Vec::new();
    for index in 2..=count {
        let argument = value::argument(state, index);
        if let Some(text) = value::text(state, argument) {
            if index > 2 {
                line.push(b' ');
            }
            value::check_room(state, line.len() + text.len())?;
            line.extend_from_slice(&text);
        }
    }
    run::with(|host, _| host.log(level, &line)).ok_or_else(|| runtime_error("no script runs"))?;
    Ok(0)
}
