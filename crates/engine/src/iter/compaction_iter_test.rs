use super::*;
use crate::base::ReverseBytewiseComparator;
use crate::base::iterator::EmptyIterator;
use crate::base::testing::{Command, check_transcripts};
use crate::hooks::{CompactionFilter, StringAppendOperator, UInt64AddOperator};
use crate::iter::merging_iterator;
use crate::iter::testing::history::{History, Shape, dealt};
use crate::iter::testing::hooks::{self, FullOnly, Obedient};
use crate::iter::testing::text;
use crate::iter::vec_iter::{Entry, VecIter, ikey};
use crate::rangedel::testing::Owned;
use crate::rangedel::{Fragments, JobTombstones};
use ValueType::{Merge, SingleDeletion, Value};

fn drain(iter: &mut CompactionIter) -> Result<Vec<Entry>> {
    let mut out = Vec::new();
    iter.seek_to_first();
    while iter.valid() {
        out.push((iter.key().to_vec(), iter.value().to_vec()));
        iter.next();
    }
    iter.status()?;
    Ok(out)
}

fn check_sorted(order: &KeyOrder, entries: &[Entry], what: &str) {
    for pair in entries.windows(2) {
        assert!(order.compare(&pair[0].0, &pair[1].0).is_lt(), "{what}: {pair:?}");
    }
}

/// A tree of runs, newest first, with random compactions.
struct Tree {
    order: KeyOrder,
    history: History,
    operator: Arc<dyn MergeOperator>,
    runs: Vec<Vec<Entry>>,
    snapshots: Vec<SeqNo>,
}

impl Tree {
    /// Flushes a random history piece by piece.
    fn random(rng: &mut fastrand::Rng) -> Tree {
        let order = match rng.bool() {
            true => KeyOrder::bytewise(),
            false => KeyOrder::new(Arc::new(ReverseBytewiseComparator)),
        };
        let most = [12, 60, 200][rng.usize(0..3)];
        let shape = Shape {
            writes: rng.usize(1..most),
            keys: rng.u32(1..12),
            merges: rng.bool(),
            single_deletes: rng.bool(),
            lawless: false,
        };
        let history = History::random(rng, &shape);
        let mut runs = vec![Vec::new(); rng.usize(1..6)];
        let mut cuts: Vec<u64> = (1..runs.len()).map(|_| rng.u64(0..=history.last_seq())).collect();
        cuts.sort_unstable_by(|a, b| b.cmp(a));
        for entry in history.entries(&order) {
            let seq = crate::base::key::sequence(&entry.0);
            runs[cuts.iter().filter(|&&cut| seq <= cut).count()].push(entry);
        }
        let mut snapshots: Vec<SeqNo> =
            (0..rng.usize(0..6)).map(|_| rng.u64(0..=history.last_seq())).collect();
        snapshots.sort_unstable();
        let operator: Arc<dyn MergeOperator> = match rng.bool() {
            true => Arc::new(StringAppendOperator::default()),
            false => Arc::new(FullOnly::default()),
        };
        Tree { order, history, operator, runs, snapshots }
    }

    fn iter_of(&self, runs: &[Vec<Entry>]) -> Box<dyn InternalIterator> {
        let children = runs.iter().map(|run| {
            Box::new(VecIter::new(self.order.clone(), run.clone())) as Box<dyn InternalIterator>
        });
        merging_iterator(self.order.clone(), children.collect())
    }

