//! `cjson.encode`.

use rilua::vm::state::LuaState;
use rilua::{LuaError, LuaResult, Val, runtime_error};

use super::super::value::{self, TableRef};
use super::{DEPTH_MAX, Invalid, NULL, Settings};
use crate::text::double;

/// A table that is being written.
enum Frame {
    Array { table: TableRef, next: usize, length: usize },
    Object { table: TableRef, key: Val },
}

struct Encoder<'a> {
    state: &'a mut LuaState,
    settings: Settings,
    out: Vec<u8>,
    frames: Vec<Frame>,
}

/// `cjson.encode(value)`.
pub(super) fn encode(state: &mut LuaState) -> LuaResult<u32> {
    state.gc_check()?;
    super::check_one(state)?;
    let (settings, given) = (super::settings(state), value::argument(state, 1));
    let mut encoder = Encoder { state, settings, out: Vec::new(), frames: Vec::new() };
    encoder.write(given)?;
    while encoder.step()? {}
    let out = encoder.out;
    value::return_string(state, &out)
}

impl Encoder<'_> {
    /// Writes the next element of the innermost table. Returns `false` at the end.
    fn step(&mut self) -> LuaResult<bool> {
        let Some(frame) = self.frames.last_mut() else { return Ok(false) };
        let element = match frame {
            Frame::Array { next, length, .. } if *next > *length => {
                self.out.push(b']');
                self.frames.pop();
                return Ok(true);
            }
            Frame::Array { table, next, .. } => {
                if *next > 1 {
                    self.out.push(b',');
                }
                *next += 1;
                value::element(self.state, *table, *next - 1)
            }
            Frame::Object { table, key } => {
                let is_first = key.is_nil();
                let Some((found, element)) = value::next(self.state, *table, *key)? else {
                    self.out.push(b'}');
                    self.frames.pop();
                    return Ok(true);
                };
                *key = found;
                if !is_first {
                    self.out.push(b',');
                }
                self.write_key(found)?;
                element
            }
        };
        self.write(element)?;
        Ok(true)
    }

    fn write_key(&mut self, key: Val) -> LuaResult<()> {
        match key {
            Val::Num(_) => {
                self.out.push(b'"');
                self.write_number(key)?;
                self.out.push(b'"');
            }
            Val::Str(_) => self.write_string(key)?,
            key => return Err(refuse(key, "table key must be a number or string")),
        }
        self.out.push(b':');
        Ok(())
    }

    fn write(&mut self, given: Val) -> LuaResult<()> {
        value::check_room(self.state, self.out.len())?;
        match given {
            Val::Str(_) => self.write_string(given),
            Val::Num(_) => self.write_number(given),
            Val::Table(table) => self.begin_table(table),
            Val::Bool(true) => self.write_word(b"true"),
            Val::Bool(false) => self.write_word(b"false"),
            given if given.is_nil() || given == NULL => self.write_word(b"null"),
            given => Err(refuse(given, "type not supported")),
        }
    }

    fn write_word(&mut self, word: &[u8]) -> LuaResult<()> {
        self.out.extend_from_slice(word);
        Ok(())
    }

    fn write_string(&mut self, given: Val) -> LuaResult<()> {
        let text = value::bytes(self.state, given).unwrap_or_default();
        value::check_room(self.state, self.out.len() + text.len())?;
        self.out.reserve(text.len() + 2);
        self.out.push(b'"');
        for byte in text {
            let escape = match byte {
                b'"' | b'\\' | b'/' => *byte,
                0x08 => b'b',
                b'\t' => b't',
                b'\n' => b'n',
                0x0c => b'f',
                b'\r' => b'r',
                0..0x20 | 0x7f => {
                    self.out.extend_from_slice(format!("\\u{byte:04x}").as_bytes());
                    continue;
                }
                byte => {
                    self.out.push(*byte);
                    continue;
                }
            };
            self.out.extend_from_slice(&[b'\\', escape]);
        }
        self.out.push(b'"');
        Ok(())
    }

    fn write_number(&mut self, given: Val) -> LuaResult<()> {
        let number = given.as_number().unwrap_or(0.0);
        if !number.is_finite() {
            match self.settings.encode_invalid {
                Invalid::Refuse => return Err(refuse(given, "must not be NaN or Inf")),
                Invalid::Null => return self.write_word(b"null"),
                Invalid::Write if number.is_nan() => return self.write_word(b"nan"),
                Invalid::Write => {}
            }
        }
        double::append_significant(&mut self.out, number, self.settings.digits);
        Ok(())
    }

    fn begin_table(&mut self, table: TableRef) -> LuaResult<()> {
        let depth = self.frames.len() + 1;
        if depth > self.settings.encode_depth_max.min(DEPTH_MAX) {
            let text = format!("Cannot serialise, excessive nesting ({depth})");
            return Err(runtime_error(text));
        }
        let table = value::shown_table(self.state, table);
        match self.array_length(table)? {
            Some(length) => {
                self.out.push(b'[');
                self.frames.push(Frame::Array { table, next: 1, length });
            }
            None => {
                self.out.push(b'{');
                self.frames.push(Frame::Object { table, key: Val::Nil });
            }
        }
        Ok(())
    }

    /// Returns the length of a table that is an array. An empty table is an object.
    fn array_length(&self, table: TableRef) -> LuaResult<Option<usize>> {
        let (mut last, mut count, mut key) = (0usize, 0usize, Val::Nil);
        while let Some((found, _)) = value::next(self.state, table, key)? {
            key = found;
            match found {
                Val::Num(number) if number >= 1.0 && number.floor() == number => {
                    last = last.max(number as usize);
                    count += 1;
                }
                _ => return Ok(None),
            }
        }
        let Settings { sparse_ratio, sparse_safe, .. } = self.settings;
        let is_sparse =
            sparse_ratio > 0 && last > count.saturating_mul(sparse_ratio) && last > sparse_safe;
        if is_sparse && !self.settings.sparse_convert {
            return Err(refuse(Val::Table(table), "excessively sparse array"));
        }
        Ok((last > 0 && !is_sparse).then_some(last))
    }
}

fn refuse(given: Val, reason: &str) -> LuaError {
    runtime_error(format!("Cannot serialise {}: {reason}", given.type_name()))
}
