//! Lists, sets, sorted sets and hashes.
//!
//! Small collections are written as one listpack or intset, with Redis's default limits; larger ones element by
//! element.

use std::cmp::Ordering;
use std::collections::HashSet;

use super::kind::Kind;
use super::listpack::{self, Element};
use super::reader::{Reader, Result};
use super::{DumpError, intset, writer, ziplist, zipmap};
use crate::text::{double, integer};

/// The most elements of a collection that is one listpack.
const LISTPACK_COUNT_MAX: usize = 128;
/// The longest element of a collection that is one listpack.
const LISTPACK_ELEMENT_MAX: usize = 64;
/// The most members of an intset.
const INTSET_COUNT_MAX: usize = 512;
/// A listpack of a list takes no further element beyond this length.
const NODE_BYTES_MAX: usize = 8192;
/// Longer elements of lists stand alone, as their listpack would be longer than Redis accepts.
const PACKED_ELEMENT_MAX: usize = 1 << 29;

/// Containers of a list's nodes.
const PLAIN: u64 = 1;
const PACKED: u64 = 2;

/// Reads a list.
pub(super) fn read_list(kind: Kind, reader: &mut Reader<'_>) -> Result<Vec<Vec<u8>>> {
    let mut list = Vec::new();
    if kind == Kind::ListZiplist {
        append_elements(kind, reader, &mut list)?;
    } else {
        for _ in 0..reader.count_not_zero()? {
            let container = if kind == Kind::ListQuicklist2 { reader.number()? } else { PACKED };
            match (kind, container) {
                (Kind::List, _) => list.push(reader.string()?),
                (_, PACKED) => append_elements(kind, reader, &mut list)?,
                (_, PLAIN) => {
                    let element = reader.string()?;
                    if element.is_empty() {
                        return Err(reader.fail("an empty node of a list"));
                    }
                    list.push(element);
                }
                _ => return Err(reader.fail("an unknown container of a list's node")),
            }
        }
    }
    if list.is_empty() { Err(DumpError::Empty) } else { Ok(list) }
}

/// Reads a set.
pub(super) fn read_set(kind: Kind, reader: &mut Reader<'_>) -> Result<Vec<Vec<u8>>> {
    let mut members = Vec::new();
    match kind {
        Kind::SetIntset => {
            let blob = reader.blob()?;
            for member in intset::read(&blob).map_err(|what| reader.fail(what))? {
                members.push(reader.own(member.to_string().as_bytes())?);
            }
        }
        Kind::SetListpack => append_elements(kind, reader, &mut members)?,
        _ => {
            for _ in 0..reader.count_not_zero()? {
                members.push(reader.string()?);
            }
        }
    }
    check_unique(members.iter().map(Vec::as_slice), reader)?;
    if members.is_empty() { Err(DumpError::Empty) } else { Ok(members) }
}

/// Reads a sorted set.
pub(super) fn read_sorted_set(kind: Kind, reader: &mut Reader<'_>) -> Result<Vec<(Vec<u8>, f64)>> {
    let mut members = Vec::new();
    if matches!(kind, Kind::SortedSet | Kind::SortedSet2) {
        for _ in 0..reader.count_not_zero()? {
            let member = reader.string()?;
            let score = match kind {
                Kind::SortedSet2 => f64::from_le_bytes(reader.array()?),
                _ => printed_score(reader)?,
            };
            members.push((member, score));
        }
    } else {
        let blob = reader.blob()?;
        for (member, score) in pairs(kind, &blob, reader)? {
            let score = match score {
                Element::Integer(score) => Some(score as f64),
                Element::Text(text) => double::parse_lenient(text),
            };
            let score = score.ok_or_else(|| reader.fail("a score that is not a number"))?;
            members.push((reader.own(&member.bytes())?, score));
        }
    }
    if members.iter().any(|(_, score)| score.is_nan()) {
        return Err(reader.fail("a score that is not a number"));
    }
    check_unique(members.iter().map(|(member, _)| member.as_slice()), reader)?;
    if members.is_empty() { Err(DumpError::Empty) } else { Ok(members) }
}

/// Reads a hash.
pub(super) fn read_hash(kind: Kind, reader: &mut Reader<'_>) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
    let mut fields = Vec::new();
    if kind == Kind::Hash {
        for _ in 0..reader.count_not_zero()? {
            fields.push((reader.string()?, reader.string()?));
        }
    } else {
        let blob = reader.blob()?;
        if kind == Kind::HashZipmap {
            for (field, value) in zipmap::read(&blob).map_err(|what| reader.fail(what))? {
                fields.push((reader.own(field)?, reader.own(value)?));
            }
        } else {
            for (field, value) in pairs(kind, &blob, reader)? {
                fields.push((reader.own(&field.bytes())?, reader.own(&value.bytes())?));
            }
        }
    }
    check_unique(fields.iter().map(|(field, _)| field.as_slice()), reader)?;
    if fields.is_empty() { Err(DumpError::Empty) } else { Ok(fields) }
}

/// Appends a list's type and nodes.
pub(super) fn write_list(elements: &[Vec<u8>], out: &mut Vec<u8>) {
    let mut nodes = Vec::new();
    let mut count = 0;
    let mut packed = listpack::Builder::new();
    let mut flush = |packed: &mut listpack::Builder, nodes: &mut Vec<u8>| {
        let full = std::mem::replace(packed, listpack::Builder::new());
        if !full.is_empty() {
            writer::number(nodes, PACKED);
            writer::string(nodes, &full.finish());
            count += 1;
        }
    };
    let mut plain = 0;
    for element in elements {
        if packed.len() + element.len() > NODE_BYTES_MAX {
            flush(&mut packed, &mut nodes);
        }
        if element.len() > PACKED_ELEMENT_MAX {
            writer::number(&mut nodes, PLAIN);
            writer::string(&mut nodes, element);
            plain += 1;
        } else {
            packed.push(element);
        }
    }
    flush(&mut packed, &mut nodes);
    Kind::ListQuicklist2.write(out);
    writer::count(out, count + plain);
    out.extend_from_slice(&nodes);
}

