//! `cmsgpack.unpack`, `unpack_one` and `unpack_limit`.

use rilua::vm::state::LuaState;
use rilua::{LuaError, LuaResult, Val, runtime_error};

use super::super::value::{self, TableRef};

/// The deepest nesting. A stack of Lua 5.1 holds about as many values.
const DEPTH_MAX: usize = 7_990;

/// The most values that a function returns.
const RESULTS_MAX: usize = 7_990;

/// A table that is being filled.
struct Frame {
    table: TableRef,
    /// The elements or pairs that are missing.
    left: usize,
    /// The next index of an array.
    index: usize,
    /// The key of a map that waits for its value.
    key: Option<Val>,
    is_map: bool,
}

/// The first byte of a value and what belongs to it.
enum Item {
    Value(Val),
    Array(usize),
    Map(usize),
}

struct Decoder<'a> {
    rest: &'a [u8],
}

/// `cmsgpack.unpack(text)`.
pub(super) fn unpack(state: &mut LuaState) -> LuaResult<u32> {
    values(state, None, 0)
}

/// `cmsgpack.unpack_one(text [, offset])`.
pub(super) fn unpack_one(state: &mut LuaState) -> LuaResult<u32> {
    let offset = state.opt_integer(2, 0)?;
    values(state, Some(1), offset)
}

/// `cmsgpack.unpack_limit(text, limit [, offset])`.
pub(super) fn unpack_limit(state: &mut LuaState) -> LuaResult<u32> {
    let limit = state.check_integer(2)?;
    let offset = state.opt_integer(3, 0)?;
    if limit == 0 && offset == 0 {
        return values(state, None, 0);
    }
    values(state, Some(limit), offset)
}

/// Decodes up to `limit` values, or all. With a limit the first result is where the next value begins, or -1.
fn values(state: &mut LuaState, limit: Option<i64>, offset: i64) -> LuaResult<u32> {
    state.gc_check()?;
    let text = state.check_string(1)?;
    let length = text.len();
    if offset < 0 || limit.is_some_and(|limit| limit < 0) {
        let text =
            format!("Invalid request to unpack with offset of {offset} and limit of {length}.");
        return Err(runtime_error(text));
    }
    let Some(rest) = usize::try_from(offset).ok().and_then(|offset| text.get(offset..)) else {
        let text = format!("Start offset {offset} greater than input length {length}.");
        return Err(runtime_error(text));
    };
    let most = limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let mut decoder = Decoder { rest };
    let mut results = Vec::new();
    while !decoder.rest.is_empty() && results.len() < most {
        if results.len() >= RESULTS_MAX {
            return Err(runtime_error(
                "stack overflow (too many return values at once; use unpack_one or unpack_limit \
                 instead.)",
            ));
        }
        results.push(decoder.value(state)?);
    }
    let mut count = results.len() as u32;
    if limit.is_some() {
        let is_end = decoder.rest.is_empty();
        state.push(Val::Num(if is_end { -1.0 } else { (length - decoder.rest.len()) as f64 }));
        count += 1;
    }
    results.into_iter().for_each(|result| state.push(result));
    Ok(count)
}

fn missing() -> LuaError {
    runtime_error("Missing bytes in input.")
}

impl<'a> Decoder<'a> {
    fn take(&mut self, count: usize) -> LuaResult<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or_else(missing)?;
        self.rest = rest;
        Ok(taken)
    }

    /// Reads an unsigned big-endian number.
    fn unsigned(&mut self, size: usize) -> LuaResult<u64> {
        Ok(self.take(size)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// Decodes one value with everything in it.
    fn value(&mut self, state: &mut LuaState) -> LuaResult<Val> {
        let mut frames: Vec<Frame> = Vec::new();
        loop {
            let (left, is_map) = match self.item(state)? {
                Item::Value(done) => match store(state, &mut frames, done)? {
                    Some(outermost) => return Ok(outermost),
                    None => continue,
                },
                Item::Array(length) => (length, false),
                Item::Map(length) => (length, true),
            };
            if frames.len() >= DEPTH_MAX {
                return Err(runtime_error("stack overflow (too many nested values)"));
            }
            let table = value::new_table(state);
            value::check_room(state, 0)?;
            if left > 0 {
                frames.push(Frame { table, left, index: 1, key: None, is_map });
            } else if let Some(outermost) = store(state, &mut frames, Val::Table(table))? {
                return Ok(outermost);
            }
        }
    }

    fn item(&mut self, state: &mut LuaState) -> LuaResult<Item> {
        let code = self.take(1)?.first().copied().unwrap_or(0xc1);
        let item = match code {
            0x00..=0x7f => number(f64::from(code)),
            0xe0..=0xff => number(f64::from(code as i8)),
            0x80..=0x8f => Item::Map(usize::from(code & 15)),
            0x90..=0x9f => Item::Array(usize::from(code & 15)),
            0xa0..=0xbf => self.string(state, usize::from(code & 31))?,
            0xc0 => Item::Value(Val::Nil),
            0xc2 => Item::Value(Val::Bool(false)),
            0xc3 => Item::Value(Val::Bool(true)),
            0xca => number(f64::from(f32::from_bits(self.unsigned(4)? as u32))),
            0xcb => number(f64::from_bits(self.unsigned(8)?)),
            0xcc => number(self.unsigned(1)? as f64),
            0xcd => number(self.unsigned(2)? as f64),
            0xce => number(self.unsigned(4)? as f64),
            // The interpreter of Redis takes 64 unsigned bits as signed ones.
            0xcf | 0xd3 => number(self.unsigned(8)? as i64 as f64),
            0xd0 => number(f64::from(self.unsigned(1)? as i8)),
            0xd1 => number(f64::from(self.unsigned(2)? as i16)),
            0xd2 => number(f64::from(self.unsigned(4)? as i32)),
            0xd9..=0xdb => {
                let length = self.unsigned(1 << (code - 0xd9))? as usize;
                self.string(state, length)?
            }
            0xdc | 0xdd => Item::Array(self.unsigned(2 << (code - 0xdc))? as usize),
            0xde | 0xdf => Item::Map(self.unsigned(2 << (code - 0xde))? as usize),
            0xc1 | 0xc4..=0xc9 | 0xd4..=0xd8 => {
                return Err(runtime_error("Bad data format in input."));
            }
        };
        Ok(item)
    }

    fn string(&mut self, state: &mut LuaState, length: usize) -> LuaResult<Item> {
        let text = self.take(length)?;
        value::check_room(state, length)?;
        Ok(Item::Value(value::string(state, text)))
    }
}

fn number(number: f64) -> Item {
    Item::Value(Val::Num(number))
}

/// Puts a value into the innermost table, and tables that become full into those around them. Returns the value that is
/// in no table.
fn store(state: &mut LuaState, frames: &mut Vec<Frame>, value: Val) -> LuaResult<Option<Val>> {
    let mut done = value;
    while let Some(frame) = frames.last_mut() {
        if frame.is_map && frame.key.is_none() {
            frame.key = Some(done);
            return Ok(None);
        }
        match frame.key.take() {
            Some(key) => value::set(state, frame.table, key, done)?,
            None => value::set_element(state, frame.table, frame.index, done)?,
        }
        frame.index += 1;
        frame.left -= 1;
        if frame.left > 0 {
            return Ok(None);
        }
        done = Val::Table(frame.table);
        frames.pop();
    }
    Ok(Some(done))
}
