use super::*;
use crate::base::InternalIterator;
use crate::base::LookupBuffer;
use crate::base::key::{append_internal_key, user_key as user_key_of};
use crate::base::{BytewiseComparator, Comparator, ReverseBytewiseComparator};
use crate::hooks::StringAppendOperator;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A user-defined order that differs from the order of bytes.
struct ByLength;

impl Comparator for ByLength {
    fn name(&self) -> &str {
        "test.ByLength"
    }
    fn compare(&self, a: &[u8], b: &[u8]) -> std::cmp::Ordering {
        a.len().cmp(&b.len()).then_with(|| a.cmp(b))
    }
}

fn table_of(comparator: Arc<dyn Comparator>, options: &ColumnFamilyOptions) -> Arc<MemTable> {
    MemTable::new(1, KeyOrder::new(comparator), options, 0)
}

fn table() -> Arc<MemTable> {
    table_of(Arc::new(BytewiseComparator), &ColumnFamilyOptions::default())
}

fn get(table: &MemTable, key: &[u8], seq: SeqNo) -> Option<Vec<u8>> {
    let operator = StringAppendOperator::default();
    let mut ctx = GetContext::new(key, Some(&operator));
    table.get(&LookupBuffer::new(key, seq).key(), &mut ctx);
    ctx.finish().unwrap().map(|v| v.into_vec())
}

#[test]
fn a_lookup_sees_the_newest_entry_at_its_sequence_number() {
    let t = table();
    assert_eq!(get(&t, b"k", 9), None);
    t.add(1, ValueType::Value, b"k", b"one");
    t.add(3, ValueType::Value, b"k", b"three");
    t.add(5, ValueType::Deletion, b"k", b"");
    t.add(7, ValueType::Value, b"k", b"");
    t.add(2, ValueType::Value, b"kk", b"other");
    assert_eq!(get(&t, b"k", 0), None);
    assert_eq!(get(&t, b"k", 1).unwrap(), b"one");
    assert_eq!(get(&t, b"k", 2).unwrap(), b"one");
    assert_eq!(get(&t, b"k", 4).unwrap(), b"three");
    assert_eq!(get(&t, b"k", 6), None);
    assert_eq!(get(&t, b"k", 7).unwrap(), b"");
    assert_eq!(get(&t, b"kk", 9).unwrap(), b"other");
    assert_eq!(get(&t, b"", 9), None);
    assert_eq!(get(&t, b"kkk", 9), None);
}

#[test]
fn operands_go_on_to_older_entries_and_older_memtables() {
    let t = table();
    t.add(1, ValueType::Value, b"k", b"a");
    t.add(2, ValueType::Merge, b"k", b"b");
    t.add(3, ValueType::Merge, b"k", b"c");
    t.add(4, ValueType::Merge, b"open", b"x");
    assert_eq!(get(&t, b"k", 9).unwrap(), b"a,b,c");
    assert_eq!(get(&t, b"k", 2).unwrap(), b"a,b");
    let operator = StringAppendOperator::default();
    let mut ctx = GetContext::new(b"open", Some(&operator));
    assert!(!t.get(&LookupBuffer::new(b"open", 9).key(), &mut ctx), "the base is still missing");
    let mut ctx = GetContext::new(b"k", Some(&operator));
    assert!(t.get(&LookupBuffer::new(b"k", 9).key(), &mut ctx));
}

#[test]
fn accounting_is_exact() {
    let options = ColumnFamilyOptions { write_buffer_size: 64 << 10, ..Default::default() };
    let t = table_of(Arc::new(BytewiseComparator), &options);
    assert!(t.is_empty() && !t.should_flush());
    assert_eq!((t.first_sequence(), t.earliest_sequence(), t.id()), (0, 0, 1));
    assert!(t.allocated_memory() <= 8 << 10, "an empty memtable costs little");
    let empty = t.approximate_memory_usage();
    t.add(12, ValueType::Value, b"key", b"value");
    t.add(11, ValueType::Deletion, b"key", b"");
    t.add(13, ValueType::SingleDeletion, b"other", b"");
    assert_eq!((t.num_entries(), t.num_deletes()), (3, 2));
    assert_eq!(t.raw_data_size(), (3 + 8 + 5) + (3 + 8) + (5 + 8));
    assert_eq!(t.first_sequence(), 11);
    assert!(!t.is_empty());
    assert!(t.approximate_memory_usage() >= empty + t.raw_data_size() as usize);
    let mut seq = 100;
    while !t.should_flush() {
        t.add(seq, ValueType::Value, &seq.to_be_bytes(), &[0; 100]);
        seq += 1;
    }
    // Only the last chunk may be partly used.
    let used = t.approximate_memory_usage();
    assert!((64 << 10..72 << 10).contains(&used), "{used}");
    assert!(t.allocated_memory() - used <= 8 << 10);
    assert!(t.raw_data_size() as f64 > used as f64 * 0.6, "{} of {used}", t.raw_data_size());
}

