//! Tests of HyperLogLog, most of them beside a real Redis with random inputs and fixed seeds.

use fastrand::Rng;

use super::*;
use crate::testing::redis::{Redis, Reply};
use crate::testing::{fuzz_rounds, mutate};

fn of(elements: std::ops::Range<u32>) -> HyperLogLog {
    let mut value = HyperLogLog::new();
    let elements: Vec<_> = elements.map(|i| i.to_string()).collect();
    value.add(&elements, SPARSE_MAX_BYTES).unwrap();
    value
}

#[test]
fn the_empty_value() {
    let value = HyperLogLog::new();
    assert_eq!(value.as_bytes(), b"HYLL\x01\0\0\0\0\0\0\0\0\0\0\0\x7f\xff");
    assert_eq!(value.cached_count(), Some(0));
    assert_eq!(value.count(), Ok(0));
}

#[test]
fn estimates_are_close() {
    for count in [1, 10, 100, 1000, 20_000, 100_000] {
        let value = of(0..count);
        assert_eq!(value.cached_count(), None);
        let estimate = value.count().unwrap() as f64;
        assert!((estimate - f64::from(count)).abs() <= f64::from(count) * 0.03, "{estimate}");
    }
}

#[test]
fn cached_counts() {
    let mut value = of(0..10);
    value.set_cached_count(77);
    assert_eq!(value.count(), Ok(77));
    assert_eq!(value.add(&["3"], SPARSE_MAX_BYTES), Ok(false));
    assert_eq!(value.count(), Ok(77));
    assert_eq!(value.add(&["new"], SPARSE_MAX_BYTES), Ok(true));
    assert_eq!(value.count(), Ok(11));
}

#[test]
fn foreign_strings() {
    let not = |bytes: &[u8]| HyperLogLog::from_bytes(bytes.to_vec()).err();
    assert_eq!(not(b""), Some(HllError::NotHyperLogLog));
    assert_eq!(not(b"HYLL\x01\0\0\0\0\0\0\0\0\0\0"), Some(HllError::NotHyperLogLog));
    assert_eq!(not(b"HYLM\x01\0\0\0\0\0\0\0\0\0\0\0\x7f\xff"), Some(HllError::NotHyperLogLog));
    assert_eq!(not(b"HYLL\x02\0\0\0\0\0\0\0\0\0\0\0\x7f\xff"), Some(HllError::NotHyperLogLog));
    assert_eq!(not(b"HYLL\x00\0\0\0\0\0\0\0\0\0\0\0\x7f\xff"), Some(HllError::NotHyperLogLog));
    for body in [&b""[..], b"\x7f", b"\x7f\xfe", b"\x7f\xff\x00", b"\x7f\xfd\x8b"] {
        let mut bytes = b"HYLL\x01\0\0\0\0\0\0\0\0\0\0\x80".to_vec();
        bytes.extend(body);
        let value = HyperLogLog::from_bytes(bytes).unwrap();
        assert_eq!(value.count(), Err(HllError::Corrupted), "{body:?}");
        let merged = HyperLogLog::merged(None, &[value], SPARSE_MAX_BYTES);
        assert_eq!(merged, Err(HllError::Corrupted));
    }
}

#[test]
fn redis_stores_the_same_bytes() {
    let Some(mut redis) = Redis::start() else { return };
    let mut random = Rng::with_seed(1);
    for (round, total) in [3, 200, 3000, 6000, 60_000].into_iter().enumerate() {
        let mut ours = HyperLogLog::new();
        ours.invalidate();
        let key = format!("h{round}");
        redis.call(&["PFADD", &key]);
        let mut added = 0;
        while added < total {
            let elements: Vec<Vec<u8>> = (0..random.usize(1..20))
                .map(|_| match random.usize(..3) {
                    0 => random.u32(..).to_string().into_bytes(),
                    1 => random.u32(..500).to_string().into_bytes(),
                    _ => crate::testing::bytes(&mut random, 30),
                })
                .collect();
            added += elements.len();
            let mut command = vec![b"PFADD".to_vec(), key.clone().into_bytes()];
            command.extend(elements.iter().cloned());
            let changed = ours.add(&elements, SPARSE_MAX_BYTES).unwrap();
            assert_eq!(redis.call(&command), Reply::Integer(i64::from(changed)));
            if random.usize(..10) == 0 {
                let count = ours.count().unwrap();
                ours.set_cached_count(count);
                assert_eq!(redis.call(&["PFCOUNT", &key]), Reply::Integer(count as i64));
            }
            if total < 1000 || random.usize(..20) == 0 {
                assert_eq!(redis.text(&["GET", &key]), ours.as_bytes(), "{added} elements");
            }
        }
        assert_eq!(redis.text(&["GET", &key]), ours.as_bytes());
        assert_eq!(ours.is_dense(), total > 1000, "{total}");
    }
}

