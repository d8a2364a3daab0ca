//! Requests in RESP. `input = flags:1 bytes`; the flags are the length of the pieces in which the bytes arrive, and, in
//! the highest bit, whether the client has yet to authenticate.
//!
//! * Nothing panics, and the parser never asks for more bytes than its limits allow.
//! * Bytes that arrive in pieces give the same requests and the same error as bytes that arrive at once.
//! * A request that is written as an array of strings gives the same words.

use ferrolith_server::resp::{Limits, Parser, ProtocolError, split_words};

const LIMITS: Limits = Limits { arguments_max: 1024, bulk_max: 1 << 16, is_anonymous: false };
const ANONYMOUS: Limits = Limits { arguments_max: 10, bulk_max: 16384, is_anonymous: true };

type Request = Vec<Vec<u8>>;

/// Checks one input.
pub fn run(input: &[u8]) {
    let Some((flags, bytes)) = input.split_first() else { return };
    let limits = if flags & 0x80 == 0 { LIMITS } else { ANONYMOUS };
    let whole = parse(bytes, bytes.len().max(1), limits);
    assert_eq!(parse(bytes, usize::from(flags & 0x7f).max(1), limits), whole);
    for request in &whole.0 {
        let written = write(request);
        let limits = Limits { arguments_max: i64::MAX, bulk_max: i64::MAX >> 1, ..LIMITS };
        assert_eq!(parse(&written, written.len(), limits), (vec![request.clone()], None, 0));
    }
    let _ = split_words(bytes);
}

/// Returns the requests of bytes that arrive in pieces, the error that ended them, and the number of bytes of an
/// incomplete request.
fn parse(
    bytes: &[u8],
    piece: usize,
    limits: Limits,
) -> (Vec<Request>, Option<ProtocolError>, usize) {
    let (mut parser, mut buffer, mut found) = (Parser::default(), Vec::new(), Vec::new());
    for piece in bytes.chunks(piece) {
        buffer.extend_from_slice(piece);
        loop {
            match parser.next(&buffer, limits) {
                Ok(Some(length)) => {
                    assert!((1..=buffer.len()).contains(&length), "{length}");
                    let words: Request = parser.arguments(&buffer).map(<[u8]>::to_vec).collect();
                    assert_eq!((words.len(), words.is_empty()), (parser.len(), parser.is_empty()));
                    for (start, end) in parser.positions().unwrap_or_default() {
                        assert!(start <= end && *end <= length, "{start}..{end} of {length}");
                    }
                    found.push(words);
                    buffer.drain(..length);
                }
                Ok(None) => break,
                Err(error) => return (found, Some(error), 0),
            }
        }
        assert!(parser.wanted() <= buffer.len() + limits.bulk_max as usize + 2);
    }
    (found, None, buffer.len())
}

fn write(request: &Request) -> Vec<u8> {
    let mut bytes = format!("*{}\r\n", request.len()).into_bytes();
    for word in request {
        bytes.extend(format!("${}\r\n", word.len()).bytes());
        bytes.extend_from_slice(word);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes
}

/// Returns inputs to begin with.
pub fn seeds() -> Vec<Vec<u8>> {
    let requests: [&[u8]; 12] = [
        b"*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$5\r\nvalue\r\n*1\r\n$4\r\nPING\r\n",
        b"PING\r\nset a \"b c\\x41\\n\" 'd\\''\nget x\r\n",
        b"*0\r\n*-1\r\n*1\r\n$0\r\n\r\n",
        b"*2\r\n$3\r\nGET\r\n$10000\r\nx",
        b"*1\r\n$-1\r\n",
        b"*1\r\n:3\r\n",
        b"*999999999999\r\n",
        b"*2\r\n$4\r\nAUTH\r\n$99999\r\n",
        b"*x\r\n$1\r\n",
        b"set \"a\"b 'c\n",
        b"\x00\x0b \t\r\n\n",
        b"*1\r$4\r\nPING\r\n",
    ];
    let with = |flags: u8| requests.map(|request| [&[flags], request].concat());
    [with(1), with(7), with(0x83)].concat()
}
