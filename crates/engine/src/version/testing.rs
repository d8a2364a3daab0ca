//! Helpers of this folder's tests: the vectors, and files made by hand.

use super::FileMeta;
use crate::base::ValueType;
use crate::base::key::{append_internal_key, pack_trailer};
use serde_json::Value;
use std::sync::Arc;

/// The bytes that a string of hexadecimal digits stands for.
pub(crate) fn unhex(s: &str) -> Vec<u8> {
    assert!(s.len().is_multiple_of(2));
    (0..s.len()).step_by(2).map(|i| u8::from_str_radix(&s[i..i + 2], 16).unwrap()).collect()
}

/// The bytes behind a key of a JSON object.
pub(crate) fn bytes_of(v: &Value, key: &str) -> Vec<u8> {
    unhex(v[key].as_str().unwrap_or_else(|| panic!("no {key}")))
}

/// The real MANIFESTs: name, object with `hex`, `offsets`, `parsed`.
pub(crate) fn real_manifests() -> Vec<(String, Value)> {
    let v: Value = serde_json::from_str(include_str!("testdata/manifests.json")).unwrap();
    v.as_object().unwrap().iter().map(|(k, v)| (k.clone(), v.clone())).collect()
}

/// The records of a MANIFEST that fits one block, found at the offsets that the vector names.
pub(crate) fn records_of(manifest: &Value) -> Vec<Vec<u8>> {
    let bytes = bytes_of(manifest, "hex");
    let offsets = manifest["offsets"].as_array().unwrap();
    let at = |o: &Value| o.as_u64().unwrap() as usize;
    let record = |o: usize| {
        let len = usize::from(u16::from_le_bytes([bytes[o + 4], bytes[o + 5]]));
        assert_eq!(bytes[o + 6], 1, "a record in one piece");
        bytes[o + 7..o + 7 + len].to_vec()
    };
    offsets.iter().map(|o| record(at(o))).collect()
}

/// An internal key of a value.
pub(crate) fn ikey(user_key: impl AsRef<[u8]>, seq: u64) -> Vec<u8> {
    let mut key = Vec::new();
    append_internal_key(&mut key, user_key.as_ref(), pack_trailer(seq, ValueType::Value));
    key
}

/// A file of 1000 bytes with the keys `[smallest, largest]`, written at sequence numbers `seqs`.
pub(crate) fn file(number: u64, keys: (&str, &str), seqs: (u64, u64)) -> FileMeta {
    let mut f = FileMeta::new(number, 1000, ikey(keys.0, seqs.1), ikey(keys.1, seqs.0));
    (f.smallest_seqno, f.largest_seqno) = seqs;
    f
}

/// [`file`], counted.
pub(crate) fn shared(number: u64, keys: (&str, &str), seqs: (u64, u64)) -> Arc<FileMeta> {
    Arc::new(file(number, keys, seqs))
}
