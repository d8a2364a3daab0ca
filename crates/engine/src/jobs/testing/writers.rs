//! Writers of transcripts, on their own threads where others are to come between.

use super::said;
use crate::batch::WriteBatch;
use crate::commit::CommitTerms;
use crate::iter::testing::text::parse_value;
use crate::open::Core;
use crate::options::WriteOptions;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Writers on other threads, by their names.
#[derive(Default)]
pub(super) struct Writers(BTreeMap<String, JoinHandle<String>>);

impl Writers {
    /// Starts one, and waits until its record is in the WAL.
    pub(super) fn start(
        &mut self,
        name: &str,
        core: Arc<Core>,
        options: WriteOptions,
        mut batch: WriteBatch,
    ) -> String {
        let records = core.commit.written().logged_writes + 1;
        let theirs = Arc::clone(&core);
        let writer = std::thread::spawn(move || commit(&theirs, &options, &mut batch));
        let deadline = Instant::now() + Duration::from_secs(30);
        while core.commit.written().logged_writes < records && !writer.is_finished() {
            assert!(Instant::now() < deadline, "{name} does not come to the WAL");
            std::thread::yield_now();
        }
        assert!(self.0.insert(name.to_owned(), writer).is_none(), "{name} is running");
        format!("visible {}\n", core.catalog.order().visible())
    }

    /// Waits for all of them, and returns what became of their writes.
    pub(super) fn join(&mut self) -> String {
        let writers = std::mem::take(&mut self.0).into_iter();
        writers.map(|(name, writer)| format!("{name}: {}", writer.join().unwrap())).collect()
    }
}

/// Commits a batch. Returns its sequence numbers, or the error.
pub(super) fn commit(core: &Core, options: &WriteOptions, batch: &mut WriteBatch) -> String {
    match core.commit.write(options, batch, CommitTerms::default()) {
        Ok(()) => {
            let first = batch.sequence();
            let last = first + u64::from(batch.count()) - 1;
            assert!(core.catalog.order().visible() >= last, "an acknowledged write is visible");
            format!("sequence numbers {first}-{last}\n")
        }
        Err(e) => said(Err(e)),
    }
}

/// Reads a batch from lines such as `put a 1` and `family: delete b`.
pub(super) fn parse_batch(lines: &[&str], family: impl Fn(&str) -> u32) -> WriteBatch {
    let mut batch = WriteBatch::new();
    for line in lines {
        let (cf, record) =
            line.split_once(": ").map_or((0, *line), |(cf, rest)| (family(cf), rest));
        let words: Vec<&str> = record.split(' ').collect();
        let key = words[1].as_bytes();
        let value = words.get(2).map_or(Vec::new(), |value| parse_value(value));
        match words[0] {
            "put" => batch.put_cf(cf, key, &value),
            "delete" => batch.delete_cf(cf, key),
            "merge" => batch.merge_cf(cf, key, &value),
            "delete-range" => batch.delete_range_cf(cf, key, &value),
            other => panic!("unknown record {other}"),
        }
        .unwrap();
    }
    batch
}
