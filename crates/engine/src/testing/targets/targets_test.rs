//! The targets in a short run: their seeds, mutations of these, and the inputs that the fuzzer found.

use super::{ALL, Target};
use fastrand::Rng;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;

/// Runs one input, and names it if it fails.
fn check(target: &Target, input: &[u8], what: &str) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| (target.run)(input))) {
        eprintln!("{}: {what}: b\"{}\"", target.name, input.escape_ascii());
        resume_unwind(panic);
    }
}

fn mutate(random: &mut Rng, input: &mut Vec<u8>) {
    for _ in 0..random.usize(1..4) {
        let at = random.usize(..=input.len());
        match random.usize(..5) {
            0 => input.insert(at, random.u8(..)),
            1 => input.truncate(at.max(1)),
            2 => {
                let part = input[at..].iter().take(random.usize(..9)).copied().collect::<Vec<_>>();
                input.splice(at..at, part);
            }
            change => {
                let Some(byte) = input.get_mut(at) else { continue };
                *byte = if change == 3 { *byte ^ 1 << random.u32(..8) } else { random.u8(..) };
            }
        }
    }
}

fn run(name: &str, rounds: usize) {
    let target = ALL.iter().find(|target| target.name == name).expect("a target");
    let (mut seeds, mut rounds) = ((target.seeds)(), rounds);
    if cfg!(miri) {
        (seeds, rounds) = (seeds.into_iter().filter(|seed| seed.len() < 400).collect(), 30);
    }
    for seed in seeds.iter().take(if cfg!(miri) { 12 } else { usize::MAX }) {
        check(target, seed, "a seed");
    }
    // Miri has no files.
    if !cfg!(miri) {
        let found = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/found").join(name);
        for entry in std::fs::read_dir(&found).into_iter().flatten() {
            let path = entry.expect("an entry").path();
            check(target, &std::fs::read(&path).expect("a file"), &path.display().to_string());
        }
    }
    let mut random = Rng::with_seed(1);
    for _ in 0..rounds {
        let mut input = seeds[random.usize(..seeds.len())].clone();
        mutate(&mut random, &mut input);
        check(target, &input, "a mutation");
    }
}

#[test]
fn zstd() {
    run("zstd", 5000);
}

#[test]
fn lz4() {
    run("lz4", 20_000);
}

#[test]
fn encoders() {
    run("encoders", 500);
}

#[test]
fn tables() {
    run("tables", 2000);
}

#[test]
fn every_target_has_a_test() {
    let names: Vec<&str> = ALL.iter().map(|target| target.name).collect();
    assert_eq!(names, ["zstd", "lz4", "encoders", "tables"]);
}
