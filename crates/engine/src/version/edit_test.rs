use super::super::file_meta::MAX_FILE_NUMBER;
use super::*;
use crate::version::testing::{ikey, real_manifests, records_of, shared};
use serde_json::{Value, json};

/// Describes an edit in the format of the independent parser.
fn describe(edit: &VersionEdit) -> Vec<Value> {
    let mut fields = Vec::new();
    let mut put = |name: &str, v: Option<u64>| {
        if let Some(v) = v {
            fields.push(json!([name, v]));
        }
    };
    put("log", edit.log_number);
    put("prev_log", edit.prev_log_number);
    put("next_file", edit.next_file_number);
    put("max_cf", edit.max_column_family.map(u64::from));
    put("min_log_keep", edit.min_log_number_to_keep);
    put("last_seq", edit.last_sequence);
    put("cf", (edit.column_family != 0).then_some(u64::from(edit.column_family)));
    put("atomic", edit.in_atomic_group.map(u64::from));
    if let Some(name) = &edit.comparator {
        fields.push(json!(["comparator", name]));
    }
    if let Some(name) = &edit.column_family_add {
        fields.push(json!(["cf_add", name]));
    }
    if edit.column_family_drop {
        fields.push(json!(["cf_drop"]));
    }
    for (level, number) in &edit.deleted_files {
        fields.push(json!(["del_file", level, number]));
    }
    for (level, f) in &edit.new_files {
        fields.push(json!(["new103", level, f.number, f.file_size]));
    }
    for b in &edit.blob_file_additions {
        fields.push(json!(["blob_add", [b.number, b.total_count, b.total_bytes]]));
    }
    fields.sort_by_key(Value::to_string);
    fields
}

/// The vector's fields, reduced to those that [`describe`] returns.
fn expected(parsed: &Value) -> Vec<Value> {
    let mut fields = Vec::new();
    for field in parsed.as_array().unwrap() {
        let field = field.as_array().unwrap();
        let name = field[0].as_str().unwrap();
        match name {
            "new103" => fields.push(Value::from(field[..4].to_vec())),
            "blob_add" => fields.push(Value::from(field[..2].to_vec())),
            _ if name.starts_with("ign") => {}
            _ => fields.push(Value::from(field.clone())),
        }
    }
    fields.sort_by_key(Value::to_string);
    fields
}

#[test]
fn real_records_decode_to_what_an_independent_parser_read() {
    let mut count = 0;
    for (name, manifest) in real_manifests() {
        let parsed = manifest["parsed"].as_array().unwrap();
        for (record, parsed) in records_of(&manifest).iter().zip(parsed) {
            let edit = VersionEdit::decode(record).unwrap();
            assert_eq!(describe(&edit), expected(parsed), "{name}");
            count += 1;
        }
    }
    assert_eq!(count, 100);
}

#[test]
fn new_files_decode_with_all_their_fields() {
    let (_, manifest) =
        real_manifests().into_iter().find(|(n, _)| n == "manifest_levels_11").unwrap();
    let edit = VersionEdit::decode(&records_of(&manifest)[9]).unwrap();
    let (level, f) = &edit.new_files[0];
    assert_eq!((*level, f.number, f.file_size), (0, 11, 6846));
    assert_eq!((f.smallest_seqno, f.largest_seqno), (2001, 2671));
    assert_eq!(
        (f.smallest_user_key(), f.largest_user_key()),
        (&b"key000000"[..], &b"key001999"[..])
    );
    assert_eq!((f.oldest_ancestor_time, f.file_creation_time), (1_795_210_140, 1_795_210_140));
    assert_eq!((f.epoch_number, f.compensated_range_deletion_size, f.tail_size), (2, 2341, 2332));
    assert_eq!(f.unique_id.unwrap()[..4], [0xe4, 0xce, 0x74, 0xa4]);
}

#[test]
fn real_records_encode_to_the_same_bytes() {
    // Records of 11.x contain tag 8203, which is not needed and not kept.
    let mut same = 0;
    for (name, manifest) in real_manifests() {
        for record in records_of(&manifest) {
            let edit = VersionEdit::decode(&record).unwrap();
            let again = edit.encode();
            if edit == VersionEdit::default() {
                continue;
            }
            assert_eq!(again, record, "{name}: {edit:?}");
            same += 1;
        }
    }
    assert_eq!(same, 94);
}

fn full_edit() -> VersionEdit {
    let mut f = crate::version::testing::file(77, ("a", "z"), (3, 9));
    f.oldest_ancestor_time = 1_700_000_000;
    f.file_creation_time = 1_700_000_001;
    f.epoch_number = 12;
    f.unique_id = Some([7; 16]);
    f.file_checksum = vec![1, 2, 3];
    f.file_checksum_func_name = "FileChecksumCrc32c".into();
    f.temperature = 4;
    f.marked_for_compaction = true;
    f.oldest_blob_file_number = 70;
    f.compensated_range_deletion_size = 5;
    f.tail_size = 99;
    VersionEdit {
        column_family: 3,
        comparator: Some("leveldb.BytewiseComparator".into()),
        log_number: Some(5),
        prev_log_number: Some(0),
        next_file_number: Some(90),
        max_column_family: Some(4),
        min_log_number_to_keep: Some(300),
        last_sequence: Some(1 << 40),
        db_id: Some("an id".into()),
        compact_cursors: vec![(1, ikey("m", 5))],
        deleted_files: vec![(0, 5), (6, MAX_FILE_NUMBER)],
        new_files: vec![(2, Arc::new(f)), (0, shared(78, ("", ""), (1, 1)))],
        blob_file_additions: vec![BlobFileAddition {
            number: 9,
            total_count: 2,
            total_bytes: 300,
            checksum_method: b"m".to_vec(),
            checksum_value: b"v".to_vec(),
        }],
        blob_file_garbage: vec![BlobFileGarbage {
            number: 9,
            garbage_count: 1,
            garbage_bytes: 150,
        }],
        wal_additions: vec![
            WalAddition { number: 6, synced_size: None },
            WalAddition { number: 7, synced_size: Some(4096) },
        ],
        wal_deletion: Some(6),
        column_family_add: Some("name".into()),
        column_family_drop: true,
        in_atomic_group: Some(2),
        full_history_ts_low: Some(vec![8; 8]),
        persist_user_defined_timestamps: Some(true),
    }
}

