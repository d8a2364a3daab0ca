use super::super::test_util::*;
use super::*;
use crate::base::key::{ParsedInternalKey, trailer};
use crate::base::{
    Comparator, InternalIterator, KeyOrder, LookupBuffer, MAX_SEQUENCE_NUMBER,
    ReverseBytewiseComparator, SeqNo, ValueType,
};
use crate::options::PlainTableEncoding;
use crate::sst::properties::EXTERNAL_VERSION;
use std::collections::BTreeMap;
use std::sync::atomic;

fn all_entries(table: &PlainTable) -> Vec<Entry> {
    let ro = TableIterOptions { total_order: true, ..TableIterOptions::default() };
    let mut iter = table.iter(&ro);
    let mut out = Vec::new();
    iter.seek_to_first();
    while iter.valid() {
        out.push((iter.key().to_vec(), iter.value().to_vec()));
        iter.next();
    }
    iter.status().unwrap();
    out
}

fn get(table: &PlainTable, key: &[u8], seq: SeqNo) -> Result<Option<Vec<u8>>> {
    let lookup = LookupBuffer::new(key, seq);
    let lookup = lookup.key();
    let mut ctx = GetContext::new(key, None);
    table.get(&lookup, &ReadOptions::default(), &mut ctx)?;
    Ok(ctx.finish()?.map(PinnedValue::into_vec))
}

#[test]
fn real_files_are_read() {
    for i in 0..6 {
        let (name, opts) = vector_options(i);
        for mapped in [true, false] {
            let table =
                open(vector(i).to_vec(), &KeyOrder::bytewise(), name, opts, mapped).unwrap();
            let entries = all_entries(&table);
            assert_eq!(entries.len() as u64, table.properties().num_entries, "vector {i}");
            let raw: usize = entries.iter().map(|(k, _)| k.len()).sum();
            assert_eq!(raw as u64, table.properties().raw_key_size);
            for (key, value) in &entries {
                let key = ParsedInternalKey::parse(key).unwrap();
                let expected = (key.value_type == ValueType::Value).then(|| value.clone());
                assert_eq!(get(&table, key.user_key, MAX_SEQUENCE_NUMBER).unwrap(), expected);
                let absent = [key.user_key, b"!"].concat();
                assert_eq!(get(&table, &absent, MAX_SEQUENCE_NUMBER).unwrap(), None);
            }
            table.verify_rows().unwrap();
        }
    }
}

#[test]
fn real_files_are_read_with_any_extractor_and_options() {
    for i in 0..6 {
        let opts = vector_options(i).1;
        let table = open(vector(i).to_vec(), &KeyOrder::bytewise(), "", opts, true).unwrap();
        let expected = all_entries(&table);
        for name in ["", "fixed:2", "fixed:8", "fixed:20", "capped:9", "noop", "reverse-first"] {
            for full_scan_mode in [false, true] {
                let opts =
                    PlainTableOptions { full_scan_mode, index_sparseness: 2, ..Default::default() };
                let table =
                    open(vector(i).to_vec(), &KeyOrder::bytewise(), name, opts, true).unwrap();
                assert_eq!(all_entries(&table), expected);
                for (key, value) in &expected {
                    let found = get(&table, user_key(key), MAX_SEQUENCE_NUMBER).unwrap();
                    assert_eq!(found.as_ref(), (trailer(key) as u8 == 1).then_some(value));
                }
            }
        }
    }
}

/// Versions of each user key, newest first.
type Model = BTreeMap<Vec<u8>, Vec<(SeqNo, ValueType, Vec<u8>)>>;

/// The value that a reader at `seq` sees.
fn model_get(model: &Model, key: &[u8], seq: SeqNo) -> Option<Vec<u8>> {
    let (_, kind, value) = model.get(key)?.iter().find(|(s, ..)| *s <= seq)?;
    (*kind == ValueType::Value).then(|| value.clone())
}

