use super::super::layout::Layout;
use super::super::test_util::*;
use super::*;
use crate::base::key::pack_trailer;
use crate::base::{InternalIterator, KeyOrder, MAX_SEQUENCE_NUMBER, ValueType};
use crate::options::{CuckooTableOptions, PlainTableOptions};
use crate::sst::plain::test_util::read_context;
use std::sync::atomic;

fn bytewise() -> KeyOrder {
    KeyOrder::bytewise()
}

#[test]
fn real_files_are_read() {
    for i in 0..6 {
        for mapped in [true, false] {
            let table = open(vector(i).0.to_vec(), &bytewise(), mapped).unwrap();
            let expected = vector_entries(i);
            let found = all_entries(&table);
            assert_eq!(found.len(), expected.len(), "vector {i}");
            for ((key, value), (user_key, deleted, expected)) in found.iter().zip(&expected) {
                assert_eq!(crate::base::key::user_key(key), user_key);
                let kind = if *deleted { ValueType::Deletion } else { ValueType::Value };
                assert_eq!((crate::base::key::trailer(key) as u8, value), (kind as u8, expected));
                let visible = (!deleted).then(|| expected.clone());
                assert_eq!(get(&table, user_key, MAX_SEQUENCE_NUMBER).unwrap(), visible);
            }
            for absent in ["key00001", "key", "", "key000070", "zzzzzzzz"] {
                assert_eq!(get(&table, absent.as_bytes(), MAX_SEQUENCE_NUMBER).unwrap(), None);
            }
            // The key of empty buckets.
            assert_eq!(get(&table, b"key0000/", MAX_SEQUENCE_NUMBER).unwrap(), None);
            table.verify_buckets().unwrap();
        }
    }
}

#[test]
fn a_file_that_is_not_mapped_is_refused() {
    let ctx = read_context(bytewise(), "", PlainTableOptions::default());
    let ctx = TableReadContext { mmap: false, ..ctx };
    let e = CuckooTable::open(TestFile::new(vector(0).0.to_vec(), true), &ctx).err().unwrap();
    assert_eq!(e.to_string(), "Invalid argument: File is not mmaped");
}

#[test]
fn iterators_agree_with_the_order_of_internal_keys() {
    for i in [0, 1] {
        let table = open(vector(i).0.to_vec(), &bytewise(), true).unwrap();
        let all = all_entries(&table);
        let mut rng = fastrand::Rng::with_seed(5);
        let mut iter = table.iter();
        for _ in 0..2000 {
            let user_key = format!("key{:05}", rng.u32(..2200));
            let seq = rng.u64(..400);
            let target = internal_key(user_key.as_bytes(), seq, ValueType::Value);
            let before = |e: &&Entry| bytewise().compare(&e.0, &target).is_lt();
            let at = all.iter().take_while(before).count();
            iter.seek(&target);
            assert_eq!(rest(&mut iter).first(), all.get(at));
            iter.seek_for_prev(&target);
            let exact = all.get(at).is_some_and(|e| e.0 == target);
            let expected = if exact { Some(at) } else { at.checked_sub(1) };
            assert_eq!(iter.valid().then(|| iter.key()), expected.map(|at| &all[at].0[..]));
            if iter.valid() {
                iter.prev();
                let expected = expected.and_then(|at| at.checked_sub(1));
                assert_eq!(iter.valid().then(|| iter.key()), expected.map(|at| &all[at].0[..]));
            }
        }
        iter.seek_to_last();
        assert_eq!(iter.key(), all.last().unwrap().0);
    }
}

#[test]
fn entries_newer_than_the_reader_are_not_seen() {
    let bytes = try_build(&bytewise(), CuckooTableOptions::default(), &[put(1, 7)]).unwrap();
    let table = open(bytes, &bytewise(), true).unwrap();
    assert_eq!(get(&table, &1u32.to_be_bytes(), 6).unwrap(), None);
    assert_eq!(get(&table, &1u32.to_be_bytes(), 7).unwrap(), Some(b"000001".to_vec()));
}

#[test]
fn the_order_of_keys_is_memory() {
    let table = open(vector(0).0.to_vec(), &bytewise(), true).unwrap();
    let before = table.memory_usage();
    all_entries(&table);
    assert_eq!(table.memory_usage(), before + 300 * 4);
    let unmapped = open(vector(0).0.to_vec(), &bytewise(), false).unwrap();
    assert!(unmapped.memory_usage() >= before + vector(0).0.len());
}

/// A file as RocksDB writes it on machines that are not x86-64.
#[test]
fn files_of_other_machines_are_read() {
    let entries: Vec<Entry> = (0..2000).map(|n| put(n, 3)).collect();
    let bytes = try_build(&bytewise(), CuckooTableOptions::default(), &entries).unwrap();
    let native = open(bytes.clone(), &bytewise(), true).unwrap();
    let mut layout = *native.0.layout();
    use super::super::layout::{Murmur, NATIVE};
    layout.murmur = if NATIVE == Murmur::Wide { Murmur::Narrow } else { Murmur::Wide };
    let foreign = rewrite(&bytes, &entries, layout);
    let table = open(foreign, &bytewise(), true).unwrap();
    assert_ne!(table.0.layout().murmur, NATIVE);
    for n in 0..2000u32 {
        let found = get(&table, &n.to_be_bytes(), 9).unwrap();
        assert_eq!(found, Some(format!("{n:06}").into_bytes()));
    }
    table.verify_buckets().unwrap();
    // Unsorted keys are damage.
    let mut shuffled = bytes;
    let len = native.properties().data_size as usize / 18 * 18;
    shuffled[..len].rotate_left(18 * 700);
    let e = open(shuffled, &bytewise(), true).err().unwrap();
    assert!(e.to_string().contains("keys are not in the buckets that their hashes select"), "{e}");
}

