use super::*;

#[test]
fn parameters_are_bytes() {
    let query = Query::parse("key=%00%ff+a&empty=&flag&x=1=2");
    assert_eq!(query.bytes("key"), Some(&b"\x00\xff+a"[..]));
    assert_eq!((query.bytes("empty"), query.bytes("flag")), (Some(&b""[..]), Some(&b""[..])));
    assert_eq!((query.bytes("x"), query.bytes("missing")), (Some(&b"1=2"[..]), None));
    assert!(query.required("missing").is_err());
    assert!(query.check(&["key", "empty", "flag", "x"]).is_ok());
    let refusal = query.check(&["key", "x"]).unwrap_err();
    assert_eq!(refusal.body.message, "unknown parameter \"empty\"; expected key, x");
    assert!(Query::parse("a=1&a=2").check(&["a"]).is_err());
    assert!(Query::parse("").check(&[]).is_ok());
}

#[test]
fn numbers_and_words_have_bounds_and_defaults() {
    let number = |text: &str| Query::parse(text).number("n", 7, (1, 9)).ok();
    assert_eq!([number(""), number("n=1"), number("n=9")], [Some(7), Some(1), Some(9)]);
    assert_eq!(
        [number("n=0"), number("n=10"), number("n=-1"), number("n="), number("n=1x")],
        [None; 5]
    );
    let word = |text: &str| Query::parse(text).choice("w", &["a", "b"]).ok();
    assert_eq!([word(""), word("w=b"), word("w=c")], [Some("a"), Some("b"), None]);
}
