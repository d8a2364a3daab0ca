//! The contract of every file system (run on the one in memory and on the operating system's), and
//! the state after a crash.

use super::*;

/// The contract of [`FileSystem`]; `dir` must not exist.
pub(crate) fn check_contract(fs: &dyn FileSystem, dir: &Path) {
    assert!(!fs.exists(dir).unwrap());
    let sub = dir.join("sub");
    fs.create_dir_if_missing(dir).unwrap();
    fs.create_dir_if_missing(&sub).unwrap();
    fs.create_dir_if_missing(&sub).unwrap();
    assert!(fs.is_dir(&sub).unwrap() && fs.exists(&sub).unwrap());
    let (a, b) = (dir.join("a"), dir.join("b"));
    for log in [false, true] {
        for preallocate in [0, 1 << 20] {
            let opts =
                WritableOptions { log, preallocate, bytes_per_sync: 4096, ..Default::default() };
            let mut f = fs.new_writable(&a, opts).unwrap();
            f.append(b"hello ").unwrap();
            f.append_record(b"header.", b"payload").unwrap();
            f.append(b"").unwrap();
            assert_eq!(f.size(), 20);
            f.flush().unwrap();
            assert_eq!(&fs.read_file(&a).unwrap()[..20], b"hello header.payload");
            f.syncer().sync().unwrap();
            f.append(&[7; 300_000]).unwrap();
            f.sync().unwrap();
            let syncer = f.syncer();
            f.close().unwrap();
            syncer.sync().unwrap();
            drop(f);
            assert_eq!(fs.file_size(&a).unwrap(), 300_020);
        }
    }
    for mmap in [false, true] {
        let r = fs.open_random_access(&a, mmap).unwrap();
        let mut buf = [0; 8];
        assert_eq!(r.read_at(6, &mut buf).unwrap(), 8);
        assert_eq!(&buf, b"header.p");
        assert_eq!(r.read_at(300_015, &mut buf).unwrap(), 5);
        assert_eq!(r.read_at(300_020, &mut buf).unwrap(), 0);
        assert_eq!(r.read_at(u64::MAX, &mut buf).unwrap(), 0);
        assert_eq!((r.size(), r.path()), (300_020, a.as_path()));
        assert_eq!(r.mapped().map(|m| m.len()), mmap.then_some(300_020));
    }
    fs.truncate(&a, 5).unwrap();
    assert_eq!(fs.read_file(&a).unwrap(), b"hello");
    assert!(fs.modified_time(&a).unwrap() > 1_600_000_000);
    fs.link(&a, &b).unwrap();
    assert!(fs.link(&a, &b).is_err());
    let mut names = fs.list_dir(dir).unwrap();
    names.sort();
    assert_eq!(names, ["a", "b", "sub"]);
    fs.remove_file(&a).unwrap();
    fs.rename(&b, &a).unwrap();
    assert!(!fs.exists(&b).unwrap() && !fs.is_dir(&a).unwrap());
    fs.sync_dir(dir).unwrap();
    assert!(fs.remove_dir(dir).is_err());
    fs.remove_file(&a).unwrap();
    fs.remove_dir(&sub).unwrap();
    assert!(fs.free_space(dir).unwrap() > 0);
    check_missing(fs, dir);
    let lock = fs.lock_file(&dir.join("LOCK")).unwrap();
    let e = fs.lock_file(&dir.join("LOCK")).map(|_| ()).unwrap_err();
    let e = crate::error::rocksdb_text(&e);
    assert!(e.starts_with("IO error: lock hold by current process"), "{e}");
    assert!(e.ends_with("/LOCK: No locks available"), "{e}");
    drop(lock);
    drop(fs.lock_file(&dir.join("LOCK")).unwrap());
    fs.remove_file(&dir.join("LOCK")).unwrap();
    fs.remove_dir(dir).unwrap();
    assert!(!fs.exists(dir).unwrap());
}

fn check_missing(fs: &dyn FileSystem, dir: &Path) {
    let none = dir.join("none");
    let results = [
        fs.open_random_access(&none, false).map(|_| ()),
        fs.open_random_access(&none, true).map(|_| ()),
        fs.read_file(&none).map(|_| ()),
        fs.file_size(&none).map(|_| ()),
        fs.modified_time(&none).map(|_| ()),
        fs.list_dir(&none).map(|_| ()),
        fs.remove_file(&none),
        fs.rename(&none, &dir.join("x")),
        fs.link(&none, &dir.join("x")),
        fs.truncate(&none, 0),
        fs.sync_dir(&none),
        fs.new_writable(&none.join("x"), WritableOptions::default()).map(|_| ()),
    ];
    for (i, r) in results.into_iter().enumerate() {
        let e = r.unwrap_err();
        assert!(e.is_path_not_found(), "{i}: {e}");
        let text = e.to_string();
        assert!(
            crate::error::rocksdb_text(&e).starts_with("IO error: No such file or directory: ")
        );
        assert!(text.contains("none") && text.ends_with(": No such file or directory"), "{text}");
    }
}

#[test]
fn memory_keeps_the_contract() {
    check_contract(&MemFs::new(), Path::new("/some/dir"));
}

fn write(fs: &MemFs, path: &str, data: &[u8]) -> Box<dyn WritableFile> {
    let mut f = fs.new_writable(Path::new(path), WritableOptions::default()).unwrap();
    f.append(data).unwrap();
    f
}

#[test]
fn a_crash_drops_bytes_and_names_that_were_not_synced() {
    let fs = MemFs::new();
    let dir = Path::new("/db");
    fs.create_dir_if_missing(dir).unwrap();
    let mut kept = write(&fs, "/db/kept", b"synced");
    kept.sync().unwrap();
    kept.append(b" loose").unwrap();
    write(&fs, "/db/gone", b"x").sync().unwrap();
    fs.sync_dir(dir).unwrap();
    write(&fs, "/db/late", b"no sync of the directory").sync().unwrap();
    fs.remove_file(Path::new("/db/gone")).unwrap();

    let after = fs.crash_clone();
    assert_eq!(after.list_dir(dir).unwrap(), ["gone", "kept"]);
    assert_eq!(after.read_file(Path::new("/db/kept")).unwrap(), b"synced");
    let torn = fs.crash_clone_with(|_, loose| loose / 2);
    assert_eq!(torn.read_file(Path::new("/db/kept")).unwrap(), b"synced lo");

    // The clone is a separate file system.
    write(&after, "/db/kept", b"new");
    assert_eq!(fs.read_file(Path::new("/db/kept")).unwrap(), b"synced loose");
    fs.sync_dir(dir).unwrap();
    assert_eq!(fs.crash_clone().list_dir(dir).unwrap(), ["kept", "late"]);
}
