//! Tests of patterns.

use super::*;

#[track_caller]
fn check(pattern: &str, text: &str, expected: bool) {
    assert_eq!(
        matches(pattern.as_bytes(), text.as_bytes(), Case::Sensitive),
        expected,
        "{pattern:?} against {text:?}"
    );
}

#[test]
fn stars_and_single_bytes() {
    for (pattern, text, expected) in [
        ("*", "a", true),
        ("*", "", false),
        ("", "", true),
        ("", "a", false),
        ("a*", "a", true),
        ("a**", "a", true),
        ("*a", "a", true),
        ("*a", "ab", false),
        ("*a*b", "xaxxab", true),
        ("a*b*c", "abcbc", true),
        ("a*b*c", "abcb", false),
        ("h?llo", "hello", true),
        ("h?llo", "hllo", false),
        ("?", "", false),
        ("*?", "ab", true),
        ("a*?", "a", false),
    ] {
        check(pattern, text, expected);
    }
}

#[test]
fn sets() {
    for (pattern, text, expected) in [
        ("h[ae]llo", "hallo", true),
        ("h[ae]llo", "hillo", false),
        ("h[^e]llo", "hallo", true),
        ("h[^e]llo", "hello", false),
        ("[a-c]", "b", true),
        ("[c-a]", "b", true),
        ("[a-c]", "d", false),
        ("[abc", "c", true),
        ("[", "[", false),
        ("[^", "x", true),
        ("[]", "x", false),
        ("[^]", "x", true),
        ("[\\]]", "]", true),
        ("[\\", "\\", true),
        // The middle byte of a range may be anything, also a bracket.
        ("[a-]", "-", false),
        ("[a-]", "`", true),
        ("[a-]]", "b", false),
        ("[+-]]", "A", true),
    ] {
        check(pattern, text, expected);
    }
    let range = [b'[', 0, b'-', 0xff, b']'];
    assert!(matches(&range, &[0xff], Case::Sensitive));
    assert!(!matches(&range, &[5], Case::Sensitive), "bytes are signed: 0 to -1");
}

#[test]
fn escapes_and_case() {
    check("\\*", "*", true);
    check("\\*", "a", false);
    check("a\\", "a\\", true);
    assert!(matches(b"HeLLo[A-C]", b"hEllOb", Case::Ignored));
    assert!(!matches(b"[\\A]", b"a", Case::Ignored));
    assert!(!matches(b"A", b"a", Case::Sensitive));
}

#[test]
fn abusive_patterns_end_soon() {
    let pattern = b"a*".repeat(30_000);
    let text = b"a".repeat(60_000);
    assert!(!matches(&pattern, &text, Case::Sensitive), "more stars than allowed");
    let mut pattern = b"*a".repeat(STARS_MAX);
    let mut text = vec![b'a'; 200_000];
    assert!(matches(&pattern, &text, Case::Sensitive));
    text.push(b'b');
    assert!(!matches(&pattern, &text, Case::Sensitive));
    pattern.push(b'*');
    assert!(matches(&pattern, &text, Case::Sensitive));
}

#[test]
fn literal_prefixes() {
    for (pattern, prefix, whole) in
        [("user:*", "user:", false), ("a\\*b", "a*b", true), ("", "", true), ("a\\", "a\\", true)]
    {
        assert_eq!(literal_prefix(pattern.as_bytes()), (prefix.as_bytes().to_vec(), whole));
    }
}
