//! Compares the value rules with a real Redis: random inputs with fixed seeds.

use fastrand::Rng;

use super::double;
use super::glob::{self, Case};
use super::long_double::LongDouble;
use super::range::{LexRange, ScoreRange};
use crate::testing::redis::{Redis, Reply, command};

/// Returns a random text that often is a number.
fn number(random: &mut Rng) -> Vec<u8> {
    let digits = |random: &mut Rng, max: usize| -> String {
        (0..random.usize(..=max)).map(|_| random.digit(10)).collect()
    };
    let sign = ["", "", "", "-", "+"][random.usize(..5)];
    let mut text = match random.usize(..12) {
        0 => format!("{sign}{}", ["inf", "Infinity", "INF", "nan", "infinit"][random.usize(..5)]),
        1 => format!("{sign}0x{:x}.{:x}p{}", random.u32(..), random.u16(..), random.i32(-80..80)),
        2 => {
            format!("{sign}{}.{}e{}", digits(random, 3), digits(random, 3), random.i32(-400..400))
        }
        3 => format!("{sign}{}e{}", digits(random, 30), random.i32(-40..40)),
        4 => format!("{sign}{}.{}", digits(random, 25), digits(random, 25)),
        5 => format!("{sign}{}", random.i64(..)),
        6 => format!("{:e}", f64::from_bits(random.u64(..))),
        7 => format!("{sign}{}", random.f64()),
        8 => format!("{sign}0.{}{}", "0".repeat(random.usize(..20)), digits(random, 5)),
        9 => format!("{sign}{}e{}", digits(random, 3), random.i32(-5200..5200)),
        _ => format!("{sign}{}.{}", digits(random, 6), digits(random, 4)),
    }
    .into_bytes();
    if random.usize(..12) == 0 {
        crate::testing::mutate(random, &mut text);
    }
    text
}

#[test]
fn incrbyfloat_gives_the_same_texts() {
    let Some(mut redis) = Redis::start() else { return };
    let mut random = Rng::with_seed(1);
    let mut expected = Vec::new();
    let mut commands = Vec::new();
    let mut value = LongDouble::ZERO;
    for _ in 0..20_000 {
        let text = number(&mut random);
        if random.usize(..4) == 0 {
            commands.push(command(&["DEL", "k"]));
            expected.push(None);
            value = LongDouble::ZERO;
        }
        commands.push(vec![b"INCRBYFLOAT".to_vec(), b"k".to_vec(), text.clone()]);
        let Some(increment) = LongDouble::parse(&text) else {
            expected.push(Some(Reply::Error("ERR value is not a valid float".to_owned())));
            continue;
        };
        expected.push(Some(match value.checked_add(increment) {
            Some(sum) => {
                let text = sum.to_string();
                // The next command reads the stored text, not the number.
                value = LongDouble::parse(text.as_bytes()).unwrap();
                Reply::Text(text.into_bytes())
            }
            None => Reply::Error("ERR increment would produce NaN or Infinity".to_owned()),
        }));
    }
    let replies = redis.pipeline(&commands);
    let mut texts = 0;
    for ((command, reply), expected) in commands.iter().zip(&replies).zip(&expected) {
        let Some(expected) = expected else { continue };
        assert_eq!(reply, expected, "{}", command[2].escape_ascii());
        texts += usize::from(matches!(reply, Reply::Text(_)));
    }
    assert!(texts > 10_000, "{texts}");
}

#[test]
fn scores_are_parsed_added_and_printed_alike() {
    let Some(mut redis) = Redis::start() else { return };
    let info = String::from_utf8(redis.text(&["INFO", "server"])).unwrap();
    let is_7_0 = info.contains("redis_version:7.0.");
    let mut random = Rng::with_seed(2);
    let (mut score, mut others) = (0.0, 0);
    for _ in 0..20_000 {
        let text = number(&mut random);
        let reply = redis.call(&[b"ZADD", &b"z"[..], b"INCR", &text, b"m"]);
        let expected = match double::parse(&text) {
            None => Reply::Error("ERR value is not a valid float".to_owned()),
            Some(by) if f64::is_nan(score + by) => {
                Reply::Error("ERR resulting score is not a number (NaN)".to_owned())
            }
            Some(by) => {
                score += by;
                let printed =
                    if is_7_0 { double::format_17_digits(score) } else { double::format(score) };
                Reply::Text(printed.into_bytes())
            }
        };
        // Redis 7.2 and later print some numbers with more digits than needed.
        if let (Reply::Text(theirs), false) = (&reply, is_7_0)
            && reply != expected
        {
            assert_eq!(double::parse(theirs), Some(score));
            others += 1;
        } else {
            assert_eq!(reply, expected, "{}", text.escape_ascii());
        }
        if score.is_infinite() || random.usize(..5) == 0 {
            // Both start again from the same score.
            redis.call(&["ZADD", "z", "0", "m"]);
            score = 0.0;
        }
    }
    assert!(others < 100, "{others} of 20,000 numbers differ");
}

