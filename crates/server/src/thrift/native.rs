//! The other framing of Pegasus, which its C++ client, its shell and its Redis proxy use: a head of fixed length, and a
//! body without the wrapper of a Thrift message.
//!
//! ```text
//! offset  size  the integers of the head are little-endian
//!      0     4  "RDSN"
//!      4     4  version, 0
//!      8     4  length of the head, 192
//!     12     4  checksum of the head, with 0 in this place; 0 if the sender does not compute checksums
//!     16     4  length of the body
//!     20     4  checksum of the body; 0 if the sender does not compute checksums
//!     24     8  number of the request
//!     32     8  number for tracing
//!     40    48  name of the method, then zeros
//!     88     8  number of the method, and the hash of the table of such numbers
//!     96     8  i32 table id, i32 partition
//!    104     8  bits: 0 request, 6 to 9 format of the body (1 is Thrift's binary protocol), 11 backup request
//!    112     8  address of the sender; 0 if it is not known
//!    120     4  timeout in milliseconds
//!    124     4  thread hash
//!    128     8  partition hash
//!    136    48  name of the error, then zeros; in replies
//!    184     8  number of the error, and the hash of the table of such numbers
//!    192        body: a struct with one field, whose integers are big-endian
//! ```
//!
//! Checksums are CRC-32C.
//!
//! * **TN1** A reply repeats the head of its request, except: lengths, checksums, the method's name with `_ACK`, bit 0,
//!   and the error. It names no sender, which clients replace by the address that they are connected to, and no numbers
//!   of methods and errors, since they belong to one build of Pegasus: clients then use the names.
//! * **TN2** A reply has checksums if its request has one of the head.
//! * **TN3** A reply with an error has no body.

use super::error::{Malformed, Result};
use super::frame::{Frame, Head, Request, check_body};
use super::name::ErrorName;
use super::reader::{Reader, tag};
use super::value::Value;
use crc::{CRC_32_ISCSI, Crc, Table};

/// The first bytes of every message.
pub const MAGIC: &[u8; 4] = b"RDSN";
/// The length of the head.
pub const HEAD_LEN: usize = 192;

/// The format of bodies that can be decoded: Thrift's binary protocol.
pub(super) const BINARY: u8 = 1;

/// The length of a name with its last zero.
const NAME_LEN: usize = 48;
/// What follows the name of the request's method.
const SUFFIX: &[u8] = b"_ACK";

/// Offsets in the head.
mod at {
    pub const VERSION: usize = 4;
    pub const HEAD_LENGTH: usize = 8;
    pub const HEAD_CHECKSUM: usize = 12;
    pub const BODY_LENGTH: usize = 16;
    pub const BODY_CHECKSUM: usize = 20;
    pub const NUMBER: usize = 24;
    pub const METHOD: usize = 40;
    pub const METHOD_NUMBER: usize = 88;
    pub const TABLE: usize = 96;
    pub const PARTITION: usize = 100;
    pub const BITS: usize = 104;
    pub const SENDER: usize = 112;
    pub const TIMEOUT: usize = 120;
    pub const THREAD_HASH: usize = 124;
    pub const PARTITION_HASH: usize = 128;
    pub const ERROR: usize = 136;
    pub const ERROR_NUMBER: usize = 184;
}

/// Bits of the head.
mod bit {
    pub const REQUEST: u64 = 1;
    pub const FORMAT_SHIFT: u32 = 6;
    pub const FORMAT_MASK: u64 = 15;
    /// The client can follow a reply that names another server.
    pub const FORWARDS: u64 = 1 << 10;
    pub const BACKUP_REQUEST: u64 = 1 << 11;
}

static CRC: Crc<u32, Table<16>> = Crc::<u32, Table<16>>::new(&CRC_32_ISCSI);

/// The head of a message.
#[derive(Debug, Clone, Copy)]
pub struct NativeHead<'a>(&'a [u8; HEAD_LEN]);

impl<'a> NativeHead<'a> {
    fn u32(self, at: usize) -> u32 {
        let bytes = self.0.get(at..).and_then(<[u8]>::first_chunk);
        bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
    }

    fn i32(self, at: usize) -> i32 {
        self.u32(at) as i32
    }

    fn u64(self, at: usize) -> u64 {
        u64::from(self.u32(at + 4)) << 32 | u64::from(self.u32(at))
    }

