use super::*;
use crate::base::key::ParsedInternalKey;
use crate::base::testing::{Command, check_transcripts};
use crate::fs::FileSystem;
use crate::fs::fault::{Fault, FaultFs, FaultKind, Op};
use crate::fs::mem::MemFs;
use crate::iter::testing::{hooks, text};
use crate::options::{ColumnFamilyOptions, DbOptions, OptionSet};
use crate::session::testing::{DIR, session};
use crate::session::{ColumnFamilyData, Session};
use crate::version::testing::{contents, describe};
use std::path::Path;

/// The state on which the commands of a transcript work.
struct Stage {
    fs: FaultFs,
    session: Session,
    memtables: Vec<Arc<MemTable>>,
}

impl Stage {
    fn new() -> Stage {
        let fs = FaultFs::new(Arc::new(MemFs::new()));
        let session = session(Arc::new(fs.clone()), DbOptions::default());
        Stage { fs, session, memtables: Vec::new() }
    }

    fn command(&mut self, command: &Command<'_>) -> String {
        match command.name {
            "memtable" => self.fill(command),
            "flush" => self.flush(command),
            other => panic!("unknown command {other}"),
        }
    }

    /// Adds a memtable that is newer than the existing ones.
    fn fill(&mut self, command: &Command<'_>) -> String {
        let options = ColumnFamilyOptions::default();
        let order = crate::base::KeyOrder::bytewise();
        let mem = MemTable::new(self.memtables.len() as u64, order, &options, 0);
        let (entries, tombstones) = text::parse_all(&command.lines);
        for (key, value) in &entries {
            let key = ParsedInternalKey::parse(key).unwrap();
            mem.add(key.sequence, key.value_type, key.user_key, value);
        }
        tombstones.iter().for_each(|t| mem.add_range_deletion(t.seq, &t.begin, &t.end));
        mem.mark_immutable();
        let (entries, deletes) = (mem.num_entries(), mem.num_deletes());
        self.memtables.push(mem);
        format!("{entries} entries, {deletes} deletions\n")
    }

    fn family(&self, command: &Command<'_>) -> Arc<ColumnFamilyData> {
        let mut options = ColumnFamilyOptions::default();
        options.set_options(command.value("options").unwrap_or("")).unwrap();
        options.merge_operator = hooks::merge_operator(command);
        if command.has("filter") {
            options.compaction_filter_factory = Some(Arc::new(hooks::Obedience));
        }
        self.session.family(0, "default", options)
    }

    /// Flushes all memtables.
    fn flush(&mut self, command: &Command<'_>) -> String {
        command.allow(&["snapshots", "check-from", "merge", "filter", "options", "fails"]);
        let family = self.family(command);
        let memtables = std::mem::take(&mut self.memtables);
        let snapshots = hooks::snapshots(command);
        if let Some(op) = command.value("fails") {
            self.fs.inject(Fault::nth(operation(op), "", 0, FaultKind::Io));
        }
        let output = self.session.output_context(&family);
        let result = run(FlushInputs { memtables: memtables.clone(), snapshots, output });
        self.fs.clear();
        let out = match result {
            Err(e) => {
                // Keep them for the next attempt.
                self.memtables = memtables;
                format!("error: {}\n", e.to_string().replace(DIR, ""))
            }
            Ok(FlushOutput { file: None, records_in, .. }) => {
                format!("no table; {records_in} read\n")
            }
            Ok(FlushOutput { file: Some(file), records_in, figures, tombstones }) => {
                assert_eq!(figures.num_entries, file.stats().num_entries);
                let written = tombstones.map_or(0, |t| t.tombstones().count() as u64);
                assert_eq!(written, file.stats().num_range_deletions);
                let contents = contents(&file, &family.tables);
                format!("{}\n{contents}{records_in} read\n", describe(&file))
            }
        };
        out + &self.files()
    }

    /// Returns the number of tables in the directory.
    fn files(&self) -> String {
        let names = self.fs.list_dir(Path::new(DIR)).unwrap();
        format!("{} tables\n", names.iter().filter(|name| name.ends_with(".sst")).count())
    }
}

/// Returns the operation that the argument `fails` names.
fn operation(name: &str) -> Op {
    match name {
        "create" => Op::Create,
        "append" => Op::Append,
        "sync" => Op::Sync,
        "sync-dir" => Op::SyncDir,
        other => panic!("unknown operation {other}"),
    }
}

#[test]
fn transcripts() {
    check_transcripts("flush/testdata", || {
        let mut stage = Stage::new();
        move |command| stage.command(command)
    });
}
