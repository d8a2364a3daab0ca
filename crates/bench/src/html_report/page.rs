//! The frame of the page: head, tabs, the data for the script, and helpers of all parts.

use super::data::Data;
use super::{heat, overview, tables, verdicts};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::Value;
use std::hash::{BuildHasher, RandomState};

const STYLE: &str = include_str!("../../assets/report.css");
const SCRIPT: &str = include_str!("../../assets/report.js");
/// uPlot 1.6.32, MIT: docs/report.md says how to update it.
const CHARTS: &str = include_str!("../../assets/uPlot.iife.min.js");
const CHARTS_STYLE: &str = include_str!("../../assets/uPlot.min.css");

/// The number of file names in a tip.
const SHOWN: usize = 4;

/// Returns a number that no text of the results can know. Scripts run only with it.
pub fn nonce() -> String {
    let half = || RandomState::new().hash_one(0);
    format!("{:016x}{:016x}", half(), half())
}

/// Returns the page.
pub fn html(data: &Data, title: Option<&str>, nonce: &str) -> String {
    let title = title.map_or_else(|| data.labels.join(" and "), str::to_owned);
    let policy = format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-{nonce}'; img-src data:; base-uri 'none'; form-action 'none'"
    );
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content={"ferrolith-bench " (env!("CARGO_PKG_VERSION"))};
                title { (title) " – benchmark report" }
                link rel="icon" href="data:,";
                style { (PreEscaped(CHARTS_STYLE)) (PreEscaped(STYLE)) }
            }
            body {
                (header(data, &title))
                main { @for tab in tabs(data) { (tab.section()) } }
                (trace())
                script type="application/json" id="data" nonce=(nonce) { (PreEscaped(embedded(&data.json()))) }
                script nonce=(nonce) { (PreEscaped(CHARTS)) }
                script nonce=(nonce) { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

/// Returns JSON that cannot end its script element, whatever its strings contain.
pub fn embedded(value: &Value) -> String {
    let text = value.to_string();
    text.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

struct Tab {
    id: &'static str,
    name: &'static str,
    body: Markup,
}

impl Tab {
    fn section(&self) -> Markup {
        html! {
            section.tab id=(self.id) aria-label=(self.name) { h2 { (self.name) } (self.body) }
        }
    }
}

fn tabs(data: &Data) -> Vec<Tab> {
    let mut tabs = vec![
        Tab {
            id: "overview",
            name: "Overview",
            body: html! {
                (verdicts::summary(data))
                (with_controls("figure", overview::overview(data)))
            },
        },
        Tab { id: "time", name: "Over time", body: tables::time(data) },
        Tab { id: "latency", name: "Latency", body: tables::latency(data) },
        Tab { id: "sweeps", name: "Sweeps", body: heat::sweeps(data) },
        Tab { id: "costs", name: "Costs", body: tables::costs(data) },
        Tab { id: "results", name: "All results", body: tables::results(data) },
        Tab { id: "environment", name: "Environment", body: tables::environment(data) },
        Tab { id: "commands", name: "Commands", body: tables::commands(data) },
    ];
    let problems = tables::problems(data);
    if let Some(body) = problems {
        tabs.push(Tab { id: "problems", name: "Problems", body });
    }
    tabs.retain(|tab| match tab.id {
        "time" => !data.series.is_empty(),
        "latency" => !data.curves.is_empty(),
        "sweeps" => !data.sweeps.is_empty(),
        _ => true,
    });
    tabs
}

/// Adds a place where the script puts the controls of panels.
fn with_controls(name: &str, body: Markup) -> Markup {
    html! { div.controls data-for=(name) {} (body) }
}

fn header(data: &Data, title: &str) -> Markup {
    let times = data.results.records.iter().filter_map(|record| record.object["time"].as_str());
    let (first, last) = (times.clone().min(), times.max());
    let results = data.results.records.len();
    let (incomplete, problems) = (data.incomplete(), data.sources.problems.len());
    let cut_short = data.cut_short().count();
    let warnings: Vec<String> = [
        (incomplete, "result that is not complete", "results that are not complete"),
        (cut_short, "run that was cut short", "runs that were cut short"),
        (problems, "line or file that could not be read", "lines or files that could not be read"),
    ]
    .iter()
    .filter(|(number, _, _)| *number > 0)
    .map(|(number, one, many)| format!("{number} {}", if *number == 1 { one } else { many }))
    .collect();
    html! {
        header.top {
            h1 { (title) }
            p.sub {
                @for (engine, label) in data.labels.iter().enumerate() {
                    span.engine.(class_of(data, engine)) { (label) } " "
                }
            }
            p.sub {
                (count(results, "result")) " of " (count(data.results.measurements.len(), "measurement"))
                @if let (Some(first), Some(last)) = (first, last) {
                    ", " (first) @if first != last { " to " (last) }
                }
                @if let Some(machine) = machine(data) { " · " (machine) }
            }
            @if incomplete + problems + cut_short > 0 {
                p.warning {
                    a href="#problems" { (warnings.join(", ")) } ". Incomplete results are marked, and left out of comparisons."
                }
            }
            @if data.has_debug_builds() {
                p.warning { "Some runs were made with a debug build. Their figures say nothing about speed." }
            }
            noscript { p.warning { "Without JavaScript there are no line charts; all tables, bars and heat maps are below." } }
            nav { div #tabs role="tablist" aria-label="Parts of the report" {} div #theme {} }
        }
    }
}

/// Returns a number of things.
pub fn count(number: usize, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

/// Returns the machine of the first run: processor, cores, kernel.
pub fn machine(data: &Data) -> Option<String> {
    let in_line = data.results.records.iter().map(|record| &record.object["host"]);
    let in_run = data.sources.runs.iter().map(|run| &run.environment["host"]);
    let host = in_run.chain(in_line).find(|host| host.is_object())?;
    let text = |field: &str| host[field].as_str().map(str::to_owned);
    let cores = host["cores"].as_u64().or(host["cpus"].as_u64());
    let cores = cores.map(|cores| count(cores as usize, "core"));
    let kernel = text("kernel").map(|kernel| format!("Linux {kernel}"));
    let parts: Vec<String> = [text("cpu"), cores, kernel].into_iter().flatten().collect();
    Some(parts.join(", ")).filter(|text| !text.is_empty())
}

/// The place that shows where a number came from.
fn trace() -> Markup {
    html! {
        div #trace role="dialog" aria-label="Where this number comes from" tabindex="-1" hidden {
            button.close type="button" aria-label="Close" { "×" }
            div.body {}
        }
        div #tip role="status" hidden {}
    }
}

/// Returns the class of an engine's colour.
pub fn class_of(data: &Data, engine: usize) -> String {
    format!("c{}", data.colours[engine])
}

/// Returns the numbers of records for the script.
pub fn sources(records: &[usize]) -> String {
    records.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// Returns the files and lines of records.
pub fn source(data: &Data, records: &[usize]) -> String {
    let mut places: Vec<String> = records.iter().take(SHOWN).map(|at| data.place(*at)).collect();
    if records.len() > SHOWN {
        places.push(format!("and {} more", records.len() - SHOWN));
    }
    places.join(", ")
}
