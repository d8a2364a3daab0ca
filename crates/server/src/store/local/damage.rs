//! What opening the database dropped: damaged parts of write-ahead logs. The engine recovers to the state before the
//! damage, as after a crash of the machine, and notes file and offset in its LOG.

use std::path::Path;

/// Returns a line for each damaged write-ahead log that the last opening found: its path, the offset, the cause, and
/// the number of dropped bytes. Empty if the engine's LOG cannot be read.
pub fn dropped_log_parts(dir: &Path) -> Vec<String> {
    let log = std::fs::read(dir.join("LOG")).unwrap_or_default();
    let lines = String::from_utf8_lossy(&log);
    let warnings = lines.lines().filter_map(|line| line.split_once("[WARN] "));
    let damage = warnings.map(|(_, text)| text).filter(|text| {
        text.split_once(".log: offset ").is_some() && text.ends_with("bytes dropped)")
    });
    damage.map(str::to_owned).collect()
}
