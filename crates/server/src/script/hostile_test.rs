//! Scripts that want all time, memory or stack.

use super::testing::{TestHost, engine, eval, eval_with, with_stack};
use super::{Engine, Limits};
use crate::resp::Protocol;

#[test]
fn endless_scripts_are_stopped() {
    with_stack(|| {
        let mut engine = engine();
        for source in [
            "while true do end",
            "while true do pcall(function() while true do end end) end",
            "local function f() return f() end f()",
            "while true do xpcall(function() while true do end end, function() while true do end end) end",
            "repeat local x = redis.call('ping') until false",
            "local t = setmetatable({}, {__index = function(t, k) while true do end end}) return t.x",
            "table.sort({1,2,3}, function() while true do end end)",
            "return string.gsub('abc', '.', function() while true do end end)",
            "load(function() while true do end end)",
            "return setmetatable({}, {__concat=function() while true do end end}) .. ''",
            "local function f(...) return f(1, 2, 3, 4, 5, 6, 7, 8, 9, ...) end f()",
            "return string.find(string.rep('a', 1000), '.-.-.-.-.-b')",
            "return string.gsub(string.rep('a', 1000), '.*.*.*.*b', '')",
            "return tostring(setmetatable({}, {__tostring=function() while true do end end}))",
        ] {
            let mut host = TestHost { interrupts: 3, ..TestHost::default() };
            let reply =
                eval_with(&mut engine, &mut host, Protocol::Resp2, source.as_bytes(), &[], &[]);
            let reply = String::from_utf8_lossy(&reply);
            let text = "-ERR Script killed by user with SCRIPT KILL... script: ";
            assert!(reply.starts_with(text), "{source}: {reply}");
            assert_eq!(eval(&mut engine, "return 7"), ":7\r\n", "{source}");
        }
    });
}

#[test]
fn scripts_that_want_all_memory_are_refused() {
    with_stack(|| {
        let mut engine = engine();
        for source in [
            "return string.rep('x', 1e9)",
            "return ('x'):rep(2^53)",
            "local s = 'x' while true do s = s .. s end",
            "local t = {} while true do t[#t + 1] = {} end",
            "local t = {} for i = 1, 1e9 do t[i] = i end",
            "local t = {} for i = 1, 1e9 do t['k' .. i] = i end",
            "local t, s = {}, string.rep('x', 1e6) for i = 1, 10000 do t[i] = s end return table.concat(t)",
            "local s = string.rep('x', 1e6) return string.format(string.rep('%s', 90), unpack((function() local t = {} for i = 1, 90 do t[i] = s end return t end)()))",
            "return (string.gsub(string.rep('x', 1e5), 'x', string.rep('y', 1e5)))",
            "return cjson.decode('[' .. string.rep('{},', 1e6) .. '{}]')",
            "local s = string.rep('x', 1e6) local t = {} for i = 1, 100 do t[i] = s end return cjson.encode(t)",
            "local s = string.rep('x', 1e6) local t = {} for i = 1, 100 do t[i] = s end return cmsgpack.pack(t)",
            "while true do pcall(string.rep, 'x', 1e9) end",
        ] {
            let mut host = TestHost { interrupts: 100_000, ..TestHost::default() };
            let reply =
                eval_with(&mut engine, &mut host, Protocol::Resp2, source.as_bytes(), &[], &[]);
            let reply = String::from_utf8_lossy(&reply);
            assert!(reply.starts_with("-ERR not enough memory"), "{source}: {reply}");
            assert_eq!(eval(&mut engine, "return 7"), ":7\r\n", "{source}");
        }
    });
}

#[test]
fn memory_is_given_back() {
    with_stack(|| {
        let mut engine = engine();
        for _ in 0..200 {
            let reply = eval(&mut engine, "return #string.rep('x', 4e6)");
            assert_eq!(reply, ":4000000\r\n");
        }
        for index in 0..2_000 {
            eval(
                &mut engine,
                &format!("local t = {{}} for i = 1, 100 do t[i] = {{i}} end return {index}"),
            );
        }
        assert!(engine.memory() < 32 << 20, "{}", engine.memory());
    });
}

