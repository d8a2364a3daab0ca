//! Property files as Java's `Properties` reads them, and the keys that a core workload may have.

use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr;

/// Keys that this program honours, with YCSB's defaults. An empty default means that there is none.
pub const KNOWN: &[(&str, &str)] = &[
    ("core_workload_insertion_keep_going_on_error", "false"),
    ("core_workload_insertion_retry_interval", "3"),
    ("core_workload_insertion_retry_limit", "0"),
    ("dataintegrity", "false"),
    ("exponential.frac", "0.8571428571"),
    ("exponential.percentile", "95"),
    ("fieldcount", "10"),
    ("fieldlength", "100"),
    ("fieldlengthdistribution", "constant"),
    ("fieldlengthhistogram", "hist.txt"),
    ("fieldnameprefix", "field"),
    ("hotspotdatafraction", "0.2"),
    ("hotspotopnfraction", "0.8"),
    ("insertcount", ""),
    ("insertorder", "hashed"),
    ("insertproportion", "0.0"),
    ("insertstart", "0"),
    ("maxexecutiontime", "0"),
    ("maxscanlength", "1000"),
    ("minfieldlength", "1"),
    ("minscanlength", "1"),
    ("operationcount", ""),
    ("readallfields", "true"),
    ("readallfieldsbyname", "false"),
    ("readmodifywriteproportion", "0.0"),
    ("readproportion", "0.95"),
    ("recordcount", ""),
    ("redis.datatype", "hash"),
    ("requestdistribution", "uniform"),
    ("scanlengthdistribution", "uniform"),
    ("scanproportion", "0.0"),
    ("target", "0"),
    ("threadcount", "1"),
    ("updateproportion", "0.05"),
    ("workload", ""),
    ("writeallfields", "false"),
    ("zeropadding", "1"),
];

/// Keys of YCSB that have no effect here, and why. They are accepted because its own files contain them.
pub const WITHOUT_EFFECT: &[(&str, &str)] = &[
    ("discardscannedrecord", "only the FoundationDB client reads it"),
    ("exporter", "results are text and JSON lines"),
    ("histogram.buckets", "latencies have three digits of precision"),
    ("hdrhistogram.percentiles", "the report has fixed percentiles"),
    ("maxscanrate", "only the FoundationDB client reads it"),
    ("measurement.interval", "both latencies are always reported"),
    ("measurementtype", "latencies are always HDR histograms"),
    ("scanoptimelimit", "only the FoundationDB client reads it"),
    ("table", "records are in the default column family"),
    ("timeseries.granularity", "latencies are always HDR histograms"),
];

/// Keys of YCSB's client, of its measurements and of its RocksDB binding that are refused, and what to use instead.
const REFUSED: &[(&str, &str)] = &[
    ("db", "use --engine"),
    ("dotransactions", "the commands are ycsb load and ycsb run"),
    ("exportfile", "use --json or --results"),
    ("hdrhistogram.fileoutput", "use --results, whose lines have the curve of each latency"),
    ("hdrhistogram.output.path", "use --results, whose lines have the curve of each latency"),
    ("label", "results name the property files"),
    ("latencytrackederrors", "the first error ends a run"),
    ("measurement.histogram.verbose", "use --results, whose lines have the curve of each latency"),
    ("measurement.raw.no_summary", "single latencies are not kept"),
    ("measurement.raw.output_file", "single latencies are not kept"),
    ("measurement.trackjvm", "there is no JVM; use --results for memory and CPU time"),
    ("reportlatencyforeacherror", "the first error ends a run"),
    ("rocksdb.dir", "use --db"),
    ("rocksdb.optionsfile", "use -- --options_file=FILE"),
    ("spin.sleep", "with target, threads sleep until their next operation"),
    ("status", "progress is shown unless there is --quiet"),
    ("status.interval", "progress is shown unless there is --quiet"),
];

/// The properties of a run: those of the files in order, then those of the command line. The last one of a key wins.
#[derive(Clone, Debug, Default)]
pub struct Properties(BTreeMap<String, String>);

impl Properties {
    /// Adds the properties of a file. Errors name the file, the line, and what is wrong.
    pub fn read(&mut self, path: &Path) -> Result<(), String> {
        let bytes = std::fs::read(path)
            .map_err(|e| format!("{}: the property file cannot be read: {e}", path.display()))?;
        // Java reads Latin-1 where nothing else is said; all keys and values of YCSB are ASCII.
        let text: String = bytes.iter().map(|&byte| char::from(byte)).collect();
        for (number, line) in logical_lines(&text) {
            let (key, value) = key_and_value(&line)
                .map_err(|what| format!("{}, line {number}: {what}", path.display()))?;
            self.set(&key, &value)
                .map_err(|what| format!("{}, line {number}: {what}", path.display()))?;
        }
        Ok(())
    }

