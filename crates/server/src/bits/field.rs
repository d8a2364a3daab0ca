//! BITFIELD: integers of 1 to 64 bits at any bit offset, and what happens when they overflow.
//!
//! A field touches at most [`WINDOW`] bytes. A caller copies those bytes into a window, zero where the value ends,
//! evaluates the operation, and writes the window back.

use crate::text::integer;

/// The number of bytes that a field can touch.
pub const WINDOW: usize = 9;

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldType {
    signed: bool,
    bits: u32,
}

/// What SET and INCRBY do if the result does not fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overflow {
    /// Keep the lowest bits.
    #[default]
    Wrap,
    /// Take the nearest value that fits.
    Saturate,
    /// Write nothing and reply null.
    Fail,
}

/// An operation on a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldOp {
    /// Reads the field.
    Get,
    /// Replaces the field and replies with its former value.
    Set(i64),
    /// Adds to the field and replies with the new value.
    IncrBy(i64),
}

impl Overflow {
    /// Parses `WRAP`, `SAT` or `FAIL` in any case.
    pub fn parse(name: &[u8]) -> Option<Overflow> {
        match name {
            _ if name.eq_ignore_ascii_case(b"wrap") => Some(Overflow::Wrap),
            _ if name.eq_ignore_ascii_case(b"sat") => Some(Overflow::Saturate),
            _ if name.eq_ignore_ascii_case(b"fail") => Some(Overflow::Fail),
            _ => None,
        }
    }
}

impl FieldType {
    /// Parses `i1` to `i64` or `u1` to `u63`.
    pub fn parse(text: &[u8]) -> Option<FieldType> {
        let (signed, digits, bits_max) = match text {
            [b'i', digits @ ..] => (true, digits, 64),
            [b'u', digits @ ..] => (false, digits, 63),
            _ => return None,
        };
        let bits = integer::parse(integer::until_zero(digits))?;
        let bits = u32::try_from(bits).ok().filter(|bits| (1..=bits_max).contains(bits))?;
        Some(FieldType { signed, bits })
    }

    /// The number of bits.
    pub fn bits(self) -> u32 {
        self.bits
    }

    /// Parses the offset of a field: a number of bits, or `#` and a number of fields of this type. `None` if the offset
    /// is negative or not below `bytes_max` bytes.
    pub fn parse_offset(self, text: &[u8], bytes_max: u64) -> Option<u64> {
        match text {
            [b'#', digits @ ..] => {
                // A product beyond 64 bits wraps in Redis; most such offsets are then out of range.
                let offset = integer::parse(digits)?.wrapping_mul(i64::from(self.bits));
                in_limit(offset, bytes_max)
            }
            _ => parse_offset(text, bytes_max),
        }
    }

    /// Returns the offsets of the first and last byte of a field at a bit offset.
    pub fn bytes(self, offset: u64) -> (u64, u64) {
        (offset / 8, (offset + u64::from(self.bits) - 1) / 8)
    }

    /// Applies an operation to the field at a bit offset. The window begins with the byte of that bit. Returns the
    /// reply, or `None` if the operation failed by overflow; then the window is unchanged.
    pub fn apply(
        self,
        window: &mut [u8; WINDOW],
        offset: u64,
        op: FieldOp,
        overflow: Overflow,
    ) -> Option<i64> {
        let old = self.read(window, offset);
        let wanted = match op {
            FieldOp::Get => return Some(old),
            FieldOp::Set(value) if self.signed => {
                // Redis computes the distance to the maximum in 64 bits. Where that overflows, the lowest numbers
                // saturate to the maximum.
                let (value, max) = (i128::from(value), self.limits().1);
                let is_far = self.bits < 64 && max - value > i128::from(i64::MAX);
                if overflow == Overflow::Saturate && is_far { max } else { value }
            }
            // An unsigned field takes the bits of a negative number.
            FieldOp::Set(value) => i128::from(value.cast_unsigned()),
            FieldOp::IncrBy(by) => i128::from(old) + i128::from(by),
        };
        let new = self.fit(wanted, overflow)?;
        self.write(window, offset, new);
        Some(if matches!(op, FieldOp::IncrBy(_)) { new } else { old })
    }

    /// Returns the value to store for a wanted value.
    fn fit(self, wanted: i128, overflow: Overflow) -> Option<i64> {
        let (min, max) = self.limits();
        if (min..=max).contains(&wanted) {
            return Some(wanted as i64);
        }
        match overflow {
            Overflow::Fail => None,
            Overflow::Saturate => Some(wanted.clamp(min, max) as i64),
            Overflow::Wrap => Some(self.extend(wanted as u64)),
        }
    }

    /// Returns the smallest and the largest value.
    fn limits(self) -> (i128, i128) {
        match self.signed {
            true => (-(1i128 << (self.bits - 1)), (1i128 << (self.bits - 1)) - 1),
            false => (0, (1i128 << self.bits) - 1),
        }
    }

    /// Returns the value of the lowest bits.
    fn extend(self, bits: u64) -> i64 {
        let up = 64 - self.bits;
        let shifted = bits << up;
        match self.signed {
            true => shifted.cast_signed() >> up,
            false => (shifted >> up).cast_signed(),
        }
    }

    fn read(self, window: &[u8; WINDOW], offset: u64) -> i64 {
        self.extend((load(window) >> self.shift(offset)) as u64)
    }

    fn write(self, window: &mut [u8; WINDOW], offset: u64, value: i64) {
        let shift = self.shift(offset);
        let ones = u128::from(u64::MAX >> (64 - self.bits));
        let kept = load(window) & !(ones << shift);
        let all = kept | (u128::from(value.cast_unsigned()) & ones) << shift;
        window.copy_from_slice(&all.to_be_bytes()[16 - WINDOW..]);
    }

    /// Returns the number of bits of the window behind the field.
    fn shift(self, offset: u64) -> u32 {
        8 * WINDOW as u32 - (offset & 7) as u32 - self.bits
    }
}

/// Parses the bit offset of GETBIT, SETBIT and BITFIELD. `None` if it is negative or not below `bytes_max` bytes.
pub fn parse_offset(text: &[u8], bytes_max: u64) -> Option<u64> {
    in_limit(integer::parse(text)?, bytes_max)
}

fn in_limit(offset: i64, bytes_max: u64) -> Option<u64> {
    u64::try_from(offset).ok().filter(|offset| offset / 8 < bytes_max)
}

/// Returns a window as a number, its first byte highest.
fn load(window: &[u8; WINDOW]) -> u128 {
    window.iter().fold(0, |all, byte| all << 8 | u128::from(*byte))
}

#[cfg(test)]
#[path = "field_test.rs"]
mod tests;
