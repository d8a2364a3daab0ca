//! The writer of replies: appends RESP2 or RESP3 to a buffer.

/// The version of the protocol that a client chose with HELLO.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Protocol {
    /// RESP2, the default.
    #[default]
    Resp2,
    /// RESP3.
    Resp3,
}

/// A buffer of replies.
///
/// A length that is known only after its elements is written by [`array_later`](Reply::array_later). A caller that
/// must take back a reply notes [`position`](Reply::position) and calls [`truncate`](Reply::truncate).
#[derive(Debug, Default)]
pub struct Reply {
    bytes: Vec<u8>,
    /// The protocol in which replies are written.
    pub protocol: Protocol,
}

impl Reply {
    /// Returns an empty buffer for this protocol.
    pub fn new(protocol: Protocol) -> Reply {
        Reply { bytes: Vec::new(), protocol }
    }

    /// Returns all bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the number of bytes.
    pub fn position(&self) -> usize {
        self.bytes.len()
    }

    /// Removes everything after this position.
    pub fn truncate(&mut self, position: usize) {
        self.bytes.truncate(position);
    }

    /// Removes all bytes, and frees the memory of a large buffer.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.bytes.shrink_to(64 * 1024);
    }

    /// Returns the number of bytes for which there is memory.
    pub fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    /// Frees the memory of an empty buffer.
    pub fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
    }

    /// Removes and returns all bytes.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }

    /// Appends bytes that are RESP already.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Appends `+OK`.
    pub fn ok(&mut self) {
        self.raw(b"+OK\r\n");
    }

    /// Appends a simple string, which must not contain line ends.
    pub fn simple(&mut self, text: &str) {
        self.line(b'+', text.as_bytes());
    }

    /// Appends an error: a code in capitals and a text. Line ends become spaces.
    pub fn error(&mut self, text: &str) {
        self.bytes.push(b'-');
        self.bytes.extend(text.bytes().map(|byte| match byte {
            b'\r' | b'\n' => b' ',
            byte => byte,
        }));
        self.raw(b"\r\n");
    }

    /// Appends an integer.
    pub fn integer(&mut self, value: i64) {
        self.number(b':', value);
    }

    /// Appends a count as an integer.
    pub fn count(&mut self, value: usize) {
        self.integer(value as i64);
    }

    /// Appends a string of any bytes.
    pub fn bulk(&mut self, value: &[u8]) {
        self.bytes.reserve(value.len() + 24);
        self.number(b'$', value.len() as i64);
        self.raw(value);
        self.raw(b"\r\n");
    }

    /// Appends a string, or null.
    pub fn bulk_or_null(&mut self, value: Option<&[u8]>) {
        match value {
            Some(value) => self.bulk(value),
            None => self.null(),
        }
    }

    /// Appends an integer as a string.
    pub fn bulk_integer(&mut self, value: i64) {
        self.bulk(itoa::Buffer::new().format(value).as_bytes());
    }

    /// Appends a null in the place of a string.
    pub fn null(&mut self) {
        match self.protocol {
            Protocol::Resp2 => self.raw(b"$-1\r\n"),
            Protocol::Resp3 => self.raw(b"_\r\n"),
        }
    }

    /// Appends a null in the place of an array.
    pub fn null_array(&mut self) {
        match self.protocol {
            Protocol::Resp2 => self.raw(b"*-1\r\n"),
            Protocol::Resp3 => self.raw(b"_\r\n"),
        }
    }

    /// Appends a truth value: 1 or 0 in RESP2.
    pub fn boolean(&mut self, value: bool) {
        match (self.protocol, value) {
            (Protocol::Resp2, value) => self.integer(value.into()),
            (Protocol::Resp3, true) => self.raw(b"#t\r\n"),
            (Protocol::Resp3, false) => self.raw(b"#f\r\n"),
        }
    }

    /// Appends a floating-point number whose text the caller formatted: a string in RESP2.
    pub fn double(&mut self, text: &str) {
        match self.protocol {
            Protocol::Resp2 => self.bulk(text.as_bytes()),
            Protocol::Resp3 => self.line(b',', text.as_bytes()),
        }
    }

    /// Appends an integer of any size, in decimal digits: a string in RESP2.
    pub fn big_number(&mut self, digits: &str) {
        match self.protocol {
            Protocol::Resp2 => self.bulk(digits.as_bytes()),
            Protocol::Resp3 => self.line(b'(', digits.as_bytes()),
        }
    }

    /// Appends a text for people: a plain string in RESP2.
    pub fn verbatim(&mut self, text: &[u8]) {
        match self.protocol {
            Protocol::Resp2 => self.bulk(text),
            Protocol::Resp3 => {
                self.number(b'=', text.len() as i64 + 4);
                self.raw(b"txt:");
                self.raw(text);
                self.raw(b"\r\n");
            }
        }
    }

    /// Begins an array of so many elements.
    pub fn array(&mut self, length: usize) {
        self.number(b'*', length as i64);
    }

    /// Begins a map of so many pairs: an array of twice as many elements in RESP2.
    pub fn map(&mut self, pairs: usize) {
        match self.protocol {
            Protocol::Resp2 => self.array(pairs * 2),
            Protocol::Resp3 => self.number(b'%', pairs as i64),
        }
    }

    /// Begins a set of so many elements: an array in RESP2.
    pub fn set(&mut self, length: usize) {
        match self.protocol {
            Protocol::Resp2 => self.array(length),
            Protocol::Resp3 => self.number(b'~', length as i64),
        }
    }

    /// Begins a message that answers no request: an array in RESP2.
    pub fn push(&mut self, length: usize) {
        match self.protocol {
            Protocol::Resp2 => self.array(length),
            Protocol::Resp3 => self.number(b'>', length as i64),
        }
    }

    /// Begins attributes of the value that follows them, as so many pairs. Only for RESP3.
    pub fn attributes(&mut self, pairs: usize) {
        self.number(b'|', pairs as i64);
    }

    /// Inserts the header of an array in front of the elements that were written since `start`.
    pub fn array_later(&mut self, start: usize, length: usize) {
        self.insert_header(start, |reply| reply.array(length));
    }

    /// Inserts the header of a map in front of the pairs that were written since `start`.
    pub fn map_later(&mut self, start: usize, pairs: usize) {
        self.insert_header(start, |reply| reply.map(pairs));
    }

    /// Inserts the header of a set in front of the elements that were written since `start`.
    pub fn set_later(&mut self, start: usize, length: usize) {
        self.insert_header(start, |reply| reply.set(length));
    }

    fn insert_header(&mut self, start: usize, write: impl FnOnce(&mut Reply)) {
        let end = self.bytes.len();
        write(self);
        let header = self.bytes.len() - end;
        if let Some(part) = self.bytes.get_mut(start..) {
            part.rotate_right(header);
        }
    }

    fn line(&mut self, kind: u8, text: &[u8]) {
        self.bytes.push(kind);
        self.raw(text);
        self.raw(b"\r\n");
    }

    fn number(&mut self, kind: u8, value: i64) {
        self.bytes.push(kind);
        match value {
            0..10 => self.bytes.push(b'0' + value as u8),
            value => self.raw(itoa::Buffer::new().format(value).as_bytes()),
        }
        self.raw(b"\r\n");
    }
}

#[cfg(test)]
#[path = "reply_test.rs"]
mod tests;
