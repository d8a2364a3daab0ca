//! Loads, compared by reads of Pegasus clients; and what must be refused.

use super::testing::*;
use super::{LoadProgress, Loaded, Request, check_files};
use crate::rows::pegasus::{EPOCH_UNIX_SECONDS, Version, key, split_key};
use crate::store::Mode;
use crate::testing::mutate;
use fastrand::Rng;
use ferrolith::{Options, SstFileWriter};
use std::path::Path;
use std::slice::from_ref;
use std::time::Duration;

/// Compares all rows with what Pegasus clients read. The data of each is behind the header of its value.
fn compare(world: &World, rows: &Rows, header: usize) {
    for (row, value) in rows {
        let (hash_key, sort_key) = split_key(row).unwrap();
        let expected = Some(value[header..].to_vec());
        assert_eq!(world.get(hash_key, sort_key), expected, "{}", row.escape_ascii());
    }
}

#[test]
fn sorted_files_of_all_versions_are_loaded() {
    // More partitions than files are open at once in tests.
    for partitions in [2, 8] {
        let (world, rows_v0) = (World::new(partitions), rows(500, v0));
        let path = world.path("0.sst");
        table(&path, &rows_v0);
        let loaded = world.load(&[&path], Some(Version::V0)).unwrap();
        let bytes = path.metadata().unwrap().len();
        assert_eq!(loaded, Loaded { files: 1, bytes, rows: 500, ..Loaded::default() });
        compare(&world, &rows_v0, 4);
        let (later, path) = (rows(300, v2), world.path("2.sst"));
        table(&path, &later);
        assert_eq!(world.load(&[&path], None).unwrap().rows, 300);
        compare(&world, &later, 13);
        let world = world.reopened();
        compare(&world, &rows(500, v1), 12);
    }
}

#[test]
fn times_to_live_are_kept_and_expired_rows_left_out() {
    let world = World::new(4);
    let mut rows = Rows::new();
    for (name, expiry) in [("past", NOW - 1), ("now", NOW), ("soon", NOW + 60), ("never", 0)] {
        rows.insert(key(name.as_bytes(), b"s"), v1(expiry, name.as_bytes()));
    }
    let path = world.path("a.sst");
    table(&path, &rows);
    let loaded = world.load(&[&path], None).unwrap();
    assert_eq!((loaded.rows, loaded.expired), (2, 2));
    assert_eq!(world.get(b"past", b"s"), None);
    assert_eq!(world.get(b"now", b"s"), None);
    assert_eq!(world.ttl(b"soon", b"s"), 60);
    assert_eq!(world.ttl(b"never", b"s"), -1);
}

#[test]
fn loaded_rows_replace_older_ones_also_cached_ones() {
    let world = World::new(4);
    for n in 0..200 {
        world.put(&hash_key(n), format!("s{n}").as_bytes(), b"old");
        assert_eq!(world.get(&hash_key(n), format!("s{n}").as_bytes()), Some(b"old".to_vec()));
    }
    world.put(b"other", b"", b"stays");
    let (one, two) = (world.path("1.sst"), world.path("2.sst"));
    let earlier: Rows = rows(200, v1).into_keys().map(|row| (row, v1(0, b"earlier"))).collect();
    table(&one, &earlier);
    table(&two, &rows(200, v1));
    // Of two files, the later one counts.
    assert_eq!(world.load(&[&one, &two], None).unwrap().rows, 400);
    compare(&world, &rows(200, v1), 12);
    assert_eq!(world.get(b"other", b""), Some(b"stays".to_vec()));
    world.put(&hash_key(7), b"s7", b"new");
    assert_eq!(world.get(&hash_key(7), b"s7"), Some(b"new".to_vec()));
    // A directory of files, in the order of their names.
    let dir = world.path("files");
    std::fs::create_dir(&dir).unwrap();
    std::fs::copy(&two, dir.join("b.sst")).unwrap();
    std::fs::copy(&one, dir.join("a.sst")).unwrap();
    std::fs::write(dir.join(".a.sst.meta"), "{}").unwrap();
    assert_eq!(world.load(&[&dir], None).unwrap().files, 2);
    compare(&world, &rows(200, v1), 12);
}

#[test]
fn a_bulk_load_of_pegasus_is_loaded_into_any_number_of_partitions() {
    for (from, to) in [(4, 4), (4, 16), (8, 2)] {
        let (world, rows) = (World::new(to), rows(400, v1));
        let dir = world.path("temp");
        bulk_load(&dir, from, &rows);
        assert_eq!(world.load(&[&dir], None).unwrap().rows, 400, "{from} {to}");
        compare(&world, &rows, 12);
    }
}

