//! Announces the creation of tables to listeners and LOG.

use super::output_context::OutputContext;
use crate::error::{Error, Result};
use crate::fs::event_log::EventLine;
use crate::fs::info_log::InfoLog;
use crate::hooks::{
    EventListener, TableFigures, TableFileCreationBriefInfo, TableFileCreationInfo,
    TableFileCreationReason,
};
use crate::sst::properties::TableProperties;
use crate::version::FileMeta;
use std::path::Path;
use std::sync::Arc;

/// A table whose creation was announced.
pub(super) struct Announced {
    listeners: Vec<Arc<dyn EventListener>>,
    brief: TableFileCreationBriefInfo,
    info_log: Arc<InfoLog>,
}

impl Announced {
    /// Announces that a table is about to be created.
    pub(super) fn start(ctx: &OutputContext<'_>, path: &Path) -> Announced {
        let brief = TableFileCreationBriefInfo {
            db_name: ctx.dir.to_owned(),
            cf_name: ctx.column_family_name.to_owned(),
            file_path: path.to_owned(),
            job_id: ctx.job_id,
            reason: ctx.reason,
        };
        let listeners = ctx.db_options.components.listeners.clone();
        listeners.iter().for_each(|l| l.on_table_file_creation_started(&brief));
        Announced { listeners, brief, info_log: Arc::clone(ctx.info_log) }
    }

    /// Announces that the table is complete.
    pub(super) fn succeed(&self, meta: &FileMeta, properties: &TableProperties) -> TableFigures {
        self.log(meta, properties);
        let figures = figures(properties);
        self.end(meta.file_size, figures.clone(), Ok(()));
        figures
    }

    /// Announces that the table could not be created.
    pub(super) fn fail(&self, error: &Error) {
        self.end(0, TableFigures::default(), Err(error.clone()));
    }

    fn end(&self, file_size: u64, table_properties: TableFigures, status: Result<()>) {
        let brief = self.brief.clone();
        let info = TableFileCreationInfo { brief, file_size, table_properties, status };
        self.listeners.iter().for_each(|l| l.on_table_file_created(&info));
    }

    fn log(&self, meta: &FileMeta, p: &TableProperties) {
        // The data in a compaction's table is older than the file. Its age is not recorded, which 0 indicates.
        let newest_key_time = match self.brief.reason {
            TableFileCreationReason::Compaction => 0,
            _ => p.file_creation_time,
        };
        if self.brief.reason == TableFileCreationReason::Compaction {
            let asks = if meta.marked_for_compaction { " (need compaction)" } else { "" };
            self.info_log.info(format_args!(
                "[{}] [JOB {}] Generated table #{}: {} keys, {} bytes{asks}, temperature: kUnknown",
                self.brief.cf_name, self.brief.job_id, meta.number, p.num_entries, meta.file_size
            ));
        }
        let average = |sum: u64| sum.checked_div(p.num_entries).unwrap_or(0);
        EventLine::new()
            .text("cf_name", &self.brief.cf_name)
            .num("job", self.brief.job_id)
            .text("event", "table_file_creation")
            .num("file_number", meta.number)
            .num("file_size", meta.file_size)
            .text("file_checksum", "")
            .text("file_checksum_func_name", "Unknown")
            .num("smallest_seqno", meta.smallest_seqno)
            .num("largest_seqno", meta.largest_seqno)
            .object("table_properties", |line| {
                line.num("data_size", p.data_size)
                    .num("index_size", p.index_size)
                    .num("index_partitions", p.index_partitions)
                    .num("top_level_index_size", p.top_level_index_size)
                    .num("index_key_is_user_key", p.index_key_is_user_key)
                    .num("index_value_is_delta_encoded", p.index_value_is_delta_encoded)
                    .num("filter_size", p.filter_size)
                    .num("raw_key_size", p.raw_key_size)
                    .num("raw_average_key_size", average(p.raw_key_size))
                    .num("raw_value_size", p.raw_value_size)
                    .num("raw_average_value_size", average(p.raw_value_size))
                    .num("num_data_blocks", p.num_data_blocks)
                    .num("num_entries", p.num_entries)
                    .num("num_filter_entries", p.num_filter_entries)
                    .num("num_deletions", p.num_deletions)
                    .num("num_merge_operands", p.num_merge_operands)
                    .num("num_range_deletions", p.num_range_deletions)
                    .num("format_version", p.format_version)
                    .num("fixed_key_len", p.fixed_key_len)
                    .text("filter_policy", &p.filter_policy_name)
                    .text("column_family_name", &p.column_family_name)
                    .num("column_family_id", p.column_family_id)
                    .text("comparator", &p.comparator_name)
                    .num("user_defined_timestamps_persisted", 1)
                    .num("key_largest_seqno", meta.largest_seqno)
                    .num("key_smallest_seqno", meta.smallest_seqno)
                    .text("merge_operator", &p.merge_operator_name)
                    .text("prefix_extractor_name", &p.prefix_extractor_name)
                    .text("property_collectors", &p.property_collectors_names)
                    .text("compression", &p.compression_name)
                    .text("compression_options", &p.compression_options)
                    .num("creation_time", p.creation_time)
                    .num("oldest_key_time", p.oldest_key_time)
                    .num("newest_key_time", newest_key_time)
                    .num("file_creation_time", p.file_creation_time)
                    .num("slow_compression_estimated_data_size", 0)
                    .num("fast_compression_estimated_data_size", 0)
                    .text("db_id", &p.db_id)
                    .text("db_session_id", &p.db_session_id)
                    .num("orig_file_number", p.orig_file_number)
                    .text("seqno_to_time_mapping", "N/A")
            })
            .text("status", "OK")
            .write(&self.info_log);
    }
}

/// Returns the figures of a table for listeners.
pub(crate) fn figures(p: &TableProperties) -> TableFigures {
    TableFigures {
        data_size: p.data_size,
        index_size: p.index_size,
        filter_size: p.filter_size,
        raw_key_size: p.raw_key_size,
        raw_value_size: p.raw_value_size,
        num_data_blocks: p.num_data_blocks,
        num_entries: p.num_entries,
        num_deletions: p.num_deletions,
        num_merge_operands: p.num_merge_operands,
        compression_name: p.compression_name.clone(),
    }
}
