//! Errors of scripts as tables and as replies.

use rilua::vm::closure::Closure;
use rilua::vm::state::LuaState;
use rilua::{LuaError, LuaResult, Val};

use super::value;

/// An error that ended a script, ready for the reply.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Failure {
    /// The code and the text.
    pub text: Vec<u8>,
    /// The chunk and the line where the error was raised.
    pub place: Option<(String, i64)>,
    /// Whether a command of the server replied the error.
    pub is_of_command: bool,
}

impl Failure {
    /// Returns the text of the error reply for a script or function of this name.
    pub fn into_reply(self, name: &str) -> String {
        let text = String::from_utf8_lossy(&self.text);
        match self.place {
            Some((source, line)) => format!("{text} script: {name}, on {source}:{line}."),
            None => text.into_owned(),
        }
    }
}

/// Returns the table of an error whose text the server knows: `ERR` and the text.
pub(super) fn error_table(state: &mut LuaState, text: &str) -> LuaResult<Val> {
    error_table_of_reply(state, format!("ERR {text}").as_bytes())
}

/// Returns the table of an error reply, without the dash at its begin. A reply without a space gets the code `ERR`.
pub(super) fn error_table_of_reply(state: &mut LuaState, reply: &[u8]) -> LuaResult<Val> {
    let mut text = Vec::with_capacity(reply.len() + 4);
    if !reply.contains(&b' ') {
        text.extend_from_slice(b"ERR ");
    }
    let end = reply.iter().rposition(|b| !b"\r\n".contains(b)).map_or(0, |last| last + 1);
    text.extend_from_slice(reply.get(..end).unwrap_or_default());
    let table = value::new_table(state);
    let text = value::string(state, &text);
    value::set_field(state, table, "err", text)?;
    Ok(Val::Table(table))
}

/// Returns an error whose value is a table with this text.
pub(super) fn raise_text(state: &mut LuaState, text: &str) -> LuaError {
    match error_table(state, text) {
        Ok(table) => value::raise(state, table),
        Err(error) => error,
    }
}

/// Returns the value that a script sees if it catches this error. The frames of the failed calls must still be there.
pub(super) fn value_of(state: &mut LuaState, error: &LuaError) -> Val {
    if let Some(value) = state.error_object.take() {
        return value;
    }
    let mut text = error.to_string();
    // The interpreter names no place for errors of keys.
    if text.starts_with("table index is ") && !is_native(state, state.ci) {
        text.insert_str(0, &place(state, 0));
    }
    value::string(state, text.as_bytes())
}

/// Returns `chunk:line: ` of the function at a level of the stack, or an empty text.
pub(super) fn place(state: &LuaState, level: usize) -> String {
    let Some(frame) = state.ci.checked_sub(level).and_then(|index| state.call_stack.get(index))
    else {
        return String::new();
    };
    let Val::Function(function) = state.stack_get(frame.func) else { return String::new() };
    let Some(Closure::Lua(closure)) = state.gc.closures.get(function) else {
        return String::new();
    };
    let lines = &closure.proto.line_info;
    let line = lines.get(frame.saved_pc.saturating_sub(1)).or(lines.first());
    let chunk = rilua::error::chunkid(&closure.proto.source);
    line.map_or_else(String::new, |line| format!("{chunk}:{line}: "))
}

/// Returns whether a script cannot catch an error: it was stopped, or has no memory left.
pub(super) fn is_final(error: &LuaError) -> bool {
    matches!(error, LuaError::Memory | LuaError::Yield(_))
}

/// Describes the error that ended a script. The frames of the failed calls must still be on the stack.
pub(super) fn describe(state: &mut LuaState, error: &LuaError) -> Failure {
    let top = frame_place(state, state.ci);
    let caller = || state.ci.checked_sub(1).and_then(|index| frame_place(state, index));
    let place = if is_native(state, state.ci) { caller() } else { top };
    let value = value_of(state, error);
    let mut place = place;
    if let (LuaError::Runtime(error), Some((source, line))) = (error, &mut place)
        && let Some(exact) = line_of_message(&error.message, source)
    {
        *line = exact;
    }
    let text = match value {
        Val::Table(table) => match value::field(state, table, b"err") {
            Val::Nil => b"ERR unknown error".to_vec(),
            inner => value::text(state, inner)
                .map_or_else(|| b"ERR unknown error".to_vec(), |text| text.into_owned()),
        },
        value => {
            let mut text = b"ERR ".to_vec();
            match value::text(state, value) {
                Some(inner) => text.extend_from_slice(&inner),
                None => text.extend_from_slice(value.to_string().as_bytes()),
            }
            text
        }
    };
    let is_of_command = is_of_command(state, value);
    Failure { text, place, is_of_command }
}

/// The field of an error table that a command of the server replied. Scripts can see it, as in Redis.
pub(super) const OF_COMMAND: &str = "ignore_error_stats_update";

/// Returns whether a value is the error table that a command of the server replied.
pub(super) fn is_of_command(state: &mut LuaState, value: Val) -> bool {
    match value {
        Val::Table(table) => value::field(state, table, OF_COMMAND.as_bytes()) == Val::Bool(true),
        _ => false,
    }
}

/// Returns whether a frame is of a function of the server.
fn is_native(state: &LuaState, index: usize) -> bool {
    state.call_stack.get(index).is_some_and(|frame| !frame.is_lua)
}

/// Returns the chunk and the line that a frame executes.
fn frame_place(state: &LuaState, index: usize) -> Option<(String, i64)> {
    let frame = state.call_stack.get(index)?;
    let Val::Function(function) = state.stack_get(frame.func) else { return None };
    match state.gc.closures.get(function)? {
        Closure::Lua(closure) => {
            let lines = &closure.proto.line_info;
            let line = lines.get(frame.saved_pc.saturating_sub(1)).or(lines.first());
            Some((closure.proto.source.to_string(), line.map_or(0, |line| i64::from(*line))))
        }
        Closure::Rust(_) => Some(("=[C]".to_owned(), -1)),
    }
}

/// Returns the line that a message of the interpreter itself names. The program counter in the frame is behind for
/// errors of operators.
fn line_of_message(message: &str, source: &str) -> Option<i64> {
    let name = source.strip_prefix('@')?;
    let rest = message.strip_prefix(name)?.strip_prefix(':')?;
    rest.split_once(": ")?.0.parse().ok()
}
