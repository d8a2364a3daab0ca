//! BITCOUNT and BITPOS: ranges of bytes or bits, and the bits inside them.

/// What the ends of a range count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bytes, the default.
    Byte,
    /// Bits.
    Bit,
}

impl Unit {
    /// Parses `BYTE` or `BIT` in any case.
    pub fn parse(text: &[u8]) -> Option<Unit> {
        match text {
            _ if text.eq_ignore_ascii_case(b"bit") => Some(Unit::Bit),
            _ if text.eq_ignore_ascii_case(b"byte") => Some(Unit::Byte),
            _ => None,
        }
    }
}

/// The bits of a value that a command looks at: bit offsets from `first` to `last`, both inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitRange {
    first: u64,
    last: u64,
}

impl BitRange {
    /// Returns all bits of a value of `length` bytes; `None` if there are none.
    pub fn whole(length: u64) -> Option<BitRange> {
        BitRange::resolve(0, -1, Unit::Byte, length)
    }

    /// Returns the bits between two ends. Negative ends count from the end of the value; ends outside move to its ends.
    /// `None` if the range is empty.
    pub fn resolve(start: i64, end: i64, unit: Unit, length: u64) -> Option<BitRange> {
        let total = i128::from(length) * if unit == Unit::Bit { 8 } else { 1 };
        let from_end = |at: i64| i128::from(at) + if at < 0 { total } else { 0 };
        let (start, end) = (from_end(start).max(0), from_end(end).max(0).min(total - 1));
        if start > end {
            return None;
        }
        let (first, last) = match unit {
            Unit::Bit => (start, end),
            Unit::Byte => (start * 8, end * 8 + 7),
        };
        Some(BitRange { first: u64::try_from(first).ok()?, last: u64::try_from(last).ok()? })
    }

    /// Returns the bits that BITCOUNT looks at. As [`BitRange::resolve`], but two negative ends in the wrong order are
    /// an empty range even if both are before the value.
    pub fn resolve_for_count(start: i64, end: i64, unit: Unit, length: u64) -> Option<BitRange> {
        let is_reversed = start < 0 && end < 0 && start > end;
        if is_reversed { None } else { BitRange::resolve(start, end, unit, length) }
    }

    /// Returns the offsets of the first and the last byte that have bits of the range.
    pub fn bytes(&self) -> (u64, u64) {
        (self.first / 8, self.last / 8)
    }

    /// Counts the set bits of the range in a part of the value.
    pub fn count(&self, part_offset: u64, part: &[u8]) -> u64 {
        let Some((begin, inside)) = self.cut(part_offset, part) else { return 0 };
        let mut words = inside.chunks_exact(8);
        let mut count: u64 = words
            .by_ref()
            .map(|word| word.try_into().map_or(0, u64::from_ne_bytes))
            .map(|word| u64::from(word.count_ones()))
            .sum();
        count += words.remainder().iter().map(|byte| u64::from(byte.count_ones())).sum::<u64>();
        let outside = |byte: Option<&u8>, at: u64| {
            byte.map_or(0, |byte| u64::from((byte & !self.mask(at)).count_ones()))
        };
        let end = begin + inside.len() as u64 - 1;
        count -= outside(inside.first(), begin);
        if end != begin {
            count -= outside(inside.last(), end);
        }
        count
    }

    /// Returns the offset of the first bit of the range with this value in a part.
    pub fn find(&self, bit: bool, part_offset: u64, part: &[u8]) -> Option<u64> {
        let (begin, inside) = self.cut(part_offset, part)?;
        let skipped = if bit { 0 } else { 0xff };
        (begin..).zip(inside).find_map(|(at, byte)| {
            if *byte == skipped {
                return None;
            }
            let wanted = if bit { *byte } else { !byte } & self.mask(at);
            (wanted != 0).then(|| at * 8 + u64::from(wanted.leading_zeros()))
        })
    }

    /// Returns the offset of the first bit of the range among `length` zero bytes at a byte offset: a missing part.
    pub fn find_in_zeros(&self, bit: bool, part_offset: u64, length: u64) -> Option<u64> {
        let first = self.first.max(part_offset.saturating_mul(8));
        let end = part_offset.saturating_add(length).saturating_mul(8);
        (!bit && first <= self.last && first < end).then_some(first)
    }

    /// Returns BITPOS's reply when no part had the bit. Behind a value whose range has no explicit end, an endless run
    /// of zero bits follows.
    pub fn not_found(&self, bit: bool, end_given: bool) -> i64 {
        if bit || end_given { -1 } else { i64::try_from(self.last + 1).unwrap_or(i64::MAX) }
    }

    /// Returns the bytes of a part that have bits of the range, and the offset of their first.
    fn cut<'a>(&self, part_offset: u64, part: &'a [u8]) -> Option<(u64, &'a [u8])> {
        let (first, last) = self.bytes();
        let skip = usize::try_from(first.saturating_sub(part_offset)).ok()?;
        let end = usize::try_from(last.checked_sub(part_offset)?).ok()?.saturating_add(1);
        let inside = part.get(skip..end.min(part.len()))?;
        (!inside.is_empty()).then_some((part_offset + skip as u64, inside))
    }

    /// Returns the mask of the bits of the byte at this offset that are inside.
    fn mask(&self, byte: u64) -> u8 {
        let mut mask = 0xff;
        if byte == self.first / 8 {
            mask &= 0xff >> (self.first & 7);
        }
        if byte == self.last / 8 {
            mask &= 0xff << (7 - (self.last & 7));
        }
        mask
    }
}

#[cfg(test)]
#[path = "range_test.rs"]
mod tests;
