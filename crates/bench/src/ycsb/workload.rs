//! A core workload: its settings from properties, checked before anything runs.

use super::chooser::{KeyChooser, LengthChooser};
use super::distribution::{Exponential, Hotspot, Scrambled, Zipfian};
use super::properties::Properties;
use super::record::Shape;
use crate::rng::Random64;
use std::sync::Arc;

/// The kinds of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// Reads a record.
    Read,
    /// Writes one field of a record, or all.
    Update,
    /// Writes a new record.
    Insert,
    /// Reads records in order.
    Scan,
    /// Reads a record and updates it.
    ReadModifyWrite,
}

impl Operation {
    /// All of them, in YCSB's order of choice.
    pub const ALL: [Operation; 5] = [
        Operation::Read,
        Operation::Update,
        Operation::Insert,
        Operation::Scan,
        Operation::ReadModifyWrite,
    ];

    /// YCSB's name.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Read => "READ",
            Operation::Update => "UPDATE",
            Operation::Insert => "INSERT",
            Operation::Scan => "SCAN",
            Operation::ReadModifyWrite => "READ-MODIFY-WRITE",
        }
    }

    /// Returns whether it writes.
    pub fn writes(self) -> bool {
        !matches!(self, Operation::Read | Operation::Scan)
    }
}

/// A workload.
#[derive(Clone)]
pub struct Workload {
    /// The form of records.
    pub shape: Shape,
    /// Records of the table.
    pub records: u64,
    /// The first record that a load inserts, and how many.
    pub load: (u64, u64),
    /// The number of operations of a run; 0: until the time has passed.
    pub operations: u64,
    /// The maximum duration of a phase in seconds; 0: as long as its operations take.
    pub seconds: u64,
    /// Threads.
    pub threads: usize,
    /// Operations per second of all threads; 0: as fast as possible.
    pub target: u64,
    /// Reads and scans use all fields.
    pub read_all_fields: bool,
    /// Updates write all fields.
    pub write_all_fields: bool,
    /// How often a failed insert is retried, and the seconds in between.
    pub insert_retries: (u64, u64),
    /// An insert that failed for good does not end the phase.
    pub keep_going: bool,
    /// Sums of the weights of [`Operation::ALL`].
    mix: [f64; 5],
    keys: KeyChooser,
    scan_length: LengthChooser,
}

/// The name that YCSB gave its class in its first releases, and the one it has now.
const CLASSES: [&str; 2] =
    ["com.yahoo.ycsb.workloads.CoreWorkload", "site.ycsb.workloads.CoreWorkload"];

impl Workload {
    /// From properties. Errors name the property, its value, and what was expected.
    pub fn new(p: &Properties) -> Result<Workload, String> {
        match p.text("workload") {
            Some(class) if !CLASSES.contains(&class) => {
                return Err(format!("workload={class}: only the core workload is supported"));
            }
            _ => {}
        }
        if p.flag("readallfieldsbyname")? {
            return Err("readallfieldsbyname=true: not supported; values are read whole".to_owned());
        }
        let records = p.int("recordcount")?;
        let start = p.int("insertstart")?;
        let count = match p.text("insertcount") {
            Some(_) => p.int("insertcount")?,
            None => records.saturating_sub(start),
        };
        if records == 0 || count == 0 || start.checked_add(count).is_none_or(|end| end > records) {
            return Err(format!(
                "insertstart={start}, insertcount={count}: the records from {start} on must be some of the \
                 {records} that recordcount gives"
            ));
        }
        let operations = p.text("operationcount").map_or(Ok(0), |_| p.int("operationcount"))?;
        let (mix, inserts) = mix(p)?;
        let expected = (operations as f64 * inserts * 2.0) as u64;
        let threads = p.int("threadcount")? as usize;
        if !(1..=10_000).contains(&threads) {
            return Err(format!("threadcount={threads}: expected 1 to 10000"));
        }
        Ok(Workload {
            shape: shape(p)?,
            records,
            load: (start, count),
            operations,
            seconds: p.int("maxexecutiontime")?,
            threads,
            target: p.int("target")?,
            read_all_fields: p.flag("readallfields")?,
            write_all_fields: p.flag("writeallfields")?,
            insert_retries: (
                p.int("core_workload_insertion_retry_limit")?,
                p.int("core_workload_insertion_retry_interval")?,
            ),
            keep_going: p.flag("core_workload_insertion_keep_going_on_error")?,
            mix,
            keys: keys(p, start, count, records, expected)?,
            scan_length: LengthChooser::new(
                p.text("scanlengthdistribution").unwrap_or_default(),
                p.int("minscanlength")?,
                p.int("maxscanlength")?,
            )
            .and_then(|length| match length {
                LengthChooser::Constant(_) => Err("unknown distribution constant".to_owned()),
                length => Ok(length),
            })
            .map_err(|e| format!("scanlengthdistribution, minscanlength, maxscanlength: {e}"))?,
        })
    }

