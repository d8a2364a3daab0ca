//! Files for ingestion.

use ferrolith::ingest::SstFileWriter;
use ferrolith::{ColumnFamilyOptions, Db, ErrorKind, Options};

#[test]
fn a_file_goes_into_any_family_and_wins_over_what_was_there() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("load.sst");
    let mut writer = SstFileWriter::create(Options::new(), &file).unwrap();
    writer.put("a", "file").unwrap();
    let e = writer.put("a", "again").unwrap_err();
    assert_eq!(e.kind(), ErrorKind::InvalidArgument);
    writer.delete("b").unwrap();
    writer.delete_range("x", "z").unwrap();
    let info = writer.finish().unwrap();
    assert_eq!((info.num_entries, info.num_range_del_entries), (2, 1));

    let options =
        Options::new().create_if_missing(true).column_family("loaded", ColumnFamilyOptions::new());
    let db = Db::open_with(options, dir.path().join("db")).unwrap();
    let family = db.cf("loaded").unwrap();
    for key in ["a", "b", "c", "y"] {
        family.put(key, "old").unwrap();
        db.put(key, "default").unwrap();
    }
    family.ingest_external_file([&file]).unwrap();
    let found: Vec<_> = family.iter().map(Result::unwrap).collect();
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!((&found[0].1[..], &found[1].0[..]), (&b"file"[..], &b"c"[..]));
    assert_eq!(db.iter().count(), 4, "the default family has nothing of it");
}

#[test]
fn an_empty_file_and_one_of_another_order_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let empty = SstFileWriter::create(Options::new(), dir.path().join("empty.sst")).unwrap();
    assert_eq!(empty.finish().unwrap_err().kind(), ErrorKind::InvalidArgument);
    let file = dir.path().join("reverse.sst");
    let mut writer = SstFileWriter::create(Options::new().reverse_order(), &file).unwrap();
    writer.put("b", "1").unwrap();
    writer.put("a", "1").unwrap();
    writer.finish().unwrap();
    let db = Db::open(dir.path().join("db")).unwrap();
    assert!(db.ingest_external_file([&file]).is_err());
    assert_eq!(db.iter().count(), 0);
}
