//! Requests and replies of Redis's protocol, RESP2.

/// The maximum depth of arrays in a reply.
const DEPTH_MAX: usize = 8;
/// Elements for which space is reserved before they have arrived.
const RESERVED_MAX: usize = 1024;

/// Appends the head of a request with this many words.
pub(super) fn head(words: usize, out: &mut Vec<u8>) {
    line(b'*', words, out);
}

/// Appends a word of a request.
pub(super) fn word(word: &[u8], out: &mut Vec<u8>) {
    line(b'$', word.len(), out);
    out.extend_from_slice(word);
    out.extend_from_slice(b"\r\n");
}

/// Appends a request.
pub(super) fn request(words: &[&[u8]], out: &mut Vec<u8>) {
    head(words.len(), out);
    words.iter().for_each(|each| word(each, out));
}

fn line(kind: u8, number: usize, out: &mut Vec<u8>) {
    out.push(kind);
    out.extend_from_slice(number.to_string().as_bytes());
    out.extend_from_slice(b"\r\n");
}

/// A reply.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reply<'a> {
    Status(&'a [u8]),
    Error(&'a [u8]),
    Integer(i64),
    Bulk(Option<&'a [u8]>),
    Array(Option<Vec<Reply<'a>>>),
}

/// The bytes are not a reply.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Foreign;

/// Parses the first reply of the input; returns also its length. `None` if it is not complete.
pub(super) fn parse(input: &[u8]) -> Result<Option<(Reply<'_>, usize)>, Foreign> {
    let mut from = Cursor { input, at: 0 };
    Ok(from.reply(DEPTH_MAX)?.map(|reply| (reply, from.at)))
}

struct Cursor<'a> {
    input: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn reply(&mut self, depth: usize) -> Result<Option<Reply<'a>>, Foreign> {
        let Some(kind) = self.input.get(self.at) else { return Ok(None) };
        if !b"+-:$*".contains(kind) || depth == 0 {
            return Err(Foreign);
        }
        let Some(text) = self.line() else { return Ok(None) };
        Ok(match kind {
            b'+' => Some(Reply::Status(text)),
            b'-' => Some(Reply::Error(text)),
            b':' => Some(Reply::Integer(number(text)?)),
            b'$' => self.bulk(number(text)?)?,
            _ => self.array(number(text)?, depth)?,
        })
    }

    /// Returns the rest of the line after its first byte.
    fn line(&mut self) -> Option<&'a [u8]> {
        let rest = self.input.get(self.at + 1..)?;
        let length = rest.iter().position(|byte| *byte == b'\n')?;
        self.at += length + 2;
        let text = &rest[..length];
        Some(text.strip_suffix(b"\r").unwrap_or(text))
    }

    fn bulk(&mut self, length: i64) -> Result<Option<Reply<'a>>, Foreign> {
        if length == -1 {
            return Ok(Some(Reply::Bulk(None)));
        }
        let length = usize::try_from(length).map_err(|_| Foreign)?;
        let end = self.at.checked_add(length).ok_or(Foreign)?;
        let Some(bytes) = self.input.get(self.at..end) else { return Ok(None) };
        match self.input.get(end..end.saturating_add(2)) {
            None => Ok(None),
            Some(b"\r\n") => {
                self.at = end + 2;
                Ok(Some(Reply::Bulk(Some(bytes))))
            }
            Some(_) => Err(Foreign),
        }
    }

    fn array(&mut self, length: i64, depth: usize) -> Result<Option<Reply<'a>>, Foreign> {
        if length == -1 {
            return Ok(Some(Reply::Array(None)));
        }
        let length = usize::try_from(length).map_err(|_| Foreign)?;
        let mut elements = Vec::with_capacity(length.min(RESERVED_MAX));
        for _ in 0..length {
            let Some(element) = self.reply(depth - 1)? else { return Ok(None) };
            elements.push(element);
        }
        Ok(Some(Reply::Array(Some(elements))))
    }
}

fn number(text: &[u8]) -> Result<i64, Foreign> {
    std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()).ok_or(Foreign)
}
