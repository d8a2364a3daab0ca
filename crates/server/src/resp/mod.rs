//! RESP2 and RESP3: an incremental parser of requests over a byte buffer, and a writer of replies.

mod inline;
mod parser;
mod reply;

pub use inline::split_words;
pub use parser::{Limits, Parser, ProtocolError};
pub use reply::{Protocol, Reply};