#[test]
fn ranges_have_the_same_ends() {
    let Some(mut redis) = Redis::start() else { return };
    let mut random = Rng::with_seed(3);
    let scores = [-f64::INFINITY, -5.5, -1.0, 0.0, 0.5, 1.0, 2.0, 1e10, f64::INFINITY];
    for (i, score) in scores.iter().enumerate() {
        redis.call(&["ZADD", "z", &double::format(*score), &format!("m{i}")]);
    }
    let members: [&[u8]; 6] = [b"", b"a", b"ab", b"b", b"\x80", b"b\0"];
    for member in members {
        redis.call(&[b"ZADD", &b"lex"[..], b"0", member]);
    }
    for _ in 0..5000 {
        let mut bound = || {
            let mut text = if random.bool() { b"(".to_vec() } else { Vec::new() };
            match random.usize(..3) {
                0 => text.extend(number(&mut random)),
                _ => {
                    let score = scores[random.usize(..scores.len())];
                    text.extend(double::format(score).into_bytes());
                }
            }
            text
        };
        let (min, max) = (bound(), bound());
        let reply = redis.call(&[b"ZCOUNT", &b"z"[..], &min, &max]);
        let expected = match ScoreRange::parse(&min, &max) {
            Some(range) => {
                let count = scores.iter().filter(|score| range.contains(**score)).count();
                Reply::Integer(count as i64)
            }
            None => Reply::Error("ERR min or max is not a float".to_owned()),
        };
        assert_eq!(reply, expected, "{} {}", min.escape_ascii(), max.escape_ascii());

        let mut bound = || {
            let starts = [&b"["[..], b"(", b"-", b"+", b"[", b"(", b"", b"-\0"];
            let mut text = starts[random.usize(..starts.len())].to_vec();
            if random.usize(..3) > 0 && text != b"-" && text != b"+" {
                text.extend(members[random.usize(..members.len())]);
            }
            text
        };
        let (min, max) = (bound(), bound());
        let reply = redis.call(&[b"ZLEXCOUNT", &b"lex"[..], &min, &max]);
        let expected = match LexRange::parse(&min, &max) {
            Some(range) => {
                Reply::Integer(members.iter().filter(|m| range.contains(m)).count() as i64)
            }
            None => Reply::Error("ERR min or max not valid string range item".to_owned()),
        };
        assert_eq!(reply, expected, "{} {}", min.escape_ascii(), max.escape_ascii());
    }
}

#[test]
fn patterns_match_the_same_keys() {
    let Some(mut redis) = Redis::start() else { return };
    let mut random = Rng::with_seed(4);
    let alphabet = b"aab*?[]^\\-\xffB";
    let text = |random: &mut Rng, max: usize| -> Vec<u8> {
        (0..random.usize(..=max)).map(|_| alphabet[random.usize(..alphabet.len())]).collect()
    };
    let mut keys: Vec<Vec<u8>> = (0..60).map(|_| text(&mut random, 6)).collect();
    keys.sort();
    keys.dedup();
    let mut found = 0;
    for key in &keys {
        redis.call(&[b"SET", &key[..], b""]);
    }
    for _ in 0..6000 {
        let pattern = match random.usize(..4) {
            0 => {
                let mut pattern = keys[random.usize(..keys.len())].clone();
                let at = random.usize(..=pattern.len());
                pattern.insert(at, b"*?["[random.usize(..3)]);
                pattern
            }
            _ => text(&mut random, 8),
        };
        if pattern == b"*" {
            continue; // KEYS does not match with this one.
        }
        let Reply::Array(matched) = redis.call(&[b"KEYS", &pattern[..]]) else {
            panic!("KEYS fails")
        };
        for key in &keys {
            let theirs = matched.contains(&Reply::Text(key.clone()));
            let ours = glob::matches(&pattern, key, Case::Sensitive);
            assert_eq!(ours, theirs, "{} {}", pattern.escape_ascii(), key.escape_ascii());
            found += usize::from(ours);
            let (prefix, whole) = glob::literal_prefix(&pattern);
            assert!(!ours || if whole { *key == prefix } else { key.starts_with(&prefix) });
        }
    }
    assert!(found > 5000, "{found}");
}