#[test]
fn redis_merges_alike() {
    let Some(mut redis) = Redis::start() else { return };
    let mut random = Rng::with_seed(2);
    for _ in 0..150 {
        let values: Vec<HyperLogLog> = (0..random.usize(1..4))
            .map(|_| {
                let start = random.u32(..10_000);
                let count = [0, 5, 300, 1500, 20_000][random.usize(..5)];
                of(start..start + count)
            })
            .collect();
        for (i, value) in values.iter().enumerate() {
            redis.call(&[b"SET", format!("s{i}").as_bytes(), value.as_bytes()]);
        }
        let names: Vec<String> = (0..values.len()).map(|i| format!("s{i}")).collect();
        let mut union = Registers::new();
        values.iter().for_each(|value| union.merge(value).unwrap());
        let mut command = vec!["PFCOUNT", "none"];
        command.extend(names.iter().map(String::as_str));
        assert_eq!(redis.call(&command), Reply::Integer(union.count() as i64));

        redis.call(&["DEL", "d"]);
        let destination = (random.usize(..3) > 0).then(|| of(0..random.u32(..2000)));
        if let Some(value) = &destination {
            redis.call(&[b"SET", &b"d"[..], value.as_bytes()]);
        }
        let merged = HyperLogLog::merged(destination, &values, SPARSE_MAX_BYTES).unwrap();
        command[0] = "PFMERGE";
        command[1] = "d";
        assert_eq!(redis.call(&command), Reply::Text(b"OK".to_vec()));
        assert_eq!(redis.text(&["GET", "d"]), merged.as_bytes());
    }
}

#[test]
fn redis_counts_and_refuses_damaged_values_alike() {
    let Some(mut redis) = Redis::start() else { return };
    let mut random = Rng::with_seed(3);
    let values = [of(0..5), of(0..300), of(0..20_000)];
    let (mut sound, mut damaged) = (0, 0);
    for _ in 0..3000 {
        let mut bytes = values[random.usize(..3)].as_bytes().to_vec();
        let at = random.usize(..bytes.len());
        bytes[at] ^= 1 << random.u32(..8);
        // The last run must be complete: Redis reads the byte behind it.
        if bytes.get(4) == Some(&1) && bytes.len() > 17 && bytes[bytes.len() - 1] >> 6 == 1 {
            continue;
        }
        redis.call(&[b"SET", &b"k"[..], &bytes]);
        let expected = match HyperLogLog::from_bytes(bytes.clone()).and_then(|value| value.count())
        {
            Ok(count) => Reply::Integer(count as i64),
            Err(error) => Reply::Error(error.to_string()),
        };
        match expected {
            Reply::Integer(_) => sound += 1,
            _ => damaged += 1,
        }
        assert_eq!(redis.call(&["PFCOUNT", "k"]), expected, "{}", bytes.escape_ascii());
    }
    assert!(sound > 500 && damaged > 200, "{sound} {damaged}");
}

#[test]
fn damaged_values_never_panic() {
    let mut random = Rng::with_seed(4);
    let values = [of(0..0), of(0..5), of(0..300), of(0..1700), of(0..20_000)];
    for _ in 0..fuzz_rounds() {
        // The dense one is large.
        let kind = if random.usize(..50) == 0 { 4 } else { random.usize(..4) };
        let mut bytes = values[kind].as_bytes().to_vec();
        mutate(&mut random, &mut bytes);
        let Ok(mut value) = HyperLogLog::from_bytes(bytes) else { continue };
        let length = value.as_bytes().len();
        let elements = [random.u32(..).to_string(), random.u32(..).to_string()];
        if value.add(&elements, SPARSE_MAX_BYTES).is_ok() {
            let limit = length.max(HEADER + registers::BYTES);
            assert!(value.as_bytes().len() <= limit);
        }
        if random.usize(..20) == 0 {
            let _ = value.count();
            let _ = HyperLogLog::merged(Some(value), &values[..2], SPARSE_MAX_BYTES);
        }
    }
}
