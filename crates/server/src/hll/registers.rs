//! Registers, one byte each, and their dense encoding.

use super::estimate::{self, Ranks};
use super::{HllError, HyperLogLog, REGISTERS, sparse};

const BITS: usize = 6;
const VALUE_MAX: u8 = (1 << BITS) - 1;

/// The length of the dense encoding without its header.
pub(super) const BYTES: usize = REGISTERS * BITS / 8;

/// The registers of a union of HyperLogLogs.
pub struct Registers(Box<[u8]>);

impl Registers {
    /// Returns the registers of no elements.
    pub fn new() -> Registers {
        Registers(vec![0; REGISTERS].into())
    }

    /// Adds the elements of a value.
    pub fn merge(&mut self, value: &HyperLogLog) -> Result<(), HllError> {
        if value.is_dense() {
            let groups = value.body().as_chunks::<3>().0;
            for (registers, group) in self.0.as_chunks_mut::<4>().0.iter_mut().zip(groups) {
                let values = unpack(*group);
                registers.iter_mut().zip(values).for_each(|(mine, other)| *mine = other.max(*mine));
            }
            return Ok(());
        }
        let mut rest = &mut *self.0;
        for run in sparse::runs(value.body()) {
            let run = run.ok_or(HllError::Corrupted)?;
            let (covered, behind) =
                rest.split_at_mut_checked(run.length).ok_or(HllError::Corrupted)?;
            if run.value > 0 {
                covered.iter_mut().for_each(|mine| *mine = run.value.max(*mine));
            }
            rest = behind;
        }
        if rest.is_empty() { Ok(()) } else { Err(HllError::Corrupted) }
    }

    /// Returns the estimated number of elements.
    pub fn count(&self) -> u64 {
        let mut ranks = Ranks::new();
        self.0.iter().for_each(|rank| ranks.add(*rank, 1));
        estimate::of(&ranks)
    }

    /// Returns all registers.
    pub fn iter(&self) -> std::slice::Iter<'_, u8> {
        self.0.iter()
    }

    /// Writes the dense encoding.
    pub(super) fn write_dense(&self, dense: &mut [u8]) {
        let groups = dense.as_chunks_mut::<3>().0;
        for (registers, group) in self.0.as_chunks::<4>().0.iter().zip(groups) {
            *group = pack(*registers);
        }
    }
}

impl Default for Registers {
    fn default() -> Registers {
        Registers::new()
    }
}

/// Counts the registers of the dense encoding by rank.
pub(super) fn ranks_of_dense(dense: &[u8]) -> Ranks {
    let mut ranks = Ranks::new();
    for group in dense.as_chunks::<3>().0 {
        unpack(*group).into_iter().for_each(|rank| ranks.add(rank, 1));
    }
    ranks
}

/// Raises a register of the dense encoding to at least `rank`. Returns whether it changed.
pub(super) fn raise_dense(dense: &mut [u8], index: usize, rank: u8) -> bool {
    let Some(group) = dense.as_chunks_mut::<3>().0.get_mut(index / 4) else { return false };
    let mut values = unpack(*group);
    match values.get_mut(index % 4) {
        Some(value) if rank > *value => *value = rank,
        _ => return false,
    }
    *group = pack(values);
    true
}

/// Returns the four registers of three bytes.
fn unpack([a, b, c]: [u8; 3]) -> [u8; 4] {
    let bits = u32::from_le_bytes([a, b, c, 0]);
    [0, 6, 12, 18].map(|shift| (bits >> shift) as u8 & VALUE_MAX)
}

fn pack(values: [u8; 4]) -> [u8; 3] {
    let bits = values.iter().rev().fold(0, |bits, value| bits << BITS | u32::from(*value));
    let [a, b, c, _] = bits.to_le_bytes();
    [a, b, c]
}