#[test]
fn a_backup_of_pegasus_is_loaded() {
    let world = World::new(4);
    let (rows, dir) = (rows(300, v1), world.path("1767225600000"));
    // Each of the two partitions also has the state of a row before a split, which one of them owns.
    let foreign = Rows::from([(key(&hash_key(5), b"s5"), v1(0, b"before the split"))]);
    backup(&dir.join("temp_2"), 2, &rows, &foreign);
    let loaded = world.load(&[&dir], None).unwrap();
    assert_eq!((loaded.files, loaded.rows, loaded.foreign), (2, 300, 1));
    compare(&world, &rows, 12);
    assert_eq!(world.get(b"deleted", b""), None);
    // The table's directory, and one checkpoint.
    assert_eq!(world.load(&[&dir.join("temp_2")], None).unwrap().rows, 300);
    let checkpoint = dir.join("temp_2/0/chkpt_127.0.0.1_34801");
    assert!(world.load(&[&checkpoint], None).unwrap().rows > 100);
    let other = dir.join("temp_3/meta");
    std::fs::create_dir_all(&other).unwrap();
    std::fs::write(other.join("app_metadata"), "").unwrap();
    let error = world.refused(&[&dir]);
    assert!(error.contains("name one of them: temp_2, temp_3"), "{error}");
}

#[test]
fn the_version_of_a_checkpoint_counts() {
    let world = World::new(2);
    let zero = world.path("zero");
    checkpoint(&zero, &Rows::from([(key(b"h", b""), v0(0, b"data"))]), Some("0"));
    // The other values of these tests have version 1: data of 8 bytes more.
    assert!(world.load(&[&zero], None).is_ok());
    assert_eq!(world.get(b"h", b""), Some(b"data".to_vec()));
    let error = world.load(&[&zero], Some(Version::V1)).unwrap_err().to_string();
    assert!(error.contains("its values have version 0, not 1"), "{error}");
    let (three, none) = (world.path("three"), world.path("none"));
    checkpoint(&three, &Rows::new(), Some("3"));
    let error = world.refused(&[&three]);
    assert!(error.contains("expected values of version 0 or 1, found \"3\""), "{error}");
    checkpoint(&none, &Rows::new(), None);
    let error = world.refused(&[&none]);
    assert!(error.contains("--value-version"), "{error}");
    assert!(world.load(&[&none], Some(Version::V1)).is_ok());
}

/// Checks that a file is refused, and that nothing of it is loaded.
fn refused(world: &World, path: &Path, expected: &str) {
    let error = world.refused(&[path]);
    assert!(error.contains(expected) && error.contains(path.to_str().unwrap()), "{error}");
    assert_eq!(world.get(b"a", b""), None);
}

#[test]
fn wrong_files_are_refused_and_nothing_of_them_is_loaded() {
    let world = World::new(4);
    let path = world.path("a.sst");
    let good = (key(b"a", b""), v1(0, b"x"));
    let with = |row: Vec<u8>, value: Vec<u8>| Rows::from([good.clone(), (row, value)]);
    for (rows, expected) in [
        (with(vec![0xff], v1(0, b"")), "a key of at least 2 bytes, found 1"),
        (with(b"\0\x05abc".to_vec(), v1(0, b"")), "a hash key of 5 bytes"),
        (
            with(key(b"b", b""), b"short".to_vec()),
            "at least 12 bytes of value in version 1, found 5",
        ),
        (with(key(b"b", b""), vec![0x83; 20]), "found version 3"),
    ] {
        table(&path, &rows);
        refused(&world, &path, expected);
    }
    let write = |write: &dyn Fn(&mut SstFileWriter)| {
        let mut writer = SstFileWriter::create(Options::new(), &path).unwrap();
        writer.put(&good.0, &good.1).unwrap();
        write(&mut writer);
        writer.finish().unwrap();
    };
    write(&|writer| writer.delete(key(b"b", b"")).unwrap());
    refused(&world, &path, "it has a deletion");
    write(&|writer| writer.merge(key(b"b", b""), "x").unwrap());
    refused(&world, &path, "it has a merge operand");
    write(&|writer| writer.delete_range(key(b"b", b""), key(b"c", b"")).unwrap());
    refused(&world, &path, "it deletes ranges");
    let options = Options::new().comparator("test.Order", |a: &[u8], b: &[u8]| b.cmp(a));
    let mut writer = SstFileWriter::create(options, &path).unwrap();
    writer.put(&good.0, &good.1).unwrap();
    writer.finish().unwrap();
    refused(&world, &path, "test.Order");
    table(&path, &rows(2000, v1));
    let whole = std::fs::read(&path).unwrap();
    for length in [0, 20, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&path, &whole[..length]).unwrap();
        refused(&world, &path, "");
    }
    let mut damaged = whole;
    damaged[500] ^= 1;
    std::fs::write(&path, damaged).unwrap();
    refused(&world, &path, "checksum");
    refused(&world, &world.path("missing.sst"), "");
    let empty = world.path("empty");
    std::fs::create_dir(&empty).unwrap();
    refused(&world, &empty, "expected an SST file, a directory of such files");
}

