//! The fuzzer's program: one target, named by `FERROLITH_FUZZ_TARGET`, under libFuzzer. `tools/fuzz.sh` runs it.
//!
//! Besides what a target checks, an input must not take more memory than the target allows, nor more CPU time than
//! [`SECONDS_MAX`].
#![no_main]

#[cfg(not(feature = "engine"))]
mod targets;

use cpu_time::ProcessTime;
#[cfg(feature = "engine")]
use ferrolith::testing::targets;
use peak_alloc::PeakAlloc;
use std::sync::OnceLock;
use std::time::Duration;
use targets::Target;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The CPU time that one input may take.
const SECONDS_MAX: u64 = 10;

static TARGET: OnceLock<&'static Target> = OnceLock::new();

libfuzzer_sys::fuzz_target!(init: start(), |data: &[u8]| run(data));

/// Chooses the target, and writes its seeds to the directory `FERROLITH_FUZZ_SEEDS` if that is set.
fn start() {
    let name = std::env::var("FERROLITH_FUZZ_TARGET").unwrap_or_default();
    let Some(target) = targets::ALL.iter().find(|target| target.name == name) else {
        let names: Vec<&str> = targets::ALL.iter().map(|target| target.name).collect();
        eprintln!("FERROLITH_FUZZ_TARGET: expected one of {}, found {name:?}", names.join(", "));
        std::process::exit(2);
    };
    if let Some(dir) = std::env::var_os("FERROLITH_FUZZ_SEEDS") {
        for (at, seed) in (target.seeds)().iter().enumerate() {
            let path = std::path::Path::new(&dir).join(format!("seed-{at}"));
            std::fs::write(&path, seed).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        }
    }
    TARGET.set(target).expect("started once");
    // What a target keeps for all inputs is not counted for the first of them.
    (target.run)(&[]);
}

fn run(data: &[u8]) {
    let target = TARGET.get().expect("started");
    MEMORY.reset_peak_usage();
    let (before, begin) = (MEMORY.current_usage(), ProcessTime::now());
    (target.run)(data);
    let (used, taken) = (MEMORY.peak_usage().saturating_sub(before), begin.elapsed());
    let memory_max = target.memory_base + target.memory_per_byte * data.len();
    assert!(used <= memory_max, "{used} bytes of memory, expected at most {memory_max}");
    assert!(taken <= Duration::from_secs(SECONDS_MAX), "{taken:?} of CPU time");
}
