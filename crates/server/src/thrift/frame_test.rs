use super::super::request::MultiGet;
use super::super::value::Blob;
use super::*;

const GET_V0: &str = "54484654 00000000 00000030 00000000 0000002b 00000000 00000002 00000002 \
    000003e8 00003de0 aae1fd17 e635e4da 80010001 00000011 5250435f 52524442 \
    5f525244 425f4745 54000000 070c0001 00000006 00026831 733100";
const GET_V1: &str = "54484654 00000001 00000025 0000002b 08000100 00000208 00020000 00020800 \
    03000003 e80a0004 aae1fd17 e635e4da 02000500 00800100 01000000 11525043 \
    5f525244 425f5252 44425f47 45540000 00070c00 01000000 06000268 31733100";

const HEAD: Head = Head {
    app_id: 2,
    partition: 2,
    timeout_ms: 1000,
    partition_hash: 0xaae1_fd17_e635_e4da,
    is_backup_request: false,
};

fn bytes(hex: &str) -> Vec<u8> {
    let hex: String = hex.split_whitespace().collect();
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}

fn whole(input: &[u8]) -> (Request<'_>, usize) {
    match parse(input, 1 << 20).unwrap() {
        Frame::Whole(request, len) => (request, len),
        Frame::Partial(needed) => panic!("{needed} bytes needed"),
    }
}

#[test]
fn golden_requests_are_read() {
    for (hex, len) in [(GET_V0, 91), (GET_V1, 96)] {
        let mut input = bytes(hex);
        assert_eq!(input.len(), len);
        input.extend_from_slice(b"THFTnext");
        let (request, consumed) = whole(&input);
        assert_eq!(consumed, len);
        assert_eq!((request.head, request.sequence, request.body_bytes), (HEAD, 7, 43));
        assert_eq!(request.method, b"RPC_RRDB_RRDB_GET");
        assert_eq!(request.argument::<Blob<'_>>().unwrap(), Blob::from(b"\0\x02h1s1"));
    }
}

#[test]
fn golden_request_is_written() {
    let mut out = Vec::new();
    write_request(&HEAD, "RPC_RRDB_RRDB_GET", 7, &Blob::from(b"\0\x02h1s1"), &mut out);
    assert_eq!(out, bytes(GET_V0));
    out.clear();
    let backup = Head { is_backup_request: true, ..HEAD };
    write_request(&backup, "RPC_RRDB_RRDB_GET", 7, &Blob::from(b"\0\x02h1s1"), &mut out);
    let mut expected = bytes(GET_V1);
    // The value of the last field of the meta struct.
    expected[16 + 37 - 2] = 1;
    assert_eq!(out, expected);
}

#[test]
fn every_prefix_is_partial_and_asks_for_bytes() {
    for hex in [GET_V0, GET_V1] {
        let input = bytes(hex);
        for len in 0..input.len() {
            match parse(&input[..len], 1 << 20).unwrap() {
                Frame::Partial(needed) => assert!(needed > len && needed <= input.len(), "{len}"),
                Frame::Whole(..) => panic!("{len} of {} bytes are a request", input.len()),
            }
        }
    }
}

/// Returns the message of the error for a golden request with one byte changed.
fn refusal(hex: &str, at: usize, byte: u8) -> String {
    let mut input = bytes(hex);
    input[at] = byte;
    parse(&input, 1 << 20).unwrap_err().to_string()
}

#[test]
fn bad_heads_are_refused() {
    assert_eq!(refusal(GET_V0, 0, b'R'), "expected a request that begins with THFT or RDSN");
    assert_eq!(refusal(GET_V0, 7, 2), "expected header version 0 or 1, found 2");
    assert_eq!(refusal(GET_V0, 11, 49), "expected a head of 48 bytes, found 49");
    assert!(refusal(GET_V0, 16, 1).contains("a body of at most 1048576 bytes"));
    assert!(refusal(GET_V1, 9, 1).contains("at most 1024 bytes of meta"));
    assert!(refusal(GET_V0, 49, 2).contains("expected a strict message"));
    assert_eq!(refusal(GET_V0, 51, 2), "expected a message of type 1 or 4, found 2");
    assert_eq!(refusal(GET_V1, 16, 10), "field 1 of Meta: expected type 8, found 10");
    assert!(parse(b"GET ", 10).is_err());
    assert!(parse(b"TX", 10).is_err() && parse(b"RX", 10).is_err());
}

#[test]
fn missing_arguments_have_defaults() {
    let mut out = Vec::new();
    write_request(&HEAD, "M", 1, &None::<i64>, &mut out);
    assert_eq!(whole(&out).0.argument::<MultiGet<'_>>().unwrap(), MultiGet::default());
    assert_eq!(whole(&out).0.argument::<i64>().unwrap(), 0);
}

#[test]
fn an_argument_of_another_type_is_refused() {
    let mut out = Vec::new();
    write_request(&HEAD, "M", 1, &5_i32, &mut out);
    let error = whole(&out).0.argument::<i64>().unwrap_err();
    assert_eq!(error.to_string(), "field 1 of a request: expected type 10, found 8");
}
