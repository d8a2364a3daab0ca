//! Benchmarks that iterate.

use super::thread::{Budget, Thread};
use super::write;
use crate::stats::Op;
use crate::target::{Result, touch};

fn iterator_error(error: String) -> String {
    format!("iterator error: {error}")
}

pub(super) fn forward(t: &mut Thread<'_>) -> Result<()> {
    scan(t, true)
}

pub(super) fn backward(t: &mut Thread<'_>) -> Result<()> {
    scan(t, false)
}

fn scan(t: &mut Thread<'_>, forward: bool) -> Result<()> {
    let reads = t.config.reads;
    let (mut read, mut bytes) = (0, 0);
    t.session.open_iterator(None, None).map_err(iterator_error)?;
    if forward {
        t.session.seek_to_first()
    } else {
        t.session.seek_to_last()
    }
    while read < reads && t.session.valid() {
        let value = t.session.value();
        touch(value);
        bytes += (t.session.key().len() + value.len()) as u64;
        read += 1;
        t.finished(1, Op::Read);
        t.limit_reads(read);
        if forward { t.session.next() } else { t.session.prev() }
    }
    t.session.status().map_err(iterator_error)?;
    t.session.close_iterator();
    t.stats.bytes += bytes;
    t.stats.user_read += bytes;
    Ok(())
}

pub(super) fn seek_random(t: &mut Thread<'_>) -> Result<()> {
    let config = t.config;
    let mut budget = Budget::new(config, t.shared, config.duration, config.reads);
    let mut bound = Vec::new();
    let (mut read, mut found, mut bytes) = (0, 0, 0);
    if config.explicit_snapshot {
        t.session.take_snapshot().map_err(iterator_error)?;
    }
    if config.read_mode.tailing {
        t.session.open_iterator(None, None).map_err(iterator_error)?;
    }
    while !budget.done(1) {
        let number = if config.skew_seeks { t.random_key() } else { t.random.draw() % config.num };
        if config.max_scan_distance > 0 {
            let last = config.num - 1;
            let end = if config.reverse {
                number.saturating_sub(config.max_scan_distance)
            } else {
                (number + config.max_scan_distance).min(last)
            };
            bound.clear();
            bound.extend_from_slice(t.keys.make(end, config.num));
        }
        let bound = Some(bound.as_slice()).filter(|bound| !bound.is_empty());
        let (lower, upper) = if config.reverse { (bound, None) } else { (None, bound) };
        if !config.read_mode.tailing {
            t.session.open_iterator(lower, upper).map_err(iterator_error)?;
        }
        let key = if config.missing_prefix {
            t.keys.make_missing_prefix(number, config.num)
        } else {
            t.keys.make(number, config.num)
        };
        t.session.seek(key);
        read += 1;
        if t.session.valid() && t.session.key() == key {
            found += 1;
        }
        for _ in 0..config.seek_nexts {
            if !t.session.valid() {
                break;
            }
            let value = t.session.value();
            touch(value);
            bytes += (t.session.key().len() + value.len()) as u64;
            if config.reverse { t.session.prev() } else { t.session.next() }
        }
        t.session.status().map_err(iterator_error)?;
        t.limit_reads(read);
        t.finished(1, Op::Seek);
    }
    t.session.close_iterator();
    t.stats.bytes += bytes;
    t.stats.user_read += bytes;
    t.stats.found = Some((found, read));
    Ok(())
}

/// Reads all keys of a prefix. One operation is one prefix; it is found if it has a key.
pub(super) fn prefix_random(t: &mut Thread<'_>) -> Result<()> {
    let config = t.config;
    let prefix = config.keys.prefix_size;
    if prefix == 0 {
        return Err("prefixscanrandom needs --prefix_size".to_owned());
    }
    let mut budget = Budget::new(config, t.shared, config.duration, config.reads);
    let (mut read, mut found, mut bytes, mut entries) = (0, 0, 0, 0u64);
    while !budget.done(1) {
        let number = t.random.draw() % config.num;
        t.session.open_iterator(None, None).map_err(iterator_error)?;
        let target = &t.keys.make(number, config.num)[..prefix];
        t.session.seek(target);
        let before = entries;
        while t.session.valid() && t.session.key().starts_with(target) {
            let value = t.session.value();
            touch(value);
            bytes += (t.session.key().len() + value.len()) as u64;
            entries += 1;
            t.session.next();
        }
        t.session.status().map_err(iterator_error)?;
        read += 1;
        found += u64::from(entries > before);
        t.limit_reads(read);
        t.finished(1, Op::Seek);
    }
    t.session.close_iterator();
    t.stats.bytes += bytes;
    t.stats.user_read += bytes;
    t.stats.found = Some((found, read));
    t.stats.message = format!("({:.1} keys per prefix)", entries as f64 / read.max(1) as f64);
    Ok(())
}

