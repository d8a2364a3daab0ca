//! The sizes of workloads in a few words: how many records each suite had, and how large they were.

use super::data::Data;
use super::numbers::{bytes, plain};
use super::ratios::{Bar, Row};
use super::results::Record;
use serde_json::Value;

/// Fields and bytes of each that YCSB's records have by default.
const FIELDS: (f64, f64) = (10.0, 100.0);

/// Returns the size of the database of each suite in these rows, such as `ycsb: 30,000 records of 1 kB`. If runs of a
/// suite differ, it is that of most.
pub fn sizes(data: &Data, bars: &[(&Row, &Bar)]) -> Vec<String> {
    // For each suite, its sizes and how often each occurs.
    let mut suites: Vec<(&str, Vec<(String, usize)>)> = Vec::new();
    for record in bars.iter().flat_map(|(_, bar)| &bar.records) {
        let record = &data.results.records[*record];
        let (Some(size), suite) = (size(record), suite(record)) else { continue };
        let at = suites.iter().position(|(name, _)| *name == suite).unwrap_or_else(|| {
            suites.push((suite, Vec::new()));
            suites.len() - 1
        });
        let sizes = &mut suites[at].1;
        match sizes.iter_mut().find(|(known, _)| *known == size) {
            Some((_, count)) => *count += 1,
            None => sizes.push((size, 1)),
        }
    }
    let text = |(suite, sizes): (&str, Vec<(String, usize)>)| {
        let most = sizes.iter().max_by_key(|(_, count)| *count)?;
        let often = if sizes.len() > 1 { ", mostly" } else { "" };
        Some(format!("{suite}{often}: {}", most.0))
    };
    suites.into_iter().filter_map(text).collect()
}

fn suite(record: &Record) -> &str {
    record.object["suite"].as_str().unwrap_or("db_bench")
}

fn size(record: &Record) -> Option<String> {
    let object = &record.object;
    if let Some(records) = number(&object["properties"]["recordcount"]) {
        let of = |name: &str, default| number(&object["properties"][name]).unwrap_or(default);
        let fields = of("fieldcount", FIELDS.0) * of("fieldlength", FIELDS.1);
        let size = number(&object["value_bytes"]).unwrap_or(fields);
        return Some(format!("{} records of {}", plain(records), bytes(size)));
    }
    if let Some(keys) = number(&object["flags"]["num"]) {
        let size = number(&object["flags"]["value_size"]);
        let values = size.map(|size| format!(", values of {}", bytes(size))).unwrap_or_default();
        return Some(format!("{} keys{values}", plain(keys)));
    }
    // A load of ForestDB-Benchmark writes each document once.
    let is_load = object["suite"] == "forestdb" && object["phase"] == "load";
    let documents = number(&object["documents"]).filter(|_| is_load)?;
    Some(format!("{} documents", plain(documents)))
}

/// Returns a number, also of a text as in properties.
fn number(value: &Value) -> Option<f64> {
    let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok());
    number.filter(|number| number.is_finite() && *number > 0.0)
}
