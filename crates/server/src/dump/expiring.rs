//! Hashes with fields that expire, in the encodings of Redis 7.4.
//!
//! ```text
//! fields   = earliest:8 count { after name value }      times in milliseconds; earliest is little-endian
//!   after  = 0 if the field never expires, else its time - earliest + 1
//! listpack = earliest:8 blob of { name value time }     time is absolute, 0 if the field never expires
//! ```

use super::collections::{check_unique, elements};
use super::kind::Kind;
use super::listpack::Element;
use super::reader::{Reader, Result};
use super::value::HashField;
use super::{DumpError, writer};

/// The latest time that Redis accepts.
const TIME_MAX: u64 = (1 << 48) - 1;

/// Reads a hash.
pub(super) fn read(kind: Kind, reader: &mut Reader<'_>) -> Result<Vec<HashField>> {
    let earliest_ms = u64::from_le_bytes(reader.array()?);
    let mut fields = Vec::new();
    if kind == Kind::HashExpiring {
        for _ in 0..reader.count_not_zero()? {
            let expire_ms = match reader.number()? {
                0 => 0,
                after => earliest_ms.saturating_add(after - 1),
            };
            fields.push(HashField { name: reader.string()?, value: reader.string()?, expire_ms });
        }
    } else {
        let blob = reader.blob()?;
        let elements = elements(kind, &blob, reader)?;
        let (triples, rest) = elements.as_chunks::<3>();
        if !rest.is_empty() {
            return Err(reader.fail("a field without a time"));
        }
        for [name, value, time] in triples {
            let expire_ms = match time {
                Element::Integer(time) => u64::try_from(*time).ok(),
                Element::Text(_) => None,
            };
            let expire_ms = expire_ms.ok_or_else(|| reader.fail("a time that is no number"))?;
            let (name, value) = (reader.own(&name.bytes())?, reader.own(&value.bytes())?);
            fields.push(HashField { name, value, expire_ms });
        }
    }
    if fields.iter().any(|field| field.expire_ms > TIME_MAX) {
        return Err(reader.fail("a time that is too late"));
    }
    check_unique(fields.iter().map(|field| field.name.as_slice()), reader)?;
    if fields.is_empty() { Err(DumpError::Empty) } else { Ok(fields) }
}

/// Appends a hash's type and fields.
pub(super) fn write(fields: &[HashField], out: &mut Vec<u8>) {
    let times = fields.iter().map(|field| field.expire_ms).filter(|time| *time > 0);
    let earliest_ms = times.min().unwrap_or(0);
    Kind::HashExpiring.write(out);
    out.extend_from_slice(&earliest_ms.to_le_bytes());
    writer::count(out, fields.len());
    for HashField { name, value, expire_ms } in fields {
        let after = match *expire_ms {
            0 => 0,
            time => time - earliest_ms + 1,
        };
        writer::number(out, after);
        writer::string(out, name);
        writer::string(out, value);
    }
}
