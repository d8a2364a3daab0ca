//! HyperLogLog in Redis's bytes: PFADD, PFCOUNT and PFMERGE.
//!
//! ```text
//! value  = "HYLL" encoding:1 unused:3 count:8 registers      count little-endian; highest bit set: out of date
//! dense  = encoding 0, 16384 registers of 6 bits, lowest bits first
//! sparse = encoding 1, { zero | xzero | val }, runs that cover 16384 registers
//! zero   = 00rrrrrr               r + 1 registers are 0
//! xzero  = 01rrrrrr rrrrrrrr      r + 1 registers are 0
//! val    = 1vvvvvrr               r + 1 registers are v + 1
//! ```
//!
//! A value starts sparse and becomes dense when a register exceeds 32 or the value a length that is configured
//! (`hll-sparse-max-bytes`). Additions change runs exactly as Redis does, so both programs store the same bytes.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod check;
mod estimate;
mod hash;
mod registers;
mod sparse;

use std::fmt;

pub use check::self_test;
pub use registers::Registers;

/// The number of registers.
pub const REGISTERS: usize = 1 << 14;

/// Redis's default of `hll-sparse-max-bytes`.
pub const SPARSE_MAX_BYTES: usize = 3000;

const HEADER: usize = 16;
const ENCODING_AT: usize = 4;
const COUNT_AT: usize = 8;
const DENSE: u8 = 0;
const SPARSE: u8 = 1;
const OUT_OF_DATE: u64 = 1 << 63;

/// The reason why a value cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HllError {
    /// The string does not begin like a HyperLogLog, or is dense and has the wrong length.
    NotHyperLogLog,
    /// The runs of a sparse value do not cover the registers.
    Corrupted,
}

impl fmt::Display for HllError {
    /// Prints Redis's error reply without the leading `-`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            HllError::NotHyperLogLog => "WRONGTYPE Key is not a valid HyperLogLog string value.",
            HllError::Corrupted => "INVALIDOBJ Corrupted HLL object detected",
        })
    }
}

impl std::error::Error for HllError {}

/// A HyperLogLog value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HyperLogLog {
    /// At least a header.
    bytes: Vec<u8>,
}

impl HyperLogLog {
    /// Returns the value without elements: 18 bytes.
    pub fn new() -> HyperLogLog {
        let mut bytes = b"HYLL".to_vec();
        bytes.push(SPARSE);
        bytes.resize(HEADER, 0);
        sparse::push_zeros(&mut bytes, REGISTERS);
        HyperLogLog { bytes }
    }

