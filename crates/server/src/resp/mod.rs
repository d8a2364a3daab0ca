//! RESP2 and RESP3: an incremental parser of requests over a byte buffer, a writer of replies, and a client of other
//! servers.

mod inline;
mod parser;
mod peer;
mod reply;
mod timed;

pub use inline::split_words;
pub use parser::{Limits, Parser, ProtocolError};
pub use peer::{Peer, PeerReply, write_request};
pub use reply::{Protocol, Reply};