#[test]
fn an_immutable_memtable_is_read_as_before() {
    let t = table();
    t.add(1, ValueType::Value, b"k", b"v");
    t.mark_immutable();
    t.mark_immutable();
    assert_eq!(get(&t, b"k", 1).unwrap(), b"v");
}

#[test]
fn the_filter_never_hides_a_key() {
    let options = ColumnFamilyOptions {
        memtable_prefix_bloom_size_ratio: 0.1,
        memtable_whole_key_filtering: true,
        write_buffer_size: 64 << 10,
        ..Default::default()
    };
    let t = table_of(Arc::new(BytewiseComparator), &options);
    assert!(t.approximate_memory_usage() > 6000);
    for i in 0..200u64 {
        t.add(i + 1, ValueType::Value, &i.to_be_bytes(), b"v");
    }
    assert!((0..200u64).all(|i| get(&t, &i.to_be_bytes(), 999).is_some()));
    assert_eq!(get(&t, b"absent", 999), None);
}

/// The expected contents of a memtable: user key and descending trailer to value.
type Model = BTreeMap<(Vec<u8>, Reverse<u64>), Vec<u8>>;

/// A random key. Keys share prefixes of all lengths around eight bytes, and are few enough to get
/// several versions.
fn random_key(random: &mut fastrand::Rng) -> Vec<u8> {
    let mut key = b"commonprefix"[..random.usize(..=12)].to_vec();
    key.extend((0..random.usize(..3)).map(|_| *random.choice(b"\x00a\xff").unwrap()));
    key
}

fn fill(table: &MemTable, random: &mut fastrand::Rng, n: u64) -> Model {
    let mut model = Model::new();
    for seq in 1..=n {
        let key = random_key(random);
        let kind =
            random.choice([ValueType::Value, ValueType::Value, ValueType::Deletion]).unwrap();
        let value = if kind == ValueType::Value { format!("v{seq}").into_bytes() } else { vec![] };
        table.add(seq, kind, &key, &value);
        model.insert((key, Reverse(pack_trailer(seq, kind))), value);
    }
    model
}

#[test]
fn lookups_agree_with_a_model() {
    let (rounds, n) = if cfg!(miri) { (1, 60) } else { (20, 3000) };
    for seed in 0..rounds {
        let mut random = fastrand::Rng::with_seed(seed);
        let t = table();
        let model = fill(&t, &mut random, n);
        for _ in 0..n {
            let key = random_key(&mut random);
            let seq = random.u64(..=n);
            let newest = model
                .range((key.clone(), Reverse(pack_trailer(seq, ValueType::ValuePreferredSeqno)))..)
                .next()
                .filter(|((found, _), _)| *found == key);
            let expected = newest.and_then(|((_, Reverse(trailer)), value)| {
                (*trailer as u8 == ValueType::Value as u8).then(|| value.clone())
            });
            assert_eq!(get(&t, &key, seq), expected, "{key:?} at {seq}, seed {seed}");
        }
    }
}