    /// Takes a string's bytes. The runs of a sparse value are checked when they are used.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<HyperLogLog, HllError> {
        let encoding = bytes.get(ENCODING_AT).copied().unwrap_or(u8::MAX);
        let is_sound = bytes.starts_with(b"HYLL")
            && bytes.len() >= HEADER
            && (encoding == SPARSE
                || encoding == DENSE && bytes.len() == HEADER + registers::BYTES);
        if is_sound { Ok(HyperLogLog { bytes }) } else { Err(HllError::NotHyperLogLog) }
    }

    /// Returns the string's bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the string's bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Returns whether the value has the dense encoding.
    pub fn is_dense(&self) -> bool {
        self.bytes.get(ENCODING_AT) == Some(&DENSE)
    }

    /// Adds elements. Returns whether any register changed; then the cached count is out of date.
    ///
    /// PFADD on a new key also marks the count, whatever this returns: see [`HyperLogLog::invalidate`].
    pub fn add<E: AsRef<[u8]>>(
        &mut self,
        elements: &[E],
        sparse_max_bytes: usize,
    ) -> Result<bool, HllError> {
        let mut is_changed = false;
        for element in elements {
            let (index, rank) = hash::index_and_rank(element.as_ref());
            is_changed |= self.raise(index, rank, sparse_max_bytes)?;
        }
        if is_changed {
            self.invalidate();
        }
        Ok(is_changed)
    }

    /// Marks the cached count as out of date.
    pub fn invalidate(&mut self) {
        self.set_count_field(self.count_field() | OUT_OF_DATE);
    }

    /// Returns the cached count, unless it is out of date.
    pub fn cached_count(&self) -> Option<u64> {
        Some(self.count_field()).filter(|count| count & OUT_OF_DATE == 0)
    }

    /// Stores a count, as PFCOUNT of one key does.
    pub fn set_cached_count(&mut self, count: u64) {
        self.set_count_field(count & !OUT_OF_DATE);
    }

    /// Returns the cached count, or an estimate if that is out of date.
    pub fn count(&self) -> Result<u64, HllError> {
        if let Some(count) = self.cached_count() {
            return Ok(count);
        }
        let ranks = match self.is_dense() {
            true => registers::ranks_of_dense(self.body()),
            false => sparse::ranks(self.body())?,
        };
        Ok(estimate::of(&ranks))
    }

    /// Returns PFMERGE's new value of its destination: the union of its present value, if any, and of the sources. It
    /// is dense if one of them is.
    pub fn merged(
        destination: Option<HyperLogLog>,
        sources: &[HyperLogLog],
        sparse_max_bytes: usize,
    ) -> Result<HyperLogLog, HllError> {
        let mut union = Registers::new();
        let mut is_dense = false;
        for value in destination.iter().chain(sources) {
            union.merge(value)?;
            is_dense |= value.is_dense();
        }
        let mut result = destination.unwrap_or_default();
        if is_dense {
            result.make_dense()?;
        }
        for (index, rank) in union.iter().enumerate().filter(|(_, rank)| **rank > 0) {
            result.raise(index, *rank, sparse_max_bytes)?;
        }
        result.invalidate();
        Ok(result)
    }

    /// Raises a register to at least `rank`. Returns whether it changed.
    fn raise(&mut self, index: usize, rank: u8, sparse_max_bytes: usize) -> Result<bool, HllError> {
        if !self.is_dense() {
            match sparse::raise(&mut self.bytes, HEADER, index, rank, sparse_max_bytes)? {
                sparse::Raised::No => return Ok(false),
                sparse::Raised::Yes => return Ok(true),
                sparse::Raised::NoRoom => self.make_dense()?,
            }
        }
        let registers = self.bytes.get_mut(HEADER..).unwrap_or_default();
        Ok(registers::raise_dense(registers, index, rank))
    }

    /// Changes to the dense encoding. The header keeps its count.
    pub fn make_dense(&mut self) -> Result<(), HllError> {
        if self.is_dense() {
            return Ok(());
        }
        let mut registers = Registers::new();
        registers.merge(self)?;
        self.bytes.truncate(HEADER);
        self.bytes.resize(HEADER + registers::BYTES, 0);
        if let Some(encoding) = self.bytes.get_mut(ENCODING_AT) {
            *encoding = DENSE;
        }
        registers.write_dense(self.bytes.get_mut(HEADER..).unwrap_or_default());
        Ok(())
    }

    /// Returns the runs of a sparse value as PFDEBUG DECODE shows them: `z:` and `Z:` for one and two bytes of zeros,
    /// `v:` with value and length for others. `None` if the value is dense.
    pub fn describe_runs(&self) -> Result<Option<String>, HllError> {
        if self.is_dense() {
            return Ok(None);
        }
        let runs: Result<Vec<String>, HllError> = sparse::runs(self.body())
            .map(|run| run.map(|run| run.to_string()).ok_or(HllError::Corrupted))
            .collect();
        Ok(Some(runs?.join(" ")))
    }

    fn body(&self) -> &[u8] {
        self.bytes.get(HEADER..).unwrap_or_default()
    }

    fn count_field(&self) -> u64 {
        let field = self.bytes.get(COUNT_AT..HEADER).and_then(|field| field.try_into().ok());
        field.map_or(OUT_OF_DATE, u64::from_le_bytes)
    }

    fn set_count_field(&mut self, count: u64) {
        if let Some(field) = self.bytes.get_mut(COUNT_AT..HEADER) {
            field.copy_from_slice(&count.to_le_bytes());
        }
    }
}

impl Default for HyperLogLog {
    fn default() -> HyperLogLog {
        HyperLogLog::new()
    }
}

#[cfg(test)]
#[path = "hll_test.rs"]
mod tests;
