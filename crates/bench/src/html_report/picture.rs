//! The picture for a README: the ratio of each workload's throughput with its interval, on a logarithmic axis.
//!
//! It is an SVG that needs no script, and follows the reader's preference for a dark page.

use super::data::Data;
use super::numbers::{plain, ratio};
use super::overview::Verdict;
use super::page::machine;
use super::ratios::{Bar, Chart, Row};
use super::sizes::sizes;
use maud::{Markup, PreEscaped, html};

/// The width of the whole picture, in pixels.
const WIDTH: f64 = 975.0;
/// Where the axis begins and ends.
const AXIS: (f64, f64) = (330.0, 630.0);
/// Where the columns of ratios, intervals and medians begin.
const COLUMNS: [f64; 3] = [644.0, 688.0, 776.0];
/// The height of a row.
const ROW: f64 = 22.0;
/// The height of the heading, without the lines about the workloads.
const TOP: f64 = 84.0;
/// The height of a line about the workloads, and characters that fit in it.
const ABOUT: (f64, usize) = (17.0, 145);
/// Characters of a name that fit.
const NAME: usize = 48;

const STYLE: &str = "\
text{font:12px system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;fill:#1d2329}\
.t{font-size:15px;font-weight:600}.m{fill:#59636e}.b{font-weight:600}\
.back{fill:#ffffff}.grid{stroke:#d8dde3}.one{stroke:#1d2329}.i{stroke:#1d2329;stroke-width:1.5}\
.c0{fill:#b5532a}.c1{fill:#2b6cb0}.c2{fill:#0f7b62}.c3{fill:#8a3fa8}.c4{fill:#a3742a}.c5{fill:#b02a5b}.c6{fill:#5b6b00}.c7{fill:#6650a8}\
.pale{opacity:.38}\
@media (prefers-color-scheme:dark){text{fill:#e6e9ed}.m{fill:#9aa5b1}.back{fill:#0d1117}.grid{stroke:#30363d}.one,.i{stroke:#e6e9ed}\
.c0{fill:#e58a5f}.c1{fill:#6aa9e9}.c2{fill:#4cc3a4}.c3{fill:#c98be2}.c4{fill:#d6ab5c}.c5{fill:#ee7fa6}.c6{fill:#b4c43c}.c7{fill:#b4a5ea}}";

/// Places of ratios on the axis.
struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    fn x(&self, ratio: f64) -> f64 {
        let at = (ratio.log2() - self.low) / (self.high - self.low);
        AXIS.0 + at.clamp(0.0, 1.0) * (AXIS.1 - AXIS.0)
    }
}

/// Returns the picture.
///
/// # Errors
/// There are not two engines with a common workload.
pub fn svg(data: &Data, title: Option<&str>) -> Result<String, String> {
    let missing = || "--svg: expected results of two engines with a common workload".to_owned();
    let baseline = data.baseline.ok_or_else(missing)?;
    let chart =
        data.charts.iter().find(|chart| chart.figure == "throughput").ok_or_else(missing)?;
    let bars: Vec<(&Row, &Bar)> = judged(chart);
    if bars.is_empty() {
        return Err(missing());
    }
    Ok(draw(data, title, baseline, &bars).into_string())
}

fn judged(chart: &Chart) -> Vec<(&Row, &Bar)> {
    let of = |row| -> Vec<(&Row, &Bar)> {
        let row: &Row = row;
        row.bars.iter().filter(|bar| bar.judgement.is_some()).map(|bar| (row, bar)).collect()
    };
    chart.rows.iter().flat_map(of).collect()
}

/// Returns the axis: all ratios, and the intervals as far as one doubling beyond.
fn axis(bars: &[(&Row, &Bar)]) -> Axis {
    let (mut low, mut high) = (-1.0_f64, 1.0_f64);
    for judgement in bars.iter().filter_map(|(_, bar)| bar.judgement) {
        let at = judgement.ratio.log2();
        let (from, to) = judgement.interval.map_or((at, at), |(a, b)| (a.log2(), b.log2()));
        low = low.min(at.min(from.max(at - 1.0)));
        high = high.max(at.max(to.min(at + 1.0)));
    }
    Axis { low: low.floor(), high: high.ceil() }
}

