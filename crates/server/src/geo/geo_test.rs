//! Tests of positions, most of them beside a real Redis with random inputs and fixed seeds.

use fastrand::Rng;

use super::*;
use crate::testing::redis::{Redis, Reply};
use crate::text::double::format_human;

#[test]
fn the_example_of_the_documentation() {
    let palermo = Position::new(13.361389, 38.115556).unwrap();
    let catania = Position::new(15.087269, 37.502669).unwrap();
    assert_eq!(palermo.score(), 3479099956230698);
    let (palermo, catania) = (stored(palermo), stored(catania));
    assert_eq!(palermo.geohash(), "sqc8b49rny0");
    assert_eq!(catania.geohash(), "sqdtr74hyu0");
    assert_eq!(format_distance(palermo.distance(catania)), "166274.1516");
    assert_eq!(format_distance(palermo.distance(catania) / Unit::Kilometres.metres()), "166.2742");
    assert_eq!(format_human(palermo.longitude), "13.36138933897018433");
    assert_eq!(format_human(palermo.latitude), "38.11555639549629859");
}

#[test]
fn limits() {
    assert!(Position::new(180.0, 85.05112878).is_some());
    assert!(Position::new(180.1, 0.0).is_none());
    assert!(Position::new(0.0, -85.06).is_none());
    assert!(Position::new(f64::NAN, 0.0).is_none());
    assert_eq!(Unit::parse(b"KM"), Some(Unit::Kilometres));
    assert_eq!(Unit::parse(b"yd"), None);
}

fn stored(position: Position) -> Position {
    Position::from_score(position.score() as f64)
}

fn position(random: &mut Rng) -> Position {
    let mut degrees = |max: f64| match random.usize(..12) {
        0 => [max, -max, 0.0][random.usize(..3)],
        1 => (random.f64() - 0.5) * max / 1000.0,
        2 => max - random.f64() / 10.0,
        _ => (random.f64() - 0.5) * 2.0 * max,
    };
    Position::new(degrees(LONGITUDE_MAX), degrees(LATITUDE_MAX)).unwrap()
}

#[track_caller]
fn text(reply: &Reply) -> String {
    match reply {
        Reply::Text(text) => String::from_utf8(text.clone()).unwrap(),
        other => panic!("expected a string, found {other:?}"),
    }
}

#[track_caller]
fn array(reply: Reply) -> Vec<Reply> {
    match reply {
        Reply::Array(items) => items,
        other => panic!("expected an array, found {other:?}"),
    }
}

#[test]
fn redis_stores_and_prints_the_same_positions() {
    let Some(mut redis) = Redis::start() else { return };
    let mut random = Rng::with_seed(1);
    let units = [Unit::Metres, Unit::Kilometres, Unit::Feet, Unit::Miles];
    let mut last = position(&mut random);
    redis.call(&["GEOADD", "g", &last.longitude.to_string(), &last.latitude.to_string(), "last"]);
    for _ in 0..4000 {
        let here = position(&mut random);
        let (x, y) = (here.longitude.to_string(), here.latitude.to_string());
        redis.call(&["GEOADD", "g", &x, &y, "m"]);
        // At longitude 180, the score has more bits than a double.
        let score = (here.score() as f64) as u64;
        assert_eq!(text(&redis.call(&["ZSCORE", "g", "m"])), score.to_string(), "{x} {y}");
        let here = stored(here);
        let expected = [here.longitude, here.latitude]
            .map(|degrees| Reply::Text(format_human(degrees).into()));
        assert_eq!(array(redis.call(&["GEOPOS", "g", "m"])), [Reply::Array(expected.to_vec())]);
        assert_eq!(text(&array(redis.call(&["GEOHASH", "g", "m"]))[0]), here.geohash());
        let unit = random.usize(..4);
        let distance = here.distance(stored(last)) / units[unit].metres();
        let name = ["m", "KM", "ft", "mi"][unit];
        let theirs = redis.call(&["GEODIST", "g", "m", "last", name]);
        assert_eq!(text(&theirs), format_distance(distance), "{here:?} {last:?}");
        if random.usize(..10) == 0 {
            last = position(&mut random);
            let (x, y) = (last.longitude.to_string(), last.latitude.to_string());
            redis.call(&["GEOADD", "g", &x, &y, "last"]);
        }
    }
}

