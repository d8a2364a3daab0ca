//! What is wrong with a frame.

use std::fmt;

pub(super) type Result<T> = std::result::Result<T, Fault>;

/// What is wrong with a frame: the part, what was expected there, and what was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super::super) enum Fault {
    /// The frame, or the block, ends within this part.
    Ends(&'static str),
    /// A part is not what the format demands.
    Not { part: &'static str, expected: &'static str },
    /// A number differs from the expected one.
    Number { part: &'static str, expected: usize, found: usize },
    /// A number is too large.
    Above { part: &'static str, most: usize, found: usize },
}

impl Fault {
    // Faults are rare: out of line, their construction takes no room in the loops.
    #[cold]
    pub(super) fn number(part: &'static str, expected: usize, found: usize) -> Fault {
        Fault::Number { part, expected, found }
    }

    #[cold]
    pub(super) fn above(part: &'static str, most: usize, found: usize) -> Fault {
        Fault::Above { part, most, found }
    }

    #[cold]
    pub(super) fn not(part: &'static str, expected: &'static str) -> Fault {
        Fault::Not { part, expected }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Ends(part) => write!(f, "the frame ends within its {part}"),
            Fault::Not { part, expected } => write!(f, "{part}: expected {expected}"),
            Fault::Number { part, expected, found } => {
                write!(f, "{part}: expected {expected}, found {found}")
            }
            Fault::Above { part, most, found } => {
                write!(f, "{part}: expected at most {most}, found {found}")
            }
        }
    }
}
