//! Replies of commands as values of a script.

use rilua::vm::state::LuaState;
use rilua::{LuaResult, Val, runtime_error};

use super::failure;
use super::value::{self, TableRef};

/// The deepest nesting of arrays in a reply of the server.
const DEPTH_MAX: usize = 64;

const BROKEN: &str = "the server's reply is broken";

/// A position in the reply of one command.
struct Cursor<'a> {
    rest: &'a [u8],
}

/// Returns the value of a whole reply in RESP2 or RESP3.
pub(super) fn convert(state: &mut LuaState, reply: &[u8]) -> LuaResult<Val> {
    let mut cursor = Cursor { rest: reply };
    let value = next(state, &mut cursor, 0)?;
    if !cursor.rest.is_empty() {
        return Err(runtime_error(BROKEN));
    }
    Ok(value)
}

impl<'a> Cursor<'a> {
    fn line(&mut self) -> LuaResult<&'a [u8]> {
        let end = memchr::memchr(b'\n', self.rest).ok_or_else(|| runtime_error(BROKEN))?;
        let (line, rest) = self.rest.split_at(end + 1);
        self.rest = rest;
        line.strip_suffix(b"\r\n").ok_or_else(|| runtime_error(BROKEN))
    }

    fn bytes(&mut self, length: usize) -> LuaResult<&'a [u8]> {
        let (bytes, rest) =
            self.rest.split_at_checked(length).ok_or_else(|| runtime_error(BROKEN))?;
        self.rest = rest.strip_prefix(b"\r\n").ok_or_else(|| runtime_error(BROKEN))?;
        Ok(bytes)
    }
}

fn parse<T: std::str::FromStr>(text: &[u8]) -> LuaResult<T> {
    let text = std::str::from_utf8(text).ok();
    text.and_then(|text| text.parse().ok()).ok_or_else(|| runtime_error(BROKEN))
}

fn next(state: &mut LuaState, cursor: &mut Cursor<'_>, depth: usize) -> LuaResult<Val> {
    let line = cursor.line()?;
    let Some((kind, rest)) = line.split_first() else { return Err(runtime_error(BROKEN)) };
    if depth > DEPTH_MAX {
        return Err(runtime_error(BROKEN));
    }
    match kind {
        b':' => Ok(Val::Num(parse::<i64>(rest)? as f64)),
        b'$' | b'*' if rest == b"-1" => Ok(Val::Bool(false)),
        b'_' => Ok(Val::Nil),
        b'#' => Ok(Val::Bool(rest == b"t")),
        b'$' => {
            let bytes = cursor.bytes(parse(rest)?)?;
            value::check_room(state, bytes.len())?;
            Ok(value::string(state, bytes))
        }
        b'+' => {
            let text = value::string(state, rest);
            wrap(state, "ok", text)
        }
        b'-' => error(state, rest),
        b',' => wrap(state, "double", Val::Num(parse(rest)?)),
        b'(' => {
            let text = value::string(state, rest);
            wrap(state, "big_number", text)
        }
        b'=' => verbatim(state, cursor.bytes(parse(rest)?)?),
        b'*' => {
            let table = value::new_table(state);
            for index in 1..=parse::<usize>(rest)? {
                let element = next(state, cursor, depth + 1)?;
                value::set_element(state, table, index, element)?;
            }
            Ok(Val::Table(table))
        }
        b'%' => {
            let inner = pairs(state, cursor, parse(rest)?, depth)?;
            wrap(state, "map", Val::Table(inner))
        }
        b'~' => {
            let inner = value::new_table(state);
            for _ in 0..parse::<usize>(rest)? {
                let member = next(state, cursor, depth + 1)?;
                value::set(state, inner, member, Val::Bool(true))?;
            }
            wrap(state, "set", Val::Table(inner))
        }
        _ => Err(runtime_error(BROKEN)),
    }
}

fn pairs(
    state: &mut LuaState,
    cursor: &mut Cursor<'_>,
    count: usize,
    depth: usize,
) -> LuaResult<TableRef> {
    let table = value::new_table(state);
    for _ in 0..count {
        let key = next(state, cursor, depth + 1)?;
        let inner = next(state, cursor, depth + 1)?;
        value::set(state, table, key, inner)?;
    }
    Ok(table)
}

fn wrap(state: &mut LuaState, name: &str, inner: Val) -> LuaResult<Val> {
    let table = value::new_table(state);
    value::set_field(state, table, name, inner)?;
    Ok(Val::Table(table))
}

fn error(state: &mut LuaState, text: &[u8]) -> LuaResult<Val> {
    let table = failure::error_table_of_reply(state, text)?;
    if let Val::Table(table) = table {
        value::set_field(state, table, failure::OF_COMMAND, Val::Bool(true))?;
    }
    Ok(table)
}

fn verbatim(state: &mut LuaState, bytes: &[u8]) -> LuaResult<Val> {
    let (format, text) = bytes.split_at_checked(4).ok_or_else(|| runtime_error(BROKEN))?;
    value::check_room(state, text.len())?;
    let table = value::new_table(state);
    let text = value::string(state, text);
    value::set_field(state, table, "string", text)?;
    let format = value::string(state, format.get(..3).unwrap_or_default());
    value::set_field(state, table, "format", format)?;
    wrap(state, "verbatim_string", Val::Table(table))
}
