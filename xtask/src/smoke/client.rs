//! Runs the neutral benchmark client in every phase on both libraries, with little data, to check that it works.

use crate::bench::duel;
use crate::compat::Failure;
use crate::compat::place::{self, Place};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Tables and parameters of each run.
const RUNS: [&str; 5] = [
    "block num=3000 secs=0.05 phases=fillseq,filluniq,overwrite,compact,read1,read,ycsb,scan,readwhilewriting,scanwhilewriting",
    "block num=3000 value=8 secs=0.05 phases=filluniq,readwhilemerging",
    "block num=3000 secs=0.05 iterators=50 snapshots=20 gap=500 \
     phases=fillseq,iterators,snapshots,seekgap,deletegap,seekgap-memtable,flush,seekgap-flushed",
    "block num=1 secs=0.05 queue=50 phases=queue",
    "plain num=3000 prefix=12 prefixes=300 secs=0.05 phases=filluniq,wait,readwhilewriting,prefixscan",
];

pub(super) fn judge(place: &Place, ours: &Path, real: &Path) -> Result<bool, Failure> {
    let client = duel::build(place)?;
    let dir = std::env::temp_dir().join(format!("ferrolith-kvduel-{}", std::process::id()));
    let mut good = true;
    for run in RUNS {
        let phases = run.split("phases=").nth(1).unwrap_or("").split(',');
        for (which, library) in [("RocksDB", real), ("ours", ours)] {
            let _ = fs::remove_dir_all(&dir);
            let mut command = Command::new(&client);
            let mut words = run.split(' ');
            command.arg(library).args(words.next()).arg(&dir).args(words);
            let said = place::output(command)?;
            let _ = fs::remove_dir_all(&dir);
            let missing: Vec<&str> =
                phases.clone().filter(|phase| !said.contains(&format!("{phase} "))).collect();
            if !missing.is_empty() {
                println!("kvduel on {which}: FAILED: no line for {}: {said}", missing.join(", "));
                good = false;
            }
        }
    }
    println!("kvduel: {}", if good { "all phases on both" } else { "FAILED" });
    Ok(good)
}
