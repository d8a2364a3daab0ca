//! Cheap random bits for the heights of towers: a xorshift generator per thread.

use std::cell::Cell;

thread_local! {
    static STATE: Cell<u64> = Cell::new(seed());
}

/// The state's own address differs between threads, which is all that is asked of a seed.
fn seed() -> u64 {
    let place = 0u8;
    (std::ptr::from_ref(&place).addr() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1
}

/// The next bits of this thread.
#[inline]
pub(super) fn next() -> u64 {
    STATE.with(|state| {
        let mut x = state.get();
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        state.set(x);
        x.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    })
}