    /// Replaces the runs `from..=to` with the entries that a compaction keeps of them; without `folds`, the compaction
    /// has no merge operator and keeps operands.
    fn compact(&mut self, from: usize, to: usize, folds: bool, what: &str) -> CompactionIterStats {
        let ends = |run: &Vec<Entry>| {
            let user = |e: &Entry| user_key_of(&e.0).to_vec();
            run.first().zip(run.last()).map(|(a, b)| user(a)..=user(b))
        };
        let order = self.order.clone();
        let covers = |order: &KeyOrder, run: &std::ops::RangeInclusive<Vec<u8>>, key: &[u8]| {
            order.compare_user(run.start(), key).is_le()
                && order.compare_user(key, run.end()).is_le()
        };
        let deeper: Vec<_> = self.runs[to + 1..].iter().filter_map(ends).collect();
        let mut iter = CompactionIter::new(
            self.iter_of(&self.runs[from..=to]),
            self.order.clone(),
            self.snapshots.clone(),
            folds.then(|| self.operator.clone()),
            deeper.is_empty(),
            move |key| !deeper.iter().any(|run| covers(&order, run, key)),
        );
        let kept = drain(&mut iter).unwrap_or_else(|e| panic!("{what}: {e}"));
        check_sorted(&self.order, &kept, what);
        let stats = *iter.stats();
        let entries = self.runs[from..=to].iter().map(|run| run.len() as u64).sum::<u64>();
        assert_eq!(stats.num_input_records, entries, "{what}");
        assert_eq!(stats.num_output_records, kept.len() as u64, "{what}");
        assert_eq!(stats.num_single_del_mismatch, 0, "{what}");
        let dropped =
            stats.num_record_drop_hidden + stats.num_record_drop_obsolete + stats.num_record_merged;
        assert_eq!(entries, kept.len() as u64 + dropped, "{what}: every entry is accounted for");
        self.runs.splice(from..=to, [kept]);
        stats
    }

    /// Checks that every snapshot and the newest reader see the contents that the history implies.
    fn check_reads(&self, what: &str) {
        let newest = self.history.last_seq();
        for seq in self.snapshots.iter().copied().chain([newest, newest + 10]) {
            let mut reader = reader::Reader::new(self.iter_of(&self.runs), &self.order, seq);
            let seen = reader.scan(&*self.operator);
            let expected = self.history.visible_at(&self.order, &*self.operator, seq);
            assert_eq!(seen, expected, "{what}, reader at {seq}");
        }
    }
}

/// A reader as simple as possible, so that its correctness is evident.
mod reader {
    use super::*;

    pub(super) struct Reader {
        entries: Vec<Entry>,
        order: KeyOrder,
        seq: SeqNo,
    }

    impl Reader {
        pub(super) fn new(
            mut iter: Box<dyn InternalIterator>,
            order: &KeyOrder,
            seq: SeqNo,
        ) -> Reader {
            let mut entries = Vec::new();
            iter.seek_to_first();
            while iter.valid() {
                entries.push((iter.key().to_vec(), iter.value().to_vec()));
                iter.next();
            }
            Reader { entries, order: order.clone(), seq }
        }

        pub(super) fn scan(&mut self, operator: &dyn MergeOperator) -> Vec<Entry> {
            let same =
                |a: &Entry, b: &Entry| self.order.equal_user(user_key_of(&a.0), user_key_of(&b.0));
            let keys = self.entries.chunk_by(same);
            keys.filter_map(|versions| {
                let key = user_key_of(&versions[0].0);
                let mut ctx = crate::iter::GetContext::new(key, Some(operator));
                for (stored, value) in versions {
                    let (_, trailer) = split(stored).unwrap();
                    let kind = ValueType::from_byte(trailer as u8).unwrap();
                    if trailer >> 8 <= self.seq && !ctx.save(trailer >> 8, kind, value, None) {
                        break;
                    }
                }
                Some((key.to_vec(), ctx.finish().unwrap()?.into_vec()))
            })
            .collect()
        }
    }
}

fn random_tree(seed: u64) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut tree = Tree::random(&mut rng);
    tree.check_reads(&format!("seed {seed}, before"));
    for round in 0..8 {
        let what = format!("seed {seed}, round {round}");
        if rng.bool() && !tree.snapshots.is_empty() {
            let released = rng.usize(0..tree.snapshots.len());
            tree.snapshots.remove(released);
        }
        let from = rng.usize(0..tree.runs.len());
        let to = rng.usize(from..tree.runs.len());
        tree.compact(from, to, rng.u8(..4) > 0, &what);
        tree.check_reads(&what);
    }
    // With all entries in one run and no snapshots, only values are left.
    tree.snapshots.clear();
    tree.compact(0, tree.runs.len() - 1, true, "the last");
    let newest = tree.history.visible_at(&tree.order, &*tree.operator, tree.history.last_seq());
    let expected: Vec<Entry> = newest.into_iter().map(|(k, v)| (ikey(&k, 0, Value), v)).collect();
    assert_eq!(tree.runs[0], expected, "seed {seed}");
}

