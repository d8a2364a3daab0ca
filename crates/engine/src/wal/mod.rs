//! Log records: the framing of write-ahead logs and of the MANIFEST.
//!
//! A log is a row of blocks of 32 KiB. A record lies in one block or is cut into fragments, each
//! with its own header and checksum:
//!
//! | Bytes | Legacy header (7) | Recyclable header (11) |
//! |---|---|---|
//! | 0..4 | masked CRC-32C of all that follows the length | same |
//! | 4..6 | length of the payload | same |
//! | 6 | type | type |
//! | 7..11 | | low half of the log's number |
//!
//! Zeros after the last record are no records: that is what allocation ahead leaves.
//!
//! - [`LogWriter`] writes legacy records.
//! - [`LogReader`] reads both kinds, and decides by recovery mode what damage means.

mod fragments;
mod reader;
mod record;
mod writer;

pub use reader::{Damage, LogReader, ReadOutcome};
pub use writer::LogWriter;

#[cfg(all(test, unix))]
mod crash_test;
