//! Benchmarks that read an entry and write it, and those that check what they read.

use super::thread::{Budget, Thread};
use crate::stats::Op;
use crate::target::Result;
use crate::values::ValueMaker;

/// How the value that was read is changed.
#[derive(Clone, Copy, PartialEq)]
enum Change {
    /// It is replaced by another value.
    Replace,
    /// Its bytes are combined with the same number of new ones.
    Xor,
    /// A comma and a new value are appended.
    Append,
}

pub(super) fn random(t: &mut Thread<'_>) -> Result<()> {
    change(t, Change::Replace)
}

pub(super) fn xor_random(t: &mut Thread<'_>) -> Result<()> {
    change(t, Change::Xor)
}

pub(super) fn append_random(t: &mut Thread<'_>) -> Result<()> {
    change(t, Change::Append)
}

fn change(t: &mut Thread<'_>, change: Change) -> Result<()> {
    let config = t.config;
    let mut budget = Budget::new(config, t.shared, config.duration, config.readwrites);
    let mut values = ValueMaker::new(&t.shared.values);
    let (mut found, mut changed) = (0, Vec::new());
    while !budget.done(1) {
        t.random.draw();
        let number = t.random.draw() % config.num;
        t.choose(number);
        let key = t.keys.make(number, config.num);
        let new = values.make();
        changed.clear();
        let value = t.session.get(key).map_err(|error| format!("get error: {error}"))?;
        if let Some(value) = value {
            crate::target::touch(value);
            found += 1;
            t.stats.user_read += (key.len() + value.len()) as u64;
            match change {
                Change::Replace => {}
                Change::Xor => {
                    changed.extend(value.iter().zip(new.iter().cycle()).map(|(a, b)| a ^ b))
                }
                Change::Append => {
                    changed.extend_from_slice(value);
                    changed.push(b',');
                }
            }
        }
        if change == Change::Append || changed.is_empty() {
            changed.extend_from_slice(new);
        }
        t.session.put(key, &changed).map_err(|error| format!("put error: {error}"))?;
        let bytes = (key.len() + changed.len()) as u64;
        t.stats.user_written += bytes;
        // RocksDB counts neither bytes nor updates for this one.
        if change == Change::Xor {
            t.finished(1, Op::Other);
        } else {
            t.stats.bytes += bytes;
            t.finished(1, Op::Update);
        }
    }
    t.stats.message = format!("( updates:{} found:{found})", config.readwrites);
    Ok(())
}

/// Endings of the keys that are written and deleted together.
const ENDINGS: [u8; 3] = [b'0', b'1', b'2'];

/// Three keys are written and deleted in one batch each, and must have one value when they are read in one snapshot.
/// Of a hundred operations, reads come first, then writes, then deletions.
pub(super) fn with_verify(t: &mut Thread<'_>) -> Result<()> {
    let config = t.config;
    let mut budget = Budget::new(config, t.shared, 0, config.readwrites);
    let mut values = ValueMaker::new(&t.shared.values);
    let distinct = config.replace.distinct.max(1);
    let (mut gets, mut puts, mut deletes, mut found) = (0u64, 0u64, 0u64, 0u64);
    let (mut turn, mut keys) = (0, Vec::new());
    while !budget.done(1) {
        // RocksDB draws a database here; the draw keeps key sequences equal.
        t.random.draw();
        let number = t.random.draw() % distinct;
        keys.clear();
        for ending in ENDINGS {
            keys.extend_from_slice(t.keys.make(number, distinct));
            keys.push(ending);
        }
        let each = keys.len() / ENDINGS.len();
        let op = if turn < config.read_percent {
            found += u64::from(same_values(t, &keys, each)?);
            gets += 1;
            Op::Read
        } else if turn < 100 - config.delete_percent {
            let value = values.make();
            keys.chunks_exact(each).for_each(|key| t.session.batch_put(key, value));
            t.session.batch_write().map_err(|error| format!("putmany error: {error}"))?;
            t.stats.user_written += (keys.len() + ENDINGS.len() * value.len()) as u64;
            puts += 1;
            Op::Write
        } else {
            keys.chunks_exact(each).for_each(|key| t.session.batch_delete(key));
            t.session.batch_write().map_err(|error| format!("deletemany error: {error}"))?;
            t.stats.user_written += keys.len() as u64;
            deletes += 1;
            Op::Delete
        };
        turn = (turn + 1) % 100;
        t.finished(1, op);
    }
    t.stats.message =
        format!("( get:{gets} put:{puts} del:{deletes} total:{} found:{found})", config.readwrites);
    Ok(())
}

/// Returns whether the keys have a value, all the same one.
fn same_values(t: &mut Thread<'_>, keys: &[u8], each: usize) -> Result<bool> {
    t.session.take_snapshot()?;
    let mut values: Vec<Option<Vec<u8>>> = Vec::with_capacity(ENDINGS.len());
    for key in keys.chunks_exact(each) {
        let value = t.session.get(key).map_err(|error| format!("getmany error: {error}"))?;
        values.push(value.map(<[u8]>::to_vec));
    }
    if values.iter().any(|value| *value != values[0]) {
        return Err(format!("inconsistent values for key {:?}: {values:?}", &keys[..each - 1]));
    }
    Ok(values[0].is_some())
}

/// Keys are replaced: the old one is deleted and the next one written, as a secondary index does.
pub(super) fn replace_keys(t: &mut Thread<'_>) -> Result<()> {
    /// The number of keys that replace each other in a circle.
    const CIRCLE: u64 = 50;
    let config = t.config;
    let distinct = config.replace.distinct.max(1);
    let mut values = ValueMaker::new(&t.shared.values);
    let mut at = vec![0u64; distinct as usize];
    for number in 0..distinct {
        let (key, value) = (t.keys.make(number * CIRCLE, config.num), values.make());
        t.session.put(key, value).map_err(|error| format!("put error: {error}"))?;
        t.stats.user_written += (key.len() + value.len()) as u64;
    }
    let mut budget = Budget::new(config, t.shared, config.duration, config.num);
    while !budget.done(1) {
        let chosen = distinct as f64 / 2.0 + config.replace.deviation * normal(t);
        let number = chosen.clamp(0.0, (distinct - 1) as f64) as u64;
        let place = &mut at[number as usize];
        let key = t.keys.make(number * CIRCLE + *place, config.num);
        match config.replace.single_deletes {
            true => t.session.single_delete(key),
            false => t.session.delete(key),
        }
        .map_err(|error| format!("del error: {error}"))?;
        *place = (*place + 1) % CIRCLE;
        let key = t.keys.make(number * CIRCLE + *place, config.num);
        t.session.put(key, &[]).map_err(|error| format!("put error: {error}"))?;
        t.stats.user_written += 2 * key.len() as u64;
        t.finished(1, Op::Other);
    }
    t.stats.message = format!(
        "use single deletes: {}, standard deviation: {:.6}",
        u8::from(config.replace.single_deletes),
        config.replace.deviation
    );
    Ok(())
}

/// Returns a number from the standard normal distribution, by the method of Box and Muller.
fn normal(t: &mut Thread<'_>) -> f64 {
    let mut uniform = || ((t.random.draw() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
    (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos()
}