#[test]
fn a_damaged_bulk_load_is_refused_before_anything_is_loaded() {
    let (world, rows) = (World::new(4), rows(200, v1));
    let dir = world.path("temp");
    bulk_load(&dir, 2, &rows);
    let (info, last) = (dir.join("bulk_load_info"), dir.join("1/bulk_load_metadata"));
    let metadata = std::fs::read_to_string(&last).unwrap();
    let md5 = metadata.split("\"md5\":\"").nth(1).unwrap()[..32].to_owned();
    let size = metadata.split("\"size\":").nth(1).unwrap().split(',').next().unwrap();
    let cases = [
        (metadata.replace(&md5, &"0".repeat(32)), "expected the MD5 00000000"),
        (metadata.replace("00000.sst", "../0/00000.sst"), "expected the name of a file"),
        (metadata.replace("00000.sst", "missing.sst"), "missing.sst"),
        (
            metadata.replace("file_total_size\":", "file_total_size\":1"),
            "bytes together, expected 1",
        ),
        (metadata.replace(&format!("\"size\":{size}"), "\"size\":-1"), "expected a size, found -1"),
        (metadata.replace("\"files\"", "\"tables\""), "missing field `files`"),
        (metadata[..20].to_owned(), "bulk_load_metadata"),
    ];
    for (text, expected) in cases {
        std::fs::write(&last, text).unwrap();
        let error = world.refused(&[&dir]);
        assert!(error.contains(expected), "{error}");
    }
    std::fs::write(&last, metadata.replace(&md5, &md5.to_uppercase())).unwrap();
    assert!(world.load(&[&dir], None).is_ok(), "digits of either case");
    let fresh = World::new(4);
    std::fs::remove_file(&last).unwrap();
    let error = fresh.refused(&[&dir]);
    assert!(
        error.contains("bulk_load_metadata is missing") && error.contains("\"temp\""),
        "{error}"
    );
    for (count, expected) in [("3", "a power of two, found 3"), ("-4", "found -4")] {
        let text = format!("{{\"app_id\":2,\"app_name\":\"temp\",\"partition_count\":{count}}}");
        std::fs::write(&info, text).unwrap();
        let error = fresh.refused(&[&dir]);
        assert!(error.contains(expected), "{error}");
    }
    for row in rows.keys() {
        let (hash_key, sort_key) = split_key(row).unwrap();
        assert_eq!(fresh.get(hash_key, sort_key), None);
    }
}

#[test]
fn a_backup_that_is_not_complete_is_refused() {
    let world = World::new(2);
    let (rows, dir) = (rows(50, v1), world.path("temp_2"));
    backup(&dir, 2, &rows, &Rows::new());
    let checkpoint = dir.join("1/chkpt_127.0.0.1_34801");
    let metadata = checkpoint.join("backup_metadata");
    let text = std::fs::read_to_string(&metadata).unwrap();
    std::fs::write(&metadata, text.replace("CURRENT", "CURRENT2")).unwrap();
    let error = world.refused(&[&dir]);
    assert!(error.contains("expected CURRENT among the files"), "{error}");
    std::fs::write(&metadata, &text).unwrap();
    let table = std::fs::read_dir(&checkpoint).unwrap().map(|entry| entry.unwrap().path());
    let table = { table }.find(|path| path.extension().is_some_and(|it| it == "sst")).unwrap();
    let bytes = std::fs::read(&table).unwrap();
    std::fs::write(&table, &bytes[..bytes.len() - 1]).unwrap();
    let error = world.refused(&[&dir]);
    assert!(error.contains(&format!("expected {} bytes", bytes.len())), "{error}");
    std::fs::remove_file(&metadata).unwrap();
    let error = world.refused(&[&dir]);
    assert!(error.contains("backup_metadata"), "{error}");
    std::fs::write(dir.join("1/current_checkpoint"), "../0").unwrap();
    let error = world.refused(&[&dir]);
    assert!(error.contains("expected the name of a file"), "{error}");
    std::fs::remove_file(dir.join("1/current_checkpoint")).unwrap();
    let error = world.refused(&[&dir]);
    assert!(error.contains("current_checkpoint is missing"), "{error}");
    assert_eq!(world.get(&hash_key(0), b"s0"), None);
}

