//! The library `bit`: operations on numbers as 32 bits.

use rilua::vm::closure::RustFn;
use rilua::vm::state::LuaState;
use rilua::{LuaResult, Val};

use super::value;

/// Adding this to a double leaves its integer part modulo 2^32 in the low bits.
const SHIFT: f64 = 6_755_399_441_055_744.0;

/// The functions of the library.
pub(super) const FUNCTIONS: &[(&str, RustFn)] = &[
    ("tobit", |state| unary(state, |a| a)),
    ("bnot", |state| unary(state, |a| !a)),
    ("bswap", |state| unary(state, u32::swap_bytes)),
    ("band", |state| fold(state, |a, b| a & b)),
    ("bor", |state| fold(state, |a, b| a | b)),
    ("bxor", |state| fold(state, |a, b| a ^ b)),
    ("lshift", |state| shift(state, |a, n| a << n)),
    ("rshift", |state| shift(state, |a, n| a >> n)),
    ("arshift", |state| shift(state, |a, n| (a as i32 >> n) as u32)),
    ("rol", |state| shift(state, u32::rotate_left)),
    ("ror", |state| shift(state, u32::rotate_right)),
    ("tohex", tohex),
];

fn bits(state: &LuaState, index: usize) -> LuaResult<u32> {
    Ok((state.check_number(index)? + SHIFT).to_bits() as u32)
}

fn push(state: &mut LuaState, bits: u32) -> LuaResult<u32> {
    state.push(Val::Num(f64::from(bits as i32)));
    Ok(1)
}

fn unary(state: &mut LuaState, operation: fn(u32) -> u32) -> LuaResult<u32> {
    let a = bits(state, 1)?;
    push(state, operation(a))
}

fn fold(state: &mut LuaState, operation: fn(u32, u32) -> u32) -> LuaResult<u32> {
    let mut result = bits(state, 1)?;
    for index in (2..=value::argument_count(state)).rev() {
        result = operation(result, bits(state, index)?);
    }
    push(state, result)
}

fn shift(state: &mut LuaState, operation: fn(u32, u32) -> u32) -> LuaResult<u32> {
    let (a, n) = (bits(state, 1)?, bits(state, 2)? & 31);
    push(state, operation(a, n))
}

fn tohex(state: &mut LuaState) -> LuaResult<u32> {
    let a = bits(state, 1)?;
    let digits = if value::argument_count(state) < 2 { 8 } else { bits(state, 2)? as i32 };
    let count = digits.unsigned_abs().min(8) as usize;
    let text = if digits < 0 { format!("{a:08X}") } else { format!("{a:08x}") };
    value::return_string(state, text.as_bytes().get(8 - count..).unwrap_or_default())
}
