//! The perf context: what lookups, scans and writes cost the thread that makes them.

use super::support::{ro, small, temp_dir, wo};
use ferrolith::internal::base::perf::{self, PerfLevel, PerfMetric as M};
use ferrolith::internal::db::Db;
use ferrolith::internal::options::{
    BlockBasedTableOptions, FilterPolicy, FlushOptions, TableFactory,
};

fn database(dir: &std::path::Path) -> Db {
    let mut options = small();
    options.cf.disable_auto_compactions = true;
    options.cf.write_buffer_size = 1 << 20;
    options.cf.table_factory = TableFactory::BlockBased(BlockBasedTableOptions {
        filter_policy: Some(FilterPolicy::Bloom { bits_per_key: 10.0 }),
        ..Default::default()
    });
    Db::open(&options, dir).unwrap()
}

#[test]
fn lookups_count_where_they_looked() {
    let dir = temp_dir();
    let db = database(dir.path());
    for i in 0..100u32 {
        db.put(&wo(), &i.to_be_bytes(), &[7; 50]).unwrap();
    }
    perf::set_level(PerfLevel::EnableTime);
    perf::reset();
    db.get(&ro(), &5u32.to_be_bytes()).unwrap();
    assert_eq!(perf::value(M::GetFromMemtableCount), 1);
    assert_eq!(perf::value(M::GetReadBytes), 50);
    assert!(perf::value(M::GetFromMemtableTime) > 0);
    assert!(perf::value(M::UserKeyComparisonCount) > 0);
    assert_eq!(perf::value(M::BlockReadCount), 0);

    db.flush(&FlushOptions::default()).unwrap();
    perf::reset();
    db.get(&ro(), &5u32.to_be_bytes()).unwrap();
    db.get(&ro(), &6u32.to_be_bytes()).unwrap();
    assert_eq!(perf::value(M::GetFromMemtableCount), 0, "the memtable is empty");
    assert_eq!((perf::value(M::BlockReadCount), perf::value(M::BlockCacheHitCount)), (1, 1));
    assert!(perf::value(M::BlockReadByte) > 100 && perf::value(M::BlockReadTime) > 0);
    assert!(perf::value(M::GetFromOutputFilesTime) > 0);
    assert_eq!(perf::value(M::BloomSstHitCount), 2);
    // Inside of the file's range, but not there.
    (0..99u8).for_each(|i| drop(db.get(&ro(), &[0, 0, 0, i, 1]).unwrap()));
    assert!(perf::value(M::BloomSstMissCount) > 80);
    db.multi_get(&ro(), &[1u32.to_be_bytes(), 2u32.to_be_bytes()]);
    assert_eq!(perf::value(M::MultigetReadBytes), 100);

    perf::reset();
    db.put(&wo(), b"k", b"v").unwrap();
    assert!(perf::value(M::WriteWalTime) > 0 && perf::value(M::WriteMemtableTime) > 0);
    assert!(perf::report(true).contains("write_memtable_time = "));
}

#[test]
fn scans_count_what_they_step_over() {
    let dir = temp_dir();
    let db = database(dir.path());
    for _ in 0..3 {
        (0..10u8).for_each(|i| db.put(&wo(), &[i], b"v").unwrap());
    }
    db.delete(&wo(), &[3]).unwrap();
    perf::reset();
    let mut iter = db.iter(&ro()).unwrap();
    iter.seek_to_first();
    while iter.valid() {
        iter.next();
    }
    assert_eq!((perf::value(M::IterSeekCount), perf::value(M::IterNextCount)), (1, 9));
    assert_eq!(perf::value(M::IterReadBytes), 9 * 2);
    assert_eq!(perf::value(M::InternalDeleteSkippedCount), 1);
    // Two older versions of each key that is there, three of the one that was deleted, and the entry
    // that each move leaves.
    assert_eq!(perf::value(M::InternalKeySkippedCount), 9 * 2 + 3 + 9);
    perf::set_level(PerfLevel::Disable);
    iter.seek_to_first();
    assert_eq!(perf::value(M::IterSeekCount), 1);
}
