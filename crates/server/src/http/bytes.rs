//! Keys and values as text for people, and as part of an address.

use percent_encoding::{NON_ALPHANUMERIC, percent_encode};

/// The bytes of a value that are shown.
pub(super) const SHOWN_MAX: usize = 1024;

/// Returns bytes as text: UTF-8 as it is, other bytes and control characters escaped as `\xNN`, `\n` and the like, and
/// a backslash doubled.
pub(super) fn show(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            // Characters that reorder or hide text must be seen.
            let is_hidden = matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
            match c == '\\' || c.is_control() || is_hidden {
                true => text.extend(c.escape_default()),
                false => text.push(c),
            }
        }
        chunk.invalid().iter().for_each(|byte| text += &format!("\\x{byte:02x}"));
    }
    text
}

/// Returns the beginning of bytes as text, and whether that is all.
pub(super) fn shorten(bytes: &[u8]) -> (String, bool) {
    match bytes.split_at_checked(SHOWN_MAX) {
        Some((start, rest)) if !rest.is_empty() => (show(start), false),
        _ => (show(bytes), true),
    }
}

/// Returns bytes as a parameter of an address.
pub(super) fn encode(bytes: &[u8]) -> String {
    percent_encode(bytes, NON_ALPHANUMERIC).to_string()
}

#[cfg(test)]
#[path = "bytes_test.rs"]
mod tests;
