use super::*;
use crate::base::ValueType::RangeDeletion;
use crate::base::key::{append_internal_key, pack_trailer};
use crate::fs::fault::{FaultFs, Op};
use crate::version::testing::{Tables, ikey};
use serde_json::Value;
use std::path::Path;

fn write(tables: &Tables, number: u64) -> FileMeta {
    let key = format!("key{number}");
    tables.write(number, &[(ikey(&key, number), key.clone().into_bytes())])
}

#[test]
fn unique_ids_are_those_of_real_manifests() {
    let v: Value = serde_json::from_str(include_str!("testdata/unique_ids.json")).unwrap();
    let vectors = v["vectors"].as_array().unwrap();
    assert!(vectors.len() >= 7);
    for x in vectors {
        let text = |key: &str| x[key].as_str().unwrap();
        let number = x["original_file_number"].as_u64().unwrap();
        let id = unique_id(text("db_identity"), text("session_identity"), number);
        assert!(id.is_some());
        assert_eq!(hex(id), text("unique_id_hex"));
    }
}

#[test]
fn a_pinned_reader_is_opened_once_and_closed_with_its_file() {
    let tables = Tables::new();
    let fs = FaultFs::new(Arc::clone(&tables.fs));
    let cache = tables.cache_on(Arc::new(fs.clone()), None);
    assert!(cache.pins_readers());
    let file = write(&tables, 7);
    let first = cache.find(&file).unwrap();
    assert!(Arc::ptr_eq(&first, &cache.find(&file).unwrap()));
    assert_eq!(fs.count(Op::Open), 1);
    assert_eq!(file.stats().num_entries, 1);
    assert_eq!(Arc::strong_count(&first), 2);
    drop(file);
    assert_eq!(Arc::strong_count(&first), 1);
}

/// RocksDB does not clip a tombstone when it divides output files: beyond a file's boundaries, the tombstone may hide
/// later writes, or its other copies may have been dropped.
#[test]
fn tombstones_count_inside_the_boundaries_of_the_manifest() {
    let tables = Tables::new();
    let tombstone = |key: &str, seq: u64| {
        let mut internal = Vec::new();
        append_internal_key(&mut internal, key.as_bytes(), pack_trailer(seq, RangeDeletion));
        internal
    };
    let entries = [
        (ikey("c", 5), b"1".to_vec()),
        (tombstone("a", 9), b"z".to_vec()),
        (ikey("e", 6), b"2".to_vec()),
    ];
    let whole = tables.write(3, &entries);
    let end = tombstone("g", crate::base::MAX_SEQUENCE_NUMBER);
    let mut cut = FileMeta::new(3, whole.file_size, ikey("c", 5), end);
    (cut.smallest_seqno, cut.largest_seqno) = (5, 9);
    let cache = tables.cache(None);
    // A level that was never read opens its files to find this out.
    let level = crate::version::Level::new(tables.order.clone(), vec![Arc::new(cut)]);
    let of_level = level.range_tombstones(&cache);
    assert!(!of_level.all.is_empty() && of_level.by_file.len() == 1);
    let file = &level.files()[0];
    assert_eq!(file.stats().num_range_deletions, 1);
    let table = cache.find(file).unwrap();
    assert_eq!(table.range_tombstones().unwrap().ranges(), [(&b"c"[..], &b"g"[..])]);
}

#[test]
fn a_bounded_number_of_readers_stays_open() {
    let tables = Tables::new();
    let fs = FaultFs::new(Arc::clone(&tables.fs));
    let open_tables = Arc::new(OpenTables::new(3));
    let cache = tables.cache_on(Arc::new(fs.clone()), Some(Arc::clone(&open_tables)));
    assert!(!cache.pins_readers() && open_tables.is_empty());
    let files: Vec<FileMeta> = (1..=10).map(|n| write(&tables, n)).collect();
    let held = cache.find(&files[0]).unwrap();
    for file in &files {
        cache.find(file).unwrap();
        assert!(open_tables.len() <= 3);
        assert!(file.pinned_reader().is_none());
    }
    assert_eq!(held.properties().num_entries, 1, "a closed reader stays usable");
    // Constantly used readers stay open.
    let opened = |n: &mut u64| fs.count(Op::Open) - std::mem::replace(n, fs.count(Op::Open));
    let mut count = fs.count(Op::Open);
    cache.find(&files[4]).unwrap();
    opened(&mut count);
    for i in 5..10 {
        cache.find(&files[4]).unwrap();
        cache.find(&files[i]).unwrap();
    }
    assert!(opened(&mut count) <= 6, "the hot reader was reopened at most once");

    cache.evict(files[4].number);
    cache.evict(999);
    assert!(open_tables.len() < 3);
    cache.find(&files[4]).unwrap();
    assert_eq!(opened(&mut count), 1);
}

