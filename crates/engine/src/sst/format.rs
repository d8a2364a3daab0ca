//! Block handles and footers, which all parts of a table file share.
//!
//! ```text
//! handle      = varint64 offset, varint64 size            (size excludes the 5-byte trailer)
//! footer 0    = metaindex handle, index handle, zeros to 40, fixed64 magic             48 bytes
//! footer 1-5  = u8 checksum type, metaindex handle, index handle, zeros to 41,
//!               fixed32 format version, fixed64 magic                                  53 bytes
//! footer 6-7  = u8 checksum type, 3e 00 7a 00, fixed32 footer checksum, fixed32 base of the
//!               context modifier, fixed32 metaindex size, 24 zeros, fixed32 format version,
//!               fixed64 magic                                                          53 bytes
//! ```
//! From format version 6 the metaindex block ends where the footer starts, and the index handle is
//! an entry of the metaindex.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use crate::base::checksum::{block_checksum, context_modifier};
use crate::base::coding::{
    Decoder, fixed32_at, fixed64_at, put_fixed32, put_fixed64, put_varint64,
};
use crate::error::{Error, Result};
use crate::fs::RandomAccessFile;
use crate::options::ChecksumType;

/// The length of the trailer after each block: type byte and checksum.
pub const BLOCK_TRAILER_SIZE: usize = 5;
/// The magic number of block-based tables.
pub const BLOCK_BASED_MAGIC: u64 = 0x88E2_41B7_85F4_CFF7;
/// The magic number of LevelDB's tables.
pub const LEGACY_BLOCK_BASED_MAGIC: u64 = 0xDB47_7524_8B80_FB57;
/// The magic number of PlainTable.
pub const PLAIN_MAGIC: u64 = 0x8242_2296_63BF_9564;
/// The magic number that PlainTable files actually have.
pub const LEGACY_PLAIN_MAGIC: u64 = 0x4F34_18EB_7A8F_13B8;
/// The magic number of CuckooTable.
pub const CUCKOO_MAGIC: u64 = 0x9267_89D0_C5F1_7873;
/// The length of the oldest footer.
pub const LEGACY_FOOTER_SIZE: usize = 48;
/// The length of newer footers.
pub const FOOTER_SIZE: usize = 53;
/// The oldest and newest supported format versions.
pub const READABLE_VERSIONS: std::ops::RangeInclusive<u32> = 2..=7;

const CONTEXT_MARK: [u8; 4] = [0x3e, 0x00, 0x7a, 0x00];

/// The position and size of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct BlockHandle {
    /// The offset of its first byte.
    pub offset: u64,
    /// The size in bytes without the trailer.
    pub size: u64,
}

impl BlockHandle {
    /// Appends the handle.
    pub fn encode(&self, out: &mut Vec<u8>) {
        put_varint64(out, self.offset);
        put_varint64(out, self.size);
    }

    /// Reads a handle.
    #[inline]
    pub fn decode(input: &mut Decoder) -> Result<BlockHandle> {
        let offset = input.varint64("block handle offset")?;
        Ok(BlockHandle { offset, size: input.varint64("block handle size")? })
    }

    /// The offset after the block's trailer; `None` if it does not fit 64 bits.
    #[inline]
    pub fn end(&self) -> Option<u64> {
        self.offset.checked_add(self.size)?.checked_add(BLOCK_TRAILER_SIZE as u64)
    }
}

/// The supported formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableKind {
    /// Block-based, any version.
    BlockBased,
    /// PlainTable.
    Plain,
    /// CuckooTable.
    Cuckoo,
}

