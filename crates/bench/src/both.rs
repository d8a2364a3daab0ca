//! `--engine=both`: runs two engines alternately, in fresh processes, and compares them.
//!
//! One process is one run of one engine, so that its memory and CPU time are those of that engine. The engine that goes
//! first alternates from pair to pair. Each engine has its own directories below `--db` and `--wal_dir`; everything
//! else on the command line is the same, including the seed. `--peer` names the second engine. It may be Ferrolith
//! itself, on the same directories, with `--peer_flags`. `--own_lib` replaces the built-in Ferrolith by a library, so
//! that two builds are compared through the same C functions.

use crate::comparison::{self, Comparison, Run};
use crate::flags::Flags;
use crate::json::Sink;
use crate::report::say;
use crate::target;
use memmap2::MmapMut;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// One of the two engines that are compared.
struct Side {
    /// The word of `--engine`.
    word: &'static str,
    /// The name in tables.
    name: &'static str,
    /// Its directory below `--db`.
    dir: &'static str,
    /// Flags for this engine only.
    flags: Vec<String>,
    /// The library with RocksDB's C functions, if the engine is one.
    library: PathBuf,
}

/// Returns Ferrolith and the peer that the flags name.
fn sides(flags: &Flags) -> [Side; 2] {
    let own = flags.text("peer_flags").split_whitespace().map(str::to_owned).collect();
    let theirs = target::library(flags);
    let side = |word, name, dir, flags| Side { word, name, dir, flags, library: theirs.clone() };
    let peer = match flags.text("peer") {
        "ferrolith" => side("ferrolith", "peer", "ferrolith", own),
        word => match target::peer(word) {
            Some(peer) => side(peer.word, peer.word, peer.word, own),
            None => side("lib", "rocksdb", "rocksdb", own),
        },
    };
    let mut ours = side("ferrolith", "ferrolith", "ferrolith", Vec::new());
    if !flags.text("own_lib").is_empty() {
        (ours.word, ours.library) = ("lib", PathBuf::from(flags.text("own_lib")));
    }
    [ours, peer]
}

/// Runs the pairs and prints the comparison.
pub fn run(flags: &Flags, args: &[String], seed: u64) -> Result<(), String> {
    crate::workloads::parse_list(flags.text("benchmarks"))?;
    crate::config::Config::new(flags, seed)?;
    let sides = sides(flags);
    for (side, flag) in sides.iter().zip(["--own_lib", "--engine_lib"]) {
        if side.word == "lib" && !side.library.exists() {
            let path = side.library.display();
            return Err(format!("--engine=both: found no library at {path}; set {flag}"));
        }
    }
    let is_loaded = target::peer(sides[1].word).is_some_and(|peer| peer.loaded);
    if is_loaded && flags.text("engine_lib").is_empty() {
        return Err(format!("--peer={} needs --engine_lib, its library", sides[1].word));
    }
    // The engines' own directories are below these.
    target::make_directories(flags)?;
    let mut json = Sink::open(flags.text("json"))?;
    let (pairs, touched) = (flags.uint("runs"), flags.uint("touch_memory"));
    let mut runs: [Vec<Run>; 2] = [Vec::new(), Vec::new()];
    for pair in 0..pairs {
        let order = if pair % 2 == 0 { [0, 1] } else { [1, 0] };
        for engine in order {
            say(&format!("--- pair {} of {pairs}: {}", pair + 1, sides[engine].name));
            touch_memory(touched)?;
            let objects = child(flags, args, &sides[engine], seed)?;
            for mut object in objects.iter().cloned() {
                object["run"] = (pair + 1).into();
                json.write(&object)?;
            }
            runs[engine].push(comparison::with_whole(objects));
        }
    }
    if cfg!(debug_assertions) {
        say("WARNING: this is a debug build of ferrolith; its figures are meaningless");
    }
    let [ours, theirs] = &runs;
    let table = Comparison::of([sides[0].name, sides[1].name], ours, theirs);
    say(&format!("\n{}", table.text()));
    Ok(())
}

/// Writes to fresh memory and frees it. If a virtual machine returns free memory to its host, the first access to a
/// page costs up to 60 times as much as if the machine still had it, and which of two engines pays depends on the run
/// before. Huge pages, because the kernel finds others for them than for small ones, and can divide them.
fn touch_memory(bytes: u64) -> Result<(), String> {
    let refused = |error| format!("--touch_memory={bytes}: {error}");
    let len = usize::try_from(bytes).unwrap_or(usize::MAX);
    if len == 0 {
        return Ok(());
    }
    let mut memory = MmapMut::map_anon(len).map_err(refused)?;
    // Without huge pages, small ones are touched.
    #[cfg(target_os = "linux")]
    let _ = memory.advise(memmap2::Advice::HugePage);
    memory.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
    Ok(())
}

/// Runs one engine once, in its own process.
fn child(flags: &Flags, args: &[String], side: &Side, seed: u64) -> Result<Run, String> {
    let Side { word, name, dir, library, .. } = side;
    let (db, wal) = target::directories(flags);
    let json = std::env::temp_dir().join(format!("db_bench-{}-{name}.json", std::process::id()));
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    // The last occurrence of a flag wins, so the command line is kept and overridden at its end.
    command.args(args).args(&side.flags).arg(format!("--engine={word}"));
    command.arg(format!("--engine_lib={}", library.display()));
    command.arg(format!("--db={}", db.join(dir).display()));
    if let Some(wal) = wal {
        command.arg(format!("--wal_dir={}", wal.join(dir).display()));
    }
    command.arg(format!("--json={}", json.display())).arg(format!("--seed={seed}"));
    command.arg("--touch_memory=0");
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .map_err(|error| format!("{name}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{name} failed: {}\n{text}\n{errors}", output.status));
    }
    // The header is the same in each run; what follows the ruler is this run's.
    let body = text.split_once("----\n").map_or("", |(_, body)| body);
    say(body.trim_end());
    let lines = std::fs::read_to_string(&json).map_err(|e| format!("{}: {e}", json.display()))?;
    let _ = std::fs::remove_file(&json);
    lines.lines().map(|line| comparison::parse(line, name)).collect()
}
