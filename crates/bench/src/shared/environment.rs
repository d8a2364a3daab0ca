//! `environment.json`: what was run, on which engines and on which machine. Schema 2, described in docs/suite.md.
//!
//! The file is written before anything runs, with `complete` false, and again at the end. A run that was killed
//! therefore leaves a directory that says so.

use super::results::write;
use crate::json::host;
use crate::report::timestamp;
use crate::shared::engine::Choice;
use crate::target::{Result, default_library};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The number of the schema: another one when a field goes or changes its meaning.
const SCHEMA: u32 = 2;

/// What a run is, before it begins.
pub struct About<'a> {
    /// The suite.
    pub suite: &'a str,
    /// The command line, joined as a shell splits it.
    pub command: &'a str,
    /// The engines, with the names that reports use.
    pub engines: Vec<(String, Choice)>,
    /// Flags of db_bench for the engines.
    pub engine_flags: &'a [String],
    /// The directory of the databases.
    pub place: &'a Path,
}

/// The file, and what is in it.
pub struct Environment {
    path: PathBuf,
    object: Value,
}

impl Environment {
    /// Writes the file into a directory of results.
    pub fn begin(results: &Path, about: &About<'_>) -> Result<Environment> {
        let engine = |(name, choice): &(String, Choice)| json!({"name": name, "version": null, "library": library(choice)});
        let object = json!({
            "schema": SCHEMA,
            "suite": about.suite,
            "time": timestamp(),
            "command": about.command,
            "directory": std::env::current_dir().ok(),
            "version": env!("CARGO_PKG_VERSION"),
            "debug_build": cfg!(debug_assertions),
            "git_commit": commit(),
            "engines": about.engines.iter().map(engine).collect::<Vec<_>>(),
            "engine_flags": about.engine_flags,
            "host": machine(),
            "filesystem": filesystem(about.place),
            "load_average": load_average(),
            "complete": false,
        });
        let environment = Environment { path: results.join("environment.json"), object };
        environment.write()?;
        Ok(environment)
    }

    /// Adds what an opened engine says about its version. The first word wins.
    pub fn set_version(&mut self, engine: usize, version: &str) -> Result<()> {
        match self.object["engines"].get_mut(engine) {
            Some(engine) if engine["version"].is_null() => engine["version"] = version.into(),
            _ => return Ok(()),
        }
        self.write()
    }

    /// Notes at the end whether everything ran.
    pub fn end(&mut self, complete: bool) -> Result<()> {
        self.object["complete"] = complete.into();
        self.object["end_time"] = timestamp().into();
        self.write()
    }

    fn write(&self) -> Result<()> {
        write(&self.path, &format!("{:#}\n", self.object))
    }
}

/// Returns the path of the library that an engine is.
fn library(choice: &Choice) -> Option<PathBuf> {
    match (choice.engine.as_deref(), &choice.library) {
        (_, Some(path)) => Some(PathBuf::from(path)),
        (Some("lib"), None) => Some(default_library()),
        _ => None,
    }
}

/// Reads a file of the kernel.
fn read(path: &str) -> Option<String> {
    std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}

fn machine() -> Value {
    let mut object = match host() {
        Value::Object(object) => object,
        _ => Map::new(),
    };
    let memory = read("/proc/meminfo").unwrap_or_default();
    let total = memory.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kib = total.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    object.insert("cores".to_owned(), object.get("cpus").cloned().unwrap_or_default());
    object.insert("memory_bytes".to_owned(), json!(kib.map(|kib| kib * 1024)));
    let governor = read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    object.insert("governor".to_owned(), json!(governor));
    let thp = read("/sys/kernel/mm/transparent_hugepage/enabled");
    object.insert("thp".to_owned(), json!(thp.and_then(|text| chosen(&text))));
    Value::Object(object)
}

/// Returns the word in brackets: `always [madvise] never`.
fn chosen(text: &str) -> Option<String> {
    Some(text.split_once('[')?.1.split_once(']')?.0.to_owned())
}

/// Returns the load averages of 1, 5 and 15 minutes.
fn load_average() -> Option<Vec<f64>> {
    let text = read("/proc/loadavg")?;
    text.split(' ').take(3).map(|word| word.parse().ok()).collect()
}

/// Returns the filesystem of a directory that exists, or of the nearest one above it that does.
fn filesystem(place: &Path) -> Value {
    let existing = place.ancestors().find_map(|path| match path.as_os_str().is_empty() {
        true => std::env::current_dir().ok(),
        false => path.canonicalize().ok(),
    });
    let existing = existing.unwrap_or_else(|| PathBuf::from("/"));
    let mounts = read("/proc/self/mountinfo").unwrap_or_default();
    let (device, kind) = mount(&mounts, &existing).unzip();
    let free = rustix::fs::statvfs(&existing).ok().map(|free| free.f_bavail * free.f_frsize);
    json!({"path": place, "type": kind, "device": device, "free_bytes": free})
}

/// Returns device and type of the last mount with the longest path that contains `path`.
fn mount(mounts: &str, path: &Path) -> Option<(String, String)> {
    let parse = |line: &str| {
        let (left, right) = line.split_once(" - ")?;
        let point = PathBuf::from(left.split(' ').nth(4)?.replace("\\040", " "));
        let mut right = right.split(' ');
        let (kind, device) = (right.next()?.to_owned(), right.next()?.to_owned());
        path.starts_with(&point).then(|| (point.as_os_str().len(), device, kind))
    };
    let best = mounts.lines().filter_map(parse).max_by_key(|(length, ..)| *length)?;
    Some((best.1, best.2))
}

/// Returns the commit of the checkout that contains this program, with `-dirty` if its files have changed; `None` if
/// there is no checkout or the program is older than the commit.
fn commit() -> Option<String> {
    let program = std::env::current_exe().ok()?;
    let built = std::fs::metadata(&program).ok()?.modified().ok()?;
    let git = |args: &[&str]| -> Option<String> {
        let mut command = Command::new("git");
        command.arg("-C").arg(program.parent()?).args(args);
        let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    let seconds: u64 = git(&["log", "-1", "--format=%ct"])?.parse().ok()?;
    let committed: SystemTime = UNIX_EPOCH + Duration::from_secs(seconds);
    if built < committed {
        return None;
    }
    git(&["describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"])
}

#[cfg(test)]
#[path = "environment_test.rs"]
mod tests;
