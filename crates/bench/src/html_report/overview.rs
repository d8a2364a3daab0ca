//! The comparison of engines: for each figure a chart of ratios with intervals, one of values, and a table.
//!
//! Ratios are on a logarithmic axis around 1, so that twice as fast and half as fast are bars of equal length. A bar
//! has the colour of the engine that is better.

use super::data::Data;
use super::numbers::{figure, ratio};
use super::page::{class_of, source, sources};
use super::ratios::{Bar, Chart, Row};
use maud::{Markup, html};

/// The intervals of a chart are cut at this many doublings beyond its ratios.
const BEYOND: f64 = 1.0;

/// The engine of a comparison that is better, as far as one can say.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The difference is real, and this engine is better.
    Better(usize),
    /// The interval contains 1, or the difference is too small.
    NoDifference,
    /// Fewer than three runs on a side.
    TooFew,
}

/// The chart's axis, in doublings.
struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    fn new(chart: &Chart) -> Axis {
        let bars = chart.rows.iter().flat_map(|row| &row.bars);
        let judged = bars.filter_map(|bar| bar.judgement);
        let (mut low, mut high) = (-1.0_f64, 1.0_f64);
        for judgement in judged {
            let ratio = judgement.ratio.log2();
            let (from, to) =
                judgement.interval.map_or((ratio, ratio), |(a, b)| (a.log2(), b.log2()));
            low = low.min(ratio.min(from.max(ratio - BEYOND)));
            high = high.max(ratio.max(to.min(ratio + BEYOND)));
        }
        Axis { low: low.floor(), high: high.ceil() }
    }

    /// Returns the place of a ratio in percent of the axis.
    fn place(&self, ratio: f64) -> f64 {
        let at = (ratio.log2() - self.low) / (self.high - self.low);
        if at.is_nan() { 0.0 } else { at.clamp(0.0, 1.0) * 100.0 }
    }

    fn contains(&self, ratio: f64) -> bool {
        (self.low..=self.high).contains(&ratio.log2())
    }

    /// Returns the powers of two with a mark: not more than nine.
    fn marks(&self) -> Vec<f64> {
        let step = ((self.high - self.low) / 8.0).ceil().max(1.0) as i32;
        let all = (self.low as i32)..=(self.high as i32);
        all.filter(|power| power % step == 0).map(|power| 2f64.powi(power)).collect()
    }
}

impl Bar {
    /// Returns the verdict on this engine beside the baseline.
    pub fn verdict(&self, larger_is_better: bool, baseline: usize) -> Verdict {
        match self.judgement {
            Some(judgement) if judgement.real == Some(true) => {
                let wins = (judgement.ratio > 1.0) == larger_is_better;
                Verdict::Better(if wins { self.engine } else { baseline })
            }
            Some(judgement) if judgement.real.is_none() => Verdict::TooFew,
            _ => Verdict::NoDifference,
        }
    }
}

/// Returns the panels of all figures.
pub fn overview(data: &Data) -> Markup {
    html! {
        @if data.charts.is_empty() {
            p { "No run completed, so there is nothing to compare." }
        }
        @for (number, chart) in data.charts.iter().enumerate() {
            (panel(data, number, chart))
        }
    }
}

fn panel(data: &Data, number: usize, chart: &Chart) -> Markup {
    let compared = chart.rows.iter().any(|row| row.bars.iter().any(|bar| bar.judgement.is_some()));
    let title = title(&chart.figure);
    html! {
        section.panel.figure id={"figure-" (number)} data-name=(title) {
            h3 { (title) span.hint { @if chart.larger_is_better { " more is better" } @else { " less is better" } } }
            @if let Some(baseline) = data.baseline.filter(|_| compared) {
                div.view data-view="ratio" { (ratios(data, chart, baseline)) }
            }
            div.view data-view="values" { (values(data, chart)) }
            div.view data-view="table" { (table(data, chart)) }
        }
    }
}

