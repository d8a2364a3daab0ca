//! The verdicts of all charts, counted: how often each engine is better, and where. Losses are as plain as wins.

use super::data::Data;
use super::numbers::ratio;
use super::overview::{Verdict, title};
use super::page::class_of;
use super::ratios::{Bar, Chart, Row};
use maud::{Markup, html};

/// Lists of at most this many differences are shown without a click.
const SHOWN: usize = 12;

/// The verdicts of some charts.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Comparisons in which each engine is better.
    pub better: Vec<usize>,
    /// Comparisons without a real difference.
    pub equal: usize,
    /// Comparisons with fewer than three runs on a side.
    pub too_few: usize,
}

/// A real difference.
struct Win<'a> {
    /// The number of the chart.
    chart: usize,
    row: &'a Row,
    /// The engine that is worse.
    other: usize,
    /// How many times better, at least 1.
    factor: f64,
}

impl Tally {
    /// Counts the verdicts of charts.
    pub fn of<'a>(
        charts: impl Iterator<Item = &'a Chart>,
        engines: usize,
        baseline: usize,
    ) -> Tally {
        let mut tally = Tally { better: vec![0; engines], ..Tally::default() };
        for chart in charts {
            for (_, bar) in compared(chart) {
                match bar.verdict(chart.larger_is_better, baseline) {
                    Verdict::Better(engine) => tally.better[engine] += 1,
                    Verdict::NoDifference => tally.equal += 1,
                    Verdict::TooFew => tally.too_few += 1,
                }
            }
        }
        tally
    }

    fn is_empty(&self) -> bool {
        self.better.iter().sum::<usize>() + self.equal + self.too_few == 0
    }
}

fn compared(chart: &Chart) -> impl Iterator<Item = (&Row, &Bar)> {
    let bars = chart.rows.iter().flat_map(|row| row.bars.iter().map(move |bar| (row, bar)));
    bars.filter(|(_, bar)| bar.judgement.is_some())
}

/// Returns the real differences in which an engine is better, chart by chart, the largest first.
fn wins(data: &Data, engine: usize, baseline: usize) -> Vec<Win<'_>> {
    let mut all = Vec::new();
    for (number, chart) in data.charts.iter().enumerate() {
        let mut wins: Vec<Win<'_>> = compared(chart)
            .filter(|(_, bar)| {
                bar.verdict(chart.larger_is_better, baseline) == Verdict::Better(engine)
            })
            .filter_map(|(row, bar)| {
                let ratio = bar.judgement?.ratio;
                let other = if engine == baseline { bar.engine } else { baseline };
                Some(Win { chart: number, row, other, factor: ratio.max(1.0 / ratio) })
            })
            .collect();
        wins.sort_by(|a, b| b.factor.total_cmp(&a.factor));
        all.extend(wins);
    }
    all
}

/// Returns the summary above the charts; nothing if no engines were compared.
pub fn summary(data: &Data) -> Markup {
    let Some(baseline) = data.baseline else { return html! {} };
    let engines = data.labels.len();
    let of = |is_wanted: &dyn Fn(&&Chart) -> bool| {
        Tally::of(data.charts.iter().filter(is_wanted), engines, baseline)
    };
    let throughput = of(&|chart| chart.figure == "throughput");
    let others = of(&|chart| chart.figure != "throughput");
    let wins: Vec<Vec<Win<'_>>> = (0..engines).map(|engine| wins(data, engine, baseline)).collect();
    let open = wins.iter().map(Vec::len).sum::<usize>() <= SHOWN;
    html! {
        @if !throughput.is_empty() || !others.is_empty() {
            div #verdicts {
                (sentence(data, "Throughput", &throughput))
                (sentence(data, "All other figures", &others))
                details {
                    summary { "Verdicts by figure" }
                    (by_figure(data, baseline))
                }
                @for (engine, wins) in wins.iter().enumerate() {
                    @if !wins.is_empty() {
                        details open[open] {
                            summary {
                                "Where " span.engine.(class_of(data, engine)) { (data.labels[engine]) } " is better: "
                                (wins.len())
                            }
                            (list(data, wins))
                        }
                    }
                }
            }
        }
    }
}

/// Counts in one sentence, every engine in the same words.
fn sentence(data: &Data, what: &str, tally: &Tally) -> Markup {
    html! {
        @if !tally.is_empty() {
            p {
                b { (what) } ": "
                @for (label, count) in data.labels.iter().zip(&tally.better) {
                    (label) " is better in " b { (count) } ", "
                }
                "no real difference in " b { (tally.equal) }
                @if tally.too_few > 0 { ", too few runs in " b { (tally.too_few) } }
                "."
            }
        }
    }
}

fn by_figure(data: &Data, baseline: usize) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Table: verdicts by figure" {
            table {
                thead { tr {
                    th { "Figure" }
                    @for (engine, label) in data.labels.iter().enumerate() {
                        th.n { span.engine.(class_of(data, engine)) { (label) } " better" }
                    }
                    th.n { "No real difference" } th.n { "Too few runs" }
                } }
                tbody {
                    @for (number, chart) in data.charts.iter().enumerate() {
                        @let tally = Tally::of(std::iter::once(chart), data.labels.len(), baseline);
                        @if !tally.is_empty() {
                            tr {
                                td { (link(number, chart)) }
                                @for count in &tally.better { td.n { (count) } }
                                td.n { (tally.equal) } td.n { (tally.too_few) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn link(number: usize, chart: &Chart) -> Markup {
    html! { a href={"#figure-" (number)} { (title(&chart.figure)) } }
}

fn list(data: &Data, wins: &[Win<'_>]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Table: real differences" {
            table {
                thead { tr { th { "Figure" } th { "Workload" } th.n { "Times better" } th { "Than" } } }
                tbody {
                    @for win in wins {
                        tr {
                            td { (link(win.chart, &data.charts[win.chart])) }
                            td {
                                (data.results.measurements[win.row.measurement])
                                @if !win.row.operation.is_empty() { " " b { (win.row.operation) } }
                            }
                            td.n { (ratio(win.factor)) }
                            td { (data.labels[win.other]) }
                        }
                    }
                }
            }
        }
    }
}
