//! The figures of a result: those that `compare` knows, and those that the suites write under different names.

use crate::compare::{self, Key};
use serde_json::Value;

/// Figures that some suites have only inside other objects: the name, and the fields. Smaller is
/// better, and none is normally zero.
const OTHERS: [(&str, &[&str]); 4] = [
    ("write amplification", &["/amplification/write"]),
    ("read amplification", &["/amplification/read", "/read_amplification"]),
    ("space amplification", &["/amplification/space"]),
    ("peak resident bytes", &["/cost/peak_resident_bytes"]),
];

/// Returns the first of these fields that is a number.
pub fn number(object: &Value, paths: &[&str]) -> Option<f64> {
    paths.iter().find_map(|path| object.pointer(path)?.as_f64()).filter(|number| number.is_finite())
}

/// Returns the figures of one result. All are positive, as ratios need.
pub fn figures(workload: &str, object: &Value) -> Vec<(Key, f64)> {
    let mut figures = compare::figures(workload, object);
    let mut add = |figure: &str, value: Option<f64>| {
        let is_known = figures.iter().any(|(key, _)| key.figure == figure);
        if let Some(value) = value.filter(|value| *value > 0.0 && !is_known) {
            let (workload, figure) = (workload.to_owned(), figure.to_owned());
            figures.push((Key { workload, figure, larger_is_better: false }, value));
        }
    };
    for (figure, paths) in OTHERS {
        add(figure, number(object, paths));
    }
    let cpu = number(object, &["/cost/cpu_user_s", "/cpu_user_s"])
        .zip(number(object, &["/cost/cpu_system_s", "/cpu_system_s"]));
    let operations = number(object, &["/operations", "/documents"]);
    let per_operation = cpu.zip(operations).map(|((user, system), n)| (user + system) * 1e6 / n);
    add("CPU us/op", per_operation.filter(|number| number.is_finite()));
    figures
}