/// Determines the format of a file from its last eight bytes.
pub fn recognise(file: &dyn RandomAccessFile) -> Result<TableKind> {
    let size = file.size();
    if size < LEGACY_FOOTER_SIZE as u64 {
        return Err(Error::corruption_at(
            file.path(),
            0,
            format_args!("file is too short ({size} bytes) to be an sstable"),
        ));
    }
    let mut tail = [0; 8];
    read_exact_at(file, size - 8, &mut tail)?;
    match u64::from_le_bytes(tail) {
        BLOCK_BASED_MAGIC | LEGACY_BLOCK_BASED_MAGIC => Ok(TableKind::BlockBased),
        PLAIN_MAGIC | LEGACY_PLAIN_MAGIC => Ok(TableKind::Plain),
        CUCKOO_MAGIC => Ok(TableKind::Cuckoo),
        other => Err(Error::corruption(format!(
            "Bad table magic number: expected {BLOCK_BASED_MAGIC}, found {other} in {}",
            file.path().display()
        ))
        .explained(format!(
            "{} is not a table, or its end is damaged: expected the magic number {BLOCK_BASED_MAGIC:#x}, found \
             {other:#x}",
            file.path().display()
        ))
        .about_file(file.path())),
    }
}

/// Fills `buf` from `offset`; returns Corruption if the file is shorter.
pub fn read_exact_at(file: &dyn RandomAccessFile, offset: u64, buf: &mut [u8]) -> Result<()> {
    let n = file.read_at(offset, buf)?;
    if n < buf.len() {
        return Err(truncated_read(file, offset, buf.len(), n));
    }
    Ok(())
}

/// The error for a file that ends within the bytes that were read at `offset`.
#[cold]
pub fn truncated_read(
    file: &dyn RandomAccessFile,
    offset: u64,
    expected: usize,
    found: usize,
) -> Error {
    let what = format_args!("truncated read: expected {expected} bytes, found {found}");
    Error::corruption_at(file.path(), offset, what)
}

/// The footer: the last bytes of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Footer {
    /// The file's format version.
    pub format_version: u32,
    /// The checksum type of its blocks.
    pub checksum: ChecksumType,
    /// The handle of the metaindex.
    pub metaindex: BlockHandle,
    /// The handle of the index; from version 6 on it is in the metaindex instead.
    pub index: Option<BlockHandle>,
    /// The base of context checksums; 0 means none.
    pub context_base: u32,
    /// The offset of the footer.
    pub offset: u64,
}

/// The error for a version outside [`READABLE_VERSIONS`].
#[cold]
pub(super) fn unsupported_version(version: u32) -> Error {
    Error::corruption(format!(
        "footer: Corrupt or unsupported format_version: {version}, expected {} to {}",
        READABLE_VERSIONS.start(),
        READABLE_VERSIONS.end()
    ))
}

fn checksum_type(byte: u8) -> Result<ChecksumType> {
    ChecksumType::from_byte(byte)
        .ok_or_else(|| Error::corruption(format!("footer: unknown checksum type {byte}")))
}

impl Footer {
    /// Reads the footer from the last bytes of a file of `file_size` bytes.
    pub fn decode(tail: &[u8], file_size: u64) -> Result<Footer> {
        let magic = tail.len().checked_sub(8).and_then(|at| fixed64_at(tail, at));
        match magic {
            Some(LEGACY_BLOCK_BASED_MAGIC | LEGACY_PLAIN_MAGIC) => {
                Footer::decode_legacy(last(tail, LEGACY_FOOTER_SIZE)?, file_size)
            }
            Some(BLOCK_BASED_MAGIC | PLAIN_MAGIC | CUCKOO_MAGIC) => {
                Footer::decode_versioned(last(tail, FOOTER_SIZE)?, file_size)
            }
            _ => Err(Error::corruption("Bad table magic number")),
        }
    }

    fn decode_legacy(bytes: &[u8], file_size: u64) -> Result<Footer> {
        let mut input = Decoder::new(bytes);
        let metaindex = BlockHandle::decode(&mut input)?;
        let index = BlockHandle::decode(&mut input)?;
        Ok(Footer {
            format_version: 0,
            checksum: ChecksumType::Crc32c,
            metaindex,
            index: Some(index),
            context_base: 0,
            offset: file_size.saturating_sub(LEGACY_FOOTER_SIZE as u64),
        })
    }

