use super::*;
use crate::fs::mem::MemFs;

#[test]
fn names_are_parsed() {
    let cases: &[(&str, Option<FileKind>)] = &[
        ("CURRENT", Some(FileKind::Current)),
        ("LOCK", Some(FileKind::Lock)),
        ("IDENTITY", Some(FileKind::Identity)),
        ("LOG", Some(FileKind::InfoLog(None))),
        ("LOG.old.1700000000000001", Some(FileKind::InfoLog(Some(1_700_000_000_000_001)))),
        ("MANIFEST-000005", Some(FileKind::Manifest(5))),
        ("MANIFEST-7", Some(FileKind::Manifest(7))),
        ("000012.sst", Some(FileKind::Table(12))),
        ("12.ldb", Some(FileKind::Table(12))),
        ("1234567.log", Some(FileKind::Wal(1_234_567))),
        ("000003.blob", Some(FileKind::Blob(3))),
        ("OPTIONS-000007", Some(FileKind::Options(7))),
        ("OPTIONS-000006.dbtmp", Some(FileKind::Temp(6))),
        ("000000.dbtmp", Some(FileKind::Temp(0))),
        ("COMPACTION_PROGRESS-17", Some(FileKind::CompactionProgress(17))),
        ("METADB-1", Some(FileKind::MetaDb(1))),
        ("18446744073709551615.sst", Some(FileKind::Table(u64::MAX))),
        ("18446744073709551616.sst", None),
        ("", None),
        (".sst", None),
        ("+1.sst", None),
        ("12", None),
        ("12.sst2", None),
        ("foo.sst", None),
        ("MANIFEST-", None),
        ("MANIFEST-x", None),
        ("MANIFEST", None),
        ("LOG.old.x", None),
        ("archive", None),
        ("CURRENT.bak", None),
    ];
    for (name, want) in cases {
        assert_eq!(parse_file_name(name), *want, "{name:?}");
    }
}

#[test]
fn made_names_are_parsed_back() {
    let dir = Path::new("/d");
    for n in [0, 1, 999_999, 1_000_000, u64::MAX] {
        for (path, want) in [
            (table_file_name(dir, n), FileKind::Table(n)),
            (leveldb_table_file_name(dir, n), FileKind::Table(n)),
            (wal_file_name(dir, n), FileKind::Wal(n)),
            (dir.join(format!("{n:06}.blob")), FileKind::Blob(n)),
            (manifest_file_name(dir, n), FileKind::Manifest(n)),
            (options_file_name(dir, n), FileKind::Options(n)),
            (temp_options_file_name(dir, n), FileKind::Temp(n)),
            (temp_file_name(dir, n), FileKind::Temp(n)),
            (old_info_log_file_name(dir, n), FileKind::InfoLog(Some(n))),
        ] {
            assert_eq!(path.parent(), Some(dir));
            assert_eq!(parse_file_name(path.file_name().unwrap().to_str().unwrap()), Some(want));
        }
    }
    assert_eq!(archived_wal_file_name(dir, 3), Path::new("/d/archive/000003.log"));
}

#[test]
fn current_is_switched_and_survives_a_crash() {
    let fs = MemFs::new();
    let dir = Path::new("/db");
    fs.create_dir_if_missing(dir).unwrap();
    assert!(read_current(&fs, dir).unwrap_err().is_path_not_found());
    set_current_file(&fs, dir, 5, true).unwrap();
    assert_eq!(fs.read_file(Path::new("/db/CURRENT")).unwrap(), b"MANIFEST-000005\n");
    set_current_file(&fs, dir, 6, false).unwrap();
    assert_eq!(read_current(&fs, dir).unwrap().1, 6);
    let after = fs.crash_clone();
    assert_eq!(read_current(&after, dir).unwrap(), (PathBuf::from("/db/MANIFEST-000005"), 5));
    assert_eq!(fs.list_dir(dir).unwrap(), ["CURRENT"]);
    set_identity_file(&fs, dir, "some-id").unwrap();
    assert_eq!(fs.read_file(Path::new("/db/IDENTITY")).unwrap(), b"some-id");
}

#[test]
fn a_broken_current_is_named() {
    let fs = MemFs::new();
    let dir = Path::new("/db");
    fs.create_dir_if_missing(dir).unwrap();
    for (content, want) in [
        (&b"MANIFEST-000005"[..], "does not end with newline"),
        (b"", "does not end with newline"),
        (b"000005.log\n", "expected MANIFEST-N"),
        (b"\xff\xfe\n", "expected MANIFEST-N"),
        (b"../MANIFEST-000005\n", "expected MANIFEST-N"),
    ] {
        let mut f = fs.new_writable(&current_file_name(dir), WritableOptions::default()).unwrap();
        f.append(content).unwrap();
        f.close().unwrap();
        let e = read_current(&fs, dir).unwrap_err();
        assert!(e.is_corruption() && e.to_string().contains(want), "{e}");
    }
}
