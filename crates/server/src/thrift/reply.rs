//! Appends replies to a connection's output.
//!
//! ```text
//! reply = i32 length including itself, string error, 80 01 00 02, string method + "_ACK", i32 sequence id,
//!         [field 0: struct, stop]       if the error is ERR_OK
//! ```
//!
//! Both versions of requests get this reply. A reply with ERR_OK always has a struct: clients take its absence for
//! damage.

use super::name::ErrorName;
use super::value::Value;

/// The head of a message that is a reply.
const REPLY: [u8; 4] = [0x80, 1, 0, 2];
/// What follows the name of the request's method.
const SUFFIX: &[u8] = b"_ACK";

/// Appends a reply with a struct.
pub fn write_ok<'a, T: Value<'a>>(method: &[u8], sequence: i32, response: &T, out: &mut Vec<u8>) {
    let start = begin(ErrorName::Ok, method, sequence, out);
    response.write_field(0, out);
    out.push(super::reader::tag::STOP);
    end(start, out);
}

/// Appends a reply with an error of the RPC layer.
pub fn write_error(error: ErrorName, method: &[u8], sequence: i32, out: &mut Vec<u8>) {
    debug_assert_ne!(error, ErrorName::Ok, "a reply without a struct");
    let start = begin(error, method, sequence, out);
    end(start, out);
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
