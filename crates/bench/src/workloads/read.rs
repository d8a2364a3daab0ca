//! Benchmarks that look up keys.

use super::thread::{Budget, Thread};
use super::write;
use crate::histogram::Histogram;
use crate::stats::Op;
use crate::target::{Result, touch};
use crate::values::ValueMaker;

fn get_error(error: String) -> String {
    format!("Get returned an error: {error}")
}

pub(super) fn random(t: &mut Thread<'_>) -> Result<()> {
    let num = t.config.num;
    lookups(t, |t| skewed(t, num))
}

/// Reads one hundredth of the keys.
pub(super) fn hot(t: &mut Thread<'_>) -> Result<()> {
    let range = t.config.num.div_ceil(100);
    lookups(t, |t| skewed(t, range))
}

/// Looks up numbers below the next power of two, which may be beyond the keys. The limits are checked after each
/// hundred lookups.
pub(super) fn fast(t: &mut Thread<'_>) -> Result<()> {
    const STEP: u64 = 100;
    let config = t.config;
    let (mask, mut missing) = (config.num.next_power_of_two() - 1, 0u64);
    let mut budget = Budget::new(config, t.shared, config.duration, config.reads);
    let (mut read, mut found) = (0, 0);
    // RocksDB draws a database here; the draw keeps key sequences equal.
    t.random.draw();
    loop {
        for _ in 0..STEP {
            let number = t.random.draw() & mask;
            missing += u64::from(number >= config.num);
            let key = t.keys.make(number, config.num);
            if let Some(value) = t.session.get(key).map_err(get_error)? {
                touch(value);
                found += 1;
                t.stats.user_read += (key.len() + value.len()) as u64;
            }
        }
        read += STEP;
        if let Some(limit) = &t.shared.read_limit {
            limit.request(STEP);
            t.stats.reset_clock();
        }
        t.finished(STEP, Op::Read);
        if budget.done(STEP) {
            break;
        }
    }
    t.stats.found = Some((found, read));
    t.stats.found_note = format!(", issued {missing} non-exist keys");
    Ok(())
}

#[inline]
fn skewed(t: &mut Thread<'_>, range: u64) -> u64 {
    // RocksDB draws a database here; the draw keeps key sequences equal.
    t.random.draw();
    t.random_key() % range
}

/// Reads all keys in order.
pub(super) fn to_row_cache(t: &mut Thread<'_>) -> Result<()> {
    let (num, mut next) = (t.config.num, 0);
    if t.config.keys.existing.is_none() || t.config.row_cache_size == 0 {
        return Err("readtorowcache needs --use_existing_keys and --row_cache_size".to_owned());
    }
    if !t.target.has_row_cache() {
        return Err("readtorowcache: this engine does not support row caches".to_owned());
    }
    lookups_within(t, (0, num), |_| {
        next += 1;
        next - 1
    })
}

#[inline]
fn lookups(t: &mut Thread<'_>, next: impl FnMut(&mut Thread<'_>) -> u64) -> Result<()> {
    lookups_within(t, (t.config.duration, t.config.reads), next)
}

