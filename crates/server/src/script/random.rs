//! `math.random` and `math.randomseed` with the generator of `lrand48`: a seed gives the same sequence everywhere.

use rilua::vm::state::LuaState;
use rilua::{LuaResult, Val, runtime_error};

use super::value;

const MULTIPLIER: u64 = 0x5_DEEC_E66D;
const INCREMENT: u64 = 0xB;
const MASK: u64 = (1 << 48) - 1;

/// One more than the largest fraction's numerator.
const MAX: u64 = i32::MAX as u64;

/// Sets the state of the generator from a seed.
pub(super) fn seed(state: &mut LuaState, seed: u32) {
    state.rng_state = u64::from(seed) << 16 | 0x330E;
}

/// Returns the next number from 0 to 2^31 - 1.
fn next(state: &mut LuaState) -> u64 {
    state.rng_state = state.rng_state.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT) & MASK;
    state.rng_state >> 17
}

/// `math.random([low,] [high])`.
pub(super) fn random(state: &mut LuaState) -> LuaResult<u32> {
    let fraction = (next(state) % MAX) as f64 / MAX as f64;
    let value = match value::argument_count(state) {
        0 => fraction,
        1 => {
            let high = state.check_integer(1)?;
            if high < 1 {
                return Err(value::bad_argument(state, 1, "interval is empty"));
            }
            (fraction * high as f64).floor() + 1.0
        }
        2 => {
            let (low, high) = (state.check_integer(1)?, state.check_integer(2)?);
            if low > high {
                return Err(value::bad_argument(state, 2, "interval is empty"));
            }
            (fraction * (high as f64 - low as f64 + 1.0)).floor() + low as f64
        }
        _ => return Err(runtime_error("wrong number of arguments")),
    };
    state.push(Val::Num(value));
    Ok(1)
}

/// `math.randomseed(seed)`.
pub(super) fn randomseed(state: &mut LuaState) -> LuaResult<u32> {
    let number = state.check_integer(1)?;
    seed(state, number as u32);
    Ok(0)
}
