//! Splits the bytes of a connection into requests and decodes their heads.
//!
//! ```text
//! version 0 = "THFT", u32 0, u32 48, u32 crc, u32 body length, u32 crc, i32 app_id, i32 partition, i32 timeout ms,
//!             i32 thread hash, u64 partition hash, body
//! version 1 = "THFT", u32 1, u32 meta length, u32 body length, meta struct, body
//! body      = 80 01 00 TT, string method, i32 sequence id, struct with one field
//! ```
//!
//! The checksums are always 0 and ignored, as is the thread hash. Requests that begin with "RDSN" are those of
//! [`native`]; a connection may mix both, and each request gets the reply of its own framing.

use super::error::{Malformed, Result};
use super::native::{self, NativeHead};
use super::reader::{Reader, tag};
use super::value::{Value, messages, read_field};

/// The first bytes of a request in versions 0 and 1.
pub const MAGIC: &[u8; 4] = b"THFT";

/// The length of the head in version 0.
const V0_LEN: usize = 48;
/// The length of the fixed part of the head in version 1.
const V1_LEN: usize = 16;
/// The maximum length of the meta struct in version 1. Its fields take 37 bytes.
const META_MAX: usize = 1024;

/// The first bytes of a strict message, before its type.
const STRICT: [u8; 3] = [0x80, 1, 0];
/// The types of message that clients may send.
const CALL: u8 = 1;
const ONEWAY: u8 = 4;

messages! {
    /// The head of a request in version 1.
    Meta {
        1 app_id: i32,
        2 partition: i32,
        3 timeout_ms: i32,
        4 partition_hash: i64,
        5 is_backup_request: bool,
    }
}

/// The head of a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Head {
    /// The table's id; 0 or less in requests to a meta server.
    pub app_id: i32,
    /// The partition's number.
    pub partition: i32,
    /// How long the client waits, in milliseconds; 0 if it does not say.
    pub timeout_ms: i32,
    /// The hash of the key; 0 if the client does not say.
    pub partition_hash: u64,
    /// Whether a secondary may answer.
    pub is_backup_request: bool,
}

/// A request whose argument is not decoded yet.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// The head.
    pub head: Head,
    /// The name of the method.
    pub method: &'a [u8],
    /// The number that the answer repeats; of an RDSN request the lower half.
    pub sequence: i32,
    /// The length of the body.
    pub body_bytes: usize,
    /// The length of the whole frame.
    pub frame_bytes: usize,
    pub(super) argument: Reader<'a>,
    /// The format of the argument; only [`native::BINARY`] can be decoded.
    pub(super) format: u8,
    /// The head of an RDSN request, which its reply repeats.
    pub(super) native: Option<NativeHead<'a>>,
}

impl<'a> Request<'a> {
    /// Decodes the only argument, whose field id does not matter. An argument that was left out has its default value.
    pub fn argument<T: Value<'a> + Default>(&self) -> Result<T> {
        if self.format != native::BINARY {
            return Err(Malformed::new(format!(
                "expected a body of format {}, found {}",
                native::BINARY,
                self.format
            )));
        }
        let mut from = self.argument.clone();
        match from.field()? {
            None => Ok(T::default()),
            Some((kind, id)) => read_field(&mut from, kind, "a request", id),
        }
    }
}

/// What the beginning of a connection's input holds.
#[derive(Debug)]
pub enum Frame<'a> {
    /// Less than a whole request; this many bytes are needed at least.
    Partial(usize),
    /// A request, and the length of its frame.
    Whole(Request<'a>, usize),
}

/// Decodes the first request of `input`. An error means that the connection cannot go on: the place where the next
/// request begins is unknown, or the peer does not speak the protocol.
pub fn parse(input: &[u8], body_max: usize) -> Result<Frame<'_>> {
    let Some((fixed, _)) = input.split_first_chunk::<V1_LEN>() else {
        let magic = input.get(..MAGIC.len()).unwrap_or(input);
        return match (MAGIC.starts_with(magic), native::MAGIC.starts_with(magic)) {
            (true, _) => Ok(Frame::Partial(V1_LEN)),
            (false, true) => Ok(Frame::Partial(native::HEAD_LEN)),
            (false, false) => Err(foreign()),
        };
    };
    let mut from = Reader::new(fixed);
    match &from.u32()?.to_be_bytes() {
        MAGIC => {}
        native::MAGIC => return native::parse(input, body_max),
        _ => return Err(foreign()),
    }
    match from.u32()? {
        0 => parse_v0(input, from.u32()?, body_max),
        1 => parse_v1(input, from.u32()?, from.u32()?, body_max),
        version => Err(Malformed::new(format!("expected header version 0 or 1, found {version}"))),
    }
}

fn foreign() -> Malformed {
    Malformed::new("expected a request that begins with THFT or RDSN")
}