/// The same file with its buckets filled by another hash. No entry moves, since the table is half
/// empty.
fn rewrite(bytes: &[u8], entries: &[Entry], layout: Layout) -> Vec<u8> {
    struct Sorted<'a>(&'a [Entry]);
    impl super::super::placing::Keys for Sorted<'_> {
        fn user_key(&self, entry: u32) -> &[u8] {
            crate::base::key::user_key(&self.0[entry as usize].0)
        }
    }
    let mut placed = layout;
    let buckets =
        super::super::placing::place(&Sorted(entries), entries.len() as u32, &mut placed, 100)
            .unwrap();
    assert_eq!(placed.hashes, layout.hashes, "the properties stay as they are");
    let empty = {
        let table = open(bytes.to_vec(), &bytewise(), true).unwrap();
        let mut empty = table.0.empty_key.clone();
        empty.extend(pack_trailer(0, ValueType::Value).to_le_bytes());
        empty.extend(b"aaaaaa");
        empty
    };
    let mut out = bytes.to_vec();
    for (bucket, entry) in out.chunks_exact_mut(18).zip(buckets) {
        match entries.get(entry as usize) {
            Some((key, value)) => bucket.copy_from_slice(&[&key[..], value].concat()),
            None => bucket.copy_from_slice(&empty),
        }
    }
    out
}

/// Opens the file, looks keys up, iterates and verifies; must return a result.
fn use_all(bytes: Vec<u8>, mapped: bool) -> Result<()> {
    let table = open(bytes, &bytewise(), mapped)?;
    for key in [&b"key00007"[..], b"key00000", b"key", b"", b"zzzzzzzz"] {
        get(&table, key, MAX_SEQUENCE_NUMBER)?;
    }
    for backwards in [false, true] {
        let mut iter = table.iter();
        if backwards {
            iter.seek_to_last();
        } else {
            iter.seek_to_first();
        }
        let mut steps = 0;
        while iter.valid() && steps < 10_000 {
            let _ = (iter.key(), iter.value());
            if backwards {
                iter.prev();
            } else {
                iter.next();
            }
            steps += 1;
        }
        assert!(steps < 10_000, "endless iteration");
        iter.status()?;
    }
    table.verify_buckets()
}

#[test]
fn damaged_and_cut_files_do_no_harm() {
    let mut rng = fastrand::Rng::with_seed(3);
    let mut damaged = 0;
    for i in 0..6 {
        let original = vector(i).0;
        for cut in (0..original.len()).step_by(if i == 5 { 1 } else { 97 }) {
            assert!(use_all(original[..cut].to_vec(), cut % 2 == 0).is_err(), "{i}, {cut}");
        }
        for round in 0..400 {
            let mut bytes = original.to_vec();
            let from = if round % 2 == 0 { bytes.len().saturating_sub(1100) } else { 0 };
            for _ in 0..rng.usize(1..4) {
                let at = rng.usize(from..bytes.len());
                bytes[at] = if rng.bool() { rng.u8(..) } else { bytes[at] ^ (1 << rng.u32(..8)) };
            }
            damaged += usize::from(use_all(bytes, rng.bool()).is_err());
        }
    }
    assert!(damaged > 500, "{damaged}");
}

#[test]
fn damage_is_told_with_its_place() {
    let (bytes, _) = vector(0);
    let first = open(bytes.to_vec(), &bytewise(), true).unwrap();
    let taken = first.0.taken().next().unwrap().0 as usize;
    let bucket_len = first.0.layout().bucket_len().unwrap();
    let mut wrong_type = bytes.to_vec();
    wrong_type[taken * bucket_len + 8] = 0x50;
    let e = use_all(wrong_type, true).unwrap_err().to_string();
    assert!(e.contains("000007.sst") && e.contains("unknown value type 80"), "{e}");
    let mut twice = bytes.to_vec();
    let second = first.0.taken().nth(1).unwrap().0 as usize;
    let copy = bytes[second * bucket_len..][..bucket_len].to_vec();
    twice[taken * bucket_len..][..bucket_len].copy_from_slice(&copy);
    let e = use_all(twice, true).unwrap_err().to_string();
    assert!(e.contains("buckets that their hashes select") || e.contains("twice"), "{e}");
    let mut fewer = bytes.to_vec();
    let empty = first.0.empty_key.clone();
    let last = first.0.taken().last().unwrap().0 as usize;
    fewer[last * bucket_len..][..8].copy_from_slice(&empty);
    let e = use_all(fewer, true).unwrap_err().to_string();
    assert!(e.contains("expected 300 entries") && e.contains("found 299"), "{e}");
}

#[test]
fn a_file_that_others_change_does_no_harm() {
    let (bytes, _) = vector(0);
    let mut file = TestFile::new(bytes.to_vec(), true);
    Arc::get_mut(&mut file).unwrap().changed = vec![0x77; 5000];
    let ctx = read_context(bytewise(), "", PlainTableOptions::default());
    let table = CuckooTable::open(Arc::clone(&file) as _, &ctx).unwrap();
    let mut iter = table.iter();
    iter.seek_to_first();
    iter.next();
    file.is_changed.store(true, atomic::Ordering::Relaxed);
    while iter.valid() {
        let _ = (iter.key().len(), iter.value().len());
        iter.next();
    }
    let _ = get(&table, b"key00007", MAX_SEQUENCE_NUMBER);
    assert!(table.verify_buckets().is_err());
}
