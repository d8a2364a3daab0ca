use super::*;
use crate::base::key::{append_internal_key, pack_trailer};
use crate::base::{KeyOrder, ReverseBytewiseComparator, ValueType};
use crate::fs::filename::table_file_name;
use crate::options::ColumnFamilyOptions;
use crate::version::testing::{Tables, ikey, put_file};
use crate::version::{FileMeta, FileStats, Level};

type Entries = Vec<(Vec<u8>, Vec<u8>)>;

/// Values of these keys at these sequence numbers.
fn values(entries: &[(&str, u64)]) -> Entries {
    entries.iter().map(|(key, seq)| (ikey(key, *seq), key.as_bytes().to_vec())).collect()
}

fn tombstone(begin: &str, end: &str, seq: u64) -> (Vec<u8>, Vec<u8>) {
    let mut key = Vec::new();
    let trailer = pack_trailer(seq, ValueType::RangeDeletion);
    append_internal_key(&mut key, begin.as_bytes(), trailer);
    (key, end.as_bytes().to_vec())
}

/// The file of a table that has nothing but one range tombstone.
fn tombstone_file(tables: &Tables, number: u64, (begin, end, seq): (&str, &str, u64)) -> FileMeta {
    let mut file = tables.write(number, &[tombstone(begin, end, seq)]);
    file.largest.clear();
    let trailer = pack_trailer(crate::base::MAX_SEQUENCE_NUMBER, ValueType::RangeDeletion);
    append_internal_key(&mut file.largest, end.as_bytes(), trailer);
    file
}

/// A version that nobody has checked.
fn version(files: Vec<(usize, FileMeta)>) -> Version {
    let order = KeyOrder::bytewise();
    let mut levels = vec![Vec::new(); 4];
    files.into_iter().for_each(|(level, file)| levels[level].push(Arc::new(file)));
    let levels = levels.into_iter().map(|files| Arc::new(Level::new(order.clone(), files)));
    Version::from_levels(order.clone(), levels.collect())
}

fn memtable(entries: &[(&str, u64)], ranges: &[(&str, &str, u64)]) -> Arc<MemTable> {
    let mem = MemTable::new(3, KeyOrder::bytewise(), &ColumnFamilyOptions::default(), 0);
    for (key, seq) in entries {
        mem.add(*seq, ValueType::Value, key.as_bytes(), b"v");
    }
    for (begin, end, seq) in ranges {
        mem.add_range_deletion(*seq, begin.as_bytes(), end.as_bytes());
    }
    mem
}

fn check(
    tables: &Tables,
    memtables: &[Arc<MemTable>],
    files: Vec<(usize, FileMeta)>,
) -> Result<(), Fault> {
    let version = version(files);
    Tree { memtables, version: &version, tables: &tables.cache(None), last_sequence: 99 }.check()
}

/// The message of a tree that contradicts itself.
fn wrong(checked: Result<(), Fault>) -> String {
    match checked {
        Err(Fault::Wrong(error)) => {
            assert!(error.is_corruption());
            error.message().to_owned()
        }
        other => panic!("expected a wrong tree, found {other:?}"),
    }
}

#[test]
fn a_tree_that_is_in_order_passes() {
    for tables in [Tables::new(), Tables::plain()] {
        let files = vec![
            (0, tables.write(9, &values(&[("a", 19), ("a", 18), ("m", 17)]))),
            (0, tables.write(8, &values(&[("a", 12), ("k", 13)]))),
            (1, tables.write(5, &values(&[("a", 4), ("b", 9)]))),
            (1, tables.write(6, &values(&[("c", 8), ("k", 7)]))),
            (3, tables.write(1, &values(&[("a", 0), ("b", 0), ("x", 0)]))),
        ];
        let memtables = [memtable(&[("a", 30), ("x", 31)], &[("b", "d", 29)])];
        check(&tables, &memtables, files).unwrap();
    }
}

#[test]
fn range_tombstones_in_order_pass() {
    let tables = Tables::new();
    let mut mixed = values(&[("f", 24), ("h", 21)]);
    mixed.push(tombstone("b", "f", 23));
    let mut mixed = tables.write(9, &mixed);
    mixed.smallest = tombstone("b", "f", 23).0;
    mixed.largest = ikey("h", 21);
    let files = vec![
        (0, mixed),
        (0, tombstone_file(&tables, 7, ("a", "z", 20))),
        (1, tables.write(5, &values(&[("a", 4), ("h", 19)]))),
    ];
    check(&tables, &[memtable(&[("c", 31)], &[("a", "z", 30)])], files).unwrap();
}

