use super::*;

fn batch() -> WriteBatch {
    let mut batch = WriteBatch::new();
    batch.put(b"a", b"1").unwrap();
    batch.delete_cf(3, b"b").unwrap();
    batch.put_log_data(b"note").unwrap();
    batch.set_sequence(77);
    batch
}

#[test]
fn the_bytes_are_those_of_rocksdb() {
    let mut small = WriteBatch::new();
    small.put(b"a", b"1").unwrap();
    small.set_sequence(9);
    let header = b"\x09\0\0\0\0\0\0\0\x01\0\0\0";
    let record = prepared_record(&small, b"xid", false);
    assert_eq!(record, [&header[..], b"\x09\x01\x01a\x011\x0a\x03xid"].concat());
    let again = prepared_record(&small, b"xid", true);
    assert_eq!(again, [&header[..], b"\x0c\x03xid\x09\x01\x01a\x011\x0a\x03xid"].concat());
    let end = ending_record(&small, b"xid");
    assert_eq!(end, [&header[..], b"\x0c\x03xid\x01\x01a\x011"].concat());
}

#[test]
fn a_section_is_a_batch_with_marks_and_changes_nothing() {
    for again in [false, true] {
        let section = WriteBatch::from_data(prepared_record(&batch(), b"x", again)).unwrap();
        assert_eq!((section.count(), section.sequence()), (2, 77));
        assert!(section.has_marks() && section.has_unsupported() && !section.needs_no_check());
        assert!(without_sections(section.into_data()).unwrap().is_none());
    }
}

#[test]
fn the_end_of_a_section_changes_what_its_records_say() {
    let plain = without_sections(ending_record(&batch(), b"x")).unwrap().unwrap();
    assert_eq!(plain.data(), batch().data());
    assert!(!plain.has_marks());
    assert!(without_sections(ending_record(&WriteBatch::new(), b"x")).unwrap().is_none());
    let untouched = without_sections(batch().into_data()).unwrap().unwrap();
    assert_eq!(untouched.data(), batch().data());
}

#[test]
fn records_around_a_section_are_kept() {
    let mut record = prepared_record(&batch(), b"x", false);
    // As a group of writers in RocksDB writes it: a put after the section.
    record.extend_from_slice(b"\x01\x01z\x01y");
    record[8] += 1;
    let plain = without_sections(record).unwrap().unwrap();
    let mut expected = WriteBatch::new();
    expected.put(b"z", b"y").unwrap();
    expected.set_sequence(77);
    assert_eq!(plain.data(), expected.data());
}

#[test]
fn what_stands_in_an_older_wal_is_not_left_out_in_silence() {
    let mut record = WriteBatch::new().into_data();
    record.extend_from_slice(b"\x0b\x01x");
    let error = without_sections(record).unwrap_err();
    assert!(error.to_string().contains("\"x\""), "{error}");
}
