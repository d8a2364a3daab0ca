use super::*;

#[test]
fn lines_have_time_database_source_and_quoted_arguments() {
    let line = line(1_700_000_000_000_042, 9, "127.0.0.1:5", &[b"SET", b"a \"\\\n\x01\xff", b""]);
    let expected = r#"+1700000000.000042 [9 127.0.0.1:5] "SET" "a \"\\\n\x01\xff" """#;
    assert_eq!(line, format!("{expected}\r\n"));
}
