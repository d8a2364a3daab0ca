//! Ends of ranges: scores (`1.5`, `(1.5`, `-inf`) and members (`[a`, `(a`, `-`, `+`).

use super::double;

/// A range of scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreRange {
    /// The lower end.
    pub min: ScoreBound,
    /// The upper end.
    pub max: ScoreBound,
}

/// One end of a range of scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreBound {
    /// The score; never NaN.
    pub score: f64,
    /// Whether the score itself is outside.
    pub exclusive: bool,
}

impl ScoreBound {
    /// Parses one end. As in Redis, white space before the number, an empty number (0) and numbers beyond the range of
    /// doubles (an infinity) are accepted.
    pub fn parse(text: &[u8]) -> Option<ScoreBound> {
        let (exclusive, number) = match text {
            [b'(', rest @ ..] => (true, rest),
            _ => (false, text),
        };
        Some(ScoreBound { score: double::parse_lenient(number)?, exclusive })
    }
}

impl ScoreRange {
    /// Parses both ends. `None` is Redis's error "min or max is not a float".
    pub fn parse(min: &[u8], max: &[u8]) -> Option<ScoreRange> {
        Some(ScoreRange { min: ScoreBound::parse(min)?, max: ScoreBound::parse(max)? })
    }

    /// Returns whether no score can be inside.
    pub fn is_empty(&self) -> bool {
        let (min, max) = (self.min, self.max);
        min.score > max.score || (min.score == max.score && (min.exclusive || max.exclusive))
    }

    /// Returns whether a score is not below the lower end.
    pub fn is_above_min(&self, score: f64) -> bool {
        if self.min.exclusive { score > self.min.score } else { score >= self.min.score }
    }

    /// Returns whether a score is not above the upper end.
    pub fn is_below_max(&self, score: f64) -> bool {
        if self.max.exclusive { score < self.max.score } else { score <= self.max.score }
    }

    /// Returns whether a score is inside.
    pub fn contains(&self, score: f64) -> bool {
        self.is_above_min(score) && self.is_below_max(score)
    }
}

/// One end of a range of members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LexBound<'a> {
    /// `-`: before all members.
    First,
    /// `+`: after all members.
    Last,
    /// `[member`: the member itself is inside.
    Inclusive(&'a [u8]),
    /// `(member`: the member itself is outside.
    Exclusive(&'a [u8]),
}

impl<'a> LexBound<'a> {
    /// Parses one end.
    pub fn parse(text: &'a [u8]) -> Option<LexBound<'a>> {
        match text {
            // Redis looks no further than a zero byte behind the sign.
            [b'-'] | [b'-', 0, ..] => Some(LexBound::First),
            [b'+'] | [b'+', 0, ..] => Some(LexBound::Last),
            [b'[', member @ ..] => Some(LexBound::Inclusive(member)),
            [b'(', member @ ..] => Some(LexBound::Exclusive(member)),
            _ => None,
        }
    }
}

/// A range of members in byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LexRange<'a> {
    /// The lower end.
    pub min: LexBound<'a>,
    /// The upper end.
    pub max: LexBound<'a>,
}

impl<'a> LexRange<'a> {
    /// Parses both ends. `None` is Redis's error "min or max not valid string range item".
    pub fn parse(min: &'a [u8], max: &'a [u8]) -> Option<LexRange<'a>> {
        Some(LexRange { min: LexBound::parse(min)?, max: LexBound::parse(max)? })
    }

    /// Returns whether no member can be inside, as far as the two ends tell.
    pub fn is_empty(&self) -> bool {
        use LexBound::{Exclusive, First, Inclusive, Last};
        match (self.min, self.max) {
            (Last, _) | (_, First) => true,
            (First, _) | (_, Last) => false,
            (Inclusive(min), Inclusive(max)) => min > max,
            (Inclusive(min) | Exclusive(min), Inclusive(max) | Exclusive(max)) => min >= max,
        }
    }

    /// Returns whether a member is not below the lower end.
    pub fn is_above_min(&self, member: &[u8]) -> bool {
        match self.min {
            LexBound::First => true,
            LexBound::Last => false,
            LexBound::Inclusive(min) => member >= min,
            LexBound::Exclusive(min) => member > min,
        }
    }

    /// Returns whether a member is not above the upper end.
    pub fn is_below_max(&self, member: &[u8]) -> bool {
        match self.max {
            LexBound::First => false,
            LexBound::Last => true,
            LexBound::Inclusive(max) => member <= max,
            LexBound::Exclusive(max) => member < max,
        }
    }

    /// Returns whether a member is inside.
    pub fn contains(&self, member: &[u8]) -> bool {
        self.is_above_min(member) && self.is_below_max(member)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_scores() {
        let range = ScoreRange::parse(b"(1.5", b"+inf").unwrap();
        assert!(!range.contains(1.5) && range.contains(1.6) && range.contains(f64::INFINITY));
        assert!(ScoreRange::parse(b"(1", b"1").unwrap().is_empty());
        assert!(!ScoreRange::parse(b"1", b"1").unwrap().is_empty());
        assert!(ScoreRange::parse(b"2", b"1").unwrap().is_empty());
        assert_eq!(ScoreBound::parse(b"(").unwrap(), ScoreBound { score: 0.0, exclusive: true });
        for bad in ["nan", "a", "((1", "1 "] {
            assert_eq!(ScoreBound::parse(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn ranges_of_members() {
        let range = LexRange::parse(b"[b", b"(d").unwrap();
        let inside: Vec<_> = ["a", "b", "c", "cc", "d"]
            .into_iter()
            .filter(|member| range.contains(member.as_bytes()))
            .collect();
        assert_eq!(inside, ["b", "c", "cc"]);
        assert!(LexRange::parse(b"-", b"+").unwrap().contains(b""));
        for (min, max) in
            [("+", "-"), ("-", "-"), ("+", "+"), ("(a", "[a"), ("[b", "[a"), ("+", "[a")]
        {
            let range = LexRange::parse(min.as_bytes(), max.as_bytes()).unwrap();
            assert!(range.is_empty() && !range.contains(b"a"), "{min} {max}");
        }
        assert!(!LexRange::parse(b"[a", b"[a").unwrap().is_empty());
        for bad in ["", "a", "-a", "++", "1"] {
            assert_eq!(LexBound::parse(bad.as_bytes()), None, "{bad}");
        }
    }
}
