//! Stall conditions and memory reports, which are updated after every change of memtables or versions.

use super::catalog::Catalog;
use super::state::State;
use crate::budget::KeptFree;
use crate::compaction::picker::num_sorted_runs;
use crate::memtable::MemTable;
use crate::options::CompactionStyle;
use crate::report::NewStall;
use crate::write::{Stall, StallInputs};
use std::path::Path;
use std::sync::Arc;

impl Catalog {
    /// Recomputes the stall conditions for writers. Call it after every change of memtables or versions.
    pub(crate) fn renew_stalls(&self, state: &mut State) {
        let mut worst = Stall::None;
        let mut new_stalls = Vec::new();
        for family in state.families.values_mut() {
            let data = Arc::clone(&family.data);
            let options = data.options();
            let auto = !options.disable_auto_compactions;
            // Universal compaction treats deeper levels as level-0 files.
            let sorted_runs = match options.compaction_style {
                CompactionStyle::Universal => num_sorted_runs(&family.current, &options),
                _ => family.current.num_files(0),
            };
            let inputs = StallInputs {
                immutables: family.immutables.len(),
                level0_files: if auto { sorted_runs } else { 0 },
                pending_compaction_bytes: family.pending_compaction_bytes(),
            };
            let stall = data.stall_limits().judge(&inputs);
            let (prev, cur) = family.note_stall(stall);
            if prev != cur {
                self.reporter.stall_changed(&data, prev, cur);
                new_stalls.push(NewStall::new(&data, stall, inputs));
            }
            worst = worse(worst, stall);
        }
        self.controller.set(worst);
        self.reporter.log_stalls(&new_stalls, self.controller.delayed_write_rate());
        self.renew_threshold(state);
        self.report_memory(state);
    }

    /// Reports the current memory use to the memtable budgets, and charges it to the memory account.
    pub(crate) fn report_memory(&self, state: &State) {
        if self.session.memtable_shares.is_empty() {
            return;
        }
        let size = |mem: &MemTable| mem.approximate_memory_usage();
        let active: usize = state.families.values().map(|cf| size(&cf.mem)).sum();
        let immutables = state.families.values().flat_map(|cf| &cf.immutables);
        let all = active + immutables.map(|i| size(&i.mem)).sum::<usize>();
        self.session.memtable_shares.iter().for_each(|share| share.report(active, all));
        if let Some(account) = self.session.memory() {
            for cf in state.families.values() {
                cf.mem.charge_to(account);
                cf.immutables.iter().for_each(|i| i.mem.charge_to(account));
            }
            account.fit_memtables();
        }
    }

    /// Returns the space that a compaction into `dir` must leave free: enough for a memtable's log and its table.
    pub(crate) fn kept_free(&self, dir: &Path) -> Option<Arc<KeptFree>> {
        let state = self.state.lock();
        let sizes = state.families.values().map(|cf| cf.data.options().write_buffer_size as u64);
        let largest = sizes.max().unwrap_or(0);
        drop(state);
        KeptFree::new(&self.session.fs, dir, 2 * largest)
    }
}

fn worse(a: Stall, b: Stall) -> Stall {
    let rank = |s: &Stall| match s {
        Stall::None => -1.0,
        Stall::Delay(_, pressure) => *pressure,
        Stall::Stop(_) => 2.0,
    };
    if rank(&b) > rank(&a) { b } else { a }
}
