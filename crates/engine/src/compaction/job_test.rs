use super::*;
use crate::base::KeyOrder;
use crate::base::testing::{Command, check_transcripts};
use crate::compaction::plan::PlanLevel;
use crate::compress::CompressionType;
use crate::env::threads::Refusals;
use crate::flush::TableOutput;
use crate::fs::FileSystem;
use crate::fs::fault::{Fault, FaultFs, FaultKind, Op};
use crate::fs::mem::MemFs;
use crate::hooks::TableFileCreationReason;
use crate::iter::testing::{hooks, text};
use crate::options::{ColumnFamilyOptions, DbOptions, OptionSet};
use crate::rangedel::testing::Owned;
use crate::session::testing::{DIR, session};
use crate::session::{ColumnFamilyData, Session};
use crate::version::testing::{contents, describe, file};
use crate::version::{VersionBuilder, VersionEdit};
use std::path::Path;

/// The tree that the commands of a transcript work on.
struct Stage {
    fs: FaultFs,
    session: Session,
    family: Arc<ColumnFamilyData>,
    version: Arc<Version>,
}

impl Stage {
    /// A tree of tables that are written in the lines `L1 9: entry, entry`.
    fn new(command: &Command<'_>) -> (Stage, String) {
        command.allow(&["merge", "filter", "options"]);
        let fs = FaultFs::new(Arc::new(MemFs::new()));
        let session = session(Arc::new(fs.clone()), DbOptions::default());
        // Each entry has its own block, so that the sizes of tables follow from their entries.
        let mut options = ColumnFamilyOptions::default();
        options.set_options("num_levels=4;block_based_table_factory={block_size=1;}").unwrap();
        options.set_options(command.value("options").unwrap_or("")).unwrap();
        options.merge_operator = hooks::merge_operator(command);
        if command.has("filter") {
            options.compaction_filter_factory = Some(Arc::new(hooks::Obedience));
        }
        let family = session.family(0, "default", options);
        let mut edit = VersionEdit::default();
        let mut out = String::new();
        for line in &command.lines {
            let (place, content) = line.split_once(": ").unwrap();
            let (level, number) = place.strip_prefix('L').unwrap().split_once(' ').unwrap();
            let lines: Vec<&str> = content.split(", ").collect();
            let output = OutputContext {
                file_number: Some(number.parse().unwrap()),
                compression: CompressionType::None,
                ..session.output_context(&family)
            };
            let mut file = write(&output, &lines);
            file.epoch_number = file.number;
            out += &format!("L{level} {}\n", describe(&file));
            edit.add_file(level.parse().unwrap(), Arc::new(file));
        }
        let mut builder = VersionBuilder::new(Arc::new(Version::empty(KeyOrder::bytewise(), 4)));
        builder.apply(&edit).unwrap();
        let version = Arc::new(builder.build().unwrap().version);
        (Stage { fs, session, family, version }, out)
    }

    fn command(&mut self, command: &Command<'_>) -> String {
        match command.name {
            "parts" => self.parts(command),
            "compact" => self.compact(command),
            other => panic!("unknown command {other}"),
        }
    }

    /// A plan that reads these files into the level `to`.
    fn plan(&self, command: &Command<'_>, version: &Version) -> CompactionPlan {
        let numbers =
            command.value("inputs").map(|list| list.split(',').map(|n| n.parse().unwrap()));
        let numbers: Option<Vec<u64>> = numbers.map(Iterator::collect);
        let chosen = |f: &&Arc<FileMeta>| numbers.as_ref().is_none_or(|n| n.contains(&f.number));
        let of_level = |level| version.files(level).iter().filter(chosen).cloned().collect();
        let levels =
            (0..version.num_levels()).map(|level| PlanLevel { level, files: of_level(level) });
        let inputs: Vec<PlanLevel> = levels.filter(|level| !level.files.is_empty()).collect();
        let to = command.number("to").unwrap_or(1) as usize;
        let mut plan = CompactionPlan {
            id: 0,
            cf_id: 0,
            start_level: inputs[0].level,
            output_level: to,
            output_path: 0,
            inputs,
            grandparents: Vec::new(),
            target_file_size: command.number("target").unwrap_or(u64::MAX),
            max_file_size: u64::MAX,
            max_compaction_bytes: command.number("overlap").unwrap_or(u64::MAX),
            compression: CompressionType::None,
            bottommost: command.has("bottommost"),
            trivial_move: false,
            deletion: false,
            reason: CompactionReason::LevelMaxLevelSize,
            score: 1.0,
        };
        if to + 1 < version.num_levels() {
            let (s, l) = plan.key_range(version.order());
            plan.grandparents = version.overlapping_inputs(to + 1, Some(&s), Some(&l));
        }
        plan
    }