    /// Returns the bytes before the first zero of a name, which has at most [`NAME_LEN`] bytes.
    fn name(self, at: usize) -> &'a [u8] {
        let name = self.0.get(at..at + NAME_LEN).unwrap_or_default();
        name.split(|byte| *byte == 0).next().unwrap_or_default()
    }

    fn checksum(self) -> u32 {
        checksum_of_head(self.0)
    }

    /// Checks what every message has in common, and returns the length of its body.
    fn check(self, body_max: usize) -> Result<usize> {
        let (version, len) = (self.u32(at::VERSION), self.u32(at::HEAD_LENGTH));
        if (version, len as usize) != (0, HEAD_LEN) {
            return Err(Malformed::new(format!(
                "expected an RDSN head of version 0 and {HEAD_LEN} bytes, found version {version} and {len} bytes"
            )));
        }
        check_sum("head", self.u32(at::HEAD_CHECKSUM), || self.checksum())?;
        check_body(self.u32(at::BODY_LENGTH), body_max)
    }
}

fn check_sum(of: &str, expected: u32, compute: impl FnOnce() -> u32) -> Result<()> {
    let found = if expected == 0 { 0 } else { compute() };
    if found != expected {
        return Err(Malformed::new(format!(
            "the {of} of an RDSN message: its checksum says {expected:08x}, its bytes have {found:08x}"
        )));
    }
    Ok(())
}

/// Returns the checksum of a head, in whose place there are zeros.
fn checksum_of_head(head: &[u8; HEAD_LEN]) -> u32 {
    let mut digest = CRC.digest();
    let (before, rest) = head.split_at(at::HEAD_CHECKSUM);
    digest.update(before);
    digest.update(&[0; 4]);
    digest.update(rest.get(4..).unwrap_or_default());
    digest.finalize()
}

/// Decodes the request at the beginning of `input`, which begins with [`MAGIC`].
pub(super) fn parse(input: &[u8], body_max: usize) -> Result<Frame<'_>> {
    let Some((head, rest)) = input.split_first_chunk::<HEAD_LEN>() else {
        return Ok(Frame::Partial(HEAD_LEN));
    };
    let native = NativeHead(head);
    let body_len = native.check(body_max)?;
    let bits = native.u64(at::BITS);
    if bits & bit::REQUEST == 0 {
        return Err(Malformed::new("expected an RDSN request, found a reply"));
    }
    let frame_len = HEAD_LEN + body_len;
    let Some(body) = rest.get(..body_len) else { return Ok(Frame::Partial(frame_len)) };
    check_sum("body", native.u32(at::BODY_CHECKSUM), || CRC.checksum(body))?;
    let head = Head {
        app_id: native.i32(at::TABLE),
        partition: native.i32(at::PARTITION),
        timeout_ms: native.i32(at::TIMEOUT),
        partition_hash: native.u64(at::PARTITION_HASH),
        is_backup_request: bits & bit::BACKUP_REQUEST != 0,
    };
    let request = Request {
        head,
        method: native.name(at::METHOD),
        sequence: native.i32(at::NUMBER),
        body_bytes: body_len,
        frame_bytes: frame_len,
        argument: Reader::new(body),
        format: (bits >> bit::FORMAT_SHIFT & bit::FORMAT_MASK) as u8,
        native: Some(native),
    };
    Ok(Frame::Whole(request, frame_len))
}

/// Appends a reply to the request with this head; `response` is left out if there is an error.
pub(super) fn write_reply<'v>(
    request: NativeHead<'_>,
    error: ErrorName,
    response: Option<&impl Value<'v>>,
    out: &mut Vec<u8>,
) {
    let start = out.len();
    out.extend_from_slice(request.0);
    if let Some(response) = response {
        response.write_field(0, out);
        out.push(tag::STOP);
    }
    let message = out.get_mut(start..).unwrap_or_default();
    let Some(head) = message.first_chunk_mut() else { return };
    set_name(head, at::METHOD, &[request.name(at::METHOD), SUFFIX]);
    set(head, at::METHOD_NUMBER, &[0; 8]);
    set(head, at::BITS, &(request.u64(at::BITS) & !bit::REQUEST).to_le_bytes());
    set(head, at::SENDER, &[0; 8]);
    set_name(head, at::ERROR, &[error.as_str().as_bytes()]);
    set(head, at::ERROR_NUMBER, &[0; 8]);
    seal(message, request.u32(at::HEAD_CHECKSUM) != 0);
}

