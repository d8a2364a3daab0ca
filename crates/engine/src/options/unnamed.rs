//! Enumeration values set through the C ABI that are numbers without a name in RocksDB.
//!
//! A setter cannot return an error, and the fields are closed sets. So the number is kept here until opening, which
//! refuses it; until then a getter returns it. Setting a number that has a name removes it.

use crate::error::{Error, Result};

/// Options of one struct that were set to numbers without a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unnamed(Vec<(&'static str, i64)>);

impl Unnamed {
    /// Records the number to which an option was set; `None` means a number that has a name.
    pub fn note(&mut self, option: &'static str, number: Option<i64>) {
        self.0.retain(|(name, _)| *name != option);
        self.0.extend(number.map(|number| (option, number)));
    }

    /// Returns the number to which an option was set, if it has no name.
    pub fn number(&self, option: &str) -> Option<i64> {
        self.0.iter().find(|(name, _)| *name == option).map(|(_, number)| *number)
    }

    /// Refuses the first of these numbers that has an effect.
    pub(super) fn check(&self) -> Result<()> {
        self.0.iter().find_map(refusal).map_or(Ok(()), Err)
    }
}

/// Returns the error for such a number. RocksDB detects some of them when it compares codecs or creates a table, and
/// the others when it cannot write them to OPTIONS.
fn refusal((option, number): &(&'static str, i64)) -> Option<Error> {
    /// `kDisableCompressionOption`.
    const DISABLED: i64 = 0xff;
    Some(match *option {
        // Logs are written uncompressed, whatever was requested.
        "wal_compression" => return None,
        "checksum" => Error::invalid_argument(format!(
            "Unrecognized ChecksumType for checksum: {}",
            *number as u32
        )),
        "compression" if *number == DISABLED => Error::invalid_argument(
            "kDisableCompressionOption not permitted for option: compression",
        ),
        "compression_per_level" if *number == DISABLED => Error::not_supported(
            "Compression type DisableOption is not recognized/supported by built-in CompressionManager.",
        ),
        "compression" | "bottommost_compression" | "compression_per_level" => {
            Error::invalid_argument("Using a CompressionType other than built-in ...")
        }
        "blob_compression_type" if *number == DISABLED => Error::invalid_argument(
            "The specified blob compression type DisableOption is not available.",
        ),
        "blob_compression_type" => Error::invalid_argument(format!(
            "The specified blob compression type Reserved{number:02X} is not available."
        )),
        _ => Error::invalid_argument(format!("No mapping for enum : {option}: value {number}")),
    })
}
