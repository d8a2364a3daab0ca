//! `timeseries`: one thread writes entries of many series; others read one series at a time, or delete expired entries.
//!
//! A key is the number of its series in eight bytes and the time of the entry in the next eight, both big-endian. The
//! time is the number of writes before it.

use super::thread::{Budget, Thread};
use crate::report;
use crate::stats::{Op, Total};
use crate::target::{Result, expired, touch};
use crate::values::ValueMaker;
use std::sync::atomic::Ordering;

/// Bytes of a series' number, and of a time.
const PART: usize = 8;

pub(super) fn run(t: &mut Thread<'_>) -> Result<()> {
    if t.config.keys.key_size < 2 * PART {
        return Err("timeseries needs --key_size=16 or more".to_owned());
    }
    match t.id {
        0 => write(t),
        id => read(t, id <= t.config.series.deleters),
    }
}

/// Writes the key of a random series, with this time, into `key`.
fn draw_key(t: &mut Thread<'_>, time: u64, key: &mut Vec<u8>) {
    let number = t.random.draw() % t.config.series.ids;
    key.clear();
    key.extend_from_slice(t.keys.make(number, t.config.num));
    key[PART..2 * PART].copy_from_slice(&time.to_be_bytes());
}

fn write(t: &mut Thread<'_>) -> Result<()> {
    let config = t.config;
    let mut budget = Budget::new(config, t.shared, config.duration, config.writes);
    let mut values = ValueMaker::new(&t.shared.values);
    let mut key = Vec::new();
    t.stats.background = true;
    while !budget.done(1) {
        // RocksDB draws a database here; the draw keeps key sequences equal.
        t.random.draw();
        draw_key(t, t.shared.clock.load(Ordering::Relaxed), &mut key);
        t.shared.clock.fetch_add(1, Ordering::Relaxed);
        let value = values.make();
        t.session.put(&key, value).map_err(|error| format!("put error: {error}"))?;
        let bytes = (key.len() + value.len()) as u64;
        t.stats.bytes += bytes;
        t.stats.user_written += bytes;
        t.finished(1, Op::Write);
        if let Some(limit) = &t.shared.write_limit {
            limit.request(1, bytes);
            t.stats.reset_clock();
        }
    }
    t.stats.stop();
    let total = Total {
        done: t.stats.done,
        bytes: t.stats.bytes,
        thread_seconds: t.stats.seconds,
        elapsed: t.stats.seconds,
        ..Total::default()
    };
    report::say(&report::line("timeseries write", &total));
    Ok(())
}

/// Reads random series until the writer is done. A deleting thread continues up to the first entry that has not
/// expired.
fn read(t: &mut Thread<'_>, deletes: bool) -> Result<()> {
    let iterator_error = |error: String| format!("iterator error: {error}");
    let (mut series, mut found, mut bytes) = (0, 0, 0);
    let mut key = Vec::new();
    let tailing = t.config.read_mode.tailing;
    if tailing {
        t.session.open_iterator(None, None).map_err(iterator_error)?;
    }
    while !t.shared.background_is_done() {
        if !tailing {
            t.session.open_iterator(None, None).map_err(iterator_error)?;
        }
        draw_key(t, 0, &mut key);
        t.session.seek(&key);
        series += 1;
        found += u64::from(is_in_series(t, &key));
        bytes += if deletes { delete_expired(t, &mut key)? } else { read_series(t, &key) };
        t.session.status().map_err(iterator_error)?;
        if let Some(limit) = &t.shared.read_limit {
            limit.request(1);
            t.stats.reset_clock();
        }
    }
    t.session.close_iterator();
    t.stats.bytes += bytes;
    t.stats.found = Some((found, series));
    Ok(())
}

/// Returns whether the iterator is at an entry of the series that `key` is in.
fn is_in_series(t: &Thread<'_>, key: &[u8]) -> bool {
    t.session.valid() && t.session.key().starts_with(&key[..PART])
}

fn read_series(t: &mut Thread<'_>, key: &[u8]) -> u64 {
    let mut bytes = 0;
    while is_in_series(t, key) {
        let value = t.session.value();
        touch(value);
        bytes += (t.session.key().len() + value.len()) as u64;
        t.finished(1, Op::Read);
        t.session.next();
    }
    t.stats.user_read += bytes;
    bytes
}

fn delete_expired(t: &mut Thread<'_>, key: &mut Vec<u8>) -> Result<u64> {
    let mut bytes = 0;
    while is_in_series(t, key) {
        key.clear();
        key.extend_from_slice(t.session.key());
        bytes += key.len() as u64;
        let now = t.shared.clock.load(Ordering::Relaxed);
        if !expired(now, key, t.config.series.range) {
            break;
        }
        t.session.delete(key).map_err(|error| format!("del error: {error}"))?;
        t.stats.user_written += key.len() as u64;
        t.finished(1, Op::Delete);
        t.session.next();
    }
    Ok(bytes)
}
