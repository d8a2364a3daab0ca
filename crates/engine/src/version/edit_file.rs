//! The encoding of one new file inside a MANIFEST record, in its four layouts.
//!
//! ```text
//! 7   level number      size smallest largest
//! 100 level number      size smallest largest seqno seqno
//! 102 level number path size smallest largest seqno seqno
//! 103 level number      size smallest largest seqno seqno  { field lps }*  1
//! ```
//! Only 103 is written. An unknown field in it is skipped unless bit 6 of the field number is set.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::edit_fields::{file_number, internal_key, level, sequence};
use super::file_meta::FileMeta;
use crate::base::coding::{
    Decoder, put_fixed64, put_length_prefixed, put_varint32, put_varint64, varint_length,
};
use crate::error::{Error, Result};

/// Custom fields, with RocksDB's numbers.
mod field {
    pub(super) const TERMINATE: u32 = 1;
    pub(super) const NEED_COMPACTION: u32 = 2;
    pub(super) const MIN_LOG_NUMBER_TO_KEEP: u32 = 3;
    pub(super) const OLDEST_BLOB_FILE_NUMBER: u32 = 4;
    pub(super) const OLDEST_ANCESTOR_TIME: u32 = 5;
    pub(super) const FILE_CREATION_TIME: u32 = 6;
    pub(super) const FILE_CHECKSUM: u32 = 7;
    pub(super) const FILE_CHECKSUM_FUNC_NAME: u32 = 8;
    pub(super) const TEMPERATURE: u32 = 9;
    pub(super) const UNIQUE_ID: u32 = 12;
    pub(super) const EPOCH_NUMBER: u32 = 13;
    pub(super) const COMPENSATED_RANGE_DELETION_SIZE: u32 = 14;
    pub(super) const TAIL_SIZE: u32 = 15;
    pub(super) const USER_DEFINED_TIMESTAMPS_PERSISTED: u32 = 16;
    /// Readers must understand a field with this bit.
    pub(super) const MANDATORY: u32 = 1 << 6;
    pub(super) const PATH_ID: u32 = 65;
}

/// The layouts before custom fields.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// Tag 7, as LevelDB wrote it.
    First,
    /// Tag 100.
    Second,
    /// Tag 102.
    Third,
}

/// Appends the payload of tag 103.
pub(super) fn encode(out: &mut Vec<u8>, level: usize, f: &FileMeta, min_log: Option<u64>) {
    put_varint32(out, level as u32);
    put_varint64(out, f.number);
    put_varint64(out, f.file_size);
    put_length_prefixed(out, &f.smallest);
    put_length_prefixed(out, &f.largest);
    put_varint64(out, f.smallest_seqno);
    put_varint64(out, f.largest_seqno);
    put_number(out, field::OLDEST_ANCESTOR_TIME, f.oldest_ancestor_time);
    put_number(out, field::FILE_CREATION_TIME, f.file_creation_time);
    if f.epoch_number != 0 {
        put_number(out, field::EPOCH_NUMBER, f.epoch_number);
    }
    if !f.file_checksum_func_name.is_empty() || !f.file_checksum.is_empty() {
        put_field(out, field::FILE_CHECKSUM, &f.file_checksum);
        put_field(out, field::FILE_CHECKSUM_FUNC_NAME, f.file_checksum_func_name.as_bytes());
    }
    if f.path_id != 0 {
        put_field(out, field::PATH_ID, &[f.path_id as u8]);
    }
    if f.temperature != 0 {
        put_field(out, field::TEMPERATURE, &[f.temperature]);
    }
    if f.marked_for_compaction {
        put_field(out, field::NEED_COMPACTION, &[1]);
    }
    if let Some(number) = min_log {
        put_varint32(out, field::MIN_LOG_NUMBER_TO_KEEP);
        put_varint32(out, 8);
        put_fixed64(out, number);
    }
    if f.oldest_blob_file_number != 0 {
        put_number(out, field::OLDEST_BLOB_FILE_NUMBER, f.oldest_blob_file_number);
    }
    if let Some(id) = &f.unique_id {
        put_field(out, field::UNIQUE_ID, id);
    }
    if f.compensated_range_deletion_size != 0 {
        let size = f.compensated_range_deletion_size;
        put_number(out, field::COMPENSATED_RANGE_DELETION_SIZE, size);
    }
    if f.tail_size != 0 {
        put_number(out, field::TAIL_SIZE, f.tail_size);
    }
    put_varint32(out, field::TERMINATE);
}

fn put_field(out: &mut Vec<u8>, field: u32, bytes: &[u8]) {
    put_varint32(out, field);
    put_length_prefixed(out, bytes);
}

fn put_number(out: &mut Vec<u8>, field: u32, value: u64) {
    put_varint32(out, field);
    put_varint32(out, varint_length(value) as u32);
    put_varint64(out, value);
}

/// Reads the payload of tags 7, 100 and 102.
pub(super) fn decode_old(d: &mut Decoder<'_>, layout: Layout) -> Result<(usize, FileMeta)> {
    let level = level(d)?;
    let number = file_number(d, "new file")?;
    let path_id = match layout {
        Layout::Third => path_id(d.varint32("path id")?)?,
        _ => 0,
    };
    let mut file = decode_extent(d, number)?;
    file.path_id = path_id;
    if layout == Layout::First {
        // LevelDB stored no sequence numbers; RocksDB treats such files as the oldest.
        (file.smallest_seqno, file.largest_seqno) = (0, 0);
    } else {
        decode_seqnos(d, &mut file)?;
    }
    Ok((level, file))
}