#[test]
fn evicting_keeps_the_clock_in_order() {
    let tables = Tables::new();
    let open_tables = Arc::new(OpenTables::new(8));
    let cache = tables.cache(Some(Arc::clone(&open_tables)));
    let files: Vec<FileMeta> = (1..=20).map(|n| write(&tables, n)).collect();
    let mut rng = fastrand::Rng::with_seed(2);
    for _ in 0..3000 {
        let file = &files[rng.usize(..files.len())];
        if rng.u8(..4) == 0 {
            cache.evict(file.number);
        } else {
            let table = cache.find(file).unwrap();
            assert_eq!(table.properties().orig_file_number, file.number);
        }
        let clock = open_tables.clock.read();
        assert!(clock.slots.len() <= 8 && clock.slots.len() == clock.slot_of.len());
        assert!(clock.slot_of.iter().all(|(n, &at)| clock.slots[at].number == *n));
    }
}

#[test]
fn the_old_suffix_is_found() {
    let tables = Tables::new();
    let file = write(&tables, 7);
    tables.fs.rename(Path::new("/db/000007.sst"), Path::new("/db/000007.ldb")).unwrap();
    assert!(tables.cache(None).find(&file).is_ok());
    tables.fs.remove_file(Path::new("/db/000007.ldb")).unwrap();
    let e = tables.cache(None).find(&write_nothing(file)).err().unwrap();
    assert!(e.is_path_not_found() && e.message().contains("000007.sst"), "{e}");
}

/// The same file without its pinned reader.
fn write_nothing(file: FileMeta) -> FileMeta {
    FileMeta::new(file.number, file.file_size, file.smallest.clone(), file.largest.clone())
}

#[test]
fn another_files_content_is_refused() {
    let tables = Tables::new();
    let mut file = write(&tables, 7);
    let id = file.unique_id.unwrap();
    file.unique_id = Some([b'x'; 16]);
    let e = tables.cache(None).find(&file).err().unwrap();
    assert!(e.is_corruption() && e.message().contains(&hex(Some(id))), "{e}");
    assert!(e.message().contains("000007.sst: Mismatch in unique ID on table file 7"), "{e}");
    file.unique_id = Some(id);
    file.file_size += 1;
    let e = tables.cache(None).find(&file).err().unwrap();
    assert!(e.is_corruption() && e.message().contains("bytes; the MANIFEST says"), "{e}");
    file.file_size -= 1;
    assert!(tables.cache(None).find(&file).is_ok());
}

#[test]
fn tables_are_advised_once_and_only_if_they_are_read_through_the_page_cache() {
    let tables = Tables::new();
    let file = write(&tables, 7);
    for (read_mode, yes, times) in [
        (ReadMode::Buffered, true, 1),
        (ReadMode::Buffered, false, 0),
        (ReadMode::Mapped, true, 0),
        (ReadMode::Direct, true, 0),
    ] {
        let fs = FaultFs::new(Arc::clone(&tables.fs));
        let paths = DataPaths::new(&fs, &tables.dir, &[]);
        let opts = &tables.opts;
        let open_tables = Some(Arc::new(OpenTables::new(3)));
        let cache =
            TableCache::new(Arc::new(fs.clone()), paths, opts, None, read_mode, open_tables)
                .with_random_reads(yes);
        (0..2).for_each(|_| drop(cache.find(&file).unwrap()));
        assert_eq!(fs.count(Op::Advise), times, "{read_mode:?} {yes}");
    }
}

#[test]
fn a_database_advises_its_tables_by_default() {
    for yes in [true, false] {
        let fs = FaultFs::new(Arc::new(crate::fs::mem::MemFs::new()));
        let mut options = crate::options::Options::default();
        assert!(options.db.advise_random_on_open);
        options.db.advise_random_on_open = yes;
        options.db.create_if_missing = true;
        options.db.components.file_system = Some(Arc::new(fs.clone()));
        let db = crate::db::Db::open(&options, Path::new("/db")).unwrap();
        let (write, read) = Default::default();
        db.put(&write, b"key", b"value").unwrap();
        db.flush(&crate::options::FlushOptions::default()).unwrap();
        assert_eq!(db.get(&read, b"key").unwrap().unwrap(), b"value");
        assert_eq!(fs.count(Op::Advise) > 0, yes);
    }
}
