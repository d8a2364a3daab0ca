//! The tables of the page: latencies, time lines in summary, costs, all results, environments, commands, problems.

use super::curves::Curve;
use super::data::Data;
use super::numbers::{bytes, figure, micros, plain};
use super::page::{class_of, count, source, sources};
use super::ratios::median;
use super::results::Record;
use super::timeline::Series;
use maud::{Markup, html};
use serde_json::Value;
use std::collections::BTreeMap;

/// How a cost is shown.
#[derive(Clone, Copy)]
enum Unit {
    Seconds,
    Bytes,
    Number,
}

/// The columns of costs: the heading, the unit, and the names of the field in the suites.
const COSTS: [(&str, Unit, &[&str]); 15] = [
    ("CPU user", Unit::Seconds, &["/cost/cpu_user_s", "/cpu_user_s", "/cpu_user_seconds"]),
    ("CPU system", Unit::Seconds, &["/cost/cpu_system_s", "/cpu_system_s", "/cpu_system_seconds"]),
    ("Resident", Unit::Bytes, &["/cost/resident_bytes", "/resident_bytes", "/private_rss_bytes"]),
    (
        "Peak resident",
        Unit::Bytes,
        &["/cost/peak_resident_bytes", "/peak_resident_bytes", "/peak_rss_bytes"],
    ),
    ("Written", Unit::Bytes, &["/cost/bytes_written", "/bytes_written"]),
    ("Read", Unit::Bytes, &["/cost/bytes_read", "/bytes_read"]),
    ("Device written", Unit::Bytes, &["/cost/device_bytes_written", "/device_bytes_written"]),
    ("Device read", Unit::Bytes, &["/cost/device_bytes_read", "/device_bytes_read"]),
    ("On disk", Unit::Bytes, &["/bytes_on_disk", "/debt_after/bytes_on_disk"]),
    ("fsyncs", Unit::Number, &["/cost/fsyncs", "/fsyncs"]),
    ("Stalled", Unit::Seconds, &["/cost/stall_seconds", "/stall_seconds"]),
    ("Write amp.", Unit::Number, &["/amplification/write", "/write_amplification"]),
    ("Read amp.", Unit::Number, &["/amplification/read", "/read_amplification"]),
    ("Space amp.", Unit::Number, &["/amplification/space", "/space_amplification"]),
    ("To compact", Unit::Bytes, &["/debt_after/pending_compaction_bytes"]),
];

/// The field with the figure that the tuning study published.
const PUBLISHED: &str = "/published_ops_per_sec";

/// The percentiles of the table.
const PERCENTILES: [f64; 5] = [50.0, 95.0, 99.0, 99.9, 99.99];

impl Unit {
    fn show(self, number: f64) -> String {
        match self {
            Unit::Seconds => format!("{} s", plain(number)),
            Unit::Bytes => bytes(number),
            Unit::Number => plain(number),
        }
    }
}

/// Returns a table that scrolls sideways on a narrow screen.
pub fn scroll(label: &str, table: Markup) -> Markup {
    html! { div.scroll tabindex="0" role="region" aria-label={"Table: " (label)} { table { (table) } } }
}

fn engine_cell(data: &Data, engine: usize) -> Markup {
    html! { td { span.engine.(class_of(data, engine)) { (data.labels[engine]) } } }
}

fn source_cell(data: &Data, records: &[usize]) -> Markup {
    html! {
        td { button.source type="button" data-records=(sources(records)) { (source(data, records)) } }
    }
}

