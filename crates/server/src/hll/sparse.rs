//! The sparse encoding: runs of equal registers.

use super::estimate::Ranks;
use super::{HllError, REGISTERS};
use std::fmt;

const ZERO_MAX: usize = 64;
const VAL_MAX: usize = 4;
const VALUE_MAX: u8 = 32;

/// After a change, this many runs are searched for neighbours to join.
const JOIN_STEPS: usize = 5;

/// A run of equal registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// The value of the registers; 0 for both kinds of zero runs.
    pub value: u8,
    /// The number of registers.
    pub length: usize,
    /// The number of bytes of the encoding.
    size: usize,
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.value, self.size) {
            (0, 1) => write!(f, "z:{}", self.length),
            (0, _) => write!(f, "Z:{}", self.length),
            (value, _) => write!(f, "v:{value},{}", self.length),
        }
    }
}

/// What became of a register.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Raised {
    /// It was high enough.
    No,
    /// It changed.
    Yes,
    /// The sparse encoding cannot hold the new value. Nothing changed.
    NoRoom,
}

/// Iterates over the runs of an encoding. The last item is `None` if bytes are missing.
pub(super) fn runs(mut bytes: &[u8]) -> impl Iterator<Item = Option<Run>> + '_ {
    std::iter::from_fn(move || {
        if bytes.is_empty() {
            return None;
        }
        let run = run_at(bytes, 0);
        bytes = run.and_then(|run| bytes.get(run.size..)).unwrap_or_default();
        Some(run)
    })
}

/// Counts the registers of an encoding by rank.
pub(super) fn ranks(bytes: &[u8]) -> Result<Ranks, HllError> {
    let (mut ranks, mut covered) = (Ranks::new(), 0);
    for run in runs(bytes) {
        let run = run.ok_or(HllError::Corrupted)?;
        covered += run.length;
        if covered > REGISTERS {
            return Err(HllError::Corrupted);
        }
        ranks.add(run.value, run.length);
    }
    if covered == REGISTERS { Ok(ranks) } else { Err(HllError::Corrupted) }
}

/// Raises a register to at least `rank` in `bytes`, a value whose runs begin at `start`.
pub(super) fn raise(
    bytes: &mut Vec<u8>,
    start: usize,
    index: usize,
    rank: u8,
    bytes_max: usize,
) -> Result<Raised, HllError> {
    if rank > VALUE_MAX {
        return Ok(Raised::NoRoom);
    }
    let (mut at, mut first, mut previous) = (start, 0, start);
    let run = loop {
        let run = run_at(bytes, at).ok_or(HllError::Corrupted)?;
        if index < first + run.length {
            break run;
        }
        (previous, at, first) = (at, at + run.size, first + run.length);
    };
    if run.value >= rank {
        return Ok(Raised::No);
    }
    let mut new = Vec::with_capacity(5);
    push(&mut new, run.value, index - first);
    push(&mut new, rank, 1);
    push(&mut new, run.value, first + run.length - 1 - index);
    if new.len() > run.size && bytes.len() + new.len() - run.size > bytes_max {
        return Ok(Raised::NoRoom);
    }
    bytes.splice(at..at + run.size, new);
    join(bytes, previous);
    Ok(Raised::Yes)
}

/// Appends runs of zeros that cover `length` registers.
pub(super) fn push_zeros(bytes: &mut Vec<u8>, length: usize) {
    push(bytes, 0, length);
}

/// Joins neighbouring runs with equal values that are not 0, as far as one run can hold both. Looks at a few runs from
/// the one at `at`, as Redis does.
fn join(bytes: &mut Vec<u8>, mut at: usize) {
    for _ in 0..JOIN_STEPS {
        let Some(run) = run_at(bytes, at) else { return };
        let next = run_at(bytes, at + run.size).filter(|next| {
            run.value > 0 && next.value == run.value && run.length + next.length <= VAL_MAX
        });
        match next {
            Some(next) => {
                let mut joined = Vec::with_capacity(1);
                push(&mut joined, run.value, run.length + next.length);
                bytes.splice(at..at + run.size + next.size, joined);
            }
            None => at += run.size,
        }
    }
}

/// Returns the run whose encoding begins at an offset; `None` if bytes are missing.
fn run_at(bytes: &[u8], at: usize) -> Option<Run> {
    let byte = *bytes.get(at)?;
    let low = usize::from(byte & 0x3f);
    Some(match byte >> 6 {
        0 => Run { value: 0, length: low + 1, size: 1 },
        1 => {
            let second = usize::from(*bytes.get(at + 1)?);
            Run { value: 0, length: (low << 8 | second) + 1, size: 2 }
        }
        _ => {
            let length = usize::from(byte & 3) + 1;
            Run { value: (byte >> 2 & 0x1f) + 1, length, size: 1 }
        }
    })
}

/// Appends the encoding of a run; nothing for an empty one.
fn push(bytes: &mut Vec<u8>, value: u8, length: usize) {
    let Some(less) = length.checked_sub(1) else { return };
    if value > 0 {
        bytes.push(0x80 | (value - 1) << 2 | (less & 3) as u8);
    } else if length <= ZERO_MAX {
        bytes.push(less as u8);
    } else {
        bytes.extend([0x40 | (less >> 8) as u8 & 0x3f, less as u8]);
    }
}
