//! Messages of the framing that Pegasus's C++ client uses. `input = kind:1 bytes`: a request, a request whose lengths and
//! checksums are set right, a reply, or a reply whose lengths and checksums are set right.
//!
//! * Nothing panics; memory is bounded by a multiple of the input.
//! * Every prefix of a request is incomplete, and asks for no more bytes than the request has.
//! * A head that was decoded is the same after it is encoded and decoded again, as are arguments and replies.
//! * A reply has the numbers, the place and the times of its request, and checksums if that has one.

use super::thrift::{argument, arguments, check_argument, check_reply};
use ferrolith_server::thrift::frame::{Frame, Head, Request, parse};
use ferrolith_server::thrift::native::{self, HEAD_LEN};
use ferrolith_server::thrift::response::Read;
use ferrolith_server::thrift::{Blob, ErrorName, reply};

const BODY_MAX: usize = 1 << 20;

/// Checks one input.
pub fn run(input: &[u8]) {
    let Some((kind, bytes)) = input.split_first() else { return };
    match kind % 4 {
        0 => check_request(bytes),
        1 => check_request(&sealed(bytes, kind & 4 != 0)),
        2 => check_reply(&[native::MAGIC, bytes].concat()),
        _ => check_reply(&sealed(bytes, kind & 4 != 0)),
    }
}

/// Returns a message whose lengths and checksums are right.
fn sealed(bytes: &[u8], has_checksums: bool) -> Vec<u8> {
    let mut message = bytes.to_vec();
    message.resize(bytes.len().max(HEAD_LEN), 0);
    native::seal(&mut message, has_checksums);
    message
}

fn check_request(bytes: &[u8]) {
    let (request, length) = match parse(bytes, BODY_MAX) {
        Ok(Frame::Whole(request, length)) => (request, length),
        Ok(Frame::Partial(needed)) => return assert!(needed > bytes.len(), "{needed}"),
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    assert!(length <= bytes.len() && length == request.frame_bytes, "{length}");
    for cut in [0, 1, 3, 4, 15, 16, 191, 192, length / 2, length - 1] {
        let prefix = &bytes[..cut.min(length - 1)];
        let Ok(Frame::Partial(needed)) = parse(prefix, BODY_MAX) else {
            panic!("a prefix of {cut} bytes is not incomplete")
        };
        assert!((prefix.len() + 1..=length).contains(&needed), "{needed} of {length}");
    }
    if !bytes.starts_with(native::MAGIC) {
        return;
    }
    let (mut again, number) = (Vec::new(), request.sequence as u64);
    native::write_request(&request.head, "m", number, &0i64, true, &mut again);
    let Ok(Frame::Whole(written, _)) = parse(&again, BODY_MAX) else { panic!("a whole request") };
    assert_eq!((written.head, written.sequence), (request.head, request.sequence));
    check_answers(&request, bytes);
    check_argument(&request);
}

/// Answers a request and reads the reply.
fn check_answers(request: &Request<'_>, bytes: &[u8]) {
    let response = Read { value: Blob::from(b"v"), ..Read::default() };
    let (mut answer, mut refusal) = (Vec::new(), Vec::new());
    reply::answer(request, &response, &mut answer);
    reply::refuse(request, ErrorName::Busy, &mut refusal);
    for (out, expected) in [(answer, Ok(response)), (refusal, Err(ErrorName::Busy))] {
        let (received, length) = reply::read::<Read<'_>>(&out).expect("a reply").expect("whole");
        assert_eq!((received.sequence, length), (request.sequence, out.len()));
        assert_eq!(received.response, expected);
        let name = [request.method, b"_ACK"].concat();
        assert_eq!(received.method, &name[..name.len().min(47)]);
        for (from, to) in [(24, 40), (96, 104), (120, 136)] {
            assert_eq!(out[from..to], bytes[from..to]);
        }
        assert_eq!(out[12..16] == [0; 4], bytes[12..16] == [0; 4]);
    }
}

/// Returns inputs to begin with.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    let head = Head { app_id: 1, partition: 3, timeout_ms: 1000, ..Head::default() };
    for (method, bytes) in arguments() {
        let mut message = Vec::new();
        native::write_request(&head, method, 9, &0i64, false, &mut message);
        message.truncate(HEAD_LEN);
        message.extend_from_slice(&bytes);
        for (kind, has_checksums) in [(0, false), (0, true), (1, false), (5, false)] {
            native::seal(&mut message, has_checksums);
            seeds.push([&[kind], &message[..]].concat());
        }
    }
    let (mut request, mut answer) = (Vec::new(), Vec::new());
    native::write_request(
        &head,
        "RPC_RRDB_RRDB_GET",
        9,
        &Blob::from(b"\0\x01hs"),
        true,
        &mut request,
    );
    if let Ok(Frame::Whole(request, _)) = parse(&request, BODY_MAX) {
        reply::answer(&request, &Read { value: Blob::from(b"v"), ..Read::default() }, &mut answer);
    }
    for kind in [3, 7] {
        seeds.push([&[kind], &answer[..]].concat());
    }
    seeds.push([&[2], &answer[4..]].concat());
    seeds.push([&[1], &argument(&Blob::from(b"\0\x01hs"))[..]].concat());
    seeds
}