    fn decode_versioned(bytes: &[u8], file_size: u64) -> Result<Footer> {
        let offset = file_size.saturating_sub(FOOTER_SIZE as u64);
        let format_version = fixed32_at(bytes, 41).unwrap_or_default();
        // The bytes after the first depend on the version; the reader rejects versions that are too
        // old.
        if format_version > *READABLE_VERSIONS.end() {
            return Err(unsupported_version(format_version));
        }
        let mut input = Decoder::new(bytes);
        let checksum = checksum_type(input.byte("footer checksum type")?)?;
        if format_version < 6 {
            let metaindex = BlockHandle::decode(&mut input)?;
            let index = Some(BlockHandle::decode(&mut input)?);
            return Ok(Footer {
                format_version,
                checksum,
                metaindex,
                index,
                context_base: 0,
                offset,
            });
        }
        if input.bytes(4, "footer mark")? != CONTEXT_MARK {
            return Err(Error::corruption("footer: bad extended magic number"));
        }
        let stored = input.fixed32("footer checksum")?;
        let context_base = input.fixed32("footer context base")?;
        let size = u64::from(input.fixed32("metaindex size")?);
        let actual = footer_checksum(bytes, checksum, context_base, offset);
        if checksum != ChecksumType::NoChecksum && stored != actual {
            return Err(Error::corruption(format!(
                "footer checksum mismatch: expected {actual:#010x}, found {stored:#010x}"
            )));
        }
        let start = offset.checked_sub(size + BLOCK_TRAILER_SIZE as u64).ok_or_else(|| {
            Error::corruption(format!("footer: metaindex of {size} bytes does not fit the file"))
        })?;
        let metaindex = BlockHandle { offset: start, size };
        Ok(Footer { format_version, checksum, metaindex, index: None, context_base, offset })
    }

    /// The bytes of the footer of a block-based table, version 1 or later.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(FOOTER_SIZE);
        out.push(self.checksum as u8);
        if self.format_version < 6 {
            self.metaindex.encode(&mut out);
            self.index.unwrap_or_default().encode(&mut out);
            out.resize(41, 0);
        } else {
            out.extend_from_slice(&CONTEXT_MARK);
            put_fixed32(&mut out, 0);
            put_fixed32(&mut out, self.context_base);
            put_fixed32(&mut out, self.metaindex.size as u32);
            out.resize(41, 0);
        }
        put_fixed32(&mut out, self.format_version);
        put_fixed64(&mut out, BLOCK_BASED_MAGIC);
        if self.format_version >= 6 {
            let sum = footer_checksum(&out, self.checksum, self.context_base, self.offset);
            if let Some(field) = out.get_mut(5..9) {
                field.copy_from_slice(&sum.to_le_bytes());
            }
        }
        out
    }
}

fn last(bytes: &[u8], n: usize) -> Result<&[u8]> {
    bytes.len().checked_sub(n).and_then(|start| bytes.get(start..)).ok_or_else(|| {
        Error::corruption(format!("footer: expected {n} bytes, found {}", bytes.len()))
    })
}

/// The checksum of a footer with its checksum field set to zero. The footer's last byte takes the
/// role of the type byte.
fn footer_checksum(bytes: &[u8], kind: ChecksumType, base: u32, offset: u64) -> u32 {
    if kind == ChecksumType::NoChecksum {
        return 0;
    }
    let mut zeroed = bytes.to_vec();
    if let Some(field) = zeroed.get_mut(5..9) {
        field.fill(0);
    }
    let Some((&type_byte, body)) = zeroed.split_last() else { return 0 };
    block_checksum(kind, body, type_byte).wrapping_add(context_modifier(base, offset))
}
