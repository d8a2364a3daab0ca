use super::*;
use crate::redis::table;

fn user(rules: &[&str]) -> User {
    let mut user = User::new(false);
    rules.iter().for_each(|rule| user.apply(rule.as_bytes(), false).unwrap());
    user
}

fn run(user: &User, words: &str) -> Result<(), Denied> {
    let words: Vec<&[u8]> = words.split(' ').map(str::as_bytes).collect();
    let args = Args::new(&words);
    check(user, table::find(args).unwrap(), args)
}

#[test]
fn keys_are_read_and_written() {
    let some = user(&["+@all", "%R~r*", "%W~w*", "%RW~a*"]);
    for (words, expected) in [
        ("GET r", Ok(())),
        ("GET w", Err(Denied::Key(1))),
        ("LPUSH w x", Ok(())),
        ("LPUSH r x", Err(Denied::Key(1))),
        ("SET w v", Ok(())),
        ("SET w v GET", Err(Denied::Key(1))),
        ("SET a v GET", Ok(())),
        ("SET get v", Err(Denied::Key(1))),
        ("BITFIELD r GET u4 0", Ok(())),
        ("BITFIELD r OVERFLOW WRAP GET u4 0", Ok(())),
        ("BITFIELD r GET u4 0 SET u4 0 1", Err(Denied::Key(1))),
        ("BITFIELD r GET u4", Err(Denied::Key(1))),
        ("BITFIELD a INCRBY u4 0 1", Ok(())),
        ("COPY r w", Ok(())),
        ("COPY w r", Err(Denied::Key(1))),
        ("EXISTS w r", Ok(())),
        ("EXISTS w other", Err(Denied::Key(2))),
        ("SORT r STORE w", Ok(())),
        ("SORT r STORE r", Err(Denied::Key(3))),
        ("SORT r GET store STORE w", Ok(())),
        ("SORT r STORE r GET store GET x", Err(Denied::Key(3))),
        ("SORT r STORE r STORE w", Ok(())),
        ("EVAL x 1 w", Err(Denied::Key(3))),
        ("PING", Ok(())),
    ] {
        assert_eq!(run(&some, words), expected, "{words}");
    }
}

#[test]
fn channels_are_matched_and_patterns_compared() {
    let some = user(&["+@all", "&c*"]);
    for (words, expected) in [
        ("PUBLISH c1 m", Ok(())),
        ("PUBLISH d m", Err(Denied::Channel(1))),
        ("SPUBLISH d m", Err(Denied::Channel(1))),
        ("SUBSCRIBE c1 c2", Ok(())),
        ("SUBSCRIBE c1 d", Err(Denied::Channel(2))),
        ("SSUBSCRIBE d", Err(Denied::Channel(1))),
        ("PSUBSCRIBE c*", Ok(())),
        ("PSUBSCRIBE c1*", Err(Denied::Channel(1))),
        ("UNSUBSCRIBE d", Ok(())),
    ] {
        assert_eq!(run(&some, words), expected, "{words}");
    }
}

#[test]
fn one_selector_must_allow_all_of_a_command() {
    let some = user(&["+mget", "~key", "(+mget ~key ~other)", "(+set ~s)"]);
    for (words, expected) in [
        ("MGET key other", Ok(())),
        ("MGET other more", Err(Denied::Key(2))),
        ("MGET key other more", Err(Denied::Key(3))),
        ("SET key v", Err(Denied::Key(1))),
        ("GET key", Err(Denied::Command)),
    ] {
        assert_eq!(run(&some, words), expected, "{words}");
    }
}

#[test]
fn patterns_of_sort_need_all_keys_in_the_same_selector() {
    let words: [&[u8]; 4] = [b"sort", b"list", b"by", b"w*"];
    let args = Args::new(&words);
    let reads = |rules: &[&str]| reads_all_keys(&user(rules), table::find(args).unwrap(), args);
    assert!(!reads(&["(+sort ~list ~w*)"]));
    assert!(!reads(&["(+sort ~list)", "(+get ~*)"]));
    assert!(!reads(&["(+sort ~list %W~*)"]));
    assert!(reads(&["(+sort ~list %R~*)"]));
    assert!(reads(&["+sort", "~*"]));
}

#[test]
fn all_keys_of_migrate_are_checked() {
    let some = user(&["+@all", "~a*", "~keys"]);
    // A word that is "" stands for the empty argument.
    let run = |text: &str| {
        let words: Vec<&[u8]> = text
            .split(' ')
            .map(|word| if word == "\"\"" { b"" } else { word.as_bytes() })
            .collect();
        let args = Args::new(&words);
        check(&some, table::find(args).unwrap(), args)
    };
    for (rest, expected) in [
        ("a 0 9", Ok(())),
        ("b 0 9", Err(Denied::Key(3))),
        ("keys 0 9 COPY", Ok(())),
        ("\"\" 0 9 KEYS a keys a", Ok(())),
        ("\"\" 0 9 KEYS b keys a", Err(Denied::Key(7))),
        ("\"\" 0 9 KEYS keys b", Err(Denied::Key(8))),
        ("\"\" 0 9 AUTH keys KEYS a", Ok(())),
        ("\"\" 0 9 AUTH keys KEYS b", Err(Denied::Key(9))),
        ("\"\" 0 9 AUTH2 keys a KEYS b", Err(Denied::Key(10))),
        ("\"\" 0 9 AUTH keys", Err(Denied::Key(3))),
        ("\"\" 0 9", Err(Denied::Key(3))),
    ] {
        assert_eq!(run(&format!("MIGRATE h 1 {rest}")), expected, "{rest}");
    }
}
