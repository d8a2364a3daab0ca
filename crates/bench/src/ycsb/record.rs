//! Keys and values of records, byte by byte as YCSB's RocksDB client stores them.
//!
//! A value is a list of fields: the length of the name (4 bytes, big-endian), the name, the length of the content
//! (the same), the content.

use super::chooser::LengthChooser;
use super::distribution::fnv;
use crate::rng::Random64;
use std::io::Write;

/// The form of records.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Names of fields.
    pub fields: Vec<String>,
    /// Lengths of their contents.
    pub length: LengthChooser,
    /// Digits of a key at least.
    pub zero_padding: usize,
    /// Keys have hashes instead of the numbers of records.
    pub hashed: bool,
    /// Contents follow from key and field, so that reads can be checked.
    pub checked: bool,
}

impl Shape {
    /// Replaces `key` by the key of a record.
    #[inline]
    pub fn key(&self, record: u64, key: &mut Vec<u8>) {
        let number = if self.hashed { fnv(record) } else { record };
        key.clear();
        // Writing to a vector cannot fail.
        let _ = write!(key, "user{number:0width$}", width = self.zero_padding);
    }

    /// Replaces `value` by a value with all fields.
    pub fn value(&self, key: &[u8], random: &mut Random64, value: &mut Vec<u8>) {
        value.clear();
        for field in &self.fields {
            self.append(key, field, random, value);
        }
    }

    /// Replaces `value` by `old` with new content: of one field, or of all.
    pub fn updated(
        &self,
        old: &[u8],
        (key, field): (&[u8], Option<usize>),
        random: &mut Random64,
        value: &mut Vec<u8>,
    ) -> Result<(), String> {
        match field {
            Some(field) => self.with_field(old, (key, field), random, value),
            None => {
                self.value(key, random, value);
                Ok(())
            }
        }
    }

    /// Replaces `value` by `old` with new content of one field, which is added if it is missing.
    pub fn with_field(
        &self,
        old: &[u8],
        (key, field): (&[u8], usize),
        random: &mut Random64,
        value: &mut Vec<u8>,
    ) -> Result<(), String> {
        let name = &self.fields[field];
        value.clear();
        let mut replaced = false;
        for part in Fields(old) {
            let (other, content) = part?;
            if other == name.as_bytes() {
                self.append(key, name, random, value);
                replaced = true;
            } else {
                append_part(other, value);
                append_part(content, value);
            }
        }
        if !replaced {
            self.append(key, name, random, value);
        }
        Ok(())
    }

    /// Returns the average bytes of a key and its value, estimated from a few records.
    pub fn average_bytes(&self) -> f64 {
        const RECORDS: u64 = 100;
        let (mut random, mut key, mut value) = (Random64::new(1), Vec::new(), Vec::new());
        let record = |record| {
            self.key(record, &mut key);
            self.value(&key, &mut random, &mut value);
            (key.len() + value.len()) as f64
        };
        (0..RECORDS).map(record).sum::<f64>() / RECORDS as f64
    }

    fn append(&self, key: &[u8], field: &str, random: &mut Random64, value: &mut Vec<u8>) {
        append_part(field.as_bytes(), value);
        let length = self.length.pick(random) as usize;
        value.extend_from_slice(&(length as u32).to_be_bytes());
        let begin = value.len();
        if self.checked {
            append_checked(key, field, length, value);
        } else {
            append_random(length, random, value);
        }
        debug_assert_eq!(value.len() - begin, length);
    }

    /// Returns whether every field of a value has the content that follows from key and field.
    pub fn is_whole(&self, key: &[u8], value: &[u8]) -> Result<bool, String> {
        let mut expected = Vec::new();
        let mut fields = 0;
        for part in Fields(value) {
            let (name, content) = part?;
            expected.clear();
            append_checked(key, &String::from_utf8_lossy(name), content.len(), &mut expected);
            if expected != content {
                return Ok(false);
            }
            fields += 1;
        }
        Ok(fields == self.fields.len())
    }
}

/// Appends a name or a content with its length.
pub fn append_part(part: &[u8], value: &mut Vec<u8>) {
    value.extend_from_slice(&(part.len() as u32).to_be_bytes());
    value.extend_from_slice(part);
}

/// Appends printable bytes with six bits of randomness each. Those of YCSB have five or six.
fn append_random(length: usize, random: &mut Random64, value: &mut Vec<u8>) {
    let mut left = length;
    while left > 0 {
        let bits = random.draw();
        let count = left.min(10);
        value.extend((0..count).map(|i| b' ' + (bits >> (6 * i) & 63) as u8));
        left -= count;
    }
}

/// Key, field, and then hashes of all that precedes, cut to the length.
fn append_checked(key: &[u8], field: &str, length: usize, value: &mut Vec<u8>) {
    let begin = value.len();
    value.extend_from_slice(key);
    value.push(b':');
    value.extend_from_slice(field.as_bytes());
    while value.len() - begin < length {
        value.push(b':');
        let hash = java_hash(&value[begin..]);
        let _ = write!(value, "{hash}");
    }
    value.truncate(begin + length);
}

/// Returns the hash of a Java string of these ASCII characters.
pub fn java_hash(text: &[u8]) -> i32 {
    text.iter().fold(0, |hash: i32, byte| hash.wrapping_mul(31).wrapping_add(i32::from(*byte)))
}

/// The fields of a value: names and contents.
pub struct Fields<'a>(pub &'a [u8]);

impl<'a> Fields<'a> {
    fn part(&mut self) -> Option<&'a [u8]> {
        let (length, rest) = self.0.split_first_chunk::<4>()?;
        let (part, rest) = rest.split_at_checked(u32::from_be_bytes(*length) as usize)?;
        self.0 = rest;
        Some(part)
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(&'a [u8], &'a [u8]), String>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let left = self.0.len();
        let field = self.part().and_then(|name| Some((name, self.part()?)));
        if field.is_none() {
            self.0 = &[];
        }
        Some(field.ok_or_else(|| {
            format!(
                "a value that YCSB did not write: {left} bytes are no field; load the table anew"
            )
        }))
    }
}
