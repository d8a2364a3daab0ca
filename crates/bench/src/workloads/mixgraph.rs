//! `mixgraph`: lookups, writes and scans in the mix of a social graph, with its key popularity, value sizes and scan
//! lengths.

use super::distributions::{Choice, KeyRanges, hot_key};
use super::thread::{Budget, Thread};
use crate::config::{Config, Sine};
use crate::parameters::Mix;
use crate::rate::RateLimiter;
use crate::rng::Random64;
use crate::stats::Op;
use crate::target::{Result, touch};
use crate::values::ValueMaker;
use std::sync::atomic::{AtomicU64, Ordering};

/// The smallest value.
const MIN_VALUE: u64 = 10;
/// The number of operations that are booked together.
const BOOKED: u64 = 100;
/// The rate of operations that are limited by nothing, per second. The first operation replaces it.
const UNLIMITED: u64 = 1_000_000_000;

/// The limits of `--sine_mix_rate`, shared by all threads.
pub struct MixLimits {
    reads: RateLimiter,
    writes: RateLimiter,
    sine: Sine,
    noise: f64,
    /// The shares of reads and of writes.
    shares: [f64; 2],
    seed: u64,
    step: AtomicU64,
}

impl MixLimits {
    /// Returns the limits that the flags ask for.
    pub fn of(config: &Config) -> Option<MixLimits> {
        let mix = &config.mix;
        let [gets, puts, seeks] = mix.ratios;
        let sum = gets + puts + seeks;
        Some(MixLimits {
            reads: RateLimiter::new(UNLIMITED),
            writes: RateLimiter::new(UNLIMITED),
            sine: mix.rate?,
            noise: mix.noise,
            shares: [(gets + seeks) / sum, puts / sum],
            seed: config.seed,
            // No step yet, so that the rate holds from the first operation on.
            step: AtomicU64::new(u64::MAX),
        })
    }

    /// Sets the rate at the start and whenever an interval has passed.
    fn follow(&self) {
        let seconds = self.reads.seconds();
        let step = (seconds * 1000.0) as u64 / self.sine.step_millis.max(1);
        if self.step.swap(step, Ordering::Relaxed) == step {
            return;
        }
        let rate = self.sine.value(seconds);
        let band = self.sine.parameters[0] as i64;
        let deviation = match u64::try_from(band) {
            Ok(width) if width > 0 => {
                (Random64::first(self.seed.wrapping_add(step)) % width) as i64 - band / 2
            }
            _ => 0,
        };
        let noisy = rate + deviation as f64 * self.noise;
        let rate = if noisy < 0.0 { rate } else { noisy };
        for (limiter, share) in [&self.reads, &self.writes].into_iter().zip(self.shares) {
            let rate = (rate * share) as u64;
            if rate > 0 {
                limiter.set_rate(rate);
            }
        }
    }
}

/// The choice of key numbers.
enum Keys {
    Uniform,
    Power([f64; 2]),
    Ranges(KeyRanges, [f64; 2]),
}

impl Keys {
    fn new(mix: &Mix, num: u64) -> Result<Keys> {
        Ok(if mix.has_ranges() {
            Keys::Ranges(KeyRanges::new(num, mix.ranges, mix.range_terms)?, mix.key_power)
        } else if mix.key_power.contains(&0.0) {
            Keys::Uniform
        } else {
            Keys::Power(mix.key_power)
        })
    }

    fn number(&self, random: u64, num: u64) -> u64 {
        match self {
            Keys::Uniform => random,
            Keys::Power(power) => hot_key(random as f64 / num as f64, *power, num),
            Keys::Ranges(ranges, power) => ranges.key(random, *power),
        }
    }
}

/// The operations of a thread.
#[derive(Default)]
struct Done {
    gets: u64,
    puts: u64,
    seeks: u64,
    found: u64,
    bytes: u64,
    value_bytes: u64,
    steps: u64,
}