#[test]
fn readers_see_the_same_after_any_compactions() {
    for seed in 0..2000 {
        random_tree(seed);
    }
}

#[test]
#[ignore = "minutes; for changes to compaction_iter"]
fn readers_see_the_same_after_many_more_compactions() {
    for seed in 2000..1_000_000 {
        random_tree(seed);
    }
}

/// Histories that violate the rules of single deletes: the output stays in order, nothing panics,
/// and the iteration ends. The contents that readers then see are not defined, not even by RocksDB.
#[test]
fn lawless_histories_do_no_harm_to_order() {
    for seed in 0..1000 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let order = KeyOrder::bytewise();
        let shape = Shape {
            writes: rng.usize(1..100),
            keys: rng.u32(1..6),
            merges: true,
            single_deletes: true,
            lawless: true,
        };
        let history = History::random(&mut rng, &shape);
        let children = rng.usize(1..4);
        let input = dealt(&mut rng, &order, &history.entries(&order), children);
        let snapshots = (0..rng.usize(0..4)).map(|_| rng.u64(0..100)).collect();
        let bottommost = rng.bool();
        let operator: Arc<dyn MergeOperator> = Arc::new(StringAppendOperator::default());
        let mut iter = CompactionIter::new(
            input,
            order.clone(),
            snapshots,
            rng.bool().then_some(operator),
            bottommost,
            move |_| bottommost,
        )
        .with_enforce_single_del_contracts(false);
        let kept = drain(&mut iter).unwrap();
        check_sorted(&order, &kept, &format!("seed {seed}"));
    }
}

/// Runs the command `compact` of transcripts.
fn compact(command: &Command<'_>) -> String {
    assert_eq!(command.name, "compact");
    command.allow(&[
        "snapshots",
        "bottommost",
        "last-level",
        "merge",
        "filter",
        "check-from",
        "lenient",
    ]);
    let order = KeyOrder::bytewise();
    let (entries, tombstones) = text::parse_all(&command.lines);
    let snapshots = hooks::snapshots(command);
    let operator = hooks::merge_operator(command);
    let (bottommost, last) = (command.has("bottommost"), command.has("last-level"));
    let filter: Option<Arc<dyn CompactionFilter>> =
        command.has("filter").then(|| Arc::new(Obedient { level: 3 }) as _);
    let mut input: Box<dyn InternalIterator> = Box::new(VecIter::new(order.clone(), entries));
    let fragments = Fragments::new(&order, tombstones.iter().map(Owned::as_ref));
    let tombstones = JobTombstones::new(&order, &[Arc::new(fragments)], &snapshots.sequences);
    if let Some(tombstones) = &tombstones {
        input = tombstones.hide(&order, input);
    }
    // It needs them in no order.
    let sequences = snapshots.sequences.iter().rev().copied().collect();
    let mut iter =
        CompactionIter::new(input, order, sequences, operator, bottommost, move |_| last)
            .with_filter(filter, 3)
            .with_check_from(snapshots.check_from)
            .with_enforce_single_del_contracts(!command.has("lenient"));
    let mut out = String::new();
    match drain(&mut iter) {
        Ok(kept) => kept.iter().for_each(|(k, v)| out += &(text::show(k, v) + "\n")),
        Err(e) => out += &format!("error: {e}\n"),
    }
    if let Some(tombstones) = &tombstones {
        let to_write = tombstones.to_write(None, None, |_, _| bottommost || last).take(None);
        for t in to_write.tombstones() {
            out += &(text::show_tombstone(t.begin, t.end, t.seq) + "\n");
        }
    }
    out + &counters(iter.stats(), tombstones.map_or(0, |t| t.num_hidden()))
}

