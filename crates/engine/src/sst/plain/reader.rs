//! The PlainTable reader: checks at open, and point lookups.
//!
//! A lookup hashes the key's group, reads one line of the index and then rows, starting with the
//! group's first: two cache misses for a present key whose group is the key itself, one for an
//! absent key. It allocates nothing and takes no lock. The reader never changes after open and may
//! be used from many threads.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::index::{HashIndex, IndexBuilder, RowIndex, SearchStart};
use super::row::{Row, RowFormat, SharedPrefix, unknown_type};
use super::scan::Scan;
use super::{ENCODING_TYPE, MAX_FILE_SIZE};
use crate::base::key::ValueType;
use crate::base::pinned::{Pin, PinnedBytes};
use crate::base::prefetch::{LINE, prefetch_bytes};
use crate::base::{KeyOrder, LookupKey};
use crate::budget::Charge;
use crate::env::sync::OnceLock;
use crate::error::{Error, Result};
use crate::fs::RandomAccessFile;
use crate::hooks::Grouping;
use crate::iter::GetContext;
use crate::options::{PlainTableEncoding, PlainTableOptions};
use crate::sst::meta_block::{read_all, read_tail};
use crate::sst::properties::{EXTERNAL_GLOBAL_SEQNO, EXTERNAL_VERSION};
use crate::sst::{TableProperties, TableReadContext};
use std::cmp::Ordering;
use std::sync::Arc;

/// The file and its decoded format.
pub(super) struct Reader {
    pub(super) file: Arc<dyn RandomAccessFile>,
    /// The contents of the file if it is not mapped.
    pub(super) image: Option<Vec<u8>>,
    /// The offset of the end of the rows.
    pub(super) rows_end: usize,
    pub(super) format: RowFormat,
    pub(super) order: KeyOrder,
    pub(super) grouping: Grouping,
    pub(super) index: RowIndex,
    /// The sequence number of all rows of an ingested file, shifted to its position in the trailer.
    pub(super) global_seqno: Option<u64>,
    pub(super) properties: TableProperties,
    /// What is charged for the reader, if memory is limited.
    pub(super) charge: OnceLock<Charge>,
}

impl PinnedBytes for Reader {
    fn bytes(&self) -> &[u8] {
        match &self.image {
            Some(image) => image,
            None => self.file.mapped().unwrap_or_default(),
        }
    }
}

impl Reader {
    pub(super) fn open(
        file: Arc<dyn RandomAccessFile>,
        ctx: &TableReadContext,
        opts: &PlainTableOptions,
    ) -> Result<Reader> {
        let in_file = |e: Error| e.in_file(file.path());
        let size = file.size();
        if size > MAX_FILE_SIZE {
            return Err(in_file(Error::not_supported(format!(
                "PlainTable files of more than {MAX_FILE_SIZE} bytes (2^31-1), this one has {size}"
            ))));
        }
        let image = if file.mapped().is_some() { None } else { Some(read_all(&*file)?) };
        let bytes = match &image {
            Some(image) => image,
            None => file.mapped().unwrap_or_default(),
        };
        let (properties, rows_end) = read_tail(bytes, "PlainTable").map_err(in_file)?;
        let rows = bytes.get(..rows_end).unwrap_or_default();
        let format = row_format(&properties).map_err(in_file)?;
        let (grouping, hashed) = grouping(ctx, opts);
        let scan = Scan { rows, format, order: &ctx.order, grouping: &grouping };
        let (index, count) = scan
            .run(IndexBuilder::new(opts.index_sparseness, hashed))
            .map_err(|(at, why)| Error::corruption_at(file.path(), at as u64, why))?;
        if properties.num_entries != 0 && properties.num_entries != count {
            return Err(in_file(Error::corruption(format!(
                "PlainTable: expected {} entries as in its properties, found {count}",
                properties.num_entries
            ))));
        }
        // A user comparator may treat keys with different bytes as equal.
        let keys = index.wants_keys().filter(|_| ctx.order.tells_bytes_apart());
        let mut index = index.finish(opts.hash_table_ratio)?;
        if let Some(keys) = keys {
            let mut table = HashIndex::new(keys, opts.hash_table_ratio)?;
            table.extend(scan.newest_rows());
            index.set_keys(table);
        }
        let external = properties.user_fixed32(EXTERNAL_VERSION).is_some();
        let global_seqno = external
            .then(|| ctx.global_seqno.or(properties.user_fixed64(EXTERNAL_GLOBAL_SEQNO)))
            .flatten()
            .map(|seq| seq << 8);
        let order = ctx.order.clone();
        Ok(Reader {
            file,
            image,
            rows_end,
            format,
            order,
            grouping,
            index,
            global_seqno,
            properties,
            charge: OnceLock::new(),
        })
    }

    /// The bytes of all rows, without the rest of the file.
    #[inline]
    pub(super) fn rows(&self) -> &[u8] {
        self.bytes().get(..self.rows_end).unwrap_or_default()
    }

