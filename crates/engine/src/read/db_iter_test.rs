use super::*;
use crate::base::{BytewiseComparator, Comparator, ReverseBytewiseComparator};
use crate::hooks::{CappedPrefixTransform, FixedPrefixTransform, StringAppendOperator};
use crate::iter::testing::history::{History, Shape, Write, dealt};
use crate::iter::vec_iter::{Entry, VecIter, ikey};
use crate::iter::{MergingIterator, merging_iterator};
use crate::version::Source;
use std::cmp::Ordering;

/// Bytewise order under another name, so that `KeyOrder` uses the slow path.
struct Unknown;

impl Comparator for Unknown {
    fn name(&self) -> &str {
        "test.Unknown"
    }
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        BytewiseComparator.compare(a, b)
    }
}

fn orders() -> [KeyOrder; 3] {
    [
        KeyOrder::bytewise(),
        KeyOrder::new(Arc::new(ReverseBytewiseComparator)),
        KeyOrder::new(Arc::new(Unknown)),
    ]
}

fn operator() -> Option<Arc<dyn MergeOperator>> {
    Some(Arc::new(StringAppendOperator::default()))
}

fn only(order: &KeyOrder, inner: Box<dyn InternalIterator>) -> MergingIterator<Source> {
    MergingIterator::new(order.clone(), vec![Source::Other(inner)])
}

fn db_iter(inner: Box<dyn InternalIterator>, seq: SeqNo, options: &ReadOptions) -> DbIter {
    DbIter::new(
        only(&KeyOrder::bytewise(), inner),
        KeyOrder::bytewise(),
        seq,
        operator(),
        options,
        None,
        Arc::new(()),
    )
}

/// The model of the iterator: a position in the sorted list of visible keys within bounds.
struct Model {
    order: KeyOrder,
    entries: Vec<Entry>,
    extractor: Option<Arc<dyn SliceTransform>>,
    /// `Some(None)` after a start key outside the extractor's domain, whose prefix no key has.
    prefix: Option<Option<Vec<u8>>>,
    at: Option<usize>,
}

impl Model {
    fn prefix_of(&self, key: &[u8]) -> Option<Option<Vec<u8>>> {
        let extractor = self.extractor.as_ref()?;
        Some(extractor.in_domain(key).then(|| extractor.transform(key).to_vec()))
    }
    fn go(&mut self, at: Option<usize>) {
        self.at = at.filter(|&i| i < self.entries.len()).filter(|&i| {
            let same = || self.prefix == self.prefix_of(&self.entries[i].0);
            self.prefix.as_ref().is_none_or(|prefix| prefix.is_some() && same())
        });
    }
    fn seek_to_end(&mut self, at: Option<usize>) {
        self.prefix = None;
        self.go(at);
        self.prefix = self.at.and_then(|i| self.prefix_of(&self.entries[i].0));
    }
    fn seek(&mut self, target: &[u8]) {
        self.prefix = self.prefix_of(target);
        let order = &self.order;
        let at = self.entries.partition_point(|e| order.compare_user(&e.0, target).is_lt());
        self.go(Some(at));
    }
    fn seek_for_prev(&mut self, target: &[u8]) {
        self.prefix = self.prefix_of(target);
        let order = &self.order;
        let after = self.entries.partition_point(|e| order.compare_user(&e.0, target).is_le());
        self.go(after.checked_sub(1));
    }
    fn next(&mut self) {
        self.go(self.at.map(|i| i + 1));
    }
    fn prev(&mut self) {
        self.go(self.at.and_then(|i| i.checked_sub(1)));
    }
}

fn assert_same(iter: &DbIter, model: &Model, what: &str) {
    iter.status().unwrap_or_else(|e| panic!("{what}: {e}"));
    let seen = iter.valid().then(|| (iter.key(), iter.value()));
    let expected = model.at.map(|i| (&model.entries[i].0[..], &model.entries[i].1[..]));
    assert_eq!(seen, expected, "{what}");
}

