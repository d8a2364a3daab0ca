//! SHA-1, the name of a script.

use sha1::{Digest, Sha1};

/// The length of a digest in hexadecimal.
pub const HEX_LENGTH: usize = 40;

/// Returns the digest in lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    let mut text = String::with_capacity(HEX_LENGTH);
    for byte in Sha1::digest(bytes) {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