#[test]
fn every_field_survives() {
    let edit = full_edit();
    assert_eq!(VersionEdit::decode(&edit.encode()).unwrap(), edit);
    let empty = VersionEdit::default();
    assert!(empty.encode().is_empty());
    assert_eq!(VersionEdit::decode(&[]).unwrap(), empty);
}

#[test]
fn old_spellings_are_understood() {
    let mut r = Vec::new();
    let wal = |r: &mut Vec<u8>| {
        put_varint64(r, 12);
        put_varint32(r, WAL_FIELD_SYNCED_SIZE);
        put_varint64(r, 1000);
        put_varint32(r, WAL_FIELD_END);
    };
    put_varint32(&mut r, tag::WAL_ADDITION_OLD);
    wal(&mut r);
    put_varint32(&mut r, tag::WAL_DELETION_OLD);
    put_varint64(&mut r, 11);
    put_varint32(&mut r, tag::BLOB_FILE_GARBAGE_OLD);
    r.extend([5, 6, 7, 0]);
    put_varint32(&mut r, tag::BLOB_FILE_ADDITION_OLD);
    r.extend([5, 6, 7, 0, 0, 0]);
    let edit = VersionEdit::decode(&r).unwrap();
    assert_eq!(edit.wal_additions, [WalAddition { number: 12, synced_size: Some(1000) }]);
    assert_eq!(edit.wal_deletion, Some(11));
    assert_eq!(edit.blob_file_garbage[0].garbage_bytes, 7);
    assert_eq!(edit.blob_file_additions[0].total_count, 6);
}

#[test]
fn unknown_fields_are_skipped_only_where_that_is_allowed() {
    let refused = |bytes: &[u8], text: &str| {
        let e = VersionEdit::decode(bytes).unwrap_err();
        assert!(e.is_corruption() && e.message().contains(text), "{e}");
    };
    refused(&[0xf4, 0x03], "tag 500 at byte 0: unknown tag");
    refused(&[8], "unknown tag");
    refused(&[2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], "log number: expected");
    refused(&[4, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01], "last sequence: expected");
    refused(&[5, 0, 3, b'a', b'b', b'c'], "expected an internal key, found 3 bytes");
    refused(&[0x90, 0x03, 1, 1, 1, 0, 0, 65, 0], "custom field 65 of a blob file unknown");

    let mut ignorable = Vec::new();
    put_string(&mut ignorable, 9000, b"hello");
    put_number(&mut ignorable, tag::LOG_NUMBER, Some(4));
    assert_eq!(VersionEdit::decode(&ignorable).unwrap().log_number, Some(4));
}

#[test]
fn a_file_has_one_of_four_paths() {
    let in_path = |path: u8| {
        let mut edit = VersionEdit::default();
        edit.add_file(1, shared(7, ("a", "b"), (1, 1)));
        let mut r = edit.encode();
        r.pop();
        r.extend([65, 1, path, 1]);
        r
    };
    for path in [1, 3] {
        let edit = VersionEdit::decode(&in_path(path)).unwrap();
        assert_eq!(edit.new_files[0].1.path_id, u32::from(path));
        assert_eq!(VersionEdit::decode(&edit.encode()).unwrap(), edit);
    }
    let e = VersionEdit::decode(&in_path(4)).unwrap_err();
    assert!(e.is_corruption());
    assert!(e.message().contains("path id of a new file: expected 0 to 3, found 4"), "{e}");
}

#[test]
fn damaged_records_are_errors_or_other_edits_and_never_panics() {
    let mut records = vec![full_edit().encode()];
    for (_, manifest) in real_manifests() {
        records.extend(records_of(&manifest));
    }
    let mut rng = fastrand::Rng::with_seed(5);
    for record in &records {
        for n in 0..record.len() {
            let _ = VersionEdit::decode(&record[..n]);
        }
        for _ in 0..400 {
            let mut r = record.clone();
            for _ in 0..rng.usize(1..4) {
                if r.is_empty() {
                    break;
                }
                let at = rng.usize(..r.len());
                match rng.u8(..4) {
                    0 => r[at] = rng.u8(..),
                    1 => r[at] ^= 1 << rng.u8(..8),
                    2 => drop(r.drain(at..)),
                    _ => r.insert(at, rng.u8(..)),
                }
            }
            if let Ok(edit) = VersionEdit::decode(&r) {
                // A decoded edit can be encoded again.
                assert_eq!(VersionEdit::decode(&edit.encode()).unwrap(), edit);
            }
        }
    }
}
