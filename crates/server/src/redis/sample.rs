//! Random elements of a collection: the arguments of HRANDFIELD and its relatives, and the choice of elements by index.
//! Every element has the same probability.

use super::args::Args;
use super::failure::{Done, SYNTAX};
use crate::resp::{Protocol, Reply};
use std::collections::BTreeSet;

/// The most elements that a reply may repeat.
const REPEATED_MAX: u64 = 1 << 26;

/// How many elements a command wants.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Amount {
    /// So many different ones, or so many that may repeat if it is negative.
    pub count: i64,
    /// Whether their values are wanted, too.
    pub has_values: bool,
}

impl Amount {
    /// Parses `key [count [word]]`. `None` means one element, which is not replied in an array.
    pub fn parse(args: Args<'_>, word: &str) -> Done<Option<Amount>> {
        if args.len() < 3 {
            return Ok(None);
        }
        let count = args.integer(2)?;
        if count == i64::MIN {
            let max = i64::MAX;
            return Err(
                format!("ERR value is out of range, value must between -{max} and {max}").into()
            );
        }
        let has_values = args.len() == 4;
        if args.len() > 4 || (has_values && !args.is(3, word)) {
            return Err(SYNTAX.into());
        }
        if has_values && !(-i64::MAX / 2..=i64::MAX / 2).contains(&count) {
            return Err("ERR value is out of range".into());
        }
        Ok(Some(Amount { count, has_values }))
    }
}

/// Chosen elements of a collection.
pub(super) struct Sample {
    /// The indices of all chosen elements, ascending, each once.
    wanted: Vec<u64>,
    /// The order of the reply, if elements may repeat.
    picks: Option<Vec<u64>>,
    /// The element of each wanted index.
    found: Vec<(Vec<u8>, Vec<u8>)>,
    seen: u64,
}

impl Sample {
    /// Chooses elements of a collection of this length.
    ///
    /// # Errors
    ///
    /// The reply would have too many elements.
    pub fn choose(length: u64, count: i64) -> Done<Sample> {
        let number = count.unsigned_abs();
        let (wanted, picks) = if count >= 0 {
            (distinct(length, number), None)
        } else if number > REPEATED_MAX {
            return Err("ERR value is out of range".into());
        } else {
            let picks = if length == 0 { 0 } else { number };
            let picks: Vec<u64> = (0..picks).map(|_| fastrand::u64(..length)).collect();
            let wanted: BTreeSet<u64> = picks.iter().copied().collect();
            (wanted.into_iter().collect(), Some(picks))
        };
        Ok(Sample { wanted, picks, found: Vec::new(), seen: 0 })
    }

    /// Returns whether all chosen elements were seen.
    pub fn is_complete(&self) -> bool {
        self.found.len() == self.wanted.len()
    }

    /// Takes the next element of the collection, whose index is the number of calls before.
    pub fn see(&mut self, name: &[u8], value: impl FnOnce() -> Vec<u8>) {
        if self.wanted.get(self.found.len()) == Some(&self.seen) {
            self.found.push((name.to_vec(), value()));
        }
        self.seen += 1;
    }

    /// Replies the one element that was chosen, or null.
    pub fn reply_one(&self, out: &mut Reply) {
        out.bulk_or_null(self.found.first().map(|(name, _)| &name[..]));
    }

    /// Replies all chosen elements; `value` writes what [`see`](Sample::see) got.
    pub fn reply(&self, out: &mut Reply, value: Option<impl Fn(&mut Reply, &[u8])>) {
        let elements: Vec<&(Vec<u8>, Vec<u8>)> = match &self.picks {
            None => self.found.iter().collect(),
            Some(picks) => {
                let place = |pick| self.wanted.binary_search(pick).ok();
                picks.iter().filter_map(|pick| self.found.get(place(pick)?)).collect()
            }
        };
        let is_nested = value.is_some() && out.protocol == Protocol::Resp3;
        let per_element = if value.is_some() && !is_nested { 2 } else { 1 };
        out.array(elements.len() * per_element);
        for (name, bytes) in elements {
            if is_nested {
                out.array(2);
            }
            out.bulk(name);
            if let Some(value) = &value {
                value(out, bytes);
            }
        }
    }
}

/// Returns so many different numbers below `length`, ascending, or all of them if there are not more.
fn distinct(length: u64, number: u64) -> Vec<u64> {
    if number >= length {
        return (0..length).collect();
    }
    // Floyd's method: each subset of this size has the same probability.
    let mut chosen = BTreeSet::new();
    for last in length - number..length {
        let pick = fastrand::u64(..=last);
        if !chosen.insert(pick) {
            chosen.insert(last);
        }
    }
    chosen.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinct_numbers() {
        assert_eq!(distinct(3, 7), [0, 1, 2]);
        assert_eq!(distinct(0, 1), [0; 0]);
        let mut counts = [0; 5];
        for _ in 0..10_000 {
            let numbers = distinct(5, 2);
            assert!(numbers.len() == 2 && numbers[0] < numbers[1]);
            numbers.iter().for_each(|at| counts[*at as usize] += 1);
        }
        // 4,000 each are expected, with a standard deviation of 49.
        assert!(counts.iter().all(|count| (3700..4300).contains(count)), "{counts:?}");
    }

    #[test]
    fn repeated_elements() {
        let mut sample = Sample::choose(3, -50).unwrap();
        for name in [b"a", b"b", b"c"] {
            sample.see(name, Vec::new);
        }
        assert!(sample.is_complete());
        let mut out = Reply::new(Protocol::Resp2);
        sample.reply(&mut out, None::<fn(&mut Reply, &[u8])>);
        assert!(out.bytes().starts_with(b"*50\r\n$1\r\n"));
        assert!(Sample::choose(3, i64::MIN + 1).is_err());
    }
}
