//! Cells of the geohash's grid: each step halves both directions.

use super::{LATITUDE_MAX, LONGITUDE_MAX, Position};

/// The steps of a score.
pub(super) const STEPS_MAX: u32 = 26;

const LONGITUDE_BITS: u64 = 0xaaaa_aaaa_aaaa_aaaa;
const LATITUDE_BITS: u64 = 0x5555_5555_5555_5555;

/// A cell after a number of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    /// Pairs of bits, longitude above latitude.
    pub bits: u64,
    /// The number of pairs, from 1 to 26.
    pub steps: u32,
}

/// A rectangle of degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bounds {
    pub west: f64,
    pub east: f64,
    pub south: f64,
    pub north: f64,
}

impl Cell {
    /// Returns the cell that contains a position.
    pub fn around(position: Position, steps: u32) -> Cell {
        Cell { bits: interleaved(position, steps, LONGITUDE_MAX, LATITUDE_MAX), steps }
    }

    /// Returns the rectangle of the cell.
    pub fn bounds(self) -> Bounds {
        let (x, y) = (every_second_bit(self.bits >> 1), every_second_bit(self.bits));
        let cells = (1u64 << self.steps) as f64;
        let edge = |at: u32, max: f64| -max + f64::from(at) / cells * (max - -max);
        Bounds {
            west: edge(x, LONGITUDE_MAX),
            east: edge(x.wrapping_add(1), LONGITUDE_MAX),
            south: edge(y, LATITUDE_MAX),
            north: edge(y.wrapping_add(1), LATITUDE_MAX),
        }
    }

    /// Returns the cell this many cells further east and north: -1, 0 or 1. The grid has no edges.
    pub fn neighbour(self, east: i32, north: i32) -> Cell {
        let used = u64::MAX >> (64 - 2 * self.steps);
        let x = moved(self.bits & LONGITUDE_BITS, LATITUDE_BITS & used, east);
        let y = moved(self.bits & LATITUDE_BITS, LONGITUDE_BITS & used, north);
        let bits = x & LONGITUDE_BITS & used | y & LATITUDE_BITS & used;
        // A direction without movement keeps its bits, even those that a position at the last edge has above the grid.
        let kept =
            if east == 0 { LONGITUDE_BITS } else { 0 } | if north == 0 { LATITUDE_BITS } else { 0 };
        Cell { bits: bits & !kept | self.bits & kept, steps: self.steps }
    }

    /// Returns the scores of the positions in the cell: the lowest, and the first above them.
    pub fn scores(self) -> (u64, u64) {
        let shift = 2 * (STEPS_MAX - self.steps);
        (self.bits << shift, self.bits.wrapping_add(1) << shift)
    }
}

impl Bounds {
    /// Returns the middle, inside the limits of positions.
    pub fn middle(self) -> Position {
        Position {
            longitude: ((self.west + self.east) / 2.0).clamp(-LONGITUDE_MAX, LONGITUDE_MAX),
            latitude: ((self.south + self.north) / 2.0).clamp(-LATITUDE_MAX, LATITUDE_MAX),
        }
    }
}

/// Returns the interleaved bits of a position in a grid whose limits are given in degrees.
pub(super) fn interleaved(
    position: Position,
    steps: u32,
    longitude_max: f64,
    latitude_max: f64,
) -> u64 {
    let cells = (1u64 << steps) as f64;
    let at = |degrees: f64, max: f64| ((degrees - -max) / (max - -max) * cells) as u32;
    spread(at(position.longitude, longitude_max)) << 1 | spread(at(position.latitude, latitude_max))
}

/// Adds to every second bit; `others` are the bits in between, through which carries must pass.
fn moved(bits: u64, others: u64, by: i32) -> u64 {
    match by {
        0 => bits,
        1 => bits.wrapping_add(others.wrapping_add(1)),
        _ => (bits | others).wrapping_sub(others.wrapping_add(1)),
    }
}

/// Moves bit i to bit 2i.
fn spread(value: u32) -> u64 {
    let steps = [
        (16, 0x0000_ffff_0000_ffff),
        (8, 0x00ff_00ff_00ff_00ff),
        (4, 0x0f0f_0f0f_0f0f_0f0f),
        (2, 0x3333_3333_3333_3333),
        (1, LATITUDE_BITS),
    ];
    steps.iter().fold(u64::from(value), |bits, (by, mask)| (bits | bits << by) & mask)
}

/// Moves bit 2i to bit i.
fn every_second_bit(bits: u64) -> u32 {
    let steps = [
        (1, 0x3333_3333_3333_3333u64),
        (2, 0x0f0f_0f0f_0f0f_0f0f),
        (4, 0x00ff_00ff_00ff_00ff),
        (8, 0x0000_ffff_0000_ffff),
        (16, 0x0000_0000_ffff_ffff),
    ];
    let bits =
        steps.iter().fold(bits & LATITUDE_BITS, |bits, (by, mask)| (bits | bits >> by) & mask);
    bits as u32
}