#[test]
fn files_that_overlap_are_found() {
    let tables = Tables::new();
    let file = |number, keys: &[(&str, u64)]| tables.write(number, &values(keys));
    let overlap = vec![(2, file(1, &[("a", 5), ("m", 5)])), (2, file(2, &[("k", 6), ("z", 6)]))];
    let message = wrong(check(&tables, &[], overlap));
    let expected = "level 2: expected sorted files that do not overlap, found #1 ";
    assert!(message.starts_with(expected) && message.contains(" before #2 "), "{message}");
    let unsorted = vec![(1, file(1, &[("m", 5)])), (1, file(2, &[("a", 6)]))];
    assert!(wrong(check(&tables, &[], unsorted)).starts_with("level 1: expected sorted files"));
    let twice = vec![(1, file(7, &[("m", 5)])), (2, file(7, &[("m", 5)]))];
    let expected = "file #7: expected on one level, found on levels 1 and 2";
    assert_eq!(wrong(check(&tables, &[], twice)), expected);
}

#[test]
fn a_wrong_order_on_level_0_is_found() {
    let tables = Tables::new();
    let file = |number, epoch, seq| {
        let mut file = tables.write(number, &values(&[("a", seq)]));
        file.epoch_number = epoch;
        file
    };
    let of = |files: [FileMeta; 2]| files.into_iter().map(|file| (0, file)).collect::<Vec<_>>();
    check(&tables, &[], of([file(2, 8, 9), file(1, 7, 5)])).unwrap();
    let expected = "level 0: expected the newest file first, found #1 ";
    assert!(wrong(check(&tables, &[], of([file(1, 7, 9), file(2, 8, 5)]))).starts_with(expected));
    assert!(wrong(check(&tables, &[], of([file(1, 0, 5), file(2, 0, 9)]))).starts_with(expected));
    let one_epoch = wrong(check(&tables, &[], of([file(1, 7, 9), file(2, 7, 5)])));
    assert!(one_epoch.starts_with("level 0: expected files of one epoch apart"), "{one_epoch}");
}

#[test]
fn wrong_boundaries_are_found() {
    let tables = Tables::new();
    let message = |change: &dyn Fn(&mut FileMeta)| {
        let mut file = tables.write(4, &values(&[("b", 5), ("d", 6)]));
        change(&mut file);
        wrong(check(&tables, &[], vec![(1, file)]))
    };
    assert_eq!(
        message(&|file| file.smallest = ikey("a", 5)),
        "table /db/000004.sst: smallest key: expected \"'a' @ 5 of type 1\", found \"'b' @ 5 of type 1\""
    );
    assert!(message(&|file| file.smallest = ikey("b", 6)).contains("expected \"'b' @ 6 of type 1"));
    assert!(message(&|file| file.largest = ikey("e", 6)).contains("largest key: expected \"'e' @"));
    assert!(message(&|file| file.largest = ikey("c", 6)).contains("largest key: expected \"'c' @"));
    let text = "sequence numbers: expected (4, 6), found (5, 6)";
    assert!(message(&|file| file.smallest_seqno = 4).contains(text));
    assert!(message(&|file| file.largest_seqno = 7).contains("expected (5, 7), found (5, 6)"));
    let mut file = tombstone_file(&tables, 4, ("b", "f", 20));
    file.largest = tombstone_file(&tables, 5, ("b", "h", 20)).largest;
    let message = wrong(check(&tables, &[], vec![(1, file)]));
    assert!(message.contains("largest key: expected \"'h' @ "), "{message}");
}

#[test]
fn wrong_counts_are_found() {
    let tables = Tables::new();
    let file = tables.write(4, &values(&[("b", 5), ("d", 6)]));
    let mut other = FileMeta::new(4, file.file_size, file.smallest.clone(), file.largest.clone());
    (other.smallest_seqno, other.largest_seqno) = (5, 6);
    other.set_stats(FileStats { num_entries: 3, ..file.stats() });
    let message = wrong(check(&tables, &[], vec![(1, other)]));
    assert!(
        message.contains("counts of entries: expected FileStats { num_entries: 3"),
        "{message}"
    );
}