    /// Calls a function with the job's inputs for a plan.
    fn with_inputs<T>(
        &self,
        command: &Command<'_>,
        version: &Arc<Version>,
        work: impl FnOnce(&CompactionInputs<'_>) -> T,
    ) -> T {
        let plan = self.plan(command, version);
        let output = OutputContext {
            level: plan.output_level,
            compression: plan.compression,
            target_file_size: plan.target_file_size,
            bottommost: plan.bottommost,
            reason: TableFileCreationReason::Compaction,
            ..self.session.output_context(&self.family)
        };
        work(&CompactionInputs {
            plan: &plan,
            version,
            snapshots: hooks::snapshots(command),
            tables: &self.family.tables,
            readahead: 0,
            max_subcompactions: command.number("threads").unwrap_or(1) as usize,
            interrupt: None,
            output,
        })
    }

    /// The bounds of the parts of a plan with made-up files.
    fn parts(&self, command: &Command<'_>) -> String {
        command.allow(&["threads", "to"]);
        let mut edit = VersionEdit::default();
        for (number, line) in (1..).zip(&command.lines) {
            let (level, rest) = line.strip_prefix('L').unwrap().split_once(' ').unwrap();
            let (keys, size) = rest.split_once(':').unwrap();
            let mut file = file(number, keys.split_once('-').unwrap(), (number, number));
            file.file_size = size.parse().unwrap();
            file.epoch_number = number;
            edit.add_file(level.parse().unwrap(), Arc::new(file));
        }
        let mut builder = VersionBuilder::new(Arc::new(Version::empty(KeyOrder::bytewise(), 4)));
        builder.apply(&edit).unwrap();
        let version = Arc::new(builder.build().unwrap().version);
        let show = |key: &Option<Vec<u8>>| {
            key.as_ref().map_or(String::new(), |key| String::from_utf8_lossy(key).into_owned())
        };
        let plan = self.plan(command, &version);
        let most = command.number("threads").unwrap() as usize;
        let parts = parts(&plan, version.order(), most);
        parts.iter().map(|p| format!("[{}..{})\n", show(&p.begin), show(&p.end))).collect()
    }

    fn compact(&mut self, command: &Command<'_>) -> String {
        command.allow(&[
            "inputs",
            "to",
            "bottommost",
            "target",
            "overlap",
            "threads",
            "snapshots",
            "check-from",
            "fails",
        ]);
        // The parts run on this thread, one after the other.
        let _one_thread = Refusals::after(0);
        let first = self.session.counters.next_file_number();
        if let Some(nth) = command.number("fails") {
            self.fs.inject(Fault::nth(Op::Sync, "", nth, FaultKind::Io));
        }
        let result = self.with_inputs(command, &self.version, run);
        self.fs.clear();
        let mut out = match result {
            Ok(output) => self.show(&output),
            Err(e) => format!("error: {}\n", e.to_string().replace(DIR, "")),
        };
        let mut names = self.fs.list_dir(Path::new(DIR)).unwrap();
        names.retain(|name| name.ends_with(".sst"));
        let is_new =
            |name: &&String| name.trim_end_matches(".sst").parse::<u64>().unwrap() >= first;
        out += &format!("{} new files\n", names.iter().filter(is_new).count());
        out
    }

    fn show(&self, output: &CompactionOutput) -> String {
        let mut out = String::new();
        for file in &output.files {
            out += &format!("{}\n{}", describe(file), contents(file, &self.family.tables));
        }
        let stats = &output.stats;
        assert_eq!(stats.num_output_files, output.files.len());
        assert_eq!(stats.total_output_bytes, output.files.iter().map(|f| f.file_size).sum::<u64>());
        let counters = [
            ("hidden", output.records_hidden),
            ("obsolete", output.records_obsolete),
            ("of these above the bottom", output.records_optimized),
            ("filtered", output.records_filtered),
            ("covered", output.records_range_deleted),
            ("obsolete range tombstones", output.tombstones_obsolete),
        ];
        let shown =
            counters.iter().filter(|(_, n)| *n > 0).map(|(what, n)| format!("; {what} {n}"));
        let shown: String = shown.collect();
        out + &format!("{} written{shown}\n", stats.num_output_records)
    }
}

/// Writes a table of these lines.
fn write(output: &OutputContext<'_>, lines: &[&str]) -> FileMeta {
    let (mut entries, tombstones) = text::parse_all(lines);
    entries.sort_by(|a, b| output.order.compare(&a.0, &b.0));
    let mut table = TableOutput::create(output).unwrap();
    entries.iter().for_each(|(key, value)| table.add(key, value).unwrap());
    let fragments = Fragments::new(output.order, tombstones.iter().map(Owned::as_ref));
    table.add_tombstones(&fragments).unwrap();
    table.finish().unwrap()
}

#[test]
fn transcripts() {
    check_transcripts("compaction/testdata", || {
        let mut stage: Option<Stage> = None;
        move |command| {
            if command.name == "tables" {
                let (new, out) = Stage::new(command);
                stage = Some(new);
                return out;
            }
            stage.as_mut().expect("tables first").command(command)
        }
    });
}
