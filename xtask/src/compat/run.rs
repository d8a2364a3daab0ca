//! Runs each test in its own process, with a deadline, an empty TMPDIR, and the library preloaded.

use super::build::Test;
use super::place::{self, Place};
use super::{Failure, Flags, Suite, cause};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The result of one test.
#[derive(Clone)]
pub(crate) struct Outcome {
    pub(crate) passed: bool,
    pub(crate) seconds: f64,
    /// Empty when it passed.
    pub(crate) cause: String,
}

pub(crate) type Outcomes = BTreeMap<String, Outcome>;

/// Longer than any test takes on the real RocksDB on a busy machine.
const DEADLINE: Duration = Duration::from_secs(120);

/// Returns the real RocksDB's results: from the cache, or by running tests that are not cached.
pub(super) fn real(
    place: &Place,
    suite: &Suite,
    tests: &[Test],
    library: &Path,
    flags: &Flags,
) -> Result<Outcomes, Failure> {
    let version = library.parent().and_then(Path::file_name).unwrap_or_default();
    let dir = place.cache.join("real").join(version);
    let path = dir.join(format!("{}.tsv", suite.versioned()));
    let mut known = if flags.again { Outcomes::new() } else { read_outcomes(&path) };
    let missing: Vec<&Test> = tests.iter().filter(|t| !known.contains_key(&t.name)).collect();
    if missing.is_empty() {
        return Ok(known);
    }
    eprintln!("compat: {} on the real RocksDB (once)", suite.name);
    let found = run(place, suite, &missing, Some(library), flags.jobs, false)?;
    known.extend(found);
    place::make_dir(&dir)?;
    let mut text = String::new();
    for (name, o) in &known {
        let word = if o.passed { "pass" } else { "fail" };
        text += &format!("{name}\t{word}\t{:.3}\t{}\n", o.seconds, o.cause);
    }
    place::write(&path, &text)?;
    Ok(known)
}

fn read_outcomes(path: &Path) -> Outcomes {
    let text = fs::read_to_string(path).unwrap_or_default();
    let line = |line: &str| {
        let mut columns = line.split('\t');
        let (name, word) = (columns.next()?.to_string(), columns.next()?);
        let seconds = columns.next()?.parse().ok()?;
        let cause = columns.next().unwrap_or("").to_string();
        Some((name, Outcome { passed: word == "pass", seconds, cause }))
    };
    text.lines().filter_map(line).collect()
}

/// Runs all tests, with `library` preloaded, or unchanged if the library is part of them.
pub(crate) fn all(
    place: &Place,
    suite: &Suite,
    tests: &[Test],
    library: Option<&Path>,
    jobs: usize,
    keep_logs: bool,
) -> Result<Outcomes, Failure> {
    run(place, suite, &tests.iter().collect::<Vec<_>>(), library, jobs, keep_logs)
}

fn run(
    place: &Place,
    suite: &Suite,
    tests: &[&Test],
    library: Option<&Path>,
    jobs: usize,
    keep_logs: bool,
) -> Result<Outcomes, Failure> {
    let work = std::env::temp_dir().join(format!("ferrolith-compat-{}", std::process::id()));
    let logs = match keep_logs {
        true => place.results.join(suite.name),
        false => work.join("logs"),
    };
    place::make_dir(&logs)?;
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Outcomes::new());
    let failure = Mutex::new(None);
    thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(test) = tests.get(number) else { break };
                    let tmp = work.join(number.to_string());
                    let log = logs.join(format!("{}.log", test.name.replace(['/', ':'], "_")));
                    match run_one(place, test, library, &tmp, &log) {
                        Ok(outcome) => {
                            let mut found = found.lock().expect("no panic inside");
                            found.insert(test.name.clone(), outcome);
                            progress(suite, tests.len(), &found);
                        }
                        Err(e) => *failure.lock().expect("no panic inside") = Some(e),
                    }
                }
            });
        }
    });
    if io::stderr().is_terminal() {
        eprintln!();
    }
    let _ = fs::remove_dir_all(&work);
    match failure.into_inner().expect("no panic inside") {
        Some(e) => Err(e),
        None => Ok(found.into_inner().expect("no panic inside")),
    }
}

fn progress(suite: &Suite, total: usize, found: &Outcomes) {
    if io::stderr().is_terminal() {
        let passed = found.values().filter(|o| o.passed).count();
        let failed = found.len() - passed;
        eprint!("\r{}: {}/{total}, {passed} passed, {failed} failed ", suite.name, found.len());
        let _ = io::stderr().flush();
    }
}

fn run_one(
    place: &Place,
    test: &Test,
    library: Option<&Path>,
    tmp: &Path,
    log: &Path,
) -> Result<Outcome, Failure> {
    place::make_dir(tmp)?;
    let file = File::create(log).map_err(|e| format!("{}: {e}", log.display()))?;
    let other = file.try_clone().map_err(|e| format!("{}: {e}", log.display()))?;
    let mut command = Command::new(&test.program);
    command
        .args(&test.args)
        .current_dir(&test.dir)
        .env("FERROLITH_SHOW_REFUSALS", "1")
        .env("RUST_BACKTRACE", "0")
        .env("TMPDIR", tmp)
        .env("TEST_TMPDIR", tmp)
        .stdin(Stdio::null())
        .stdout(file)
        .stderr(other);
    if let Some(library) = library {
        command.env("LD_LIBRARY_PATH", place.stub()).env("LD_PRELOAD", library);
    }
    let begun = Instant::now();
    let child = command.spawn().map_err(|e| format!("{}: {e}", test.program.display()))?;
    let status = wait(child)?;
    let seconds = begun.elapsed().as_secs_f64();
    let _ = fs::remove_dir_all(tmp);
    let passed = status.is_some_and(|s| s.success());
    let cause = if passed { String::new() } else { why(status, log) };
    Ok(Outcome { passed, seconds, cause })
}

/// Returns its status, or `None` if it was killed at the deadline.
fn wait(mut child: std::process::Child) -> Result<Option<ExitStatus>, Failure> {
    let begun = Instant::now();
    let mut pause = Duration::from_millis(2);
    loop {
        if let Some(status) = child.try_wait().map_err(|e| format!("wait: {e}"))? {
            return Ok(Some(status));
        }
        if begun.elapsed() > DEADLINE {
            let _ = child.kill();
            let _ = child.wait();
            return Ok(None);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

fn why(status: Option<ExitStatus>, log: &Path) -> String {
    let end = match status {
        None => format!("killed after {} s", DEADLINE.as_secs()),
        Some(s) => match s.signal() {
            Some(4) => "SIGILL".into(),
            Some(6) => "SIGABRT".into(),
            Some(8) => "SIGFPE".into(),
            Some(11) => "SIGSEGV".into(),
            Some(n) => format!("signal {n}"),
            None => format!("exit code {}", s.code().unwrap_or(-1)),
        },
    };
    let said = fs::read(log).unwrap_or_default();
    cause::find(&String::from_utf8_lossy(&said), &end)
}
