//! Error messages that begin with RocksDB's words.

use crate::error::Error;

#[cold]
pub(super) fn unknown_option(name: &str) -> Error {
    Error::invalid_argument(format!("{UNKNOWN}{name}"))
}

const UNKNOWN: &str = "Extra option not recognized: ";

/// The beginnings of messages that name the wrong option, as RocksDB's do.
const COMPLETE: [&str; 10] = [
    "cuckoo hash memtable",
    "Error parsing",
    "No mapping for enum",
    "Unrecognized option",
    "Extra option not recognized",
    "unable to parse",
    "Mismatched",
    "Unexpected char",
    "Empty key",
    "Cannot modify",
];

/// Returns the message of an error in the value of the option `name`.
pub(super) fn named(name: &str, message: &str) -> String {
    match message.strip_prefix(UNKNOWN) {
        // RocksDB names the whole part if it belongs to a table or a memtable.
        Some(inner) if name.ends_with("_factory") || name == "memtable" => {
            format!("{UNKNOWN}{name}: {inner}")
        }
        Some(inner) => format!("Unrecognized option: {name}.{inner}"),
        None if COMPLETE.iter().any(|begin| message.starts_with(begin)) => message.to_owned(),
        None => format!("option {name}: {message}"),
    }
}
