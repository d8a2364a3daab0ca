//! Transcripts: a tree as text, and the picker's answer.

use super::*;
use crate::base::ValueType;
use crate::base::key::{append_internal_key, pack_trailer};
use crate::base::testing::check_transcripts;
use crate::options::{BottommostLevelCompaction, CompactRangeOptions, OptionSet};
use crate::version::{FileStats, VersionBuilder, VersionEdit};
use std::fmt::Write as _;

fn internal(user_key: &str, seq: u64) -> Vec<u8> {
    let mut key = Vec::new();
    append_internal_key(&mut key, user_key.as_bytes(), pack_trailer(seq, ValueType::Value));
    key
}

/// `9:a-f:100`: number, keys, size (`a-f)` ends before `f`, where a range tombstone ends); then `*` being compacted,
/// `!` marked for compaction, `~` all tombstones, `^` written at second 100 instead of 500.
fn parse_file(text: &str) -> FileMeta {
    let plain = text.trim_end_matches(['*', '!', '~', '^']);
    let mut parts = plain.split(':');
    let number: u64 = parts.next().unwrap().parse().unwrap();
    let (smallest, largest) = parts.next().unwrap().split_once('-').unwrap();
    let size = parts.next().map_or(100, |s| s.parse().unwrap());
    let end = match largest.strip_suffix(')') {
        Some(end) => internal(end, crate::base::MAX_SEQUENCE_NUMBER),
        None => internal(largest, number * 10),
    };
    let keys = (internal(smallest, number * 10 + 1), end);
    let mut file = FileMeta::new(number, size, keys.0, keys.1);
    (file.smallest_seqno, file.largest_seqno) = (number * 10, number * 10 + 1);
    file.epoch_number = number;
    let marks = &text[plain.len()..];
    let time = if marks.contains('^') { 100 } else { 500 };
    (file.file_creation_time, file.oldest_ancestor_time) = (time, time);
    file.marked_for_compaction = marks.contains('!');
    if marks.contains('*') {
        file.set_being_compacted(true);
    }
    let num_deletions = if marks.contains('~') { size } else { 0 };
    file.set_stats(FileStats {
        num_entries: size,
        num_range_deletions: 0,
        num_deletions,
        raw_key_size: 0,
        raw_value_size: size,
    });
    file
}

/// Adjacent tables that share a boundary key only because a tombstone was cut there are not
/// compacted together; those that share a user key, as in old releases, are.
#[test]
fn clean_cuts_are_where_tombstones_end() {
    let cut = |files: &str, wanted: u64| {
        let stage = Stage::new("", &[files]);
        let (_, file) = stage.version.find(wanted).unwrap();
        let cut = inputs::clean_cut(&stage.version, 1, vec![Arc::clone(file)]).unwrap();
        cut.iter().map(|f| f.number).collect::<Vec<_>>()
    };
    let touching = "L1 3:a-f) 2:f-k) 1:k-p";
    assert_eq!((cut(touching, 3), cut(touching, 2), cut(touching, 1)), (vec![3], vec![2], vec![1]));
    let shared = "L1 3:a-f 2:f-k) 1:k-p";
    assert_eq!((cut(shared, 3), cut(shared, 2)), (vec![3, 2], vec![3, 2]));
}

/// The state between commands.
struct Stage {
    version: Arc<Version>,
    options: ColumnFamilyOptions,
    picker: CompactionPicker,
    context: PickContext,
    plans: Vec<CompactionPlan>,
    next_number: u64,
}