/// Moves an iterator randomly and compares it with a sorted vector.
fn check_iterator(table: &Arc<MemTable>, order: &KeyOrder, model: &Model, seed: u64, steps: usize) {
    let mut random = fastrand::Rng::with_seed(seed);
    let internal = |key: &[u8], trailer: u64| {
        let mut ikey = Vec::new();
        append_internal_key(&mut ikey, key, trailer);
        ikey
    };
    let mut sorted: Vec<(Vec<u8>, &Vec<u8>)> =
        model.iter().map(|((k, t), v)| (internal(k, t.0), v)).collect();
    sorted.sort_by(|a, b| order.compare(&a.0, &b.0));
    let mut it = table.iter(true);
    assert!(!it.valid());
    let mut at: Option<usize> = None;
    for _ in 0..steps {
        let target = internal(&random_key(&mut random), random.u64(..40_000 << 8));
        let below = sorted.partition_point(|(k, _)| order.compare(k, &target).is_lt());
        let up_to = sorted.partition_point(|(k, _)| order.compare(k, &target).is_le());
        match random.u32(..12) {
            0 => {
                it.seek_to_first();
                at = Some(0);
            }
            1 => {
                it.seek_to_last();
                at = sorted.len().checked_sub(1);
            }
            2 | 3 => {
                it.seek(&target);
                at = Some(below);
            }
            4 => {
                it.seek_for_prev(&target);
                at = up_to.checked_sub(1);
            }
            5 => {
                let (key, _) = random.choice(&sorted).unwrap();
                it.seek_for_prev(key);
                at = sorted.iter().position(|(k, _)| k == key);
            }
            6..9 if it.valid() => {
                it.prev();
                at = at.and_then(|i| i.checked_sub(1));
            }
            _ if it.valid() => {
                it.next();
                at = at.map(|i| i + 1);
            }
            _ => continue,
        }
        let expected = at.and_then(|i| sorted.get(i));
        assert_eq!(it.valid(), expected.is_some());
        if let Some((key, value)) = expected {
            assert_eq!((it.key(), it.value()), (key.as_slice(), value.as_slice()));
        }
        assert!(it.status().is_ok());
    }
}

#[test]
fn iterators_agree_with_a_model_in_every_order() {
    let comparators: [Arc<dyn Comparator>; 3] =
        [Arc::new(BytewiseComparator), Arc::new(ReverseBytewiseComparator), Arc::new(ByLength)];
    let (rounds, n) = if cfg!(miri) { (1, 50) } else { (10, 2000) };
    for comparator in comparators {
        for seed in 0..rounds {
            let t = table_of(comparator.clone(), &ColumnFamilyOptions::default());
            // From one entry to several times the size of the widest node.
            let n = if seed == 0 && !cfg!(miri) { 1 } else { n };
            let model = fill(&t, &mut fastrand::Rng::with_seed(seed), n);
            check_iterator(&t, &KeyOrder::new(comparator.clone()), &model, seed, n as usize + 50);
        }
    }
}

#[test]
fn an_iterator_keeps_its_memtable() {
    let t = table();
    t.add(1, ValueType::Value, b"k", b"v");
    let mut it = t.iter(true);
    drop(t);
    it.seek_to_first();
    assert_eq!(user_key_of(it.key()), b"k");
    let it = std::thread::spawn(move || it).join().unwrap();
    assert_eq!(it.value(), b"v");
}

#[test]
fn long_keys_and_values_are_kept_whole() {
    let t = table();
    let (key, value) = (vec![7u8; 100_000], vec![8u8; 3 << 20]);
    t.add(1, ValueType::Value, &key, &value);
    t.add(2, ValueType::Value, &key[1..], b"");
    assert_eq!(get(&t, &key, 9).unwrap(), value);
    assert_eq!(get(&t, &key[1..], 9).unwrap(), b"");
}

/// Writers insert disjoint keys in random order. Concurrent readers see only ascending keys, and
/// every entry that was published before they read.
#[test]
fn many_writers_and_readers() {
    let (writers, per_writer) = if cfg!(miri) { (2, 30) } else { (8, 5_000) };
    for ascending in [false, true] {
        let t = table();
        let published: Vec<AtomicU64> = (0..writers).map(|_| AtomicU64::new(0)).collect();
        let key_of = |w: u64, i: u64| {
            let mix = if ascending { i } else { i.wrapping_mul(0x9E37_79B9_7F4A_7C15) };
            [mix.to_be_bytes(), w.to_be_bytes()].concat()
        };
        std::thread::scope(|scope| {
            for w in 0..writers {
                let (t, published) = (&t, &published);
                scope.spawn(move || {
                    for i in 0..per_writer {
                        t.add(i + 1, ValueType::Value, &key_of(w, i), &i.to_le_bytes());
                        published[w as usize].store(i + 1, Ordering::Release);
                    }
                });
            }
            for r in 0..2u64 {
                let (t, published) = (&t, &published);
                scope.spawn(move || {
                    let mut random = fastrand::Rng::with_seed(r);
                    let total = || published.iter().map(|p| p.load(Ordering::Acquire)).sum::<u64>();
                    while total() < writers * per_writer {
                        for _ in 0..if cfg!(miri) { 5 } else { 2000 } {
                            let w = random.u64(..writers);
                            let done = published[w as usize].load(Ordering::Acquire);
                            if done > 0 {
                                let i = random.u64(done.saturating_sub(20)..done);
                                let found = get(t, &key_of(w, i), u64::MAX >> 8);
                                assert_eq!(found.unwrap(), i.to_le_bytes());
                            }
                        }
                        let before = total();
                        let mut it = t.iter(true);
                        it.seek_to_first();
                        let (mut seen, mut last) = (0, Vec::new());
                        while it.valid() {
                            assert!(last.as_slice() < it.key());
                            last = it.key().to_vec();
                            seen += 1;
                            it.next();
                        }
                        assert!(seen >= before, "{seen} < {before}");
                    }
                });
            }
        });
        assert_eq!(t.num_entries(), writers * per_writer);
        let mut it = t.iter(true);
        it.seek_to_last();
        let mut seen = 0;
        while it.valid() {
            seen += 1;
            it.prev();
        }
        assert_eq!(seen, writers * per_writer);
    }
}

