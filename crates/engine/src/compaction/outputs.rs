//! The tables of one (sub-)compaction, cut where [`OutputCutter`] says. A cut never separates
//! entries of one user key, so that levels stay disjoint by user key.

use super::cut::OutputCutter;
use super::plan::CompactionPlan;
use crate::base::key::user_key;
use crate::error::Result;
use crate::flush::{OutputContext, TableOutput};
use crate::fs::{FileSystem, filename};
use crate::version::FileMeta;
use std::path::Path;
use std::sync::Arc;

pub(super) struct Outputs<'a> {
    ctx: &'a OutputContext<'a>,
    cutter: OutputCutter,
    open: Option<TableOutput>,
    finished: Vec<FileMeta>,
}

impl<'a> Outputs<'a> {
    pub(super) fn new(ctx: &'a OutputContext<'a>, plan: &CompactionPlan) -> Outputs<'a> {
        let cutter = OutputCutter::new(plan, ctx.order);
        Outputs { ctx, cutter, open: None, finished: Vec::new() }
    }

    /// Appends an entry, in a new table where it is time for one.
    #[inline]
    pub(super) fn add(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let user_key = user_key(key);
        let size = self.open.as_ref().map_or(0, TableOutput::file_size);
        if self.cutter.should_cut(user_key, size) && self.starts_user_key(user_key) {
            self.cutter.cut();
            self.end_table()?;
        }
        let table = match &mut self.open {
            Some(table) => table,
            None => self.open.insert(TableOutput::create(self.ctx)?),
        };
        table.add(key, value)
    }

    fn starts_user_key(&self, user_key: &[u8]) -> bool {
        let order = self.ctx.order;
        self.open.as_ref().is_some_and(|table| !order.equal_user(table.last_user_key(), user_key))
    }

    fn end_table(&mut self) -> Result<()> {
        if let Some(table) = self.open.take() {
            self.finished.push(table.finish()?);
        }
        Ok(())
    }

    /// Completes the last table and hands all out.
    pub(super) fn finish(&mut self) -> Result<Vec<FileMeta>> {
        self.end_table()?;
        Ok(std::mem::take(&mut self.finished))
    }

    /// Removes every table: the compaction failed.
    pub(super) fn remove_all(&mut self) {
        self.open = None;
        remove(self.ctx.fs, self.ctx.dir, &self.finished);
    }
}

/// Removes tables that no version refers to. What cannot be removed now goes at the next open.
pub(super) fn remove(fs: &Arc<dyn FileSystem>, dir: &Path, files: &[FileMeta]) {
    for file in files {
        let _ = fs.remove_file(&filename::table_file_name(dir, file.number));
    }
}
