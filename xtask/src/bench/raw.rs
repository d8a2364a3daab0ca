//! Parses the output of `db_bench --engine=both`: the lines under "Medians".

/// One figure of one benchmark. A figure that an engine does not have is `None`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Figure {
    pub(super) benchmark: String,
    pub(super) name: String,
    pub(super) ours: Option<f64>,
    pub(super) theirs: Option<f64>,
    pub(super) ratio: Option<Ratio>,
}

/// Ratios of ours to the other engine's: of the medians, and the lowest and the highest of the pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ratio {
    pub(super) median: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// The file of one row: `name: value` lines about the run, then the output.
pub(super) struct Raw {
    pub(super) text: String,
    pub(super) figures: Vec<Figure>,
}

impl Raw {
    pub(super) fn of(text: String) -> Raw {
        let figures = text
            .split_once("\nMedians [")
            .map_or("", |(_, table)| table)
            .lines()
            .skip(2)
            .map_while(figure)
            .collect();
        Raw { text, figures }
    }

    /// Returns a line of the head.
    pub(super) fn head(&self, name: &str) -> &str {
        let line = self.text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        line.unwrap_or("unknown")
    }

    /// Returns a figure of the benchmark.
    pub(super) fn get(&self, benchmark: &str, name: &str) -> Option<&Figure> {
        self.figures.iter().find(|f| f.benchmark == benchmark && f.name == name)
    }
}

/// Parses a line: the benchmark has 22 columns and the figure 11; a space follows each.
fn figure(line: &str) -> Option<Figure> {
    let (benchmark, rest) = line.split_at_checked(23)?;
    let (name, rest) = rest.split_at_checked(12)?;
    let mut words = rest.split_whitespace().peekable();
    let mut sample = || {
        let word = words.next()?;
        let range = words.next_if(|word| word.starts_with('['));
        Some((word.trim_end_matches('x').parse().ok(), range))
    };
    let ((ours, _), (theirs, _), (ratio, range)) = (sample()?, sample()?, sample()?);
    let ratio = ratio.zip(range).and_then(|(median, range)| {
        let (low, high) = range.trim_matches(['[', ']']).split_once("..")?;
        Some(Ratio { median, low: low.parse().ok()?, high: high.parse().ok()? })
    });
    let (benchmark, name) = (benchmark.trim().to_owned(), name.trim().to_owned());
    Some(Figure { benchmark, name, ours, theirs, ratio })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
load: 0.12
$ db_bench

Medians [lowest..highest]; ratio is ferrolith / rocksdb [of pairs]
benchmark              figure                             ferrolith                          rocksdb  ratio
seekrandomwhilewriting ops/sec           1209989 [1209989..1209989]          209961 [209961..209961]  5.76x [5.70..5.80]
readseq                peak RSS MB             18.21 [18.21..18.21]             32.95 [32.95..32.95]  0.55x [0.55..0.55]
readseq                P99 us                                   n/a                 1.00 [1.00..1.00]  n/a

";

    #[test]
    fn the_table_is_read_back() {
        let raw = Raw::of(TEXT.to_owned());
        assert_eq!(
            (raw.figures.len(), raw.head("load"), raw.head("commit")),
            (3, "0.12", "unknown")
        );
        let seeks = raw.get("seekrandomwhilewriting", "ops/sec").unwrap();
        assert_eq!(seeks.ours, Some(1_209_989.0));
        assert_eq!(seeks.ratio, Some(Ratio { median: 5.76, low: 5.7, high: 5.8 }));
        let p99 = raw.get("readseq", "P99 us").unwrap();
        assert_eq!((p99.ours, p99.theirs, p99.ratio), (None, Some(1.0), None));
        assert!(raw.get("readseq", "peak RSS MB").is_some());
    }
}
