//! The figures of a whole database, and the text for an interval.

use super::level_table::human_count;
use std::fmt::Write;

const MIB: f64 = 1024.0 * 1024.0;
const GIB: f64 = 1024.0 * MIB;

/// The figures for a report.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DbFigures {
    pub(super) seconds: f64,
    pub(super) writes: u64,
    pub(super) keys: u64,
    pub(super) user_bytes: u64,
    /// Bytes of records without framing, as RocksDB counts them.
    pub(super) logged_bytes: u64,
    pub(super) logged_writes: u64,
    pub(super) wal_syncs: u64,
    pub(super) stalled_us: u64,
}

impl DbFigures {
    /// Returns the differences since `before`.
    pub(super) fn since(&self, before: &DbFigures) -> DbFigures {
        DbFigures {
            // Never 0, because rates are divided by it.
            seconds: (self.seconds - before.seconds).max(1e-6),
            writes: self.writes.saturating_sub(before.writes),
            keys: self.keys.saturating_sub(before.keys),
            user_bytes: self.user_bytes.saturating_sub(before.user_bytes),
            logged_bytes: self.logged_bytes.saturating_sub(before.logged_bytes),
            logged_writes: self.logged_writes.saturating_sub(before.logged_writes),
            wal_syncs: self.wal_syncs.saturating_sub(before.wal_syncs),
            stalled_us: self.stalled_us.saturating_sub(before.stalled_us),
        }
    }

    /// Writes three lines. As in RocksDB, sizes are in GB for the time since opening, and in MB for the interval.
    pub(super) fn write(&self, out: &mut String, head: &str, unit: f64, unit_name: &str) {
        let per_second = |bytes: u64| bytes as f64 / MIB / self.seconds;
        let (seconds, millis) = (self.stalled_us / 1_000_000, self.stalled_us / 1000 % 1000);
        // Writing to a String cannot fail.
        let _ = write!(
            out,
            "{head} writes: {writes} writes, {} keys, {writes} commit groups, {:.1} writes per \
             commit group, ingest: {:.2} {unit_name}, {:.2} MB/s\n\
             {head} WAL: {} writes, {} syncs, {:.2} writes per sync, written: {:.2} GB, \
             {:.2} MB/s\n\
             {head} stall: {:02}:{:02}:{}.{millis:03} H:M:S, {:.1} percent\n",
            human_count(self.keys),
            if self.writes == 0 { 0.0 } else { 1.0 },
            self.user_bytes as f64 / unit,
            per_second(self.user_bytes),
            human_count(self.logged_writes),
            human_count(self.wal_syncs),
            self.logged_writes as f64 / self.wal_syncs.max(1) as f64,
            self.logged_bytes as f64 / GIB,
            per_second(self.logged_bytes),
            seconds / 3600,
            seconds / 60 % 60,
            seconds % 60,
            self.stalled_us as f64 / 10_000.0 / self.seconds,
            writes = human_count(self.writes),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_what_came_since_the_last_report() {
        let before = DbFigures { seconds: 2.0, writes: 10, keys: 20, ..DbFigures::default() };
        let now = DbFigures {
            seconds: 6.0,
            writes: 13,
            keys: 26,
            user_bytes: 8 << 20,
            logged_writes: 27_300,
            wal_syncs: 1,
            stalled_us: 2_000_000,
            ..before
        };
        let mut text = String::new();
        now.since(&before).write(&mut text, "Interval", MIB, "MB");
        assert_eq!(
            text,
            "Interval writes: 3 writes, 6 keys, 3 commit groups, 1.0 writes per commit group, \
             ingest: 8.00 MB, 2.00 MB/s\n\
             Interval WAL: 27K writes, 1 syncs, 27300.00 writes per sync, written: 0.00 GB, 0.00 MB/s\n\
             Interval stall: 00:00:2.000 H:M:S, 50.0 percent\n"
        );
    }
}