#[test]
fn scores_that_are_no_positions() {
    let Some(mut redis) = Redis::start() else { return };
    let mut random = Rng::with_seed(2);
    for _ in 0..3000 {
        let score = match random.usize(..4) {
            0 => random.i64(..) as f64,
            1 => -random.f64() * 1e6,
            2 => f64::from_bits(random.u64(..)),
            _ => [f64::INFINITY, f64::NEG_INFINITY, 1e19, 1.9e19, 9.3e18][random.usize(..5)],
        };
        if score.is_nan() {
            continue;
        }
        redis.call(&["ZADD", "z", &score.to_string(), "m"]);
        let here = Position::from_score(score);
        let expected = [here.longitude, here.latitude]
            .map(|degrees| Reply::Text(format_human(degrees).into()));
        let theirs = array(redis.call(&["GEOPOS", "z", "m"]));
        assert_eq!(theirs, [Reply::Array(expected.to_vec())], "{score}");
    }
}

#[test]
fn searches_find_the_same_members() {
    let Some(mut redis) = Redis::start() else { return };
    let mut random = Rng::with_seed(3);
    let members: Vec<Position> = (0..1500).map(|_| position(&mut random)).collect();
    for (i, at) in members.iter().enumerate() {
        let (x, y) = (at.longitude.to_string(), at.latitude.to_string());
        redis.call(&["GEOADD", "g", &x, &y, &i.to_string()]);
    }
    let units =
        [("m", Unit::Metres), ("km", Unit::Kilometres), ("ft", Unit::Feet), ("mi", Unit::Miles)];
    let mut scores: Vec<_> =
        members.iter().enumerate().map(|(i, at)| (at.score(), i.to_string())).collect();
    scores.sort();
    let mut found = 0;
    for _ in 0..3000 {
        let centre = match random.usize(..3) {
            0 => stored(members[random.usize(..members.len())]),
            _ => position(&mut random),
        };
        let (name, unit) = units[random.usize(..4)];
        let mut length = || {
            let metres = match random.usize(..8) {
                0 => 0.0,
                1 => 3e7 * random.f64(),
                _ => 10f64.powf(random.f64() * 7.3),
            };
            metres / unit.metres()
        };
        let (a, b) = (length(), length());
        let outline = match random.bool() {
            true => Outline::Circle { radius: a },
            false => Outline::Box { width: a, height: b },
        };
        let mut command: Vec<String> = vec!["GEOSEARCH".into(), "g".into(), "FROMLONLAT".into()];
        command.extend([centre.longitude.to_string(), centre.latitude.to_string()]);
        match outline {
            Outline::Circle { radius } => {
                command.extend(["BYRADIUS".into(), radius.to_string(), name.into()]);
            }
            Outline::Box { width, height } => {
                command.extend(["BYBOX".into(), width.to_string(), height.to_string(), name.into()])
            }
        }
        command.push("WITHDIST".into());
        let area = Area { centre, outline, unit };
        let mut ours = Vec::new();
        for (first, end) in area.score_ranges() {
            let inside = scores.iter().filter(|(score, _)| (first..end).contains(score));
            for (score, name) in inside {
                if let Some(distance) = area.distance_inside(Position::from_score(*score as f64)) {
                    ours.push((name.clone(), format_distance(distance / unit.metres())));
                }
            }
        }
        let theirs: Vec<_> = array(redis.call(&command))
            .into_iter()
            .map(|item| {
                let item = array(item);
                (text(&item[0]), text(&item[1]))
            })
            .collect();
        assert_eq!(theirs, ours, "{command:?}");
        found += ours.len();
    }
    assert!(found > 10_000, "{found}");
}
