use super::*;
use crate::base::iterator::EmptyIterator;
use crate::base::{MAX_SEQUENCE_NUMBER, ReverseBytewiseComparator};
use crate::hooks::{CompactionFilter, StringAppendOperator, UInt64AddOperator};
use crate::iter::merging_iterator;
use crate::iter::testing::history::{History, Shape, dealt};
use crate::iter::vec_iter::{Entry, VecIter, ikey};
use ValueType::{Deletion, Merge, SingleDeletion, Value};

/// Joins like `stringappend`, and refuses to merge operands without their base.
struct NoPartial(StringAppendOperator);

impl MergeOperator for NoPartial {
    fn name(&self) -> &str {
        "NoPartial"
    }
    fn full_merge(&self, key: &[u8], base: Option<&[u8]>, operands: &[&[u8]]) -> Option<Vec<u8>> {
        self.0.full_merge(key, base, operands)
    }
}

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

/// A tree of runs, newest first, that is compacted at random.
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
            false => Arc::new(NoPartial(StringAppendOperator::default())),
        };
        Tree { order, history, operator, runs, snapshots }
    }

    fn iter_of(&self, runs: &[Vec<Entry>]) -> Box<dyn InternalIterator> {
        let children = runs.iter().map(|run| {
            Box::new(VecIter::new(self.order.clone(), run.clone())) as Box<dyn InternalIterator>
        });
        merging_iterator(self.order.clone(), children.collect())
    }

    /// Replaces the runs `from..=to` by what a compaction keeps of them; one without the operator keeps operands.
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

    /// Every snapshot and the newest reader see what the history says.
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

/// A reader as simple as can be, to be sure of it.
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
    // With everything in one run and nobody looking back, only values are left.
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

/// Histories that break the rules of single deletes: no order breaks, nothing panics, and the walk
/// ends. What readers see then is not promised, not even by RocksDB.
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

/// One compaction, told as `(key, seq, type, value)`.
struct Case {
    input: Vec<Entry>,
    snapshots: Vec<SeqNo>,
    bottommost: bool,
    last_level: bool,
    enforce: bool,
    check_from: SeqNo,
}

type Told<'a> = (&'a str, SeqNo, ValueType, &'a str);

