//! Constants of the record format; the documentation of this folder describes the layout.

/// The block size. A header never crosses a block boundary.
pub const BLOCK_SIZE: usize = 32 << 10;
/// The size of a legacy header in bytes.
pub const HEADER_SIZE: usize = 7;
/// The size of a recyclable header in bytes.
pub(super) const RECYCLABLE_HEADER_SIZE: usize = 11;

/// Allocated, but never written.
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
/// The last of the four recyclable types.
pub(super) const RECYCLABLE_LAST: u8 = 8;
/// The compression of later records: fixed32.
pub(super) const SET_COMPRESSION: u8 = 9;
/// Sizes of user timestamps: pairs of fixed32 column family, fixed16 size.
pub(super) const TIMESTAMP_SIZE: u8 = 10;
/// The same with a recyclable header.
pub(super) const RECYCLABLE_TIMESTAMP_SIZE: u8 = 11;
/// A reader skips unknown types from this one on.
pub(super) const IGNORABLE: u8 = 128;
/// The end of the previous log, recyclable. The legacy form, 130, is just skipped.
pub(super) const RECYCLABLE_PREDECESSOR: u8 = 131;
