//! Randomness: ids that must differ from all others, and cheap bits for load balancing. Nothing else in the engine is
//! random, except the iteration order of `std`'s hash tables; no result may depend on that.

use super::clock;
use std::cell::Cell;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::Read;

/// Bytes that differ at every call and on every machine. They come from the operating system; if it has no such device
/// file, they come from the keys with which the standard library seeds its hash tables, the time and the process id.
pub fn unique_bytes() -> [u8; 16] {
    let mut b = [0; 16];
    let device = std::fs::File::open("/dev/urandom").and_then(|mut f| f.read_exact(&mut b));
    if device.is_err() {
        for half in b.chunks_exact_mut(8) {
            let mut h = RandomState::new().build_hasher();
            h.write_u128(clock::since_1970().as_nanos());
            h.write_u32(std::process::id());
            half.copy_from_slice(&h.finish().to_le_bytes());
        }
    }
    b
}

thread_local! {
    static STATE: Cell<u64> = Cell::new(seed(super::thread_number()));
}

/// The seed of a thread. Seeds differ between threads, and are the same in each run that starts its threads in the same
/// order.
fn seed(thread: usize) -> u64 {
    (thread as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1
}

/// The next random bits of this thread, from a xorshift generator.
#[inline]
pub fn bits() -> u64 {
    STATE.with(|state| {
        let mut x = state.get();
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        state.set(x);
        x.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn threads_have_different_seeds() {
        assert_eq!((0..1000).map(seed).collect::<BTreeSet<_>>().len(), 1000);
    }

    #[test]
    fn bits_are_balanced() {
        let ones: u32 = (0..10_000).map(|_| bits() as u32 & 3).map(|two| u32::from(two == 0)).sum();
        assert!((2_200..2_800).contains(&ones), "{ones} of 10,000 instead of a quarter");
        assert_ne!(unique_bytes(), unique_bytes());
    }
}
