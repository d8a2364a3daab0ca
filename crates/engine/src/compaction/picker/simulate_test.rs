//! A simulated tree: random flushes, several concurrent compactions that end in any order or fail,
//! and manual compactions in between. Files have real keys and sequence numbers: after every step,
//! a search from the top down must find the newest value of each key. The builder checks order and
//! overlap.

use super::*;
use crate::base::ValueType;
use crate::base::key::{append_internal_key, pack_trailer};
use crate::compaction::cut::OutputCutter;
use crate::options::{CompactRangeOptions, CompactionPri, CompactionStopStyle};
use crate::version::{VersionBuilder, VersionEdit};
use std::collections::{BTreeMap, HashMap};

type Entries = BTreeMap<Vec<u8>, u64>;

struct World {
    version: Arc<Version>,
    options: ColumnFamilyOptions,
    picker: CompactionPicker,
    context: PickContext,
    running: Vec<CompactionPlan>,
    content: HashMap<u64, Entries>,
    newest: Entries,
    seq: u64,
    next_number: u64,
    rng: fastrand::Rng,
}

impl World {
    fn new(seed: u64, dynamic: bool, compaction_pri: CompactionPri) -> World {
        let options = ColumnFamilyOptions {
            num_levels: 5,
            level_compaction_dynamic_level_bytes: dynamic,
            target_file_size_base: 20,
            max_bytes_for_level_base: 60,
            max_bytes_for_level_multiplier: 3.0,
            max_compaction_bytes: 200,
            compaction_pri,
            ..ColumnFamilyOptions::default()
        };
        World {
            version: Arc::new(Version::empty(KeyOrder::bytewise(), 5)),
            options,
            picker: CompactionPicker::new(0),
            context: PickContext::default(),
            running: Vec::new(),
            content: HashMap::new(),
            newest: Entries::new(),
            seq: 0,
            next_number: 1,
            rng: fastrand::Rng::with_seed(seed),
        }
    }

    fn apply(&mut self, edit: &VersionEdit) {
        let mut builder = VersionBuilder::new(self.version.clone());
        builder.apply(edit).unwrap();
        self.version = Arc::new(builder.build().unwrap().version);
    }

    /// Creates a file with one byte per entry.
    fn new_file(&mut self, entries: Entries, epoch: Option<u64>) -> Arc<FileMeta> {
        let key = |(k, seq): (&Vec<u8>, &u64)| {
            let mut key = Vec::new();
            append_internal_key(&mut key, k, pack_trailer(*seq, ValueType::Value));
            key
        };
        let smallest = key(entries.first_key_value().unwrap());
        let largest = key(entries.last_key_value().unwrap());
        let number = self.next_number;
        self.next_number += 1;
        let mut file = FileMeta::new(number, entries.len() as u64, smallest, largest);
        file.smallest_seqno = *entries.values().min().unwrap();
        file.largest_seqno = *entries.values().max().unwrap();
        file.epoch_number = epoch.unwrap_or(number);
        self.content.insert(number, entries);
        Arc::new(file)
    }

    fn flush(&mut self) {
        let sequential = self.rng.u8(..4) == 0;
        let start = self.rng.u16(..500);
        let mut entries = Entries::new();
        for i in 0..self.rng.u16(1..30) {
            let n = if sequential { start + i } else { self.rng.u16(..500) };
            self.seq += 1;
            entries.insert(format!("{n:04}").into_bytes(), self.seq);
        }
        self.newest.extend(entries.clone());
        let file = self.new_file(entries, None);
        let mut edit = VersionEdit::default();
        edit.add_file(0, file);
        self.apply(&edit);
    }

    fn install(&mut self, plan: &CompactionPlan) {
        let mut edit = VersionEdit::default();
        plan.input_files().for_each(|(level, f)| edit.delete_file(level, f.number));
        if plan.trivial_move {
            plan.input_files().for_each(|(_, f)| edit.add_file(plan.output_level, f.clone()));
        } else {
            let mut merged = Entries::new();
            for (_, file) in plan.input_files() {
                for (key, seq) in &self.content[&file.number] {
                    let slot = merged.entry(key.clone()).or_insert(0);
                    *slot = (*slot).max(*seq);
                }
            }
            if plan.bottommost {
                self.check_bottommost(plan, &merged);
            }
            let epoch = (plan.output_level == 0).then(|| output_epoch(plan));
            for entries in cut(plan, merged) {
                let file = self.new_file(entries, epoch);
                edit.add_file(plan.output_level, file);
            }
        }
        self.apply(&edit);
        self.picker.release(plan);
    }

    /// Sequence numbers may become 0 only if no other file has an older entry of the key.
    fn check_bottommost(&self, plan: &CompactionPlan, merged: &Entries) {
        let is_input = |n: u64| plan.input_files().any(|(_, f)| f.number == n);
        for (_, file) in self.version.all_files().filter(|(_, f)| !is_input(f.number)) {
            for (key, seq) in &self.content[&file.number] {
                assert!(merged.get(key).is_none_or(|mine| mine < seq), "{plan}: {file:?}");
            }
        }
    }

    /// The result of a lookup: level 0 newest first, then the other levels.
    fn get(&self, key: &[u8]) -> Option<u64> {
        self.version
            .all_files()
            .filter(|(_, f)| self.version.file_overlaps(f, Some(key), Some(key)))
            .find_map(|(_, f)| self.content[&f.number].get(key).copied())
    }

