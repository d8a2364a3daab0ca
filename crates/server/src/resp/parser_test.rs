use super::*;

const LIMITS: Limits = Limits { arguments_max: 1 << 20, bulk_max: 1 << 29, is_anonymous: false };

/// Parses all requests of the bytes, which arrive in pieces of this size.
fn parse(bytes: &[u8], piece: usize) -> Result<Vec<Vec<Vec<u8>>>, ProtocolError> {
    let (mut parser, mut buffer, mut found) = (Parser::default(), Vec::new(), Vec::new());
    for piece in bytes.chunks(piece) {
        buffer.extend_from_slice(piece);
        while let Some(length) = parser.next(&buffer, LIMITS)? {
            found.push(parser.arguments(&buffer).map(<[u8]>::to_vec).collect());
            buffer.drain(..length);
        }
    }
    assert!(buffer.is_empty(), "{buffer:?}");
    Ok(found)
}

fn words(list: &[&str]) -> Vec<Vec<u8>> {
    list.iter().map(|word| word.as_bytes().to_vec()).collect()
}

#[test]
fn requests_are_found_whatever_pieces_they_arrive_in() {
    let bytes = b"*2\r\n$3\r\nGET\r\n$1\r\nk\r\nPING\r\n*0\r\n*1\r\n$0\r\n\r\nset a \"b c\\x41\\n\" 'd\\''\n";
    let expected = vec![
        words(&["GET", "k"]),
        words(&["PING"]),
        words(&[]),
        words(&[""]),
        words(&["set", "a", "b cA\n", "d'"]),
    ];
    for piece in 1..=bytes.len() {
        assert_eq!(parse(bytes, piece).unwrap(), expected, "in pieces of {piece}");
    }
}

#[test]
fn words_of_inline_requests_end_at_any_space() {
    let expected = vec![words(&["a", "b", "c"]), words(&[])];
    assert_eq!(parse(b"\x00a\x0bb \t c\x00\n\x0b\n", 100).unwrap(), expected);
}

#[test]
fn wrong_requests_are_named() {
    for (bytes, text) in [
        (&b"*x\r\n"[..], "invalid multibulk length"),
        (b"*3000000000\r\n", "invalid multibulk length"),
        (b"*1\r\nfoo\r\n", "expected '$', got 'f'"),
        (b"*1\r\n$-10\r\n", "invalid bulk length"),
        (b"*1\r\n$2000000000\r\n", "invalid bulk length"),
        (b"*1\r\n$blabla\r\n", "invalid bulk length"),
        (b"set \"a\n", "unbalanced quotes in request"),
        (b"set \"a\"b\n", "unbalanced quotes in request"),
    ] {
        let error = parse(bytes, bytes.len()).unwrap_err();
        assert_eq!(error.0, format!("ERR Protocol error: {text}"));
    }
    let long = vec![b'x'; LINE_MAX + 1];
    assert!(parse(&long, long.len()).unwrap_err().0.contains("too big inline request"));
}

#[test]
fn mutated_requests_cause_errors_at_most() {
    let mut random = fastrand::Rng::with_seed(7);
    let original =
        b"*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$5\r\nvalue\r\nget \"x\"\r\n*1\r\n$4\r\nPING\r\n";
    for _ in 0..20_000 {
        let mut bytes = original.to_vec();
        for _ in 0..random.usize(1..4) {
            let at = random.usize(..bytes.len());
            bytes[at] = random.u8(..);
        }
        let mut parser = Parser::default();
        let mut rest = &bytes[..];
        while let Ok(Some(length)) = parser.next(rest, LIMITS) {
            assert!(length <= rest.len());
            assert!(parser.arguments(rest).count() <= 64);
            rest = &rest[length..];
        }
    }
}