fn random_walk(seed: u64) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let order = orders()[rng.usize(0..3)].clone();
    let most = [10, 60, 250][rng.usize(0..3)];
    let shape = Shape {
        writes: rng.usize(0..most),
        keys: rng.u32(1..40),
        merges: rng.bool(),
        single_deletes: true,
        lawless: true,
    };
    let history = History::random(&mut rng, &shape);
    let entries = history.entries(&order);
    let seq = if rng.bool() { history.last_seq() } else { rng.u64(0..=history.last_seq()) };
    let some_key = |rng: &mut fastrand::Rng| match rng.choice(&history.writes) {
        Some(write) if rng.bool() => write.key.clone(),
        Some(write) => [&write.key[..rng.usize(0..=write.key.len())], &[rng.u8(40..120)]].concat(),
        None => vec![rng.u8(..)],
    };
    let mut options = ReadOptions::default();
    if rng.u8(0..3) == 0 {
        options.iterate_lower_bound = Some(some_key(&mut rng));
    }
    if rng.u8(0..3) == 0 {
        options.iterate_upper_bound = Some(some_key(&mut rng));
    }
    let extractor: Option<Arc<dyn SliceTransform>> = match rng.u8(0..6) {
        0 => Some(Arc::new(FixedPrefixTransform::new(rng.usize(0..4)))),
        1 => Some(Arc::new(CappedPrefixTransform::new(rng.usize(0..26)))),
        _ => None,
    };
    options.prefix_same_as_start = extractor.is_some();
    let mut visible = history.visible_at(&order, &StringAppendOperator::default(), seq);
    visible.retain(|(key, _)| {
        let low = options.iterate_lower_bound.as_ref();
        let high = options.iterate_upper_bound.as_ref();
        low.is_none_or(|low| order.compare_user(key, low).is_ge())
            && high.is_none_or(|high| order.compare_user(key, high).is_lt())
    });
    let children = rng.usize(1..6);
    let inner = dealt(&mut rng, &order, &entries, children);
    let mut iter = DbIter::new(
        only(&order, inner),
        order.clone(),
        seq,
        operator(),
        &options,
        extractor.clone(),
        Arc::new(()),
    )
    .with_max_sequential_skip(rng.choice([0, 1, 2, 8, 1000]).unwrap());
    let mut model = Model { order, entries: visible, extractor, prefix: None, at: None };
    for step in 0..80 {
        let what = format!("seed {seed}, step {step}");
        match rng.u8(0..16) {
            0 => {
                iter.seek_to_first();
                model.seek_to_end(Some(0));
            }
            1 => {
                iter.seek_to_last();
                model.seek_to_end(model.entries.len().checked_sub(1));
            }
            2 => {
                let target = some_key(&mut rng);
                iter.seek(&target);
                model.seek(&target);
            }
            3 => {
                let target = some_key(&mut rng);
                iter.seek_for_prev(&target);
                model.seek_for_prev(&target);
            }
            4..10 => {
                iter.next();
                model.next();
            }
            _ => {
                iter.prev();
                model.prev();
            }
        }
        assert_same(&iter, &model, &what);
    }
}

#[test]
fn random_walks_agree_with_the_model() {
    for seed in 0..2500 {
        random_walk(seed);
    }
}

#[test]
#[ignore = "minutes; for changes to db_iter or merging"]
fn many_more_random_walks_agree_with_the_model() {
    for seed in 2500..1_000_000 {
        random_walk(seed);
    }
}

fn scan(iter: &mut DbIter) -> Vec<String> {
    let mut seen = Vec::new();
    while iter.valid() {
        let text = |b: &[u8]| String::from_utf8(b.to_vec()).unwrap();
        seen.push(format!("{}={}", text(iter.key()), text(iter.value())));
        iter.next();
    }
    seen
}

