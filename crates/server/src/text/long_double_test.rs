//! Tests of the extended format. The differential tests compare longer sequences with Redis.

use super::*;

fn parse(text: &str) -> Option<LongDouble> {
    LongDouble::parse(text.as_bytes())
}

fn sum(a: &str, b: &str) -> Option<String> {
    Some(parse(a)?.checked_add(parse(b)?)?.to_string())
}

#[test]
fn printed_forms() {
    for (text, printed) in [
        ("0", "0"),
        ("-0", "0"),
        ("1", "1"),
        ("-1.5", "-1.5"),
        ("3.0e3", "3000"),
        ("0.1", "0.1"),
        ("1e-17", "0.00000000000000001"),
        ("6e-18", "0.00000000000000001"),
        ("4e-18", "0"),
        ("-4e-18", "0"),
        ("0.99999999999999999999", "1"),
        ("18446744073709551615", "18446744073709551615"),
        ("18446744073709551617", "18446744073709551616"),
        ("18446744073709551619", "18446744073709551620"),
        ("0x1p-1", "0.5"),
        ("0x1p64", "18446744073709551616"),
        ("inf", "inf"),
        ("-inf", "-inf"),
    ] {
        assert_eq!(parse(text).unwrap().to_string(), printed, "{text}");
    }
}

#[test]
fn the_range_of_the_format() {
    let largest = parse("1.18973149535723176502e+4932").unwrap();
    assert_eq!(largest.to_string().len(), 4933);
    assert_eq!(largest.finite, Some((u64::MAX, 16320)));
    assert_eq!(parse("3.6e-4951").unwrap().finite, Some((1, -16445)));
    for text in
        ["1.2e4932", "1e5000", "1e999999999999", "1e-4951", "1e-99999999999", "nan", "", " 1"]
    {
        assert_eq!(parse(text), None, "{text}");
    }
    assert_eq!(parse(&"0".repeat(5119)).unwrap().to_string(), "0");
    assert_eq!(parse(&"0".repeat(5120)), None);
    // One digit more than the short way takes, and a long text.
    assert_eq!(parse("1234567890123456789.50").unwrap().to_string(), "1234567890123456789.5");
    let long = format!("0.{}1e4000", "0".repeat(4000));
    assert_eq!(parse(&long).unwrap().to_string(), "0.1");
}

#[test]
fn sums() {
    for (a, b, result) in [
        ("10.5", "0.1", "10.6"),
        ("0.1", "0.2", "0.3"),
        ("3", "1.1", "4.1"),
        ("5.0e3", "2.0e2", "5200"),
        ("1", "-1", "0"),
        ("-0", "-0", "0"),
        ("4e18", "0.5", "4000000000000000000.5"),
        ("1e19", "0.5", "10000000000000000000"),
        ("1e20", "0.5", "100000000000000000000"),
        ("18446744073709551615", "1", "18446744073709551616"),
        ("18446744073709551616", "-1", "18446744073709551615"),
        ("18446744073709551616", "-1e-4900", "18446744073709551616"),
        ("0.00000000000000001", "-0.5", "-0.49999999999999999"),
    ] {
        assert_eq!(sum(a, b).as_deref(), Some(result), "{a} + {b}");
        assert_eq!(sum(b, a).as_deref(), Some(result), "{b} + {a}");
    }
    let largest = "1.18973149535723176502e+4932";
    assert_eq!(sum(largest, largest), None);
    assert_eq!(sum("inf", "1"), None);
    assert_eq!(sum("inf", "-inf"), None);
    assert!(parse("inf").unwrap().is_infinite());
}

#[test]
fn subnormal_numbers_add_exactly() {
    let smallest = parse("3.6e-4951").unwrap();
    assert_eq!(smallest.checked_add(smallest).unwrap().finite, Some((2, -16445)));
    let normal = LongDouble::new(false, 1 << 63, -16445);
    let below = normal.checked_add(LongDouble::new(true, 1, -16445)).unwrap();
    assert_eq!(below.finite, Some(((1 << 63) - 1, -16445)));
}