/// Reads several ranges per operation, in order and with gaps between them. The operations of a thread are limited by
/// the keys that it reads.
pub(super) fn ranges(t: &mut Thread<'_>) -> Result<()> {
    let (config, ranges) = (t.config, t.config.ranges);
    let starts = config.num.checked_sub(ranges.span()).filter(|starts| *starts > 0).ok_or_else(|| {
        format!(
            "multiscan: --multiscan_size={} ranges of {} keys with gaps of --multiscan_stride={} need \
             --num above {}",
            ranges.count,
            ranges.keys,
            ranges.gap,
            ranges.span()
        )
    })?;
    let mut budget = Budget::new(config, t.shared, config.duration, config.reads);
    let (mut scans, mut read) = (0u64, 1);
    let (mut begin, mut end) = (Vec::new(), Vec::new());
    while !budget.done(read) {
        t.random.draw();
        let mut first = t.random.draw() % starts;
        t.session.open_iterator(None, None).map_err(iterator_error)?;
        read = 0;
        for _ in 0..ranges.count {
            for (key, number) in [(&mut begin, first), (&mut end, first + ranges.keys)] {
                key.clear();
                key.extend_from_slice(t.keys.make(number, config.num));
            }
            read += one_range(t, &begin, &end);
            first += ranges.keys + ranges.gap;
        }
        t.session.status().map_err(iterator_error)?;
        t.session.close_iterator();
        read = read.max(1);
        scans += 1;
        if let Some(limit) = &t.shared.read_limit {
            limit.request(1);
            t.stats.reset_clock();
        }
        t.finished(1, Op::MultiScan);
    }
    // The word is RocksDB's.
    t.stats.message = format!("(multscans:{scans})");
    Ok(())
}

/// Reads the entries from `begin` to `end` and returns their number.
fn one_range(t: &mut Thread<'_>, begin: &[u8], end: &[u8]) -> u64 {
    let mut entries = 0;
    t.session.seek(begin);
    while t.session.valid() && t.session.key() < end {
        let value = t.session.value();
        touch(value);
        t.stats.user_read += (t.session.key().len() + value.len()) as u64;
        entries += 1;
        t.session.next();
    }
    entries
}

/// Makes iterators and drops them.
pub(super) fn create(t: &mut Thread<'_>) -> Result<()> {
    let config = t.config;
    let mut budget = Budget::new(config, t.shared, config.duration, config.reads);
    while !budget.done(1) {
        t.session.open_iterator(None, None).map_err(iterator_error)?;
        t.session.close_iterator();
        t.finished(1, Op::Other);
    }
    Ok(())
}

/// Writes all keys in order, which does not count, and seeks to each key twice, before and after `--seek_nexts` steps.
pub(super) fn fill_and_seek(t: &mut Thread<'_>) -> Result<()> {
    let config = t.config;
    write::fill_part(t, write::Order::Sequential, write::Part { skip: 0, writes: config.num })?;
    t.stats.restart();
    t.session.open_iterator(None, None).map_err(iterator_error)?;
    let mut number = 0;
    while number < config.num {
        seek_to(t, number)?;
        for _ in 0..config.seek_nexts {
            if number + 1 == config.num {
                break;
            }
            if config.reverse {
                t.session.prev()
            } else {
                t.session.next()
            }
            number += 1;
            t.finished(1, Op::Seek);
        }
        seek_to(t, number)?;
        number += 1;
    }
    t.session.close_iterator();
    Ok(())
}

/// Seeks to a key that must exist.
fn seek_to(t: &mut Thread<'_>, number: u64) -> Result<()> {
    let key = t.keys.make(number, t.config.num);
    t.session.seek(key);
    if !t.session.valid() || t.session.key() != key {
        t.session.status().map_err(iterator_error)?;
        return Err(format!("a seek does not find key {number}, which was written"));
    }
    t.finished(1, Op::Seek);
    Ok(())
}

/// Scans the whole database repeatedly. One operation is one step, or the seek to the first key.
pub(super) fn steps(t: &mut Thread<'_>) -> Result<()> {
    let config = t.config;
    let mut budget = Budget::new(config, t.shared, config.duration, config.reads);
    t.session.open_iterator(None, None).map_err(iterator_error)?;
    while !budget.done(1) {
        if t.session.valid() {
            touch(t.session.value());
            t.stats.user_read += (t.session.key().len() + t.session.value().len()) as u64;
            t.session.next();
        } else {
            t.session.status().map_err(iterator_error)?;
            t.session.seek_to_first();
        }
        t.finished(1, Op::Seek);
    }
    t.session.close_iterator();
    Ok(())
}

/// Threads that make iterators, beside one that writes.
pub(super) fn create_while_writing(t: &mut Thread<'_>) -> Result<()> {
    if t.id == 0 { write::background(t, false) } else { create(t) }
}

/// Threads that seek, beside one that writes.
pub(super) fn while_writing(t: &mut Thread<'_>) -> Result<()> {
    if t.id == 0 { write::background(t, false) } else { seek_random(t) }
}

/// Threads that seek, beside one that merges.
pub(super) fn while_merging(t: &mut Thread<'_>) -> Result<()> {
    if t.id == 0 { write::background(t, true) } else { seek_random(t) }
}