impl Stage {
    fn new(arguments: &str, lines: &[&str]) -> Stage {
        // The static shape with small numbers, unless a transcript sets other options.
        let mut options = ColumnFamilyOptions::default();
        let list = "level_compaction_dynamic_level_bytes=false;num_levels=5;\
                    target_file_size_base=100;max_bytes_for_level_base=400;\
                    max_bytes_for_level_multiplier=4;max_compaction_bytes=1000";
        options.set_options(list).unwrap();
        arguments.split_whitespace().for_each(|a| options.set_options(a).unwrap());
        let empty = Version::empty(KeyOrder::bytewise(), options.num_levels as usize);
        let mut edit = VersionEdit::default();
        for line in lines {
            let (level, files) = line.split_once(' ').unwrap();
            let level = level.strip_prefix('L').unwrap().parse().unwrap();
            files.split_whitespace().for_each(|f| edit.add_file(level, Arc::new(parse_file(f))));
        }
        let mut stage = Stage {
            version: Arc::new(empty),
            options,
            picker: CompactionPicker::new(0),
            context: PickContext::default(),
            plans: Vec::new(),
            next_number: 100,
        };
        stage.apply(&edit);
        stage
    }

    fn apply(&mut self, edit: &VersionEdit) {
        let mut builder = VersionBuilder::new(self.version.clone());
        builder.apply(edit).unwrap();
        self.version = Arc::new(builder.build().unwrap().version);
    }

    /// Applies a plan as if it had run: its inputs become one file, or move.
    fn install(&mut self, plan: &CompactionPlan) {
        let mut edit = VersionEdit::default();
        plan.input_files().for_each(|(level, f)| edit.delete_file(level, f.number));
        if plan.deletion {
            self.apply(&edit);
            self.picker.release(plan);
            return;
        }
        if plan.trivial_move {
            plan.input_files().for_each(|(_, f)| edit.add_file(plan.output_level, f.clone()));
        } else {
            let (s, l) = plan.key_range(self.version.order());
            let (s, l) = (String::from_utf8(s).unwrap(), String::from_utf8(l).unwrap());
            let text = format!("{}:{s}-{l}:{}", self.next_number, plan.input_bytes());
            let mut file = parse_file(&text);
            file.epoch_number = output_epoch(plan);
            file.smallest_seqno = plan.input_files().map(|f| f.1.smallest_seqno).min().unwrap();
            file.largest_seqno = plan.input_files().map(|f| f.1.largest_seqno).max().unwrap();
            edit.add_file(plan.output_level, Arc::new(file));
            self.next_number += 1;
        }
        self.apply(&edit);
        self.picker.release(plan);
    }

    fn shape(&self) -> String {
        let shape = LevelShape::new(&self.version, &self.options);
        let targets: Vec<String> = shape.targets.bytes[1..]
            .iter()
            .map(|t| if *t == u64::MAX { "-".into() } else { t.to_string() })
            .collect();
        let scores: Vec<String> =
            shape.scores.iter().map(|(l, s)| format!("L{l} {s:.3}")).collect();
        format!(
            "base L{}, targets {}\nscores {}\npending {} bytes, needs compaction: {}\n",
            shape.targets.base_level,
            targets.join(" "),
            scores.join(", "),
            shape.targets.pending_compaction_bytes,
            self.picker.needs_compaction(&self.version, &self.options, &shape, &self.context)
        )
    }

    fn pick(&mut self) -> Option<CompactionPlan> {
        let shape = LevelShape::new(&self.version, &self.options);
        self.picker.pick(&self.version, &self.options, &shape, &self.context)
    }

    fn tree(&self) -> String {
        let mut out = String::new();
        for level in (0..self.version.num_levels()).filter(|l| self.version.num_files(*l) > 0) {
            let _ = write!(out, "L{level}");
            for f in self.version.files(level) {
                let key = |k: &[u8]| String::from_utf8_lossy(k).to_string();
                let (s, l) = (key(f.smallest_user_key()), key(f.largest_user_key()));
                let _ = write!(out, " {}:{s}-{l}:{}", f.number, f.file_size);
            }
            out.push('\n');
        }
        out
    }

