//! The properties and metaindex blocks of a PlainTable, which have no trailer and no checksum.
//!
//! ```text
//! block = entry*, fixed32 restart offset*, fixed32 restart count
//! entry = varint32 shared, varint32 rest, varint32 value length, rest bytes, value bytes
//! ```

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use crate::base::coding::{Decoder, fixed32_at, put_fixed32, put_varint32};
use crate::error::{Error, Result};

/// The block of these entries, which must ascend. `restart_interval` entries share key bytes.
pub(super) fn encode<'a>(
    entries: impl IntoIterator<Item = (&'a [u8], &'a [u8])>,
    restart_interval: usize,
) -> Vec<u8> {
    let mut out = Vec::new();
    let mut restarts = vec![0];
    let mut last: &[u8] = &[];
    let mut run = 0;
    for (key, value) in entries {
        if run == restart_interval {
            restarts.push(out.len() as u32);
            last = &[];
            run = 0;
        }
        let shared = last.iter().zip(key).take_while(|(a, b)| a == b).count();
        let rest = key.get(shared..).unwrap_or_default();
        for n in [shared, rest.len(), value.len()] {
            put_varint32(&mut out, n as u32);
        }
        out.extend_from_slice(rest);
        out.extend_from_slice(value);
        last = key;
        run += 1;
    }
    for restart in &restarts {
        put_fixed32(&mut out, *restart);
    }
    put_fixed32(&mut out, restarts.len() as u32);
    out
}

/// Calls `visit` with each entry. Keys must ascend, as in the blocks that real writers make.
pub(super) fn decode(
    block: &[u8],
    mut visit: impl FnMut(&[u8], &[u8]) -> Result<()>,
) -> Result<()> {
    let entries = block
        .len()
        .checked_sub(4)
        .and_then(|at| {
            let restarts = fixed32_at(block, at)? as usize;
            block.get(..at.checked_sub(restarts.checked_mul(4)?)?)
        })
        .ok_or_else(|| Error::corruption("the restart array is larger than the block"))?;
    let mut input = Decoder::new(entries);
    let mut key: Vec<u8> = Vec::new();
    let mut first = true;
    while !input.is_empty() {
        let shared = input.varint32("shared key length")? as usize;
        let rest = input.varint32("key length")? as usize;
        let value = input.varint32("value length")? as usize;
        let rest = input.bytes(rest, "key")?;
        let value = input.bytes(value, "value")?;
        let ascends = key.get(shared..).is_some_and(|old| first || old < rest);
        if !ascends {
            return Err(Error::corruption("entries of a meta block do not ascend"));
        }
        key.truncate(shared);
        key.extend_from_slice(rest);
        first = false;
        visit(&key, value)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_round_trip_with_and_without_sharing() {
        let entries: [(&[u8], &[u8]); 4] =
            [(b"", b"empty"), (b"ab", b"1"), (b"abc", b""), (b"b", b"2")];
        for interval in [1, 3, usize::MAX] {
            let block = encode(entries, interval);
            let mut found = Vec::new();
            decode(&block, |k, v| {
                found.push((k.to_vec(), v.to_vec()));
                Ok(())
            })
            .unwrap();
            assert!(found.iter().map(|(k, v)| (&k[..], &v[..])).eq(entries));
            for cut in 0..block.len() {
                let _ = decode(&block[..cut], |_, _| Ok(()));
            }
        }
    }

    #[test]
    fn disorder_and_duplicates_are_corruption() {
        for entries in [[(&b"b"[..], &b""[..]), (b"a", b"")], [(b"a", b""), (b"a", b"")]] {
            let block = encode(entries, 1);
            assert!(decode(&block, |_, _| Ok(())).unwrap_err().is_corruption());
        }
    }
}