/// Returns the heading of a figure.
pub fn title(figure: &str) -> String {
    let text = match figure {
        "throughput" => "Throughput".to_owned(),
        "CPU us/op" => "CPU time per operation (µs)".to_owned(),
        figure => match figure.strip_suffix(" us") {
            Some(percentile) => format!("Latency {percentile}"),
            None => figure.to_owned(),
        },
    };
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn name(data: &Data, row: &Row) -> Markup {
    html! {
        (data.results.measurements[row.measurement])
        @if !row.operation.is_empty() { " " b { (row.operation) } }
    }
}

fn ratios(data: &Data, chart: &Chart, baseline: usize) -> Markup {
    let axis = Axis::new(chart);
    let base = &data.labels[baseline];
    let others: Vec<&String> = data.labels.iter().filter(|label| *label != base).collect();
    let one = (data.labels.len() == 2).then(|| others[0].as_str());
    let (left, right) = if chart.larger_is_better {
        (base.as_str(), one.unwrap_or("the other"))
    } else {
        (one.unwrap_or("the other"), base.as_str())
    };
    html! {
        div.bars {
            div.bar.head {
                span.name {}
                span.track aria-hidden="true" {
                    span.end.left { "← " (left) " better" }
                    span.end.right { (right) " better →" }
                }
                span.figure { }
            }
            @for row in &chart.rows {
                @for bar in row.bars.iter().filter(|bar| bar.judgement.is_some()) {
                    (ratio_row(data, chart, row, bar, (&axis, baseline, one.is_none())))
                }
            }
            div.bar.foot aria-hidden="true" {
                span.name {}
                span.track {
                    @for mark in axis.marks() {
                        span.mark style={"left:" (axis.place(mark)) "%"} { (fraction(mark)) }
                    }
                }
                span.figure {}
            }
        }
        p.caption {
            "Ratio " (one.unwrap_or("of each engine")) " to " (base)
            ", geometric means, on a logarithmic axis. Lines: intervals at "
            (format!("{:.1}", data.rule.confidence * 100.0)) " % confidence for all rows of this chart together. "
            "Full colour: a real difference, in the colour of the better engine. Pale: no real difference, or fewer than three runs."
        }
    }
}

fn ratio_row(
    data: &Data,
    chart: &Chart,
    row: &Row,
    bar: &Bar,
    (axis, baseline, name_engine): (&Axis, usize, bool),
) -> Markup {
    let Some(judgement) = bar.judgement else { return html! {} };
    let verdict = bar.verdict(chart.larger_is_better, baseline);
    let leads = (judgement.ratio >= 1.0) == chart.larger_is_better;
    let colour = data.colours[if leads { bar.engine } else { baseline }];
    let (one, end) = (axis.place(1.0), axis.place(judgement.ratio));
    let base = row.bars.iter().find(|bar| bar.engine == baseline);
    let records: Vec<usize> =
        bar.records.iter().chain(base.iter().flat_map(|base| &base.records)).copied().collect();
    let (a, b) = judgement.medians;
    let is_real = matches!(verdict, Verdict::Better(_));
    html! {
        button.bar.row type="button" data-records=(sources(&records)) title=(source(data, &records)) {
            span.name {
                (name(data, row))
                @if name_engine { " " span.engine.(class_of(data, bar.engine)) { (data.labels[bar.engine]) } }
            }
            span.track aria-hidden="true" {
                span.one style={"left:" (one) "%"} {}
                span.fill.{"c" (colour)}.pale[!is_real]
                    style={"left:" (one.min(end)) "%;width:" ((one - end).abs()) "%"} {}
                @if let Some((low, high)) = judgement.interval {
                    span.whisker.open-low[!axis.contains(low)].open-high[!axis.contains(high)]
                        style={"left:" (axis.place(low)) "%;width:" (axis.place(high) - axis.place(low)) "%"} {}
                }
            }
            span.figure {
                b { (ratio(judgement.ratio)) }
                @match verdict {
                    Verdict::Better(engine) => span.verdict { (data.labels[engine]) " better" },
                    Verdict::NoDifference => span.verdict.none { "no real difference" },
                    Verdict::TooFew => span.verdict.none { "too few runs" },
                }
                span.values { (shown(chart, a)) " : " (shown(chart, b)) (unit(row)) }
            }
        }
    }
}

fn shown(chart: &Chart, value: f64) -> String {
    figure(&chart.figure, value)
}

fn unit(row: &Row) -> Markup {
    html! { @if !row.unit.is_empty() { " " (row.unit) } }
}

/// Returns a power of two as text.
fn fraction(power: f64) -> String {
    if power >= 1.0 { format!("{power}") } else { format!("1/{}", 1.0 / power) }
}

fn values(data: &Data, chart: &Chart) -> Markup {
    html! {
        div.bars.absolute {
            @for row in &chart.rows {
                @let most = row.bars.iter().map(|bar| bar.range().1).fold(1e-300, f64::max);
                div.group {
                    div.name { (name(data, row)) }
                    @for bar in &row.bars { (value_row(data, chart, row, bar, most)) }
                }
            }
        }
        p.caption {
            "Medians of the runs; lines show the smallest and the largest run. Each workload has its own axis, which begins at 0."
        }
    }
}

fn value_row(data: &Data, chart: &Chart, row: &Row, bar: &Bar, most: f64) -> Markup {
    let place = |value: f64| value / most * 100.0;
    let (low, high) = bar.range();
    html! {
        button.bar.row type="button" data-records=(sources(&bar.records)) title=(source(data, &bar.records)) {
            span.engine.(class_of(data, bar.engine)) { (data.labels[bar.engine]) }
            span.track aria-hidden="true" {
                span.fill.{"c" (data.colours[bar.engine])} style={"left:0;width:" (place(bar.median)) "%"} {}
                @if bar.values.len() > 1 {
                    span.whisker style={"left:" (place(low)) "%;width:" (place(high) - place(low)) "%"} {}
                }
            }
            span.figure {
                b { (shown(chart, bar.median)) (unit(row)) }
                span.values { (bar.values.len()) @if bar.values.len() == 1 { " run" } @else { " runs" } }
            }
        }
    }
}

fn table(data: &Data, chart: &Chart) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label={"Table: " (title(&chart.figure))} {
            table {
                thead {
                    tr {
                        th { "Workload" } th { "Engine" } th.n { "Median" } th.n { "Smallest" } th.n { "Largest" }
                        th.n { "Runs" } th.n { "Ratio" } th.n { "Interval" } th { "Verdict" } th { "Sources" }
                    }
                }
                tbody {
                    @for row in &chart.rows {
                        @for bar in &row.bars { (table_row(data, chart, row, bar)) }
                    }
                }
            }
        }
    }
}

