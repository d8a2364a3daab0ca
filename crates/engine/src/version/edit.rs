//! The version edit, one MANIFEST record: a change to the set of files or to the counters stored with it.
//!
//! Grammar (`docs/formats/manifest.md`): a record is a sequence of `varint32 tag, payload` in any order. The empty
//! record is legal. A field whose tag has bit 13 includes its length (except for four old tags) and is skipped if the
//! tag is unknown; any other unknown tag is Corruption.
//!
//! Fields are written in RocksDB's order, so that reading and rewriting its records yields the same bytes. Never
//! written: tag 7 (it aborts Debian's 7.8.3), 100, 102 and 8194..8197, which are older forms of other tags.
//!
//! Decoding never panics and never allocates more bytes than the record's length.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::edit_fields::{file_number, internal_key, level, sequence};
use super::edit_file;
use super::file_meta::FileMeta;
use crate::base::SeqNo;
use crate::base::coding::{
    Decoder, put_length_prefixed, put_varint32, put_varint64, varint_length,
};
use crate::error::{Error, Result};
use std::sync::Arc;

/// Tags of a record, with RocksDB's numbers.
mod tag {
    pub(super) const COMPARATOR: u32 = 1;
    pub(super) const LOG_NUMBER: u32 = 2;
    pub(super) const NEXT_FILE_NUMBER: u32 = 3;
    pub(super) const LAST_SEQUENCE: u32 = 4;
    pub(super) const COMPACT_CURSOR: u32 = 5;
    pub(super) const DELETED_FILE: u32 = 6;
    pub(super) const NEW_FILE: u32 = 7;
    pub(super) const PREV_LOG_NUMBER: u32 = 9;
    pub(super) const MIN_LOG_NUMBER_TO_KEEP: u32 = 10;
    pub(super) const NEW_FILE_2: u32 = 100;
    pub(super) const NEW_FILE_3: u32 = 102;
    pub(super) const NEW_FILE_4: u32 = 103;
    pub(super) const COLUMN_FAMILY: u32 = 200;
    pub(super) const COLUMN_FAMILY_ADD: u32 = 201;
    pub(super) const COLUMN_FAMILY_DROP: u32 = 202;
    pub(super) const MAX_COLUMN_FAMILY: u32 = 203;
    pub(super) const IN_ATOMIC_GROUP: u32 = 300;
    pub(super) const BLOB_FILE_ADDITION: u32 = 400;
    pub(super) const BLOB_FILE_GARBAGE: u32 = 401;
    /// Readers that do not know a tag with this bit may skip its field.
    pub(super) const SAFE_IGNORE_MASK: u32 = 1 << 13;
    pub(super) const DB_ID: u32 = 8193;
    pub(super) const BLOB_FILE_ADDITION_OLD: u32 = 8194;
    pub(super) const BLOB_FILE_GARBAGE_OLD: u32 = 8195;
    pub(super) const WAL_ADDITION_OLD: u32 = 8196;
    pub(super) const WAL_DELETION_OLD: u32 = 8197;
    pub(super) const FULL_HISTORY_TS_LOW: u32 = 8198;
    pub(super) const WAL_ADDITION: u32 = 8199;
    pub(super) const WAL_DELETION: u32 = 8200;
    pub(super) const PERSIST_USER_DEFINED_TIMESTAMPS: u32 = 8201;
}

/// Bit 6 of a blob edit's custom field: a reader that does not know the field must not read the
/// file.
const BLOB_FIELD_MANDATORY: u32 = 1 << 6;
const WAL_FIELD_END: u32 = 1;
const WAL_FIELD_SYNCED_SIZE: u32 = 2;

/// A blob file that was created. It is decoded so that errors can name it; it is never written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlobFileAddition {
    /// The number in its file name.
    pub number: u64,
    /// The number of values in it.
    pub total_count: u64,
    /// The size of its records in bytes.
    pub total_bytes: u64,
    /// The method that computed the checksum.
    pub checksum_method: Vec<u8>,
    /// The checksum.
    pub checksum_value: Vec<u8>,
}

/// Values of a blob file that are no longer referenced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlobFileGarbage {
    /// The number of the blob file.
    pub number: u64,
    /// The number of values that became garbage with this edit.
    pub garbage_count: u64,
    /// The size of these values in bytes.
    pub garbage_bytes: u64,
}

/// A WAL that the MANIFEST tracks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WalAddition {
    /// The number of the WAL.
    pub number: u64,
    /// Bytes known to be on the device; set when the WAL is closed.
    pub synced_size: Option<u64>,
}