#[test]
fn sequence_numbers_that_were_not_allocated_are_found() {
    let tables = Tables::new();
    let file = tables.write(4, &values(&[("b", 100)]));
    let expected = "table /db/000004.sst: expected sequence numbers up to 99, the last allocated \
                    one, found 100";
    assert_eq!(wrong(check(&tables, &[], vec![(1, file)])), expected);
}

#[test]
fn newer_entries_below_older_ones_are_found() {
    let tables = Tables::new();
    let files = || {
        vec![
            (0, tables.write(9, &values(&[("a", 20), ("k", 5)]))),
            (1, tables.write(4, &values(&[("c", 8), ("j", 9), ("j", 3)]))),
            (1, tables.write(5, &values(&[("k", 7), ("z", 8)]))),
        ]
    };
    assert_eq!(
        wrong(check(&tables, &[], files())),
        "file #5 on level 1: key 'k': expected sequence numbers below 5, which file #9 on level 0 \
         has, found 7"
    );
    let mut equal = files();
    equal[0].1 = tables.write(10, &values(&[("k", 7)]));
    assert!(wrong(check(&tables, &[], equal)).contains("expected sequence numbers below 7"));
    let mut in_memory = files();
    in_memory.remove(0);
    assert_eq!(
        wrong(check(&tables, &[memtable(&[("a", 30), ("j", 9)], &[])], in_memory)),
        "file #4 on level 1: key 'j': expected sequence numbers below 9, which memtable 3 has, \
         found 9"
    );
}

#[test]
fn range_tombstones_in_the_wrong_place_are_found() {
    let tables = Tables::new();
    let entry = |number, seq| tables.write(number, &values(&[("k", seq)]));
    let deeper = |number, seq| tombstone_file(&tables, number, ("c", "m", seq));
    let message = |upper, lower| wrong(check(&tables, &[], vec![(0, upper), (2, lower)]));
    let newer_below = message(entry(1, 5), deeper(2, 6));
    assert!(
        newer_below.starts_with("file #2 on level 2: key 'k': expected sequence numbers below 5")
    );
    let older_above = message(deeper(3, 5), entry(4, 6));
    assert!(
        older_above.starts_with("file #4 on level 2: key 'k': expected sequence numbers below 5")
    );
    // No entry lies under both.
    let (wide, narrow) = (tombstone_file(&tables, 5, ("a", "z", 5)), deeper(6, 6));
    let both = message(wide, narrow);
    assert!(both.starts_with("file #6 on level 2: key 'c': expected sequence numbers below 5"));
    let memtables = [memtable(&[], &[("a", "d", 5)])];
    let in_memory = wrong(check(&tables, &memtables, vec![(2, deeper(7, 6))]));
    assert!(in_memory.contains("key 'c': expected sequence numbers below 5, which memtable 3 has"));
}

#[test]
fn keys_in_another_order_are_found() {
    let mut tables = Tables::new();
    let file = tables.write(4, &values(&[("b", 5), ("d", 6)]));
    tables.opts.comparator = Arc::new(ReverseBytewiseComparator);
    let order = KeyOrder::new(Arc::clone(&tables.opts.comparator));
    let checked = table::check(&file, &tables.cache(None), &order).map(|_| ());
    let expected = "table /db/000004.sst: expected ascending keys, found 'd' @ 6 of type 1 behind \
                    'b' @ 5 of type 1";
    assert_eq!(wrong(checked), expected);
}

#[test]
fn damaged_and_missing_tables_are_unreadable() {
    let tables = Tables::new();
    let path = table_file_name(&tables.dir, 4);
    let checked = |change: &dyn Fn(&mut Vec<u8>)| {
        let file = tables.write(4, &values(&[("b", 5), ("d", 6)]));
        let mut bytes = tables.fs.read_file(&path).unwrap();
        change(&mut bytes);
        put_file(&*tables.fs, &path, &bytes);
        match check(&tables, &[], vec![(1, file)]) {
            Err(Fault::Unreadable(error)) => error.to_string(),
            other => panic!("expected an unreadable table, found {other:?}"),
        }
    };
    assert!(checked(&|bytes| bytes[3] ^= 1).contains("checksum"), "a data block");
    assert!(checked(&|bytes| bytes.push(0)).contains("the MANIFEST says"), "a byte too many");
    let file = tables.write(4, &values(&[("b", 5)]));
    tables.fs.remove_file(&path).unwrap();
    let missing = check(&tables, &[], vec![(1, file)]);
    assert!(matches!(missing, Err(Fault::Unreadable(e)) if e.is_path_not_found()));
}
