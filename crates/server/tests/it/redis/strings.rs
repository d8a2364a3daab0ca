//! Strings, bitmaps and HyperLogLogs, compared with a real Redis.

use super::{Ours, Value, compare, random_commands, words};
use fastrand::Rng;

/// Arguments in the place of numbers.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "7",
    "10",
    "-10",
    "100",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "",
    "a",
    "1.5",
    " 1",
    "01",
    "-0",
    "+1",
    "4294967296",
];

/// Times to live. None ends during the test.
const EXPIRIES: &[&str] = &[
    "100000000",
    "900000000",
    "0",
    "-1",
    "a",
    "1.5",
    "",
    "9223372036854775807",
    "9223372036854775",
];

/// Values of keys.
const VALUES: &[&str] = &[
    "",
    "0",
    "1",
    "-1",
    "10",
    "abc",
    "hello world",
    "9223372036854775807",
    "-9223372036854775808",
    "3.0e3",
    "0x10",
    "1e-5",
    "inf",
    "-inf",
    "nan",
    "1.0000000000000000000001",
    "ohmytext",
    "mynewtext",
    "\u{ff}\u{0}\u{1}",
];

pub(super) fn one<'a>(random: &mut Rng, list: &[&'a str]) -> &'a str {
    list[random.usize(..list.len())]
}

/// Returns a short integer, or one of [`NUMBERS`].
fn number(random: &mut Rng) -> String {
    match random.usize(..4) {
        0 => one(random, NUMBERS).to_owned(),
        1 => random.i64(-40..40).to_string(),
        2 => random.i64(-3..12).to_string(),
        _ => random.i64(0..70_000).to_string(),
    }
}

fn key(random: &mut Rng) -> String {
    // The keys from `l` on have other types now and then, or long values.
    one(random, &["a", "b", "c", "d", "e", "l", "m", "n"]).to_owned()
}

fn value(random: &mut Rng) -> Vec<u8> {
    match random.usize(..12) {
        0 => vec![random.u8(..); random.usize(..5000)],
        1 => (0..random.usize(..9000)).map(|_| random.u8(..)).collect(),
        2 => vec![0; random.usize(..40)],
        3 => (0..random.usize(..40)).map(|_| b"ab"[random.usize(..2)]).collect(),
        _ => one(random, VALUES).as_bytes().to_vec(),
    }
}

/// Returns a command: `K` stands for a key, `V` for a value, `N` for a number, and other words for themselves.
fn fill(random: &mut Rng, form: &str) -> Vec<Vec<u8>> {
    form.split(' ')
        .map(|word| match word {
            "K" => key(random).into_bytes(),
            // Not the key with damaged HyperLogLogs, to which Redis adds some elements before it fails.
            "H" => one(random, &["a", "b", "c", "d"]).as_bytes().to_vec(),
            "V" => value(random),
            "N" => number(random).into_bytes(),
            "T" => ["i8", "u8", "i16", "u16", "u1", "i1", "i64", "u63", "u64", "i5", "x3", "u31"]
                [random.usize(..12)]
            .as_bytes()
            .to_vec(),
            "O" => match random.usize(..4) {
                0 => format!("#{}", random.usize(..300)).into_bytes(),
                1 => random.usize(..140_000).to_string().into_bytes(),
                2 => random.usize(..100).to_string().into_bytes(),
                _ => number(random).into_bytes(),
            },
            "E" => one(random, EXPIRIES).as_bytes().to_vec(),
            "B" => one(random, &["0", "1", "1", "0", "2", "a"]).as_bytes().to_vec(),
            "U" => one(random, &["BYTE", "BIT", "bit", "bits"]).as_bytes().to_vec(),
            word => word.as_bytes().to_vec(),
        })
        .collect()
}