/// A change to one column family's files and to the counters stored with them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VersionEdit {
    /// The column family that the edit is for.
    pub column_family: u32,
    /// The name of the comparator.
    pub comparator: Option<String>,
    /// All data in WALs below this number has been flushed by this column family.
    pub log_number: Option<u64>,
    /// Always 0 today.
    pub prev_log_number: Option<u64>,
    /// The next file number to assign.
    pub next_file_number: Option<u64>,
    /// The column family with this id, or with a larger one, once existed.
    pub max_column_family: Option<u32>,
    /// No column family needs a WAL below this number.
    pub min_log_number_to_keep: Option<u64>,
    /// An upper bound on the sequence numbers of all writes so far.
    pub last_sequence: Option<SeqNo>,
    /// The identity of the database.
    pub db_id: Option<String>,
    /// The start of the next compaction of a level (level, internal key).
    pub compact_cursors: Vec<(usize, Vec<u8>)>,
    /// Removed files (level, number).
    pub deleted_files: Vec<(usize, u64)>,
    /// Added files (level, file).
    pub new_files: Vec<(usize, Arc<FileMeta>)>,
    /// Added blob files.
    pub blob_file_additions: Vec<BlobFileAddition>,
    /// Blob values that became garbage.
    pub blob_file_garbage: Vec<BlobFileGarbage>,
    /// WALs that are tracked from this edit on.
    pub wal_additions: Vec<WalAddition>,
    /// WALs below this number are no longer tracked.
    pub wal_deletion: Option<u64>,
    /// The edit creates the column family with this name.
    pub column_family_add: Option<String>,
    /// The edit drops the column family with all its files.
    pub column_family_drop: bool,
    /// The edit is part of an atomic group; this many further edits of the group follow.
    pub in_atomic_group: Option<u32>,
    /// With user-defined timestamps: history below this timestamp may be missing.
    pub full_history_ts_low: Option<Vec<u8>>,
    /// Whether user-defined timestamps are kept in files.
    pub persist_user_defined_timestamps: Option<bool>,
}

impl VersionEdit {
    /// An empty edit for this column family.
    pub fn for_column_family(id: u32) -> VersionEdit {
        VersionEdit { column_family: id, ..VersionEdit::default() }
    }

    /// Adds a file to a level. A file that moves keeps its `Arc`.
    pub fn add_file(&mut self, level: usize, file: Arc<FileMeta>) {
        self.new_files.push((level, file));
    }

    /// Removes a file from a level.
    pub fn delete_file(&mut self, level: usize, number: u64) {
        self.deleted_files.push((level, number));
    }

    /// Whether the edit adds or drops a column family.
    pub fn is_column_family_manipulation(&self) -> bool {
        self.column_family_add.is_some() || self.column_family_drop
    }