/// The processor time of the calling thread in ns, which other load on the machine affects less.
fn thread_cpu_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call fills the struct, which outlives it.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// A benchmark: `cargo test --release -p ferrolith --lib memtable::memtable::tests::speed -- --ignored --nocapture`
#[test]
#[ignore = "a measurement, for quiet machines and release builds"]
fn speed() {
    const N: u64 = 500_000;
    let options = ColumnFamilyOptions { write_buffer_size: 128 << 20, ..Default::default() };
    let random_key = |i: u64| {
        let mut key = *b"________________";
        key[..8].copy_from_slice(&i.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes());
        key
    };
    let sequential_key = |i: u64| {
        let mut key = *b"0000000000000000";
        key[..8].copy_from_slice(&i.to_be_bytes());
        key
    };
    let text_key = |i: u64| -> [u8; 16] {
        let n = i.wrapping_mul(0x9E37_79B9_7F4A_7C15) % 1_000_000_000_000;
        format!("user{n:012}").into_bytes().try_into().unwrap()
    };
    type Shape<'a> = (&'a str, &'a (dyn Fn(u64) -> [u8; 16] + Sync));
    let shapes: [Shape<'_>; 3] =
        [("random", &random_key), ("sequential", &sequential_key), ("text", &text_key)];
    for (name, key) in shapes {
        for threads in [1u64, 2] {
            let t = table_of(Arc::new(BytewiseComparator), &options);
            let each = |work: &(dyn Fn(u64) + Sync)| {
                let spent = AtomicU64::new(0);
                std::thread::scope(|scope| {
                    for w in 0..threads {
                        let spent = &spent;
                        scope.spawn(move || {
                            let start = thread_cpu_ns();
                            (w..N).step_by(threads as usize).for_each(work);
                            spent.fetch_add(thread_cpu_ns() - start, Ordering::Relaxed);
                        });
                    }
                });
                spent.into_inner() / N
            };
            let insert = each(&|i| t.add(i + 1, ValueType::Value, &key(i), &[b'v'; 100]));
            let lookup = each(&|i| {
                let key = key((i * 7919) % N);
                let mut ctx = GetContext::new(&key, None);
                assert!(t.get(&LookupBuffer::new(&key, u64::MAX >> 8).key(), &mut ctx));
            });
            // Each lookup waits for the previous one.
            let dependent = each(&|i| {
                thread_local!(static LAST: std::cell::Cell<u64> = const { std::cell::Cell::new(0) });
                let last = LAST.get();
                let key = key((i * 7919 + last) % N);
                let mut ctx = GetContext::new(&key, None);
                t.get(&LookupBuffer::new(&key, u64::MAX >> 8).key(), &mut ctx);
                LAST.set(u64::from(ctx.finish().unwrap().unwrap()[0]) - u64::from(b'v'));
            });
            let mut it = t.iter(true);
            let start = thread_cpu_ns();
            it.seek_to_first();
            let mut n = 0;
            while it.valid() {
                n += it.key().len() as u64 / 24;
                it.next();
            }
            assert_eq!(n, N);
            let scan = (thread_cpu_ns() - start) / N;
            let overhead = (t.approximate_memory_usage() as u64 - t.raw_data_size()) / N;
            println!(
                "{name:10} {threads} threads: CPU ns per entry: insert {insert}, \
                 lookup {lookup}, dependent {dependent}, scan {scan}; {overhead} bytes overhead"
            );
        }
    }
}