/// Looks up random keys in a way of its own, which returns the bytes of what it found.
pub(super) fn lookups_with(
    t: &mut Thread<'_>,
    look_up: impl Fn(&mut Thread<'_>, u64) -> Result<Option<u64>>,
) -> Result<()> {
    let config = t.config;
    let mut budget = Budget::new(config, t.shared, config.duration, config.reads);
    let (mut read, mut found, mut bytes) = (0, 0, 0);
    while !budget.done(1) {
        let number = skewed(t, config.num);
        t.choose(number);
        read += 1;
        if let Some(size) = look_up(t, number).map_err(get_error)? {
            found += 1;
            bytes += size;
        }
        t.limit_reads(read);
        t.finished(1, Op::Read);
    }
    t.stats.bytes += bytes;
    t.stats.user_read += bytes;
    t.stats.found = Some((found, read));
    Ok(())
}

/// Looks up keys for this many seconds or, if they are 0, this many keys.
#[inline]
fn lookups_within(
    t: &mut Thread<'_>,
    (seconds, reads): (u64, u64),
    mut next: impl FnMut(&mut Thread<'_>) -> u64,
) -> Result<()> {
    let config = t.config;
    let mut budget = Budget::new(config, t.shared, seconds, reads);
    let (mut read, mut found, mut bytes) = (0, 0, 0);
    while !budget.done(1) {
        let number = next(t);
        t.choose(number);
        let key = t.keys.make(number, config.num);
        read += 1;
        if let Some(value) = t.session.get(key).map_err(get_error)? {
            touch(value);
            found += 1;
            bytes += (key.len() + value.len()) as u64;
        }
        t.limit_reads(read);
        t.finished(1, Op::Read);
    }
    t.stats.bytes += bytes;
    t.stats.user_read += bytes;
    t.stats.found = Some((found, read));
    Ok(())
}

/// Looks many keys up in one call.
pub(super) fn many_random(t: &mut Thread<'_>) -> Result<()> {
    let config = t.config;
    let mut budget = Budget::new(config, t.shared, config.duration, config.reads);
    let mut keys = Vec::with_capacity(config.batch as usize * config.keys.key_size);
    let (mut read, mut found, mut bytes) = (0, 0, 0);
    while !budget.done(config.batch) {
        t.random.draw();
        keys.clear();
        let mut number = t.random_key();
        let reach = config.stride * (config.batch - 1);
        if config.stride > 0 && number + reach >= config.num {
            number = config.num.saturating_sub(reach + 1);
        }
        for i in 0..config.batch {
            if i > 0 {
                number = if config.stride > 0 { number + config.stride } else { t.random_key() };
            }
            keys.extend_from_slice(t.keys.make(number % config.num, config.num));
        }
        let (hits, sizes) = t.session.multi_get(&keys, config.keys.key_size).map_err(get_error)?;
        read += config.batch;
        found += hits;
        bytes += sizes + hits * config.keys.key_size as u64;
        t.finished(config.batch, Op::Read);
    }
    t.stats.bytes += bytes;
    t.stats.user_read += bytes;
    t.stats.found = Some((found, read));
    Ok(())
}

/// Threads that read, beside one that writes.
pub(super) fn while_writing(t: &mut Thread<'_>) -> Result<()> {
    if t.id == 0 { write::background(t, false) } else { random(t) }
}

/// Threads that look many keys up in one call, beside one that writes.
pub(super) fn many_while_writing(t: &mut Thread<'_>) -> Result<()> {
    if t.id == 0 { write::background(t, false) } else { many_random(t) }
}

/// Threads that read, beside one that scans the whole database and counts like the others.
pub(super) fn while_scanning(t: &mut Thread<'_>) -> Result<()> {
    if t.id == 0 { super::scan::steps(t) } else { random(t) }
}

/// Asks for the sizes of ranges between two random keys.
pub(super) fn approximate_sizes(t: &mut Thread<'_>) -> Result<()> {
    let config = t.config;
    let mut budget = Budget::new(config, t.shared, config.duration, config.reads);
    let (mut begin, mut sum, mut sizes) = (Vec::new(), 0u64, 0u64);
    while !budget.done(1) {
        // RocksDB draws a database here; the draw keeps key sequences equal.
        t.random.draw();
        for _ in 0..config.batch {
            let ends = [t.random_key(), t.random_key()];
            begin.clear();
            begin.extend_from_slice(t.keys.make(ends[0].min(ends[1]), config.num));
            let end = t.keys.make(ends[0].max(ends[1]), config.num);
            sum += t.session.approximate_size(&begin, end)?;
            sizes += 1;
        }
        t.finished(config.batch, Op::Other);
    }
    let average = sum as f64 / sizes.max(1) as f64;
    t.stats.message = format!("(Avg approx size={})", crate::report::general(average));
    Ok(())
}

/// Asks how many entries memtables have in ranges of `--batch_size` keys.
pub(super) fn approximate_memtables(t: &mut Thread<'_>) -> Result<()> {
    let config = t.config;
    let starts = config.num.checked_sub(config.batch).filter(|starts| *starts > 0);
    let starts = starts.ok_or("approximatememtablestats needs --num above --batch_size")?;
    let mut budget = Budget::new(config, t.shared, config.duration, config.reads);
    let (mut begin, mut counts) = (Vec::new(), Histogram::default());
    while !budget.done(1) {
        // RocksDB draws a database here; the draw keeps key sequences equal.
        t.random.draw();
        let start = t.random.draw() % starts;
        begin.clear();
        begin.extend_from_slice(t.keys.make(start, config.num));
        let end = t.keys.make(start + config.batch, config.num);
        let (entries, _) = t.session.approximate_memtable_stats(&begin, end)?;
        // The histogram prints thousandths of what it is given.
        counts.add(entries * 1000);
        t.finished(1, Op::Other);
    }
    t.stats.message = format!(
        "\nReported entry count stats (expected {}): \n{}",
        config.batch,
        counts.text().trim_end()
    );
    Ok(())
}

/// Threads that read, beside one that merges.
pub(super) fn while_merging(t: &mut Thread<'_>) -> Result<()> {
    if t.id == 0 { write::background(t, true) } else { random(t) }
}

/// Each operation is a read or a write.
pub(super) fn and_write(t: &mut Thread<'_>) -> Result<()> {
    mixed(t, false)
}

/// Each operation is a read or a merge.
pub(super) fn and_merge(t: &mut Thread<'_>) -> Result<()> {
    mixed(t, true)
}

fn mixed(t: &mut Thread<'_>, merge: bool) -> Result<()> {
    let config = t.config;
    let mut budget = Budget::new(config, t.shared, config.duration, config.readwrites);
    let mut values = ValueMaker::new(&t.shared.values);
    let (mut reads, mut writes, mut found, mut longest) = (0u64, 0u64, 0u64, 0);
    let num = if merge { config.merge_keys.max(1) } else { config.num };
    let mut turn = 0;
    while !budget.done(1) {
        // RocksDB draws a database here; the draw keeps key sequences equal.
        t.random.draw();
        let number = t.random.draw() % num;
        // Merges are drawn; writes follow the reads of each hundred operations.
        let is_read = match merge {
            true => t.random.draw() % 100 >= config.merge_percent,
            false => turn < config.read_percent,
        };
        turn = (turn + 1) % 100;
        t.choose(number);
        let key = t.keys.make(number, num);
        if is_read {
            if let Some(value) = t.session.get(key).map_err(get_error)? {
                touch(value);
                found += 1;
                longest = longest.max(value.len());
                t.stats.user_read += (key.len() + value.len()) as u64;
            }
            reads += 1;
            t.finished(1, Op::Read);
        } else {
            let value = values.make();
            t.stats.user_written += (key.len() + value.len()) as u64;
            let result =
                if merge { t.session.merge(key, value) } else { t.session.put(key, value) };
            result.map_err(|error| format!("put or merge error: {error}"))?;
            writes += 1;
            t.finished(1, if merge { Op::Merge } else { Op::Write });
        }
    }
    let total = config.readwrites;
    t.stats.message = match merge {
        true => format!(
            "(reads:{reads} merges:{writes} total:{total} hits:{found} maxlength:{longest})"
        ),
        false => format!("( reads:{reads} writes:{writes} total:{total} found:{found})"),
    };
    Ok(())
}

/// Each operation is a read, a write or a deletion: the mix of `randomwithverify`, without its groups of keys and
/// its checks.
pub(super) fn write_and_delete(t: &mut Thread<'_>) -> Result<()> {
    let config = t.config;
    let mut budget = Budget::new(config, t.shared, config.duration, config.readwrites);
    let mut values = ValueMaker::new(&t.shared.values);
    let deletes_from = config.read_percent;
    let writes_from = deletes_from + config.delete_percent;
    let (mut reads, mut writes, mut deletes, mut found) = (0u64, 0u64, 0u64, 0u64);
    while !budget.done(1) {
        let number = t.random_key() % config.num;
        let percent = t.random.draw() % 100;
        t.choose(number);
        let key = t.keys.make(number, config.num);
        if percent < deletes_from {
            if let Some(value) = t.session.get(key).map_err(get_error)? {
                touch(value);
                found += 1;
                t.stats.user_read += (key.len() + value.len()) as u64;
            }
            reads += 1;
            t.finished(1, Op::Read);
        } else if percent < writes_from {
            t.session.delete(key).map_err(|error| format!("del error: {error}"))?;
            t.stats.user_written += key.len() as u64;
            deletes += 1;
            t.finished(1, Op::Delete);
        } else {
            let value = values.make();
            t.session.put(key, value).map_err(|error| format!("put error: {error}"))?;
            t.stats.user_written += (key.len() + value.len()) as u64;
            writes += 1;
            t.finished(1, Op::Write);
        }
    }
    t.stats.message = format!("( reads:{reads} writes:{writes} deletes:{deletes} found:{found})");
    Ok(())
}
