//! Budgets that databases share: I/O rate, memtable memory, space of tables.

use super::support::{ro, small, temp_dir, wo};
use ferrolith::internal::budget::{
    IoPriority, MemoryAccount, RateLimiter, RateLimiterMode, SstFileManager, WriteBufferManager,
};
use ferrolith::internal::db::Db;
use ferrolith::internal::options::{
    CompactRangeOptions, FlushOptions, Options, ReadOptions, TableFactory, WriteOptions,
};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn large() -> Options {
    let mut options = small();
    options.cf.write_buffer_size = 4 << 20;
    options.cf.disable_auto_compactions = true;
    options.cf.compression = ferrolith::internal::compress::CompressionType::None;
    options
}

fn fill(db: &Db, from: u32, to: u32) {
    for i in from..to {
        db.put(&wo(), &i.to_be_bytes(), &[7; 1000]).unwrap();
    }
}

#[test]
fn flushes_and_compactions_keep_to_the_rate() {
    let limiter = RateLimiter::with_mode(2 << 20, 10_000, 10, RateLimiterMode::AllIo, false);
    let mut options = large();
    options.db.rate_limiter = Some(Arc::clone(&limiter));
    let dir = temp_dir();
    let db = Db::open(&options, dir.path()).unwrap();
    fill(&db, 0, 1000);
    let start = Instant::now();
    db.flush(&FlushOptions::default()).unwrap();
    assert!(start.elapsed() > Duration::from_millis(350), "a megabyte at two a second");
    let through = |priority| limiter.total_bytes_through(priority);
    assert!(through(IoPriority::High) > 1_000_000 && through(IoPriority::Low) == 0);
    fill(&db, 500, 600);
    limiter.set_bytes_per_second(1 << 30);
    db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
    assert!(through(IoPriority::Low) > 2_000_000, "reads and writes of the compaction");
    assert_eq!(through(IoPriority::User), 0);
    let user = ReadOptions { rate_limiter_priority: IoPriority::User, ..ro() };
    db.get(&user, &1u32.to_be_bytes()).unwrap().unwrap();
    let read = through(IoPriority::User);
    assert!(read > 1000);
    let user = WriteOptions { rate_limiter_priority: IoPriority::User, ..wo() };
    db.put(&user, b"k", b"v").unwrap();
    assert!(through(IoPriority::User) > read);
    let low = WriteOptions { rate_limiter_priority: IoPriority::Low, ..wo() };
    let error = db.put(&low, b"k", b"v").unwrap_err().to_string();
    assert!(error.starts_with("Invalid argument: WriteOptions::rate_limiter_priority"), "{error}");
}

