//! Writes the keys of a data directory to an RDB file or as commands.

use super::commands::write_commands;
use super::directory::Directory;
use super::progress::{Pace, Progress, Report};
use crate::dump::{DumpError, Entry, RdbWriter, Value, Version};
use crate::error::{Error, Result};
use crate::resp::write_request;
use crate::script::REDIS_VERSION;
use std::io::{self, Write};

/// Commands are written when they have so many bytes.
const BUFFER: usize = 256 << 10;

/// What an export wrote.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Exported {
    /// Keys.
    pub keys: u64,
    /// Libraries of functions.
    pub functions: u64,
    /// Hashes whose fields do not expire in the file.
    pub without_expiries: u64,
    /// Bytes.
    pub bytes: u64,
}

/// Writes all keys and functions of a directory as an RDB file, and returns the sink, which may hold bytes back. With
/// `drops_field_expiries`, fields of hashes do not expire in the file if its version has no such fields.
///
/// # Errors
///
/// The sink cannot be written, a value is larger than DUMP allows, or the version does not have the type of a value.
pub fn export_rdb<W: Write>(
    directory: &mut Directory,
    out: W,
    (version, drops_field_expiries): (Version, bool),
    report: Report<'_>,
) -> Result<(Exported, W)> {
    let mut pace = Pace::new("exporting", report);
    let mut exported = Exported::default();
    let failed = |error: DumpError| Error::Setting(error.to_string());
    let mut file = RdbWriter::begin(out, version).map_err(failed)?;
    file.field(b"redis-ver", REDIS_VERSION.as_bytes()).map_err(failed)?;
    file.field(b"redis-bits", b"64").map_err(failed)?;
    for code in directory.functions() {
        file.function(&code).map_err(failed)?;
        exported.functions += 1;
    }
    directory.each_entry(&mut |mut entry| {
        if drops_field_expiries && version < Version::V12 && drop_field_expiries(&mut entry) {
            exported.without_expiries += 1;
        }
        file.entry(&entry).map_err(|error| refused(&entry, &error))?;
        exported.keys += 1;
        pace.note(&Progress {
            keys: exported.keys,
            bytes: file.written_bytes(),
            bytes_total: None,
        });
        Ok(())
    })?;
    exported.bytes = file.written_bytes() + 9;
    Ok((exported, file.finish().map_err(failed)?))
}

/// Makes the fields of a hash permanent. Returns whether some were to expire.
fn drop_field_expiries(entry: &mut Entry) -> bool {
    let Value::ExpiringHash(fields) = &mut entry.value else { return false };
    let fields = std::mem::take(fields).into_iter().map(|field| (field.name, field.value));
    entry.value = Value::Hash(fields.collect());
    true
}

fn refused(entry: &Entry, error: &DumpError) -> Error {
    let advice = match entry.value {
        Value::ExpiringHash(_) => "; choose --rdb-version 12 or --drop-field-expiries",
        _ => "",
    };
    Error::Setting(format!("key {}: {error}{advice}", entry.key.escape_ascii()))
}

/// Writes commands that create all keys and functions of a directory, as clients send them.
///
/// # Errors
///
/// The sink cannot be written, or a value is larger than DUMP allows.
pub fn export_commands(
    directory: &mut Directory,
    out: &mut impl Write,
    report: Report<'_>,
) -> Result<Exported> {
    let mut pace = Pace::new("exporting", report);
    let (mut exported, mut buffer, mut database) = (Exported::default(), Vec::new(), None);
    for code in directory.functions() {
        write_request(&mut buffer, &[&b"FUNCTION"[..], b"LOAD", b"REPLACE", &code]);
        exported.functions += 1;
    }
    let mut write = |buffer: &mut Vec<u8>, exported: &mut Exported| {
        exported.bytes += buffer.len() as u64;
        let result = out.write_all(buffer).map_err(cannot_write);
        buffer.clear();
        result
    };
    directory.each_entry(&mut |entry| {
        if database != Some(entry.database) {
            database = Some(entry.database);
            write_request(&mut buffer, &[&b"SELECT"[..], entry.database.to_string().as_bytes()]);
        }
        write_commands(&entry, &mut buffer);
        exported.keys += 1;
        if buffer.len() >= BUFFER {
            write(&mut buffer, &mut exported)?;
        }
        pace.note(&Progress { keys: exported.keys, bytes: exported.bytes, bytes_total: None });
        Ok(())
    })?;
    write(&mut buffer, &mut exported)?;
    Ok(exported)
}

/// Returns the error of a file that cannot be written.
pub(super) fn cannot_write(error: io::Error) -> Error {
    Error::Io("writing the export".to_owned(), error)
}
