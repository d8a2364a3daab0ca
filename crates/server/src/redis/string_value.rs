//! String values in their two encodings, and changes of a part of one.
//!
//! A string that a command writes whole is one row, whatever its length: it is read with one look-up. A command that
//! changes a part of a string moves it to chunks if the result has [`CHUNKED_MIN`] bytes or more. From then on SETBIT,
//! SETRANGE and APPEND write only the chunks that they touch. The next command that writes the string whole makes it
//! one row again.
//!
//! 1. A chunk that has only zero bytes is not stored, and a stored chunk may lack zero bytes at its end. So the size
//!    of a sparse bitmap on disk follows its contents, not its length.
//! 2. The count of a chunked string's M row is its length in bytes.

use super::command::ONE_ROW;
use super::context::Context;
use super::copies::BulkWriter;
use super::failure::{DAMAGED, Done, WRONG_TYPE};
use super::parameters::Id;
use super::values::{Coll, Place};
use crate::resp::Reply;
use crate::rows::redis::{CHUNKED, COLLECTION_KEY_MAX, Collection, DATA, Head, RAW, Type};
use crate::store::Txn;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// The bytes of a chunk.
pub const CHUNK: usize = 4096;

/// A string that is changed in place is stored in chunks from this length on.
pub const CHUNKED_MIN: u64 = 16 * 1024;

/// The maximum length of a string, unless `proto-max-bulk-len` is less.
pub const STRING_MAX: u64 = 512 << 20;

/// The length of a string whose last BITFIELD began in the last byte of [`STRING_MAX`].
const STORED_MAX: u64 = STRING_MAX + 8;

/// Rows up to this length are put together on the stack.
const SHORT: usize = 256;

/// A string would become longer than [`STRING_MAX`].
pub const STRING_TOO_LONG: &str = "ERR string exceeds maximum allowed size (proto-max-bulk-len)";

/// A string value. Chunks are read when they are needed.
#[derive(Clone, Debug)]
pub struct StringValue<'k> {
    /// The key.
    pub place: Place<'k>,
    /// When the key expires, in milliseconds since 1970; 0 means never.
    pub expire_ms: u64,
    body: Body<'k>,
}

#[derive(Clone, Debug)]
enum Body<'k> {
    Row(Vec<u8>),
    Chunks(Coll<'k>),
}

/// What [`Context::string_row`] found.
pub enum StringRow<R> {
    /// The key is absent.
    Absent,
    /// A string in one row: the result, and when the key expires.
    Found(R, u64),
    /// A string in chunks, for [`Context::string`].
    Chunked,
}

/// Consecutive bytes of a string.
#[derive(Clone, Copy, Debug)]
pub enum Part<'a> {
    /// Stored bytes.
    Bytes(&'a [u8]),
    /// So many zero bytes.
    Zeros(u64),
}

impl StringValue<'_> {
    /// Returns the length in bytes.
    #[expect(clippy::len_without_is_empty, reason = "nothing asks for it")]
    pub fn len(&self) -> u64 {
        match &self.body {
            Body::Row(bytes) => bytes.len() as u64,
            Body::Chunks(coll) => coll.row.count,
        }
    }

    /// Passes the bytes from one offset (included) to another (excluded) to `part`, in order, until it breaks. Both
    /// must be inside the string.
    pub fn parts(
        &self,
        txn: &Txn,
        from: u64,
        to: u64,
        mut part: impl FnMut(u64, Part<'_>) -> ControlFlow<()>,
    ) -> Done {
        match &self.body {
            Body::Row(bytes) => {
                let inside = bytes.get(from as usize..to as usize).unwrap_or_default();
                let _ = part(from, Part::Bytes(inside));
                Ok(())
            }
            Body::Chunks(coll) => chunk_parts(txn, coll, from, to, part),
        }
    }

    /// Returns the bytes from one offset (included) to another (excluded). Both must be inside the string.
    pub fn bytes(&self, txn: &Txn, from: u64, to: u64) -> Done<Vec<u8>> {
        let mut out = Vec::with_capacity(to.saturating_sub(from).min(STORED_MAX) as usize);
        self.parts(txn, from, to, |_, part| {
            append(&mut out, part);
            ControlFlow::Continue(())
        })?;
        Ok(out)
    }

    /// Returns all bytes.
    pub fn into_bytes(self, txn: &Txn) -> Done<Vec<u8>> {
        let length = self.len();
        match self.body {
            Body::Row(bytes) => Ok(bytes),
            Body::Chunks(_) => self.bytes(txn, 0, length),
        }
    }
}

