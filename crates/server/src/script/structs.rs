//! The library `struct`: C structures as strings.
//!
//! ```text
//! > <       big-endian, little-endian        x         a zero byte
//! !n        alignment up to n bytes          b B h H   signed and unsigned 1 and 2 bytes
//! i In      signed integer of 4 or n bytes   l L T     signed and unsigned 8 bytes
//! I In      unsigned integer                 f d       float and double
//! cn        n bytes; c0 in pack is a whole string, in unpack a string whose length is the number before it
//! s         a string that ends with a zero byte
//! ```

use rilua::vm::closure::RustFn;
use rilua::vm::state::LuaState;
use rilua::{LuaResult, Val, runtime_error};

use super::value;

/// The functions of the library.
pub(super) const FUNCTIONS: &[(&str, RustFn)] =
    &[("pack", pack), ("unpack", unpack), ("size", size)];

/// The largest integer in bytes.
const INTEGER_MAX: usize = 32;

/// The alignment of `!` without a number.
const ALIGNMENT_DEFAULT: usize = 8;

/// The most results of `unpack`.
const RESULTS_MAX: usize = 7_990;

/// A position in a format with the settings that it has made.
struct Format<'a> {
    rest: &'a [u8],
    is_big: bool,
    alignment: usize,
}

impl<'a> Format<'a> {
    fn new(format: &'a [u8]) -> Format<'a> {
        let end = memchr::memchr(0, format).unwrap_or(format.len());
        Format { rest: format.get(..end).unwrap_or_default(), is_big: false, alignment: 1 }
    }

    /// Returns the next option and its size in bytes.
    fn option(&mut self) -> LuaResult<Option<(u8, usize)>> {
        let Some((option, rest)) = self.rest.split_first() else { return Ok(None) };
        self.rest = rest;
        let size = match option {
            b'b' | b'B' | b'x' => 1,
            b'h' | b'H' => 2,
            b'l' | b'L' | b'T' | b'd' => 8,
            b'f' => 4,
            b'c' => self.number(1)?,
            b'i' | b'I' => {
                let size = self.number(4)?;
                if size > INTEGER_MAX {
                    let text =
                        format!("integral size {size} is larger than limit of {INTEGER_MAX}");
                    return Err(runtime_error(text));
                }
                size
            }
            _ => 0,
        };
        Ok(Some((*option, size)))
    }

    fn number(&mut self, default: usize) -> LuaResult<usize> {
        let digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            return Ok(default);
        }
        let (digits, rest) = self.rest.split_at(digits);
        self.rest = rest;
        let number = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse::<i32>().ok());
        match number {
            Some(number) => Ok(number as usize),
            None => Err(runtime_error("integral size overflow")),
        }
    }

    /// Returns the bytes that align an element at a position.
    fn padding(&self, position: usize, option: u8, size: usize) -> usize {
        if size == 0 || option == b'c' {
            return 0;
        }
        let size = size.min(self.alignment);
        (size - (position & (size - 1))) & (size - 1)
    }

    /// Obeys an option that stands for no element.
    fn control(&mut self, state: &LuaState, option: u8) -> LuaResult<()> {
        match option {
            b' ' => {}
            b'>' => self.is_big = true,
            b'<' => self.is_big = false,
            b'!' => {
                let alignment = self.number(ALIGNMENT_DEFAULT)?;
                if !alignment.is_power_of_two() {
                    let text = format!("alignment {alignment} is not a power of 2");
                    return Err(runtime_error(text));
                }
                self.alignment = alignment;
            }
            other => {
                let text = format!("invalid format option '{}'", char::from(other));
                return Err(value::bad_argument(state, 1, &text));
            }
        }
        Ok(())
    }
}

fn push_ordered(out: &mut Vec<u8>, little: &[u8], is_big: bool) {
    if is_big {
        out.extend(little.iter().rev());
    } else {
        out.extend_from_slice(little);
    }
}

/// `struct.pack(format, ...)`.
fn pack(state: &mut LuaState) -> LuaResult<u32> {
    let text = state.check_string(1)?;
    let mut format = Format::new(&text);
    let (mut out, mut index) = (Vec::new(), 2);
    while let Some((option, size)) = format.option()? {
        let padding = format.padding(out.len(), option, size);
        out.resize(out.len() + padding, 0);
        match option {
            b'b' | b'B' | b'h' | b'H' | b'l' | b'L' | b'T' | b'i' | b'I' => {
                let number = state.check_number(index)?;
                index += 1;
                let bits = if number < 0.0 { number as i64 as u64 } else { number as u64 };
                let mut bytes = bits.to_le_bytes().to_vec();
                bytes.resize(size, 0);
                push_ordered(&mut out, &bytes, format.is_big);
            }
            b'x' => out.push(0),
            b'f' => {
                let number = state.check_number(index)? as f32;
                index += 1;
                push_ordered(&mut out, &number.to_le_bytes(), format.is_big);
            }
            b'd' => {
                let number = state.check_number(index)?;
                index += 1;
                push_ordered(&mut out, &number.to_le_bytes(), format.is_big);
            }
            b'c' | b's' => {
                let text = state.check_string(index)?;
                index += 1;
                let size = if size == 0 { text.len() } else { size };
                let Some(part) = text.get(..size) else {
                    return Err(value::bad_argument(state, index, "string too short"));
                };
                value::check_room(state, out.len() + part.len())?;
                out.extend_from_slice(part);
                if option == b's' {
                    out.push(0);
                }
            }
            other => format.control(state, other)?,
        }
    }
    value::return_string(state, &out)
}