/// The counters that are not zero.
fn counters(stats: &CompactionIterStats, covered: u64) -> String {
    let counters = [
        ("hidden", stats.num_record_drop_hidden),
        ("merged", stats.num_record_merged),
        ("obsolete", stats.num_record_drop_obsolete),
        ("obsolete above the bottom", stats.num_optimized_del_drop_obsolete),
        ("filtered", stats.num_record_drop_user),
        ("covered", covered),
        ("unmet single deletes", stats.num_single_del_fallthru),
        ("mismatched single deletes", stats.num_single_del_mismatch),
    ];
    let shown = counters.iter().filter(|(_, n)| *n > 0).map(|(what, n)| format!("{what} {n}"));
    let shown: Vec<String> = shown.collect();
    let (read, kept) = (stats.num_input_records, stats.num_output_records);
    let rest = if shown.is_empty() { String::new() } else { format!("; {}", shown.join(", ")) };
    format!("{read} read, {kept} kept{rest}\n")
}

#[test]
fn transcripts() {
    check_transcripts("iter/testdata/compaction_iter", || compact);
}

#[test]
fn failures_end_the_walk_with_an_error() {
    struct Failing;
    impl MergeOperator for Failing {
        fn name(&self) -> &str {
            "Failing"
        }
        fn full_merge(&self, _: &[u8], _: Option<&[u8]>, _: &[&[u8]]) -> Option<Vec<u8>> {
            None
        }
    }
    let order = KeyOrder::bytewise();
    let run = |input: Vec<Entry>, operator: Option<Arc<dyn MergeOperator>>| {
        let input = Box::new(VecIter::new(order.clone(), input));
        let mut iter = CompactionIter::new(input, order.clone(), vec![], operator, true, |_| true);
        drain(&mut iter).unwrap_err()
    };
    let operands = vec![(ikey(b"a", 9, Merge), vec![]), (ikey(b"a", 8, Value), vec![])];
    let error = run(operands, Some(Arc::new(Failing)));
    assert_eq!(error.subcode(), crate::error::SubCode::MergeOperatorFailed);
    assert!(run(vec![(b"short".to_vec(), vec![])], None).is_corruption());
    let mut strange = ikey(b"k", 1, Value);
    strange[1] = 0x50;
    assert!(run(vec![(strange.clone(), vec![])], None).is_corruption());
    let below = vec![(ikey(b"k", 9, SingleDeletion), vec![]), (strange, vec![])];
    assert!(run(below, None).is_corruption());
    let blob = vec![(ikey(b"k", 9, ValueType::BlobIndex), vec![])];
    assert_eq!(run(blob, None).code(), Code::NotSupported);
}

/// An input that fails at any entry makes the iteration fail: a compaction must not treat the error
/// as the end.
#[test]
fn an_error_of_the_input_is_never_taken_for_its_end() {
    for seed in 0..100 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let order = KeyOrder::bytewise();
        let shape =
            Shape { writes: 30, keys: 6, merges: true, single_deletes: true, lawless: false };
        let entries = Arc::new(History::random(&mut rng, &shape).entries(&order));
        for fail_on in 0..entries.len() {
            let input = VecIter::shared(order.clone(), entries.clone()).failing_on(fail_on);
            let operator: Arc<dyn MergeOperator> = Arc::new(UInt64AddOperator);
            let snapshots = vec![rng.u64(0..40)];
            let mut iter = CompactionIter::new(
                Box::new(input),
                order.clone(),
                snapshots,
                Some(operator),
                rng.bool(),
                |_| false,
            );
            drain(&mut iter).unwrap_err();
        }
    }
}

#[test]
fn a_cancelled_walk_ends_amid_drops() {
    let input: Vec<Entry> = (1..1000).map(|seq| (ikey(b"k", seq, Value), vec![])).collect();
    let order = KeyOrder::bytewise();
    let cancel = Arc::new(AtomicBool::new(false));
    let input = Box::new(VecIter::new(order.clone(), input));
    let mut iter = CompactionIter::new(input, order.clone(), vec![], None, false, |_| false)
        .with_cancel(cancel.clone());
    iter.seek_to_first();
    assert!(iter.valid());
    cancel.store(true, Ordering::Relaxed);
    iter.next();
    assert_eq!(iter.status().unwrap_err().code(), Code::ShutdownInProgress);
    assert!(iter.stats().num_input_records < 10);
    let empty = Box::new(EmptyIterator::new());
    let mut iter = CompactionIter::new(empty, order, vec![], None, true, |_| true);
    assert_eq!(drain(&mut iter).unwrap(), []);
}
