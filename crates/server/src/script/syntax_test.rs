use super::{CHAIN_MAX, check};

#[test]
fn long_scripts_of_short_expressions_pass() {
    let statement =
        "local x = a.b(1, 2)[3] + f{1} .. 'text' -- comment (((\n x = [==[ ((( ]] ]==] ";
    check(statement.repeat(10_000).as_bytes()).unwrap();
    let calls = "f() f'x' f{1} if x then y() else z() end while a do b() end repeat until c ";
    check(calls.repeat(10_000).as_bytes()).unwrap();
    let functions = "local function f(a, b) return a + b end t.x = function() return 1 end ";
    check(functions.repeat(10_000).as_bytes()).unwrap();
    let fields = "{a=1, b=2, [3]=4}, ".repeat(10_000);
    check(format!("return {{{fields}}}").as_bytes()).unwrap();
}

#[test]
fn deep_expressions_are_refused_with_their_line() {
    for part in ["1+", "f().", "f[", "(", "{", "a and ", "- ", "not ", "f(function() "] {
        let source = format!("\n\nreturn {}", part.repeat(CHAIN_MAX + 2));
        assert_eq!(check(source.as_bytes()), Err(3), "{part}");
    }
    // A function in a chain does not end it.
    let part = format!("{}function() end+", "1+".repeat(CHAIN_MAX / 2));
    assert_eq!(check(format!("return {}", part.repeat(3)).as_bytes()), Err(1));
}

#[test]
fn any_bytes_are_scanned() {
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..crate::testing::fuzz_rounds() / 10 {
        let mut source =
            b"local a = [[x]] .. 'y\\'' --[==[ c ]==] f{1}(2)[3].z:w\"s\" end".to_vec();
        crate::testing::mutate(&mut random, &mut source);
        let _ = check(&source);
    }
}
