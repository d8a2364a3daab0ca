//! Estimates of the three amplifications in each measured second.
//!
//! Results have amplifications of a whole phase; lines of single seconds have bytes, but not the bytes of keys and
//! values in them. These are taken to grow with the operations, which is right as long as the mix of operations is the
//! same.
//!
//! * write: bytes sent to a device so far, per byte written by the user
//! * read: bytes of read calls so far, per byte read by the user
//! * space: bytes of all SST files, per byte that was live at the end

use super::results::{Record, Results};
use super::timeline::Series;

/// Adds the estimates to the series of complete results.
pub fn estimate(all: &mut [Series], results: &Results) {
    for series in all {
        let Some(record) = series.record.map(|at| &results.records[at]) else { continue };
        if record.is_complete {
            one(series, record);
        }
    }
}

fn one(series: &mut Series, record: &Record) {
    // The bytes of users: those of the process, divided by the amplification.
    let user = |bytes: &str, amplification: &str| {
        let amplification = record.number(&[amplification]).filter(|number| *number > 0.0)?;
        Some(record.number(&[bytes])? / amplification)
    };
    let shares = shares(series);
    let so_far = |column: &[Option<f64>], user: Option<f64>| -> Vec<Option<f64>> {
        let last = column.last().copied().flatten().unwrap_or(0.0);
        let of = |(bytes, share): (&Option<f64>, &Option<f64>)| {
            Some((*bytes)? / (user? * (*share)?)).filter(|number| last > 0.0 && number.is_finite())
        };
        column.iter().zip(&shares).map(of).collect()
    };
    let written = user("/cost/bytes_written", "/amplification/write");
    let read = user("/cost/bytes_read", "/amplification/read");
    let live = user("/bytes_on_disk", "/amplification/space");
    let write_amp = so_far(series.column("device"), written);
    let read_amp = so_far(series.column("read"), read);
    let space = |bytes: Option<f64>| Some(bytes? / live?).filter(|number| number.is_finite());
    let space_amp = series.tree_bytes().into_iter().map(space).collect();
    series.fill("write_amp", write_amp);
    series.fill("read_amp", read_amp);
    series.fill("space_amp", space_amp);
}

/// Returns the share of all measured operations that was done by the end of each second.
fn shares(series: &Series) -> Vec<Option<f64>> {
    let totals = series.totals();
    let mut before = None;
    let mut done = 0.0;
    let mut sums = Vec::with_capacity(totals.len());
    for ((rate, warm_up), time) in totals.iter().zip(&series.warm_up).zip(&series.times) {
        let seconds = time - before.unwrap_or(0.0);
        before = Some(*time);
        if *warm_up {
            sums.push(None);
        } else {
            done += rate.unwrap_or(0.0) * seconds;
            sums.push(Some(done));
        }
    }
    sums.into_iter().map(|sum| Some(sum? / done).filter(|share| *share > 0.0)).collect()
}
