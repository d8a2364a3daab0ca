//! Benchmarks that write.

use super::thread::{Budget, Limit, Thread};
use crate::rng::Permutation;
use crate::stats::Op;
use crate::target::Result;
use crate::values::ValueMaker;

/// In which order keys are written.
#[derive(Clone, Copy, PartialEq)]
enum Order {
    Sequential,
    Random,
    /// Every key once. RocksDB shuffles a table of all numbers; a permutation needs no memory, which
    /// would count as the engine's.
    Unique,
}

pub(super) fn sequential(thread: &mut Thread<'_>) -> Result<()> {
    fill(thread, Order::Sequential)
}

pub(super) fn random(thread: &mut Thread<'_>) -> Result<()> {
    fill(thread, Order::Random)
}

pub(super) fn unique_random(thread: &mut Thread<'_>) -> Result<()> {
    fill(thread, Order::Unique)
}

fn fill(t: &mut Thread<'_>, order: Order) -> Result<()> {
    let config = t.config;
    let (num, key_size) = (config.fill_num, config.keys.key_size as u64);
    let writes = if config.writes == 0 { num } else { config.writes };
    let limit = if order == Order::Unique { writes.min(num) } else { writes };
    let seconds = if order == Order::Random { config.duration } else { 0 };
    let mut budget = Budget::new(config, t.shared, seconds, limit);
    let permutation = Permutation::new(num, config.seed);
    let mut values = ValueMaker::new(&t.shared.values);
    if num != config.num {
        t.stats.message = format!("({num} ops)");
    }
    let (mut next, mut written) = (0, 0);
    while !budget.done(config.batch) {
        if order != Order::Sequential {
            // RocksDB draws a database here; the draw keeps key sequences equal.
            t.random.draw();
        }
        let mut bytes = 0;
        for _ in 0..config.batch {
            let number = match order {
                Order::Sequential => next,
                Order::Random => t.random.draw() % num,
                Order::Unique => permutation.at(next % num),
            };
            next += 1;
            let value = values.make();
            bytes += key_size + value.len() as u64;
            if config.batch > 1 {
                t.session.batch_put(t.keys.make(number, config.num), value);
            } else {
                t.session.put(t.keys.make(number, config.num), value).map_err(put_error)?;
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
    Ok(())
}

fn put_error(error: String) -> String {
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

/// Reads a value, appends or replaces, and writes it back.
pub(super) fn update_random(t: &mut Thread<'_>) -> Result<()> {
    let config = t.config;
    let mut budget = Budget::new(config, t.shared, config.duration, config.readwrites);
    let mut values = ValueMaker::new(&t.shared.values);
    let mut found = 0;
    while !budget.done(1) {
        t.random.draw();
        let number = t.random.draw() % config.num;
        let key = t.keys.make(number, config.num);
        if let Some(value) = t.session.get(key).map_err(|error| format!("get error: {error}"))? {
            crate::target::touch(value);
            found += 1;
            t.stats.user_read += (key.len() + value.len()) as u64;
        }
        let value = values.make();
        t.session.put(key, value).map_err(put_error)?;
        let bytes = (key.len() + value.len()) as u64;
        t.stats.bytes += bytes;
        t.stats.user_written += bytes;
        t.finished(1, Op::Other);
    }
    t.stats.message = format!("( updates:{} found:{found})", config.readwrites);
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
