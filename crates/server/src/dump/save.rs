//! Writes RDB files: see [`super::file`] for their grammar.

use std::io::{self, Write};

use super::file::{DATABASE, END, EXPIRY_MS, Entry, FIELD, FUNCTION};
use super::reader::Result;
use super::{DumpError, Value, Version, kind, writer};
use crate::text::crc64;

/// A writer of an RDB file. Entries of a database must follow each other. After an error, the file is of no use.
pub struct RdbWriter<W> {
    out: W,
    version: Version,
    digest: crc64::Digest,
    /// The database of the latest entry.
    database: Option<u64>,
    /// The bytes of a value, kept to reuse its memory.
    value: Vec<u8>,
    part: Vec<u8>,
    written: u64,
}

impl<W: Write> RdbWriter<W> {
    /// Writes the head of a file. Redis 7.0 reads version 10. The sink should be buffered.
    pub fn begin(out: W, version: Version) -> Result<RdbWriter<W>> {
        let digest = crc64::Digest::new();
        let (value, part) = (Vec::new(), Vec::new());
        let mut file = RdbWriter { out, version, digest, database: None, value, part, written: 0 };
        file.put(format!("REDIS{:04}", version.number()).as_bytes())?;
        Ok(file)
    }

    /// Writes an auxiliary field.
    pub fn field(&mut self, name: &[u8], value: &[u8]) -> Result<()> {
        let mut part = vec![FIELD];
        writer::string(&mut part, name);
        writer::string(&mut part, value);
        self.put(&part)
    }

    /// Writes a library of functions.
    pub fn function(&mut self, code: &[u8]) -> Result<()> {
        let mut part = vec![FUNCTION];
        writer::string(&mut part, code);
        self.put(&part)
    }

    /// Writes a key. The expiry is in milliseconds since 1970.
    ///
    /// # Errors
    ///
    /// The file cannot be written, or its version does not have the type of the value.
    pub fn entry(&mut self, entry: &Entry) -> Result<()> {
        if matches!(entry.value, Value::ExpiringHash(_)) && self.version < Version::V12 {
            return Err(DumpError::Unsupported(format!(
                "fields that expire in RDB files of version {}; version 12, of Redis 7.4, has them",
                self.version.number()
            )));
        }
        let (mut part, mut value) =
            (std::mem::take(&mut self.part), std::mem::take(&mut self.value));
        part.clear();
        value.clear();
        if self.database != Some(entry.database) {
            part.push(DATABASE);
            writer::number(&mut part, entry.database);
            self.database = Some(entry.database);
        }
        if let Some(expires_ms) = entry.expires_ms {
            part.push(EXPIRY_MS);
            part.extend_from_slice(&expires_ms.to_le_bytes());
        }
        kind::write(&entry.value, self.version, &mut value);
        // The key stands between the type of the value and the value.
        if let Some((kind, rest)) = value.split_first() {
            part.push(*kind);
            writer::string(&mut part, &entry.key);
            self.put(&part)?;
            self.put(rest)?;
        }
        (self.part, self.value) = (part, value);
        Ok(())
    }

    /// Writes the end and the checksum, and returns the sink, which may hold bytes back.
    pub fn finish(mut self) -> Result<W> {
        self.put(&[END])?;
        let checksum = std::mem::take(&mut self.digest).finish();
        self.out.write_all(&checksum.to_le_bytes()).map_err(failed)?;
        Ok(self.out)
    }

    /// Returns how many bytes were written.
    pub fn written_bytes(&self) -> u64 {
        self.written
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.digest.update(bytes);
        self.written += bytes.len() as u64;
        self.out.write_all(bytes).map_err(failed)
    }
}

fn failed(error: io::Error) -> DumpError {
    DumpError::Write(error.to_string())
}

#[cfg(test)]
#[path = "save_test.rs"]
mod tests;