fn append(out: &mut Vec<u8>, part: Part<'_>) {
    match part {
        Part::Bytes(bytes) => out.extend_from_slice(bytes),
        Part::Zeros(count) => out.resize(out.len() + count as usize, 0),
    }
}

/// Does what [`StringValue::parts`] says for a string in chunks.
fn chunk_parts(
    txn: &Txn,
    coll: &Coll<'_>,
    from: u64,
    to: u64,
    mut part: impl FnMut(u64, Part<'_>) -> ControlFlow<()>,
) -> Done {
    if from >= to {
        return Ok(());
    }
    let end = index_of(to - 1) + 1;
    let range = coll.range(DATA, &sub_of(index_of(from)), Some(&sub_of(end)));
    let mut rows = txn.rows(coll.place.partition, range)?;
    let (mut at, mut next) = (from, rows.first()?);
    while let Some((key, bytes)) = next {
        let start = start_of(coll.sub(key))?;
        let bytes = bytes.get(..CHUNK).unwrap_or(bytes);
        let begin = start.max(from);
        let end = (start + bytes.len() as u64).min(to);
        if begin > at && part(at, Part::Zeros(begin - at)).is_break() {
            return Ok(());
        }
        at = at.max(begin);
        let inside = bytes.get((begin - start) as usize..end.saturating_sub(start) as usize);
        if let Some(inside) = inside.filter(|inside| !inside.is_empty()) {
            if part(at, Part::Bytes(inside)).is_break() {
                return Ok(());
            }
            at = end;
        }
        next = rows.next()?;
    }
    if at < to {
        let _ = part(at, Part::Zeros(to - at));
    }
    Ok(())
}

/// Returns the number of the chunk of a byte.
fn index_of(offset: u64) -> u32 {
    (offset / CHUNK as u64) as u32
}

fn sub_of(index: u32) -> [u8; 4] {
    index.to_be_bytes()
}

/// Returns the offset at which the chunk of a row begins.
fn start_of(sub: &[u8]) -> Done<u64> {
    let index = <[u8; 4]>::try_from(sub).map_err(|_| DAMAGED)?;
    Ok(u64::from(u32::from_be_bytes(index)) * CHUNK as u64)
}

impl Context<'_> {
    /// Returns the maximum length of a string.
    pub fn string_max(&self) -> u64 {
        const MAX: Id = Id::of("proto-max-bulk-len");
        let limit = u64::try_from(self.server.parameters.number(MAX)).unwrap_or(0);
        limit.min(STRING_MAX)
    }

    /// Returns a string; `None` if the key is absent.
    ///
    /// # Errors
    ///
    /// The key holds another type.
    pub fn string<'k>(&mut self, key: &'k [u8]) -> Done<Option<StringValue<'k>>> {
        let place = self.place(key);
        let found = self.string_at(place)?;
        let is_chunked = |value: &StringValue<'_>| matches!(value.body, Body::Chunks(_));
        if !found.as_ref().is_some_and(is_chunked) || !self.command.flags.has(ONE_ROW) {
            return Ok(found);
        }
        // The command may hold no latches: then the M row and the chunks agree in a view only.
        self.txn.fix_view();
        self.string_at(place)
    }

    fn string_at<'k>(&self, place: Place<'k>) -> Done<Option<StringValue<'k>>> {
        let found = self.meta(&place, |head, body| match (head.ty, head.encoding) {
            (Type::String, RAW) => Ok((head, Body::Row(body.to_vec()))),
            (Type::String, _) => {
                let row = Collection::parse(head, body).filter(|row| row.count <= STORED_MAX);
                let coll = Coll { place, row: row.ok_or(DAMAGED)?, is_stored: true };
                Ok((head, Body::Chunks(coll)))
            }
            _ => Err(WRONG_TYPE),
        })?;
        let Some(found) = found else { return Ok(None) };
        let (head, body) = found?;
        Ok(Some(StringValue { place, expire_ms: head.expire_ms, body }))
    }

    /// Passes the bytes of a string to `found` without a copy, if they are one row.
    ///
    /// # Errors
    ///
    /// The key holds another type.
    pub fn string_row<R>(
        &mut self,
        key: &[u8],
        found: impl FnOnce(&[u8], &mut Reply) -> R,
    ) -> Done<StringRow<R>> {
        let place = self.place(key);
        let found =
            self.meta_with_reply(&place, |head, body, out| match (head.ty, head.encoding) {
                (Type::String, RAW) => Ok(StringRow::Found(found(body, out), head.expire_ms)),
                (Type::String, _) => Ok(StringRow::Chunked),
                _ => Err(WRONG_TYPE),
            })?;
        found.map_or(Ok(StringRow::Absent), |found| Ok(found?))
    }

    /// Replies a string, or null if the key is absent. Returns when the key expires, if it is there.
    ///
    /// # Errors
    ///
    /// The key holds another type.
    pub fn reply_string(&mut self, key: &[u8]) -> Done<Option<u64>> {
        match self.string_row(key, |bytes, out| out.bulk(bytes))? {
            StringRow::Found((), expire_ms) => return Ok(Some(expire_ms)),
            StringRow::Chunked => {}
            StringRow::Absent => {
                self.out.null();
                return Ok(None);
            }
        }
        let Some(value) = self.string(key)? else {
            self.out.null();
            return Ok(None);
        };
        self.reply_part(&value, 0, value.len())?;
        Ok(Some(value.expire_ms))
    }

    /// Replies the bytes of a string from one offset (included) to another (excluded). Both must be inside the string.
    pub fn reply_part(&mut self, value: &StringValue<'_>, from: u64, to: u64) -> Done {
        let out = &mut *self.out;
        out.raw(format!("${}\r\n", to.saturating_sub(from)).as_bytes());
        value.parts(self.txn, from, to, |_, part| {
            match part {
                Part::Bytes(bytes) => out.raw(bytes),
                Part::Zeros(mut count) => {
                    while count > 0 {
                        let step = count.min(CHUNK as u64);
                        out.raw([0; CHUNK].get(..step as usize).unwrap_or_default());
                        count -= step;
                    }
                }
            }
            ControlFlow::Continue(())
        })?;
        out.raw(b"\r\n");
        Ok(())
    }

    /// Writes a whole string, whatever the key held. `expire_ms` is when the key expires, in milliseconds since 1970; 0
    /// means never.
    pub fn put_string(&mut self, place: &Place<'_>, bytes: &[u8], expire_ms: u64) -> Done {
        let mut value: SmallVec<[u8; SHORT]> = SmallVec::with_capacity(bytes.len() + 8);
        Head { ty: Type::String, encoding: RAW, expire_ms }.write(&mut value);
        value.extend_from_slice(bytes);
        self.put_meta(place, &value)?;
        self.touch(place.key);
        Ok(())
    }

    /// Begins to change a part of a string, which [`string`](Context::string) returned for this key. The string gets
    /// this length if it is shorter.
    pub fn edit_string<'k>(
        &self,
        key: &'k [u8],
        found: Option<StringValue<'k>>,
        length_min: u64,
    ) -> Done<StringEdit<'k>> {
        let place = self.place(key);
        let expire_ms = found.as_ref().map_or(0, |value| value.expire_ms);
        let length = found.as_ref().map_or(0, StringValue::len).max(length_min);
        let mut bytes = match found.map(|value| value.body) {
            Some(Body::Chunks(coll)) => {
                let chunks = Chunks { coll, is_fresh: false, loaded: BTreeMap::new() };
                return Ok(StringEdit { place, expire_ms, length, body: Edit::Chunks(chunks) });
            }
            Some(Body::Row(bytes)) => bytes,
            None => Vec::new(),
        };
        if length < CHUNKED_MIN || key.len() > COLLECTION_KEY_MAX {
            bytes.resize(length as usize, 0);
            return Ok(StringEdit { place, expire_ms, length, body: Edit::Row(bytes) });
        }
        let mut coll = self.new_collection(key, Type::String)?;
        coll.row.head = Head { ty: Type::String, encoding: CHUNKED, expire_ms };
        let loaded = (0..).zip(bytes.chunks(CHUNK).map(|part| (part.to_vec(), true))).collect();
        let body = Edit::Chunks(Chunks { coll, is_fresh: true, loaded });
        Ok(StringEdit { place, expire_ms, length, body })
    }

    /// Writes a changed string. Returns its length.
    pub fn finish_edit(&mut self, edit: StringEdit<'_>) -> Done<u64> {
        let Chunks { mut coll, is_fresh, loaded } = match edit.body {
            Edit::Row(bytes) => {
                self.put_string(&edit.place, &bytes, edit.expire_ms)?;
                return Ok(edit.length);
            }
            Edit::Chunks(chunks) => chunks,
        };
        let mut writer = BulkWriter::new(self);
        for (index, (bytes, _)) in loaded.into_iter().filter(|(_, (_, is_changed))| *is_changed) {
            let kept = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
            let stored = bytes.get(..kept).unwrap_or_default();
            match (stored.is_empty(), is_fresh) {
                (true, true) => {}
                (true, false) => self.sub_delete(&coll, DATA, &sub_of(index))?,
                (false, true) => {
                    writer.put(self, &coll, DATA, &sub_of(index), stored)?;
                }
                (false, false) => self.sub_put(&coll, DATA, &sub_of(index), stored)?,
            }
        }
        writer.finish(self)?;
        if is_fresh || coll.row.count != edit.length {
            coll.row.count = edit.length;
            self.save(&mut coll)?;
        } else {
            self.touch(edit.place.key);
        }
        Ok(edit.length)
    }
}