/// The charts over time, which the script draws, and a summary.
pub fn time(data: &Data) -> Markup {
    let head = html! {
        thead { tr {
            th { "Workload" } th { "Engine" } th.n { "Pair" } th.n { "Seconds" } th.n { "of them warm-up" }
            th.n { "Operations/s: smallest" } th.n { "median" } th.n { "largest" } th { "Sources" }
        } }
    };
    let row = |series: &Series| {
        let all = series.totals();
        let known = all.iter().zip(&series.warm_up).filter(|(_, warm)| !**warm);
        let measured: Vec<f64> = known.filter_map(|(number, _)| *number).collect();
        let smallest = measured.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = measured.iter().copied().fold(0.0, f64::max);
        let first = series.lines.first().copied().unwrap_or_default();
        let last = series.lines.last().copied().unwrap_or_default();
        html! { tr data-measurement=(series.measurement) {
            td { (data.results.measurements[series.measurement]) }
            (engine_cell(data, series.engine))
            td.n { @if let Some(pair) = series.pair { (pair) } }
            td.n { (series.times.len()) }
            td.n { (series.warm_up.iter().filter(|warm| **warm).count()) }
            @if measured.is_empty() { td.n { "–" } td.n { "–" } td.n { "–" } }
            @else { td.n { (plain(smallest)) } td.n { (plain(median(&measured))) } td.n { (plain(largest)) } }
            td { (data.sources.files[series.file]) ":" (first) "–" (last) }
        } }
    };
    html! {
        div.controls data-for="time" {}
        div.plots #time-plots {}
        h3 { "Summary of the seconds" }
        (scroll("time lines", html! { (head) tbody #time-rows { @for series in &data.series { (row(series)) } } }))
    }
}

/// The percentile curves, which the script draws, and their table.
pub fn latency(data: &Data) -> Markup {
    let head = html! {
        thead { tr {
            th { "Workload" } th { "Operation" } th { "Engine" } th.n { "Count" } th.n { "Mean" }
            @for percentile in PERCENTILES { th.n { "P" (percentile) } }
            th.n { "Longest" } th { "Source" }
        } }
    };
    let row = |curve: &Curve| {
        let record = &data.results.records[curve.record];
        let cell = |us: Option<f64>| html! { td.n { (us.map_or("–".to_owned(), micros)) } };
        html! { tr data-records=(curve.record) data-measurement=(record.measurement) .incomplete[!record.is_complete] {
            td { (data.results.measurements[record.measurement]) (mark(record)) }
            td { (curve.operation) @if curve.from_schedule { ", from schedule" } }
            (engine_cell(data, record.engine))
            td.n { (plain(curve.count as f64)) }
            (cell(curve.mean))
            @for percentile in PERCENTILES { (cell(curve.at(percentile))) }
            (cell(curve.max))
            (source_cell(data, &[curve.record]))
        } }
    };
    html! {
        div.controls data-for="latency" {}
        div.plots #latency-plots {}
        h3 { "Percentiles" }
        (scroll("latencies", html! { (head) tbody #latency-rows { @for curve in &data.curves { (row(curve)) } } }))
    }
}

/// Marks results that need care.
fn mark(record: &Record) -> Markup {
    html! {
        @if !record.is_complete { " " span.badge { "incomplete" } }
        @if !record.is_known { " " span.badge { "unknown suite" } }
    }
}

/// Returns the medians of each measurement on each engine.
pub fn costs(data: &Data) -> Markup {
    let used: Vec<_> = COSTS
        .iter()
        .filter(|(_, _, paths)| data.results.records.iter().any(|r| r.number(paths).is_some()))
        .collect();
    let measurements = 0..data.results.measurements.len();
    let pairs = measurements.flat_map(|m| (0..data.labels.len()).map(move |engine| (m, engine)));
    let row = |(measurement, engine): (usize, usize)| {
        let records: Vec<usize> = data.results.complete(measurement, engine).collect();
        let cell = |(_, unit, paths): &&(&str, Unit, &[&str])| {
            let of = |at: &usize| Some((*at, data.results.records[*at].number(paths)?));
            let (records, values): (Vec<usize>, Vec<f64>) = records.iter().filter_map(of).unzip();
            html! {
                @if values.is_empty() { td.n { "–" } }
                @else { td.n data-records=(sources(&records)) data-value=(median(&values)) { (unit.show(median(&values))) } }
            }
        };
        html! {
            @if !records.is_empty() {
                tr {
                    td { (data.results.measurements[measurement]) }
                    (engine_cell(data, engine))
                    td.n { (records.len()) }
                    @for cost in &used { (cell(cost)) }
                    td { (causes(data, &records)) }
                    (source_cell(data, &records))
                }
            }
        }
    };
    html! {
        p.caption {
            "Medians of the runs that completed. Bytes written and read are those of system calls; device bytes are those that reached a device. "
            "“–”: the engine or the suite does not report it."
        }
        (scroll("costs", html! {
            thead { tr {
                th { "Workload" } th { "Engine" } th.n { "Runs" }
                @for (name, _, _) in &used { th.n { (name) } }
                th { "Stalls by cause" } th { "Sources" }
            } }
            tbody { @for pair in pairs { (row(pair)) } }
        }))
    }
}

/// Returns the causes of stalls of the records, with their largest numbers.
fn causes(data: &Data, records: &[usize]) -> String {
    let mut most: BTreeMap<&str, f64> = BTreeMap::new();
    for record in records {
        let object = &data.results.records[*record].object;
        let causes = object.pointer("/cost/stalls_by_cause").or(object.get("stalls_by_cause"));
        for (cause, number) in causes.and_then(Value::as_object).into_iter().flatten() {
            let number = number.as_f64().unwrap_or(0.0);
            let entry = most.entry(cause).or_default();
            *entry = number.max(*entry);
        }
    }
    let shown = most.iter().filter(|(_, number)| **number > 0.0);
    shown
        .map(|(cause, number)| format!("{cause}: {}", plain(*number)))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Every line of results. Columns that no result has are left out.
pub fn results(data: &Data) -> Markup {
    let any = |is: &dyn Fn(&Record) -> bool| data.results.records.iter().any(is);
    let has_pairs = any(&|record| record.pair.is_some());
    let has_errors = any(&|record| record.error.is_some());
    let has_published = any(&|record| record.number(&[PUBLISHED]).is_some());
    let row = |(at, record): (usize, &Record)| {
        html! {
            tr data-records=(at) .incomplete[!record.is_complete] {
                td { (data.results.measurements[record.measurement]) (mark(record)) }
                (engine_cell(data, record.engine))
                @if has_pairs { td { @if let Some((side, pair)) = &record.pair { (side) " " (pair) } } }
                @match record.throughput() {
                    Some((rate, unit)) => td.n data-value=(rate) { (plain(rate)) " " (unit) },
                    None => td.n { "–" },
                }
                td.n { @if let Some(seconds) = record.number(&["/seconds"]) { (plain(seconds)) " s" } @else { "–" } }
                @if has_published { td.n { @if let Some(rate) = record.number(&[PUBLISHED]) { (plain(rate)) } } }
                td.time { (record.object["time"].as_str().unwrap_or("–")) }
                @if has_errors { td { (record.error.as_deref().unwrap_or("")) } }
                (source_cell(data, &[at]))
                td { details { summary { "figures" } (figures(record)) } }
            }
        }
    };
    html! {
        div.controls data-for="results" {}
        (scroll("all results", html! {
            thead { tr {
                th { "Workload" } th { "Engine" } @if has_pairs { th { "Pair" } } th.n { "Throughput" } th.n { "Measured" }
                @if has_published { th.n { "Published ops/s" } } th { "Time" } @if has_errors { th { "Error" } }
                th { "Source" } th { "More" }
            } }
            tbody #result-rows { @for record in data.results.records.iter().enumerate() { (row(record)) } }
        }))
    }
}

fn figures(record: &Record) -> Markup {
    html! { dl { @for (key, value) in &record.figures { dt { (key.figure) } dd { (figure(&key.figure, *value)) } } } }
}

/// The environments: what all runs share once, and what each has of its own.
pub fn environment(data: &Data) -> Markup {
    let all: Vec<BTreeMap<String, String>> = data
        .sources
        .runs
        .iter()
        .map(|run| {
            let mut flat = BTreeMap::new();
            flatten("", &run.environment, &mut flat);
            flat
        })
        .collect();
    let is_shared =
        |(key, value): &(&String, &String)| all.iter().all(|of| of.get(*key) == Some(*value));
    let shared: Vec<_> = all.first().into_iter().flatten().filter(is_shared).collect();
    let pairs = |of: &[(&String, &String)]| {
        scroll(
            "environment",
            html! { tbody { @for (key, value) in of { tr { th scope="row" { (key) } td { code { (value) } } } } } },
        )
    };
    html! {
        @if all.is_empty() { p { "The directories have no environment.json." } }
        @if !shared.is_empty() {
            h3 { @if all.len() == 1 { (data.sources.runs[0].path) } @else { "Shared by all " (count(all.len(), "run")) } }
            (pairs(&shared))
        }
        @for (run, of) in data.sources.runs.iter().zip(&all) {
            @let own: Vec<_> = of.iter().filter(|pair| !is_shared(pair)).collect();
            @if !own.is_empty() || run.text.is_some() {
                details open[all.len() == 1] {
                    summary { (run.path) @if run.environment["complete"] == false { " " span.badge { "incomplete" } } }
                    @if !own.is_empty() { (pairs(&own)) }
                    @if let Some(text) = &run.text { pre tabindex="0" { (text) } }
                }
            }
        }
    }
}

/// Adds the leaves of an object, with their paths.
fn flatten(path: &str, value: &Value, out: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                flatten(&path, value, out);
            }
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            items
                .iter()
                .enumerate()
                .for_each(|(at, item)| flatten(&format!("{path}.{at}"), item, out));
        }
        Value::Array(items) => {
            let words: Vec<String> = items.iter().map(word).collect();
            out.insert(path.to_owned(), words.join(" "));
        }
        Value::Number(number) if path.ends_with("bytes") => {
            let shown = bytes(number.as_f64().unwrap_or_default());
            out.insert(path.to_owned(), format!("{number} ({shown})"));
        }
        value => {
            out.insert(path.to_owned(), word(value));
        }
    }
}

fn word(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "unknown".to_owned(),
        value => value.to_string(),
    }
}

/// The exact commands, each with the places of its results.
pub fn commands(data: &Data) -> Markup {
    let of = |command: &str| -> Vec<usize> {
        let records = data.results.records.iter().enumerate();
        let is_its = |(_, record): &(usize, &Record)| record.command.as_deref() == Some(command);
        records.filter(is_its).map(|(at, _)| at).collect()
    };
    let suites: Vec<&str> =
        data.sources.runs.iter().filter_map(|run| run.environment["command"].as_str()).collect();
    let mut outer: Vec<&str> = Vec::new();
    for command in suites {
        if !outer.contains(&command) {
            outer.push(command);
        }
    }
    html! {
        @if !outer.is_empty() {
            h3 { "Of run directories" }
            @for command in &outer { (command_block(command, "")) }
        }
        h3 { "Of results" }
        @let without = data.results.records.iter().filter(|record| record.command.is_none()).count();
        @if without > 0 { p { (count(without, "result")) " without a recorded command." } }
        @for command in data.commands() {
            @let records = of(command);
            (command_block(command, &format!("{}: {}", count(records.len(), "result"), source(data, &records))))
        }
    }
}

fn command_block(command: &str, about: &str) -> Markup {
    html! {
        div.command { pre tabindex="0" { code { (command) } } }
        @if !about.is_empty() { p.caption { (about) } }
    }
}

/// What could not be read, and runs that did not complete; `None` if there is neither.
pub fn problems(data: &Data) -> Option<Markup> {
    let (problems, incomplete) = (&data.sources.problems, data.incomplete());
    let row = |(at, record): (usize, &Record)| {
        html! { tr data-records=(at) {
            td { (data.place(at)) }
            td {
                (data.results.measurements[record.measurement]) ", " (data.labels[record.engine]) ": "
                (record.error.as_deref().unwrap_or("the run was ended early"))
            }
        } }
    };
    let is_incomplete = |(_, record): &(usize, &Record)| !record.is_complete;
    let records = || data.results.records.iter().enumerate().filter(is_incomplete);
    let cut_short: Vec<&str> = data.cut_short().map(|run| run.path.as_str()).collect();
    (incomplete + problems.len() + cut_short.len() > 0).then(|| html! {
        @if !problems.is_empty() {
            h3 { "Not read" }
            (scroll("not read", html! { tbody { @for problem in problems { tr { td { (problem.place) } td { (problem.text) } } } } }))
        }
        @if !cut_short.is_empty() {
            h3 { "Cut short" }
            p.caption { "Their environment.json says that they did not end by themselves. Finished results in them count." }
            (scroll("cut short", html! { tbody { @for run in &cut_short { tr { td { (run) } } } } }))
        }
        @if incomplete > 0 {
            h3 { "Not complete" }
            (scroll("not complete", html! { tbody { @for record in records() { (row(record)) } } }))
        }
    })
}