/// Writes the first fields of a message with a whole head, up to the checksum of its body. The checksums are 0 unless
/// they `are_wanted`.
pub fn seal(message: &mut [u8], are_wanted: bool) {
    let Some((head, body)) = message.split_first_chunk_mut() else { return };
    set(head, 0, MAGIC);
    set(head, at::VERSION, &[0; 4]);
    set(head, at::HEAD_LENGTH, &(HEAD_LEN as u32).to_le_bytes());
    set(head, at::BODY_LENGTH, &(body.len() as u32).to_le_bytes());
    let sum = if are_wanted { CRC.checksum(body) } else { 0 };
    set(head, at::BODY_CHECKSUM, &sum.to_le_bytes());
    let sum = if are_wanted { checksum_of_head(head) } else { 0 };
    set(head, at::HEAD_CHECKSUM, &sum.to_le_bytes());
}

fn set(head: &mut [u8; HEAD_LEN], at: usize, bytes: &[u8]) {
    if let Some(place) = head.get_mut(at..at + bytes.len()) {
        place.copy_from_slice(bytes);
    }
}

/// Writes a name, cut to what fits, and zeros behind it.
fn set_name(head: &mut [u8; HEAD_LEN], at: usize, parts: &[&[u8]]) {
    let Some(place) = head.get_mut(at..at + NAME_LEN) else { return };
    place.fill(0);
    let bytes = parts.iter().copied().flatten();
    for (to, byte) in place.iter_mut().take(NAME_LEN - 1).zip(bytes) {
        *to = *byte;
    }
}

/// Appends a request, with checksums if they `are_wanted`. For tests and tools.
pub fn write_request<'a>(
    head: &Head,
    method: &str,
    number: u64,
    argument: &impl Value<'a>,
    are_wanted: bool,
    out: &mut Vec<u8>,
) {
    let start = out.len();
    out.extend_from_slice(&[0; HEAD_LEN]);
    argument.write_field(0, out);
    out.push(tag::STOP);
    let message = out.get_mut(start..).unwrap_or_default();
    let Some(to) = message.first_chunk_mut() else { return };
    let backup = if head.is_backup_request { bit::BACKUP_REQUEST } else { 0 };
    let format = u64::from(BINARY) << bit::FORMAT_SHIFT;
    let bits = bit::REQUEST | format | bit::FORWARDS | backup;
    let thread_hash = head.app_id.wrapping_mul(7919).wrapping_add(head.partition);
    set(to, at::NUMBER, &number.to_le_bytes());
    set_name(to, at::METHOD, &[method.as_bytes()]);
    set(to, at::TABLE, &head.app_id.to_le_bytes());
    set(to, at::PARTITION, &head.partition.to_le_bytes());
    set(to, at::BITS, &bits.to_le_bytes());
    set(to, at::TIMEOUT, &head.timeout_ms.to_le_bytes());
    set(to, at::THREAD_HASH, &thread_hash.to_le_bytes());
    set(to, at::PARTITION_HASH, &head.partition_hash.to_le_bytes());
    seal(message, are_wanted);
}

/// A reply that was taken apart.
pub(super) struct NativeReply<'a> {
    pub(super) method: &'a [u8],
    pub(super) number: u64,
    pub(super) error: &'a [u8],
    pub(super) body: Reader<'a>,
    pub(super) len: usize,
}

/// Takes the first reply of `bytes` apart; `None` if it is not complete.
pub(super) fn read_reply(bytes: &[u8]) -> Result<Option<NativeReply<'_>>> {
    let Some((head, rest)) = bytes.split_first_chunk::<HEAD_LEN>() else { return Ok(None) };
    let head = NativeHead(head);
    let len = head.check(usize::MAX)?;
    let Some(body) = rest.get(..len) else { return Ok(None) };
    check_sum("body", head.u32(at::BODY_CHECKSUM), || CRC.checksum(body))?;
    Ok(Some(NativeReply {
        method: head.name(at::METHOD),
        number: head.u64(at::NUMBER),
        error: head.name(at::ERROR),
        body: Reader::new(body),
        len: HEAD_LEN + len,
    }))
}

#[cfg(test)]
#[path = "native_test.rs"]
mod tests;