/// A change of a part of a string. [`Context::finish_edit`] stores it.
pub struct StringEdit<'k> {
    place: Place<'k>,
    expire_ms: u64,
    length: u64,
    body: Edit<'k>,
}

enum Edit<'k> {
    Row(Vec<u8>),
    Chunks(Chunks<'k>),
}

struct Chunks<'k> {
    coll: Coll<'k>,
    /// Whether no row of this version is stored.
    is_fresh: bool,
    /// Chunks by number, without zero bytes at their ends, and whether they changed.
    loaded: BTreeMap<u32, (Vec<u8>, bool)>,
}

impl StringEdit<'_> {
    /// Copies bytes at an offset; zeros behind the end of the string.
    pub fn read(&mut self, txn: &Txn, offset: u64, out: &mut [u8]) -> Done {
        out.fill(0);
        match &mut self.body {
            Edit::Row(bytes) => {
                let bytes = bytes.get(offset as usize..).unwrap_or_default();
                out.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
            }
            Edit::Chunks(chunks) => {
                for (index, at, part) in pieces(offset, out) {
                    let bytes = chunks.load(txn, index)?;
                    let bytes = bytes.get(at..).unwrap_or_default();
                    part.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
                }
            }
        }
        Ok(())
    }

    /// Replaces bytes at an offset. They must end inside the length that the change began with.
    pub fn write(&mut self, txn: &Txn, offset: u64, bytes: &[u8]) -> Done {
        match &mut self.body {
            Edit::Row(row) => {
                let to = row.get_mut(offset as usize..).unwrap_or_default();
                to.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
            }
            Edit::Chunks(chunks) => {
                let mut rest = bytes;
                let mut offset = offset;
                while !rest.is_empty() {
                    let at = (offset % CHUNK as u64) as usize;
                    let (part, behind) = rest.split_at(rest.len().min(CHUNK - at));
                    chunks.write(txn, index_of(offset), at, part)?;
                    offset += part.len() as u64;
                    rest = behind;
                }
            }
        }
        Ok(())
    }
}