/// Reads the payload of tag 103; the third part is the copy of `min_log_number_to_keep`, if
/// present.
pub(super) fn decode(d: &mut Decoder<'_>) -> Result<(usize, FileMeta, Option<u64>)> {
    let level = level(d)?;
    let number = file_number(d, "new file")?;
    let mut file = decode_extent(d, number)?;
    decode_seqnos(d, &mut file)?;
    let mut min_log = None;
    loop {
        let field = d.varint32("custom field of a new file")?;
        if field == field::TERMINATE {
            return Ok((level, file, min_log));
        }
        let bytes = d.length_prefixed("custom field of a new file")?;
        if field == field::MIN_LOG_NUMBER_TO_KEEP {
            let mut body = Decoder::new(bytes);
            min_log = Some(body.fixed64("min log number to keep")?);
            exhausted(&body, "min log number to keep")?;
        } else {
            decode_field(&mut file, field, bytes)?;
        }
    }
}

fn decode_extent(d: &mut Decoder<'_>, number: u64) -> Result<FileMeta> {
    let size = d.varint64("file size")?;
    let smallest = internal_key(d, "smallest key")?;
    let largest = internal_key(d, "largest key")?;
    Ok(FileMeta::new(number, size, smallest, largest))
}

fn decode_seqnos(d: &mut Decoder<'_>, file: &mut FileMeta) -> Result<()> {
    file.smallest_seqno = sequence(d, "smallest sequence number")?;
    file.largest_seqno = sequence(d, "largest sequence number")?;
    Ok(())
}

fn decode_field(file: &mut FileMeta, field: u32, bytes: &[u8]) -> Result<()> {
    match field {
        field::NEED_COMPACTION => {
            file.marked_for_compaction = one_byte(bytes, "need compaction")? == 1;
        }
        field::OLDEST_BLOB_FILE_NUMBER => {
            file.oldest_blob_file_number = number(bytes, "oldest blob file number")?;
        }
        field::OLDEST_ANCESTOR_TIME => {
            file.oldest_ancestor_time = number(bytes, "oldest ancestor time")?;
        }
        field::FILE_CREATION_TIME => {
            file.file_creation_time = number(bytes, "file creation time")?;
        }
        field::FILE_CHECKSUM => file.file_checksum = bytes.to_vec(),
        field::FILE_CHECKSUM_FUNC_NAME => match std::str::from_utf8(bytes) {
            Ok(name) => file.file_checksum_func_name = name.to_owned(),
            Err(_) => return Err(Error::corruption("name of a file checksum: not UTF-8")),
        },
        field::TEMPERATURE => file.temperature = one_byte(bytes, "temperature")?,
        field::UNIQUE_ID => file.unique_id = unique_id(bytes)?,
        field::EPOCH_NUMBER => file.epoch_number = number(bytes, "epoch number")?,
        field::COMPENSATED_RANGE_DELETION_SIZE => {
            file.compensated_range_deletion_size = number(bytes, "range deletion size")?;
        }
        field::TAIL_SIZE => file.tail_size = number(bytes, "tail size")?,
        field::USER_DEFINED_TIMESTAMPS_PERSISTED => {
            one_byte(bytes, "user-defined timestamps persisted")?;
        }
        field::PATH_ID => file.path_id = path_id(u32::from(one_byte(bytes, "path id")?))?,
        _ if field & field::MANDATORY != 0 => {
            return Err(Error::corruption(format!("custom field {field} of a new file unknown")));
        }
        _ => {}
    }
    Ok(())
}

/// RocksDB stores all zeros for "none".
fn unique_id(bytes: &[u8]) -> Result<Option<[u8; 16]>> {
    match <[u8; 16]>::try_from(bytes) {
        Ok(id) => Ok((id != [0; 16]).then_some(id)),
        Err(_) => {
            let n = bytes.len();
            Err(Error::corruption(format!("unique id: expected 16 bytes, found {n}")))
        }
    }
}

/// Checks a path index. There are at most four data paths.
fn path_id(id: u32) -> Result<u32> {
    match id {
        0..=3 => Ok(id),
        _ => Err(Error::corruption(format!("path id of a new file: expected 0 to 3, found {id}"))),
    }
}

fn one_byte(bytes: &[u8], what: &str) -> Result<u8> {
    match bytes {
        [b] => Ok(*b),
        _ => Err(Error::corruption(format!("{what}: expected 1 byte, found {}", bytes.len()))),
    }
}

fn number(bytes: &[u8], what: &str) -> Result<u64> {
    let mut d = Decoder::new(bytes);
    let v = d.varint64(what)?;
    exhausted(&d, what)?;
    Ok(v)
}

fn exhausted(d: &Decoder<'_>, what: &str) -> Result<()> {
    match d.rest().len() {
        0 => Ok(()),
        n => Err(Error::corruption(format!("{what}: {n} bytes too many"))),
    }
}