    fn check(&self) {
        for (key, seq) in &self.newest {
            assert_eq!(self.get(key), Some(*seq), "{:?}", String::from_utf8_lossy(key));
        }
    }

    /// Checks that exactly the files in plans are marked.
    fn check_marks(&self) {
        let mut marked: Vec<u64> = self
            .version
            .all_files()
            .filter(|(_, f)| f.is_being_compacted())
            .map(|(_, f)| f.number)
            .collect();
        let mut planned: Vec<u64> =
            self.running.iter().flat_map(|p| p.input_files().map(|(_, f)| f.number)).collect();
        marked.sort_unstable();
        planned.sort_unstable();
        assert_eq!(marked, planned);
    }

    fn compact_range(&mut self) {
        let (a, b) = (self.rng.u16(..500), self.rng.u16(..500));
        let (begin, end) = (format!("{:04}", a.min(b)), format!("{:04}", a.max(b)));
        let options = CompactRangeOptions {
            bottommost_level_compaction: match self.rng.u8(..3) {
                0 => crate::options::BottommostLevelCompaction::Skip,
                1 => crate::options::BottommostLevelCompaction::Force,
                _ => crate::options::BottommostLevelCompaction::ForceOptimized,
            },
            ..CompactRangeOptions::default()
        };
        let (begin, end) = (Some(begin.as_bytes()), Some(end.as_bytes()));
        let mut manual = ManualCompaction::new(begin, end, &options, self.next_number);
        for _ in 0..1000 {
            match manual.step(&mut self.picker, &self.version, &self.options, &self.context) {
                ManualStep::Run(plan) => self.install(&plan),
                ManualStep::Wait => match self.running.pop() {
                    Some(plan) => self.install(&plan),
                    None => panic!("it waits for nothing"),
                },
                ManualStep::Done => return,
            }
        }
        panic!("it does not end");
    }

    /// Runs compactions until none is due.
    fn settle(&mut self) {
        for _ in 0..10_000 {
            while let Some(plan) = self.running.pop() {
                self.install(&plan);
            }
            let shape = LevelShape::new(&self.version, &self.options);
            match self.picker.pick(&self.version, &self.options, &shape, &self.context) {
                Some(plan) => self.running.push(plan),
                None => break,
            }
        }
        let shape = LevelShape::new(&self.version, &self.options);
        assert!(
            !self.picker.needs_compaction(&self.version, &self.options, &shape, &self.context),
            "{:?}",
            self.version
        );
        assert!(shape.worst_score() <= 1.0);
        assert!(self.version.all_files().all(|(_, f)| !f.is_being_compacted()));
    }
}

/// The output files of a plan.
fn cut(plan: &CompactionPlan, merged: Entries) -> Vec<Entries> {
    let mut cutter = OutputCutter::new(plan, &KeyOrder::bytewise());
    let mut outputs = vec![Entries::new()];
    for (key, seq) in merged {
        if cutter.should_cut(&key, outputs.last().unwrap().len() as u64) {
            cutter.cut();
            outputs.push(Entries::new());
        }
        outputs.last_mut().unwrap().insert(key, seq);
    }
    assert!(outputs.iter().all(|o| !o.is_empty()));
    assert!(plan.output_level == 0 || outputs.iter().all(|o| o.len() <= 40), "twice the target");
    outputs
}

#[test]
fn trees_stay_right_and_come_to_rest() {
    for seed in 0..20 {
        let priority = match seed % 5 {
            0 => CompactionPri::ByCompensatedSize,
            1 => CompactionPri::OldestLargestSeqFirst,
            2 => CompactionPri::OldestSmallestSeqFirst,
            3 => CompactionPri::MinOverlappingRatio,
            _ => CompactionPri::RoundRobin,
        };
        live(&mut World::new(seed, seed % 2 == 0, priority));
    }
}

#[test]
fn sorted_runs_stay_right_and_come_to_rest() {
    for seed in 0..24 {
        let mut world = World::new(seed, false, CompactionPri::default());
        let options = &mut world.options;
        options.compaction_style = CompactionStyle::Universal;
        let universal = &mut options.compaction_options_universal;
        universal.allow_trivial_move = seed % 2 == 0;
        match seed % 4 {
            0 => universal.stop_style = CompactionStopStyle::SimilarSize,
            1 => universal.max_merge_width = 3,
            2 => universal.max_read_amp = 0,
            _ => universal.max_size_amplification_percent = 30,
        }
        if seed % 3 == 0 {
            options.num_levels = 1;
            world.version = Arc::new(Version::empty(KeyOrder::bytewise(), 1));
        }
        live(&mut world);
    }
}

/// Runs 250 steps, then compacts until nothing is due.
fn live(world: &mut World) {
    for step in 0..250 {
        match world.rng.u8(..10) {
            0..=3 => world.flush(),
            4..=6 => {
                let (version, options) = (&world.version, &world.options);
                let shape = LevelShape::new(version, options);
                world.running.extend(world.picker.pick(version, options, &shape, &world.context));
            }
            7 | 8 if !world.running.is_empty() => {
                let any = world.rng.usize(..world.running.len());
                let plan = world.running.swap_remove(any);
                if world.rng.u8(..8) == 0 {
                    world.picker.release(&plan);
                } else {
                    world.install(&plan);
                }
            }
            9 if world.rng.u8(..10) == 0 => world.compact_range(),
            _ => {}
        }
        world.check_marks();
        if step % 10 == 0 {
            world.check();
        }
    }
    world.settle();
    world.check();
}
