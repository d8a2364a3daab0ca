//! The value that a script returns as a reply.

use rilua::vm::state::LuaState;
use rilua::{LuaResult, Val};

use super::value::{self, TableRef};
use crate::resp::{Protocol, Reply};
use crate::text::double;

/// The deepest nesting of a reply. Deeper values are replaced by an error reply, as Redis does near this depth.
const DEPTH_MAX: usize = 7990;

/// A table whose elements are being written.
enum Frame {
    Array {
        table: TableRef,
        next: usize,
        length: usize,
    },
    /// The value of a pair waits until its key, which may be a table, is written.
    Map {
        table: TableRef,
        key: Val,
        is_set: bool,
        pending: Option<Val>,
    },
}

/// Appends the reply for a value. `script` is the protocol that the script chose for the replies to itself.
pub(super) fn convert(
    state: &mut LuaState,
    result: Val,
    script: Protocol,
    reply: &mut Reply,
) -> LuaResult<()> {
    let mut frames = Vec::new();
    write(state, result, script, reply, &mut frames)?;
    while let Some(frame) = frames.last_mut() {
        match frame {
            Frame::Array { next, length, .. } if *next > *length => drop(frames.pop()),
            Frame::Array { table, next, .. } => {
                let element = value::element(state, *table, *next);
                *next += 1;
                write(state, element, script, reply, &mut frames)?;
            }
            Frame::Map { table, key, is_set, pending } => {
                if let Some(inner) = pending.take() {
                    write(state, inner, script, reply, &mut frames)?;
                    continue;
                }
                let Some((found, inner)) = value::next(state, *table, *key)? else {
                    frames.pop();
                    continue;
                };
                *key = found;
                *pending = (!*is_set).then_some(inner);
                write(state, found, script, reply, &mut frames)?;
            }
        }
    }
    Ok(())
}

fn write(
    state: &mut LuaState,
    result: Val,
    script: Protocol,
    reply: &mut Reply,
    frames: &mut Vec<Frame>,
) -> LuaResult<()> {
    if frames.len() >= DEPTH_MAX {
        reply.error("ERR reached lua stack limit");
        return Ok(());
    }
    match result {
        Val::Str(_) => reply.bulk(value::bytes(state, result).unwrap_or_default()),
        Val::Num(number) => reply.integer(integer(number)),
        Val::Bool(truth) if script == Protocol::Resp3 => reply.boolean(truth),
        Val::Bool(true) => reply.integer(1),
        Val::Table(table) => {
            let table = value::shown_table(state, table);
            return write_table(state, table, reply, frames);
        }
        _ => reply.null(),
    }
    Ok(())
}

/// Returns the integer that a C program gets from a double on this machine.
fn integer(number: f64) -> i64 {
    let is_inside = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&number);
    if is_inside { number as i64 } else { i64::MIN }
}

fn write_table(
    state: &mut LuaState,
    table: TableRef,
    reply: &mut Reply,
    frames: &mut Vec<Frame>,
) -> LuaResult<()> {
    if write_single(state, table, reply) {
        return Ok(());
    }
    for (name, is_set) in [(&b"map"[..], false), (b"set", true)] {
        if let Val::Table(inner) = value::field(state, table, name) {
            let inner = value::shown_table(state, inner);
            let count = count(state, inner)?;
            if is_set {
                reply.set(count)
            } else {
                reply.map(count)
            }
            frames.push(Frame::Map { table: inner, key: Val::Nil, is_set, pending: None });
            return Ok(());
        }
    }
    let mut length = 0;
    while !value::element(state, table, length + 1).is_nil() {
        length += 1;
    }
    reply.array(length);
    frames.push(Frame::Array { table, next: 1, length });
    Ok(())
}

/// Writes a table that stands for a value which is not a collection. Returns whether it was one.
fn write_single(state: &mut LuaState, table: TableRef, reply: &mut Reply) -> bool {
    let error = value::field(state, table, b"err");
    if let Some(text) = value::bytes(state, error) {
        reply.error(&String::from_utf8_lossy(until_zero(text)));
        return true;
    }
    let status = value::field(state, table, b"ok");
    if let Some(text) = value::bytes(state, status) {
        write_line(reply, b'+', until_zero(text));
        return true;
    }
    if let Val::Num(number) = value::field(state, table, b"double") {
        reply.double(&double::format(number));
        return true;
    }
    let digits = value::field(state, table, b"big_number");
    if let Some(text) = value::bytes(state, digits) {
        match reply.protocol {
            Protocol::Resp2 => reply.bulk(&without_line_ends(text)),
            Protocol::Resp3 => write_line(reply, b'(', text),
        }
        return true;
    }
    if let Val::Table(inner) = value::field(state, table, b"verbatim_string") {
        return write_verbatim(state, inner, reply);
    }
    false
}

fn write_verbatim(state: &mut LuaState, table: TableRef, reply: &mut Reply) -> bool {
    let format = value::field(state, table, b"format");
    let text = value::field(state, table, b"string");
    let (Some(format), Some(text)) = (value::bytes(state, format), value::bytes(state, text))
    else {
        return false;
    };
    match reply.protocol {
        Protocol::Resp2 => reply.bulk(text),
        Protocol::Resp3 => {
            // A format has three letters; a shorter one is filled with spaces.
            let mut header = format!("={}\r\n", text.len() + 4).into_bytes();
            header.extend(format.iter().copied().chain([b' '; 3]).take(3));
            header.push(b':');
            reply.raw(&header);
            reply.raw(text);
            reply.raw(b"\r\n");
        }
    }
    true
}

fn write_line(reply: &mut Reply, kind: u8, text: &[u8]) {
    reply.raw(&[kind]);
    reply.raw(&without_line_ends(text));
    reply.raw(b"\r\n");
}

fn without_line_ends(text: &[u8]) -> Vec<u8> {
    text.iter().map(|byte| if b"\r\n".contains(byte) { b' ' } else { *byte }).collect()
}

fn until_zero(text: &[u8]) -> &[u8] {
    text.split(|byte| *byte == 0).next().unwrap_or_default()
}

fn count(state: &LuaState, table: TableRef) -> LuaResult<usize> {
    let (mut count, mut key) = (0, Val::Nil);
    while let Some((found, _)) = value::next(state, table, key)? {
        key = found;
        count += 1;
    }
    Ok(count)
}
