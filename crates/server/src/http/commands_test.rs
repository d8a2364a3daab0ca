use super::*;

fn read(mut text: &[u8]) -> Option<Result<Answer, String>> {
    parse(&mut text, 0)
}

#[test]
fn replies_are_read() {
    assert_eq!(read(b"+OK\r\n"), Some(Ok(Answer::Text(b"OK".to_vec()))));
    assert_eq!(read(b":-7\r\n"), Some(Ok(Answer::Integer(-7))));
    assert_eq!(read(b"$-1\r\n"), Some(Ok(Answer::Null)));
    assert_eq!(read(b"-ERR x\r\n"), Some(Err("ERR x".to_owned())));
    let two = Answer::Array(vec![Answer::Text(b"a\r\n".to_vec()), Answer::Integer(1)]);
    assert_eq!(read(b"*2\r\n$3\r\na\r\n\r\n:1\r\n"), Some(Ok(two)));
}

#[test]
fn cut_replies_are_none() {
    for text in [&b""[..], b"$5\r\nab\r\n", b"*2\r\n:1\r\n", b"?\r\n", b":x\r\n", b"$1\r\na"] {
        assert_eq!(read(text), None, "{}", text.escape_ascii());
    }
    assert_eq!(read(&b"*1\r\n".repeat(20)), None);
}
