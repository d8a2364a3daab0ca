//! Where a server is: `redis://HOST:PORT` or `pegasus://HOST:PORT/TABLE`.

use crate::target::Result;
use std::fmt;

/// What a server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// RESP, of Redis.
    Redis,
    /// Thrift, of Apache Pegasus.
    Pegasus,
}

impl Protocol {
    /// Returns its word in addresses.
    pub fn word(self) -> &'static str {
        match self {
            Protocol::Redis => "redis",
            Protocol::Pegasus => "pegasus",
        }
    }
}

/// The address of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// What it speaks.
    pub protocol: Protocol,
    /// Its host and port.
    pub host: String,
    /// The table; empty for Redis.
    pub table: String,
}

impl Address {
    /// Parses the value of `--engine`; `None` if it names no server.
    pub fn parse(text: &str) -> Option<Result<Address>> {
        let (protocol, rest) = match text.split_once("://")? {
            ("redis", rest) => (Protocol::Redis, rest),
            ("pegasus", rest) => (Protocol::Pegasus, rest),
            _ => return None,
        };
        let (host, table) = rest.split_once('/').unwrap_or((rest, ""));
        let address = Address { protocol, host: host.to_owned(), table: table.to_owned() };
        let port = host.rsplit_once(':').filter(|(name, _)| !name.is_empty());
        let has_port = port.is_some_and(|(_, port)| port.parse::<u16>().is_ok_and(|port| port > 0));
        let has_table = !table.is_empty() && !table.contains('/');
        let is_right = has_port && has_table == (protocol == Protocol::Pegasus);
        // A slash at the end of Redis's address has no meaning.
        let is_right = is_right && (has_table || !rest.contains('/'));
        Some(if is_right { Ok(address) } else { Err(expected(text)) })
    }
}

fn expected(text: &str) -> String {
    format!("engine {text}: expected redis://HOST:PORT or pegasus://HOST:PORT/TABLE")
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Address { protocol, host, table } = self;
        write!(f, "{}://{host}", protocol.word())?;
        if table.is_empty() { Ok(()) } else { write!(f, "/{table}") }
    }
}