fn draw(data: &Data, title: Option<&str>, baseline: usize, bars: &[(&Row, &Bar)]) -> Markup {
    let axis = axis(bars);
    let about = lines(&description(data, bars));
    let top = TOP + about.len() as f64 * ABOUT.0;
    let bottom = top + bars.len() as f64 * ROW + 6.0;
    let height = bottom + 44.0;
    let base = &data.labels[baseline];
    let others: Vec<&str> =
        data.labels.iter().filter(|label| *label != base).map(String::as_str).collect();
    let heading = format!("Throughput of {} relative to {base}", others.join(", "));
    let times = data.results.records.iter().filter_map(|record| record.object["time"].as_str());
    let date = times.min().and_then(|time| time.get(..10)).unwrap_or("date unknown");
    let machine = machine(data).unwrap_or("machine unknown".to_owned());
    let confidence = format!("{:.1}", data.rule.confidence * 100.0);
    let name_engine = others.len() > 1;
    html! {
        svg xmlns="http://www.w3.org/2000/svg" width=(WIDTH) height=(height)
            viewBox={"0 0 " (WIDTH) " " (height)} role="img" aria-labelledby="title" {
            title id="title" { (title.unwrap_or(&heading)) }
            style { (PreEscaped(STYLE)) }
            rect.back width="100%" height="100%" rx="6" {}
            text.t x="16" y="26" { (title.unwrap_or(&heading)) }
            text.m x="16" y="46" { (date) ", " (machine) }
            @for (at, line) in about.iter().enumerate() {
                text.m x="16" y=(46.0 + (at + 1) as f64 * ABOUT.0) { (line) }
            }
            @for (x, name) in COLUMNS.iter().zip(["ratio", "interval", "medians"]) {
                text.m x=(x) y=(top - 10.0) { (name) }
            }
            text.m x=(axis.x(1.0) - 8.0) y=(top - 10.0) text-anchor="end" { "← " (base) " faster" }
            text.m x=(axis.x(1.0) + 8.0) y=(top - 10.0) { (if name_engine { "faster than it" } else { others.first().copied().unwrap_or("") }) @if !name_engine { " faster" } " →" }
            (grid(&axis, (top, bottom)))
            @for (at, (row, bar)) in bars.iter().enumerate() {
                (line(data, baseline, &axis, (top + at as f64 * ROW, row, bar, name_engine)))
            }
            text.m x="16" y=(height - 12.0) {
                "Ratio: of the geometric means. Interval, also as a line: at " (confidence)
                " % confidence for all rows together. Pale: no real difference, or too few runs."
            }
        }
    }
}

/// Returns what the heading says about runs and workloads.
fn description(data: &Data, bars: &[(&Row, &Bar)]) -> Vec<String> {
    let counts = || bars.iter().map(|(_, bar)| bar.values.len());
    let (least, most) = (counts().min().unwrap_or(0), counts().max().unwrap_or(0));
    let number = if least == most { most.to_string() } else { format!("{least} to {most}") };
    let is_paired = bars.iter().all(|(_, bar)| bar.is_paired);
    let what = if is_paired { "pair" } else { "run" };
    let plural = if most == 1 { "" } else { "s" };
    let of_each = if is_paired { "" } else { " of each engine" };
    let mut parts = vec![format!("{number} {what}{plural}{of_each}")];
    parts.extend(sizes(data, bars));
    parts
}

/// Joins the parts in lines that fit.
fn lines(parts: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if line.chars().count() + part.chars().count() + 2 <= ABOUT.1 => {
                line.push_str("; ");
                line.push_str(part);
            }
            _ => lines.push(part.clone()),
        }
    }
    lines
}

fn grid(axis: &Axis, (top, bottom): (f64, f64)) -> Markup {
    let step = ((axis.high - axis.low) / 8.0).ceil().max(1.0) as i32;
    let powers = (axis.low as i32..=axis.high as i32).filter(|power| power % step == 0);
    html! {
        @for power in powers {
            @let x = axis.x(2f64.powi(power));
            line.{(if power == 0 { "one" } else { "grid" })} x1=(x) x2=(x) y1=(top - 4.0) y2=(bottom) {}
            text.m x=(x) y=(bottom + 14.0) text-anchor="middle" {
                (if power >= 0 { format!("{}×", 2f64.powi(power)) } else { format!("1/{}×", 2f64.powi(-power)) })
            }
        }
    }
}

fn line(
    data: &Data,
    baseline: usize,
    axis: &Axis,
    (y, row, bar, name_engine): (f64, &Row, &Bar, bool),
) -> Markup {
    let Some(judgement) = bar.judgement else { return html! {} };
    let verdict = bar.verdict(true, baseline);
    let colour = data.colours[if judgement.ratio >= 1.0 { bar.engine } else { baseline }];
    let (one, end, middle) = (axis.x(1.0), axis.x(judgement.ratio), y + ROW / 2.0);
    let mut name = data.results.measurements[row.measurement].clone();
    if name_engine {
        name = format!("{name}, {}", data.labels[bar.engine]);
    }
    let (a, b) = judgement.medians;
    let unit = row.unit.replace("documents", "docs");
    html! {
        text x=(AXIS.0 - 12.0) y=(middle + 4.0) text-anchor="end" { title { (name) } (shortened(&name)) }
        rect.{"c" (colour)}.pale[!matches!(verdict, Verdict::Better(_))] x=(rounded(one.min(end)))
            y=(y + 4.0) width=(rounded((one - end).abs().max(1.0))) height=(ROW - 8.0) {}
        @if let Some((low, high)) = judgement.interval {
            line.i x1=(rounded(axis.x(low))) x2=(rounded(axis.x(high))) y1=(middle) y2=(middle) {}
        }
        text.b x=(COLUMNS[0]) y=(middle + 4.0) { (ratio(judgement.ratio)) }
        @if let Some((low, high)) = judgement.interval {
            text.m x=(COLUMNS[1]) y=(middle + 4.0) { (ratio(low)) "–" (ratio(high)) }
        }
        text.m x=(COLUMNS[2]) y=(middle + 4.0) { (plain(a)) " : " (plain(b)) " " (unit) }
    }
}

fn rounded(x: f64) -> f64 {
    (x * 10.0).round() / 10.0
}

fn shortened(name: &str) -> String {
    if name.chars().count() <= NAME {
        return name.to_owned();
    }
    name.chars().take(NAME - 1).chain(['…']).collect()
}
