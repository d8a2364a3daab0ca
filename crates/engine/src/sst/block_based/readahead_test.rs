//! The readahead buffer: which reads reach the file, and that every byte is the right one.

use super::super::test_util;
use super::*;
use crate::base::ValueType;
use crate::base::iterator::InternalIterator;
use crate::compress::CompressionType;
use crate::env::sync::Mutex;
use crate::sst::{ReadaheadOptions, Table, TableIterOptions, TableReadContext};
use std::path::Path;

/// A file that records its reads and announcements.
struct Recorded {
    bytes: Vec<u8>,
    align: usize,
    reads: Mutex<Vec<(u64, usize)>>,
    announced: Mutex<Vec<(u64, u64)>>,
    at_random: Mutex<bool>,
    fails: Mutex<bool>,
}

impl RandomAccessFile for Recorded {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        if *self.fails.lock() {
            return Err(crate::error::Error::corruption("as wanted"));
        }
        self.reads.lock().push((offset, buf.len()));
        let rest = self.bytes.get(offset as usize..).unwrap_or_default();
        let n = rest.len().min(buf.len());
        buf[..n].copy_from_slice(&rest[..n]);
        Ok(n)
    }
    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }
    fn alignment(&self) -> usize {
        self.align
    }
    fn will_read(&self, offset: u64, len: u64) {
        self.announced.lock().push((offset, len));
    }
    fn will_read_at_random(&self) {
        *self.at_random.lock() = true;
    }
    fn path(&self) -> &Path {
        Path::new("1.sst")
    }
}

const SIZE: usize = 1_000_003;

fn file(align: usize) -> Arc<Recorded> {
    recorded((0..SIZE).map(|i| (i / 253 + i % 253) as u8).collect(), align)
}

fn recorded(bytes: Vec<u8>, align: usize) -> Arc<Recorded> {
    Arc::new(Recorded {
        bytes,
        align,
        reads: Mutex::default(),
        announced: Mutex::default(),
        at_random: Mutex::default(),
        fails: Mutex::default(),
    })
}

/// Reads as tables do: without the buffer what nothing is read ahead with, except for direct I/O.
fn read(readahead: &mut Readahead, file: &Arc<Recorded>, offset: usize, len: usize) {
    if file.align == 1 && readahead.reads_alone(offset as u64, len) {
        assert_eq!(file.read_at(offset as u64, &mut vec![0; len]).unwrap(), len);
        return;
    }
    let dynamic: Arc<dyn RandomAccessFile> = file.clone();
    let found = readahead.read(&dynamic, offset as u64, len, SIZE as u64, &None).unwrap();
    assert!(found == &file.bytes[offset..offset + len], "{len} bytes from {offset}");
}

fn automatic(after: u64, first: usize, largest: usize) -> Pacing {
    Pacing::automatic(&BlockBasedTableOptions {
        num_file_reads_for_auto_readahead: after,
        initial_auto_readahead_size: first,
        max_auto_readahead_size: largest,
        ..BlockBasedTableOptions::default()
    })
}

#[test]
fn readahead_begins_after_sequential_reads_and_doubles_to_the_maximum() {
    let (file, mut readahead) = (file(1), Readahead::new(automatic(2, 8000, 30_000)));
    for block in 10..60 {
        read(&mut readahead, &file, 1000 * block, 1000);
    }
    let reads = std::mem::take(&mut *file.reads.lock());
    let want = [(10_000, 1000), (11_000, 1000), (12_000, 8000), (20_000, 16_000), (36_000, 30_000)];
    assert_eq!(reads, want);
    // Anywhere else it begins anew.
    for block in 300..303 {
        read(&mut readahead, &file, 1000 * block, 1000);
    }
    assert_eq!(*file.reads.lock(), [(300_000, 1000), (301_000, 1000), (302_000, 8000)]);
}

#[test]
fn windows_of_compactions_end_at_the_end_of_a_page() {
    let (file, mut readahead) = (file(1), Readahead::new(Pacing::fixed(10_000).in_pages()));
    for block in 0..30 {
        read(&mut readahead, &file, 1000 * block, 1000);
        assert_eq!(readahead.bytes(1000 * block as u64, 1000), &file.bytes[1000 * block..][..1000]);
        assert!(
            readahead.bytes(1000 * block as u64, 20_000).is_empty(),
            "more than the buffer has"
        );
    }
    let reads = std::mem::take(&mut *file.reads.lock());
    assert_eq!(reads, [(0, 8192), (8192, 8192), (16_384, 8192), (24_576, 8192)]);
    // A block that ends later is read whole.
    read(&mut readahead, &file, 30_000, 25_000);
    assert_eq!(std::mem::take(&mut *file.reads.lock()), [(32_768, 22_232)]);
    // What the scan ends within is not read in pieces.
    readahead.set_limit(62_500);
    for block in 55..62 {
        read(&mut readahead, &file, 1000 * block, 1000);
    }
    assert_eq!(*file.reads.lock(), [(55_000, 7500)]);
}