#[test]
fn lookups_agree_with_a_model_in_all_variants() {
    let mut rng = fastrand::Rng::with_seed(7);
    for round in 0..300 {
        let reverse = rng.u8(..4) == 0;
        let user: Arc<dyn Comparator> = if reverse {
            Arc::new(ReverseBytewiseComparator)
        } else {
            Arc::new(crate::base::BytewiseComparator)
        };
        let order = KeyOrder::new(user);
        let user_key_len = if rng.bool() { 5 } else { 0 };
        let name = ["", "fixed:3", "fixed:5", "capped:2", "noop", "fixed:1"][rng.usize(..6)];
        let encoding_type =
            if rng.bool() { PlainTableEncoding::Prefix } else { PlainTableEncoding::Plain };
        let opts = PlainTableOptions {
            user_key_len,
            encoding_type,
            index_sparseness: [0, 1, 2, 5, 16][rng.usize(..5)],
            hash_table_ratio: [0.0, 0.3, 0.75, 5.0][rng.usize(..4)],
            store_index_in_file: rng.bool(),
            bloom_bits_per_key: [0, 10][rng.usize(..2)],
            full_scan_mode: rng.u8(..8) == 0,
            ..PlainTableOptions::default()
        };
        let mut model = Model::new();
        let random_key = |rng: &mut fastrand::Rng| -> Vec<u8> {
            let len = if user_key_len != 0 { 5 } else { rng.usize(..9) };
            (0..len).map(|_| b"abc"[rng.usize(..3)]).collect()
        };
        for seq in 0..rng.u64(..120) {
            let key = random_key(&mut rng);
            let kind = if rng.u8(..5) == 0 { ValueType::Deletion } else { ValueType::Value };
            let value = vec![seq as u8; rng.usize(..200)];
            model.entry(key).or_default().insert(0, (seq, kind, value));
        }
        let mut entries: Vec<Entry> = Vec::new();
        for (key, versions) in &model {
            for (seq, kind, value) in versions {
                entries.push((internal_key(key, *seq, *kind), value.clone()));
            }
        }
        entries.sort_by(|a, b| order.compare(&a.0, &b.0));
        let bytes = build(&order, name, opts, &entries);
        let table = open(bytes, &order, name, opts, rng.bool()).unwrap();
        assert_eq!(all_entries(&table), entries, "round {round} {name} {opts:?}");
        for _ in 0..200 {
            let key = random_key(&mut rng);
            let seq = rng.u64(..130);
            let found = get(&table, &key, seq).unwrap();
            assert_eq!(
                found,
                model_get(&model, &key, seq),
                "round {round} {name} {opts:?} {key:?}"
            );
        }
        for key in model.keys() {
            for prefix_len in 0..=key.len() {
                let prefix = &key[..prefix_len];
                let is_prefix =
                    extractor(name).is_some_and(|t| t.in_domain(key) && t.transform(key) == prefix);
                assert!(!is_prefix || table.prefix_may_match(prefix));
            }
        }
    }
}

#[test]
fn absent_prefixes_are_filtered() {
    let order = KeyOrder::bytewise();
    let opts = PlainTableOptions::default();
    let entries: Vec<Entry> = (0..5000u32)
        .map(|i| (internal_key(&(i * 2).to_be_bytes(), 1, ValueType::Value), vec![]))
        .collect();
    let table = open(build(&order, "fixed:4", opts, &entries), &order, "fixed:4", opts, true);
    let table = table.unwrap();
    for i in 0..5000u32 {
        assert!(table.prefix_may_match(&(i * 2).to_be_bytes()));
        assert!(!table.prefix_may_match(&(i * 2 + 1).to_be_bytes()), "{i}");
    }
    assert!(table.memory_usage() > 5000 * 8);
    let middle =
        table.approximate_offset_of(&internal_key(&5000u32.to_be_bytes(), 1, ValueType::Value));
    let half = table.properties().data_size / 2;
    assert!(middle.abs_diff(half) < 1000, "{middle} {half}");
}

#[test]
fn large_values_are_pinned_not_copied() {
    let order = KeyOrder::bytewise();
    let opts = PlainTableOptions::default();
    let entries = [(internal_key(b"k", 1, ValueType::Value), vec![b'v'; 10_000])];
    let bytes = build(&order, "fixed:1", opts, &entries);
    let file = TestFile::new(bytes, true);
    let ctx = read_context(order, "fixed:1", opts);
    let table = PlainTable::open(Arc::clone(&file) as _, &ctx, &opts).unwrap();
    let mut lookup = GetContext::new(b"k", None);
    table.get(&LookupBuffer::new(b"k", 9).key(), &ReadOptions::default(), &mut lookup).unwrap();
    let value = lookup.finish().unwrap().unwrap();
    drop(table);
    assert!(file.bytes.as_ptr_range().contains(&value.as_ptr()));
    assert_eq!(&*value, &entries[0].1[..]);
}

#[test]
fn entries_of_ingested_files_take_the_global_sequence_number() {
    let order = KeyOrder::bytewise();
    let opts = PlainTableOptions::default();
    let entries = [(internal_key(b"k", 0, ValueType::Value), b"v".to_vec())];
    let sink = TestSink::default();
    let ctx = builder_context(order.clone(), "fixed:1", opts);
    let mut builder =
        crate::sst::plain::PlainTableBuilder::new(Box::new(sink.clone()), ctx, opts).unwrap();
    builder.set_user_property(EXTERNAL_VERSION, vec![2, 0, 0, 0]);
    builder.add(&entries[0].0, &entries[0].1).unwrap();
    builder.finish().unwrap();
    let mut ctx = read_context(order, "fixed:1", opts);
    ctx.global_seqno = Some(50);
    let table = PlainTable::open(TestFile::new(sink.0.lock().clone(), true), &ctx, &opts).unwrap();
    assert_eq!(get(&table, b"k", 49).unwrap(), None);
    assert_eq!(get(&table, b"k", 50).unwrap(), Some(b"v".to_vec()));
    assert_eq!(all_entries(&table)[0].0, internal_key(b"k", 50, ValueType::Value));
}