/// `struct.unpack(format, data [, offset])`.
fn unpack(state: &mut LuaState) -> LuaResult<u32> {
    let text = state.check_string(1)?;
    let data = state.check_string(2)?;
    let start = state.opt_integer(3, 1)?;
    if start == 0 {
        return Err(value::bad_argument(state, 3, "offset must be 1 or greater"));
    }
    let mut at = usize::try_from(start).map_or(usize::MAX / 2, |start| start - 1);
    let mut format = Format::new(&text);
    let mut results: Vec<Val> = Vec::new();
    while let Some((option, size)) = format.option()? {
        at += format.padding(at, option, size);
        let Some(part) = at.checked_add(size).and_then(|end| data.get(at..end)) else {
            return Err(value::bad_argument(state, 2, "data string too short"));
        };
        if results.len() >= RESULTS_MAX {
            return Err(runtime_error("stack overflow (too many results)"));
        }
        let mut used = size;
        match option {
            b'b' | b'B' | b'h' | b'H' | b'l' | b'L' | b'T' | b'i' | b'I' => {
                let is_signed = option.is_ascii_lowercase();
                results.push(Val::Num(integer(part, format.is_big, is_signed)));
            }
            b'x' => {}
            b'f' => {
                let bits = unsigned(part, format.is_big) as u32;
                results.push(Val::Num(f64::from(f32::from_bits(bits))));
            }
            b'd' => results.push(Val::Num(f64::from_bits(unsigned(part, format.is_big)))),
            b'c' if size > 0 => results.push(value::string(state, part)),
            b'c' => {
                let length = results.pop().and_then(|last| value::number(state, last));
                let Some(length) = length else {
                    return Err(runtime_error("format 'c0' needs a previous size"));
                };
                used = length as usize;
                let Some(part) = at.checked_add(used).and_then(|end| data.get(at..end)) else {
                    return Err(value::bad_argument(state, 2, "data string too short"));
                };
                results.push(value::string(state, part));
            }
            b's' => {
                let rest = data.get(at..).unwrap_or_default();
                let Some(length) = memchr::memchr(0, rest) else {
                    return Err(runtime_error("unfinished string in data"));
                };
                results.push(value::string(state, rest.get(..length).unwrap_or_default()));
                used = length + 1;
            }
            other => format.control(state, other)?,
        }
        at += used;
    }
    let count = results.len() as u32 + 1;
    results.into_iter().for_each(|result| state.push(result));
    state.push(Val::Num(at as f64 + 1.0));
    Ok(count)
}

/// Reads an unsigned integer of any size, of which the low 64 bits count.
fn unsigned(part: &[u8], is_big: bool) -> u64 {
    let add = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
    if is_big { part.iter().fold(0, add) } else { part.iter().rev().fold(0, add) }
}

fn integer(part: &[u8], is_big: bool, is_signed: bool) -> f64 {
    let bits = unsigned(part, is_big);
    if !is_signed {
        return bits as f64;
    }
    // The bits from the sign on. Shifts beyond the size wrap as they do on this processor.
    let sign = u64::MAX.wrapping_shl((part.len() as u32).wrapping_mul(8).wrapping_sub(1));
    let extended = if bits & sign != 0 { bits | sign } else { bits };
    extended as i64 as f64
}

/// `struct.size(format)`.
fn size(state: &mut LuaState) -> LuaResult<u32> {
    let text = state.check_string(1)?;
    let mut format = Format::new(&text);
    let mut total = 0usize;
    while let Some((option, size)) = format.option()? {
        total = total.wrapping_add(format.padding(total, option, size));
        match option {
            b's' => return Err(value::bad_argument(state, 1, "option 's' has no fixed size")),
            b'c' if size == 0 => {
                return Err(value::bad_argument(state, 1, "option 'c0' has no fixed size"));
            }
            option if option.is_ascii_alphanumeric() => {}
            option => format.control(state, option)?,
        }
        total = total.wrapping_add(size);
    }
    state.push(Val::Num(total as f64));
    Ok(1)
}
