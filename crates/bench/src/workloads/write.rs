//! Benchmarks that write.

use super::thread::{Budget, Limit, Thread};
use crate::config::{Config, Overwrite, RangeTombstones};
use crate::report::say;
use crate::rng::{Permutation, Random64};
use crate::stats::Op;
use crate::target::Result;
use crate::values::ValueMaker;
use std::collections::VecDeque;

/// In which order keys are written.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Order {
    Sequential,
    Random,
    /// Every key once. RocksDB shuffles a table of all numbers; a permutation needs no memory, which would be counted
    /// as the engine's.
    Unique,
}

pub(super) fn sequential(thread: &mut Thread<'_>) -> Result<()> {
    fill(thread, Order::Sequential)
}

pub(super) fn random(thread: &mut Thread<'_>) -> Result<()> {
    fill(thread, Order::Random)
}

pub(super) fn unique_random(thread: &mut Thread<'_>) -> Result<()> {
    match thread.config.disposable.is_on() {
        true => super::disposable::fill(thread),
        false => fill(thread, Order::Unique),
    }
}

/// The numbers of the keys that are written, one after the other.
struct Numbers {
    order: Order,
    num: u64,
    next: u64,
    permutation: Permutation,
    overwrite: Overwrite,
    /// The last keys, while some are to be overwritten.
    window: VecDeque<u64>,
    chooser: Random64,
    /// Keys that were new, and keys that were written again, while some are to be overwritten.
    new_and_old: [u64; 2],
}

impl Numbers {
    fn new(order: Order, config: &Config, skip: u64) -> Numbers {
        let num = config.fill_num + config.tombstones.max;
        let overwrite =
            if order == Order::Unique { config.overwrite } else { Overwrite::default() };
        Numbers {
            order,
            num,
            next: skip,
            permutation: Permutation::new(num, config.seed),
            overwrite,
            window: VecDeque::new(),
            chooser: Random64::new(config.seed),
            new_and_old: [0, 0],
        }
    }

    #[inline]
    fn draw(&mut self, random: &mut Random64) -> u64 {
        match self.order {
            Order::Sequential => {
                self.next += 1;
                self.next - 1
            }
            Order::Random => random.draw() % self.num,
            Order::Unique if self.overwrite.probability > 0.0 => self.new_or_old(),
            Order::Unique => self.unique(),
        }
    }

    fn unique(&mut self) -> u64 {
        self.next += 1;
        self.permutation.at((self.next - 1) % self.num)
    }

    fn new_or_old(&mut self) -> u64 {
        const BIG: u64 = 1 << 53;
        let share = (self.chooser.draw() % BIG) as f64 / BIG as f64;
        if !self.window.is_empty() && share < self.overwrite.probability {
            self.new_and_old[1] += 1;
            return self.window[(self.chooser.draw() % self.window.len() as u64) as usize];
        }
        self.new_and_old[0] += 1;
        let number = self.unique();
        if self.window.len() >= self.overwrite.window {
            self.window.pop_front();
        }
        self.window.push_back(number);
        number
    }
}

/// Returns whether a range tombstone follows the entry of this number.
fn wants_tombstone(tombstones: &RangeTombstones, written: u64) -> bool {
    let RangeTombstones { after, every, max, .. } = *tombstones;
    every > 0
        && written > after
        && (written - after) / every <= max
        && (written - after).is_multiple_of(every)
}

/// Deletes a range of keys, at once or one by one.
fn tombstone(t: &mut Thread<'_>, begin: u64) -> Result<()> {
    let (num, tombstones) = (t.config.num, t.config.tombstones);
    let error = |error| format!("delete range error: {error}");
    if tombstones.expand {
        for number in begin..begin + tombstones.width {
            t.session.delete(t.keys.make(number, num)).map_err(error)?;
        }
        return Ok(());
    }
    let from = t.keys.make(begin, num).to_vec();
    t.session.delete_range(&from, t.keys.make(begin + tombstones.width, num)).map_err(error)
}

/// Some of the writes of a benchmark that fills.
#[derive(Clone, Copy)]
pub(super) struct Part {
    /// Key numbers of the order that are left out at its beginning.
    pub(super) skip: u64,
    /// Entries that are written.
    pub(super) writes: u64,
}

fn fill(t: &mut Thread<'_>, order: Order) -> Result<()> {
    let writes = if t.config.writes == 0 { t.config.fill_num } else { t.config.writes };
    fill_part(t, order, Part { skip: 0, writes })
}