    /// Returns a chooser for one thread.
    pub fn key_chooser(&self) -> KeyChooser {
        self.keys.clone()
    }

    /// Returns the next operation; `uniform` is from `[0, 1)`.
    #[inline]
    pub fn operation(&self, uniform: f64) -> Operation {
        let at = uniform * self.mix[4];
        let i = self.mix.iter().position(|sum| at < *sum).unwrap_or(4);
        Operation::ALL[i]
    }

    /// Returns the records of the next scan.
    #[inline]
    pub fn scan_length(&self, random: &mut Random64) -> u64 {
        self.scan_length.pick(random)
    }
}

/// Sums of weights, and the weight of inserts.
fn mix(p: &Properties) -> Result<([f64; 5], f64), String> {
    let keys = [
        "readproportion",
        "updateproportion",
        "insertproportion",
        "scanproportion",
        "readmodifywriteproportion",
    ];
    let mut sums = [0.0; 5];
    let (mut sum, mut inserts) = (0.0, 0.0);
    for (i, key) in keys.into_iter().enumerate() {
        let weight = p.fraction(key)?;
        if Operation::ALL[i] == Operation::Insert {
            inserts = weight;
        }
        sum += weight;
        sums[i] = sum;
    }
    if sum <= 0.0 {
        return Err(format!("{}: all are 0", keys.join(", ")));
    }
    Ok((sums, inserts))
}

fn shape(p: &Properties) -> Result<Shape, String> {
    let count = p.int("fieldcount")?;
    if !(1..=100_000).contains(&count) {
        return Err(format!("fieldcount={count}: expected 1 to 100000"));
    }
    let prefix = p.text("fieldnameprefix").unwrap_or_default();
    let distribution = p.text("fieldlengthdistribution").unwrap_or_default();
    let length = if distribution == "histogram" {
        let path = p.text("fieldlengthhistogram").unwrap_or_default();
        std::fs::read_to_string(path)
            .map_err(|e| e.to_string())
            .and_then(|text| LengthChooser::histogram(&text))
            .map_err(|e| format!("fieldlengthhistogram={path}: {e}"))?
    } else {
        let (min, max) = (p.int("minfieldlength")?, p.int("fieldlength")?);
        if max > 1 << 30 {
            return Err(format!("fieldlength={max}: expected at most 1 GiB"));
        }
        // A constant length ignores the minimum.
        let min = if distribution == "constant" { max } else { min };
        LengthChooser::new(distribution, min, max).map_err(|e| format!("fieldlength: {e}"))?
    };
    let checked = p.flag("dataintegrity")?;
    if checked && distribution != "constant" {
        return Err("dataintegrity=true needs fieldlengthdistribution=constant".to_owned());
    }
    let hashed = match p.text("insertorder") {
        Some("hashed") => true,
        Some("ordered") => false,
        other => {
            let other = other.unwrap_or_default();
            return Err(format!("insertorder={other}: expected hashed or ordered"));
        }
    };
    let zero_padding = p.int("zeropadding")?;
    if zero_padding > 1000 {
        return Err(format!("zeropadding={zero_padding}: expected at most 1000"));
    }
    Ok(Shape {
        fields: (0..count).map(|i| format!("{prefix}{i}")).collect(),
        length,
        zero_padding: zero_padding as usize,
        hashed,
        checked,
    })
}

fn keys(
    p: &Properties,
    first: u64,
    count: u64,
    records: u64,
    expected: u64,
) -> Result<KeyChooser, String> {
    Ok(match p.text("requestdistribution").unwrap_or_default() {
        "uniform" => KeyChooser::Uniform { first, count },
        "sequential" => KeyChooser::Sequential { first, count, taken: Arc::default() },
        // New records get their share of popularity before they exist, so that the others keep theirs.
        "zipfian" => KeyChooser::Zipfian(Scrambled::new(first, count + expected + 1)),
        "latest" => KeyChooser::Latest(Zipfian::new(records)),
        "hotspot" => KeyChooser::Hotspot(Hotspot::new(
            first,
            count,
            p.fraction("hotspotdatafraction")?,
            p.fraction("hotspotopnfraction")?,
        )),
        "exponential" => {
            let percentile: f64 = p.parsed("exponential.percentile", "a number below 100")?;
            if !(0.0..100.0).contains(&percentile) || percentile == 0.0 {
                return Err(format!("exponential.percentile={percentile}: expected 0 to 100"));
            }
            let share = p.fraction("exponential.frac")?;
            KeyChooser::Exponential(Exponential::new(percentile, records as f64 * share))
        }
        other => {
            return Err(format!(
                "requestdistribution={other}: expected uniform, sequential, zipfian, latest, hotspot or exponential"
            ));
        }
    })
}
