//! The server's targets of the fuzzer in a short run: their seeds, mutations of these, and the inputs that the fuzzer
//! found. `FERROLITH_FUZZ_ROUNDS=N` makes N mutations per target.

use fastrand::Rng;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;

#[expect(dead_code, reason = "only the fuzzer measures memory")]
#[path = "../../../../fuzz/src/targets/mod.rs"]
mod targets;

use targets::{ALL, Target};

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

fn run(name: &str) {
    let target = ALL.iter().find(|target| target.name == name).expect("a target");
    let seeds = (target.seeds)();
    for seed in &seeds {
        check(target, seed, "a seed");
    }
    let found = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/found").join(name);
    for entry in std::fs::read_dir(&found).into_iter().flatten() {
        let path = entry.expect("an entry").path();
        check(target, &std::fs::read(&path).expect("a file"), &path.display().to_string());
    }
    let rounds = std::env::var("FERROLITH_FUZZ_ROUNDS").ok();
    let rounds = rounds.map_or(500, |rounds| rounds.parse().expect("a number"));
    let mut random = Rng::with_seed(1);
    for _ in 0..rounds {
        let mut input = seeds[random.usize(..seeds.len())].clone();
        mutate(&mut random, &mut input);
        check(target, &input, "a mutation");
    }
}

#[test]
fn resp() {
    run("resp");
}

#[test]
fn thrift() {
    run("thrift");
}

#[test]
fn rdsn() {
    run("rdsn");
}

#[test]
fn pegasus() {
    run("pegasus");
}

#[test]
fn dump() {
    run("dump");
}

#[test]
fn bridge() {
    run("bridge");
}

#[test]
fn source() {
    run("source");
}

#[test]
fn every_target_has_a_test_and_no_folder_is_unknown() {
    let names: Vec<&str> = ALL.iter().map(|target| target.name).collect();
    assert_eq!(names, ["resp", "thrift", "rdsn", "pegasus", "dump", "bridge", "source"]);
    let found = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/found");
    for entry in std::fs::read_dir(found).expect("the folder of found inputs") {
        let name = entry.expect("an entry").file_name();
        // The engine's targets are tested beside their code.
        let known = names.iter().chain(&["zstd", "lz4", "encoders", "tables", "README.md"]);
        let is_known = known.into_iter().any(|known| name == *known);
        assert!(is_known, "{name:?} is not a target");
    }
}
