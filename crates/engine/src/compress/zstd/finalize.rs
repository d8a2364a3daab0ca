//! Dictionaries of given content, by a function of the C library that `zstd-safe` does not wrap.

#![allow(unsafe_code)] // A C function with pointers: the lengths beside them are checked here.

use zstd_safe::zstd_sys::{ZDICT_finalizeDictionary, ZDICT_params_t};

/// Adds entropy tables, made for this level, to `content`. The dictionary has at most `max_len` bytes; if that is too
/// little for both, `content` is shortened. `lengths` are those of the concatenated `samples`. Returns `None` if the
/// library cannot make a dictionary of them.
pub(super) fn finalize(
    content: &[u8],
    samples: &[u8],
    lengths: &[usize],
    max_len: usize,
    level: i32,
) -> Option<Vec<u8>> {
    if !describe(lengths, samples) {
        return None;
    }
    let count = u32::try_from(lengths.len()).ok()?;
    let parameters = ZDICT_params_t { compressionLevel: level, notificationLevel: 0, dictID: 0 };
    let mut bytes = vec![0_u8; max_len];
    // SAFETY: each pointer is that of a slice, and its length follows. The function writes at most `max_len` bytes to
    // the first, which overlaps no other. It reads `count` lengths, and as many bytes of `samples` as these add up to,
    // which was checked above.
    let len = unsafe {
        ZDICT_finalizeDictionary(
            bytes.as_mut_ptr().cast(),
            max_len,
            content.as_ptr().cast(),
            content.len(),
            samples.as_ptr().cast(),
            lengths.as_ptr(),
            count,
            parameters,
        )
    };
    // Codes of errors are the largest numbers of the type.
    if len > max_len {
        return None;
    }
    bytes.truncate(len);
    bytes.shrink_to_fit();
    Some(bytes)
}

/// Returns whether `lengths` add up to the length of `samples`.
pub(super) fn describe(lengths: &[usize], samples: &[u8]) -> bool {
    let total = lengths.iter().try_fold(0_usize, |sum, &len| sum.checked_add(len));
    total == Some(samples.len())
}
