//! The numbers of tickers and histograms: the original's from its sources, ours from the engine's list.

use super::{Package, tools};
use crate::compat::Failure;
use crate::compat::place::{self, Place};
use std::collections::BTreeMap;
use std::path::Path;

/// Returns the errors in the package's table, and in histograms, for which there is no table: their order must be the
/// same.
pub(super) fn check(
    place: &Place,
    package: &Package,
    original: &Path,
) -> Result<Vec<String>, Failure> {
    let stats = place.root.join("crates/engine/src/stats");
    let header = place::read(&original.join("rocksdb/include/rocksdb/statistics.h"))?;
    let names = place::read(&original.join("rocksdb/monitoring/statistics.cc"))?;
    let ours = |file: &str| Ok::<_, Failure>(listed(&place::read(&stats.join(file))?));
    let mut problems = Vec::new();

    let expected = runs(&in_order(&header, &names, "Tickers"), &ours("tickers.rs")?);
    let lib = place::read(&tools::folder(place, package).join("src/lib.rs"))?;
    let table: Vec<&str> =
        lib.lines().map(str::trim).filter(|l| l.starts_with("Run { first")).collect();
    if table != expected {
        problems.push(format!("src/lib.rs: TICKERS must be:\n    {}", expected.join("\n    ")));
    }

    let theirs = in_order(&header, &names, "Histograms");
    let (theirs, ours) = (theirs.as_slice(), ours("histogram_types.rs")?);
    let common = theirs.len().min(ours.len());
    if common < 60 || theirs[..common] != ours[..common] {
        problems.push("the histogram numbers differ from the engine's".into());
    }
    Ok(problems)
}

/// Returns the names that the engine lists, in the order of their numbers.
fn listed(source: &str) -> Vec<String> {
    let names = source.lines().filter_map(|line| {
        let (before, rest) = line.trim().split_once(" \"rocksdb.")?;
        let is_variant = before.chars().all(char::is_alphanumeric);
        is_variant.then(|| format!("rocksdb.{}", rest.split('"').next().unwrap_or(rest)))
    });
    names.collect()
}

/// Returns the names of an enum of RocksDB's in the order of their numbers.
fn in_order(header: &str, names: &str, which: &str) -> Vec<String> {
    let body = header.split(&format!("enum {which} ")).nth(1).unwrap_or("");
    let body = body.split('{').nth(1).and_then(|rest| rest.split("};").next()).unwrap_or("");
    let code: Vec<&str> = body.lines().filter_map(|line| line.split("//").next()).collect();
    let code = code.join(" ");
    // The text after each "/*", without the comment.
    let code = code.split("/*").map(|part| part.split("*/").last().unwrap_or(part));
    let code = code.collect::<Vec<_>>().join(" ");
    let map = names.split(&format!("{which}NameMap = {{")).nth(1).unwrap_or("");
    let map = map.split("};").next().unwrap_or("");
    let rows = map.split('{').skip(1).filter_map(|row| {
        let (variant, rest) = row.split_once(',')?;
        Some((variant.trim(), rest.split('"').nth(1)?))
    });
    let by_variant: BTreeMap<&str, &str> = rows.collect();
    let variants = code.split(',').map(|v| v.split('=').next().unwrap_or(v).trim());
    variants.filter_map(|v| by_variant.get(v)).map(|name| (*name).to_string()).collect()
}

/// Returns the lines of the table: ranges in which both number the same tickers consecutively.
fn runs(theirs: &[String], ours: &[String]) -> Vec<String> {
    let mut runs: Vec<(usize, usize, usize)> = Vec::new();
    for (number, name) in theirs.iter().enumerate() {
        let Some(our) = ours.iter().position(|n| n == name) else { continue };
        match runs.last_mut() {
            Some((first, capi, count)) if *first + *count == number && *capi + *count == our => {
                *count += 1;
            }
            _ => runs.push((number, our, 1)),
        }
    }
    let line =
        |(first, capi, count)| format!("Run {{ first: {first}, capi: {capi}, count: {count} }},");
    runs.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::{in_order, listed, runs};

    #[test]
    fn inserted_tickers_shift_the_rest() {
        let header = "enum Tickers : uint32_t {\n  A = 0,\n  // a comment, with a comma\n  /** another, \n of two */\n  NEW,\n  B,\n  MAX\n};";
        let names = "x TickersNameMap = {\n    {A, \"rocksdb.a\"},\n    {NEW,\n     \"rocksdb.new\"},\n    {B, \"rocksdb.b\"},\n};";
        let theirs = in_order(header, names, "Tickers");
        assert_eq!(theirs, ["rocksdb.a", "rocksdb.new", "rocksdb.b"]);
        let ours = listed("        A \"rocksdb.a\" counted;\n        B \"rocksdb.b\" unless X;\n");
        let expected =
            ["Run { first: 0, capi: 0, count: 1 },", "Run { first: 2, capi: 1, count: 1 },"];
        assert_eq!(runs(&theirs, &ours), expected);
    }
}