/// Opens damaged bytes and, if they open, reads everything.
fn exercise(bytes: Vec<u8>, name: &str, opts: PlainTableOptions) -> Result<()> {
    let table = open(bytes, &KeyOrder::bytewise(), name, opts, true)?;
    for key in [&b"key000003"[..], b"key000007", b"", b"zzz", b"key000020"] {
        match get(&table, key, MAX_SEQUENCE_NUMBER) {
            Ok(_) => {}
            // The damage produced a merge operand or another type of entry.
            Err(e) => assert!(matches!(
                e.code(),
                crate::Code::Corruption | crate::Code::NotSupported | crate::Code::InvalidArgument
            )),
        }
        for total_order in [false, true] {
            let ro = TableIterOptions { total_order, ..TableIterOptions::default() };
            let mut iter = table.iter(&ro);
            iter.seek(&internal_key(key, 5, ValueType::Value));
            while iter.valid() {
                let _ = (iter.key().len(), iter.value().len());
                iter.next();
            }
            iter.seek_for_prev(&internal_key(key, 5, ValueType::Value));
            while iter.valid() {
                iter.prev();
            }
            iter.status()?;
        }
    }
    Ok(())
}

#[test]
fn damaged_files_are_refused_or_read_but_never_panic() {
    let mut rng = fastrand::Rng::with_seed(3);
    let mut refused = 0;
    for i in 0..6 {
        let (name, opts) = vector_options(i);
        let good = vector(i);
        for cut in 0..good.len() {
            assert!(exercise(good[..cut].to_vec(), name, opts).is_err(), "vector {i} cut at {cut}");
        }
        for at in 0..good.len() {
            let mut bad = good.to_vec();
            bad[at] = match rng.u8(..4) {
                0 => 0xFF,
                1 => bad[at] ^ (1 << rng.u8(..8)),
                2 => bad[at].wrapping_add(1),
                _ => rng.u8(..),
            };
            refused += usize::from(exercise(bad, name, opts).is_err());
        }
        for _ in 0..300 {
            let mut bad = good.to_vec();
            for _ in 0..rng.usize(1..6) {
                let (a, b) = (rng.usize(..bad.len()), rng.usize(..bad.len()));
                bad[a] = good[b];
            }
            refused += usize::from(exercise(bad, name, opts).is_err());
        }
    }
    assert!(refused > 1000, "only {refused} damaged files were refused");
}

#[test]
fn a_file_that_changes_after_open_does_not_panic_either() {
    let mut rng = fastrand::Rng::with_seed(5);
    for i in 0..6 {
        let (name, opts) = vector_options(i);
        for round in 0..200 {
            let mut changed = vector(i).to_vec();
            if round % 4 == 0 {
                changed.truncate(rng.usize(..changed.len()));
            }
            for _ in 0..rng.usize(..40) {
                let at = rng.usize(..changed.len().max(1));
                if let Some(byte) = changed.get_mut(at) {
                    *byte = rng.u8(..);
                }
            }
            let file = Arc::new(TestFile {
                bytes: vector(i).to_vec(),
                changed,
                is_changed: false.into(),
                mapped: true,
            });
            let ctx = read_context(KeyOrder::bytewise(), name, opts);
            let table = PlainTable::open(Arc::clone(&file) as _, &ctx, &opts).unwrap();
            let mut iter = table.iter(&TableIterOptions::default());
            iter.seek_to_last();
            file.is_changed.store(true, atomic::Ordering::Relaxed);
            while iter.valid() {
                let _ = (iter.key().len(), iter.value().len());
                iter.prev();
            }
            iter.seek_to_first();
            while iter.valid() {
                iter.next();
            }
            for n in 0..30 {
                let _ = get(&table, format!("key{n:06}").as_bytes(), MAX_SEQUENCE_NUMBER);
                iter.seek(&internal_key(format!("key{n:06}").as_bytes(), 9, ValueType::Value));
            }
        }
    }
}