pub(super) fn run(t: &mut Thread<'_>) -> Result<()> {
    let (config, mix) = (t.config, &t.config.mix);
    let keys = Keys::new(mix, config.num)?;
    let choice = Choice::new(mix.ratios);
    let mut values = ValueMaker::new(&t.shared.values);
    let mut budget = Budget::new(config, t.shared, config.duration, config.reads);
    let mut done = Done::default();
    while !budget.done(1) {
        // RocksDB draws a database here; the draw keeps key sequences equal.
        t.random.draw();
        let random = t.random_key();
        let u = random as f64 / config.num as f64;
        let number = keys.number(random, config.num);
        t.choose(number);
        if let Some(limits) = &t.shared.mix_limits {
            limits.follow();
        }
        match choice.of(random) {
            0 => get(t, number, &mut done)?,
            1 => {
                let size = value_size(mix, u);
                put(t, number, values.make_sized(size as usize), &mut done)?;
            }
            _ => scan(t, number, mix.scans.quantile(u) % mix.max_scan, &mut done)?,
        }
    }
    t.session.close_iterator();
    t.stats.bytes += done.bytes;
    t.stats.message = message(&done);
    Ok(())
}

/// Returns the size of a value.
fn value_size(mix: &Mix, u: f64) -> u64 {
    match mix.values.quantile(u) {
        size if size < MIN_VALUE => MIN_VALUE,
        size if size > mix.max_value => size % mix.max_value,
        size => size,
    }
}

fn get(t: &mut Thread<'_>, number: u64, done: &mut Done) -> Result<()> {
    let key = t.keys.make(number, t.config.num);
    done.gets += 1;
    let value = t.session.get(key).map_err(|error| format!("Get returned an error: {error}"))?;
    if let Some(value) = value {
        touch(value);
        let bytes = (key.len() + value.len()) as u64;
        done.found += 1;
        done.bytes += bytes;
        t.stats.user_read += bytes;
    }
    limit_reads(t, done);
    t.finished(1, Op::Read);
    Ok(())
}

fn put(t: &mut Thread<'_>, number: u64, value: &[u8], done: &mut Done) -> Result<()> {
    let key = t.keys.make(number, t.config.num);
    t.session.put(key, value).map_err(|error| format!("put error: {error}"))?;
    let bytes = (key.len() + value.len()) as u64;
    done.puts += 1;
    done.value_bytes += value.len() as u64;
    t.stats.user_written += bytes;
    if let (Some(limits), true) = (&t.shared.mix_limits, done.puts.is_multiple_of(BOOKED)) {
        limits.writes.request(BOOKED);
        t.stats.reset_clock();
    } else if let Some(limit) = &t.shared.write_limit {
        limit.request(1, bytes);
        t.stats.reset_clock();
    }
    t.finished(1, Op::Write);
    Ok(())
}

fn scan(t: &mut Thread<'_>, number: u64, length: u64, done: &mut Done) -> Result<()> {
    let error = |error| format!("iterator error: {error}");
    t.session.open_iterator(None, None).map_err(error)?;
    let key = t.keys.make(number, t.config.num);
    t.session.seek(key);
    done.seeks += 1;
    done.found += u64::from(t.session.valid() && t.session.key() == key);
    let mut left = length;
    while left > 0 && t.session.valid() {
        let value = t.session.value();
        touch(value);
        let bytes = (t.session.key().len() + value.len()) as u64;
        done.bytes += bytes;
        t.stats.user_read += bytes;
        t.session.next();
        left -= 1;
    }
    done.steps += length - left;
    t.session.status().map_err(error)?;
    limit_reads(t, done);
    t.finished(1, Op::Seek);
    Ok(())
}

/// Waits for the limit of reads once in a hundred of them.
fn limit_reads(t: &mut Thread<'_>, done: &Done) {
    let reads = done.gets + done.seeks;
    if let Some(limits) = &t.shared.mix_limits {
        if reads.is_multiple_of(BOOKED) {
            limits.reads.request(BOOKED);
            t.stats.reset_clock();
        }
    } else {
        t.limit_reads(reads);
    }
}

fn message(done: &Done) -> String {
    let average = |sum: u64, count: u64| sum as f64 / count.max(1) as f64;
    let Done { gets, puts, seeks, found, .. } = done;
    format!(
        "( Gets:{gets} Puts:{puts} Seek:{seeks}, reads {found} in {} found, avg size: {:.1} value, {:.1} scan)",
        gets + seeks,
        average(done.value_bytes, *puts),
        average(done.steps, *seeks),
    )
}
