//! Reports the engine's events as events of the crate `tracing`.

use super::{
    BackgroundErrorReason, CompactionJobInfo, EventDb, EventListener, ExternalFileIngestionInfo,
    FlushJobInfo, TableFileCreationInfo, TableFileDeletionInfo, WriteStallCondition,
    WriteStallInfo,
};
use crate::error::Error;
use tracing::{debug, error, info, warn};

/// An event listener that reports the engine's work as events of the crate `tracing` (feature `tracing`).
///
/// The targets are `ferrolith::flush`, `ferrolith::compaction`, `ferrolith::table`, `ferrolith::stall` and
/// `ferrolith::error`, so that a filter such as `ferrolith::compaction=debug` selects one kind. Sizes are in bytes
/// and times in microseconds.
///
/// | Event | Level |
/// |---|---|
/// | a flush or a compaction begins; a table is created or deleted | `DEBUG` |
/// | a flush or a compaction ends; a file is ingested; writers return to full speed | `INFO` |
/// | writers are delayed or stopped; the engine retries after an error | `WARN` |
/// | a flush, a compaction or a table fails; a background error | `ERROR` |
///
/// The events are created on the engine's threads: use a subscriber that is set for the whole process.
///
/// ```
/// use ferrolith::events::TracingListener;
/// use ferrolith::{Db, Options};
/// # let dir = tempfile::tempdir().unwrap();
/// # let path = dir.path();
/// let options = Options::new().create_if_missing(true).listener(TracingListener::new());
/// let db = Db::open_with(options, path)?;
/// # Ok::<(), ferrolith::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct TracingListener;

impl TracingListener {
    /// Creates the listener.
    pub fn new() -> TracingListener {
        TracingListener
    }
}

/// Reports an event of a job: the fields of every job, then those of this event.
macro_rules! job_event {
    ($level:ident, $target:literal, $db:expr, $info:expr, $message:literal, $($field:tt)+) => {
        $level!(
            target: $target,
            db = %$db.display(),
            family = $info.cf_name,
            job = $info.job_id,
            $($field)+,
            $message
        )
    };
}

/// Reports an event of a compaction that started or completed.
macro_rules! compaction_event {
    ($level:ident, $db:expr, $info:expr, $message:literal $(, $($field:tt)+)?) => {
        job_event!(
            $level,
            "ferrolith::compaction",
            $db.path,
            $info,
            $message,
            reason = $info.compaction_reason.name(),
            from_level = $info.base_input_level,
            to_level = $info.output_level,
            input_files = $info.input_files.len()
            $(, $($field)+)?
        )
    };
}

impl EventListener for TracingListener {
    fn on_flush_begin(&self, db: EventDb<'_>, info: &FlushJobInfo) {
        let reason = info.flush_reason.name();
        job_event!(debug, "ferrolith::flush", db.path, info, "flush started", reason);
    }

    fn on_flush_completed(&self, db: EventDb<'_>, info: &FlushJobInfo) {
        let table = &info.table_properties;
        job_event!(
            info,
            "ferrolith::flush",
            db.path,
            info,
            "flush completed",
            reason = info.flush_reason.name(),
            file = %info.file_path.display(),
            entries = table.num_entries,
            bytes = table.data_size + table.index_size + table.filter_size
        );
    }

    fn on_compaction_begin(&self, db: EventDb<'_>, info: &CompactionJobInfo) {
        compaction_event!(debug, db, info, "compaction started");
    }

    fn on_compaction_completed(&self, db: EventDb<'_>, info: &CompactionJobInfo) {
        match &info.status {
            Ok(()) => compaction_event!(
                info,
                db,
                info,
                "compaction completed",
                output_files = info.output_files.len(),
                input_bytes = info.stats.total_input_bytes,
                output_bytes = info.stats.total_output_bytes,
                elapsed_micros = info.stats.elapsed_micros
            ),
            Err(e) => {
                job_event!(error, "ferrolith::compaction", db.path, info, "compaction failed", error = %e);
            }
        }
    }

    fn on_table_file_created(&self, info: &TableFileCreationInfo) {
        let brief = &info.brief;
        match &info.status {
            Ok(()) => job_event!(
                debug,
                "ferrolith::table",
                brief.db_name,
                brief,
                "table created",
                file = %brief.file_path.display(),
                bytes = info.file_size,
                entries = info.table_properties.num_entries
            ),
            Err(e) => job_event!(
                error,
                "ferrolith::table",
                brief.db_name,
                brief,
                "table not created",
                file = %brief.file_path.display(),
                error = %e
            ),
        }
    }

    fn on_table_file_deleted(&self, info: &TableFileDeletionInfo) {
        match &info.status {
            Ok(()) => debug!(
                target: "ferrolith::table",
                db = %info.db_name.display(),
                job = info.job_id,
                file = %info.file_path.display(),
                "table deleted"
            ),
            Err(e) => error!(
                target: "ferrolith::table",
                db = %info.db_name.display(),
                job = info.job_id,
                file = %info.file_path.display(),
                error = %e,
                "table not deleted"
            ),
        }
    }

    fn on_external_file_ingested(&self, db: EventDb<'_>, info: &ExternalFileIngestionInfo) {
        info!(
            target: "ferrolith::table",
            db = %db.path.display(),
            family = info.cf_name,
            file = %info.internal_file_path.display(),
            source = %info.external_file_path.display(),
            "file ingested"
        );
    }

    fn on_stall_conditions_changed(&self, info: &WriteStallInfo) {
        let (family, previous) = (&info.cf_name, info.prev.name());
        match info.cur {
            WriteStallCondition::Normal => {
                info!(target: "ferrolith::stall", family, previous, "writes at full speed");
            }
            WriteStallCondition::Delayed => {
                warn!(target: "ferrolith::stall", family, previous, "writes delayed");
            }
            WriteStallCondition::Stopped => {
                warn!(target: "ferrolith::stall", family, previous, "writes stopped");
            }
        }
    }

    fn on_background_error(&self, reason: BackgroundErrorReason, error: &mut Option<Error>) {
        if let Some(e) = error {
            error!(
                target: "ferrolith::error",
                reason = reason.name(),
                error = %e,
                "background error"
            );
        }
    }

    fn on_error_recovery_begin(&self, reason: BackgroundErrorReason, error: &Error) {
        warn!(
            target: "ferrolith::error",
            reason = reason.name(),
            error = %error,
            "recovering from an error"
        );
    }

    fn on_error_recovery_completed(&self, old_error: &Error) {
        info!(target: "ferrolith::error", error = %old_error, "recovered from an error");
    }
}

#[cfg(test)]
#[path = "tracing_listener_test.rs"]
mod tests;