    fn manual(&mut self, arguments: &str) -> String {
        let mut options = CompactRangeOptions::default();
        let (mut begin, mut end) = (None, None);
        for (name, value) in arguments.split_whitespace().map(|a| a.split_once('=').unwrap()) {
            match name {
                "begin" => begin = Some(value.as_bytes()),
                "end" => end = Some(value.as_bytes()),
                _ => {
                    options.bottommost_level_compaction = match value {
                        "force" => BottommostLevelCompaction::Force,
                        "optimized" => BottommostLevelCompaction::ForceOptimized,
                        _ => BottommostLevelCompaction::Skip,
                    }
                }
            }
        }
        let mut manual = ManualCompaction::new(begin, end, &options, self.next_number);
        let mut out = String::new();
        for _ in 0..100 {
            match manual.step(&mut self.picker, &self.version, &self.options, &self.context) {
                ManualStep::Run(plan) => {
                    let _ = writeln!(out, "{plan}");
                    self.install(&plan);
                }
                ManualStep::Wait => return out + "wait\n",
                ManualStep::Done => return out + "done\n" + &self.tree(),
            }
        }
        panic!("it does not end:\n{out}")
    }

    fn command(&mut self, command: &str, arguments: &str) -> String {
        match command {
            "shape" => self.shape(),
            // Picks a compaction and leaves it running.
            "pick" => match self.pick() {
                Some(plan) => {
                    self.check(&plan);
                    let text = format!("{plan}, files of {}\n", plan.target_file_size);
                    self.plans.push(plan);
                    text
                }
                None => "nothing\n".into(),
            },
            // Installs the oldest running compaction.
            "install" => {
                let plan = self.plans.remove(0);
                self.install(&plan);
                self.tree()
            }
            "fail" => {
                let plan = self.plans.remove(0);
                self.picker.release(&plan);
                "released\n".into()
            }
            // The time in seconds, and the oldest snapshot.
            "at" => {
                let (now, snapshot) = arguments.split_once(' ').unwrap();
                let oldest_snapshot = snapshot.parse().unwrap();
                self.context = PickContext { now: now.parse().unwrap(), oldest_snapshot };
                let least = bottommost_threshold(&self.version, &self.context);
                let least = if least == u64::MAX { "-".into() } else { least.to_string() };
                format!("the next snapshot to matter: {least}\n")
            }
            "manual" => self.manual(arguments),
            _ => panic!("unknown command {command}"),
        }
    }

    /// Checks the invariants of every plan; see `plan`.
    fn check(&self, plan: &CompactionPlan) {
        let order = self.version.order();
        let (s, l) = plan.key_range(order);
        assert!(!plan.inputs.is_empty() && plan.inputs.iter().all(|l| !l.files.is_empty()));
        assert!(plan.input_files().all(|(_, f)| f.is_being_compacted()));
        let is_input = |n| plan.input_files().any(|(_, f)| f.number == n);
        // CP2, CP3: no file of the output level and no older file of level 0 is left in the range.
        if plan.output_level > 0 {
            let below = self.version.overlapping_inputs(plan.output_level, Some(&s), Some(&l));
            assert!(below.iter().all(|f| is_input(f.number)), "{plan}");
        }
        if plan.start_level == 0 {
            let mut rest = self.version.files(0).iter().skip_while(|f| !is_input(f.number));
            let left_out = |f: &&Arc<FileMeta>| {
                !is_input(f.number) && self.version.file_overlaps(f, Some(&s), Some(&l))
            };
            assert!(plan.output_level == 0 || !rest.any(|f| left_out(&f)), "{plan}");
        }
        for (i, a) in self.plans.iter().enumerate() {
            assert!(a.input_files().all(|(_, f)| !is_input(f.number)), "{a} and {plan}");
            assert!(i < self.picker.num_running());
        }
    }
}

#[test]
fn transcripts() {
    check_transcripts("compaction/picker/testdata", || {
        let mut stage: Option<Stage> = None;
        move |command| {
            if command.name == "tree" {
                return stage.insert(Stage::new(command.arguments, &command.lines)).shape();
            }
            let stage = stage.as_mut().expect("a tree first");
            stage.command(command.name, command.arguments)
        }
    });
}
