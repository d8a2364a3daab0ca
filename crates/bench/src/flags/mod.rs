//! The command line: one row per flag of RocksDB's db_bench, read in the syntax of gflags.
//!
//! `--flag=value`, `--flag value`, `--bool`, `--nobool`, each with one dash or two; the last one wins. gflags' own
//! flags are in `builtins.rs`. All flags of RocksDB 10.10 and those that it dropped are known, so an unknown flag is an
//! error that names it. `--help` and docs/db_bench.md are generated from the rows.

mod bench_rows;
mod builtins;
mod engine_rows;
mod help;
mod model_rows;
mod obsolete_rows;
mod parse;
mod refused_rows;

#[cfg(test)]
#[path = "flags_test.rs"]
mod tests;

pub use parse::{Parsed, parse};

use std::collections::HashMap;
use std::fmt;

/// The codec names of `--compression_type`.
const CODECS: &[&str] = &["none", "snappy", "zlib", "bzip2", "lz4", "lz4hc", "xpress", "zstd"];

/// The type of a flag's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// `true`, `false`, `t`, `f`, `yes`, `no`, `y`, `n`, `1`, `0`.
    Bool,
    /// A signed number of 32 bits.
    Int32,
    /// A signed number of 64 bits.
    Int64,
    /// A number of 32 bits.
    Uint32,
    /// A number of 64 bits.
    Uint64,
    /// A number with a fraction.
    Double,
    /// Anything.
    Text,
    /// One of these words.
    Choice(&'static [&'static str]),
}

impl Kind {
    /// Returns the name in help and in errors.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Bool => "bool",
            Kind::Int32 => "int32",
            Kind::Int64 => "int64",
            Kind::Uint32 => "uint32",
            Kind::Uint64 => "uint64",
            Kind::Double => "double",
            Kind::Text | Kind::Choice(_) => "string",
        }
    }
}

/// The treatment of a flag.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fate {
    /// It is honoured.
    Used,
    /// It is honoured, and a line describes how.
    Noted(&'static str),
    /// It sets this option, by RocksDB's name, on every engine; `part.setting` is one setting of a part.
    Sets(&'static str),
    /// It has no effect any more, and a line gives the reason.
    Obsolete(&'static str),
    /// Only its default is accepted.
    Refused(&'static str),
}

/// One flag.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its name without dashes.
    pub name: &'static str,
    /// The type of its value.
    pub kind: Kind,
    /// The value if it is not given.
    pub default: &'static str,
    /// The treatment of the flag.
    pub fate: Fate,
    /// One line for `--help`.
    pub help: &'static str,
}

const fn row(
    name: &'static str,
    kind: Kind,
    default: &'static str,
    fate: Fate,
    help: &'static str,
) -> Row {
    Row { name, kind, default, fate, help }
}

/// All rows, by the heading they have in `--help`.
pub const TABLES: &[(&str, &[Row])] = &[
    ("Engine under test", bench_rows::ENGINE),
    ("Workload", bench_rows::WORKLOAD),
    ("Single benchmarks", model_rows::MODELS),
    ("Report", bench_rows::REPORT),
    ("Database", engine_rows::DATABASE),
    ("Memtables", engine_rows::MEMTABLES),
    ("Tables and reading", engine_rows::TABLES),
    ("Levels and compaction", engine_rows::COMPACTION),
    ("Further options", engine_rows::FURTHER),
    ("Obsolete: accepted, without effect", obsolete_rows::OBSOLETE),
    ("Not supported: only the default is accepted", refused_rows::REFUSED),
];

/// A parsed value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// The value of a `Bool`.
    Bool(bool),
    /// A signed number.
    Int(i64),
    /// An unsigned number.
    Uint(u64),
    /// The value of a `Double`.
    Double(f64),
    /// The value of a `Text` or a `Choice`.
    Text(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(v) => write!(f, "{}", u8::from(*v)),
            Value::Int(v) => write!(f, "{v}"),
            Value::Uint(v) => write!(f, "{v}"),
            Value::Double(v) => write!(f, "{v}"),
            Value::Text(v) => f.write_str(v),
        }
    }
}

/// The values of all flags.
#[derive(Clone)]
pub struct Flags {
    values: HashMap<&'static str, Value>,
    given: Vec<&'static str>,
}

impl Flags {
    /// Returns whether the command line has the flag.
    pub fn is_given(&self, name: &str) -> bool {
        self.given.contains(&name)
    }

    /// Returns the flags that the command line has, in its order.
    pub fn given(&self) -> &[&'static str] {
        &self.given
    }

    /// Returns whether a flag has its default value.
    pub fn is_default(&self, name: &str) -> bool {
        let row = TABLES.iter().flat_map(|(_, rows)| rows.iter()).find(|row| row.name == name);
        row.is_some_and(|row| parse::value_of(row, row.default).as_ref() == Ok(self.value(name)))
    }

    /// Returns whether a library is loaded, now or in child processes.
    pub fn uses_library(&self) -> bool {
        match self.text("engine") {
            "ferrolith" => !self.is_given("engine") && !self.text("engine_lib").is_empty(),
            "both" => self.text("peer") == "lib" || !self.text("own_lib").is_empty(),
            engine => engine == "lib",
        }
    }

    /// Returns a value by name. A name without a row is a bug in this program.
    pub fn value(&self, name: &str) -> &Value {
        self.values.get(name).unwrap_or_else(|| panic!("no row for the flag --{name}"))
    }

    /// Returns a `bool`.
    pub fn on(&self, name: &str) -> bool {
        matches!(self.value(name), Value::Bool(true))
    }

    /// Any whole number; a `uint64` beyond the range becomes the largest.
    pub fn int(&self, name: &str) -> i64 {
        match self.value(name) {
            Value::Int(v) => *v,
            Value::Uint(v) => i64::try_from(*v).unwrap_or(i64::MAX),
            other => panic!("--{name} is {other:?}, not a whole number"),
        }
    }

    /// Returns a whole number of 32 bits.
    pub fn int32(&self, name: &str) -> i32 {
        i32::try_from(self.int(name)).unwrap_or(i32::MAX)
    }

    /// Returns a whole number that is not negative; negative ones become 0.
    pub fn uint(&self, name: &str) -> u64 {
        match self.value(name) {
            Value::Uint(v) => *v,
            _ => u64::try_from(self.int(name)).unwrap_or(0),
        }
    }

    /// Returns a `double`.
    pub fn double(&self, name: &str) -> f64 {
        match self.value(name) {
            Value::Double(v) => *v,
            other => panic!("--{name} is {other:?}, not a double"),
        }
    }

    /// Returns a `string`.
    pub fn text(&self, name: &str) -> &str {
        match self.value(name) {
            Value::Text(v) => v,
            other => panic!("--{name} is {other:?}, not a string"),
        }
    }

    /// Translates flags that RocksDB dropped but the tool still honours to the current flags.
    fn follow_old_names(&mut self) {
        if self.is_given("compaction_measure_io_stats") {
            let value = self.value("compaction_measure_io_stats").clone();
            self.set("report_bg_io_stats", value);
        }
    }

    /// Overrides a value from within the program.
    pub fn set(&mut self, name: &'static str, value: Value) {
        assert!(self.values.insert(name, value).is_some(), "no row for the flag --{name}");
    }
}
