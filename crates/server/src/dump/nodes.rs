//! The nodes of a stream: listpacks of entries whose ids and fields are relative to the node's first entry.
//!
//! ```text
//! node   = count deleted fields { field } 0 { entry }      count: entries that are not deleted
//! entry  = flags ms sequence body elements               ms, sequence: less the node's id; elements: of this entry
//! body   = { value }                                     with SAME_FIELDS: one value for each field of the node
//!        | fields { field value }
//! ```

use super::listpack::{self, Element};
use super::reader::{Reader, Result};
use super::{StreamEntry, writer};
use crate::streamid::StreamId;

const DELETED: i64 = 1;
const SAME_FIELDS: i64 = 2;

/// A node takes no further entry beyond this length or this number of entries: Redis's defaults.
const NODE_BYTES_MAX: usize = 4096;
const NODE_ENTRIES_MAX: u8 = 100;

/// The memory that an entry is taken to need beside its fields.
const ENTRY_OVERHEAD: usize = size_of::<StreamEntry>();

/// Reads all nodes.
pub(super) fn read(reader: &mut Reader<'_>) -> Result<Vec<StreamEntry>> {
    let mut entries: Vec<StreamEntry> = Vec::new();
    for _ in 0..reader.count()? {
        let key = reader.blob()?;
        let key = key.as_ref().try_into();
        let id = key.map_err(|_| reader.fail("a key of a stream's node that is not an id"))?;
        let blob = reader.blob()?;
        let elements = listpack::read(&blob).map_err(|what| reader.fail(what))?;
        reader.charge(size_of_val(elements.as_slice()))?;
        let mut node = Node { elements: elements.iter(), id: StreamId::from_bytes(id) };
        node.read(&mut entries, reader)?;
    }
    if !entries.is_sorted_by(|a, b| a.id < b.id) {
        return Err(reader.fail("ids of a stream that do not ascend"));
    }
    Ok(entries)
}

/// Appends the number of nodes and all nodes.
pub(super) fn write(entries: &[StreamEntry], out: &mut Vec<u8>) {
    let mut nodes = Vec::new();
    let (mut count, mut rest) = (0, entries);
    while let Some(first) = rest.first() {
        let taken = write_node(first, rest, &mut nodes);
        rest = rest.get(taken..).unwrap_or_default();
        count += 1;
    }
    writer::count(out, count);
    out.extend_from_slice(&nodes);
}

/// The rest of a node.
struct Node<'a, 'b> {
    elements: std::slice::Iter<'b, Element<'a>>,
    id: StreamId,
}

impl<'a> Node<'a, '_> {
    fn read(&mut self, entries: &mut Vec<StreamEntry>, reader: &mut Reader<'_>) -> Result<()> {
        let live = self.count(reader)?;
        let deleted = self.count(reader)?;
        let names = self.count(reader)?;
        let fields: Vec<Element<'_>> = self.elements.by_ref().take(names).copied().collect();
        if fields.len() != names || self.integer(reader)? != 0 {
            return Err(reader.fail("a damaged head of a stream's node"));
        }
        let before = entries.len();
        for _ in 0..live.saturating_add(deleted) {
            entries.extend(self.entry(&fields, reader)?);
        }
        if self.elements.next().is_some() || entries.len() - before != live {
            return Err(reader.fail("a wrong count of a stream's node"));
        }
        Ok(())
    }

    /// Reads an entry; `None` if it is deleted.
    fn entry(
        &mut self,
        fields: &[Element<'_>],
        reader: &mut Reader<'_>,
    ) -> Result<Option<StreamEntry>> {
        let before = self.elements.len();
        let flags = self.integer(reader)?;
        let id = StreamId {
            ms: self.id.ms.wrapping_add_signed(self.integer(reader)?),
            seq: self.id.seq.wrapping_add_signed(self.integer(reader)?),
        };
        let is_deleted = flags & DELETED != 0;
        let mut pairs = Vec::new();
        let mut push = |field: Element<'_>, value: Element<'_>, reader: &mut Reader<'_>| {
            if !is_deleted {
                pairs.push((reader.own(&field.bytes())?, reader.own(&value.bytes())?));
            }
            Ok(())
        };
        if flags & SAME_FIELDS != 0 {
            for field in fields {
                push(*field, self.next(reader)?, reader)?;
            }
        } else {
            for _ in 0..self.count(reader)? {
                push(self.next(reader)?, self.next(reader)?, reader)?;
            }
        }
        let elements = before - self.elements.len();
        if self.count(reader)? != elements {
            return Err(reader.fail("a wrong length of a stream's entry"));
        }
        reader.charge(if is_deleted { 0 } else { ENTRY_OVERHEAD })?;
        Ok((!is_deleted).then_some(StreamEntry { id, fields: pairs }))
    }

    fn next(&mut self, reader: &Reader<'_>) -> Result<Element<'a>> {
        let next = self.elements.next().copied();
        next.ok_or_else(|| reader.fail("a stream's node that ends within an entry"))
    }

    fn integer(&mut self, reader: &Reader<'_>) -> Result<i64> {
        let integer = self.next(reader)?.integer();
        integer.ok_or_else(|| reader.fail("expected an integer in a stream's node"))
    }

    /// Returns a number of elements or entries.
    fn count(&mut self, reader: &Reader<'_>) -> Result<usize> {
        let count = usize::try_from(self.integer(reader)?).ok();
        count.ok_or_else(|| reader.fail("a negative count in a stream's node"))
    }
}

/// Appends a node with as many of the entries as it takes. Returns their number.
fn write_node(first: &StreamEntry, entries: &[StreamEntry], out: &mut Vec<u8>) -> usize {
    let mut packed = listpack::Builder::new();
    packed.push_integer(0);
    packed.push_integer(0);
    packed.push_integer(first.fields.len() as i64);
    first.fields.iter().for_each(|(field, _)| packed.push(field));
    packed.push_integer(0);
    let mut taken = 0u8;
    for entry in entries {
        let size: usize = entry.fields.iter().map(|(field, value)| field.len() + value.len()).sum();
        let is_full = packed.len() + size >= NODE_BYTES_MAX || taken >= NODE_ENTRIES_MAX;
        if taken > 0 && is_full {
            break;
        }
        write_entry(entry, first, &mut packed);
        taken += 1;
    }
    packed.set_small(0, taken);
    writer::string(out, &first.id.to_bytes());
    writer::string(out, &packed.finish());
    usize::from(taken)
}

fn write_entry(entry: &StreamEntry, first: &StreamEntry, packed: &mut listpack::Builder) {
    let names = |entry: &'_ StreamEntry| entry.fields.len();
    let is_same = names(entry) == names(first)
        && entry.fields.iter().zip(&first.fields).all(|((a, _), (b, _))| a == b);
    packed.push_integer(if is_same { SAME_FIELDS } else { 0 });
    packed.push_integer(entry.id.ms.wrapping_sub(first.id.ms).cast_signed());
    packed.push_integer(entry.id.seq.wrapping_sub(first.id.seq).cast_signed());
    if !is_same {
        packed.push_integer(names(entry) as i64);
    }
    for (field, value) in &entry.fields {
        if !is_same {
            packed.push(field);
        }
        packed.push(value);
    }
    let elements = if is_same { 3 + names(entry) } else { 4 + 2 * names(entry) };
    packed.push_integer(elements as i64);
}