#[test]
fn databases_share_the_memory_of_memtables() {
    let manager = WriteBufferManager::new(1 << 20, false);
    let mut options = large();
    options.db.components.write_buffer_manager = Some(Arc::clone(&manager));
    let (dir, other_dir) = (temp_dir(), temp_dir());
    let db = Db::open(&options, dir.path()).unwrap();
    let other = Db::open(&options, other_dir.path()).unwrap();
    fill(&other, 0, 700);
    fill(&db, 0, 700);
    // Neither is over the limit alone, nor over its own write buffer.
    let flushed = |db: &Db| db.property_int("rocksdb.num-files-at-level0").unwrap() > 0;
    for _ in 0..200 {
        if flushed(&db) {
            break;
        }
        fill(&db, 0, 10);
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(flushed(&db));
    assert!(manager.memory_usage() > 500_000, "{manager:?}");
    db.close().unwrap();
    other.close().unwrap();
    drop((db, other));
    assert_eq!(manager.memory_usage(), 0);
}

#[test]
fn writers_wait_for_memory_if_they_may() {
    let manager = WriteBufferManager::new(256 << 10, true);
    let mut options = large();
    options.db.components.write_buffer_manager = Some(Arc::clone(&manager));
    let dir = temp_dir();
    let db = Db::open(&options, dir.path()).unwrap();
    fill(&db, 0, 2000);
    db.flush(&FlushOptions::default()).unwrap();
    assert!(manager.memory_usage() < 256 << 10, "{manager:?}");
    let no_wait = WriteOptions { no_slowdown: true, ..wo() };
    manager.set_buffer_size(1);
    let error = db.put(&no_wait, b"k", b"v").unwrap_err().to_string();
    assert_eq!(error, "Result incomplete: Write stall");
    manager.set_allow_stall(false);
    db.put(&no_wait, b"k", b"v").unwrap();
}

#[test]
fn writes_stop_when_tables_use_all_their_space() {
    let manager = SstFileManager::new();
    let mut options = large();
    options.db.components.sst_file_manager = Some(Arc::clone(&manager));
    let dir = temp_dir();
    let db = Db::open(&options, dir.path()).unwrap();
    fill(&db, 0, 100);
    db.flush(&FlushOptions::default()).unwrap();
    let size = manager.total_size();
    assert_eq!(size, db.property_int("rocksdb.live-sst-files-size").unwrap());
    manager.set_max_allowed_space_usage(size + 10_000);
    assert!(!manager.is_max_allowed_space_reached());
    fill(&db, 0, 100);
    let _ = db.flush(&FlushOptions::default());
    assert!(manager.is_max_allowed_space_reached());
    let error = db.put(&wo(), b"k", b"v").unwrap_err().to_string();
    assert_eq!(error, "IO error: Space limit reached: Max allowed space was reached");
    manager.set_max_allowed_space_usage(0);
    db.resume().unwrap();
    db.put(&wo(), b"k", b"v").unwrap();
    manager.set_delete_rate_bytes_per_second(10 << 20);
    manager.set_max_trash_db_ratio(10.0);
    db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
    // Obsolete tables become trash in the background, and trash goes at its rate.
    let live = || db.property_int("rocksdb.live-sst-files-size").unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    let settled = || (manager.total_size(), manager.total_trash_size()) == (live(), 0);
    while !settled() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!((manager.total_size(), manager.total_trash_size()), (live(), 0));
    db.close().unwrap();
    drop(db);
    // A new session finds the tables, and removes trash of the old one.
    std::fs::write(dir.path().join("000999.sst.trash"), b"x").unwrap();
    let manager = SstFileManager::new();
    options.db.components.sst_file_manager = Some(Arc::clone(&manager));
    let _db = Db::open(&options, dir.path()).unwrap();
    assert!(manager.total_size() > 100_000);
    assert!(!dir.path().join("000999.sst.trash").exists());
}

#[test]
fn a_memory_limit_has_properties_and_stays_out_of_options_files() {
    let (dir, plain) = (temp_dir(), temp_dir());
    let mut options = large();
    let db = Db::open(&options, plain.path()).unwrap();
    assert_eq!(db.property("ferrolith.memory-by-owner"), None);
    assert_eq!(db.property_int("ferrolith.memory-usage"), None);
    options.set_options("memory_limit=20M").unwrap();
    let db = Db::open(&options, dir.path()).unwrap();
    fill(&db, 0, 3000);
    db.flush(&FlushOptions::default()).unwrap();
    (0..3000u32).for_each(|i| drop(db.get(&ro(), &i.to_be_bytes()).unwrap().unwrap()));
    assert_eq!(db.property_int("ferrolith.memory-limit"), Some(20 << 20));
    let text = db.property("ferrolith.memory-by-owner").unwrap();
    let number = |name: &str| -> u64 {
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
        line.unwrap_or_else(|| panic!("{name} in {text}")).parse().unwrap()
    };
    assert!(number("block-cache") > 1 << 20, "{text}");
    assert!(number("table-readers") > 0 && number("memtables") > 0, "{text}");
    assert!(number("total") < number("limit") && number("limit") == 20 << 20, "{text}");
    assert!(db.property_int("ferrolith.memory-usage").unwrap() > 1 << 20);
    let files = std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path());
    let options_files: Vec<_> =
        files.filter(|path| path.to_string_lossy().contains("OPTIONS-")).collect();
    assert!(!options_files.is_empty());
    for path in options_files {
        // RocksDB refuses options that it does not know.
        assert!(!std::fs::read_to_string(path).unwrap().contains("memory_limit"));
    }
}

