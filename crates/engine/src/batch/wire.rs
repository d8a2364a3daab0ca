//! The tags and the header of the batch encoding.

/// The length of the header: fixed64 sequence, fixed32 count.
pub const HEADER_SIZE: usize = 12;

/// The tag byte of each record. A tag whose name begins with `CF_` is followed by a column family id.
pub(super) mod tag {
    pub(in crate::batch) const DELETE: u8 = 0x00;
    pub(in crate::batch) const PUT: u8 = 0x01;
    pub(in crate::batch) const MERGE: u8 = 0x02;
    pub(in crate::batch) const LOG_DATA: u8 = 0x03;
    pub(in crate::batch) const CF_DELETE: u8 = 0x04;
    pub(in crate::batch) const CF_PUT: u8 = 0x05;
    pub(in crate::batch) const CF_MERGE: u8 = 0x06;
    pub(in crate::batch) const SINGLE_DELETE: u8 = 0x07;
    pub(in crate::batch) const CF_SINGLE_DELETE: u8 = 0x08;
    pub(in crate::batch) const BEGIN_PREPARE: u8 = 0x09;
    pub(in crate::batch) const END_PREPARE: u8 = 0x0A;
    pub(in crate::batch) const COMMIT: u8 = 0x0B;
    pub(in crate::batch) const ROLLBACK: u8 = 0x0C;
    pub(in crate::batch) const NOOP: u8 = 0x0D;
    pub(in crate::batch) const CF_DELETE_RANGE: u8 = 0x0E;
    pub(in crate::batch) const DELETE_RANGE: u8 = 0x0F;
    pub(in crate::batch) const CF_BLOB_INDEX: u8 = 0x10;
    pub(in crate::batch) const BLOB_INDEX: u8 = 0x11;
    pub(in crate::batch) const BEGIN_PERSISTED_PREPARE: u8 = 0x12;
    pub(in crate::batch) const BEGIN_UNPREPARE: u8 = 0x13;
    pub(in crate::batch) const COMMIT_WITH_TIMESTAMP: u8 = 0x15;
    pub(in crate::batch) const ENTITY: u8 = 0x16;
    pub(in crate::batch) const CF_ENTITY: u8 = 0x17;
    pub(in crate::batch) const TIMED_PUT: u8 = 0x18;
    pub(in crate::batch) const CF_TIMED_PUT: u8 = 0x19;
}
