//! Compares the bit commands with a real Redis: random inputs with fixed seeds.

use fastrand::Rng;

use super::field::{FieldOp, FieldType, Overflow, WINDOW, parse_offset};
use super::ops::BitOp;
use super::range::{BitRange, Unit};
use crate::testing::redis::{Redis, Reply};

/// Redis's default limit on the length of a string.
const BYTES_MAX: u64 = 512 << 20;

fn value(random: &mut Rng) -> Vec<u8> {
    let length = [0, 1, 2, 9, 40][random.usize(..5)];
    let kind = random.usize(..3);
    (0..length).map(|_| [0, 0xff, random.u8(..)][kind]).collect()
}

#[test]
fn counts_and_positions() {
    let Some(mut redis) = Redis::start() else { return };
    let mut random = Rng::with_seed(1);
    for _ in 0..4000 {
        let value = value(&mut random);
        let length = value.len() as u64;
        redis.call(&[b"SET", &b"k"[..], &value]);
        let (start, end) = (random.i64(-400..400), random.i64(-400..400));
        let shift = [0, 4][random.usize(..2)];
        let (start, end) = (start >> shift, end >> shift);
        let unit = [Unit::Bit, Unit::Byte][random.usize(..2)];
        let bit = random.bool();
        let digit = if bit { "1" } else { "0" };
        let name = if unit == Unit::Bit { "bit" } else { "BYTE" };
        let (from, to) = (start.to_string(), end.to_string());

        let range = BitRange::resolve(start, end, unit, length);
        let counted = BitRange::resolve_for_count(start, end, unit, length);
        let count = counted.map_or(0, |range| range.count(0, &value));
        let reply = redis.call(&["BITCOUNT", "k", &from, &to, name]);
        assert_eq!(reply, Reply::Integer(count as i64), "{value:?} {start} {end} {unit:?}");

        let position = |range: Option<BitRange>, end_given| {
            let Some(range) = range else { return Reply::Integer(-1) };
            let found = range.find(bit, 0, &value).map(|at| at as i64);
            Reply::Integer(found.unwrap_or(range.not_found(bit, end_given)))
        };
        let reply = redis.call(&["BITPOS", "k", digit, &from, &to, name]);
        assert_eq!(reply, position(range, true), "{value:?} {bit} {start} {end} {unit:?}");
        let reply = redis.call(&["BITPOS", "k", digit, &from]);
        let tail = BitRange::resolve(start, -1, Unit::Byte, length);
        if !value.is_empty() {
            assert_eq!(reply, position(tail, false), "{value:?} {bit} {start}");
        }
        let reply = redis.call(&["BITPOS", "k", digit]);
        if !value.is_empty() {
            assert_eq!(reply, position(BitRange::whole(length), false), "{value:?} {bit}");
        }
    }
}

#[test]
fn single_bits() {
    let Some(mut redis) = Redis::start() else { return };
    let mut random = Rng::with_seed(2);
    let mut ours = Vec::new();
    for _ in 0..2000 {
        let offset = random.u64(..3000);
        let bit = random.bool();
        let at = (offset / 8) as usize;
        ours.resize(ours.len().max(at + 1), 0);
        let old = super::get(ours[at], offset);
        ours[at] = super::set(ours[at], offset, bit);
        let digit = if bit { "1" } else { "0" };
        let reply = redis.call(&["SETBIT", "k", &offset.to_string(), digit]);
        assert_eq!(reply, Reply::Integer(i64::from(old)));
    }
    assert_eq!(redis.text(&["GET", "k"]), ours);
}

#[test]
fn combined_values() {
    let Some(mut redis) = Redis::start() else { return };
    let mut random = Rng::with_seed(3);
    let names = ["AND", "or", "Xor", "NOT"];
    for _ in 0..2000 {
        let name = names[random.usize(..4)];
        let count = if name == "NOT" { 1 } else { random.usize(1..5) };
        let values: Vec<_> = (0..count).map(|_| value(&mut random)).collect();
        let mut command = vec![b"BITOP".to_vec(), name.into(), b"result".to_vec()];
        for (i, value) in values.iter().enumerate() {
            redis.call(&[b"SET", format!("k{i}").as_bytes(), value]);
            command.push(format!("k{i}").into_bytes());
        }
        let longest = values.iter().map(Vec::len).max().unwrap();
        let mut result = vec![0; longest];
        let op = BitOp::parse(name.as_bytes()).unwrap();
        // In parts, as a caller with chunks does it.
        for (i, part) in result.chunks_mut(7).enumerate() {
            let cut = |value: &'_ Vec<u8>| -> std::ops::Range<usize> {
                (i * 7).min(value.len())..(i * 7 + part.len()).min(value.len())
            };
            let parts: Vec<_> = values.iter().map(|value| &value[cut(value)]).collect();
            op.combine(part, &parts);
        }
        assert_eq!(redis.call(&command), Reply::Integer(longest as i64));
        let theirs = redis.call(&["GET", "result"]);
        let expected = if longest == 0 { Reply::Null } else { Reply::Text(result) };
        assert_eq!(theirs, expected, "{name} {values:?}");
    }
}