#[test]
fn options_choose_the_first_read_and_turn_readahead_off() {
    let all = [
        (automatic(0, 5000, 5000), vec![(0, 5000), (5000, 5000)]),
        (automatic(1, 5000, 4000), vec![(0, 1000), (1000, 4000), (5000, 4000)]),
        (automatic(7, 2000, 4000), (0..6).map(|i| (1000 * i, 1000)).collect()),
        (automatic(0, 0, 4000), (0..6).map(|i| (1000 * i, 1000)).collect()),
        (automatic(0, 4000, 0), (0..6).map(|i| (1000 * i, 1000)).collect()),
        (Pacing::fixed(0), (0..6).map(|i| (1000 * i, 1000)).collect()),
        (Pacing::fixed(usize::MAX), vec![(0, SIZE)]),
    ];
    for (pacing, want) in all {
        let (file, mut readahead) = (file(1), Readahead::new(pacing));
        (0..6).for_each(|i| read(&mut readahead, &file, 1000 * i, 1000));
        assert_eq!(*file.reads.lock(), want, "{pacing:?}");
    }
}

/// The beginning of a block that the window cut is not read again.
#[test]
fn a_miss_keeps_the_part_of_the_buffer_that_it_needs() {
    let (file, mut readahead) = (file(1), Readahead::new(Pacing::fixed(10_000)));
    (0..6).for_each(|i| read(&mut readahead, &file, 3000 * i, 3000));
    assert_eq!(*file.reads.lock(), [(0, 10_000), (10_000, 9000)]);
}

#[test]
fn nothing_is_read_ahead_beyond_the_limit_and_the_end() {
    let (file, mut readahead) = (file(1), Readahead::new(Pacing::fixed(100_000)));
    readahead.set_limit(4500);
    read(&mut readahead, &file, 1000, 1000);
    // A block beyond the limit is read alone.
    read(&mut readahead, &file, 9000, 1000);
    readahead.set_limit(u64::MAX);
    read(&mut readahead, &file, 990_000, 1000);
    assert_eq!(*file.reads.lock(), [(1000, 3500), (9000, 1000), (990_000, SIZE - 990_000)]);
}

#[test]
fn the_next_table_continues_the_sequence() {
    let (first, mut readahead) = (file(1), Readahead::new(automatic(2, 8000, 64_000)));
    (0..40).for_each(|i| read(&mut readahead, &first, 1000 * i, 1000));
    let (second, mut next) = (file(1), Readahead::new(automatic(2, 8000, 64_000)));
    next.continue_from(readahead.progress());
    read(&mut next, &second, 0, 1000);
    assert_eq!(*second.reads.lock(), [(0, 64_000)]);
}

#[test]
fn aligned_files_are_read_in_aligned_pieces() {
    for pacing in [Pacing::fixed(20_000), Pacing::fixed(20_000).asynchronous(true)] {
        let (file, mut readahead) = (file(4096), Readahead::new(pacing));
        for at in (0..SIZE - 3500).step_by(3500).chain([SIZE - 3500, 17, 400_000, 399_000]) {
            read(&mut readahead, &file, at, 3500);
        }
        for (offset, len) in &*file.reads.lock() {
            assert_eq!(offset % 4096, 0);
            assert!(len % 4096 == 0 || *offset as usize + len == SIZE, "{len} from {offset}");
        }
        let bytes: usize = file.reads.lock().iter().map(|(_, len)| len).sum();
        assert!(bytes < SIZE + 7 * 24_576, "{bytes}: hardly anything is read twice");
    }
}