fn case(input: &[Told<'_>]) -> Case {
    let input =
        input.iter().map(|(k, s, t, v)| (ikey(k.as_bytes(), *s, *t), v.as_bytes().to_vec()));
    Case {
        input: input.collect(),
        snapshots: Vec::new(),
        bottommost: false,
        last_level: false,
        enforce: true,
        check_from: MAX_SEQUENCE_NUMBER,
    }
}

impl Case {
    fn snapshots(mut self, snapshots: &[SeqNo]) -> Case {
        self.snapshots = snapshots.to_vec();
        self
    }
    fn bottommost(mut self) -> Case {
        self.bottommost = true;
        self
    }
    fn last_level(mut self) -> Case {
        self.last_level = true;
        self
    }
    fn checked_from(mut self, seq: SeqNo) -> Case {
        self.check_from = seq;
        self
    }
    fn lenient(mut self) -> Case {
        self.enforce = false;
        self
    }
    fn run(self) -> (Result<Vec<Entry>>, CompactionIterStats) {
        let last = self.last_level;
        let operator: Arc<dyn MergeOperator> = Arc::new(StringAppendOperator::default());
        let order = KeyOrder::bytewise();
        let input = Box::new(VecIter::new(order.clone(), self.input));
        let mut iter = CompactionIter::new(
            input,
            order,
            self.snapshots,
            Some(operator),
            self.bottommost,
            move |_| last,
        )
        .with_enforce_single_del_contracts(self.enforce)
        .with_check_from(self.check_from);
        let kept = drain(&mut iter);
        (kept, *iter.stats())
    }
    #[track_caller]
    fn keeps(self, expected: &[Told<'_>]) -> CompactionIterStats {
        let (kept, stats) = self.run();
        assert_eq!(kept.unwrap(), case(expected).input);
        stats
    }
}

#[test]
fn hidden_versions_go_and_visible_ones_stay() {
    let input = [("a", 9, Value, "9"), ("a", 7, Value, "7"), ("a", 5, Value, "5")];
    case(&input).keeps(&input[..1]);
    case(&input).snapshots(&[7]).keeps(&input[..2]);
    case(&input).snapshots(&[8]).keeps(&input[..2]);
    case(&input).snapshots(&[5, 7]).keeps(&input);
    case(&input).snapshots(&[6, 5]).keeps(&[input[0], input[2]]);
    let zeroed = [("a", 9, Value, "9"), ("a", 0, Value, "7")];
    case(&input).snapshots(&[7]).bottommost().keeps(&zeroed);
    case(&input).bottommost().keeps(&[("a", 0, Value, "9")]);
}

#[test]
fn what_transactions_ask_about_leaves_a_trace() {
    let pair = [("a", 9, SingleDeletion, ""), ("a", 7, Value, "7")];
    let cleared = [pair[0], ("a", 7, Value, "")];
    for from in [5, 6] {
        case(&pair).snapshots(&[from]).checked_from(from).keeps(&cleared);
        case(&pair).snapshots(&[from]).checked_from(from).bottommost().keeps(&cleared);
        // A reader alone is no reason, nor a transaction that began later.
        case(&pair).snapshots(&[from]).keeps(&[]);
        case(&pair).snapshots(&[from, 9]).checked_from(9).keeps(&[]);
    }
    // What was cleared goes with its single delete once nobody asks.
    case(&cleared).keeps(&[]);
    // The newest entry is trace enough.
    let newer = [("a", 11, Value, "11"), pair[0], pair[1]];
    case(&newer).snapshots(&[5]).checked_from(5).keeps(&newer[..1]);
    // The next key is not cleared.
    let two = [pair[0], pair[1], ("b", 8, Value, "8")];
    let kept = [cleared[0], cleared[1], two[2]];
    case(&two).snapshots(&[5]).checked_from(5).keeps(&kept);

    let deleted = [("a", 9, Deletion, ""), ("a", 7, Value, "7"), ("b", 8, SingleDeletion, "")];
    let traces = [deleted[0], deleted[2]];
    case(&deleted).snapshots(&[5]).checked_from(5).bottommost().keeps(&traces);
    case(&deleted).snapshots(&[5]).checked_from(5).last_level().keeps(&traces);
    case(&deleted).snapshots(&[5]).bottommost().keeps(&[]);
    case(&deleted).snapshots(&[9]).checked_from(9).bottommost().keeps(&[]);
}

#[test]
fn tombstones_stay_while_they_hide_something() {
    let input = [("a", 9, Deletion, ""), ("a", 7, Value, "7"), ("b", 3, Deletion, "")];
    case(&input).keeps(&[input[0], input[2]]);
    assert_eq!(case(&input).last_level().keeps(&[]).num_optimized_del_drop_obsolete, 2);
    assert_eq!(case(&input).bottommost().keeps(&[]).num_record_drop_obsolete, 2);
    let old = ("a", 0, Value, "7");
    case(&input).snapshots(&[7]).bottommost().keeps(&[input[0], old]);
    // Nothing is below the tombstone of `b`, whoever looks.
    case(&input).snapshots(&[1]).bottommost().keeps(&[]);
}

#[test]
fn a_single_delete_and_its_put_cancel_within_a_stripe() {
    let input = [("a", 9, SingleDeletion, ""), ("a", 7, Value, "7")];
    let stats = case(&input).keeps(&[]);
    assert_eq!((stats.num_record_drop_hidden, stats.num_record_drop_obsolete), (1, 1));
    case(&input).snapshots(&[8]).keeps(&input);
    case(&input).snapshots(&[9]).keeps(&[]);
    case(&input).snapshots(&[6]).keeps(&[]);
    // An older pair below a newer put, and a single delete whose put is deeper.
    let input = [("a", 10, Value, "10"), ("a", 9, SingleDeletion, ""), ("a", 7, Value, "7")];
    case(&input).keeps(&input[..1]);
    case(&input[..2]).keeps(&input[..2]);
    let stats = case(&input[..2]).bottommost().keeps(&[("a", 0, Value, "10")]);
    assert_eq!(stats.num_single_del_fallthru, 1);
    // Put, single delete, put, single delete: the deeper put stays hidden.
    let input = [
        ("a", 9, SingleDeletion, ""),
        ("a", 8, Value, "8"),
        ("a", 7, SingleDeletion, ""),
        ("b", 1, Value, "b"),
    ];
    case(&input).keeps(&input[2..]);
}

#[test]
fn mismatches_of_single_deletes_are_counted() {
    let twice = [("a", 9, SingleDeletion, ""), ("a", 8, SingleDeletion, "")];
    assert_eq!(case(&twice).keeps(&twice[1..]).num_single_del_mismatch, 1);
    let mixed = [("a", 9, SingleDeletion, ""), ("a", 8, Deletion, ""), ("a", 7, Value, "7")];
    let (result, stats) = case(&mixed).run();
    assert!(result.unwrap_err().is_corruption());
    assert_eq!(stats.num_single_del_mismatch, 1);
    assert_eq!(case(&mixed).lenient().keeps(&mixed[1..2]).num_single_del_mismatch, 1);
    let merged = [("a", 9, SingleDeletion, ""), ("a", 8, Merge, "8"), ("a", 7, Value, "7")];
    assert_eq!(case(&merged).keeps(&merged[..1]).num_single_del_mismatch, 1);
    // The tombstone below a cancelled pair hides a deeper put.
    let below = [("a", 9, SingleDeletion, ""), ("a", 8, Value, "8"), ("a", 7, Deletion, "")];
    case(&below).keeps(&below[2..]);
    // Unless a put above the pair hides it too.
    let above = [("a", 10, Value, "10"), below[0], below[1], below[2]];
    case(&above).keeps(&above[..1]);
}

#[test]
fn operands_fold_as_far_as_their_stripe() {
    let input = [("a", 9, Merge, "9"), ("a", 8, Merge, "8"), ("a", 5, Value, "5")];
    case(&input).keeps(&[("a", 9, Value, "5,8,9")]);
    case(&input).bottommost().keeps(&[("a", 0, Value, "5,8,9")]);
    let parts = [("a", 9, Merge, "8,9"), ("a", 5, Value, "5")];
    case(&input).snapshots(&[6]).keeps(&parts);
    case(&input).snapshots(&[8]).keeps(&[("a", 9, Merge, "9"), ("a", 8, Value, "5,8")]);
    case(&input[..2]).keeps(&[("a", 9, Merge, "8,9")]);
    case(&input[..2]).last_level().keeps(&[("a", 9, Value, "8,9")]);
    let deleted = [("a", 9, Merge, "9"), ("a", 8, Deletion, ""), ("a", 5, Value, "5")];
    case(&deleted).keeps(&[("a", 9, Value, "9")]);
    case(&deleted).snapshots(&[8]).bottommost().keeps(&[("a", 9, Merge, "9")]);
}

#[test]
fn operands_stay_where_the_operator_cannot_join_them() {
    let input = case(&[("a", 9, Merge, "9"), ("a", 8, Merge, "8"), ("b", 5, Value, "5")]).input;
    let operator: Arc<dyn MergeOperator> = Arc::new(NoPartial(StringAppendOperator::default()));
    let order = KeyOrder::bytewise();
    let iter = Box::new(VecIter::new(order.clone(), input.clone()));
    let mut iter = CompactionIter::new(iter, order, vec![], Some(operator), false, |_| false);
    assert_eq!(drain(&mut iter).unwrap(), input);
    assert_eq!(iter.stats().num_output_records, 3);
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
    let operands = case(&[("a", 9, Merge, "9"), ("a", 8, Value, "8")]).input;
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

#[test]
fn operands_stay_without_their_operator_and_hide_nothing() {
    let input = [
        ("a", 9, Merge, "9"),
        ("a", 8, Merge, "8"),
        ("a", 7, Value, "7"),
        ("a", 6, Merge, "6"),
        ("b", 5, Merge, "5"),
        ("b", 4, Deletion, ""),
        ("b", 3, Value, "3"),
        ("c", 2, Merge, "2"),
    ];
    let order = KeyOrder::bytewise();
    let input = Box::new(VecIter::new(order.clone(), case(&input).input));
    let mut iter = CompactionIter::new(input, order, vec![], None, true, |_| true);
    let kept = [
        ("a", 9, Merge, "9"),
        ("a", 8, Merge, "8"),
        ("a", 0, Value, "7"),
        ("b", 5, Merge, "5"),
        ("c", 2, Merge, "2"),
    ];
    assert_eq!(drain(&mut iter).unwrap(), case(&kept).input);
}

/// An input that fails at any entry makes the walk fail: a compaction must not take it for the end.
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

/// Does what the value says: `drop`, `change`, `skip:KEY`; else keeps it.
struct Obedient;

impl CompactionFilter for Obedient {
    fn name(&self) -> &str {
        "Obedient"
    }
    fn filter(&self, level: usize, _key: &[u8], value: &[u8]) -> FilterDecision {
        assert_eq!(level, 3);
        match value {
            b"drop" => FilterDecision::Remove,
            b"change" => FilterDecision::ChangeValue(b"changed".to_vec()),
            _ => value.strip_prefix(b"skip:").map_or(FilterDecision::Keep, |key| {
                FilterDecision::RemoveAndSkipUntil(key.to_vec())
            }),
        }
    }
    fn filter_merge_operand(&self, level: usize, key: &[u8], operand: &[u8]) -> FilterDecision {
        self.filter(level, key, operand)
    }
}

fn filtered(input: &[Entry], snapshots: &[SeqNo], bottommost: bool) -> Vec<Entry> {
    let order = KeyOrder::bytewise();
    let operator: Arc<dyn MergeOperator> = Arc::new(NoPartial(StringAppendOperator::default()));
    let input = Box::new(VecIter::new(order.clone(), input.to_vec()));
    let mut iter = CompactionIter::new(
        input,
        order,
        snapshots.to_vec(),
        Some(operator),
        bottommost,
        move |_| bottommost,
    )
    .with_filter(Some(Arc::new(Obedient)), 3);
    drain(&mut iter).unwrap()
}

fn entry(key: &[u8], seq: SeqNo, kind: ValueType, value: &[u8]) -> Entry {
    (ikey(key, seq, kind), value.to_vec())
}

#[test]
fn a_removed_value_becomes_a_tombstone_until_the_last_level() {
    let input = [
        entry(b"a", 5, Value, b"drop"),
        entry(b"a", 2, Value, b"old"),
        entry(b"b", 6, Value, b"change"),
        entry(b"c", 7, Value, b"kept"),
    ];
    let above = [
        entry(b"a", 5, Deletion, b""),
        entry(b"b", 6, Value, b"changed"),
        entry(b"c", 7, Value, b"kept"),
    ];
    assert_eq!(filtered(&input, &[], false), above);
    let last = [entry(b"b", 0, Value, b"changed"), entry(b"c", 0, Value, b"kept")];
    assert_eq!(filtered(&input, &[], true), last);
    // Snapshots do not save the newest version, but the older one stays, and so the tombstone.
    let with_snapshot = [
        entry(b"a", 5, Deletion, b""),
        entry(b"a", 0, Value, b"old"),
        entry(b"b", 6, Value, b"changed"),
        entry(b"c", 7, Value, b"kept"),
    ];
    assert_eq!(filtered(&input, &[3], true), with_snapshot);
}

#[test]
fn only_the_newest_version_is_filtered() {
    let input = [
        entry(b"a", 9, Value, b"new"),
        entry(b"a", 4, Value, b"drop"),
        entry(b"b", 8, Deletion, b""),
        entry(b"b", 3, Value, b"drop"),
    ];
    let kept = [
        entry(b"a", 9, Value, b"new"),
        entry(b"a", 0, Value, b"drop"),
        entry(b"b", 8, Deletion, b""),
        entry(b"b", 0, Value, b"drop"),
    ];
    assert_eq!(filtered(&input, &[5], true), kept);
}

#[test]
fn operands_are_filtered_one_by_one() {
    let input = [
        entry(b"a", 9, Merge, b"drop"),
        entry(b"a", 8, Merge, b"x"),
        entry(b"a", 7, Merge, b"change"),
        entry(b"a", 6, Value, b"drop"),
        // All of its operands go: then the value below is the newest of its key.
        entry(b"b", 5, Merge, b"drop"),
        entry(b"b", 4, Value, b"change"),
        entry(b"c", 3, Merge, b"drop"),
    ];
    // A base below operands is not looked at.
    let folded = [entry(b"a", 8, Value, b"drop,changed,x"), entry(b"b", 4, Value, b"changed")];
    assert_eq!(filtered(&input, &[], false), folded);
    // Operands that a snapshot sees are left alone.
    let kept = [entry(b"c", 3, Merge, b"drop")];
    assert_eq!(filtered(&input[6..], &[3], false), kept);
    // Those that cannot be folded stay on their own.
    let input =
        [entry(b"d", 5, Merge, b"drop"), entry(b"d", 4, Merge, b"1"), entry(b"d", 3, Merge, b"2")];
    let rest = [entry(b"d", 4, Merge, b"1"), entry(b"d", 3, Merge, b"2")];
    assert_eq!(filtered(&input, &[], false), rest);
}

#[test]
fn a_skip_goes_ahead_and_never_back() {
    let input = [
        entry(b"a", 5, Value, b"skip:c"),
        entry(b"a", 4, Value, b"old"),
        entry(b"b", 6, Value, b"unseen"),
        entry(b"c", 7, Value, b"skip:b"),
        entry(b"d", 8, Merge, b"skip:f"),
        entry(b"d", 2, Value, b"base"),
        entry(b"e", 9, Value, b"unseen"),
    ];
    assert_eq!(filtered(&input, &[], false), [entry(b"c", 7, Value, b"skip:b")]);
}