/// Splits a buffer at the ends of chunks: the chunk, the offset in it, and the part.
fn pieces(offset: u64, out: &mut [u8]) -> impl Iterator<Item = (u32, usize, &mut [u8])> {
    let (mut offset, mut rest) = (offset, out);
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let at = (offset % CHUNK as u64) as usize;
        let all = std::mem::take(&mut rest);
        let length = all.len().min(CHUNK - at);
        let (part, behind) = all.split_at_mut_checked(length)?;
        let index = index_of(offset);
        offset += part.len() as u64;
        rest = behind;
        Some((index, at, part))
    })
}

impl Chunks<'_> {
    fn load(&mut self, txn: &Txn, index: u32) -> Done<&mut Vec<u8>> {
        let (bytes, _) = match self.loaded.entry(index) {
            std::collections::btree_map::Entry::Occupied(found) => found.into_mut(),
            std::collections::btree_map::Entry::Vacant(place) => {
                let mut bytes = Vec::new();
                if !self.is_fresh {
                    let key = self.coll.sub_key(DATA, &sub_of(index));
                    let found = txn.get(self.coll.place.partition, &key, <[u8]>::to_vec)?;
                    bytes = found.unwrap_or_default();
                }
                place.insert((bytes, false))
            }
        };
        Ok(bytes)
    }

    fn write(&mut self, txn: &Txn, index: u32, at: usize, part: &[u8]) -> Done {
        if part.len() == CHUNK {
            self.loaded.insert(index, (part.to_vec(), true));
            return Ok(());
        }
        let bytes = self.load(txn, index)?;
        if bytes.len() < at + part.len() {
            bytes.resize(at + part.len(), 0);
        }
        let to = bytes.get_mut(at..).unwrap_or_default();
        to.iter_mut().zip(part).for_each(|(to, from)| *to = *from);
        if let Some((_, is_changed)) = self.loaded.get_mut(&index) {
            *is_changed = true;
        }
        Ok(())
    }
}
