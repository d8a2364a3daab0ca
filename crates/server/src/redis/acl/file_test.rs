use super::*;

fn parsed(text: &str) -> Result<Vec<String>, String> {
    let users = parse(text.as_bytes(), "f", false)?;
    let line = |(name, user): (Vec<u8>, User)| {
        format!(
            "{} {}",
            String::from_utf8(name).unwrap(),
            String::from_utf8(user.describe()).unwrap()
        )
    };
    Ok(users.into_iter().map(line).collect())
}

#[test]
fn lines_are_users() {
    let text = "\r\nuser b on  +get\t\n\n  user a (+set ~x y) off\n";
    assert_eq!(
        parsed(&text.replace(" y", "")).unwrap(),
        [
            "a off resetchannels -@all (~x resetchannels -@all +set)",
            "b on resetchannels -@all +get",
        ]
    );
    assert_eq!(parsed("").unwrap(), [""; 0]);
}

#[test]
fn all_wrong_lines_are_named_without_their_passwords() {
    let text = "user a on >secret\nuser a\nnope\nuser\nuser c\td\nuser e <secret more\nuser f +nope ~* ~secret\nuser g (on";
    let errors = parsed(text).unwrap_err();
    for part in [
        "WARNING: Duplicate user 'a' found on line 2. ",
        "f:3 should start with user keyword followed by the username. ",
        "f:4 should start with user keyword followed by the username. ",
        "f:5: username 'c\td' contains invalid characters. ",
        "f:6: The password you are trying to remove from the user does not exist. f:7",
        "f:7: Error in applying operation '+nope': Unknown command or category name in ACL. ",
        "f:7: Adding a pattern after the * pattern",
        "f:8: Unmatched parenthesis in selector definition.",
    ] {
        assert!(errors.contains(part), "{part} in {errors}");
    }
    assert!(!errors.contains("secret"), "{errors}");
}

#[test]
fn settings_are_users() {
    let parse = |lines: &[&str]| {
        let lines: Vec<String> = lines.iter().map(|line| line.to_string()).collect();
        parse_settings(&lines, false)
    };
    let users = parse(&["a on >pass  +get", "default on nopass"]).unwrap();
    assert!(users[&b"a"[..]].accepts(b"pass"));
    assert_eq!(parse(&["a on", "a"]).unwrap_err(), "user a is defined twice");
    assert_eq!(parse(&[""]).unwrap_err(), "expected a name and rules, found \"\"");
    assert_eq!(parse(&["a on x"]).unwrap_err(), "user a: Syntax error.");
}

#[test]
fn saved_lines_are_read_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("users");
    assert!(matches!(read(&path, false), Err(FileError::Io(_))));
    save(&path, [b"user a on +get".to_vec(), b"user b off".to_vec()].into_iter()).unwrap();
    assert_eq!(read(&path, false).unwrap().len(), 2);
}
