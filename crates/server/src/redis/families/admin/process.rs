//! What the system knows of the process, as far as INFO and MEMORY show it. All reads are of `/proc`; what cannot be
//! read is zero or empty.

use crate::redis::server::Server;
use std::sync::atomic::Ordering;

/// The allocator of the process.
pub(super) const ALLOCATOR: &str = "system";
/// The unit of times in `/proc/self/stat`: Linux has shown hundredths of seconds to programs for decades.
const TICKS_PER_SECOND: f64 = 100.0;

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

/// Returns name, release and machine of the system.
pub(super) fn system() -> String {
    let release = read("/proc/sys/kernel/osrelease");
    let name = read("/proc/sys/kernel/ostype");
    format!("{} {} {}", name.trim(), release.trim(), std::env::consts::ARCH)
}

/// Returns the path of the program.
pub(super) fn executable() -> String {
    std::env::current_exe().map(|path| path.display().to_string()).unwrap_or_default()
}

/// Returns the bytes that a line such as `VmRSS:   12 kB` of a file names.
fn kilobytes(text: &str, name: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    number.unwrap_or(0) << 10
}

/// Returns the memory of the machine, in bytes.
pub(super) fn system_memory() -> u64 {
    kilobytes(&read("/proc/meminfo"), "MemTotal")
}

/// The memory of the process, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    /// In use: resident, without what files back.
    pub used: u64,
    /// Resident, with mapped files.
    pub resident: u64,
    /// The most that was in use when somebody asked.
    pub peak: u64,
    /// Rows that wait to be flushed.
    pub memtables: u64,
    /// Cached blocks of table files.
    pub cache: u64,
    /// Cached rows.
    pub rows: u64,
}

impl Memory {
    /// Returns the present memory.
    pub(crate) fn now(server: &Server) -> Memory {
        let status = read("/proc/self/status");
        let used = kilobytes(&status, "RssAnon");
        let figure = |name: &str| server.store.figure(name).unwrap_or(0);
        Memory {
            used,
            resident: kilobytes(&status, "VmRSS"),
            peak: server.memory_peak.fetch_max(used, Ordering::Relaxed).max(used),
            memtables: figure("rocksdb.cur-size-all-mem-tables"),
            cache: figure("rocksdb.block-cache-usage"),
            rows: figure("ferrolith.row-cache-usage"),
        }
    }

    /// Returns the bytes of rows in memory.
    pub(super) fn dataset(&self) -> u64 {
        (self.memtables + self.cache + self.rows).min(self.used)
    }
}

/// The processor time of the process, in seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct CpuTimes {
    pub user: f64,
    pub system: f64,
    pub children_user: f64,
    pub children_system: f64,
}

impl CpuTimes {
    /// Returns the times until now.
    pub(super) fn now() -> CpuTimes {
        let stat = read("/proc/self/stat");
        // The name of the program, in parentheses, may have spaces. The times are 11 fields behind the state.
        let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
        let mut times = fields
            .split_whitespace()
            .skip(11)
            .map(|ticks| ticks.parse::<f64>().unwrap_or(0.0) / TICKS_PER_SECOND);
        let mut next = || times.next().unwrap_or(0.0);
        CpuTimes { user: next(), system: next(), children_user: next(), children_system: next() }
    }
}

#[cfg(test)]
#[path = "process_test.rs"]
mod tests;