#[test]
fn files_before_a_wrong_one_stay_loaded() {
    let world = World::new(4);
    let (one, two) = (world.path("1.sst"), world.path("2.sst"));
    table(&one, &rows(50, v1));
    // It is wrong at its end.
    table(&two, &Rows::from([(key(b"a", b""), v1(0, b"x")), (vec![0xff], v1(0, b""))]));
    let error = world.refused(&[&one, &two]);
    assert!(error.contains("1 of 2 files, those before it, are loaded"), "{error}");
    compare(&world, &rows(50, v1), 12);
    assert_eq!(world.get(b"a", b""), None);
}

#[test]
fn a_load_that_is_stopped_or_has_no_table_loads_nothing() {
    let world = World::new(4);
    let path = world.path("1.sst");
    table(&path, &rows(50, v1));
    let progress = LoadProgress::default();
    progress.stop();
    let mut request = Request { table: "t".to_owned(), paths: vec![path.clone()], version: None };
    let error = world.loader().load(&request, &progress).unwrap_err().to_string();
    assert!(error.contains("the load was stopped"), "{error}");
    assert_eq!(world.get(&hash_key(0), b"s0"), None);
    request.table = "other".to_owned();
    let error = world.loader().load(&request, &LoadProgress::default()).unwrap_err().to_string();
    assert!(error.contains("there is no Pegasus table \"other\""), "{error}");
    // What a process that was killed has left.
    std::fs::create_dir(world.path("db/loading")).unwrap();
    std::fs::write(world.path("db/loading/1.sst"), "x").unwrap();
    let world = world.reopened();
    assert!(world.load(&[&path], None).is_ok());
}

#[test]
fn a_load_waits_for_commands_that_read_and_then_write() {
    let world = World::new(4);
    let path = world.path("1.sst");
    table(&path, &rows(50, v1));
    let latch = world.latches.lock([(9, &b"any"[..])], Mode::Exclusive);
    std::thread::scope(|scope| {
        let load = scope.spawn(|| world.load(&[&path], None).unwrap().rows);
        // It has read the file long before.
        std::thread::sleep(Duration::from_millis(500));
        assert!(!load.is_finished());
        assert_eq!(world.get(&hash_key(0), b"s0"), None);
        drop(latch);
        assert_eq!(load.join().unwrap(), 50);
    });
    assert_eq!(world.get(&hash_key(0), b"s0"), Some(b"0".to_vec()));
}

#[test]
fn files_are_checked_without_a_table() {
    let world = World::new(2);
    let (dir, rows) = (world.path("temp"), rows(100, v1));
    bulk_load(&dir, 4, &rows);
    let progress = LoadProgress::default();
    let now_s = u64::from(NOW) + EPOCH_UNIX_SECONDS;
    let checked = check_files(from_ref(&dir), None, now_s, &progress).unwrap();
    assert_eq!((checked.rows, checked.files), (100, progress.files()));
    assert_eq!(checked, world.load(&[&dir], None).unwrap());
    let path = dir.join("2/bad.sst");
    table(&path, &Rows::from([(vec![0xff], v1(0, b""))]));
    let error = check_files(&[path], None, now_s, &progress).unwrap_err().to_string();
    assert!(error.contains("bad.sst: at the key \"\\xff\": expected a key of"), "{error}");
}

/// Whatever bytes a file has, it is refused or loaded, and nothing panics.
#[test]
fn damaged_files_never_panic() {
    let world = World::new(2);
    let (dir, now_s) = (world.path("temp"), u64::from(NOW) + EPOCH_UNIX_SECONDS);
    bulk_load(&dir, 2, &rows(60, v1));
    let mut random = Rng::with_seed(7);
    for name in ["bulk_load_info", "0/bulk_load_metadata", "0/00000.sst"] {
        let path = dir.join(name);
        let whole = std::fs::read(&path).unwrap();
        // A table alone, since its digest would be wrong.
        let source = if name.ends_with(".sst") { &path } else { &dir };
        let mut refused = 0;
        for _ in 0..200 {
            let mut bytes = whole.clone();
            mutate(&mut random, &mut bytes);
            std::fs::write(&path, bytes).unwrap();
            let checked = check_files(from_ref(source), None, now_s, &LoadProgress::default());
            refused += u32::from(checked.is_err());
        }
        assert!(refused > 100, "{name}: {refused}");
        std::fs::write(&path, whole).unwrap();
    }
}
