//! The charts: rows of a table as bars of their ratios, with the range of the pairs.

use super::raw::Ratio;
use super::report::{digits, read};
use super::rows::ROWS;
use std::fmt::Write as _;
use std::path::Path;

/// The rows in the chart of the README, including the largest and the narrowest wins, and their names there.
const DRAWN: [(&str, &str); 6] = [
    ("fillrandom", "write, random keys"),
    ("fillsync-16", "write and sync, 16 threads"),
    ("reads-16-100", "point reads, cached"),
    ("pread", "point reads, data beyond the cache"),
    ("range-20", "seek and 20 entries"),
    ("writing-2", "reads beside a writer"),
];

const LABELS: f64 = 250.0;
const UNIT: f64 = 90.0;
const ROW: f64 = 34.0;
const TOP: f64 = 46.0;

/// One row in a chart.
pub(super) struct Bar {
    pub(super) label: &'static str,
    pub(super) ratio: Ratio,
    pub(super) ours: f64,
    pub(super) theirs: f64,
}

/// Returns the chart, or `None` while one of its rows is not measured.
pub(super) fn svg(out: &Path) -> Option<String> {
    let bars: Option<Vec<Bar>> = DRAWN.iter().map(|(name, label)| bar(out, name, label)).collect();
    Some(draw(&bars?))
}

fn bar(out: &Path, name: &str, label: &'static str) -> Option<Bar> {
    let row = ROWS.iter().find(|row| row.name == name)?;
    let raw = read(out, row.name)?;
    let figure = raw.get(row.judged, "ops/sec")?;
    Some(Bar { label, ratio: figure.ratio?, ours: figure.ours?, theirs: figure.theirs? })
}

/// Draws the bars below each other.
pub(super) fn draw(bars: &[Bar]) -> String {
    let most = bars.iter().map(|bar| bar.ratio.high).fold(1.0, f64::max).ceil();
    let (width, height) = (LABELS + most * UNIT + 190.0, TOP + bars.len() as f64 * ROW + 14.0);
    let bottom = height - 14.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
         <text x=\"12\" y=\"20\" font-weight=\"bold\">Operations per second, Ferrolith to RocksDB 10.10.1</text>\n\
         <text x=\"12\" y=\"37\" fill=\"#666666\">medians; lines show the lowest and highest pair of runs</text>\n"
    );
    for (i, bar) in bars.iter().enumerate() {
        let y = TOP + i as f64 * ROW;
        let middle = y + 13.0;
        let (end, low, high) = (
            LABELS + bar.ratio.median * UNIT,
            LABELS + bar.ratio.low * UNIT,
            LABELS + bar.ratio.high * UNIT,
        );
        let _ = writeln!(
            out,
            "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{}</text>\n\
             <rect x=\"{LABELS}\" y=\"{:.0}\" width=\"{:.0}\" height=\"18\" fill=\"#b5532a\"/>\n\
             <path d=\"M{low:.0} {middle:.0}H{high:.0}\" stroke=\"#3b1a0c\" stroke-width=\"2\"/>\n\
             <text x=\"{:.0}\" y=\"{:.0}\"><tspan font-weight=\"bold\">{:.2}</tspan> \
             <tspan fill=\"#666666\">{} : {}</tspan></text>",
            LABELS - 10.0,
            middle + 5.0,
            bar.label,
            y + 4.0,
            end - LABELS,
            high.max(end) + 8.0,
            middle + 5.0,
            bar.ratio.median,
            digits(bar.ours),
            digits(bar.theirs),
        );
    }
    let x = LABELS + UNIT;
    let _ = writeln!(
        out,
        "<path d=\"M{x} {}V{bottom}\" stroke=\"#222222\" stroke-dasharray=\"4 3\"/>\n\
         <text x=\"{}\" y=\"{}\" fill=\"#222222\">RocksDB</text>\n</svg>",
        TOP - 4.0,
        x + 4.0,
        height - 2.0,
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_has_rows_that_exist_and_scales_to_them() {
        assert!(DRAWN.iter().all(|(name, _)| ROWS.iter().any(|row| row.name == *name)));
        let ratio = Ratio { median: 2.0, low: 1.5, high: 3.2 };
        let text = draw(&[Bar { label: "reads", ratio, ours: 2_000_000.0, theirs: 1_000_000.0 }]);
        assert!(text.contains(">reads</text>") && text.contains("2,000,000 : 1,000,000"), "{text}");
        assert!(text.contains("width=\"180\""), "a bar of twice the unit: {text}");
    }
}