#[test]
fn integer_fields() {
    let Some(mut redis) = Redis::start() else { return };
    let mut random = Rng::with_seed(4);
    let mut ours: Vec<u8> = Vec::new();
    let interesting = [0, 1, -1, i64::MAX, i64::MIN, 127, 128, 255, 256];
    for _ in 0..15_000 {
        let signed = random.bool();
        let bits = random.u32(1..=if signed { 64 } else { 63 });
        let kind = format!("{}{bits}", if signed { 'i' } else { 'u' });
        let field = FieldType::parse(kind.as_bytes()).unwrap();
        let offset = match random.usize(..3) {
            0 => format!("#{}", random.usize(..10)),
            _ => random.usize(..300).to_string(),
        };
        let number = match random.usize(..3) {
            0 => interesting[random.usize(..interesting.len())],
            1 => random.i64(..) >> random.u32(..63),
            _ => random.i64(-300..300),
        };
        let (op, words) = match random.usize(..3) {
            0 => (FieldOp::Get, vec!["GET".to_owned(), kind, offset.clone()]),
            1 => {
                let number_text = number.to_string();
                (FieldOp::Set(number), vec!["SET".to_owned(), kind, offset.clone(), number_text])
            }
            _ => {
                let number_text = number.to_string();
                let words = vec!["INCRBY".to_owned(), kind, offset.clone(), number_text];
                (FieldOp::IncrBy(number), words)
            }
        };
        let (mode, overflow) =
            [("WRAP", Overflow::Wrap), ("sat", Overflow::Saturate), ("Fail", Overflow::Fail)]
                [random.usize(..3)];
        let mut command: Vec<&str> = vec!["BITFIELD", "k", "OVERFLOW", mode];
        command.extend(words.iter().map(String::as_str));
        let reply = redis.call(&command);

        let at = field.parse_offset(offset.as_bytes(), BYTES_MAX).unwrap();
        let (first, last) = field.bytes(at);
        if op != FieldOp::Get && ours.len() <= last as usize {
            ours.resize(last as usize + 1, 0);
        }
        let mut window = [0; WINDOW];
        let inside = (first as usize).min(ours.len())..(first as usize + WINDOW).min(ours.len());
        window[..inside.len()].copy_from_slice(&ours[inside.clone()]);
        let result = field.apply(&mut window, at, op, overflow);
        let length = inside.len();
        ours[inside].copy_from_slice(&window[..length]);
        let expected = result.map_or(Reply::Null, Reply::Integer);
        assert_eq!(reply, Reply::Array(vec![expected]), "{command:?}");
        if let Reply::Text(theirs) = redis.call(&["GET", "k"]) {
            assert_eq!(theirs, ours, "{command:?}");
        }
    }
    assert_eq!(redis.text(&["GET", "k"]), ours);
}

#[test]
fn types_and_offsets() {
    let Some(mut redis) = Redis::start() else { return };
    let mut random = Rng::with_seed(5);
    let pick = |random: &mut Rng, from: &str, max: usize| -> String {
        let from: Vec<char> = from.chars().collect();
        (0..random.usize(1..=max)).map(|_| from[random.usize(..from.len())]).collect()
    };
    for _ in 0..3000 {
        let kind = format!("{}{}", pick(&mut random, "iiuux", 1), pick(&mut random, "0123456", 2));
        let offset = match random.usize(..3) {
            0 => pick(&mut random, "#0123456789-", 12),
            1 => format!("#{}", random.i64(..)),
            _ => format!("{}", (BYTES_MAX * 8) as i64 + random.i64(-2..2)),
        };
        let reply = redis.call(&["BITFIELD", "none", "GET", &kind, &offset]);
        let expected = match FieldType::parse(kind.as_bytes()) {
            None => {
                "ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is."
            }
            Some(field) => match field.parse_offset(offset.as_bytes(), BYTES_MAX) {
                None => "ERR bit offset is not an integer or out of range",
                Some(_) => "",
            },
        };
        let error = match reply {
            Reply::Error(error) => error,
            _ => String::new(),
        };
        assert_eq!(error, expected, "{kind} {offset}");
        let reply = redis.call(&["GETBIT", "none", &offset]);
        let is_error = matches!(reply, Reply::Error(_));
        assert_eq!(parse_offset(offset.as_bytes(), BYTES_MAX).is_none(), is_error, "{offset}");
    }
}