#[test]
fn patterns_that_ignore_case_match_the_same_settings() {
    let Some(mut redis) = Redis::start() else { return };
    let Reply::Array(all) = redis.call(&["CONFIG", "GET", "*"]) else { panic!("CONFIG fails") };
    let name = |reply: &Reply| match reply {
        Reply::Text(name) => name.clone(),
        other => panic!("{other:?}"),
    };
    let names: Vec<_> = all.chunks(2).map(|pair| name(&pair[0])).collect();
    let mut random = Rng::with_seed(5);
    for _ in 0..1500 {
        let mut pattern = names[random.usize(..names.len())].to_ascii_uppercase();
        for _ in 0..random.usize(1..4) {
            let at = random.usize(..pattern.len());
            let new = [&b"*"[..], b"?", b"[A-m]", b"[^N-z]", b"[z-A]", b"\\", b"[\\E]"];
            pattern.splice(at..at + random.usize(..2), new[random.usize(..new.len())].to_vec());
        }
        if !pattern.iter().any(|byte| b"*?[".contains(byte)) {
            continue; // CONFIG GET compares names without wildcards directly.
        }
        let Reply::Array(found) = redis.call(&[b"CONFIG", &b"GET"[..], &pattern]) else {
            panic!("CONFIG fails")
        };
        let mut theirs: Vec<_> = found.chunks(2).map(|pair| name(&pair[0])).collect();
        let mut ours = names.clone();
        ours.retain(|name| glob::matches(&pattern, name, Case::Ignored));
        theirs.sort();
        ours.sort();
        assert_eq!(ours, theirs, "{}", pattern.escape_ascii());
    }
}

#[test]
fn keys_have_the_same_slots() {
    let Some(mut redis) = Redis::start_with(&["--cluster-enabled", "yes"]) else { return };
    let mut random = Rng::with_seed(6);
    for _ in 0..2000 {
        let key: Vec<u8> =
            (0..random.usize(..12)).map(|_| b"{}{}abcdefgh\0\xff"[random.usize(..14)]).collect();
        let slot = i64::from(super::slot::of_key(&key));
        let reply = redis.call(&[b"CLUSTER", &b"KEYSLOT"[..], &key]);
        assert_eq!(reply, Reply::Integer(slot), "{}", key.escape_ascii());
    }
}

#[test]
fn damaged_input_never_panics() {
    let mut random = Rng::with_seed(7);
    let blocks: Vec<Vec<u8>> =
        (0..50).filter_map(|i| super::lzf::compress(&b"abcabcaaab".repeat(i))).collect();
    for _ in 0..crate::testing::fuzz_rounds() {
        let mut block = blocks[random.usize(..blocks.len())].clone();
        crate::testing::mutate(&mut random, &mut block);
        let length = random.usize(..1 << 24) >> random.u32(..24);
        if let Some(bytes) = super::lzf::decompress(&block, length) {
            assert_eq!(bytes.len(), length);
        }
        let mut text = number(&mut random);
        crate::testing::mutate(&mut random, &mut text);
        if let Some(value) = double::parse(&text) {
            let again = |printed: String| double::parse(printed.as_bytes());
            assert_eq!(again(double::format(value)), Some(value));
            assert_eq!(again(double::format_17_digits(value)), Some(value));
        }
        LongDouble::parse(&text);
        ScoreRange::parse(&text, &block);
        LexRange::parse(&text, &block);
        glob::matches(&block, &text, Case::Ignored);
        super::integer::parse_unsigned(&text);
        crate::streamid::NewId::parse(&text);
        super::slot::of_key(&text);
    }
}
