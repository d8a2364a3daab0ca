//! Tells listeners of tables that are made.

use super::table_output::OutputContext;
use crate::error::{Error, Result};
use crate::hooks::{
    EventListener, TableFigures, TableFileCreationBriefInfo, TableFileCreationInfo,
};
use crate::sst::properties::TableProperties;
use std::path::Path;
use std::sync::Arc;

/// A table whose making was announced; `None` inside where nobody listens.
pub(super) struct Announced(Option<Box<Audience>>);

struct Audience {
    listeners: Vec<Arc<dyn EventListener>>,
    brief: TableFileCreationBriefInfo,
}

impl Announced {
    /// Tells that a table is about to be made.
    pub(super) fn start(ctx: &OutputContext<'_>, path: &Path) -> Announced {
        let listeners = &ctx.db_options.listeners;
        if listeners.is_empty() {
            return Announced(None);
        }
        let brief = TableFileCreationBriefInfo {
            db_name: ctx.dir.to_owned(),
            cf_name: ctx.column_family_name.to_owned(),
            file_path: path.to_owned(),
            job_id: ctx.job_id,
            reason: ctx.reason,
        };
        listeners.iter().for_each(|l| l.on_table_file_creation_started(&brief));
        Announced(Some(Box::new(Audience { listeners: listeners.clone(), brief })))
    }

    /// Tells that it is complete.
    pub(super) fn succeed(&self, file_size: u64, figures: &TableFigures) {
        self.end(file_size, figures.clone(), Ok(()));
    }

    /// Tells that it could not be made.
    pub(super) fn fail(&self, error: &Error) {
        self.end(0, TableFigures::default(), Err(error.clone()));
    }

    fn end(&self, file_size: u64, table_properties: TableFigures, status: Result<()>) {
        let Some(audience) = &self.0 else { return };
        let brief = audience.brief.clone();
        let info = TableFileCreationInfo { brief, file_size, table_properties, status };
        audience.listeners.iter().for_each(|l| l.on_table_file_created(&info));
    }
}

/// What listeners are told of a table.
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
