//! Bytes in atomic words: readers copy them while a writer may change them, and look at a stamp afterwards.

use super::sync::{AtomicU64, Ordering};

/// The bytes of a word.
const WORD: usize = size_of::<u64>();

/// Returns how many words hold this many bytes.
#[inline]
pub(super) fn count(bytes: usize) -> usize {
    bytes.div_ceil(WORD)
}

/// Returns fewer bytes than a word has as one, with zeros behind them.
#[inline]
fn last_word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

/// Stores bytes in as many words as they need.
#[inline]
pub(super) fn store(words: &[AtomicU64], bytes: &[u8]) {
    let (chunks, rest) = bytes.as_chunks::<WORD>();
    for (word, bytes) in words.iter().zip(chunks) {
        word.store(u64::from_le_bytes(*bytes), Ordering::Relaxed);
    }
    if let Some(word) = words.get(chunks.len()).filter(|_| !rest.is_empty()) {
        word.store(last_word(rest), Ordering::Relaxed);
    }
}

/// Returns whether words hold these bytes.
#[inline]
pub(super) fn equal(words: &[AtomicU64], bytes: &[u8]) -> bool {
    let (chunks, rest) = bytes.as_chunks::<WORD>();
    let mut pairs = words.iter().zip(chunks);
    let are_equal =
        pairs.all(|(word, bytes)| word.load(Ordering::Relaxed) == u64::from_le_bytes(*bytes));
    let last = words.get(chunks.len()).filter(|_| !rest.is_empty());
    are_equal && last.is_none_or(|word| word.load(Ordering::Relaxed) == last_word(rest))
}

/// Appends the first `length` bytes of words.
#[inline]
pub(super) fn append(words: &[AtomicU64], length: usize, out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + words.len() * WORD, 0);
    let to = out.get_mut(start..).unwrap_or_default();
    for (bytes, word) in to.as_chunks_mut::<WORD>().0.iter_mut().zip(words) {
        *bytes = word.load(Ordering::Relaxed).to_le_bytes();
    }
    out.truncate(start + length);
}

/// Moves words towards the beginning: `count` of them from one index to a smaller one.
pub(super) fn move_down(words: &[AtomicU64], from: usize, to: usize, count: usize) {
    let (from, to) = (words.get(from..), words.get(to..));
    let pairs = from.unwrap_or_default().iter().zip(to.unwrap_or_default());
    pairs.take(count).for_each(|(from, to)| {
        to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
    });
}
