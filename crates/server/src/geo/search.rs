//! Searches in a circle or a box: ranges of scores that contain all candidates, and the exact test of a position.

use super::cell::{Bounds, Cell, STEPS_MAX};
use super::{EARTH_RADIUS, Position, Unit};

/// Half the circumference of the map, in metres.
const MAP_HALF: f64 = 20_037_726.37;

/// The searched area.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// Its centre.
    pub centre: Position,
    /// Its outline, in units.
    pub outline: Outline,
    /// The unit of its lengths and of the distances in replies.
    pub unit: Unit,
}

/// The outline of an area.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outline {
    /// A circle.
    Circle {
        /// The distance from the centre.
        radius: f64,
    },
    /// A box whose sides point north and east.
    Box {
        /// The length from west to east.
        width: f64,
        /// The length from south to north.
        height: f64,
    },
}

impl Area {
    /// Returns the distance from the centre in metres if a position is inside.
    pub fn distance_inside(&self, position: Position) -> Option<f64> {
        let unit = self.unit.metres();
        match self.outline {
            Outline::Circle { radius } => {
                let distance = self.centre.distance(position);
                // A distance that rounding made not a number is inside.
                if distance > radius * unit { None } else { Some(distance) }
            }
            Outline::Box { width, height } => {
                if position.latitude_distance(self.centre) > height * unit / 2.0 {
                    return None;
                }
                let same_latitude = Position { latitude: position.latitude, ..self.centre };
                if position.distance(same_latitude) > width * unit / 2.0 {
                    return None;
                }
                Some(self.centre.distance(position))
            }
        }
    }

    /// Returns ranges of scores, each with its first score and the first score behind it, that contain every position
    /// inside the area: at most nine, in the order in which Redis reads them.
    pub fn score_ranges(&self) -> Vec<(u64, u64)> {
        let bounds = self.bounds();
        let mut steps = self.first_steps();
        let mut centre = Cell::around(self.centre, steps);
        if steps > 1 && !neighbours_cover(centre, &bounds) {
            steps -= 1;
            centre = Cell::around(self.centre, steps);
        }
        let mut ranges = Vec::with_capacity(9);
        let mut previous = None;
        for (east, north) in
            [(0, 0), (0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1)]
        {
            if steps >= 2 && is_useless(centre.bounds(), &bounds, east, north) {
                continue;
            }
            let cell = centre.neighbour(east, north);
            // In a coarse grid, neighbours on opposite sides are the same cell.
            if previous == Some(cell) {
                continue;
            }
            ranges.push(cell.scores());
            // The centre is not compared with its first neighbour.
            previous = ((east, north) != (0, 0)).then_some(cell);
        }
        ranges
    }

    /// Returns a rectangle of degrees around the area. Its east and west are those at the latitude that is nearer to a
    /// pole.
    fn bounds(&self) -> Bounds {
        let (width, height) = match self.outline {
            Outline::Circle { radius } => (radius, radius),
            Outline::Box { width, height } => (width / 2.0, height / 2.0),
        };
        let (width, height) = (self.unit.metres() * width, self.unit.metres() * height);
        let Position { longitude, latitude } = self.centre;
        let up = to_degrees(height / EARTH_RADIUS);
        let widest = if latitude < 0.0 { latitude - up } else { latitude + up };
        let side = to_degrees(width / EARTH_RADIUS / widest.to_radians().cos());
        Bounds {
            west: longitude - side,
            east: longitude + side,
            south: latitude - up,
            north: latitude + up,
        }
    }

    /// Returns the steps at which one cell and its neighbours usually cover the area.
    fn first_steps(&self) -> u32 {
        let reach = match self.outline {
            Outline::Circle { radius } => radius,
            Outline::Box { width, height } => {
                let (width, height) = (width / 2.0, height / 2.0);
                (width * width + height * height).sqrt()
            }
        } * self.unit.metres();
        if reach == 0.0 {
            return STEPS_MAX;
        }
        let mut doubled = reach;
        let mut steps = 1i32;
        while doubled < MAP_HALF {
            doubled *= 2.0;
            steps += 1;
        }
        steps -= 2;
        // Cells become narrow towards the poles.
        let latitude = self.centre.latitude.abs();
        steps -= i32::from(latitude > 66.0) + i32::from(latitude > 80.0);
        steps.clamp(1, STEPS_MAX.cast_signed()).cast_unsigned()
    }
}

/// Returns whether a cell and its neighbours cover a rectangle.
fn neighbours_cover(centre: Cell, bounds: &Bounds) -> bool {
    centre.neighbour(0, 1).bounds().north >= bounds.north
        && centre.neighbour(0, -1).bounds().south <= bounds.south
        && centre.neighbour(1, 0).bounds().east >= bounds.east
        && centre.neighbour(-1, 0).bounds().west <= bounds.west
}

/// Returns whether the middle cell alone reaches beyond the rectangle on the side of a neighbour.
fn is_useless(middle: Bounds, bounds: &Bounds, east: i32, north: i32) -> bool {
    north < 0 && middle.south < bounds.south
        || north > 0 && middle.north > bounds.north
        || east < 0 && middle.west < bounds.west
        || east > 0 && middle.east > bounds.east
}

/// Converts as Redis does: the division and `f64::to_degrees` round differently.
fn to_degrees(radians: f64) -> f64 {
    radians / (std::f64::consts::PI / 180.0)
}
