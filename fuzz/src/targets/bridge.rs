//! The libraries of scripts, and replies to and from scripts. `input = kind:1 length:1 first:length second`: a kind of
//! check, and two strings, which the check's script has in ARGV, or from which the server's reply is made.
//!
//! * Nothing panics; memory, time and stack are bounded by the interpreter's limits.
//! * JSON and MessagePack that were decoded are the same after they are encoded and decoded again; numbers of `struct`
//!   come back; results of `bit` are integers of 32 bits.
//! * The reply of a script is one whole reply, whatever the server replied to it. A reply of the server in RESP2 passes
//!   a script unchanged.

use super::lua::{FuzzHost, check_usable, eval, is_of_limits, with_engine};
use ferrolith_server::resp::{Protocol, Reply};
use ferrolith_server::script::Engine;

/// Compares values; what nests deeper than MessagePack packs counts as equal.
const SAME: &str = "
local function same(a, b, depth)
  if type(a) ~= type(b) then return false end
  if type(a) ~= 'table' then return a == b or a ~= a and b ~= b end
  if depth > 14 then return true end
  for k, v in pairs(a) do
    if type(k) ~= 'table' and not same(v, b[k], depth + 1) then return false end
  end
  for k in pairs(b) do
    if type(k) ~= 'table' and a[k] == nil then return false end
  end
  return true
end
";

/// Numbers lose digits when they are encoded first, so what was decoded twice is compared.
const JSON: &str = "
local ok, value = pcall(cjson.decode, ARGV[1])
if not ok then return value end
local ok, text = pcall(cjson.encode, value)
if not ok then return text end
local once = cjson.decode(text)
if not same(once, cjson.decode(cjson.encode(once)), 0) then return 'DIFFERENT' end
return text
";

/// What nests too deep is packed as nil, which cannot be unpacked as a key; Redis says the same.
const MSGPACK: &str = "
local values = {pcall(cmsgpack.unpack, ARGV[1])}
for i = 2, #values do
  local ok, again = pcall(cmsgpack.unpack, cmsgpack.pack(values[i]))
  if not ok and not string.find(again, 'table index is nil') then return 'DIFFERENT' end
  if ok and not same(values[i], again, 0) then return 'DIFFERENT' end