    /// The trailer of a row that readers see.
    #[inline]
    pub(super) fn trailer_of(&self, row: &Row) -> u64 {
        match self.global_seqno {
            None => row.trailer,
            Some(seq) => seq | (row.trailer & 0xFF),
        }
    }

    /// Whether the file contains the key of a row as readers see it.
    #[inline]
    pub(super) fn is_in_place(&self, row: &Row) -> bool {
        row.contiguous && self.global_seqno.is_none()
    }

    #[cold]
    pub(super) fn corruption(&self, at: usize, why: impl std::fmt::Display) -> Error {
        Error::corruption_at(self.file.path(), at as u64, why)
    }

    /// The offset at which to start reading for the first row of `user_key`: a full row before it,
    /// or the first row of the place.
    #[inline]
    pub(super) fn start_of_search(&self, place: SearchStart<'_>, user_key: &[u8]) -> Result<usize> {
        if place.anchors.is_empty() {
            return Ok(place.first_row);
        }
        self.search_anchors(place, user_key)
    }

    pub(super) fn search_anchors(&self, place: SearchStart<'_>, user_key: &[u8]) -> Result<usize> {
        let rows = self.rows();
        let mut start = place.first_row;
        let (mut low, mut high) = (0, place.anchors.len());
        while low < high {
            let middle = low + (high - low) / 2;
            let at = place.anchors.get(middle).map_or(0, |&a| a as usize);
            let row = Row::read(rows, self.format, &mut SharedPrefix::default(), at)
                .map_err(|why| self.corruption(at, why))?;
            // Strictly before: the key's newest row may precede an anchor with the same key.
            if row.compare_user(&self.order, user_key) == Ordering::Less {
                start = at;
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(start)
    }

    /// Whether a place may begin with this row, which does not have the key.
    #[inline]
    pub(super) fn may_be_first(&self, row: &Row, first: First<'_>) -> bool {
        match first {
            First::Any => true,
            First::Group(group) => self.grouping.of(row.rest) == group,
            First::Key => false,
        }
    }

    /// Passes the rows of the key to `ctx`; returns whether there were any. A place whose first row is unexpected
    /// belongs to something else and is skipped.
    #[inline]
    pub(super) fn get_from(
        &self,
        place: SearchStart<'_>,
        first: First<'_>,
        key: &LookupKey,
        ctx: &mut GetContext,
        pin: &dyn Pin,
    ) -> Result<bool> {
        let user_key = key.user_key();
        let rows = self.rows();
        let start = self.start_of_search(place, user_key)?;
        // A row may begin anywhere and extends over the next lines, up to the end of its value.
        prefetch_bytes(rows.as_ptr().wrapping_add(start), 3 * LINE);
        let (mut at, mut state, mut found) = (start, SharedPrefix::default(), false);
        while at < rows.len() {
            let row = Row::read(rows, self.format, &mut state, at)
                .map_err(|why| self.corruption(at, why))?;
            if row.is_key(user_key) {
                found = true;
                let trailer = self.trailer_of(&row);
                if trailer >> 8 <= key.sequence() {
                    let kind = ValueType::from_byte(trailer as u8)
                        .ok_or_else(|| self.corruption(at, unknown_type(trailer as u8)))?;
                    if !ctx.save(trailer >> 8, kind, row.value, Some(pin)) {
                        return Ok(true);
                    }
                }
            } else if found
                || (at == start && !self.may_be_first(&row, first))
                || row.compare_user(&self.order, user_key) == Ordering::Greater
            {
                break;
            }
            at = row.next;
        }
        Ok(found)
    }
}

/// The requirement on the first row of a place that may contain the key.
#[derive(Clone, Copy)]
pub(super) enum First<'a> {
    /// Any row.
    Any,
    /// A row of this group.
    Group(&'a [u8]),
    /// A row of the key.
    Key,
}

/// Returns what is hashed, and whether hashing is used.
fn grouping(ctx: &TableReadContext, opts: &PlainTableOptions) -> (Grouping, bool) {
    let hashed = !opts.full_scan_mode;
    match &ctx.prefix_extractor {
        Some(extractor) if opts.hash_table_ratio > 0.0 => (Grouping::by(extractor), hashed),
        // RocksDB calls this total order mode. Point lookups still use hashes of whole keys, unless
        // a user comparator treats keys with different bytes as equal.
        _ => (Grouping::WholeKey, hashed && ctx.order.tells_bytes_apart()),
    }
}

fn row_format(properties: &TableProperties) -> Result<RowFormat> {
    let encoding = match properties.user_collected.get(ENCODING_TYPE).map(Vec::as_slice) {
        None | Some([0, 0, 0, 0]) => PlainTableEncoding::Plain,
        Some([1, 0, 0, 0]) => PlainTableEncoding::Prefix,
        Some(other) => {
            return Err(Error::not_supported(format!("PlainTable encoding type {other:?}")));
        }
    };
    let user_key_len = usize::try_from(properties.fixed_key_len)
        .ok()
        .filter(|&n| n as u64 <= MAX_FILE_SIZE)
        .ok_or_else(|| Error::corruption("PlainTable: fixed.key.length is larger than any file"))?;
    Ok(RowFormat { user_key_len, encoding })
}
