use super::super::response::Read;
use super::super::value::Blob;
use super::*;

#[test]
fn golden_reply() {
    let response = Read {
        value: Blob::from(b"v1"),
        app_id: 2,
        partition_index: 2,
        server: "127.0.0.1:34801".into(),
        ..Read::default()
    };
    let mut out = b"before".to_vec();
    write_ok(b"RPC_RRDB_RRDB_GET", 7, &response, &mut out);
    let mut expected = b"before\0\0\0\x68\0\0\0\x06ERR_OK\x80\x01\0\x02\0\0\0\x15".to_vec();
    expected.extend_from_slice(b"RPC_RRDB_RRDB_GET_ACK\0\0\0\x07\x0c\0\0\x08\0\x01\0\0\0\0");
    expected.extend_from_slice(b"\x0c\0\x02\0\0\0\x02v1\x08\0\x03\0\0\0\x02\x08\0\x04\0\0\0\x02");
    expected.extend_from_slice(b"\x0b\0\x06\0\0\0\x0f127.0.0.1:34801\0\0");
    assert_eq!(out, expected);
    assert_eq!(out.len(), 6 + 104);
    let (received, len) = read::<Read<'_>>(&out[6..]).unwrap().unwrap();
    assert_eq!((received.method, received.sequence, len), (&b"RPC_RRDB_RRDB_GET_ACK"[..], 7, 104));
    assert_eq!(received.response, Ok(response));
    for len in 0..104 {
        assert_eq!(read::<Read<'_>>(&out[6..6 + len]).unwrap(), None);
    }
}

#[test]
fn golden_error() {
    let mut out = Vec::new();
    write_error(ErrorName::InvalidState, b"RPC_RRDB_RRDB_GET", 7, &mut out);
    let mut expected = b"\0\0\0\x3a\0\0\0\x11ERR_INVALID_STATE\x80\x01\0\x02\0\0\0\x15".to_vec();
    expected.extend_from_slice(b"RPC_RRDB_RRDB_GET_ACK\0\0\0\x07");
    assert_eq!(out, expected);
    assert_eq!(out.len(), 58);
    let (received, _) = read::<Read<'_>>(&out).unwrap().unwrap();
    assert_eq!(received.response, Err(ErrorName::InvalidState));
    assert!(read::<Read<'_>>(b"\0\0\0\x03").is_err());
}