const STRINGS: &[&str] = &[
    "GET K",
    "GET K",
    "SET K V",
    "SET K V",
    "SET K V NX",
    "SET K V XX",
    "SET K V GET",
    "SET K V NX GET",
    "SET K V XX GET",
    "SET K V KEEPTTL",
    "SET K V KEEPTTL GET XX",
    "SET K V EX E",
    "SET K V PX E NX",
    "SET K V EXAT 9000000000",
    "SET K V PXAT 9000000000000",
    "SET K V EXAT 1",
    "SET K V EX 100 KEEPTTL",
    "SET K V NX XX",
    "SET K V EX 100 PX 100",
    "SET K V EX",
    "SET K V nope",
    "SET K V EX 100 EX 200",
    "SET K V PERSIST",
    "SETNX K V",
    "SETEX K E V",
    "PSETEX K E V",
    "GETSET K V",
    "GETDEL K",
    "GETEX K",
    "GETEX K PERSIST",
    "GETEX K EX E",
    "GETEX K PXAT 1",
    "GETEX K EXAT 9000000000",
    "GETEX K KEEPTTL",
    "GETEX K EX 100 PERSIST",
    "MGET K K K",
    "MSET K V K V",
    "MSET K V K",
    "MSETNX K V K V",
    "MSETNX K V K",
    "APPEND K V",
    "APPEND K V",
    "STRLEN K",
    "INCR K",
    "DECR K",
    "INCRBY K N",
    "DECRBY K N",
    "INCRBYFLOAT K V",
    "INCRBYFLOAT K 0.1",
    "INCRBYFLOAT K N",
    "SETRANGE K N V",
    "SETRANGE K N V",
    "GETRANGE K N N",
    "GETRANGE K N N",
    "SUBSTR K N N",
    "LCS K K",
    "LCS a b LEN",
    "LCS a b IDX",
    "LCS a b IDX WITHMATCHLEN",
    "LCS c d IDX MINMATCHLEN 2 WITHMATCHLEN",
    "LCS a b IDX LEN",
    "LCS a b MINMATCHLEN",
    "LCS a b nope",
    "DEL K",
    "TTL K",
    "PERSIST K",
    "SADD l x",
    "SADD m y",
];

const BITMAPS: &[&str] = &[
    "SETBIT K O B",
    "SETBIT K O B",
    "SETBIT K O 1",
    "GETBIT K O",
    "GETBIT K O",
    "BITCOUNT K",
    "BITCOUNT K N N",
    "BITCOUNT K N N U",
    "BITCOUNT K N",
    "BITPOS K B",
    "BITPOS K B N",
    "BITPOS K B N N",
    "BITPOS K B N N U",
    "BITPOS K B N N U N",
    "BITOP AND K K K",
    "BITOP OR K K K K",
    "BITOP XOR K K",
    "BITOP NOT K K",
    "BITOP NOT K K K",
    "BITOP NAND K K",
    "BITOP or K a b c d e l",
    "BITFIELD K GET T O",
    "BITFIELD_RO K GET T O",
    "BITFIELD K SET T O N",
    "BITFIELD K INCRBY T O N",
    "BITFIELD K OVERFLOW SAT INCRBY T O N GET T O SET T O N",
    "BITFIELD K OVERFLOW FAIL INCRBY T O N SET T O N OVERFLOW WRAP INCRBY T O N",
    "BITFIELD K OVERFLOW nope",
    "BITFIELD K GET T",
    "BITFIELD K",
    "BITFIELD_RO K SET T O N",
    "BITFIELD_RO K GET T O GET T O",
    "SETRANGE K N V",
    "SET K V",
    "GET K",
    "STRLEN K",
    "GETRANGE K N N",
    "APPEND K V",
    "DEL K",
    "SADD l x",
];

const HYPERLOGLOGS: &[&str] = &[
    "PFADD H V V V",
    "PFADD H N N",
    "PFADD K N",
    "PFADD K",
    "PFCOUNT K",
    "PFCOUNT K K K",
    "PFMERGE K",
    "PFMERGE K K K",
    "GET K",
    "PFDEBUG ENCODING K",
    "PFDEBUG DECODE H",
    "PFDEBUG TODENSE a",
    "PFDEBUG nope K",
    "PFDEBUG GETREG b",
    "DEL K",
    "SET d V",
    "SADD l x",
    "SETRANGE m N V",
    "STRLEN K",
];

