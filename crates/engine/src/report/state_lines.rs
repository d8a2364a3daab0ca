//! LOG lines about the state of column families: stalls, new memtables, the shape of the levels, and manual flushes and
//! compactions. They use RocksDB's words, because people and tools search for them.

use super::reporter::Reporter;
use crate::compaction::plan::CompactionPlan;
use crate::error::Result;
use crate::session::ColumnFamilyData;
use crate::write::{Stall, StallCause, StallInputs};

/// A family whose writers are newly stalled, and the cause.
pub(crate) struct NewStall {
    family: String,
    stall: Stall,
    inputs: StallInputs,
    max_write_buffer_number: i32,
}

impl NewStall {
    pub(crate) fn new(family: &ColumnFamilyData, stall: Stall, inputs: StallInputs) -> NewStall {
        let max_write_buffer_number = family.options().max_write_buffer_number;
        NewStall { family: family.name.clone(), stall, inputs, max_write_buffer_number }
    }

    /// Returns the log line. `rate` is that of delayed writers in bytes per second.
    fn line(&self, rate: u64) -> Option<String> {
        let (name, inputs) = (&self.family, &self.inputs);
        let (verb, cause, rate) = match self.stall {
            Stall::None => return None,
            Stall::Delay(cause, _) => ("Stalling", cause, format!(" rate {rate}")),
            Stall::Stop(cause) => ("Stopping", cause, String::new()),
        };
        Some(match cause {
            StallCause::Memtable => format!(
                "[{name}] {verb} writes because we have {} immutable memtables (waiting for flush), \
                 max_write_buffer_number is set to {}{rate}",
                inputs.immutables, self.max_write_buffer_number
            ),
            StallCause::Level0FileCount => format!(
                "[{name}] {verb} writes because we have {} level-0 files{rate}",
                inputs.level0_files
            ),
            StallCause::PendingCompactionBytes => format!(
                "[{name}] {verb} writes because of estimated pending compaction bytes {}{rate}",
                inputs.pending_compaction_bytes
            ),
        })
    }
}

/// Returns the inputs of a compaction by level, and the output level: `2@0 + 1@6 files to L6`.
pub(crate) fn input_summary(plan: &CompactionPlan) -> String {
    let levels = plan.inputs.iter().filter(|level| !level.files.is_empty());
    let counts: Vec<_> = levels.map(|l| format!("{}@{}", l.files.len(), l.level)).collect();
    format!("{} files to L{}", counts.join(" + "), plan.output_level)
}

/// Returns the input files of a compaction by level, with their sizes: `[11(9263B) 9(22KB)], [7(3MB)]`.
pub(crate) fn inputs_in_full(plan: &CompactionPlan) -> String {
    let level = |files: &[_]| -> String {
        let file = |f: &std::sync::Arc<crate::version::FileMeta>| {
            format!("{}({})", f.number, short_bytes(f.file_size))
        };
        let files: Vec<_> = files.iter().map(file).collect();
        format!("[{}]", files.join(" "))
    };
    let levels: Vec<_> = plan.inputs.iter().map(|l| level(&l.files)).collect();
    levels.join(", ")
}

/// Returns a size in the largest unit of which it has at least ten.
fn short_bytes(bytes: u64) -> String {
    for (unit, shift) in [("TB", 40), ("GB", 30), ("MB", 20), ("KB", 10)] {
        if bytes >= 10 << shift {
            return format!("{}{unit}", bytes >> shift);
        }
    }
    format!("{bytes}B")
}

/// Returns `OK` or the error.
pub(crate) fn status<T>(result: &Result<T>) -> String {
    result.as_ref().map_or_else(ToString::to_string, |_| "OK".to_owned())
}

impl Reporter {
    /// Logs stalls that begin or change. `rate` is that of delayed writers in bytes per second.
    pub(crate) fn log_stalls(&self, stalls: &[NewStall], rate: u64) {
        for line in stalls.iter().filter_map(|stall| stall.line(rate)) {
            self.session.info_log.warn(format_args!("{line}"));
        }
    }

    /// Logs that memtables were sealed: the names of their families, and the number of memtables that wait in each.
    pub(crate) fn log_new_memtables(&self, sealed: &[(String, usize)], wal_number: u64) {
        for (name, immutables) in sealed {
            self.session.info_log.info(format_args!(
                "[{name}] New memtable created with log file: #{wal_number}. Immutable memtables: \
                 {immutables}."
            ));
        }
    }

    /// Logs a user's request for a flush, and later its `result`.
    pub(crate) fn log_manual_flush(
        &self,
        families: &[&ColumnFamilyData],
        result: Option<&Result<()>>,
    ) {
        let stage = match result {
            None => "start.".to_owned(),
            Some(result) => format!("finished, status: {}", status(result)),
        };
        if !self.session.options.atomic_flush || families.len() == 1 {
            for family in families {
                self.session.info_log.info(format_args!("[{}] Manual flush {stage}", family.name));
            }
            return;
        }
        let log = &self.session.info_log;
        log.info(format_args!("Manual atomic flush {stage}\n=====Column families:====="));
        families.iter().for_each(|family| log.info(format_args!("{}", family.name)));
        log.info(format_args!("=====End of column families list====="));
    }

    /// Logs a user's request for a compaction.
    pub(crate) fn log_manual_compaction(&self, family: &ColumnFamilyData) {
        self.session.info_log.info(format_args!("[{}] Manual compaction starting", family.name));
    }

    /// Logs one step of a manual compaction.
    pub(crate) fn log_manual_step(
        &self,
        family: &ColumnFamilyData,
        plan: &CompactionPlan,
        (begin, end): (Option<&[u8]>, Option<&[u8]>),
    ) {
        let key = |key: Option<&[u8]>, none: &str| {
            key.map_or(none.to_owned(), |key| {
                format!("'{}'", key.iter().map(|b| format!("{b:02X}")).collect::<String>())
            })
        };
        self.session.info_log.info(format_args!(
            "[{}] Manual compaction from level-{} to level-{} from {} .. {}; will stop at {}",
            family.name,
            plan.start_level,
            plan.output_level,
            key(begin, "(begin)"),
            key(end, "(end)"),
            key(end, "(end)")
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_two_digits_at_least() {
        for (bytes, text) in [(0, "0B"), (10_239, "10239B"), (10_240, "10KB"), (22_709, "22KB")] {
            assert_eq!(short_bytes(bytes), text);
        }
        assert_eq!(short_bytes(10 << 20), "10MB");
        assert_eq!(short_bytes(9 << 30), "9216MB");
        assert_eq!(short_bytes(11 << 40), "11TB");
    }

    #[test]
    fn stalls_have_rocksdbs_lines() {
        let inputs = StallInputs { immutables: 2, level0_files: 20, pending_compaction_bytes: 7 };
        let line = |stall| {
            let family = "default".to_owned();
            NewStall { family, stall, inputs, max_write_buffer_number: 3 }.line(1000)
        };
        assert_eq!(line(Stall::None), None);
        assert_eq!(
            line(Stall::Delay(StallCause::Level0FileCount, 0.0)).unwrap(),
            "[default] Stalling writes because we have 20 level-0 files rate 1000"
        );
        assert_eq!(
            line(Stall::Stop(StallCause::Memtable)).unwrap(),
            "[default] Stopping writes because we have 2 immutable memtables (waiting for flush), \
             max_write_buffer_number is set to 3"
        );
        assert_eq!(
            line(Stall::Stop(StallCause::PendingCompactionBytes)).unwrap(),
            "[default] Stopping writes because of estimated pending compaction bytes 7"
        );
    }
}
