//! BITOP on one part of the values.

/// An operation of BITOP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitOp {
    /// Bits that are set in all values.
    And,
    /// Bits that are set in any value.
    Or,
    /// Bits that are set in an odd number of values.
    Xor,
    /// Bits that are not set in the only value.
    Not,
}

impl BitOp {
    /// Parses an operation's name in any case.
    pub fn parse(name: &[u8]) -> Option<BitOp> {
        let names = [
            (&b"and"[..], BitOp::And),
            (b"or", BitOp::Or),
            (b"xor", BitOp::Xor),
            (b"not", BitOp::Not),
        ];
        names.into_iter().find(|(known, _)| name.eq_ignore_ascii_case(known)).map(|(_, op)| op)
    }

    /// Combines the parts of all values at one offset into `result`, which is as long as the longest part. Shorter
    /// parts continue with zero bytes. `Not` takes one part.
    pub fn combine(self, result: &mut [u8], parts: &[&[u8]]) {
        let Some((first, rest)) = parts.split_first() else { return result.fill(0) };
        let (head, tail) = result.split_at_mut(first.len().min(result.len()));
        head.iter_mut().zip(*first).for_each(|(byte, other)| *byte = *other);
        tail.fill(0);
        if self == BitOp::Not {
            result.iter_mut().for_each(|byte| *byte = !*byte);
            return;
        }
        for part in rest {
            let common = part.len().min(result.len());
            let (head, tail) = result.split_at_mut(common);
            let pairs = head.iter_mut().zip(*part);
            match self {
                BitOp::And => {
                    pairs.for_each(|(byte, other)| *byte &= other);
                    tail.fill(0);
                }
                BitOp::Or => pairs.for_each(|(byte, other)| *byte |= other),
                BitOp::Xor | BitOp::Not => pairs.for_each(|(byte, other)| *byte ^= other),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_different_lengths() {
        let parts: [&[u8]; 3] = [&[0b1100, 0xff], &[0b1010], &[0b1001, 0x0f, 0x11]];
        for (op, expected) in [
            (BitOp::And, [0b1000, 0, 0]),
            (BitOp::Or, [0b1111, 0xff, 0x11]),
            (BitOp::Xor, [0b1111, 0xf0, 0x11]),
        ] {
            let mut result = [7; 3];
            op.combine(&mut result, &parts);
            assert_eq!(result, expected, "{op:?}");
        }
        let mut result = [7; 2];
        BitOp::Not.combine(&mut result, &[&[0x0f]]);
        assert_eq!(result, [0xf0, 0xff]);
        BitOp::And.combine(&mut result, &[]);
        assert_eq!(result, [0, 0]);
        assert_eq!(BitOp::parse(b"XoR"), Some(BitOp::Xor));
        assert_eq!(BitOp::parse(b"nand"), None);
    }
}
