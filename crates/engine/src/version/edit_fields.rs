//! Fields that occur in several kinds of MANIFEST records, with their limits.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::file_meta::MAX_FILE_NUMBER;
use crate::base::coding::Decoder;
use crate::base::key::TRAILER_SIZE;
use crate::base::{MAX_SEQUENCE_NUMBER, SeqNo};
use crate::error::{Error, Result};

/// Reads a level. The reader of the whole MANIFEST checks that the tree has this level.
pub(super) fn level(d: &mut Decoder<'_>) -> Result<usize> {
    Ok(d.varint32("level")? as usize)
}

/// Reads the number of a file of any kind.
pub(super) fn file_number(d: &mut Decoder<'_>, what: &str) -> Result<u64> {
    let n = d.varint64(what)?;
    if n > MAX_FILE_NUMBER {
        return Err(Error::corruption(format!(
            "{what}: expected at most {MAX_FILE_NUMBER}, found {n}"
        )));
    }
    Ok(n)
}

/// Reads a sequence number.
pub(super) fn sequence(d: &mut Decoder<'_>, what: &str) -> Result<SeqNo> {
    let seq = d.varint64(what)?;
    if seq > MAX_SEQUENCE_NUMBER {
        return Err(Error::corruption(format!(
            "{what}: expected at most {MAX_SEQUENCE_NUMBER}, found {seq}"
        )));
    }
    Ok(seq)
}

/// Reads an internal key. Its type byte is not checked: some RocksDB releases stored an internal bound.
pub(super) fn internal_key(d: &mut Decoder<'_>, what: &str) -> Result<Vec<u8>> {
    let key = d.length_prefixed(what)?;
    if key.len() < TRAILER_SIZE {
        return Err(Error::corruption(format!(
            "{what}: expected an internal key, found {} bytes",
            key.len()
        )));
    }
    Ok(key.to_vec())
}
