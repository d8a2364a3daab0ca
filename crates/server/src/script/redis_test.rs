//! Compares scripts without keys, and the loading of libraries, with a real Redis.

use super::testing::{TestHost, engine, eval_with, parse, with_stack};
use crate::resp::{Protocol, Reply};
use crate::testing::redis::{self, Redis};

/// Expressions, each after `return`. A line that begins with `!` is a whole script.
const EXPRESSIONS: &str = include_str!("redis_test.txt");

/// Libraries, separated by lines of dashes.
const LIBRARIES: &str = include_str!("redis_libraries_test.txt");

#[test]
fn expressions_give_the_same_replies() {
    with_stack(|| {
        let Some(mut redis) = Redis::start() else { return };
        let mut engine = engine();
        let mut problems = Vec::new();
        let mut count = 0;
        for line in EXPRESSIONS.lines().filter(|line| !line.is_empty() && !line.starts_with("--")) {
            let source = match line.strip_prefix('!') {
                Some(script) => script.replace("\\n", "\n"),
                None => format!("return {line}"),
            };
            count += 1;
            let theirs = redis.call(&["EVAL", &source, "0"]);
            let mut host = TestHost::default();
            let ours =
                eval_with(&mut engine, &mut host, Protocol::Resp2, source.as_bytes(), &[], &[]);
            let ours = parse(&ours);
            if ours != theirs {
                problems.push(format!(
                    "{source}\n  theirs {}\n  ours   {}",
                    show(&theirs),
                    show(&ours)
                ));
            }
        }
        assert!(
            problems.is_empty(),
            "{} of {count} differ:\n{}",
            problems.len(),
            problems.join("\n")
        );
        assert!(count > 300, "{count}");
    });
}

#[test]
fn libraries_are_loaded_or_refused_alike() {
    with_stack(|| {
        let Some(mut redis) = Redis::start() else { return };
        let (mut engine, mut host) = (engine(), TestHost::default());
        let mut problems = Vec::new();
        for code in LIBRARIES.split("\n----\n") {
            redis.call(&["FUNCTION", "FLUSH"]);
            let theirs = redis.call(&["FUNCTION", "LOAD", code]);
            let loaded = engine.load(code.as_bytes(), &mut host);
            let ours = match &loaded {
                Ok(library) => redis::Reply::Text(library.name().to_vec()),
                Err(text) => {
                    redis::Reply::Error(format!("ERR {}", text.replace(['\r', '\n'], " ")))
                }
            };
            if ours != theirs {
                problems.push(format!(
                    "{code}\n  theirs {}\n  ours   {}",
                    show(&theirs),
                    show(&ours)
                ));
            }
            let Ok(library) = loaded else { continue };
            for function in library.functions() {
                let name = String::from_utf8_lossy(&function.name).into_owned();
                let theirs = redis.call(&["FCALL", &name, "1", "k", "a"]);
                let mut reply = Reply::default();
                engine.call(&library, &function.name, &[b"k"], &[b"a"], &mut host, &mut reply);
                let ours = parse(&reply.take());
                if ours != theirs {
                    problems.push(format!(
                        "{code}\n{name}\n  theirs {}\n  ours   {}",
                        show(&theirs),
                        show(&ours)
                    ));
                }
            }
        }
        assert!(problems.is_empty(), "{} differ:\n{}", problems.len(), problems.join("\n"));
    });
}

/// Random numbers of a seed, numbers in every format, and random texts through the libraries.
#[test]
fn random_values_give_the_same_replies() {
    with_stack(|| {
        let Some(mut redis) = Redis::start() else { return };
        let mut random = fastrand::Rng::with_seed(21);
        let mut engine = engine();
        let mut host = TestHost::default();
        let script = b"local a, b = tonumber(ARGV[1]), ARGV[2] math.randomseed(#b)
            local function try(f, ...) local r = {pcall(f, ...)} for i = 1, #r do r[i] = tostring(r[i]) end return r end
            return {tostring(a), string.format('%.3f|%g|%e|%d|%x|%5.1f|%-8d|%+d', a, a, a, #b, #b * 77, a, #b, -#b),
                math.floor(a), tostring(#b * 3 % 7), tostring(math.random()), math.random(1, 1000000),
                try(cjson.decode, b), try(cjson.encode, b), try(cmsgpack.unpack, b), cmsgpack.pack(b), cmsgpack.pack(a),
                try(cjson.encode, a), try(bit.tohex, a), try(struct.pack, '<d>f!4bi', a, a, #b, #b * 3),
                try(string.format, '%q', b), try(string.find, b, '%d+'), try(string.gsub, b, '[%w\\128-\\255]', '<%0>'),
                try(tonumber, b), redis.sha1hex(b), string.reverse(b), #b}";
        let script = String::from_utf8_lossy(script).into_owned();
        for _ in 0..3_000 {
            let number = match random.usize(..4) {
                0 => f64::from_bits(random.u64(..) & !(1 << 62)),
                1 => f64::from(random.i32(..)),
                2 => random.f64(),
                _ => random.i64(..) as f64,
            };
            let number = format!("{number:e}");
            let text = match random.usize(..3) {
                0 => crate::testing::bytes(&mut random, 12),
                1 => format!("[{number},{{\"k\":\"v\"}}, true]").into_bytes(),
                _ => {
                    let mut text = b"{\"a\": [1, 2.50, \"x\\u0041\"], \"b\": null}".to_vec();
                    crate::testing::mutate(&mut random, &mut text);
                    text
                }
            };
            let theirs = redis.call(&[b"EVAL", script.as_bytes(), b"0", number.as_bytes(), &text]);
            let ours = eval_with(
                &mut engine,
                &mut host,
                Protocol::Resp2,
                script.as_bytes(),
                &[],
                &[number.as_bytes(), &text],
            );
            let ours = parse(&ours);
            let (ours, theirs) = (show(&ours), show(&theirs));
            // Addresses of tables differ.
            let hide = |text: &str| {
                text.split("0x")
                    .map(|part| part.trim_start_matches(|c: char| c.is_ascii_hexdigit()))
                    .collect::<String>()
            };
            assert_eq!(hide(&ours), hide(&theirs), "{number} {}", text.escape_ascii());
        }
    });
}

fn show(reply: &redis::Reply) -> String {
    match reply {
        redis::Reply::Text(text) => text.escape_ascii().to_string(),
        redis::Reply::Error(text) => format!("-{text}"),
        redis::Reply::Integer(number) => format!(":{number}"),
        redis::Reply::Null => "null".to_owned(),
        redis::Reply::Array(items) => {
            format!("[{}]", items.iter().map(show).collect::<Vec<_>>().join(", "))
        }
    }
}
