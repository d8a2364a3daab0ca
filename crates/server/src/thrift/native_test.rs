//! The requests and replies in hexadecimal were made by a program of a few lines from the layout of the head, not by
//! this code.

use super::super::frame::parse as parse_frame;
use super::super::reply::{self, Received};
use super::super::request::{MultiGet, Put};
use super::super::response::Read;
use super::super::value::Blob;
use super::*;

/// GET with the raw key of "h1" and "s1" from 127.0.0.1:12345; number 7, with numbers of methods of the client's build.
const GET: &str = "5244534e 00000000 c0000000 00000000 0e000000 00000000 07000000 00000000 88776655 \
    44332211 5250435f 52524442 5f525244 425f4745 54000000 00000000 00000000 00000000 \
    00000000 00000000 00000000 00000000 63000000 05000000 02000000 02000000 41040000 \
    00000000 01003930 0100007f e8030000 e03d0000 dae435e6 17fde1aa 00000000 00000000 \
    00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 \
    00000000 00000000 00000000 0c000000 00000600 02683173 3100";
/// The places in GET of its checksums, and their bytes when the client computes them.
const GET_SUMS: [(usize, [u8; 4]); 2] =
    [(12, [0x9c, 0x6d, 0xf4, 0xb6]), (20, [0x8c, 0x1c, 0x4a, 0x05])];
/// The reply: value "v1".
const OK: &str = "5244534e 00000000 c0000000 00000000 39000000 00000000 07000000 00000000 88776655 \
    44332211 5250435f 52524442 5f525244 425f4745 545f4143 4b000000 00000000 00000000 \
    00000000 00000000 00000000 00000000 00000000 00000000 02000000 02000000 40040000 \
    00000000 00000000 00000000 e8030000 e03d0000 dae435e6 17fde1aa 4552525f 4f4b0000 \
    00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 \
    00000000 00000000 00000000 0c000008 00010000 00000c00 02000000 02763108 00030000 \
    00020800 04000000 020b0006 0000000f 3132372e 302e302e 313a3334 38303100 00";
const OK_SUMS: [(usize, [u8; 4]); 2] =
    [(12, [0xa9, 0x8c, 0xf8, 0xdf]), (20, [0x74, 0x31, 0xc9, 0xbe])];
/// A reply with an error.
const ERROR: &str = "5244534e 00000000 c0000000 00000000 00000000 00000000 07000000 00000000 88776655 \
    44332211 5250435f 52524442 5f525244 425f4745 545f4143 4b000000 00000000 00000000 \
    00000000 00000000 00000000 00000000 00000000 00000000 02000000 02000000 40040000 \
    00000000 00000000 00000000 e8030000 e03d0000 dae435e6 17fde1aa 4552525f 494e5641 \
    4c49445f 53544154 45000000 00000000 00000000 00000000 00000000 00000000 00000000 \
    00000000 00000000 00000000";

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

fn with_sums(hex: &str, sums: [(usize, [u8; 4]); 2]) -> Vec<u8> {
    let mut bytes = bytes(hex);
    sums.iter().for_each(|(at, sum)| bytes[*at..at + 4].copy_from_slice(sum));
    bytes
}

fn whole(input: &[u8]) -> (Request<'_>, usize) {
    match parse_frame(input, 1 << 20).unwrap() {
        Frame::Whole(request, len) => (request, len),
        Frame::Partial(needed) => panic!("{needed} bytes needed"),
    }
}

fn refusal(input: &[u8]) -> String {
    parse_frame(input, 1 << 20).unwrap_err().to_string()
}

fn response() -> Read<'static> {
    let (value, server) = (Blob::from(b"v1"), "127.0.0.1:34801".into());
    Read { value, app_id: 2, partition_index: 2, server, ..Read::default() }
}