    /// Encodes the record.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(64 + 160 * self.new_files.len());
        if let Some(id) = &self.db_id {
            put_string(&mut out, tag::DB_ID, id.as_bytes());
        }
        if let Some(name) = &self.comparator {
            put_string(&mut out, tag::COMPARATOR, name.as_bytes());
        }
        put_number(&mut out, tag::LOG_NUMBER, self.log_number);
        put_number(&mut out, tag::PREV_LOG_NUMBER, self.prev_log_number);
        put_number(&mut out, tag::NEXT_FILE_NUMBER, self.next_file_number);
        put_number(&mut out, tag::MAX_COLUMN_FAMILY, self.max_column_family.map(u64::from));
        put_number(&mut out, tag::MIN_LOG_NUMBER_TO_KEEP, self.min_log_number_to_keep);
        put_number(&mut out, tag::LAST_SEQUENCE, self.last_sequence);
        self.encode_files(&mut out);
        self.encode_blob_edits(&mut out);
        self.encode_wal_edits(&mut out);
        self.encode_column_family(&mut out);
        out
    }

    fn encode_files(&self, out: &mut Vec<u8>) {
        for (level, key) in &self.compact_cursors {
            put_varint32(out, tag::COMPACT_CURSOR);
            put_varint32(out, *level as u32);
            put_length_prefixed(out, key);
        }
        for (level, number) in &self.deleted_files {
            put_varint32(out, tag::DELETED_FILE);
            put_varint32(out, *level as u32);
            put_varint64(out, *number);
        }
        // Readers older than tag 10 expect its value on the first new file.
        let mut min_log = self.min_log_number_to_keep;
        for (level, file) in &self.new_files {
            put_varint32(out, tag::NEW_FILE_4);
            edit_file::encode(out, *level, file, min_log.take());
        }
    }

    fn encode_blob_edits(&self, out: &mut Vec<u8>) {
        for b in &self.blob_file_additions {
            put_varint32(out, tag::BLOB_FILE_ADDITION);
            put_varint64(out, b.number);
            put_varint64(out, b.total_count);
            put_varint64(out, b.total_bytes);
            put_length_prefixed(out, &b.checksum_method);
            put_length_prefixed(out, &b.checksum_value);
            put_varint32(out, 0);
        }
        for g in &self.blob_file_garbage {
            put_varint32(out, tag::BLOB_FILE_GARBAGE);
            put_varint64(out, g.number);
            put_varint64(out, g.garbage_count);
            put_varint64(out, g.garbage_bytes);
            put_varint32(out, 0);
        }
    }

    fn encode_wal_edits(&self, out: &mut Vec<u8>) {
        let mut payload = Vec::new();
        for wal in &self.wal_additions {
            payload.clear();
            put_varint64(&mut payload, wal.number);
            if let Some(size) = wal.synced_size {
                put_varint32(&mut payload, WAL_FIELD_SYNCED_SIZE);
                put_varint64(&mut payload, size);
            }
            put_varint32(&mut payload, WAL_FIELD_END);
            put_string(out, tag::WAL_ADDITION, &payload);
        }
        if let Some(number) = self.wal_deletion {
            put_varint32(out, tag::WAL_DELETION);
            put_varint32(out, varint_length(number) as u32);
            put_varint64(out, number);
        }
    }

    fn encode_column_family(&self, out: &mut Vec<u8>) {
        if self.column_family != 0 {
            put_number(out, tag::COLUMN_FAMILY, Some(u64::from(self.column_family)));
        }
        if let Some(name) = &self.column_family_add {
            put_string(out, tag::COLUMN_FAMILY_ADD, name.as_bytes());
        }
        if self.column_family_drop {
            put_varint32(out, tag::COLUMN_FAMILY_DROP);
        }
        put_number(out, tag::IN_ATOMIC_GROUP, self.in_atomic_group.map(u64::from));
        if let Some(ts) = &self.full_history_ts_low {
            put_string(out, tag::FULL_HISTORY_TS_LOW, ts);
        }
        if let Some(yes) = self.persist_user_defined_timestamps {
            put_string(out, tag::PERSIST_USER_DEFINED_TIMESTAMPS, &[u8::from(yes)]);
        }
    }

    /// Decodes a record.
    pub fn decode(record: &[u8]) -> Result<VersionEdit> {
        let mut edit = VersionEdit::default();
        let mut d = Decoder::new(record);
        while !d.is_empty() {
            let at = record.len() - d.rest().len();
            let tag = d.varint32("tag")?;
            edit.decode_field(tag, &mut d).map_err(|e| {
                let what = format!("VersionEdit: tag {tag} at byte {at}: {}", e.message());
                Error::new(e.code(), what)
            })?;
        }
        Ok(edit)
    }

    fn decode_field(&mut self, tag: u32, d: &mut Decoder<'_>) -> Result<()> {
        match tag {
            tag::COMPARATOR => self.comparator = Some(string(d, "comparator")?),
            tag::LOG_NUMBER => self.log_number = Some(file_number(d, "log number")?),
            tag::PREV_LOG_NUMBER => {
                self.prev_log_number = Some(file_number(d, "previous log number")?);
            }
            tag::NEXT_FILE_NUMBER => {
                self.next_file_number = Some(file_number(d, "next file number")?);
            }
            tag::MAX_COLUMN_FAMILY => {
                self.max_column_family = Some(d.varint32("max column family")?);
            }
            tag::MIN_LOG_NUMBER_TO_KEEP => {
                self.min_log_number_to_keep = Some(file_number(d, "min log number to keep")?);
            }
            tag::LAST_SEQUENCE => self.last_sequence = Some(sequence(d, "last sequence")?),
            tag::COMPACT_CURSOR => {
                let level = level(d)?;
                self.compact_cursors.push((level, internal_key(d, "compact cursor")?));
            }
            tag::DELETED_FILE => {
                let level = level(d)?;
                self.deleted_files.push((level, file_number(d, "deleted file")?));
            }
            tag::NEW_FILE | tag::NEW_FILE_2 | tag::NEW_FILE_3 => {
                let layout = match tag {
                    tag::NEW_FILE => edit_file::Layout::First,
                    tag::NEW_FILE_2 => edit_file::Layout::Second,
                    _ => edit_file::Layout::Third,
                };
                let (level, file) = edit_file::decode_old(d, layout)?;
                self.new_files.push((level, Arc::new(file)));
            }
            tag::NEW_FILE_4 => {
                let (level, file, min_log) = edit_file::decode(d)?;
                self.new_files.push((level, Arc::new(file)));
                if min_log.is_some() {
                    self.min_log_number_to_keep = min_log;
                }
            }
            tag::COLUMN_FAMILY => self.column_family = d.varint32("column family")?,
            tag::COLUMN_FAMILY_ADD => self.column_family_add = Some(string(d, "name")?),
            tag::COLUMN_FAMILY_DROP => self.column_family_drop = true,
            tag::IN_ATOMIC_GROUP => {
                self.in_atomic_group = Some(d.varint32("remaining edits")?);
            }
            tag::BLOB_FILE_ADDITION | tag::BLOB_FILE_ADDITION_OLD => {
                self.blob_file_additions.push(decode_blob_addition(d)?);
            }
            tag::BLOB_FILE_GARBAGE | tag::BLOB_FILE_GARBAGE_OLD => {
                self.blob_file_garbage.push(decode_blob_garbage(d)?);
            }
            _ if tag & tag::SAFE_IGNORE_MASK != 0 => return self.decode_ignorable(tag, d),
            _ => return Err(Error::corruption("unknown tag")),
        }
        Ok(())
    }

    fn decode_ignorable(&mut self, tag: u32, d: &mut Decoder<'_>) -> Result<()> {
        match tag {
            tag::WAL_ADDITION_OLD => self.wal_additions.push(decode_wal_addition(d)?),
            tag::WAL_DELETION_OLD => self.wal_deletion = Some(file_number(d, "WAL")?),
            _ => {
                let mut body = Decoder::new(d.length_prefixed("payload")?);
                match tag {
                    tag::DB_ID => self.db_id = Some(utf8(body.rest(), "db id")?),
                    tag::FULL_HISTORY_TS_LOW => {
                        self.full_history_ts_low = Some(body.rest().to_vec());
                    }
                    tag::WAL_ADDITION => {
                        self.wal_additions.push(decode_wal_addition(&mut body)?);
                    }
                    tag::WAL_DELETION => {
                        self.wal_deletion = Some(file_number(&mut body, "WAL")?);
                    }
                    tag::PERSIST_USER_DEFINED_TIMESTAMPS => {
                        self.persist_user_defined_timestamps = Some(body.byte("flag")? == 1);
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

fn put_number(out: &mut Vec<u8>, tag: u32, value: Option<u64>) {
    if let Some(v) = value {
        put_varint32(out, tag);
        put_varint64(out, v);
    }
}

fn put_string(out: &mut Vec<u8>, tag: u32, bytes: &[u8]) {
    put_varint32(out, tag);
    put_length_prefixed(out, bytes);
}

fn utf8(bytes: &[u8], what: &str) -> Result<String> {
    match std::str::from_utf8(bytes) {
        Ok(s) => Ok(s.to_owned()),
        Err(_) => Err(Error::corruption(format!("{what}: not UTF-8: {}", bytes.escape_ascii()))),
    }
}

fn string(d: &mut Decoder<'_>, what: &str) -> Result<String> {
    utf8(d.length_prefixed(what)?, what)
}

fn decode_blob_addition(d: &mut Decoder<'_>) -> Result<BlobFileAddition> {
    let blob = BlobFileAddition {
        number: file_number(d, "blob file")?,
        total_count: d.varint64("blob count")?,
        total_bytes: d.varint64("blob bytes")?,
        checksum_method: d.length_prefixed("checksum method")?.to_vec(),
        checksum_value: d.length_prefixed("checksum value")?.to_vec(),
    };
    skip_blob_fields(d)?;
    Ok(blob)
}

fn decode_blob_garbage(d: &mut Decoder<'_>) -> Result<BlobFileGarbage> {
    let garbage = BlobFileGarbage {
        number: file_number(d, "blob file")?,
        garbage_count: d.varint64("garbage count")?,
        garbage_bytes: d.varint64("garbage bytes")?,
    };
    skip_blob_fields(d)?;
    Ok(garbage)
}

fn skip_blob_fields(d: &mut Decoder<'_>) -> Result<()> {
    loop {
        let field = d.varint32("custom field")?;
        if field == 0 {
            return Ok(());
        }
        if field & BLOB_FIELD_MANDATORY != 0 {
            return Err(Error::corruption(format!("custom field {field} of a blob file unknown")));
        }
        d.length_prefixed("custom field")?;
    }
}

fn decode_wal_addition(d: &mut Decoder<'_>) -> Result<WalAddition> {
    let mut wal = WalAddition { number: file_number(d, "WAL")?, synced_size: None };
    loop {
        match d.varint32("WAL field")? {
            WAL_FIELD_END => return Ok(wal),
            WAL_FIELD_SYNCED_SIZE => wal.synced_size = Some(d.varint64("WAL size")?),
            field => return Err(Error::corruption(format!("WAL field {field} unknown"))),
        }
    }
}

#[cfg(test)]
#[path = "edit_test.rs"]
mod tests;
