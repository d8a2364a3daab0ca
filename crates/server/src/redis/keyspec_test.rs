use super::*;
use crate::redis::table;

fn positions(words: &[&[u8]]) -> Vec<usize> {
    let args = Args::new(words);
    table::find(args).unwrap().key_positions(args).to_vec()
}

#[test]
fn migrate_has_the_keys_that_its_handler_uses() {
    let of = |key: &str, rest: &str| {
        let text = format!("MIGRATE h 1 KEY 0 9 {rest}");
        let words: Vec<&[u8]> =
            text.split(' ').filter(|word| !word.is_empty()).map(str::as_bytes).collect();
        let with_key: Vec<&[u8]> =
            words.iter().map(|word| if *word == b"KEY" { key.as_bytes() } else { word }).collect();
        positions(&with_key)
    };
    for (key, rest, expected) in [
        ("k", "", vec![3]),
        ("keys", "COPY REPLACE", vec![3]),
        // Without KEYS, an empty argument is the empty key.
        ("", "COPY", vec![3]),
        ("", "KEYS", vec![]),
        ("", "KEYS a b", vec![7, 8]),
        ("", "COPY KEYS a keys b", vec![8, 9, 10]),
        ("", "KEYS keys keys", vec![7, 8]),
        ("", "AUTH keys", vec![3]),
        ("", "AUTH keys KEYS a", vec![9]),
        ("", "AUTH2 keys keys keys a", vec![10]),
        ("k", "AUTH2 keys x", vec![3]),
        ("k", "KEYS a", vec![3, 7]),
    ] {
        assert_eq!(of(key, rest), expected, "{key:?} {rest}");
    }
}
