use super::*;

const fn known(name: &'static str, kind: Kind) -> Parameter {
    Parameter { name, description: "", is_required: false, kind }
}

const KNOWN: &[Parameter] = &[
    known("key", Kind::Bytes),
    known("empty", Kind::Bytes),
    known("flag", Kind::Bytes),
    known("n", Kind::Number(7, (1, 9))),
    known("w", Kind::Words(&["a", "b"])),
];

fn parse(text: &str) -> Query<'_> {
    Query::parse(text, KNOWN).unwrap()
}

#[test]
fn parameters_are_bytes() {
    let query = parse("key=%00%ff+a=2&empty=&flag");
    assert_eq!(query.bytes("key"), Some(&b"\x00\xff+a=2"[..]));
    assert_eq!((query.bytes("empty"), query.bytes("flag")), (Some(&b""[..]), Some(&b""[..])));
    assert_eq!(query.bytes("n"), None);
    assert!(query.required("n").is_err());
    let refused = |text, known| Query::parse(text, known).err().unwrap().body.message;
    assert_eq!(
        refused("key=1&x=2", KNOWN),
        "unknown parameter \"x\"; expected key, empty, flag, n, w"
    );
    assert_eq!(refused("x", &[]), "unknown parameter \"x\"; expected none");
    assert_eq!(refused("key=1&key=2", KNOWN), "the parameter \"key\" is given twice");
    assert!(Query::parse("", &[]).is_ok());
}

#[test]
fn numbers_and_words_have_bounds_and_defaults() {
    let number = |text| parse(text).number("n").ok();
    assert_eq!([number(""), number("n=1"), number("n=9")], [Some(7), Some(1), Some(9)]);
    assert_eq!(
        [number("n=0"), number("n=10"), number("n=-1"), number("n="), number("n=1x")],
        [None; 5]
    );
    let word = |text| parse(text).choice("w").ok();
    assert_eq!([word(""), word("w=b"), word("w=c")], [Some("a"), Some("b"), None]);
    // A handler cannot read what the table does not have.
    assert_eq!(parse("").number("w").unwrap_err().body.error, "failed");
    assert_eq!(parse("").choice("missing").unwrap_err().body.error, "failed");
}