end
pcall(cmsgpack.unpack_one, ARGV[1], #ARGV[2])
pcall(cmsgpack.unpack_limit, ARGV[1], 3, #ARGV[2])
return values
";

const STRUCT: &str = "
local values = {pcall(struct.unpack, ARGV[1], ARGV[2])}
pcall(struct.unpack, ARGV[1], ARGV[2], 3)
pcall(struct.size, ARGV[1])
pcall(struct.pack, ARGV[1], ARGV[2], ARGV[2], 'x', ARGV[2])
local ok, packed = pcall(struct.pack, ARGV[1], 1, -2, 3, -4, 5, 6, 7, 8)
pcall(struct.pack, ARGV[1], 2 ^ 63, -2 ^ 63, 1e300, 0 / 0, -1e300, 2 ^ 53, 0.5)
if ok then pcall(struct.unpack, ARGV[1], packed) end
for _, format in ipairs{'i4', '>i4', 'h', '<l', 'b', 'd', '>i7'} do
  if struct.unpack(format, struct.pack(format, #ARGV[2] % 128)) ~= #ARGV[2] % 128 then
    return 'DIFFERENT'
  end
end
return values
";

const BIT: &str = "
local numbers, at = {}, 1
while at + 7 <= #ARGV[1] and at < 200 do numbers[#numbers + 1], at = struct.unpack('<d', ARGV[1], at) end
for _, text in ipairs{ARGV[1], ARGV[2], #ARGV[2], '0x7fffffff', -1} do numbers[#numbers + 1] = text end
for _, name in ipairs{'tobit', 'bnot', 'band', 'bor', 'bxor', 'lshift', 'rshift', 'arshift', 'rol', 'ror', 'bswap'} do
  for i = 1, #numbers do
    local ok, result = pcall(bit[name], numbers[i], numbers[#numbers + 1 - i])
    if ok and (result ~= math.floor(result) or result < -2 ^ 31 or result >= 2 ^ 31) then return 'DIFFERENT' end
    pcall(bit.tohex, numbers[i], numbers[#numbers + 1 - i])
  end
end
return #numbers
";

const STRINGS: &str = "
local a, b = ARGV[1], ARGV[2]
local calls = {
  {string.format, a, b, 3, 1.5, b, -7, 2 ^ 53, b}, {string.format, a, 1, 2, 3, 4, 5, 6, 7}, {string.format, a, 0 / 0, 1 / 0, nil},
  {string.find, b, a}, {string.find, b, a, -2}, {string.find, b, a, 1, true}, {string.match, b, a}, {string.gsub, b, a, '%0%1'},
  {string.gsub, b, a, b}, {string.gsub, b, a, {x = 'y'}, 2}, {string.gsub, b, a, string.upper},
  {tonumber, a}, {tonumber, b, #a % 40}, {string.byte, b, #a, -1}, {string.sub, b, -#a, #a}, {string.rep, a, #b},
  {table.concat, {a, b, 1}, b}, {loadstring, a}, {unpack, {a, b}, -3, #a}, {cjson.encode, {a, [b] = a}}, {cjson.decode, b},
}
for i = 1, #calls do pcall(unpack(calls[i], 1, 9)) end
pcall(function() for x, y in string.gmatch(b, a) do if y == 'x' then break end end end)
if cjson.decode(cjson.encode({a, b}))[2] ~= b or cmsgpack.unpack(cmsgpack.pack(a)) ~= a then return 'DIFFERENT' end
return string.reverse(a) .. string.lower(b)
";

/// Checks one input.
pub fn run(input: &[u8]) {
    let [kind, length, rest @ ..] = input else { return };
    let (first, second) = rest.split_at(usize::from(*length).min(rest.len()));
    let protocol = if kind & 0x80 == 0 { Protocol::Resp2 } else { Protocol::Resp3 };
    with_engine(|engine| {
        match kind % 8 {
            0 => check_library(engine, protocol, &[SAME, JSON].concat(), &[rest]),
            1 => check_library(engine, protocol, &[SAME, MSGPACK].concat(), &[rest, second]),
            2 => check_library(engine, protocol, STRUCT, &[first, second]),
            3 => check_library(engine, protocol, BIT, &[first, second]),
            4 => check_library(engine, protocol, STRINGS, &[first, second]),
            5 => check_unchanged(engine, rest),
            6 => check_reply(engine, protocol, &|reply| build(&mut { rest }, 0, reply)),
            _ => check_reply(engine, protocol, &|reply| reply.raw(rest)),
        }
        check_usable(engine);
    });
}

fn check_library(engine: &mut Engine, protocol: Protocol, source: &str, arguments: &[&[u8]]) {
    let answer = |reply: &mut Reply| reply.null();
    let mut host = FuzzHost::new(&answer);
    let reply = eval(engine, &mut host, protocol, source.as_bytes(), arguments);
    let is_right = !reply.starts_with(b"-") || is_of_limits(&reply);
    assert!(is_right && reply != b"$9\r\nDIFFERENT\r\n", "{}", reply.escape_ascii());
}

/// Checks that a reply in RESP2 passes a script. Errors at the top get the script's name, so they are nested.
fn check_unchanged(engine: &mut Engine, bytes: &[u8]) {
    let answer = |reply: &mut Reply| {
        reply.array(1);
        build(&mut { bytes }, 1, reply);
    };
    let mut expected = Reply::new(Protocol::Resp2);
    answer(&mut expected);
    let source = b"return redis.call('x')";
    let reply = eval(engine, &mut FuzzHost::new(&answer), Protocol::Resp2, source, &[]);
    assert_eq!(reply.escape_ascii().to_string(), expected.bytes().escape_ascii().to_string());
}

/// Checks that any reply of the server gives one whole reply, whatever the protocols of client and script.
fn check_reply(engine: &mut Engine, protocol: Protocol, answer: &dyn Fn(&mut Reply)) {
    for source in [
        "redis.setresp(3) return redis.call('x')",
        "return redis.pcall('x')",
        "redis.setresp(3) local r = redis.pcall('x') redis.setresp(2) return r",
        "redis.setresp(3) return cjson.encode(redis.pcall('x'))",
    ] {
        eval(engine, &mut FuzzHost::new(answer), protocol, source.as_bytes(), &[]);
    }
}

/// Appends one reply, which bytes describe.
fn build(bytes: &mut &[u8], depth: usize, reply: &mut Reply) {
    let Some((kind, rest)) = bytes.split_first() else { return reply.null() };
    *bytes = rest;
    let count = usize::from(kind >> 4);
    let deeper = depth < 12;
    match kind % 16 {
        0 | 1 if deeper => list(bytes, depth, count, reply, Reply::array),
        2 if deeper => list(bytes, depth, 2 * count, reply, |reply, count| reply.map(count / 2)),
        3 if deeper => list(bytes, depth, count, reply, Reply::set),
        4 => reply.null(),
        5 => reply.boolean(count > 7),
        6 => reply.double(["0", "-1.5", "inf", "-inf", "nan", "1e300"][count % 6]),
        7 => reply.verbatim(take(bytes, count)),
        8 | 9 => {
            let number = take(bytes, 4).iter().fold(0i32, |n, byte| n << 8 | i32::from(*byte));
            reply.integer(number.into());
        }
        10 => reply.simple(&text(take(bytes, count))),
        // At the top of a reply, an error ends the script.
        11 => reply.error(&format!("ERR {}", text(take(bytes, count)))),
        _ => reply.bulk(take(bytes, count)),
    }
}

fn list(
    bytes: &mut &[u8],
    depth: usize,
    count: usize,
    reply: &mut Reply,
    begin: impl Fn(&mut Reply, usize),
) {
    // Few elements, unless there are bytes for them.
    let count = count.min(bytes.len() + 2) & !1;
    begin(reply, count);
    (0..count).for_each(|_| build(bytes, depth + 1, reply));
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> &'a [u8] {
    let (taken, rest) = bytes.split_at(count.min(bytes.len()));
    *bytes = rest;
    taken
}

/// Returns printable text, as it is in simple strings and errors.
fn text(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(b' ' + byte % 94)).collect()
}

/// Returns inputs to begin with.
pub fn seeds() -> Vec<Vec<u8>> {
    let json = [
        "{\"a\":[1,2.5,-3e10,true,false,null,\"\\u00e9\\ud83d\\ude00\\n\"],\"b\":{}}",
        "[[[[]]],0x1F,Infinity,nan,1e400,-0]",
        "\"\\/\\b\\f\\t\"",
        "{\"1\":1,\"2\":[{\"x\":[]}]}",
        "[1,",
    ];
    let msgpack: [&[u8]; 6] = [
        b"\x93\x01\xa2ab\xc0",
        b"\x82\xa1a\xcb\x3f\xf8\0\0\0\0\0\0\xa1b\xca\x3f\xc0\0\0",
        b"\xcc\xff\xcd\xff\xff\xce\xff\xff\xff\xff\xcf\xff\xff\xff\xff\xff\xff\xff\xff\xd0\x80\xd1\x80\0",
        b"\xd9\x02ab\xda\0\x01x\xdb\0\0\0\x01y\xc4\x01z",
        b"\xdc\0\x02\x01\x02\xdd\0\0\0\x01\x03\xde\0\x01\x01\x02\xdf\0\0\0\x01\xc3\xc2",
        b"\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x01",
    ];
    let two = |kind: u8, first: &str, second: &[u8]| {
        [&[kind, first.len() as u8], first.as_bytes(), second].concat()
    };
    let mut seeds: Vec<Vec<u8>> = json.iter().map(|text| two(0, "", text.as_bytes())).collect();
    seeds.extend(msgpack.iter().map(|bytes| two(1, "", bytes)));
    let formats = ["<i4>i2bB!8dxfLT", "c0", "Bc0s", ">I3i16", "!4hdl", "c5s", "=", "i33"];
    seeds.extend(formats.iter().map(|format| two(2, format, b"\x03abcdefghijklmnopqrstuvwxyz\0a")));
    seeds.push(two(3, "12345678\0\0\0\0\0\0\0@", b"31"));
    for (pattern, text) in [
        ("(%a+)%s*=%s*(%d+)", "key = 10, x=2"),
        ("%b()%f[%w]", "f(a(b)c)d"),
        ("^.-%.$", "end."),
        ("[^%]a-c]*()", "xyz]a"),
        ("%5.1f|%-5d|%q|%x|%c|%g|%i|%s|%%", "text"),
        ("%+010d% 5.3s%e%o%X%u", "a\0b"),
        ("0x10", "zz"),
    ] {
        seeds.push(two(4, pattern, text.as_bytes()));
    }
    let shapes: [&[u8]; 5] = [
        &[0x40, 8, 1, 2, 3, 4, 0x3c, b'a', b'b', b'c', 4, 0x4a, 1, 2, 3, 4],
        &[0x42, 0x1c, b'k', 8, 0, 0, 0, 1, 0x1c, b'l', 0x23, 0x1c, b'm', 0x1c, b'n'],
        &[0x20, 0x25, 0xf5, 0x20, 6, 0x16, 0x57, 1, 2, 3, 4, 5],
        &[0x4b, 1, 2, 3, 4],
        &[0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20],
    ];
    for kind in [5, 6, 0x86] {
        seeds.extend(shapes.map(|shape| [&[kind, 0], shape].concat()));
    }
    let raw: [&[u8]; 6] = [
        b"*3\r\n:1\r\n$1\r\nx\r\n*-1\r\n",
        b"%1\r\n+a\r\n~2\r\n#t\r\n_\r\n",
        b"=8\r\ntxt:text\r\n",
        b",1.5\r\n",
        b"(123456789012345678901234567890\r\n",
        b"-ERR text\r\n",
    ];
    seeds.extend(raw.map(|bytes| [&[0x87, 0], bytes].concat()));
    seeds
}
