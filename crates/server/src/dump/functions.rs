//! The payloads of FUNCTION DUMP and RESTORE: the code of libraries.
//!
//! ```text
//! payload = (245 string)* version:2 crc64:8      one string per library
//! ```

use super::file::FUNCTION as LIBRARY;
use super::reader::Reader;
use super::{DumpError, Version, finish, writer};

/// Returns the payload of libraries.
pub fn encode_functions<'a>(codes: impl Iterator<Item = &'a [u8]>, version: Version) -> Vec<u8> {
    let mut payload = Vec::new();
    for code in codes {
        payload.push(LIBRARY);
        writer::string(&mut payload, code);
    }
    finish(payload, version)
}

/// Returns the codes of the libraries of a payload. `memory_max` bounds their memory, in bytes.
pub fn decode_functions(payload: &[u8], memory_max: usize) -> Result<Vec<Vec<u8>>, DumpError> {
    let mut reader = Reader::new(super::checked_body(payload)?, memory_max);
    let mut codes = Vec::new();
    while !reader.is_at_end() {
        if reader.byte()? != LIBRARY {
            return Err(DumpError::Unsupported("given type is not a function".to_owned()));
        }
        codes.push(reader.string()?);
    }
    Ok(codes)
}
