//! The text of `rocksdb.dbstats` and of LOG about a whole database: since it was opened, and since the last report.

use super::db_figures::DbFigures;
use super::properties::Properties;
use crate::commit::Written;

const MIB: f64 = 1024.0 * 1024.0;
const GIB: f64 = 1024.0 * MIB;

impl Properties {
    /// Returns the text, and begins the next interval.
    pub(super) fn db_stats_text(&self, written: &Written) -> String {
        let now = DbFigures {
            seconds: self.reporter.uptime(),
            writes: written.writes,
            keys: written.keys,
            user_bytes: written.user_bytes,
            logged_bytes: written.logged_bytes,
            logged_writes: written.logged_writes,
            wal_syncs: self.reporter.totals().wal_syncs.get(),
            stalled_us: self.catalog.controller().stalled_us(),
        };
        let before = std::mem::replace(&mut *self.reported.lock(), now);
        let interval = now.since(&before);
        let mut out = format!(
            "\n** DB Stats **\nUptime(secs): {:.1} total, {:.1} interval\n",
            now.seconds, interval.seconds
        );
        now.write(&mut out, "Cumulative", GIB, "GB");
        interval.write(&mut out, "Interval", MIB, "MB");
        out + &self.memory_stall_text()
    }

    pub(super) fn memory_stall_text(&self) -> String {
        let stops = self.reporter.totals().memory_stalls.get();
        format!("Write Stall (count): write-buffer-manager-limit-stops: {stops}\n")
    }
}