fn parse_v0(input: &[u8], head_len: u32, body_max: usize) -> Result<Frame<'_>> {
    if head_len as usize != V0_LEN {
        return Err(Malformed::new(format!("expected a head of {V0_LEN} bytes, found {head_len}")));
    }
    let Some((fixed, rest)) = input.split_first_chunk::<V0_LEN>() else {
        return Ok(Frame::Partial(V0_LEN));
    };
    let mut from = Reader::new(fixed.get(V1_LEN..).unwrap_or_default());
    let body_len = check_body(from.u32()?, body_max)?;
    from.u32()?;
    let (app_id, partition, timeout_ms) = (from.i32()?, from.i32()?, from.i32()?);
    from.u32()?;
    let partition_hash = from.u64()?;
    let head = Head { app_id, partition, timeout_ms, partition_hash, is_backup_request: false };
    finish(head, V0_LEN, rest, body_len)
}

fn parse_v1(input: &[u8], meta_len: u32, body_len: u32, body_max: usize) -> Result<Frame<'_>> {
    let meta_len = meta_len as usize;
    if meta_len > META_MAX {
        let expected = format!("expected at most {META_MAX} bytes of meta, found {meta_len}");
        return Err(Malformed::new(expected));
    }
    let body_len = check_body(body_len, body_max)?;
    let rest = input.get(V1_LEN..).unwrap_or_default();
    let Some((meta, rest)) = rest.split_at_checked(meta_len) else {
        return Ok(Frame::Partial(V1_LEN + meta_len));
    };
    let meta = Meta::read(&mut Reader::new(meta))?;
    let head = Head {
        app_id: meta.app_id,
        partition: meta.partition,
        timeout_ms: meta.timeout_ms,
        partition_hash: meta.partition_hash as u64,
        is_backup_request: meta.is_backup_request,
    };
    finish(head, V1_LEN + meta_len, rest, body_len)
}

pub(super) fn check_body(len: u32, max: usize) -> Result<usize> {
    let len = len as usize;
    if len > max {
        return Err(Malformed::new(format!("expected a body of at most {max} bytes, found {len}")));
    }
    Ok(len)
}

/// Decodes the head of the message, if the body is complete.
fn finish(head: Head, head_len: usize, rest: &[u8], body_len: usize) -> Result<Frame<'_>> {
    let frame_len = head_len + body_len;
    let Some(body) = rest.get(..body_len) else { return Ok(Frame::Partial(frame_len)) };
    let mut from = Reader::new(body);
    let strict = [from.u8()?, from.u8()?, from.u8()?];
    if strict != STRICT {
        return Err(Malformed::new(format!("expected a strict message, found {strict:02x?}")));
    }
    let kind = from.u8()?;
    if kind != CALL && kind != ONEWAY {
        return Err(Malformed::new(format!("expected a message of type 1 or 4, found {kind}")));
    }
    let (method, sequence) = (from.string()?, from.i32()?);
    let request = Request {
        head,
        method,
        sequence,
        body_bytes: body_len,
        frame_bytes: frame_len,
        argument: from,
        format: native::BINARY,
        native: None,
    };
    Ok(Frame::Whole(request, frame_len))
}

/// Appends a request: in version 0, or in version 1 if it is a backup request, which version 0 cannot say. For tests
/// and tools.
pub fn write_request<'a, T: Value<'a>>(
    head: &Head,
    method: &str,
    sequence: i32,
    argument: &T,
    out: &mut Vec<u8>,
) {
    let mut body = vec![STRICT[0], STRICT[1], STRICT[2], CALL];
    super::value::write_string(method.as_bytes(), &mut body);
    sequence.write(&mut body);
    // The field's id does not matter; clients use 1.
    argument.write_field(1, &mut body);
    body.push(tag::STOP);
    match head.is_backup_request {
        false => write_head_v0(head, body.len(), out),
        true => write_head_v1(head, body.len(), out),
    }
    out.extend_from_slice(&body);
}

fn write_head_v0(head: &Head, body_len: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(MAGIC);
    let thread_hash = head.app_id.wrapping_mul(7919).wrapping_add(head.partition);
    let words = [0, V0_LEN as i32, 0, body_len as i32, 0, head.app_id, head.partition];
    for word in words.into_iter().chain([head.timeout_ms, thread_hash]) {
        word.write(out);
    }
    out.extend_from_slice(&head.partition_hash.to_be_bytes());
}

fn write_head_v1(head: &Head, body_len: usize, out: &mut Vec<u8>) {
    let mut meta = Vec::new();
    Meta {
        app_id: head.app_id,
        partition: head.partition,
        timeout_ms: head.timeout_ms,
        partition_hash: head.partition_hash as i64,
        is_backup_request: head.is_backup_request,
    }
    .write(&mut meta);
    out.extend_from_slice(MAGIC);
    for word in [1, meta.len() as i32, body_len as i32] {
        word.write(out);
    }
    out.extend_from_slice(&meta);
}

#[cfg(test)]
#[path = "frame_test.rs"]
mod tests;
