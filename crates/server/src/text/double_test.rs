//! Tests of doubles.

use super::*;

#[test]
fn accepted_and_refused_texts() {
    for (text, value) in [
        ("0", Some(0.0)),
        ("-1.5", Some(-1.5)),
        ("+2", Some(2.0)),
        (".5", Some(0.5)),
        ("5.", Some(5.0)),
        ("1e3", Some(1000.0)),
        ("0e999999999999999999999", Some(0.0)),
        ("inf", Some(f64::INFINITY)),
        ("-InFinity", Some(f64::NEG_INFINITY)),
        ("0x10", Some(16.0)),
        ("0x.8p1", Some(1.0)),
        ("0X1.fffffffffffff8p0", Some(2.0)),
        ("0x1p-1074", Some(5e-324)),
        ("4.9e-324", Some(5e-324)),
        ("0x1p-1076", None),
        ("0x1p1024", None),
        ("1e-400", None),
        ("1e400", None),
        ("nan", None),
        ("", None),
        (".", None),
        ("1e", None),
        ("0x", None),
        ("0x1p", None),
        (" 1", None),
        ("1 ", None),
        ("1\0", None),
        ("1_0", None),
        ("infinit", None),
    ] {
        assert_eq!(parse(text.as_bytes()), value, "{text}");
    }
    assert!(parse(b"-0").unwrap().is_sign_negative());
}

#[test]
fn hexadecimal_numbers_are_rounded_to_even() {
    for (text, bits) in [
        ("0x1.00000000000008p0", 0x3ff0_0000_0000_0000u64),
        ("0x1.00000000000018p0", 0x3ff0_0000_0000_0002),
        ("0x1.000000000000080000000000000000000000000001p0", 0x3ff0_0000_0000_0001),
        ("0x0.0000000000000cp-1022", 0x0000_0000_0000_0001),
        ("0x1.fffffffffffffp1023", 0x7fef_ffff_ffff_ffff),
        ("0x0.fffffffffffff8p-1022", 0x0010_0000_0000_0000),
    ] {
        assert_eq!(parse(text.as_bytes()).unwrap().to_bits(), bits, "{text}");
    }
}

#[test]
fn lenient_texts() {
    for (text, value) in [
        ("", Some(0.0)),
        (" 1.5", Some(1.5)),
        ("1\0x", Some(1.0)),
        ("1e400", Some(f64::INFINITY)),
        ("-1e-400", Some(0.0)),
        (" ", None),
        ("1 ", None),
        ("nan", None),
    ] {
        assert_eq!(parse_lenient(text.as_bytes()), value, "{text}");
    }
}

#[test]
fn shortest_form() {
    // Replies of Redis 7.2.6 to ZSCORE.
    for (value, text) in [
        (0.0, "0"),
        (-0.0, "-0"),
        (1.0, "1"),
        (-17.0, "-17"),
        (1.1, "1.1"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1e17, "100000000000000000"),
        (1e18, "1000000000000000000"),
        (4e18, "4000000000000000000"),
        (1e19, "1e+19"),
        (1e20, "1e+20"),
        (1.5e19, "1.5e+19"),
        (1.2345678901234567e19, "12345678901234567000"),
        (1e-3, "0.001"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (1.5e-7, "1.5e-7"),
        (1.25e-10, "1.25e-10"),
        (f64::MAX, "1.7976931348623157e+308"),
        (5e-324, "5e-324"),
        (f64::INFINITY, "inf"),
        (f64::NEG_INFINITY, "-inf"),
    ] {
        assert_eq!(format(value), text);
    }
}

#[test]
fn seventeen_digits() {
    for (value, text) in [
        (0.0, "0"),
        (-0.0, "-0"),
        (1.1, "1.1000000000000001"),
        (3.0, "3"),
        (1e16, "10000000000000000"),
        (1e17, "1e+17"),
        (123456789012345678.0, "1.2345678901234568e+17"),
        (1e-4, "0.0001"),
        (1e-5, "1.0000000000000001e-05"),
        (1e300, "1.0000000000000001e+300"),
    ] {
        assert_eq!(format_17_digits(value), text);
    }
}

#[test]
fn human_form() {
    assert_eq!(format_human(13.361_389_338_970_184), "13.36138933897018433");
    assert_eq!(format_human(-0.0), "0");
    assert_eq!(format_human(1e20), "100000000000000000000");
}
