//! Scans over all rows of a PlainTable, for opening and for verification.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::index::IndexBuilder;
use super::row::{BadRow, Row, RowFormat, SharedPrefix, unknown_type};
use crate::base::KeyOrder;
use crate::base::hash::hash64;
use crate::base::key::ValueType;
use crate::hooks::Grouping;
use std::cmp::Ordering;

/// The rows, and how to read them.
pub(super) struct Scan<'a> {
    pub(super) rows: &'a [u8],
    pub(super) format: RowFormat,
    pub(super) order: &'a KeyOrder,
    pub(super) grouping: &'a Grouping,
}

impl Scan<'_> {
    /// Checks all rows and adds them to `index`. Returns the number of rows, or an offset and the
    /// error there.
    pub(super) fn run(
        &self,
        mut index: IndexBuilder,
    ) -> std::result::Result<(IndexBuilder, u64), (usize, String)> {
        let mut state = SharedPrefix::default();
        let (mut key, mut last): (Vec<u8>, Vec<u8>) = (Vec::new(), Vec::new());
        let mut last_trailer = 0;
        let (mut at, mut count) = (0, 0);
        while at < self.rows.len() {
            let bad_row = |why: BadRow| (at, why.to_string());
            let row = Row::read(self.rows, self.format, &mut state, at).map_err(bad_row)?;
            if ValueType::from_byte(row.trailer as u8).is_none() {
                return Err((at, unknown_type(row.trailer as u8)));
            }
            key.clear();
            key.extend_from_slice(row.shared);
            key.extend_from_slice(row.rest);
            let same_key = count > 0 && key == last;
            if count > 0 {
                let order =
                    if same_key { Ordering::Equal } else { self.order.compare_user(&last, &key) };
                if order.then(row.trailer.cmp(&last_trailer)) == Ordering::Greater {
                    return Err((at, "row: keys do not ascend".to_owned()));
                }
            }
            if !same_key {
                index.start_key();
            }
            if index.wants_groups() && !same_key {
                let group = self.grouping.of(&key);
                if count == 0 || group != self.grouping.of(&last) {
                    if row.full {
                        index.start_group(hash64(group), at as u32);
                    } else {
                        index.give_up_groups();
                    }
                }
            }
            index.add_row(at as u32, row.full);
            std::mem::swap(&mut key, &mut last);
            last_trailer = row.trailer;
            at = row.next;
            count += 1;
        }
        Ok((index, count))
    }

    /// The hash of each user key, and one more than the offset of its newest row. [`Scan::run`]
    /// must have checked the rows.
    pub(super) fn newest_rows(&self) -> impl Iterator<Item = (u64, u32)> {
        let (mut at, mut last) = (0, None);
        std::iter::from_fn(move || {
            while at < self.rows.len() {
                let row =
                    Row::read(self.rows, self.format, &mut SharedPrefix::default(), at).ok()?;
                let start = at;
                at = row.next;
                if last.replace(row.rest) != Some(row.rest) {
                    return Some((hash64(row.rest), start as u32 + 1));
                }
            }
            None
        })
    }
}