fn check(forms: &[&str], seed: u64) {
    let commands = |protocol: u8| {
        let mut random = Rng::with_seed(seed + u64::from(protocol));
        let one = |random: &mut Rng| {
            let form = forms[random.usize(..forms.len())];
            fill(random, form)
        };
        (0..random_commands(1500)).map(|_| one(&mut random)).collect()
    };
    compare(commands, |command, value| match value {
        // In millions of seconds: time goes on during the test.
        Value::Integer(ttl) if command[0] == b"TTL" && ttl > 0 => {
            // Our times end in the year 10889.
            Value::Integer(((ttl + 500_000) / 1_000_000).min(270_000))
        }
        value => value,
    });
}

#[test]
fn random_strings() {
    check(STRINGS, 1);
}

#[test]
fn random_bitmaps() {
    check(BITMAPS, 10);
}

#[test]
fn random_hyperloglogs() {
    check(HYPERLOGLOGS, 20);
}

/// A string beyond 16 KiB is sparse: its zero bytes cost nothing.
#[test]
fn long_sparse_strings() {
    let ours = Ours::start();
    let mut client = ours.connect();
    assert_eq!(client.say("SETBIT big 4294967295 1"), Value::Integer(0));
    assert_eq!(client.say("STRLEN big"), Value::Integer(512 << 20));
    assert_eq!(client.say("BITCOUNT big"), Value::Integer(1));
    assert_eq!(client.say("BITPOS big 1"), Value::Integer(4_294_967_295));
    assert_eq!(client.say("BITPOS big 0"), Value::Integer(0));
    assert_eq!(client.say("GETBIT big 4294967295"), Value::Integer(1));
    assert_eq!(client.say("SETBIT big 4294967295 0"), Value::Integer(1));
    assert_eq!(client.say("BITCOUNT big"), Value::Integer(0));
    assert_eq!(client.say("BITPOS big 1"), Value::Integer(-1));
    assert_eq!(
        client.say("BITFIELD wide SET u31 4294967295 10"),
        Value::Array(vec![Value::Integer(0)])
    );
    assert_eq!(client.say("STRLEN wide"), Value::Integer((512 << 20) + 4));
    assert_eq!(
        client.say("BITFIELD_RO wide GET u31 4294967295"),
        Value::Array(vec![Value::Integer(10)])
    );
    assert_eq!(client.say("PFSELFTEST"), Value::Simple("OK".into()));
    let too_long = "ERR string exceeds maximum allowed size (proto-max-bulk-len)";
    assert_eq!(client.say("APPEND big x"), Value::Error(too_long.into()));
    assert_eq!(client.say("SETRANGE big 536870912 x"), Value::Error(too_long.into()));
    assert_eq!(client.say("GETRANGE big -3 -1"), Value::Bulk(vec![0; 3]));
    assert_eq!(client.say("SET big small"), Value::Simple("OK".into()));
    assert_eq!(client.say("APPEND big er"), Value::Integer(7));
    assert_eq!(client.say("GET big"), Value::bulk("smaller"));
}

/// The commands of a transaction see chunks that it wrote itself.
#[test]
fn chunks_in_a_transaction() {
    let ours = Ours::start();
    let mut client = ours.connect();
    client.say("MULTI");
    for command in [
        "SETRANGE a 20000 xy",
        "APPEND a z",
        "GETRANGE a 19999 -1",
        "SETBIT a 0 1",
        "BITCOUNT a",
        "STRLEN a",
    ] {
        assert_eq!(client.say(command), Value::Simple("QUEUED".into()));
    }
    let Value::Array(replies) = client.say("EXEC") else { panic!("no replies") };
    let ones = 1 + b"xyz".iter().map(|byte| i64::from(byte.count_ones())).sum::<i64>();
    let expected = [
        Value::Integer(20_002),
        Value::Integer(20_003),
        Value::bulk("\0xyz"),
        Value::Integer(0),
        Value::Integer(ones),
        Value::Integer(20_003),
    ];
    assert_eq!(replies, expected);
    assert_eq!(client.call(&words("GETRANGE a 20000 20002")), Value::bulk("xyz"));
}
