use super::*;

#[test]
fn bytes_that_are_no_text_are_seen() {
    for (bytes, text) in [
        (&b"plain"[..], "plain"),
        ("Straße 東京".as_bytes(), "Straße 東京"),
        (b"a\\b\n\t\r", "a\\\\b\\n\\t\\r"),
        (b"\x00\x1b[31m\x7f", "\\u{0}\\u{1b}[31m\\u{7f}"),
        (b"\xff\xc3(", "\\xff\\xc3("),
        // Characters that would reverse or hide the text around them.
        ("a\u{202e}b\u{200b}c".as_bytes(), "a\\u{202e}b\\u{200b}c"),
        (b"<b>&amp;</b>", "<b>&amp;</b>"),
    ] {
        assert_eq!(show(bytes), text);
    }
}

#[test]
fn long_bytes_are_cut_and_addresses_have_all() {
    let long = vec![b'x'; SHOWN_MAX + 1];
    let (shown, is_whole) = shorten(&long);
    assert_eq!((shown.len(), is_whole), (SHOWN_MAX, false));
    assert!(shorten(&long[1..]).1);
    let bytes: Vec<u8> = (0..=255).collect();
    let encoded = encode(&bytes);
    let decoded: Vec<u8> = percent_encoding::percent_decode(encoded.as_bytes()).collect();
    assert_eq!(decoded, bytes);
    assert!(encoded.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'%'));
}
