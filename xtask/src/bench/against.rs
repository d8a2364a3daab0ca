//! The comparison of two builds of Ferrolith: rows and phases with the ratio of the later build to the earlier one.

use super::cold_rows::{COLD_DUELS, COLD_ROWS};
use super::duel;
use super::report;
use super::rows::{DUELS, ROWS};
use std::path::Path;

/// One measured workload.
struct Line {
    name: String,
    /// Operations per second of the later build, divided by those of the earlier one.
    ratio: f64,
    /// The lowest and the highest ratio of a pair.
    range: (f64, f64),
}

/// Returns the table of all rows and duels in a directory of results, and its summary.
pub(super) fn text(out: &Path) -> String {
    let rows = ROWS.iter().chain(COLD_ROWS).filter_map(|row| {
        let raw = report::read(out, row.name)?;
        let ratio = raw.get(row.judged, "ops/sec")?.ratio?;
        let (name, range) = (row.name.to_owned(), (ratio.low, ratio.high));
        Some(Line { name, ratio: ratio.median, range })
    });
    let duels = DUELS.iter().chain(COLD_DUELS).filter_map(|duel| {
        let raw = report::read(out, &format!("duel-{}", duel.name))?;
        Some(duel.phases.iter().filter_map(move |phase| {
            let (ratio, low, high) = duel::rate(&raw, phase.name)?;
            let name = format!("duel {} {}", duel.name, phase.name);
            Some(Line { name, ratio, range: (low, high) })
        }))
    });
    table(rows.chain(duels.flatten()).collect())
}

fn table(lines: Vec<Line>) -> String {
    let mut text = format!("{:<40}{:>8}  [pairs]\n", "operations/s, later to earlier", "ratio");
    for Line { name, ratio, range: (low, high) } in &lines {
        text += &format!("{name:<40}{ratio:>8.3}  [{low:.3}..{high:.3}]\n");
    }
    let mut ratios: Vec<f64> = lines.iter().map(|line| line.ratio).collect();
    ratios.sort_by(f64::total_cmp);
    if let (Some(lowest), Some(median)) = (ratios.first(), ratios.get(ratios.len() / 2)) {
        text += &format!("median of {} rows {median:.3}, lowest {lowest:.3}\n", ratios.len());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_has_the_median_and_the_lowest_ratio() {
        let line = |name: &str, ratio| Line { name: name.to_owned(), ratio, range: (0.5, 2.0) };
        let text = table(vec![line("b", 1.1), line("a", 0.9), line("c", 1.0)]);
        assert!(
            text.contains("a                                          0.900  [0.500..2.000]"),
            "{text}"
        );
        assert!(text.ends_with("median of 3 rows 1.000, lowest 0.900\n"), "{text}");
        assert!(!table(Vec::new()).contains("median"), "nothing was measured");
    }
}
