use super::*;

#[test]
fn filters() {
    let rows: [(i32, &str, &str, bool); 11] = [
        (0, "x", "abc", true),
        (1, "b", "abc", true),
        (1, "d", "abc", false),
        (1, "", "", true),
        (2, "ab", "abc", true),
        (2, "b", "abc", false),
        (2, "abcd", "abc", false),
        (3, "bc", "abc", true),
        (3, "b", "abc", false),
        (3, "", "abc", true),
        (2, "", "abc", true),
    ];
    for (kind, pattern, key, expected) in rows {
        let filter = Filter::new(kind, pattern.as_bytes()).unwrap();
        assert_eq!(filter.matches(key.as_bytes()), expected, "{kind} {pattern:?} {key:?}");
    }
    assert!(Filter::new(4, b"").is_none() && Filter::new(-1, b"").is_none());
    assert_eq!(Filter::new(2, b"p").unwrap().prefix(), Some(&b"p"[..]));
    assert_eq!(Filter::new(2, b"").unwrap().prefix(), None);
    assert_eq!(Filter::new(3, b"p").unwrap().prefix(), None);
}

/// Returns the numbers of the checks from 0 to 17 that pass.
fn passing(value: Option<&str>, operand: &str) -> Vec<i32> {
    let run =
        |number| Check::new(number).unwrap().run(value.map(str::as_bytes), operand.as_bytes());
    (0..=17).filter(|number| run(*number) == Verdict::Passed).collect()
}

#[test]
fn checks() {
    assert_eq!(passing(None, "5"), [0, 1, 2]);
    assert_eq!(passing(Some(""), "5"), [0, 2, 3, 8, 9]);
    assert_eq!(passing(Some(""), ""), [0, 2, 3, 5, 6, 7, 9, 10, 11]);
    assert_eq!(passing(Some("5"), "5"), [0, 3, 4, 5, 6, 7, 9, 10, 11, 14, 15, 16]);
    // As bytes "10" is less than "5", as an integer it is greater.
    assert_eq!(passing(Some("10"), "5"), [0, 3, 4, 8, 9, 16, 17]);
    assert_eq!(passing(Some("-1"), "0"), [0, 3, 4, 8, 9, 13, 14]);
    assert_eq!(passing(Some("xay"), "a"), [0, 3, 4, 5, 11, 12]);
    assert_eq!(Check::new(18), None);
    assert_eq!(Check::new(-1), None);
}

#[test]
fn integer_checks_need_integers() {
    for number in 13..=17 {
        let check = Check::new(number).unwrap();
        assert_eq!(check.run(Some(b"x"), b"1"), Verdict::NotAnInteger);
        assert_eq!(check.run(Some(b"1"), b""), Verdict::NotAnInteger);
        assert_eq!(check.run(None, b"x"), Verdict::Failed);
    }
}
