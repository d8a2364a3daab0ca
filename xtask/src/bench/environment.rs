//! The conditions of a result besides the code: the machine, the time, the load.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Returns today's date in UTC.
pub(super) fn date() -> String {
    said(Command::new("date").args(["-u", "+%F"]))
}

/// Returns the current time in UTC.
pub(super) fn now() -> String {
    said(Command::new("date").args(["-u", "+%FT%H:%MZ"]))
}

/// Returns the commit, and whether there are uncommitted changes, except results: each row writes one.
pub(super) fn commit(root: &Path) -> String {
    let git = || {
        let mut git = Command::new("git");
        git.current_dir(root);
        git
    };
    let commit = said(git().args(["describe", "--always", "--exclude=*"]));
    let unchanged = ["diff", "--quiet", "HEAD", "--", ".", ":!docs/benchmarks"];
    let is_clean = git().args(unchanged).status().is_ok_and(|status| status.success());
    if is_clean { commit } else { commit + "-dirty" }
}

/// Returns the load averages.
pub(super) fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().take(3).collect::<Vec<_>>().join(" ")
}

/// Lines about the machine, for the report.
pub(super) fn machine() -> String {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let models: Vec<&str> = cpuinfo
        .lines()
        .filter_map(|line| line.strip_prefix("model name")?.split_once(": "))
        .map(|(_, model)| model)
        .collect();
    let meminfo = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kilobytes = meminfo.lines().find_map(|line| {
        line.strip_prefix("MemTotal:")?.split_whitespace().next()?.parse::<u64>().ok()
    });
    format!(
        "{} cores of {}, {:.1} GB of memory, {}",
        models.len(),
        models.first().unwrap_or(&"unknown CPU"),
        kilobytes.unwrap_or(0) as f64 / 1_048_576.0,
        said(Command::new("uname").args(["-sr"]))
    )
}

fn said(command: &mut Command) -> String {
    let text = command.output().map(|output| output.stdout).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).trim().to_owned();
    if text.is_empty() { "unknown".to_owned() } else { text }
}