/// With direct I/O, the next window is read on another thread; its failure is not the reader's.
#[test]
fn a_failed_read_in_the_background_is_repeated_by_the_reader() {
    let pacing = Pacing::fixed(8192).asynchronous(true);
    let (file, mut readahead) = (file(4096), Readahead::new(pacing));
    read(&mut readahead, &file, 0, 4000);
    *file.fails.lock() = true;
    // The window after the next fails or is not begun.
    (1..3).for_each(|i| {
        let dynamic: Arc<dyn RandomAccessFile> = file.clone();
        let _ = readahead.read(&dynamic, 4000 * i, 4000, SIZE as u64, &None);
    });
    *file.fails.lock() = false;
    (3..50).for_each(|i| read(&mut readahead, &file, 4000 * i, 4000));
}

#[test]
fn buffered_files_are_announced_instead() {
    let (file, mut readahead) =
        (file(1), Readahead::new(Pacing::fixed(50_000).announcing(200_000)));
    (0..400).for_each(|i| read(&mut readahead, &file, 1000 * i, 1000));
    assert_eq!(*file.announced.lock(), [(0, 200_000), (200_000, 200_000)]);
    let mut readahead = Readahead::new(Pacing::fixed(50_000).asynchronous(true));
    file.announced.lock().clear();
    (0..60).for_each(|i| read(&mut readahead, &file, 1000 * i, 1000));
    assert_eq!(*file.announced.lock(), [(50_000, 50_000), (100_000, 50_000)]);
    // Nothing is announced for the first two windows, which end at 26,000.
    let mut readahead = Readahead::new(automatic(2, 8000, 64_000).asynchronous(true));
    file.announced.lock().clear();
    (0..26).for_each(|i| read(&mut readahead, &file, 1000 * i, 1000));
    assert_eq!(*file.announced.lock(), []);
    (26..40).for_each(|i| read(&mut readahead, &file, 1000 * i, 1000));
    assert_eq!(*file.announced.lock(), [(58_000, 64_000)]);
}

/// Only what the system reads ahead is not in the account's memory.
#[test]
fn with_limited_memory_or_rate_nothing_is_read_on_other_threads() {
    let account = MemoryAccount::new(64 << 20);
    let pacing = Pacing::fixed(8192).asynchronous(true);
    let limited = || Readahead::new(pacing).with_account(Some(&account), MemoryOwner::Iterators);
    let (buffered, direct) = (file(1), file(4096));
    let mut readahead = limited();
    read(&mut readahead, &buffered, 0, 4000);
    assert_eq!(*buffered.announced.lock(), [(8192, 8192)]);
    let mut readahead = limited();
    read(&mut readahead, &direct, 0, 4000);
    assert!(readahead.next.is_none());
    let _limited = crate::budget::reads_at(IoPriority::User);
    for file in [buffered, direct] {
        file.announced.lock().clear();
        let mut readahead = Readahead::new(pacing);
        read(&mut readahead, &file, 0, 4000);
        assert!(readahead.next.is_none() && file.announced.lock().is_empty());
    }
}

/// With the advice, the system reads nothing ahead by itself: scans ask it to.
#[test]
fn scans_of_tables_that_are_read_at_random_announce_their_windows() {
    let row = |i: usize| {
        let key = format!("key{i:05}").into_bytes();
        (key, 1, ValueType::Value, vec![i as u8; 500])
    };
    let rows: Vec<test_util::Row> = (0..1000).map(row).collect();
    let ctx = test_util::builder_context(BlockBasedTableOptions::default(), CompressionType::None);
    let (bytes, _) = test_util::build(ctx, &rows).unwrap();
    for random_reads in [false, true] {
        for (for_compaction, size) in [(false, 0), (false, 64 << 10), (true, 0)] {
            let file = recorded(bytes.clone(), 1);
            let read = TableReadContext { random_reads, ..test_util::read_context(None) };
            let table = Table::open(file.clone(), &read).unwrap();
            assert_eq!(*file.at_random.lock(), random_reads);
            file.reads.lock().clear();
            let readahead = ReadaheadOptions::fixed(size);
            let options = TableIterOptions { for_compaction, readahead, ..Default::default() };
            let mut iter = table.iter(&options);
            iter.seek_to_first();
            assert_eq!(
                file.announced.lock().is_empty(),
                !random_reads || size == 0 && !for_compaction
            );
            while iter.valid() {
                iter.next();
            }
            let announced = file.announced.lock();
            assert_eq!(!announced.is_empty(), random_reads, "{for_compaction} {size}");
            // What is announced is read next.
            let reads = file.reads.lock();
            assert!(announced.iter().all(|(from, _)| reads.iter().any(|(at, _)| at == from)));
        }
    }
}
