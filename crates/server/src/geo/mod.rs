//! Positions on Earth as Redis stores them: a geohash of 52 bits that is the score of a sorted set's member.
//!
//! ```text
//! score = 26 bits of longitude and 26 of latitude, interleaved; longitude has the higher bit of each pair
//! ```
//!
//! Latitudes end at 85.05112878 degrees, as in the web's Mercator maps. Distances are great circles on a sphere.
//! Results are equal to Redis's to the last digit on the same mathematical library.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod cell;
mod search;

use crate::text::double;

pub use search::{Area, Outline};

/// The largest longitude in degrees, east and west.
pub const LONGITUDE_MAX: f64 = 180.0;

/// The largest latitude in degrees, north and south.
pub const LATITUDE_MAX: f64 = 85.051_128_78;

/// The radius of the sphere in metres.
const EARTH_RADIUS: f64 = 6_372_797.560856;

/// A position in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Position {
    /// Degrees east.
    pub longitude: f64,
    /// Degrees north.
    pub latitude: f64,
}

/// A unit of distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Metres.
    Metres,
    /// Kilometres.
    Kilometres,
    /// Feet.
    Feet,
    /// Miles.
    Miles,
}

impl Position {
    /// Returns a position that can be stored; `None` if it is outside the limits.
    pub fn new(longitude: f64, latitude: f64) -> Option<Position> {
        let is_inside = longitude.abs() <= LONGITUDE_MAX && latitude.abs() <= LATITUDE_MAX;
        is_inside.then_some(Position { longitude, latitude })
    }

    /// Returns the score of a member at this position. Only at longitude 180, it has bits that a double cannot hold.
    pub fn score(self) -> u64 {
        cell::Cell::around(self, cell::STEPS_MAX).bits
    }

    /// Returns the position that a score stands for: the middle of its cell. Scores that are no geohash give a position
    /// as well, as in Redis.
    pub fn from_score(score: f64) -> Position {
        cell::Cell { bits: score_bits(score), steps: cell::STEPS_MAX }.bounds().middle()
    }

    /// Returns the position as a geohash of 11 letters, the last always `0`.
    pub fn geohash(self) -> String {
        const LETTERS: &[u8; 32] = b"0123456789bcdefghjkmnpqrstuvwxyz";
        let bits = cell::interleaved(self, cell::STEPS_MAX, 180.0, 90.0);
        let letters = (0..10).filter_map(|i| LETTERS.get((bits >> (47 - 5 * i)) as usize & 31));
        letters.chain(b"0").copied().map(char::from).collect()
    }

    /// Returns the distance to another position in metres.
    pub fn distance(self, other: Position) -> f64 {
        let half = ((other.longitude.to_radians() - self.longitude.to_radians()) / 2.0).sin();
        if half == 0.0 {
            return self.latitude_distance(other);
        }
        let (here, there) = (self.latitude.to_radians(), other.latitude.to_radians());
        let across = ((there - here) / 2.0).sin();
        let haversine = across * across + here.cos() * there.cos() * half * half;
        2.0 * EARTH_RADIUS * haversine.sqrt().asin()
    }

    /// Returns the distance to another position in metres if both had the same longitude.
    fn latitude_distance(self, other: Position) -> f64 {
        let difference = other.latitude.to_radians() - self.latitude.to_radians();
        EARTH_RADIUS * difference.abs()
    }
}

impl Unit {
    /// Parses `m`, `km`, `ft` or `mi` in any case.
    pub fn parse(text: &[u8]) -> Option<Unit> {
        match text.to_ascii_lowercase().as_slice() {
            b"m" => Some(Unit::Metres),
            b"km" => Some(Unit::Kilometres),
            b"ft" => Some(Unit::Feet),
            b"mi" => Some(Unit::Miles),
            _ => None,
        }
    }

    /// Returns the length of the unit in metres.
    pub fn metres(self) -> f64 {
        match self {
            Unit::Metres => 1.0,
            Unit::Kilometres => 1000.0,
            Unit::Feet => 0.3048,
            Unit::Miles => 1609.34,
        }
    }
}

/// Formats a distance with four digits behind the point, as GEODIST and WITHDIST do.
pub fn format_distance(distance: f64) -> String {
    double::format_scaled(distance, 4)
}

/// Converts a score to bits as C does on x86-64: negative numbers wrap, and numbers out of range become 2^63 or 0.
fn score_bits(score: f64) -> u64 {
    const HALF: f64 = 9_223_372_036_854_775_808.0;
    let signed = |value: f64| {
        let is_inside = (-HALF..HALF).contains(&value);
        (if is_inside { value as i64 } else { i64::MIN }).cast_unsigned()
    };
    if score >= HALF { signed(score - HALF) ^ (1 << 63) } else { signed(score) }
}

#[cfg(test)]
#[path = "geo_test.rs"]
mod tests;