#[test]
fn errors_name_the_file_and_the_place() {
    let (name, opts) = vector_options(0);
    let order = KeyOrder::bytewise();
    let mut bad = vector(0).to_vec();
    // The second row's type becomes unknown: its key's short trailer is at 23 + 10.
    assert_eq!(bad[33], 0xFF);
    bad[33] = 0x33;
    let e = open(bad, &order, name, opts, true).err().unwrap();
    assert_eq!(
        e.to_string(),
        "Corruption: row: unknown value type 51: /test/000007.sst: offset 23"
    );
    let e = open(vector(0)[..40].to_vec(), &order, name, opts, true).err().unwrap();
    assert!(e.to_string().ends_with("/test/000007.sst"), "{e}");
}

/// Processor time of this thread in ns, which other load on the machine affects less than wall
/// time.
fn cpu_ns() -> u64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    stat.split(' ').next().unwrap().parse().unwrap()
}

/// A benchmark, not a test: `cargo test --release -p ferrolith --lib plain_get_speed -- --ignored
/// --nocapture`.
#[test]
#[ignore = "a measurement"]
fn plain_get_speed() {
    let order = KeyOrder::bytewise();
    let opts = PlainTableOptions { user_key_len: 20, ..PlainTableOptions::default() };
    let n = 2_000_000u64;
    let key = |i: u64| format!("{i:020}");
    let entries: Vec<Entry> = (0..n)
        .map(|i| (internal_key(key(2 * i).as_bytes(), i, ValueType::Value), vec![i as u8; 100]))
        .collect();
    for name in ["fixed:20", "fixed:19", ""] {
        let bytes = build(&order, name, opts, &entries);
        let start = cpu_ns();
        let table = open(bytes, &order, name, opts, true).unwrap();
        let (open_ns, memory) = ((cpu_ns() - start) / n, table.memory_usage());
        println!("{name}: open {open_ns} ns per row, {memory} bytes of memory");
        for (what, odd) in [("present", 0), ("absent", 1)] {
            let mut rng = fastrand::Rng::with_seed(1);
            let keys: Vec<String> = (0..n).map(|_| key(2 * rng.u64(..n) + odd)).collect();
            let start = cpu_ns();
            let mut found = 0u64;
            for key in &keys {
                let lookup = LookupBuffer::new(key.as_bytes(), MAX_SEQUENCE_NUMBER);
                let lookup = lookup.key();
                let mut ctx = GetContext::new(key.as_bytes(), None);
                table.get(&lookup, &ReadOptions::default(), &mut ctx).unwrap();
                found += u64::from(ctx.finish().unwrap().is_some());
            }
            assert_eq!(found, if odd == 0 { n } else { 0 });
            println!("{name}: {what}: {} ns", (cpu_ns() - start) / n);
        }
        let start = cpu_ns();
        assert_eq!(all_entries(&table).len() as u64, n);
        println!("{name}: copy all: {} ns per row", (cpu_ns() - start) / n);
    }
}

/// Not a test: reads all tables in `$PLAIN_DIR` (written by RocksDB) and writes them again.
#[test]
#[ignore = "needs files of RocksDB"]
fn real_directories() {
    let dir = std::env::var("PLAIN_DIR").unwrap();
    for file in std::fs::read_dir(dir).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|e| e != "sst") {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let opts = PlainTableOptions::default();
        let table = open(bytes.clone(), &KeyOrder::bytewise(), "", opts, true).unwrap();
        let p = table.properties().clone();
        println!("{}: {p:?}", path.display());
        let name = p.prefix_extractor_name.clone();
        let table = open(bytes.clone(), &KeyOrder::bytewise(), &name, opts, true).unwrap();
        let entries = all_entries(&table);
        assert_eq!(entries.len() as u64, p.num_entries);
        for (key, value) in &entries {
            let found = get(&table, user_key(key), crate::base::key::sequence(key)).unwrap();
            assert_eq!(found.as_ref(), (trailer(key) as u8 == 1).then_some(value));
        }
        let stored = p.index_size > 0;
        let opts = PlainTableOptions {
            user_key_len: p.fixed_key_len as u32,
            encoding_type: table.0.format.encoding,
            store_index_in_file: stored,
            ..PlainTableOptions::default()
        };
        let mut ctx = builder_context(KeyOrder::bytewise(), &name, opts);
        ctx.column_family_id = p.column_family_id as u32;
        ctx.file_number = p.orig_file_number;
        ctx.db_id = p.db_id.clone();
        ctx.db_session_id = p.db_session_id.clone();
        ctx.host = p.db_host_id.clone();
        ctx.creation_time = p.creation_time;
        ctx.oldest_key_time = p.oldest_key_time;
        ctx.file_creation_time = p.file_creation_time;
        let sink = TestSink::default();
        let mut builder =
            crate::sst::plain::PlainTableBuilder::new(Box::new(sink.clone()), ctx, opts).unwrap();
        for (key, value) in &entries {
            builder.add(key, value).unwrap();
        }
        builder.finish().unwrap();
        println!("rewritten: same bytes: {}", *sink.0.lock() == bytes);
    }
}