#[test]
fn nothing_fails_because_of_a_memory_limit() {
    let account = MemoryAccount::new(1 << 20);
    let mut options = large();
    options.db.components.memory_account = Some(Arc::clone(&account));
    let cache = ferrolith::internal::cache::Cache::with_settings("LRUCache", 8 << 20, 0, true);
    let TableFactory::BlockBased(table) = &mut options.cf.table_factory else { panic!() };
    table.block_cache = Some(Arc::clone(&cache));
    table.cache_index_and_filter_blocks = true;
    let dir = temp_dir();
    let db = Db::open(&options, dir.path()).unwrap();
    let no_wait = WriteOptions { no_slowdown: true, ..wo() };
    for i in 0..3000u32 {
        let options = if i % 2 == 0 { &no_wait } else { &wo() };
        db.put(options, &i.to_be_bytes(), &[7; 1000]).unwrap();
    }
    // Larger than the limit.
    db.put(&no_wait, b"large", &vec![1; 3 << 20]).unwrap();
    let mut iters: Vec<_> = (0..50).map(|_| db.iter(&ro()).unwrap()).collect();
    for (i, iter) in iters.iter_mut().enumerate() {
        iter.seek(&(i as u32 * 50).to_be_bytes());
        assert!(iter.valid());
    }
    for i in 0..3000u32 {
        assert_eq!(db.get(&ro(), &i.to_be_bytes()).unwrap().unwrap(), [7; 1000]);
    }
    assert_eq!(db.get(&ro(), b"large").unwrap().unwrap().len(), 3 << 20);
    iters.iter().for_each(|iter| iter.status().unwrap());
    let deadline = Instant::now() + Duration::from_secs(10);
    while cache.usage() > 2 << 20 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(cache.usage() < 2 << 20, "{cache:?} {account:?}");
    drop((iters, db));
}

/// Memtables that wait to be merged are flushed when memory is short; before, writers waited for them forever.
#[test]
fn memory_is_freed_although_memtables_should_be_merged() {
    let dir = temp_dir();
    let mut options = large();
    options.db.memory_limit = 64 << 20;
    options.cf.write_buffer_size = 6 << 20;
    options.cf.min_write_buffer_number_to_merge = 4;
    options.cf.max_write_buffer_number = 6;
    let db = Db::open(&options, dir.path()).unwrap();
    let (done, is_done) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let value = vec![7; 64 << 10];
        (0..1600u32).for_each(|i| db.put(&wo(), &i.to_be_bytes(), &value).unwrap());
        let found = db.get(&ro(), &1u32.to_be_bytes()).unwrap();
        done.send(found == Some(value)).unwrap();
    });
    assert!(is_done.recv_timeout(Duration::from_secs(60)).expect("writes that end"));
}

#[test]
fn blocks_that_stay_pinned_are_charged_once() {
    let dir = temp_dir();
    let mut options = large();
    options.db.memory_limit = 64 << 20;
    let db = Db::open(&options, dir.path()).unwrap();
    fill(&db, 0, 2000);
    db.flush(&FlushOptions::default()).unwrap();
    let held = || -> usize {
        let text = db.property("ferrolith.memory-by-owner").unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix("iterators: "));
        line.unwrap_or_else(|| panic!("iterators in {text}")).parse().unwrap()
    };
    let mut iter = db.iter(&ReadOptions { pin_data: true, ..ro() }).unwrap();
    iter.seek_to_first();
    while iter.valid() {
        iter.next();
    }
    let after_one = held();
    assert!((2_000_000..3_500_000).contains(&after_one), "{after_one}");
    iter.seek_to_last();
    while iter.valid() {
        iter.prev();
    }
    assert!(held() <= after_one + (512 << 10), "{after_one}, then {}", held());
    drop(iter);
    assert_eq!(held(), 0);
}