#[test]
fn golden_requests_are_read() {
    for mut input in [bytes(GET), with_sums(GET, GET_SUMS)] {
        input.extend_from_slice(b"THFTnext");
        let (request, consumed) = whole(&input);
        assert_eq!(consumed, 206);
        assert_eq!((request.head, request.sequence, request.body_bytes), (HEAD, 7, 14));
        assert_eq!(request.method, b"RPC_RRDB_RRDB_GET");
        assert_eq!(request.argument::<Blob<'_>>().unwrap(), Blob::from(b"\0\x02h1s1"));
    }
}

#[test]
fn golden_replies_are_written() {
    for (input, expected) in
        [(bytes(GET), bytes(OK)), (with_sums(GET, GET_SUMS), with_sums(OK, OK_SUMS))]
    {
        let mut out = b"before".to_vec();
        reply::answer(&whole(&input).0, &response(), &mut out);
        assert_eq!(out[6..], expected);
        let (received, len) = reply::read::<Read<'_>>(&out[6..]).unwrap().unwrap();
        assert_eq!((received.method, received.sequence), (&b"RPC_RRDB_RRDB_GET_ACK"[..], 7));
        assert_eq!((received.response, len), (Ok(response()), expected.len()));
        for len in 4..expected.len() {
            assert_eq!(reply::read::<Read<'_>>(&expected[..len]).unwrap(), None);
        }
    }
}

#[test]
fn golden_error_is_written() {
    let (input, mut out) = (bytes(GET), Vec::new());
    reply::refuse(&whole(&input).0, ErrorName::InvalidState, &mut out);
    assert_eq!(out, bytes(ERROR));
    let Received { response, .. } = reply::read::<Read<'_>>(&out).unwrap().unwrap().0;
    assert_eq!(response, Err(ErrorName::InvalidState));
}

#[test]
fn requests_are_written_as_the_golden_one() {
    for (are_wanted, is_backup_request) in [(false, false), (true, false), (true, true)] {
        let (head, mut out) = (Head { is_backup_request, ..HEAD }, Vec::new());
        write_request(
            &head,
            "RPC_RRDB_RRDB_GET",
            7,
            &Blob::from(b"\0\x02h1s1"),
            are_wanted,
            &mut out,
        );
        assert_eq!(whole(&out).0.head, head);
        assert_eq!(out[12..16] == [0; 4], !are_wanted);
        // The checksums, the number for tracing, the number of the method, the bit, and the sender.
        let mut expected = bytes(GET);
        for (from, to) in [(12, 16), (20, 24), (32, 40), (88, 96), (105, 106), (112, 120)] {
            expected[from..to].fill(0);
            out[from..to].fill(0);
        }
        assert_eq!(out, expected);
    }
}

#[test]
fn every_prefix_is_partial_and_asks_for_bytes() {
    let input = with_sums(GET, GET_SUMS);
    for len in 0..input.len() {
        match parse_frame(&input[..len], 1 << 20).unwrap() {
            Frame::Partial(needed) => assert!(needed > len && needed <= input.len(), "{len}"),
            Frame::Whole(..) => panic!("{len} of {} bytes are a request", input.len()),
        }
    }
}

#[test]
fn every_changed_bit_of_a_checked_request_is_found() {
    let input = with_sums(GET, GET_SUMS);
    for at in 0..input.len() {
        let mut input = input.clone();
        input[at] ^= 1 << (at % 8);
        assert!(parse_frame(&input, 1 << 20).is_err(), "byte {at}");
    }
}

#[test]
fn bad_heads_are_refused() {
    let changed = |at: usize, byte: u8| {
        let mut input = bytes(GET);
        input[at] = byte;
        input
    };
    assert!(refusal(&changed(4, 1)).contains("found version 1 and 192 bytes"));
    assert!(refusal(&changed(8, 200)).contains("found version 0 and 200 bytes"));
    assert!(
        refusal(&changed(12, 1))
            .contains("the head of an RDSN message: its checksum says 00000001")
    );
    assert!(refusal(&changed(18, 0x20)).contains("a body of at most 1048576 bytes"));
    assert!(refusal(&changed(20, 1)).contains("the body of an RDSN message"));
    assert_eq!(refusal(&changed(104, 0x40)), "expected an RDSN request, found a reply");
}

#[test]
fn bodies_of_other_formats_are_refused_by_number() {
    // Thrift's JSON protocol.
    let mut input = bytes(GET);
    input[104] = 0xc1;
    let error = whole(&input).0.argument::<Blob<'_>>().unwrap_err();
    assert_eq!(error.to_string(), "expected a body of format 1, found 3");
}

#[test]
fn names_may_fill_their_place() {
    let mut input = bytes(GET);
    input[40..88].fill(b'N');
    let (request, _) = whole(&input);
    assert_eq!(request.method, [b'N'; 48]);
    let mut out = Vec::new();
    reply::refuse(&request, ErrorName::HandlerNotFound, &mut out);
    assert_eq!(out[40..88], [&[b'N'; 47][..], &[0]].concat());
    input[40..88].fill(0);
    assert_eq!(whole(&input).0.method, b"");
}

#[test]
fn missing_arguments_have_defaults() {
    let mut out = Vec::new();
    write_request(&HEAD, "M", 1, &None::<i64>, true, &mut out);
    assert_eq!(whole(&out).0.argument::<MultiGet<'_>>().unwrap(), MultiGet::default());
    out.truncate(HEAD_LEN);
    out[12..24].fill(0);
    let error = whole(&out).0.argument::<Put<'_>>().unwrap_err();
    assert!(error.to_string().contains("expected 1 bytes, found 0"), "{error}");
}

#[test]
fn replies_with_unknown_errors_are_refused() {
    let mut reply = bytes(ERROR);
    reply[136 + 4] = b'X';
    let error = reply::read::<Read<'_>>(&reply).unwrap_err();
    assert_eq!(error.to_string(), "expected an error, found \"ERR_XNVALID_STATE\"");
}
