//! The common parts of SCAN, SSCAN, HSCAN and ZSCAN: their options, and the walk over the rows of a collection.

use super::args::{Args, is, parse_integer};
use super::context::Context;
use super::cursors::Scanned;
use super::failure::{Done, SYNTAX};
use crate::resp::Reply;
use crate::rows::redis::{DATA, Type};
use crate::text::glob::{self, Case};
use crate::text::integer;

/// Elements that are visited if a client does not say COUNT.
const COUNT_DEFAULT: usize = 10;
/// The elements that one call visits at most, whatever its COUNT.
const COUNT_MAX: i64 = 100_000;
/// A collection with at most so many elements is returned whole, as Redis does for its compact encodings.
const WHOLE_MAX: u64 = 512;

/// The options of a scan.
#[derive(Clone, Copy, Debug)]
pub struct ScanOptions<'a> {
    /// How many elements to visit.
    pub count: usize,
    /// The pattern that elements must match, if not all do.
    pub pattern: Option<&'a [u8]>,
    /// The name of the type that keys must have.
    pub type_name: Option<&'a [u8]>,
    /// Whether HSCAN returns fields only.
    pub no_values: bool,
}

impl<'a> ScanOptions<'a> {
    /// Parses the options that follow the cursor of a command: `TYPE` is for SCAN, `NOVALUES` for HSCAN.
    ///
    /// # Errors
    ///
    /// An option is unknown or lacks its value, or the count is below 1.
    pub fn parse(args: Args<'a>, from: usize) -> Done<ScanOptions<'a>> {
        let mut options =
            ScanOptions { count: COUNT_DEFAULT, pattern: None, type_name: None, no_values: false };
        let command = args.at(0);
        let mut words = args.options(from);
        while let Some(word) = words.next() {
            if is(word, "count") && words.left() > 0 {
                let count = parse_integer(words.value()?)?;
                if count < 1 {
                    return Err(SYNTAX.into());
                }
                options.count = count.min(COUNT_MAX) as usize;
            } else if is(word, "match") && words.left() > 0 {
                let pattern = words.value()?;
                options.pattern = (pattern != b"*").then_some(pattern);
            } else if is(word, "type") && is(command, "scan") && words.left() > 0 {
                options.type_name = Some(words.value()?);
            } else if is(word, "novalues") && is(command, "hscan") {
                options.no_values = true;
            } else {
                return Err(SYNTAX.into());
            }
        }
        Ok(options)
    }

    /// Returns whether an element matches the pattern.
    pub fn matches(&self, element: &[u8]) -> bool {
        self.pattern.is_none_or(|pattern| glob::matches(pattern, element, Case::Sensitive))
    }
}

/// Parses a cursor, as C's `strtoul` does.
///
/// # Errors
///
/// It is not an unsigned integer.
pub fn parse_cursor(text: &[u8]) -> Done<u64> {
    let text = integer::until_zero(text);
    let cursor = match text.first() {
        None => Some(0),
        Some(byte) if integer::is_space(*byte) => None,
        Some(_) => match integer::parse(text) {
            Some(signed) => Some(signed.cast_unsigned()),
            None => integer::parse_unsigned(text),
        },
    };
    cursor.ok_or_else(|| "ERR invalid cursor".into())
}

/// Writes the reply of a scan: the next cursor and the elements, which `elements` holds as RESP.
pub fn reply_scan(out: &mut Reply, cursor: u64, count: usize, elements: &Reply) {
    out.array(2);
    out.bulk(cursor.to_string().as_bytes());
    out.array(count);
    out.raw(elements.bytes());
}

impl Context<'_> {
    /// Runs SSCAN, HSCAN or ZSCAN over the D rows of a collection: the key is argument 1, the cursor argument 2.
    ///
    /// `write` appends an element to the reply, given the element's sub-key and value. It returns how many strings it
    /// wrote; none for a field that has expired.
    ///
    /// # Errors
    ///
    /// As Redis: the cursor or an option is invalid, or the key holds another type.
    pub fn scan_collection(
        &mut self,
        args: Args<'_>,
        ty: Type,
        mut write: impl FnMut(&mut Reply, &ScanOptions<'_>, &[u8], &[u8]) -> usize,
    ) -> Done {
        let cursor = parse_cursor(args.at(2))?;
        let mut elements = Reply::new(self.out.protocol);
        let Some(coll) = self.collection(args.at(1), ty)? else {
            reply_scan(self.out, 0, 0, &elements);
            return Ok(());
        };
        let options = ScanOptions::parse(args, 3)?;
        let scanned = Scanned::Elements(self.db.index(), coll.place.key);
        let from = match cursor {
            0 => Vec::new(),
            _ => after(self.server.cursors.resume(scanned, cursor)),
        };
        let is_whole = coll.row.count <= WHOLE_MAX;
        let (mut visited, mut count, mut next) = (0, 0, 0);
        let mut rows = self.sub_range(&coll, coll.range(DATA, &from, None))?;
        let mut item = rows.first()?;
        while let Some((row, value)) = item {
            let sub = coll.sub(row);
            if options.matches(sub) {
                count += write(&mut elements, &options, sub, value);
            }
            visited += 1;
            if visited >= options.count && !is_whole {
                let last = sub.to_vec();
                if rows.next()?.is_some() {
                    next = self.server.cursors.save(scanned, 0, last);
                }
                break;
            }
            item = rows.next()?;
        }
        reply_scan(self.out, next, count, &elements);
        Ok(())
    }
}

/// Returns the first position behind the last one; the beginning if that is unknown.
pub fn after(last: Option<Vec<u8>>) -> Vec<u8> {
    last.map_or_else(Vec::new, |mut last| {
        last.push(0);
        last
    })
}
