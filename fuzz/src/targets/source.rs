//! The source of scripts and libraries. `input = flags:1 source`; a set lowest bit of the flags is RESP3.
//!
//! * Nothing panics; memory, time and stack are bounded by the interpreter's limits.
//! * The reply is one whole reply, and the next script is not affected.

use super::lua::{FuzzHost, check_reply, check_usable, eval, with_engine};
use ferrolith_server::resp::{Protocol, Reply};

/// Checks one input.
pub fn run(input: &[u8]) {
    let Some((flags, source)) = input.split_first() else { return };
    let protocol = if flags % 2 == 0 { Protocol::Resp2 } else { Protocol::Resp3 };
    with_engine(|engine| {
        let answer = |reply: &mut Reply| reply.bulk(b"value");
        let arguments: [&[u8]; 2] = [b"1", b"text"];
        eval(engine, &mut FuzzHost::new(&answer), protocol, source, &arguments);
        check_usable(engine);
        if source.starts_with(b"#!") {
            check_library(engine, protocol, source);
        }
    });
}

fn check_library(engine: &mut ferrolith_server::script::Engine, protocol: Protocol, source: &[u8]) {
    let answer = |reply: &mut Reply| reply.integer(7);
    match engine.load(source, &mut FuzzHost::new(&answer)) {
        Ok(library) => {
            assert!(!library.functions().is_empty());
            for function in library.functions().iter().take(4) {
                assert!(library.function(&function.name.to_ascii_uppercase()).is_some());
                let (mut host, mut reply) = (FuzzHost::new(&answer), Reply::new(protocol));
                engine.call(&library, &function.name, &[b"key"], &[b"1"], &mut host, &mut reply);
                check_reply(reply.bytes(), protocol);
            }
        }
        Err(text) => assert!(!text.is_empty()),
    }
    check_usable(engine);
}

/// Returns inputs to begin with.
pub fn seeds() -> Vec<Vec<u8>> {
    let scripts = [
        "return redis.call('get', KEYS[1] or 'k')",
        "return {1, 'two', {3, false, nil}, 4.9, true, {ok = 'fine'}, {err = 'ERR x'}}",
        "local s = 0 for i = 1, 10 do s = s + i % 3 * 2 ^ 2 - i / 7 end return s .. ''",
        "local t = {} for w in string.gmatch('one two', '%a+') do t[#t + 1] = w:upper() end return t",
        "local ok, e = pcall(function() error({code = 1}) end) return tostring(ok) .. type(e)",
        "return string.format('%5.2f|%-5d|%q|%x|%s', 1.5, -3, 'a\\nb', 255, tostring(nil))",
        "return setmetatable({}, {__index = function(t, k) return k .. '!' end}).x",
        "local function f(...) local a, b = ... return select('#', ...), a, b end return {f(1, nil, 3)}",
        "table.sort(ARGV, function(a, b) return a > b end) return table.concat(ARGV, ',')",
        "while true do if math.random() > 2 then break end end",
        "repeat local x = (x or 0) + 1 until x == 1 return [==[ long\n]] string]==] --[[ comment ]]",
        "redis.setresp(3) return {map = {a = 1, b = {set = {x = true}}, c = {double = 1.5}}}",
        "local a <const> = 1 goto done ::done:: return a",
        "return cjson.encode({1, {a = cjson.null}}) .. cmsgpack.pack('x', 1.5, {})",
        "return {bit.band(7, 3), bit.tohex(255, 4), struct.pack('>I2c0', 2, 'ab')}",
        "local c = coroutine.wrap(function() coroutine.yield(1) end) return c()",
        "return loadstring('return ' .. ARGV[1])()",
        "return redis.sha1hex('x') .. tostring(redis.error_reply('a b').err)",
        "for i = 10, 1, -3 do local f = function() return i end if f() == 4 then return f() end end",
        "local t = {[1] = 'a', x = {y = {z = 'deep'}}; 'b'} return t.x.y.z .. t[1] .. #t",
        "return not (1 < 2 and 'a' <= 'b' or 3 ~= 4 and nil == false) and -2 ^ 2 .. 'x' == '-4x'",
        "return string.rep('ab', 1000):gsub('(a)(b)', '%2%1%0', 5)",
        "return tonumber('0x1p4') or tonumber('10', 36) or 1e308 * 10 or 0/0",
        "return unpack({1, 2, 3}, 2) + rawlen and next({}) or rawget(redis, 'call') == nil",
        "#!lua flags=no-writes,allow-stale\nreturn redis.pcall('set', 'a', 'b')",
        "#!lua name=lib\nredis.register_function('f', function(keys, args) return keys[1] .. args[1] end)",
        "#!lua name=lib\nlocal function g(k) return redis.call('get', k[1]) end\nredis.register_function{\
         function_name='g', callback=g, flags={'no-writes'}, description='d'}",
        "return \"\\065\\x41\\z  \\u{48}\\\n\" .. 'it''s'",
        "local t = {} t[t] = t t.n = 0/0 return pcall(function() t[t.n] = 1 end)",
        "local s = newproxy and 1 or getfenv and 2 or _G._VERSION return s",
    ];
    let with = |flags: u8| scripts.map(|source| [&[flags], source.as_bytes()].concat());
    [with(0), with(1)].concat()
}
