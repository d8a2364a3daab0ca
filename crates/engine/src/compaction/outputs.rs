//! The output tables of one (sub-)compaction, divided by the [`OutputCutter`]. A cut never
//! separates entries of one user key, so levels stay disjoint by user key.

use super::cut::OutputCutter;
use super::plan::CompactionPlan;
use crate::base::key::user_key;
use crate::error::Result;
use crate::flush::{OutputContext, TableOutput};
use crate::hooks::SstPartitioner;
use crate::rangedel::{Fragments, OutputTombstones};
use crate::version::FileMeta;

pub(super) struct Outputs<'a> {
    ctx: &'a OutputContext<'a>,
    cutter: OutputCutter,
    partitioner: Option<Box<dyn SstPartitioner>>,
    open: Option<TableOutput>,
    /// The range tombstones to write.
    tombstones: Option<OutputTombstones>,
    /// Returns the number of bytes that tombstones hide below the output level.
    bytes_under: &'a dyn Fn(&Fragments) -> u64,
    finished: Vec<FileMeta>,
}

impl<'a> Outputs<'a> {
    pub(super) fn new(
        ctx: &'a OutputContext<'a>,
        plan: &CompactionPlan,
        partitioner: Option<Box<dyn SstPartitioner>>,
        tombstones: Option<OutputTombstones>,
        bytes_under: &'a dyn Fn(&Fragments) -> u64,
    ) -> Outputs<'a> {
        let cutter = OutputCutter::new(plan, ctx.order);
        let finished = Vec::new();
        Outputs { ctx, cutter, partitioner, open: None, tombstones, bytes_under, finished }
    }

    /// Appends an entry, to a new table if a cut is due.
    #[inline]
    pub(super) fn add(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let user_key = user_key(key);
        if self.tombstones.is_some() {
            self.pass_tombstones(Some(user_key))?;
        }
        let size = self.size();
        let is_time = self.cutter.should_cut(user_key, size);
        if (is_time || self.partitioner.is_some())
            && self.starts_user_key(user_key)
            && (is_time || self.partitions(user_key, size))
        {
            self.cutter.cut();
            self.end_table(Some(user_key))?;
        }
        let table = match &mut self.open {
            Some(table) => table,
            None => self.open.insert(TableOutput::create(self.ctx)?),
        };
        table.add(key, value)
    }

    fn size(&self) -> u64 {
        let waiting = self.tombstones.as_ref().map_or(0, OutputTombstones::waiting_bytes);
        self.open.as_ref().map_or(0, TableOutput::file_size) + waiting
    }

    /// Whether the user's partitioner requests a new table from this key on.
    #[inline]
    fn partitions(&mut self, user_key: &[u8], size: u64) -> bool {
        let (Some(partitioner), Some(table)) = (&mut self.partitioner, &self.open) else {
            return false;
        };
        partitioner.should_partition(table.last_user_key(), user_key, size)
    }

    /// Whether the open table has no entry of this user key. A table without entries contains
    /// tombstones that began earlier.
    fn starts_user_key(&self, user_key: &[u8]) -> bool {
        let order = self.ctx.order;
        self.open.as_ref().is_none_or(|table| !order.equal_user(table.last_user_key(), user_key))
    }

    /// Passes the tombstones that begin before `user_key`, or all if it is `None`. Tables end at
    /// the beginnings of tombstones by the same rules as at entries, since tombstones alone may
    /// extend over much of the level below.
    fn pass_tombstones(&mut self, user_key: Option<&[u8]>) -> Result<()> {
        let order = self.ctx.order;
        loop {
            let Some(tombstones) = &mut self.tombstones else { return Ok(()) };
            let Some(begin) = tombstones.next_begin() else { return Ok(()) };
            if user_key.is_some_and(|key| order.compare_user(begin, key).is_ge()) {
                return Ok(());
            }
            let begin = begin.to_vec();
            if self.cutter.should_cut(&begin, self.size()) && self.starts_user_key(&begin) {
                self.cutter.cut();
                self.end_table(Some(&begin))?;
            }
            if let Some(tombstones) = &mut self.tombstones {
                tombstones.pass();
            }
        }
    }

    /// Ends the table before `upper`; `None` is the end of the key range.
    fn end_table(&mut self, upper: Option<&[u8]>) -> Result<()> {
        let tombstones = self.tombstones.as_mut().map(|t| t.take(upper));
        let tombstones = tombstones.filter(|t| !t.is_empty());
        let mut table = match (self.open.take(), &tombstones) {
            (Some(table), _) => table,
            (None, Some(_)) => TableOutput::create(self.ctx)?,
            (None, None) => return Ok(()),
        };
        if let Some(tombstones) = &tombstones {
            table.add_tombstones(tombstones)?;
        }
        let mut file = table.finish()?;
        file.compensated_range_deletion_size = tombstones.map_or(0, |t| (self.bytes_under)(&t));
        self.finished.push(file);
        Ok(())
    }

    /// Completes the last table and returns all tables.
    pub(super) fn finish(&mut self) -> Result<Vec<FileMeta>> {
        self.pass_tombstones(None)?;
        self.end_table(None)?;
        Ok(std::mem::take(&mut self.finished))
    }

    /// Removes all tables after a failed compaction.
    pub(super) fn remove_all(&mut self) {
        self.open = None;
        remove(self.ctx, &self.finished);
    }
}

/// Removes tables that no version refers to. Files that cannot be removed now are removed at the
/// next open.
pub(super) fn remove(ctx: &OutputContext<'_>, files: &[FileMeta]) {
    for file in files {
        let _ = ctx.fs.remove_file(&ctx.paths.table(file));
    }
}