/// Whichever entry is unreadable: everything shown before it is right, and the error is reported.
#[test]
fn an_error_is_never_shown_as_an_end_or_a_wrong_value() {
    for seed in 0..300 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let order = KeyOrder::bytewise();
        let shape =
            Shape { writes: 30, keys: 8, merges: true, single_deletes: false, lawless: false };
        let history = History::random(&mut rng, &shape);
        let visible =
            history.visible_at(&order, &StringAppendOperator::default(), history.last_seq());
        let entries = Arc::new(history.entries(&order));
        for fail_on in 0..entries.len() {
            let inner = VecIter::shared(order.clone(), entries.clone()).failing_on(fail_on);
            let mut iter = db_iter(Box::new(inner), history.last_seq(), &ReadOptions::default())
                .with_max_sequential_skip(rng.u64(0..10));
            for forward in [true, false] {
                if forward {
                    iter.seek_to_first()
                } else {
                    iter.seek_to_last()
                }
                let mut expected: Box<dyn Iterator<Item = &Entry>> = match forward {
                    true => Box::new(visible.iter()),
                    false => Box::new(visible.iter().rev()),
                };
                while iter.valid() {
                    let (key, value) = expected.next().expect("no more than there is");
                    assert_eq!((iter.key(), iter.value()), (&key[..], &value[..]), "seed {seed}");
                    if forward { iter.next() } else { iter.prev() }
                }
                // A seek may have skipped the bad entry; then the scan must be complete.
                assert!(iter.status().is_err() || expected.next().is_none(), "seed {seed}");
            }
        }
    }
}

#[test]
fn a_stored_key_that_is_no_internal_key_is_corruption() {
    let short = (b"short".to_vec(), Vec::new());
    let mut strange = ikey(b"k", 1, ValueType::Value);
    strange[1] = 0x50;
    for (bad, message) in [(short, "at least 8 bytes"), ((strange, Vec::new()), "value type 80")] {
        // Three children, so that the bad key is compared with others.
        let children = (0..3).map(|_| {
            let inner = VecIter::new(KeyOrder::bytewise(), vec![bad.clone()]);
            Box::new(inner) as Box<dyn InternalIterator>
        });
        let inner = merging_iterator(KeyOrder::bytewise(), children.collect());
        let mut iter = db_iter(inner, 100, &ReadOptions::default());
        for seek in [DbIter::seek_to_first, DbIter::seek_to_last] {
            seek(&mut iter);
            assert!(!iter.valid());
            let error = iter.status().unwrap_err();
            assert!(error.is_corruption() && error.to_string().contains(message), "{error}");
        }
    }
}

#[test]
fn entries_of_other_engines_features_are_named() {
    let entry = (ikey(b"k", 1, ValueType::WideColumnEntity), Vec::new());
    let inner = VecIter::new(KeyOrder::bytewise(), vec![entry]);
    let mut iter = db_iter(Box::new(inner), 100, &ReadOptions::default());
    for seek in [DbIter::seek_to_first, DbIter::seek_to_last] {
        seek(&mut iter);
        let error = iter.status().unwrap_err().to_string();
        assert!(error.starts_with("Not implemented:") && error.contains("WideColumnEntity"));
    }
}

#[test]
fn operands_without_an_operator_are_an_error_both_ways() {
    let entry = (ikey(b"k", 1, ValueType::Merge), b"x".to_vec());
    let inner = Box::new(VecIter::new(KeyOrder::bytewise(), vec![entry]));
    let options = ReadOptions::default();
    let order = KeyOrder::bytewise();
    let mut iter = DbIter::new(only(&order, inner), order, 100, None, &options, None, Arc::new(()));
    for seek in [DbIter::seek_to_first, DbIter::seek_to_last] {
        seek(&mut iter);
        assert!(!iter.valid());
        assert_eq!(iter.status().unwrap_err().code(), Code::InvalidArgument);
    }
}

