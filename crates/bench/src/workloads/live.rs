//! Estimates the number of live keys from the benchmarks that were run: the same estimate for every engine.
//!
//! Random writes and deletes are counted by expectation: after `w` draws from `n` keys, each key was
//! missed with probability (1 - 1/n)^w.

use super::Effect;

/// The expected number of live keys and their size.
#[derive(Clone, Copy, Debug, Default)]
pub struct Live {
    keys: f64,
    entry_size: f64,
}

impl Live {
    /// A database with this many keys.
    pub fn new(keys: u64, entry_size: f64) -> Live {
        Live { keys: keys as f64, entry_size }
    }

    /// After `ops` writes or deletes over `num` keys.
    pub fn apply(&mut self, effect: Effect, ops: u64, num: u64, entry_size: f64) {
        let (ops, num) = (ops as f64, num as f64);
        let missed = (ops * (1.0 - 1.0 / num.max(2.0)).ln()).exp();
        match effect {
            Effect::None => return,
            Effect::AddsNew => self.keys = self.keys.max(ops.min(num)),
            Effect::AddsRandom => self.keys = num - (num - self.keys.min(num)) * missed,
            Effect::RemovesFirst => self.keys = (self.keys - ops).max(0.0),
            Effect::RemovesRandom => self.keys *= missed,
        }
        if matches!(effect, Effect::AddsNew | Effect::AddsRandom) {
            self.entry_size = entry_size;
        }
    }

    /// Bytes of keys and values.
    pub fn bytes(&self) -> f64 {
        self.keys * self.entry_size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expectation_of_random_writes_and_deletes() {
        let mut live = Live::new(0, 1.0);
        live.apply(Effect::AddsRandom, 1_000_000, 1_000_000, 1.0);
        assert!((live.bytes() - 632_121.0).abs() < 10.0, "{}", live.bytes());
        live.apply(Effect::RemovesRandom, 1_000_000, 1_000_000, 1.0);
        assert!((live.bytes() - 232_544.0).abs() < 10.0, "{}", live.bytes());
        live.apply(Effect::AddsNew, 1_000_000, 1_000_000, 2.0);
        assert_eq!(live.bytes(), 2_000_000.0);
    }
}
