//! Numbers of the record format; see the folder's page for the layout.

/// A header never crosses a multiple of this.
pub const BLOCK_SIZE: usize = 32 << 10;
/// Bytes of a legacy header.
pub const HEADER_SIZE: usize = 7;
/// Bytes of a recyclable header.
pub(super) const RECYCLABLE_HEADER_SIZE: usize = 11;

/// Allocated, never written.
pub(super) const ZERO: u8 = 0;
/// A whole record.
pub(super) const FULL: u8 = 1;
/// The first fragment of a record.
pub(super) const FIRST: u8 = 2;
/// A fragment in the middle.
pub(super) const MIDDLE: u8 = 3;
/// The last fragment.
pub(super) const LAST: u8 = 4;
/// The first of the four recyclable types, in the order of the legacy ones.
pub(super) const RECYCLABLE_FULL: u8 = 5;
/// The last of them.
pub(super) const RECYCLABLE_LAST: u8 = 8;
/// How later records are compressed: fixed32.
pub(super) const SET_COMPRESSION: u8 = 9;
/// Sizes of user timestamps: pairs of fixed32 column family, fixed16 size.
pub(super) const TIMESTAMP_SIZE: u8 = 10;
/// The same with a recyclable header.
pub(super) const RECYCLABLE_TIMESTAMP_SIZE: u8 = 11;
/// From here on a reader skips what it does not know.
pub(super) const IGNORABLE: u8 = 128;
/// What the log before this one ended with, recyclable. The legacy form, 130, is just skipped.
pub(super) const RECYCLABLE_PREDECESSOR: u8 = 131;