fn table_row(data: &Data, chart: &Chart, row: &Row, bar: &Bar) -> Markup {
    let (low, high) = bar.range();
    html! {
        tr data-records=(sources(&bar.records)) data-value=(bar.median) {
            td { (name(data, row)) }
            td { span.engine.(class_of(data, bar.engine)) { (data.labels[bar.engine]) } }
            td.n { (shown(chart, bar.median)) (unit(row)) }
            td.n { (shown(chart, low)) }
            td.n { (shown(chart, high)) }
            td.n { (bar.values.len()) }
            @match (bar.judgement, data.baseline) {
                (Some(judgement), Some(baseline)) => {
                    td.n { (ratio(judgement.ratio)) }
                    td.n {
                        @match judgement.interval {
                            Some((low, high)) => { (ratio(low)) " to " (ratio(high)) },
                            None => "–",
                        }
                    }
                    td {
                        @match bar.verdict(chart.larger_is_better, baseline) {
                            Verdict::Better(engine) => { (data.labels[engine]) " better" },
                            Verdict::NoDifference => "no real difference",
                            Verdict::TooFew => "too few runs",
                        }
                        @if bar.is_paired && bar.values.len() > 2 { ", pairs" }
                    }
                },
                _ => { td.n {} td.n {} td {} },
            }
            td { button.source type="button" data-records=(sources(&bar.records)) { (source(data, &bar.records)) } }
        }
    }
}
