//! The change stream.

use ferrolith::{Changes, Db, ErrorKind, Options, WriteBatch, WriteOptions};
use std::time::Duration;

fn keeping_logs(dir: &std::path::Path) -> Db {
    let options = Options::new().create_if_missing(true).wal_ttl(Duration::from_secs(3600));
    Db::open_with(options, dir).unwrap()
}

fn sequences(changes: &mut Changes) -> Vec<u64> {
    changes.map(|change| change.unwrap().sequence).collect()
}

#[test]
fn a_stream_goes_on_after_its_end_and_into_new_logs() {
    let dir = tempfile::tempdir().unwrap();
    let db = keeping_logs(dir.path());
    let mut changes = db.get_updates_since(1).unwrap();
    assert_eq!(sequences(&mut changes), []);
    db.put("a", "1").unwrap();
    let mut batch = WriteBatch::new();
    batch.put("b", "2").put("c", "3");
    db.write(batch).unwrap();
    assert_eq!(sequences(&mut changes), [1, 2]);
    assert_eq!(sequences(&mut changes), []);
    for n in 4..8 {
        db.put("d", "4").unwrap();
        db.flush().unwrap();
        assert_eq!(sequences(&mut changes), [n]);
    }
    let first = db.get_updates_since(3).unwrap().next().unwrap().unwrap();
    assert_eq!((first.sequence, first.next_sequence()), (2, 4), "the batch that holds it");
    assert_eq!(sequences(&mut db.get_updates_since(100).unwrap()), []);
}

#[test]
fn what_no_log_has_is_an_error_and_not_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let db = keeping_logs(dir.path());
    let mut changes = db.get_updates_since(1).unwrap();
    db.put("a", "1").unwrap();
    db.put_opt("b", "2", &WriteOptions::new().disable_wal(true)).unwrap();
    db.put("c", "3").unwrap();
    assert_eq!(changes.next().unwrap().unwrap().sequence, 1);
    assert_eq!(changes.next().unwrap().unwrap_err().kind(), ErrorKind::NotFound);
    assert!(changes.next().is_none(), "an error ends the stream");
    let mut from_there = db.get_updates_since(2).unwrap();
    let e = from_there.next().unwrap().unwrap_err();
    assert!(e.kind() == ErrorKind::NotFound && e.message().contains("changes 2 to 2"), "{e}");
    assert_eq!(sequences(&mut db.get_updates_since(3).unwrap()), [3]);
}