    /// Sets `key=value`, as the command line gives it.
    pub fn assign(&mut self, assignment: &str) -> Result<(), String> {
        let (key, value) = assignment
            .split_once('=')
            .ok_or_else(|| format!("-p {assignment}: expected KEY=VALUE"))?;
        self.set(key.trim(), value.trim()).map_err(|what| format!("-p {assignment}: {what}"))
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        if !KNOWN.iter().chain(WITHOUT_EFFECT).any(|(known, _)| *known == key) {
            return Err(unknown(key));
        }
        self.0.insert(key.to_owned(), value.to_owned());
        Ok(())
    }

    /// Returns the value of a key, or its default; `None` if it has neither.
    pub fn text(&self, key: &str) -> Option<&str> {
        let default = KNOWN.iter().find(|(known, _)| *known == key).map_or("", |(_, value)| value);
        let value = self.0.get(key).map_or(default, String::as_str);
        (!value.is_empty()).then_some(value)
    }

    /// Returns the value of a key that must have one, parsed.
    pub fn parsed<T: FromStr>(&self, key: &str, expected: &str) -> Result<T, String> {
        let text = self.text(key).ok_or_else(|| format!("the property {key} is missing"))?;
        text.parse().map_err(|_| format!("{key}={text}: expected {expected}"))
    }

    /// Returns a whole number.
    pub fn int(&self, key: &str) -> Result<u64, String> {
        self.parsed(key, "a whole number, such as 1000")
    }

    /// Returns a number between 0 and 1.
    pub fn fraction(&self, key: &str) -> Result<f64, String> {
        let value: f64 = self.parsed(key, "a number from 0 to 1")?;
        match (0.0..=1.0).contains(&value) {
            true => Ok(value),
            false => Err(format!("{key}={value}: expected a number from 0 to 1")),
        }
    }

    /// `true` or `false`.
    pub fn flag(&self, key: &str) -> Result<bool, String> {
        self.parsed(key, "true or false")
    }

    /// Returns all that were given, by key.
    pub fn given(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// One line for each key that was given and has no effect.
    pub fn notices(&self) -> Vec<String> {
        let why = |key: &str| WITHOUT_EFFECT.iter().find(|(known, _)| *known == key);
        self.0
            .keys()
            .filter_map(|key| why(key).map(|(_, why)| format!("{key} has no effect: {why}")))
            .collect()
    }
}

fn unknown(key: &str) -> String {
    if let Some((_, instead)) = REFUSED.iter().find(|(refused, _)| *refused == key) {
        return format!("the property {key} is not supported: {instead}");
    }
    let near = KNOWN
        .iter()
        .map(|(known, _)| (strsim::damerau_levenshtein(known, key), *known))
        .min()
        .filter(|(distance, _)| *distance <= 3);
    match near {
        Some((_, known)) => format!("unknown property {key}; did you mean {known}?"),
        None => format!("unknown property {key}; ferrolith-bench ycsb properties lists all"),
    }
}

/// Returns the lines that hold properties, with their numbers: no comments, no blank ones, continued lines joined.
fn logical_lines(text: &str) -> Vec<(usize, String)> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (i, line) in text.lines().enumerate() {
        let line = line.trim_start_matches([' ', '\t', '\u{c}']);
        let (number, mut joined) = match open.take() {
            Some(begun) => begun,
            None if line.is_empty() || line.starts_with(['#', '!']) => continue,
            None => (i + 1, String::new()),
        };
        let slashes = line.len() - line.trim_end_matches('\\').len();
        if slashes % 2 == 1 {
            joined.push_str(&line[..line.len() - 1]);
            open = Some((number, joined));
        } else {
            joined.push_str(line);
            lines.push((number, joined));
        }
    }
    lines.extend(open);
    lines
}

/// A key ends at the first `=`, `:` or blank that no backslash escapes.
fn key_and_value(line: &str) -> Result<(String, String), String> {
    let mut escaped = false;
    let end = line.find(|c: char| {
        let ends = !escaped && matches!(c, '=' | ':' | ' ' | '\t');
        escaped = c == '\\' && !escaped;
        ends
    });
    let (key, rest) = line.split_at(end.unwrap_or(line.len()));
    let rest = rest.trim_start_matches([' ', '\t']);
    let value = rest.strip_prefix(['=', ':']).unwrap_or(rest).trim_start_matches([' ', '\t']);
    Ok((unescaped(key)?, unescaped(value)?.trim_end().to_owned()))
}

fn unescaped(text: &str) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('t') => out.push('\t'),
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('f') => out.push('\u{c}'),
            Some('u') => {
                let digits: String = chars.by_ref().take(4).collect();
                let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                out.push(code.ok_or_else(|| format!("\\u{digits} is no character"))?);
            }
            Some(other) => out.push(other),
            None => {}
        }
    }
    Ok(out)
}
