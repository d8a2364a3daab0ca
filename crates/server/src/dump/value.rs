//! Values, independent of any encoding.

use crate::streamid::StreamId;

/// A value of a key.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A string.
    String(Vec<u8>),
    /// A list, from head to tail.
    List(Vec<Vec<u8>>),
    /// A set, in any order.
    Set(Vec<Vec<u8>>),
    /// Members and their scores, in any order.
    SortedSet(Vec<(Vec<u8>, f64)>),
    /// Fields and their values, in any order.
    Hash(Vec<(Vec<u8>, Vec<u8>)>),
    /// Fields of a hash of which some expire, in any order.
    ExpiringHash(Vec<HashField>),
    /// A stream.
    Stream(Box<Stream>),
}

/// The memory that an element takes besides its bytes.
const ELEMENT_BYTES: usize = 48;

impl Value {
    /// Returns about how many bytes of memory the value takes.
    pub fn memory_bytes(&self) -> usize {
        let sum = |lengths: &mut dyn Iterator<Item = usize>| {
            lengths.map(|length| length + ELEMENT_BYTES).sum::<usize>()
        };
        match self {
            Value::String(text) => text.len() + ELEMENT_BYTES,
            Value::List(elements) | Value::Set(elements) => sum(&mut elements.iter().map(Vec::len)),
            Value::SortedSet(members) => sum(&mut members.iter().map(|(member, _)| member.len())),
            Value::Hash(fields) => {
                sum(&mut fields.iter().map(|(name, value)| name.len() + value.len()))
            }
            Value::ExpiringHash(fields) => {
                sum(&mut fields.iter().map(|field| field.name.len() + field.value.len()))
            }
            Value::Stream(stream) => {
                let fields = stream.entries.iter().flat_map(|entry| &entry.fields);
                let consumers = stream.groups.iter().flat_map(|group| &group.consumers);
                let pending = consumers.map(|consumer| consumer.pending.len()).sum::<usize>();
                sum(&mut fields.map(|(name, value)| name.len() + value.len()))
                    + (stream.entries.len() + pending) * ELEMENT_BYTES
            }
        }
    }
}

/// A field of a hash.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct HashField {
    /// The name.
    pub name: Vec<u8>,
    /// The value.
    pub value: Vec<u8>,
    /// When it expires, in milliseconds since 1970; 0 means never.
    pub expire_ms: u64,
}

/// A stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stream {
    /// The entries with ascending ids.
    pub entries: Vec<StreamEntry>,
    /// The largest id that an entry ever had.
    pub last_id: StreamId,
    /// The largest id of a deleted entry.
    pub max_deleted_id: StreamId,
    /// The number of entries that were ever added.
    pub entries_added: u64,
    /// The consumer groups.
    pub groups: Vec<Group>,
}

/// An entry of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamEntry {
    /// Its id.
    pub id: StreamId,
    /// Fields and values as they were added; fields may repeat.
    pub fields: Vec<(Vec<u8>, Vec<u8>)>,
}

/// A consumer group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// Its name.
    pub name: Vec<u8>,
    /// The last id that was delivered.
    pub last_id: StreamId,
    /// The number of entries that were delivered, if known.
    pub entries_read: Option<u64>,
    /// Its consumers.
    pub consumers: Vec<Consumer>,
}

/// A consumer of a group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Consumer {
    /// Its name.
    pub name: Vec<u8>,
    /// The Unix time of its last attempt to read, in milliseconds.
    pub seen_ms: i64,
    /// The Unix time of its last successful read, in milliseconds; -1 if there was none.
    pub active_ms: i64,
    /// The entries that it has not acknowledged, with ascending ids.
    pub pending: Vec<Pending>,
}

/// An entry that was delivered and not acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pending {
    /// The entry's id. The entry may be deleted.
    pub id: StreamId,
    /// The Unix time of the last delivery, in milliseconds.
    pub delivered_ms: i64,
    /// The number of deliveries.
    pub deliveries: u64,
}
