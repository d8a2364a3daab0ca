//! Tests of stream ids.

use super::*;
use crate::testing::redis::{Redis, Reply};

const MAX: u64 = u64::MAX;

fn id(ms: u64, seq: u64) -> StreamId {
    StreamId::new(ms, seq)
}

#[test]
fn complete_and_partial_ids() {
    for (text, parsed) in [
        ("5-3", Some(id(5, 3))),
        ("5", Some(id(5, 7))),
        ("0-0", Some(id(0, 0))),
        ("18446744073709551615-18446744073709551615", Some(StreamId::MAX)),
        ("18446744073709551616-0", None),
        ("-", None),
        ("+", None),
        ("", None),
        ("-5", None),
        ("5-", None),
        ("5-*", None),
        ("*", None),
        ("a-1", None),
        ("1-2-3", None),
        // Oddities of strtoull.
        ("05-+3", Some(id(5, 3))),
        ("5-3\0-", Some(id(5, 3))),
    ] {
        assert_eq!(StreamId::parse(text.as_bytes(), 7), parsed, "{text}");
    }
    let long = format!("{}1-1", "0".repeat(125));
    assert_eq!(StreamId::parse(long.as_bytes(), 0), None, "128 bytes");
    assert_eq!(StreamId::parse(&long.as_bytes()[1..], 0), Some(id(1, 1)));
}

#[test]
fn neighbours() {
    assert_eq!(id(1, 2).next(), Some(id(1, 3)));
    assert_eq!(id(1, MAX).next(), Some(id(2, 0)));
    assert_eq!(StreamId::MAX.next(), None);
    assert_eq!(id(1, 0).previous(), Some(id(0, MAX)));
    assert_eq!(StreamId::MIN.previous(), None);
    assert_eq!(id(5, 5).after(6), Some(id(6, 0)));
    assert_eq!(id(5, 5).after(5), Some(id(5, 6)));
    assert_eq!(id(5, 5).after(1), Some(id(5, 6)));
}

#[test]
fn ids_of_new_entries() {
    assert_eq!(NewId::parse(b"*"), Some(NewId::Auto));
    assert_eq!(NewId::parse(b"7-*"), Some(NewId::AutoSequence(7)));
    assert_eq!(NewId::parse(b"7"), Some(NewId::Given(id(7, 0))));
    assert_eq!(NewId::parse(b"*-1"), None);
    assert_eq!(NewId::parse(b"7-**"), None);
    let last = id(5, 9);
    for (new, resolved) in [
        (NewId::Auto, Some(id(8, 0))),
        (NewId::AutoSequence(5), Some(id(5, 10))),
        (NewId::AutoSequence(6), Some(id(6, 0))),
        (NewId::AutoSequence(4), None),
        (NewId::Given(id(5, 9)), None),
        (NewId::Given(id(5, 10)), Some(id(5, 10))),
    ] {
        assert_eq!(new.resolve(last, 8), resolved, "{new:?}");
    }
    assert_eq!(NewId::AutoSequence(0).resolve(StreamId::MIN, 8), Some(id(0, 1)));
    assert_eq!(NewId::AutoSequence(5).resolve(id(5, MAX), 8), None);
}

#[test]
fn ends_of_ranges() {
    let parse = |text: &str, missing| IdBound::parse(text.as_bytes(), missing);
    assert_eq!(parse("-", 0).unwrap().first(), Some(StreamId::MIN));
    assert_eq!(parse("+", MAX).unwrap().last(), Some(StreamId::MAX));
    assert_eq!(parse("(5-3", 0).unwrap().first(), Some(id(5, 4)));
    assert_eq!(parse("(5", MAX).unwrap().last(), Some(id(5, MAX - 1)));
    assert_eq!(parse("5", MAX).unwrap().last(), Some(id(5, MAX)));
    assert_eq!(parse("(0-0", 0).unwrap().last(), None);
    for bad in ["(", "(-", "(+", "((5"] {
        assert_eq!(parse(bad, 0), None, "{bad}");
    }
}

#[test]
fn bytes_order_as_ids() {
    let ids = [id(0, 1), id(1, 0), id(1, MAX), id(256, 1), StreamId::MAX];
    assert!(ids.iter().map(|id| id.to_bytes()).is_sorted());
    assert!(ids.iter().all(|id| StreamId::from_bytes(id.to_bytes()) == *id));
}

/// Compares with a real Redis: ids of XADD, and the ends of XRANGE.
#[test]
fn redis_accepts_the_same_ids() {
    let Some(mut redis) = Redis::start() else { return };
    let mut random = fastrand::Rng::with_seed(1);
    let mut last = StreamId::MIN;
    let mut ids = Vec::new();
    let part = |random: &mut fastrand::Rng| match random.usize(..6) {
        0 => [
            "",
            "-",
            "+",
            "*",
            "(",
            "18446744073709551615",
            "18446744073709551616",
            " 1",
            "+1",
            "x",
        ][random.usize(..10)]
        .to_owned(),
        1 => format!("0{}", random.u32(..100)),
        _ => random.u32(..60).to_string(),
    };
    let mut added = 0;
    for round in 0..6000 {
        if round % 100 == 0 {
            redis.call(&["DEL", "s"]);
            (last, ids) = (StreamId::MIN, Vec::new());
        }
        let mut text = part(&mut random);
        if random.usize(..4) > 0 {
            text = format!("{text}-{}", part(&mut random));
        }
        let parsed = NewId::parse(text.as_bytes());
        if parsed != Some(NewId::Auto) && parsed != Some(NewId::Given(StreamId::MIN)) {
            let reply = redis.call(&["XADD", "s", &text, "f", "v"]);
            match parsed.map(|new| new.resolve(last, 0)) {
                None => assert_eq!(
                    reply,
                    Reply::Error(
                        "ERR Invalid stream ID specified as stream command argument".to_owned()
                    ),
                    "{text}"
                ),
                Some(None) => assert!(matches!(reply, Reply::Error(_)), "{text} {reply:?}"),
                Some(Some(id)) => {
                    assert_eq!(reply, Reply::Text(id.to_string().into_bytes()), "{text}");
                    last = id;
                    ids.push(id);
                    added += 1;
                }
            }
        }
        let bound = |random: &mut fastrand::Rng| {
            let open = if random.bool() { "(" } else { "" };
            let rest = if random.bool() { format!("-{}", part(random)) } else { String::new() };
            format!("{open}{}{rest}", part(random))
        };
        let (start, end) = (bound(&mut random), bound(&mut random));
        let parsed_start = IdBound::parse(start.as_bytes(), 0).map(IdBound::first);
        let parsed_end = IdBound::parse(end.as_bytes(), u64::MAX).map(IdBound::last);
        match (redis.call(&["XRANGE", "s", &start, &end]), parsed_start, parsed_end) {
            (Reply::Array(entries), Some(Some(first)), Some(Some(last))) => {
                let inside = ids.iter().filter(|id| (first..=last).contains(id)).count();
                assert_eq!(entries.len(), inside, "{start} {end}");
            }
            (Reply::Error(_), first, last) => {
                assert!(first.flatten().is_none() || last.flatten().is_none(), "{start} {end}");
            }
            (other, ..) => panic!("{start} {end}: {other:?}"),
        }
    }
    assert!(added > 250, "{added}");
}
