//! Tests of BITFIELD's arithmetic. The differential tests compare with Redis.

use super::*;

fn field(text: &str) -> FieldType {
    FieldType::parse(text.as_bytes()).unwrap()
}

#[test]
fn types_and_offsets() {
    for bad in ["", "i", "i0", "i65", "u64", "u-1", "x8", "i08", "I8"] {
        assert_eq!(FieldType::parse(bad.as_bytes()), None, "{bad}");
    }
    let u5 = field("u5");
    for (text, offset) in [
        ("0", Some(0)),
        ("#3", Some(15)),
        ("#0", Some(0)),
        ("8191", Some(8191)),
        ("8192", None),
        ("#1639", None),
        ("-1", None),
        ("#-1", None),
        ("#", None),
        ("x", None),
        ("9223372036854775808", None),
    ] {
        assert_eq!(u5.parse_offset(text.as_bytes(), 1024), offset, "{text}");
    }
    assert_eq!(parse_offset(b"#3", 1024), None);
    assert_eq!(field("i64").bytes(7), (0, 8));
    assert_eq!(field("u1").bytes(7), (0, 0));
}

#[test]
fn every_field_is_read_back_and_leaves_its_neighbours() {
    let mut random = fastrand::Rng::with_seed(3);
    for bits in 1..=64 {
        for offset in 0..8 {
            let kind = FieldType { signed: bits == 64 || random.usize(..2) == 0, bits };
            let mut window: [u8; WINDOW] = std::array::from_fn(|_| random.u8(..));
            let before = load(&window);
            let value = kind.extend(random.u64(..));
            kind.write(&mut window, offset, value);
            assert_eq!(kind.read(&window, offset), value);
            let changed = (load(&window) ^ before) >> kind.shift(offset);
            assert_eq!(changed >> bits, 0, "bits before the field");
            assert_eq!((load(&window) ^ before) & ((1 << kind.shift(offset)) - 1), 0);
        }
    }
}

#[test]
fn overflows() {
    let check = |kind: &str, start: i64, op, overflow, reply, stored| {
        let mut window = [0; WINDOW];
        field(kind).write(&mut window, 3, start);
        assert_eq!(field(kind).apply(&mut window, 3, op, overflow), reply, "{kind} {op:?}");
        assert_eq!(field(kind).read(&window, 3), stored, "{kind} {op:?}");
    };
    use FieldOp::{Get, IncrBy, Set};
    use Overflow::{Fail, Saturate, Wrap};
    check("u8", 250, IncrBy(10), Wrap, Some(4), 4);
    check("u8", 250, IncrBy(10), Saturate, Some(255), 255);
    check("u8", 250, IncrBy(10), Fail, None, 250);
    check("u8", 5, IncrBy(-10), Wrap, Some(251), 251);
    check("u8", 5, IncrBy(-10), Saturate, Some(0), 0);
    check("i8", 120, IncrBy(10), Wrap, Some(-126), -126);
    check("i8", -120, IncrBy(-10), Saturate, Some(-128), -128);
    check("i64", i64::MAX, IncrBy(1), Wrap, Some(i64::MIN), i64::MIN);
    check("i64", i64::MIN, IncrBy(-1), Saturate, Some(i64::MIN), i64::MIN);
    check("u63", i64::MAX, IncrBy(1), Wrap, Some(0), 0);
    check("u8", 1, Set(-1), Wrap, Some(1), 255);
    check("u8", 1, Set(-1), Saturate, Some(1), 255);
    check("u8", 1, Set(256), Fail, None, 1);
    check("i8", 1, Set(200), Wrap, Some(1), -56);
    check("i8", 1, Set(i64::MIN), Saturate, Some(1), 127);
    check("i8", 1, Set(-i64::MAX + 127), Saturate, Some(1), -128);
    check("i8", 1, IncrBy(i64::MIN), Saturate, Some(-128), -128);
    check("i8", -3, Get, Fail, Some(-3), -3);
}