/// `max_skippable_internal_keys = n`: n tombstones between two keys pass, n + 1 do not.
#[test]
fn too_many_hidden_entries_are_incomplete() {
    for (tombstones, limit, complete) in [(2, 2, true), (3, 2, false), (3, 0, true)] {
        let mut history = History::default();
        let mut write = |kind, key: String| {
            history.writes.push(Write { kind, key: key.into_bytes(), value: b"v".to_vec() });
        };
        write(ValueType::Value, "a".into());
        (0..tombstones).for_each(|i| write(ValueType::Deletion, format!("b{i}")));
        write(ValueType::Value, "c".into());
        let inner = VecIter::new(KeyOrder::bytewise(), history.entries(&KeyOrder::bytewise()));
        let options = ReadOptions { max_skippable_internal_keys: limit, ..ReadOptions::default() };
        let mut iter = db_iter(Box::new(inner), 100, &options);
        type Move = fn(&mut DbIter);
        let walks: [(Move, Move); 2] =
            [(DbIter::seek_to_first, DbIter::next), (DbIter::seek_to_last, DbIter::prev)];
        for (seek, step) in walks {
            seek(&mut iter);
            assert!(iter.valid());
            step(&mut iter);
            assert_eq!(iter.valid(), complete, "{tombstones} tombstones, limit {limit}");
            let code = iter.status().err().map(|e| e.code());
            assert_eq!(code, (!complete).then_some(Code::Incomplete));
        }
    }
}

/// A key with many entries costs a seek, not a scan over them.
#[test]
fn long_runs_of_hidden_entries_are_left_by_a_seek() {
    struct Counted(VecIter, Arc<std::sync::atomic::AtomicUsize>);
    impl Counted {
        fn count(&self) {
            self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
    }
    impl InternalIterator for Counted {
        fn valid(&self) -> bool {
            self.0.valid()
        }
        fn seek_to_first(&mut self) {
            self.0.seek_to_first();
        }
        fn seek_to_last(&mut self) {
            self.0.seek_to_last();
        }
        fn seek(&mut self, target: &[u8]) {
            self.count();
            self.0.seek(target);
        }
        fn seek_for_prev(&mut self, target: &[u8]) {
            self.count();
            self.0.seek_for_prev(target);
        }
        fn next(&mut self) {
            self.count();
            self.0.next();
        }
        fn prev(&mut self) {
            self.count();
            self.0.prev();
        }
        fn key(&self) -> &[u8] {
            self.0.key()
        }
        fn value(&self) -> &[u8] {
            self.0.value()
        }
        fn status(&self) -> Result<()> {
            self.0.status()
        }
    }
    let mut history = History::default();
    for key in ["a", "b", "c"] {
        for i in 0..1000 {
            let value = format!("{i}").into_bytes();
            history.writes.push(Write { kind: ValueType::Value, key: key.into(), value });
        }
    }
    // Too new, and shadowed.
    for (seq, last) in [(3000, "999"), (2500, "499"), (2001, "0")] {
        let moves = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let entries = history.entries(&KeyOrder::bytewise());
        let inner = Counted(VecIter::new(KeyOrder::bytewise(), entries), moves.clone());
        let mut iter = db_iter(Box::new(inner), seq, &ReadOptions::default());
        iter.seek_to_first();
        assert_eq!(scan(&mut iter), ["a=999", "b=999", &format!("c={last}")]);
        iter.seek_to_last();
        let mut back = 0;
        while iter.valid() {
            back += 1;
            iter.prev();
        }
        assert_eq!(back, 3);
        let moves = moves.load(std::sync::atomic::Ordering::Relaxed);
        assert!(moves < 120, "{moves} moves");
    }
}

#[test]
fn an_iterator_may_move_between_threads() {
    fn assert_send<T: Send>() {}
    assert_send::<DbIter>();
}

#[test]
fn moves_of_an_iterator_that_is_not_valid_do_nothing() {
    let mut iter =
        db_iter(Box::new(crate::base::iterator::EmptyIterator::new()), 1, &ReadOptions::default());
    iter.next();
    iter.prev();
    assert!(!iter.valid() && iter.key().is_empty() && iter.value().is_empty());
    iter.seek(b"k");
    assert!(!iter.valid() && iter.status().is_ok());
}
