//! Keys as RocksDB's db_bench makes them from a number.
//!
//! ```text
//! keys_per_prefix > 0:  prefix number, big-endian, at most 8 bytes, '0' up to prefix_size
//! always:               number, big-endian, at most 8 bytes (its low bytes), '0' up to key_size
//! ```

/// The shape of keys, and the keys themselves under `--use_existing_keys`.
#[derive(Clone)]
pub struct KeyShape {
    /// Bytes of a key.
    pub key_size: usize,
    /// Bytes of its prefix.
    pub prefix_size: usize,
    /// Keys that share a prefix; 0: no separate prefix.
    pub keys_per_prefix: u64,
    /// Keys read from the database, used instead of made ones.
    pub existing: Option<std::sync::Arc<Vec<Vec<u8>>>>,
}

/// One thread's key buffer.
pub struct KeyMaker {
    shape: KeyShape,
    buffer: Vec<u8>,
}

impl KeyMaker {
    /// Creates a buffer for keys of this shape.
    pub fn new(shape: &KeyShape) -> KeyMaker {
        KeyMaker { shape: shape.clone(), buffer: vec![b'0'; shape.key_size] }
    }

    /// Returns the key of number `v` in a database of `num_keys`.
    #[inline]
    pub fn make(&mut self, v: u64, num_keys: u64) -> &[u8] {
        if let Some(keys) = &self.shape.existing {
            return keys.get(v as usize).map_or(&[], Vec::as_slice);
        }
        let mut at = 0;
        if let Some(prefixes) = num_keys.checked_div(self.shape.keys_per_prefix) {
            let end = self.shape.prefix_size;
            fill(&mut self.buffer[..end], v % prefixes.max(1));
            at = end;
        }
        fill(&mut self.buffer[at..], v);
        &self.buffer
    }

    /// Like `make`, for a prefix that does not exist. Prefixes must be longer than 8 bytes.
    pub fn make_missing_prefix(&mut self, v: u64, num_keys: u64) -> &[u8] {
        self.make(v, num_keys);
        if let Some(byte) = self.buffer.get_mut(8) {
            *byte = b'1';
        }
        &self.buffer
    }
}

/// The low bytes of `v`, most significant first, then '0'.
#[inline]
fn fill(out: &mut [u8], v: u64) {
    let n = out.len().min(8);
    out[..n].copy_from_slice(&v.to_be_bytes()[8 - n..]);
    out[n..].fill(b'0');
}

#[cfg(test)]
#[path = "keys_test.rs"]
mod tests;