#[test]
fn deep_scripts_do_not_overflow_the_stack() {
    with_stack(|| {
        let mut engine = engine();
        let nested = |open: &str, close: &str, count: usize| {
            format!("return {}1{}", open.repeat(count), close.repeat(count))
        };
        for source in [
            nested("(", ")", 100_000),
            nested("{", "}", 100_000),
            nested("f(", ")", 100_000),
            nested("-", "", 100_000),
            nested("1+", "", 100_000),
            nested("'x'..", "", 100_000),
            nested("function() return ", " end", 100_000),
            format!("local f return f{}", "()".repeat(100_000)),
            format!("local f return f{}", ".x".repeat(100_000)),
            format!("local a = 1 return a{}", " and a".repeat(100_000)),
            format!("{} {}", "if 1 then ".repeat(10_000), "end ".repeat(10_000)),
            format!("{} {}", "do ".repeat(150), "end ".repeat(150)),
            nested("(", ")", 150),
            nested("1+", "", 900),
            nested("'x'..", "", 150),
            "local function f() return 1 + f() end return f()".to_owned(),
            "local function f() return pcall(f) end return f()".to_owned(),
            "local function f() local ok, e = pcall(f) error(e) end f()".to_owned(),
            "local t = setmetatable({}, {}) getmetatable(t).__index = function(t, k) return t[k .. 'x'] end return t.x".to_owned(),
            "local t = setmetatable({}, {}) getmetatable(t).__tostring = function(t) return tostring(t) end return tostring(t)".to_owned(),
            "return string.gsub('x', 'x', function(s) return string.gsub(s, 'x', debug or function() end) end)".to_owned(),
            "local function f(s) return string.gsub(s, '.', f) end return f('x')".to_owned(),
            "local function f() table.sort({2, 1}, f) end f()".to_owned(),
            "return string.find(string.rep('a', 300000), string.rep('a?', 300000) .. 'b')".to_owned(),
            "return string.find(string.rep('(', 300000), string.rep('(', 300000))".to_owned(),
            "local f = function() end for i = 1, 100000 do local g = f f = function() return g() end end return f()".to_owned(),
        ] {
            let _ = eval(&mut engine, &source);
            let head: String = source.chars().take(60).collect();
            assert_eq!(eval(&mut engine, "return 7"), ":7\r\n", "{head}");
        }
    });
}

#[test]
fn nested_values_of_the_libraries_are_bounded() {
    with_stack(|| {
        let mut engine = engine();
        let reply = eval(&mut engine, "local a = {} local b = {a} a[1] = b return a");
        assert!(reply.contains("-ERR reached lua stack limit"), "{}", reply.len());
        for (source, expected) in [
            (
                "return cjson.decode(string.rep('[', 100000))",
                "Found too many nested data structures (1001) at character 1001",
            ),
            (
                "cjson.decode_max_depth(1e9) return cjson.decode(string.rep('[', 100000))",
                "Found too many nested data structures (7991) at character 7991",
            ),
            (
                "local t = {} for i = 1, 5000 do t = {t} end return cjson.encode(t)",
                "Cannot serialise, excessive nesting (1001)",
            ),
            (
                "local t = {} t[1] = t cjson.encode_max_depth(1e9) return cjson.encode(t)",
                "Cannot serialise, excessive nesting (7991)",
            ),
            (
                "return cmsgpack.unpack(string.rep('\\145', 100000))",
                "stack overflow (too many nested values)",
            ),
            ("return #cmsgpack.unpack('\\221\\255\\255\\255\\255')", "Missing bytes in input."),
            ("return unpack({}, 1, 1e9)", "too many results to unpack"),
            ("return unpack({}, 1, 2^53)", "too many results to unpack"),
        ] {
            let reply = eval(&mut engine, source);
            assert!(reply.contains(expected), "{source}: {reply}");
        }
    });
}

#[test]
fn the_server_cannot_be_changed() {
    with_stack(|| {
        let mut engine = engine();
        for source in [
            "_G.x = 1",
            "_G = {}",
            "rawset(_G, 'x', 1)",
            "setmetatable(_G, {})",
            "getmetatable(_G).__index = {}",
            "getmetatable(getmetatable(_G)).__index = {}",
            "getmetatable('').__index = {}",
            "getmetatable('').__index.upper = 1",
            "table.insert(redis, 1)",
            "table.insert(_G, 1)",
            "table.sort(string)",
            "table.remove(math)",
            "redis.call = 1",
            "rawset(redis, 'call', 1)",
            "setmetatable(redis, nil)",
            "string.upper = nil",
            "cjson.encode = 1",
            "cmsgpack.pack = 1",
            "bit.lshift = 1",
            "struct.pack = 1",
            "math.random = 1",
            "KEYS = 1",
        ] {
            let reply = eval(&mut engine, source);
            assert!(reply.contains("Attempt to modify a readonly table"), "{source}: {reply}");
        }
        for name in [
            "print",
            "dofile",
            "loadfile",
            "os",
            "io",
            "debug",
            "require",
            "package",
            "newproxy",
            "coroutine",
            "getfenv",
            "setfenv",
        ] {
            let reply = eval(&mut engine, &format!("return {name}"));
            assert!(reply.contains(&format!("nonexistent global variable '{name}'")), "{reply}");
        }
    });
}

