//! The key buffer of an iterator: the key is assembled or copied once per entry.
//!
//! The keys of a scan are short and very many. So the buffer keeps its bytes when the key gets
//! shorter, and up to 64 bytes are copied by two moves that may overlap, which costs less than a
//! call of the general copy.

use std::ops::{Deref, DerefMut};

/// A buffer for one key at a time.
#[derive(Default)]
pub struct WalkKey {
    /// As long as the longest key so far; bytes past `len` are meaningless.
    bytes: Vec<u8>,
    len: usize,
}

impl WalkKey {
    /// Makes the key empty.
    #[inline]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// The size of the buffer's memory in bytes.
    pub fn capacity(&self) -> usize {
        self.bytes.len()
    }

    /// Sets the key.
    #[inline]
    pub fn set(&mut self, key: &[u8]) {
        self.splice(0, key);
    }

    /// Keeps the first `shared` bytes of the key, which must have at least that many, and appends
    /// `rest`.
    #[inline]
    pub fn splice(&mut self, shared: usize, rest: &[u8]) {
        debug_assert!(shared <= self.len);
        self.len = shared + rest.len();
        if self.len > self.bytes.len() {
            self.grow();
        }
        copy_short(&mut self.bytes[shared..self.len], rest);
    }

    #[cold]
    fn grow(&mut self) {
        self.bytes.resize(self.len.next_power_of_two().max(64), 0);
    }
}

impl Deref for WalkKey {
    type Target = [u8];
    #[inline]
    fn deref(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

impl DerefMut for WalkKey {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[..self.len]
    }
}

/// Copies between slices of equal length.
#[inline(always)]
fn copy_short(to: &mut [u8], from: &[u8]) {
    match from.len() {
        8..=16 => copy_ends::<8>(to, from),
        17..=32 => copy_ends::<16>(to, from),
        33..=64 => copy_ends::<32>(to, from),
        _ => to.copy_from_slice(from),
    }
}

/// Copies `N` to `2 * N` bytes: the first `N` and the last `N`.
#[inline(always)]
fn copy_ends<const N: usize>(to: &mut [u8], from: &[u8]) {
    if let (Some(first), Some(last)) = (from.first_chunk::<N>(), from.last_chunk::<N>()) {
        if let Some(place) = to.first_chunk_mut::<N>() {
            *place = *first;
        }
        if let Some(place) = to.last_chunk_mut::<N>() {
            *place = *last;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_all_lengths_are_put_together() {
        let source: Vec<u8> = (0..200).collect();
        let mut key = WalkKey::default();
        for len in 0..150 {
            key.set(&source[..len]);
            assert_eq!(&*key, &source[..len]);
            for shared in [0, len / 2, len] {
                key.set(&source[..len]);
                key.splice(shared, &source[150..150 + len / 3]);
                let expected = [&source[..shared], &source[150..150 + len / 3]].concat();
                assert_eq!(&*key, &expected[..]);
            }
        }
        key.clear();
        assert!(key.is_empty());
    }
}