/// Writes entries in this order.
pub(super) fn fill_part(t: &mut Thread<'_>, order: Order, part: Part) -> Result<()> {
    let config = t.config;
    let (num, key_size) = (config.fill_num, config.keys.key_size as u64);
    let Part { skip, writes } = part;
    let limit = if order == Order::Unique { writes.min(num) } else { writes };
    let seconds = if order == Order::Random { config.duration } else { 0 };
    let mut budget = Budget::new(config, t.shared, seconds, limit);
    let mut numbers = Numbers::new(order, config, skip);
    let mut values = ValueMaker::new(&t.shared.values);
    if num != config.num {
        t.stats.message = format!("({num} ops)");
    }
    let (mut entries, mut written, mut ranges) = (0, 0, 0u64);
    while !budget.done(config.batch) {
        if order != Order::Sequential {
            // RocksDB draws a database here; the draw keeps key sequences equal.
            t.random.draw();
        }
        let mut bytes = 0;
        for _ in 0..config.batch {
            let number = numbers.draw(&mut t.random);
            t.choose(number);
            let value = values.make();
            bytes += key_size + value.len() as u64;
            if config.batch > 1 {
                t.session.batch_put(t.keys.make(number, config.num), value);
            } else {
                t.session.put(t.keys.make(number, config.num), value).map_err(put_error)?;
            }
            entries += 1;
            if wants_tombstone(&config.tombstones, entries) {
                let begin = numbers.draw(&mut t.random);
                tombstone(t, begin)?;
                ranges += 1;
            }
        }
        if config.batch > 1 {
            t.session.batch_write().map_err(put_error)?;
        }
        written += bytes;
        t.finished(config.batch, Op::Write);
        if let Some(limit) = &t.shared.write_limit {
            limit.request(config.batch, bytes);
            t.stats.reset_clock();
        }
    }
    t.stats.bytes += written;
    t.stats.user_written += written;
    let [new, old] = numbers.new_and_old;
    if new > 0 {
        say(&format!("Number of unique keys inserted: {new}.\nNumber of overwrites: {old}"));
    }
    if ranges > 0 {
        say(&format!("Number of range deletions: {ranges}"));
    }
    Ok(())
}

pub(super) fn put_error(error: String) -> String {
    format!("put error: {error}")
}

pub(super) fn delete_sequential(thread: &mut Thread<'_>) -> Result<()> {
    delete(thread, true)
}

pub(super) fn delete_random(thread: &mut Thread<'_>) -> Result<()> {
    delete(thread, false)
}

fn delete(t: &mut Thread<'_>, sequential: bool) -> Result<()> {
    let config = t.config;
    let seconds = if sequential { 0 } else { config.duration };
    let mut budget = Budget::new(config, t.shared, seconds, config.deletes);
    let mut next = 0;
    while !budget.done(config.batch) {
        if !sequential {
            t.random.draw();
        }
        for _ in 0..config.batch {
            let number = if sequential { next } else { t.random.draw() } % config.num;
            next += 1;
            t.choose(number);
            let key = t.keys.make(number, config.num);
            t.stats.user_written += key.len() as u64;
            if config.batch > 1 {
                t.session.batch_delete(key);
            } else {
                t.session.delete(key).map_err(|error| format!("del error: {error}"))?;
            }
        }
        if config.batch > 1 {
            t.session.batch_write().map_err(|error| format!("del error: {error}"))?;
        }
        t.finished(config.batch, Op::Delete);
    }
    Ok(())
}

pub(super) fn merge_random(t: &mut Thread<'_>) -> Result<()> {
    let config = t.config;
    let mut budget = Budget::new(config, t.shared, config.duration, config.readwrites);
    let mut values = ValueMaker::new(&t.shared.values);
    while !budget.done(1) {
        t.random.draw();
        let number = t.random.draw() % config.merge_keys.max(1);
        t.choose(number);
        let (key, value) = (t.keys.make(number, config.merge_keys), values.make());
        t.session.merge(key, value).map_err(|error| format!("merge error: {error}"))?;
        let bytes = (key.len() + value.len()) as u64;
        t.stats.bytes += bytes;
        t.stats.user_written += bytes;
        t.finished(1, Op::Merge);
    }
    t.stats.message = format!("( updates:{})", config.readwrites);
    Ok(())
}

/// Writes in the background until the foreground is done.
pub(super) fn background(t: &mut Thread<'_>, merge: bool) -> Result<()> {
    let config = t.config;
    let limit = Limit::of(config.write_rate);
    let mut values = ValueMaker::new(&t.shared.values);
    let mut written = 0;
    t.stats.background = true;
    loop {
        let enough = if config.finish_after_writes {
            written == config.writes
        } else {
            t.shared.foreground_is_done()
        };
        if enough {
            return Ok(());
        }
        t.random.draw();
        let number = t.random.draw() % config.num;
        t.choose(number);
        let (key, value) = (t.keys.make(number, config.num), values.make());
        if merge { t.session.merge(key, value) } else { t.session.put(key, value) }
            .map_err(|error| format!("put or merge error: {error}"))?;
        written += 1;
        let bytes = (key.len() + value.len()) as u64;
        t.stats.user_written += bytes;
        t.finished(1, Op::Write);
        if let Some(limit) = &limit {
            limit.request(1, bytes);
            t.stats.reset_clock();
        }
    }
}