/// Appends a set's type and members.
pub(super) fn write_set(members: &[Vec<u8>], out: &mut Vec<u8>) {
    if members.len() <= INTSET_COUNT_MAX {
        let integers: Option<Vec<i64>> =
            members.iter().map(|member| integer::parse(member)).collect();
        if let Some(mut integers) = integers {
            integers.sort_unstable();
            Kind::SetIntset.write(out);
            return writer::string(out, &intset::write(&integers));
        }
    }
    Kind::Set.write(out);
    writer::count(out, members.len());
    members.iter().for_each(|member| writer::string(out, member));
}

/// Appends a sorted set's type, members and scores.
pub(super) fn write_sorted_set(members: &[(Vec<u8>, f64)], out: &mut Vec<u8>) {
    let mut sorted: Vec<_> = members.iter().collect();
    // The two zeros are equal, so `total_cmp` would not do. Scores are numbers.
    sorted.sort_by(|(a, score_a), (b, score_b)| {
        score_a.partial_cmp(score_b).unwrap_or(Ordering::Equal).then_with(|| a.cmp(b))
    });
    if is_small(sorted.iter().map(|(member, _)| member)) {
        let mut packed = listpack::Builder::new();
        for (member, score) in sorted {
            packed.push(member);
            packed.push(double::format(*score).as_bytes());
        }
        Kind::SortedSetListpack.write(out);
        return writer::string(out, &packed.finish());
    }
    Kind::SortedSet2.write(out);
    writer::count(out, sorted.len());
    // From the highest to the lowest, which Redis inserts fastest.
    for (member, score) in sorted.into_iter().rev() {
        writer::string(out, member);
        out.extend_from_slice(&score.to_le_bytes());
    }
}

/// Appends a hash's type, fields and values.
pub(super) fn write_hash(fields: &[(Vec<u8>, Vec<u8>)], out: &mut Vec<u8>) {
    let values_are_small = fields.iter().all(|(_, value)| value.len() <= LISTPACK_ELEMENT_MAX);
    if values_are_small && is_small(fields.iter().map(|(field, _)| field)) {
        let mut packed = listpack::Builder::new();
        for (field, value) in fields {
            packed.push(field);
            packed.push(value);
        }
        Kind::HashListpack.write(out);
        return writer::string(out, &packed.finish());
    }
    Kind::Hash.write(out);
    writer::count(out, fields.len());
    for (field, value) in fields {
        writer::string(out, field);
        writer::string(out, value);
    }
}

/// Returns whether elements fit into a listpack by Redis's default limits.
fn is_small<'a>(mut elements: impl ExactSizeIterator<Item = &'a Vec<u8>>) -> bool {
    elements.len() <= LISTPACK_COUNT_MAX
        && elements.all(|element| element.len() <= LISTPACK_ELEMENT_MAX)
}

/// Appends the elements of one listpack or ziplist.
fn append_elements(kind: Kind, reader: &mut Reader<'_>, to: &mut Vec<Vec<u8>>) -> Result<()> {
    let blob = reader.blob()?;
    for element in elements(kind, &blob, reader)? {
        to.push(reader.own(&element.bytes())?);
    }
    Ok(())
}

/// Returns the elements of a listpack or ziplist, whichever the type has.
pub(super) fn elements<'a>(
    kind: Kind,
    blob: &'a [u8],
    reader: &mut Reader<'_>,
) -> Result<Vec<Element<'a>>> {
    let is_ziplist = matches!(
        kind,
        Kind::ListZiplist | Kind::ListQuicklist | Kind::SortedSetZiplist | Kind::HashZiplist
    );
    let read = if is_ziplist { ziplist::read(blob) } else { listpack::read(blob) };
    let elements = read.map_err(|what| reader.fail(what))?;
    reader.charge(size_of_val(elements.as_slice()))?;
    Ok(elements)
}

/// Returns the elements of a listpack or ziplist in pairs.
fn pairs<'a>(
    kind: Kind,
    blob: &'a [u8],
    reader: &mut Reader<'_>,
) -> Result<Vec<(Element<'a>, Element<'a>)>> {
    let elements = elements(kind, blob, reader)?;
    let (pairs, rest) = elements.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(reader.fail("an odd number of elements"));
    }
    Ok(pairs.iter().map(|[first, second]| (*first, *second)).collect())
}

/// Reads a printed score: a length below 253 and a text, or 253 for NaN, 254 and 255 for the infinities.
fn printed_score(reader: &mut Reader<'_>) -> Result<f64> {
    match reader.byte()? {
        255 => Ok(f64::NEG_INFINITY),
        254 => Ok(f64::INFINITY),
        253 => Err(reader.fail("a score that is not a number")),
        length => {
            let text = reader.take(usize::from(length))?;
            double::parse_lenient(&text).ok_or_else(|| reader.fail("a score that is not a number"))
        }
    }
}

/// Checks that no name occurs twice.
pub(super) fn check_unique<'a>(
    names: impl ExactSizeIterator<Item = &'a [u8]>,
    reader: &Reader<'_>,
) -> Result<()> {
    let mut seen = HashSet::with_capacity(names.len());
    let mut names = names;
    if names.all(|name| seen.insert(name)) {
        Ok(())
    } else {
        Err(reader.fail("a repeated element"))
    }
}
