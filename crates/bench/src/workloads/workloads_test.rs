//! The list of benchmarks, and how long threads run.

use super::thread::{Budget, Presence, Shared};
use super::*;
use crate::flags::{Parsed, parse};
use crate::values::ValueShape;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

#[test]
fn lists_are_read_as_rocksdb_reads_them() {
    let entries = parse_list("fillseq,readrandom[X3-W1],,compact").unwrap();
    let shown: Vec<_> = entries.iter().map(|e| (e.benchmark.name, e.repeat, e.warmup)).collect();
    assert_eq!(shown, [("fillseq", 1, 0), ("readrandom", 3, 1), ("compact", 1, 0)]);
    let unknown = parse_list("fillseq,nonsense").err().unwrap();
    assert!(unknown.starts_with("unknown benchmark 'nonsense'\nknown: fillseq, "), "{unknown}");
    for (wrong, right) in [
        ("fillsq", "fillseq"),
        ("readrandon", "readrandom"),
        ("readwhilewrite", "readwhilewriting"),
    ] {
        let unknown = parse_list(wrong).err().unwrap();
        assert!(unknown.contains(&format!("did you mean {right}?")), "{unknown}");
    }
    let refused = parse_list("replay").err().unwrap();
    assert!(refused.starts_with("benchmark 'replay' is not supported: "), "{refused}");
    for bad in ["readseq[Q2]", "readseq[X]", "readseq[X2", "readseq[\u{e9}2]"] {
        assert!(parse_list(bad).is_err(), "{bad}");
    }
}

#[test]
fn a_budget_counts_operations_exactly() {
    let Ok(Parsed::Run(flags, _)) = parse(&[]) else { panic!("no flags") };
    let config = Config::new(&flags, 1).unwrap();
    let shared = Shared::new(&config, ValueShape::new(&flags, 100), Arc::default(), Arc::default());
    let mut budget = Budget::new(&config, &shared, 0, 10);
    let mut ops = 0;
    while !budget.done(3) {
        ops += 3;
    }
    assert_eq!(ops, 9);
    let stop = Arc::new(AtomicBool::new(true));
    let stopped = Shared::new(&config, ValueShape::new(&flags, 100), Arc::default(), stop);
    let mut budget = Budget::new(&config, &stopped, 0, 1_000_000);
    assert_eq!(
        (0..2000).position(|_| budget.done(1)),
        Some(999),
        "the flag is checked once in 1000"
    );
    let mut timed = Budget::new(&config, &shared, 1, 10);
    assert!((0..999).all(|_| !timed.done(1)));
    drop(Presence::new(&shared, true));
    assert!(timed.done(1) && shared.foreground_is_done());
}