#[test]
fn bytecode_is_refused() {
    with_stack(|| {
        let mut engine = engine();
        for source in [
            "return loadstring(string.dump(function() return 1 end))()",
            "return loadstring('#\\n' .. string.dump(function() return 1 end))()",
            "return loadstring('\\27Lua')()",
            "local n = 0 return load(function() n = n + 1 if n == 1 then return '\\27Lua' end end)()",
        ] {
            let reply = eval(&mut engine, source);
            assert!(reply.contains("attempt to call a nil value"), "{source}: {reply}");
        }
        assert!(eval(&mut engine, "\x1bLuaQ").starts_with("-ERR Error compiling script"));
        assert_eq!(eval(&mut engine, "return loadstring('return 1 + 1')()"), ":2\r\n");
    });
}

#[test]
fn mutated_scripts_and_values_do_not_panic() {
    const SCRIPTS: &[&str] = &[
        "local t = {1, 2, x = 'y', [3.5] = {}} for k, v in pairs(t) do t[k] = nil end return #t",
        "local f = function(...) local a, b = ... return select('#', ...), a, b end return {f(1, nil, 3)}",
        "return string.format('%5.2f %q %s %d %x', 1.5, 'a\\0b', 'c', 3, 255) .. ('x'):rep(3)",
        "return {string.find('hello world', '(o)(.-)(%w+)$'), string.gsub('abc', '%w', '%0%0'), ('x,y'):match('(.),(.)')}",
        "local ok, e = pcall(error, {err = 'x'}) return {ok, e, redis.pcall('list', 1, 'b')[2]}",
        "local i = 0 while i < 10 do i = i + 1 if i % 2 == 0 then break end end repeat i = i - 1 until i <= 0 return i",
        "return {bit.band(0xff, 15), bit.tohex(255, 4), struct.unpack('>I2i4s', struct.pack('>I2i4s', 1, -2, 'z'))}",
        "return cjson.encode(cjson.decode('{\"a\":[1,2,{\"b\":null}],\"c\":\"\\\\u00e9\"}'))",
        "return {cmsgpack.unpack(cmsgpack.pack({1, {a = true}, 'x', 1.5}))}",
        "return {math.floor(1.5), math.max(1, 2), tonumber('0x10'), tostring(nil), table.concat({1, 2}, ',')}",
    ];
    with_stack(|| {
        let mut random = fastrand::Rng::with_seed(11);
        let mut engine = Engine::new(Limits { memory_max: 8 << 20 }, 1);
        for round in 0..crate::testing::fuzz_rounds() / 20 {
            let mut source = SCRIPTS[random.usize(..SCRIPTS.len())].as_bytes().to_vec();
            crate::testing::mutate(&mut random, &mut source);
            let mut host = TestHost { interrupts: 3, ..TestHost::default() };
            let reply = eval_with(&mut engine, &mut host, Protocol::Resp2, &source, &[], &[]);
            assert!(reply.ends_with(b"\r\n"), "{}", source.escape_ascii());
            if round % 500 == 499 {
                engine.reset();
            }
        }
    });
}

#[test]
fn mutated_data_of_the_libraries_does_not_panic() {
    let script = b"local t = {} for _, f in ipairs{cjson.decode, cmsgpack.unpack, cmsgpack.unpack_one} do
        local ok, v = pcall(f, ARGV[1]) if ok then t[#t + 1] = {pcall(cjson.encode, v), pcall(cmsgpack.pack, v)} end end
        pcall(struct.unpack, ARGV[2], ARGV[1]) pcall(struct.pack, ARGV[2], 1, 2, 'x') pcall(struct.size, ARGV[2]) return t";
    with_stack(|| {
        let mut random = fastrand::Rng::with_seed(12);
        let (mut engine, mut host) = (engine(), TestHost::default());
        let texts: &[&[u8]] = &[
            b"{\"a\":[1,-2.5e3,true,null,\"x\\u00e9\\n\"],\"b\":{}}",
            b"\x82\xa1a\x93\x01\xcb?\xf8\0\0\0\0\0\0\xc3\xa1b\xda\0\x01x\xce\0\0\0\x01",
        ];
        for _ in 0..crate::testing::fuzz_rounds() / 20 {
            let mut text = texts[random.usize(..2)].to_vec();
            let mut format = b">!4i3I2c2s<bBhHlLTfdx".to_vec();
            crate::testing::mutate(&mut random, &mut text);
            crate::testing::mutate(&mut random, &mut format);
            host.interrupts = 10;
            let reply =
                eval_with(&mut engine, &mut host, Protocol::Resp2, script, &[], &[&text, &format]);
            assert_eq!(reply[0], b'*', "{} {}", text.escape_ascii(), reply.escape_ascii());
        }
    });
}
