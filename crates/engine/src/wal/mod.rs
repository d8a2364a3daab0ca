//! Log records: the framing of write-ahead logs and of the MANIFEST.
//!
//! A log is a sequence of blocks of 32 KiB. A record is in one block or is divided into fragments,
//! each with its own header and checksum:
//!
//! | Bytes | Legacy header (7) | Recyclable header (11) |
//! |---|---|---|
//! | 0..4 | masked CRC-32C of everything after the length | same |
//! | 4..6 | length of the payload | same |
//! | 6 | type | type |
//! | 7..11 | | low half of the log's number |
//!
//! Zeros after the last record are not records: allocation ahead leaves them.
//!
//! - [`LogWriter`] writes legacy records.
//! - [`LogReader`] reads both kinds, and handles damage according to the recovery mode.

mod fragments;
mod reader;
mod record;
mod writer;

pub use reader::{Damage, LogReader, ReadOutcome};
pub use writer::LogWriter;

#[cfg(all(test, unix))]
mod crash_test;
