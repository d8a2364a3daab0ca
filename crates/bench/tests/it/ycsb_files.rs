//! YCSB's own property files, unmodified, from load to report on Ferrolith and on RocksDB's library.
//!
//! They are not part of this repository. `tools/check-ycsb.sh` puts them into the cache and checks their checksums;
//! without them the tests say so and pass.

use super::suites::{bench, text};
use super::ycsb::phase;
use serde_json::Value;
use statrs::distribution::{Binomial, DiscreteCDF};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A workload: the last letter of its file, and the share of each kind of operation.
const WORKLOADS: [(&str, &[(&str, f64)]); 6] = [
    ("a", &[("READ", 0.5), ("UPDATE", 0.5)]),
    ("b", &[("READ", 0.95), ("UPDATE", 0.05)]),
    ("c", &[("READ", 1.0)]),
    ("d", &[("READ", 0.95), ("INSERT", 0.05)]),
    ("e", &[("SCAN", 0.95), ("INSERT", 0.05)]),
    ("f", &[("READ", 0.5), ("READ-MODIFY-WRITE", 0.5)]),
];

/// A count outside this share of the binomial distribution is an error. Seeds are fixed, so a count that passed once
/// passes always.
const LEVEL: f64 = 1e-4;

/// The directory of the files, if it exists.
fn files() -> Option<PathBuf> {
    let cache = ferrolith_bench::target::default_library();
    let dir = cache.parent()?.with_file_name("ycsb-0.17.0");
    if WORKLOADS.iter().all(|(letter, _)| dir.join(format!("workload{letter}")).exists()) {
        return Some(dir);
    }
    eprintln!("skipped: no {}; tools/check-ycsb.sh fills it", dir.display());
    None
}

/// Records and operations: those of the files, or as the environment says.
fn size() -> (u64, Vec<String>) {
    match std::env::var("FERROLITH_YCSB_RECORDS") {
        Ok(text) => {
            let number = text.parse().expect("FERROLITH_YCSB_RECORDS: expected a number");
            let more = ["recordcount", "operationcount"].map(|key| format!("{key}={number}"));
            (number, more.into_iter().flat_map(|more| ["-p".to_owned(), more]).collect())
        }
        Err(_) => (1000, Vec::new()),
    }
}

fn counts(line: &Value) -> BTreeMap<String, u64> {
    let kinds = line["latencies_us"].as_object().unwrap().iter();
    let count = |latencies: &Value| latencies["service"]["count"].as_u64().unwrap();
    kinds.map(|(kind, latencies)| (kind.clone(), count(latencies))).collect()
}

/// Returns an error unless the kinds are those of the mix, and each count is likely.
fn check_mix(counts: &BTreeMap<String, u64>, mix: &[(&str, f64)]) -> Result<(), String> {
    let total: u64 = counts.values().sum();
    let known = |kind: &str| mix.iter().any(|(name, _)| *name == kind);
    if let Some((kind, count)) = counts.iter().find(|(kind, _)| !known(kind)) {
        return Err(format!("{count} operations {kind}, expected none"));
    }
    for (kind, share) in mix {
        let count = counts.get(*kind).copied().unwrap_or(0);
        let binomial = Binomial::new(*share, total).unwrap();
        // At most, and at least, as many.
        let (most, least) = (
            binomial.cdf(count),
            1.0 - count.checked_sub(1).map_or(0.0, |less| binomial.cdf(less)),
        );
        if most < LEVEL || least < LEVEL {
            return Err(format!(
                "{count} of {total} operations {kind}, expected a share of {share}"
            ));
        }
    }
    Ok(())
}

/// Loads and runs all six files on an engine.
fn check(engine: &str) {
    let Some(files) = files() else { return };
    let (size, more) = size();
    let more: Vec<&str> = more.iter().map(String::as_str).chain(["--engine", engine]).collect();
    for (letter, mix) in WORKLOADS {
        let dir = tempfile::tempdir().unwrap();
        let file = files.join(format!("workload{letter}"));
        let load = phase("load", dir.path(), &file, &more);
        assert_eq!(counts(&load), BTreeMap::from([("INSERT".to_owned(), size)]), "{letter}");
        let run = phase("run", dir.path(), &file, &more);
        for line in [&load, &run] {
            super::check_record(line);
            let name = file.file_name().unwrap().to_str().unwrap();
            assert_eq!((&line["operations"], &line["workload"]), (&size.into(), &name.into()));
        }
        check_mix(&counts(&run), mix)
            .unwrap_or_else(|e| panic!("workload{letter} on {engine}: {e}"));
        let kinds = run["latencies_us"].as_object().unwrap();
        assert!(kinds.values().all(|kind| kind["not_found"] == 0), "{letter}: {run}");
        let (scanned, scans) =
            (run["records_scanned"].as_f64().unwrap(), counts(&run).get("SCAN").copied());
        match scans {
            None => assert_eq!(scanned, 0.0, "{letter}"),
            // Up to 100 records, 50.5 on average; fewer at the end of the table. The standard deviation is 29.
            Some(scans) => {
                let average = scanned / scans as f64;
                let deviation = 29.0 / (scans as f64).sqrt();
                assert!(
                    (40.0 - 5.0 * deviation..50.5 + 5.0 * deviation).contains(&average),
                    "{average}"
                );
            }
        }
        println!("workload{letter} on {engine}: load {size}, run {:?}", counts(&run));
    }
}

#[test]
fn unmodified_ycsb_files_run_on_ferrolith() {
    check("ferrolith");
}

#[test]
fn unmodified_ycsb_files_run_on_a_library() {
    if let Some(library) = super::library() {
        check(&library.replace("--engine_lib=", "rocksdb:"));
    }
}

#[test]
fn another_mix_is_noticed() {
    let counts = |list: &[(&str, u64)]| -> BTreeMap<String, u64> {
        list.iter().map(|(kind, count)| ((*kind).to_owned(), *count)).collect()
    };
    let mix = [("READ", 0.95), ("UPDATE", 0.05)];
    assert_eq!(check_mix(&counts(&[("READ", 950), ("UPDATE", 50)]), &mix), Ok(()));
    assert_eq!(check_mix(&counts(&[("READ", 1000)]), &[("READ", 1.0)]), Ok(()));
    let refused = |list: &[(&str, u64)], expected: &str| {
        let error = check_mix(&counts(list), &mix).unwrap_err();
        assert!(error.contains(expected), "{error}");
    };
    refused(&[("READ", 910), ("UPDATE", 90)], "910 of 1000 operations READ");
    refused(&[("READ", 1000)], "1000 of 1000 operations READ");
    refused(&[("READ", 950), ("INSERT", 50)], "50 operations INSERT, expected none");
}

/// Every key of the files has an effect or is refused: none of them is among those that are accepted without one.
#[test]
fn the_files_have_no_key_without_effect() {
    let Some(files) = files() else { return };
    let dir = tempfile::tempdir().unwrap();
    for (letter, _) in WORKLOADS {
        let path = |path: &Path| path.to_str().unwrap().to_owned();
        let (db, file) =
            (path(&dir.path().join(letter)), path(&files.join(format!("workload{letter}"))));
        let output = bench(&["ycsb", "load", "-P", &file, "--db", &db, "--quiet"]);
        assert!(output.status.success(), "{}", text(&output));
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{letter}");
    }
}
