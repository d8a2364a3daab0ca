//! The types of encoded values, and which function reads and writes each.

use super::reader::{Reader, Result};
use super::{DumpError, Value, Version, collections, expiring, stream, writer};

/// A type of an encoded value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    String,
    List,
    Set,
    /// Scores are printed.
    SortedSet,
    Hash,
    /// Scores are doubles.
    SortedSet2,
    HashZipmap,
    ListZiplist,
    SetIntset,
    SortedSetZiplist,
    HashZiplist,
    /// A list of ziplists.
    ListQuicklist,
    Stream,
    HashListpack,
    SortedSetListpack,
    /// A list of listpacks and large elements.
    ListQuicklist2,
    /// With the first id, the largest deleted id and counts.
    Stream2,
    SetListpack,
    /// With the consumers' times of activity.
    Stream3,
    /// Some fields expire.
    HashExpiring,
    /// The same as one listpack.
    HashExpiringListpack,
}

const KINDS: &[(u8, Kind)] = &[
    (0, Kind::String),
    (1, Kind::List),
    (2, Kind::Set),
    (3, Kind::SortedSet),
    (4, Kind::Hash),
    (5, Kind::SortedSet2),
    (9, Kind::HashZipmap),
    (10, Kind::ListZiplist),
    (11, Kind::SetIntset),
    (12, Kind::SortedSetZiplist),
    (13, Kind::HashZiplist),
    (14, Kind::ListQuicklist),
    (15, Kind::Stream),
    (16, Kind::HashListpack),
    (17, Kind::SortedSetListpack),
    (18, Kind::ListQuicklist2),
    (19, Kind::Stream2),
    (20, Kind::SetListpack),
    (21, Kind::Stream3),
    (24, Kind::HashExpiring),
    (25, Kind::HashExpiringListpack),
];

impl Kind {
    /// Returns the type of a byte.
    pub fn from_byte(byte: u8) -> Result<Kind> {
        let found = KINDS.iter().find(|(number, _)| *number == byte);
        found.map(|(_, kind)| *kind).ok_or_else(|| {
            DumpError::Unsupported(match byte {
                6 | 7 => format!("type {byte}, a value of a module"),
                _ => format!("type {byte} of a value"),
            })
        })
    }

    /// Appends the type's byte.
    pub fn write(self, out: &mut Vec<u8>) {
        out.extend(KINDS.iter().find(|(_, kind)| *kind == self).map(|(number, _)| *number));
    }
}

/// Reads a value.
pub(super) fn read(kind: Kind, reader: &mut Reader<'_>) -> Result<Value> {
    Ok(match kind {
        Kind::String => Value::String(reader.string()?),
        Kind::List | Kind::ListZiplist | Kind::ListQuicklist | Kind::ListQuicklist2 => {
            Value::List(collections::read_list(kind, reader)?)
        }
        Kind::Set | Kind::SetIntset | Kind::SetListpack => {
            Value::Set(collections::read_set(kind, reader)?)
        }
        Kind::SortedSet | Kind::SortedSet2 | Kind::SortedSetZiplist | Kind::SortedSetListpack => {
            Value::SortedSet(collections::read_sorted_set(kind, reader)?)
        }
        Kind::Hash | Kind::HashZipmap | Kind::HashZiplist | Kind::HashListpack => {
            Value::Hash(collections::read_hash(kind, reader)?)
        }
        Kind::HashExpiring | Kind::HashExpiringListpack => {
            Value::ExpiringHash(expiring::read(kind, reader)?)
        }
        Kind::Stream | Kind::Stream2 | Kind::Stream3 => {
            Value::Stream(Box::new(stream::read(kind, reader)?))
        }
    })
}

/// Appends a type and a value.
pub(super) fn write(value: &Value, version: Version, out: &mut Vec<u8>) {
    match value {
        Value::String(text) => {
            Kind::String.write(out);
            writer::string(out, text);
        }
        Value::List(elements) => collections::write_list(elements, out),
        Value::Set(members) => collections::write_set(members, out),
        Value::SortedSet(members) => collections::write_sorted_set(members, out),
        Value::Hash(fields) => collections::write_hash(fields, out),
        Value::ExpiringHash(fields) => expiring::write(fields, out),
        Value::Stream(stream) => stream::write(stream, version, out),
    }
}
