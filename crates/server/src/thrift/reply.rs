//! Appends replies to a connection's output.
//!
//! ```text
//! reply = i32 length including itself, string error, 80 01 00 02, string method + "_ACK", i32 sequence id,
//!         [field 0: struct, stop]       if the error is ERR_OK
//! ```
//!
//! Both versions of requests get this reply; RDSN requests get that of [`native`]. A reply with ERR_OK
//! always has a struct: clients take its absence for damage.

use super::error::{Malformed, Result};
use super::frame::Request;
use super::name::ErrorName;
use super::native;
use super::reader::{Reader, tag};
use super::value::{Value, read_field};

/// The head of a message that is a reply.
const REPLY: [u8; 4] = [0x80, 1, 0, 2];
/// What follows the name of the request's method.
const SUFFIX: &[u8] = b"_ACK";

/// Appends the reply to a request, in its framing.
pub fn answer<'a, T: Value<'a>>(request: &Request<'_>, response: &T, out: &mut Vec<u8>) {
    match request.native {
        None => write_ok(request.method, request.sequence, response, out),
        Some(head) => native::write_reply(head, ErrorName::Ok, Some(response), out),
    }
}

/// Appends a reply with an error of the RPC layer to a request, in its framing.
pub fn refuse(request: &Request<'_>, error: ErrorName, out: &mut Vec<u8>) {
    match request.native {
        None => write_error(error, request.method, request.sequence, out),
        Some(head) => native::write_reply(head, error, None::<&i32>, out),
    }
}

/// Appends a reply with a struct to a request in version 0 or 1.
pub fn write_ok<'a, T: Value<'a>>(method: &[u8], sequence: i32, response: &T, out: &mut Vec<u8>) {
    let start = begin(ErrorName::Ok, method, sequence, out);
    response.write_field(0, out);
    out.push(tag::STOP);
    end(start, out);
}

/// Appends a reply with an error of the RPC layer to a request in version 0 or 1.
pub fn write_error(error: ErrorName, method: &[u8], sequence: i32, out: &mut Vec<u8>) {
    debug_assert_ne!(error, ErrorName::Ok, "a reply without a struct");
    let start = begin(error, method, sequence, out);
    end(start, out);
}

/// A reply as a client reads it.
#[derive(Debug, PartialEq, Eq)]
pub struct Received<'a, T> {
    /// The name of the method with its suffix.
    pub method: &'a [u8],
    /// The number of the request; of an RDSN request the lower half.
    pub sequence: i32,
    /// The response, or the error of the RPC layer.
    pub response: std::result::Result<T, ErrorName>,
}

/// Reads the first reply of `bytes`, in whichever framing, and the number of its bytes; `None` if it is not complete.
/// For tests and tools.
///
/// # Errors
///
/// The bytes are not a reply with a `T`.
pub fn read<'a, T: Value<'a>>(bytes: &'a [u8]) -> Result<Option<(Received<'a, T>, usize)>> {
    if bytes.starts_with(native::MAGIC) {
        return read_native(bytes);
    }
    let mut from = Reader::new(bytes);
    let Ok(len) = from.u32() else { return Ok(None) };
    let len = len as usize;
    let Some(whole) = bytes.get(4..len) else {
        return if len < 4 { Err(Malformed::new("a reply without a length")) } else { Ok(None) };
    };
    let mut from = Reader::new(whole);
    let error = ErrorName::read(&mut from)?;
    let head = from.u32()?;
    if head != u32::from_be_bytes(REPLY) {
        return Err(Malformed::new(format!("expected the head of a reply, found {head:08x}")));
    }
    let (method, sequence) = (from.string()?, from.i32()?);
    let response = read_response(error, &mut from)?;
    Ok(Some((Received { method, sequence, response }, len)))
}

fn read_native<'a, T: Value<'a>>(bytes: &'a [u8]) -> Result<Option<(Received<'a, T>, usize)>> {
    let Some(mut reply) = native::read_reply(bytes)? else { return Ok(None) };
    let response = read_response(ErrorName::of(reply.error)?, &mut reply.body)?;
    let (method, sequence) = (reply.method, reply.number as i32);
    Ok(Some((Received { method, sequence, response }, reply.len)))
}

fn read_response<'a, T: Value<'a>>(
    error: ErrorName,
    from: &mut Reader<'a>,
) -> Result<std::result::Result<T, ErrorName>> {
    match error {
        ErrorName::Ok => match from.field()? {
            Some((kind, 0)) => Ok(Ok(read_field(from, kind, "a reply", 0)?)),
            _ => Err(Malformed::new("expected field 0 of a reply")),
        },
        error => Ok(Err(error)),
    }
}

fn begin(error: ErrorName, method: &[u8], sequence: i32, out: &mut Vec<u8>) -> usize {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    error.write(out);
    out.extend_from_slice(&REPLY);
    let len = method.len() + SUFFIX.len();
    i32::try_from(len).unwrap_or(i32::MAX).write(out);
    out.extend_from_slice(method);
    out.extend_from_slice(SUFFIX);
    sequence.write(out);
    start
}

fn end(start: usize, out: &mut [u8]) {
    let len = i32::try_from(out.len() - start).unwrap_or(i32::MAX);
    if let Some(place) = out.get_mut(start..start + 4) {
        place.copy_from_slice(&len.to_be_bytes());
    }
}

#[cfg(test)]
#[path = "reply_test.rs"]
mod tests;
