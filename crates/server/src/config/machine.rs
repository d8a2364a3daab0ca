//! What the machine has, and whether the settings fit it.

use super::Flags;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::fs::read_to_string;

/// Open files besides those of connections: tables, logs, sockets that listen, event loops.
const OTHER_FILES: u64 = 512;
/// Megabytes that the process needs besides `--memory-mb`, at least.
const OTHER_MB: u64 = 64;

/// What the machine has.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    /// The memory that the process may use, in bytes; `None` if it is unknown.
    pub memory_bytes: Option<u64>,
    /// Whether a control group limits the memory, and not the machine.
    pub is_memory_limited: bool,
    /// The files that the process may open, at most; `None` means any number.
    pub open_files: Option<u64>,
    /// The processors that the process may use.
    pub processors: usize,
}

/// A setting that does not fit.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Problem {
    /// The setting.
    pub name: &'static str,
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub remedy: String,
    /// Whether a server with these settings does not start.
    pub is_fatal: bool,
}

impl Machine {
    /// Returns what this machine has.
    pub fn now() -> Machine {
        let total = kilobytes(&read_to_string("/proc/meminfo").unwrap_or_default(), "MemTotal");
        let limit = group_limit();
        let is_memory_limited = limit.is_some_and(|limit| total.is_none_or(|total| limit < total));
        Machine {
            memory_bytes: if is_memory_limited { limit } else { total },
            is_memory_limited,
            open_files: getrlimit(Resource::Nofile).maximum,
            processors: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }

    /// Returns the settings that do not fit this machine.
    pub fn problems(&self, flags: &Flags) -> Vec<Problem> {
        let mut problems: Vec<Problem> = self.memory_problem(flags).into_iter().collect();
        if let Some(limit) = self.open_files
            && needed_files(flags) > limit
        {
            // The default may be lowered; what somebody chose may not.
            let is_fatal = flags.connections_max != Flags::CONNECTIONS_MAX;
            let most = limit.saturating_sub(OTHER_FILES);
            problems.push(Problem {
                name: "max-connections",
                what: format!(
                    "{} connections and {OTHER_FILES} other files are more than the {limit} files that the process \
                     may open",
                    flags.connections_max
                ),
                remedy: format!(
                    "raise the limit (ulimit -Hn, or LimitNOFILE in a systemd unit), or set max-connections to at \
                     most {most}"
                ),
                is_fatal,
            });
        }
        if flags.workers > 4 * self.processors {
            problems.push(Problem {
                name: "workers",
                what: format!("{} workers share {} processors", flags.workers, self.processors),
                remedy: format!("set workers to {}", self.processors),
                is_fatal: false,
            });
        }
        problems
    }

    fn memory_problem(&self, flags: &Flags) -> Option<Problem> {
        let have_mb = self.memory_bytes? >> 20;
        let asked_mb = flags.memory_mb as u64;
        let whose = match self.is_memory_limited {
            true => "the control group allows",
            false => "the machine has",
        };
        // Small machines start with the default, as the memory is taken when it is needed.
        let is_chosen = flags.memory_mb != Flags::MEMORY_MB;
        let is_fatal = asked_mb > have_mb && is_chosen;
        let is_tight = asked_mb + OTHER_MB > have_mb || asked_mb > have_mb / 10 * 8;
        is_tight.then(|| Problem {
            name: "memory-mb",
            what: format!(
                "the cache and the memtables may take {asked_mb} MB, and {whose} {have_mb} MB"
            ),
            remedy: format!("set memory-mb to at most {}", (have_mb / 10 * 7).max(1)),
            is_fatal,
        })
    }

    /// Returns how many connections the limit of open files allows.
    pub fn connections_max(&self, wanted: usize) -> usize {
        let most = self.open_files.map_or(usize::MAX, |limit| {
            usize::try_from(limit.saturating_sub(OTHER_FILES)).unwrap_or(usize::MAX)
        });
        wanted.min(most.max(16))
    }

    /// Raises the number of files that this process may open to what the system allows.
    pub fn raise_open_files() {
        let limit = getrlimit(Resource::Nofile);
        // What fails here is found when files are counted.
        let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
        _ = setrlimit(Resource::Nofile, raised);
    }
}

fn needed_files(flags: &Flags) -> u64 {
    flags.connections_max as u64 + OTHER_FILES
}

/// Returns the bytes that a line such as `MemTotal:   12 kB` names.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? << 10)
}

/// Returns the memory that the control groups of the process allow, in bytes, if they limit it.
fn group_limit() -> Option<u64> {
    let groups = read_to_string("/proc/self/cgroup").unwrap_or_default();
    let path = groups.lines().find_map(|line| line.strip_prefix("0::/")).unwrap_or_default();
    let mut limits = Vec::new();
    let mut path = Some(path);
    // Each group above limits, too.
    while let Some(group) = path {
        limits.push(read_to_string(format!("/sys/fs/cgroup/{group}/memory.max")));
        path = match group.rsplit_once('/') {
            Some((above, _)) => Some(above),
            None if !group.is_empty() => Some(""),
            None => None,
        };
    }
    limits.push(read_to_string("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
    limits.into_iter().flatten().filter_map(|text| text.trim().parse().ok()).min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    fn problems(machine: &Machine, args: &[&str]) -> Vec<(&'static str, bool)> {
        let flags = Flags::parse_from([&["x"], args].concat());
        machine.problems(&flags).iter().map(|it| (it.name, it.is_fatal)).collect()
    }

    #[test]
    fn what_does_not_fit_is_found() {
        let machine = Machine {
            memory_bytes: Some(1 << 30),
            is_memory_limited: true,
            open_files: Some(4096),
            processors: 2,
        };
        assert_eq!(problems(&machine, &["--max-connections", "1000"]), []);
        let large = ["--memory-mb", "2000", "--max-connections", "1000"];
        assert_eq!(problems(&machine, &large), [("memory-mb", true)]);
        let tight = ["--memory-mb", "1000", "--max-connections", "1000"];
        assert_eq!(problems(&machine, &tight), [("memory-mb", false)]);
        assert_eq!(problems(&machine, &["--max-connections", "5000"]), [("max-connections", true)]);
        assert_eq!(problems(&machine, &["--workers", "9"])[1], ("workers", false));
        // The default number of connections is lowered.
        assert_eq!(problems(&machine, &[]), [("max-connections", false)]);
        assert_eq!(machine.connections_max(10_000), 4096 - 512);
        let now = Machine::now();
        assert!(now.memory_bytes.unwrap() > 100 << 20 && now.processors >= 1, "{now:?}");
    }
}
