//! `cargo x bench`: the comparison with RocksDB and LMDB, measured and written as Markdown.
//!
//! `rows` has the table. This file parses the command line and executes it; `run` runs a command; `raw` parses its
//! output; `report` evaluates and writes, with `chart` for the picture; `duel` does all of this for another client.
//! `against` compares with an earlier build of Ferrolith instead, to see what a change costs.
//! `archive` keeps each row's output, and the report is generated from the outputs, so a table can be measured in
//! parts, on different days. `cold_rows` has more rows, for data that does not fit the cache, and `cold` reports them.

mod against;
mod archive;
mod chart;
mod cold;
mod cold_rows;
pub(crate) mod duel;
mod environment;
mod raw;
mod report;
mod rows;
mod run;

use crate::compat::{Failure, place};
use cold_rows::{COLD_DATA, COLD_DUELS, COLD_ROWS};
use rows::{DATA, DUELS, Data, Duel, KINDS, ROWS, Row, SHAPES, SMALL};
use run::Bench;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub(crate) const USAGE: &str = "\
usage: cargo x bench [flags]

  --rows A,B      runs only these rows (see --list); the other rows keep their earlier results. \"cold\" stands for all
                  rows of cold.md: data larger than the cache, cold, compressed, deleted. They run only by name
  --matrix        runs workloads that were not used for tuning: several shapes of keys and values; --rows selects shapes
  --duel          runs phases through the C functions, with the neutral client crates/bench/kvduel; --rows selects
                  duels. Needs a C compiler
  --against LIB   compares with an earlier build of Ferrolith's librocksdb.so instead of RocksDB, and prints the ratios;
                  both builds are called through the C functions. Default of --out: target/bench-against
  --pairs N       the number of alternating pairs of runs. Default: 5, with --matrix 3
  --seconds N     the duration of runs without a fixed number of operations. Default: 4
  --num N         the base number of keys; data sets use fractions or multiples of it. Default: 2000000
  --long          also runs the rows that take ten minutes per run
  --smoke         only shows that rows run: the debug build, one pair, little data; the figures are meaningless. Default of
                  --rows: cold, of --num: 2000, of --dir: target/bench-smoke-data, of --out: target/bench-smoke
  --dir DIR       the directory of the databases. Default: /dev/shm/ferrolith-bench
  --disk-dir DIR  the directory of the databases of rows that sync or read from a device. Default: target/bench-synced
  --out DIR       the directory of the table and of raw.tar.gz with each row's output. Default: docs/benchmarks/<date>
  --list          lists the rows and exits
  --report        only rewrites the table from the outputs in --out
";

struct Flags {
    rows: Vec<String>,
    matrix: bool,
    duel: bool,
    pairs: Option<u64>,
    seconds: u64,
    num: u64,
    long: bool,
    list: bool,
    report: bool,
    smoke: bool,
    dir: PathBuf,
    disk_dir: Option<PathBuf>,
    out: Option<PathBuf>,
    /// An earlier build of Ferrolith's library.
    against: Option<PathBuf>,
}

/// The table to measure.
enum Table {
    Rows,
    Matrix,
    /// With the neutral client.
    Duel,
}

impl Flags {
    fn table(&self) -> Table {
        match (self.duel, self.matrix) {
            (true, _) => Table::Duel,
            (false, true) => Table::Matrix,
            (false, false) => Table::Rows,
        }
    }
}

pub(crate) fn run(args: impl Iterator<Item = String>) -> ExitCode {
    let args: Vec<String> = args.collect();
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        print!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let flags = match parse(args.into_iter()) {
        Ok(flags) => flags,
        Err(e) => {
            eprintln!("cargo x bench: {e}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match work(&flags) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("cargo x bench: {e}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the flags without arguments.
fn defaults() -> Flags {
    Flags {
        rows: Vec::new(),
        matrix: false,
        duel: false,
        pairs: None,
        seconds: 4,
        num: 2_000_000,
        long: false,
        list: false,
        report: false,
        smoke: false,
        disk_dir: None,
        dir: "/dev/shm/ferrolith-bench".into(),
        out: None,
        against: None,
    }
}

/// Returns the flags of `--smoke` without further arguments.
fn smoke_defaults() -> Flags {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("target");
    Flags {
        smoke: true,
        rows: vec![cold_rows::GROUP.to_owned()],
        pairs: Some(1),
        num: 2000,
        dir: target.join("bench-smoke-data"),
        out: Some(target.join("bench-smoke")),
        ..defaults()
    }
}

fn parse(args: impl Iterator<Item = String>) -> Result<Flags, Failure> {
    let args: Vec<String> = args.collect();
    let is_smoke = args.iter().any(|arg| arg == "--smoke");
    let mut flags = if is_smoke { smoke_defaults() } else { defaults() };
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        let (name, given) = match arg.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (arg.as_str(), None),
        };
        let mut value =
            || given.clone().or_else(|| args.next()).ok_or(format!("{name} needs a value"));
        match name {
            "--rows" => flags.rows = value()?.split(',').map(str::to_owned).collect(),
            "--matrix" => flags.matrix = true,
            "--duel" => flags.duel = true,
            "--long" => flags.long = true,
            "--list" => flags.list = true,
            "--report" => flags.report = true,
            // Its defaults are set already.
            "--smoke" => {}
            "--pairs" => flags.pairs = Some(number(name, &value()?)?),
            "--seconds" => flags.seconds = number(name, &value()?)?,
            "--num" => flags.num = number(name, &value()?)?,
            "--dir" => flags.dir = value()?.into(),
            "--disk-dir" => flags.disk_dir = Some(value()?.into()),
            "--out" => flags.out = Some(value()?.into()),
            "--against" => flags.against = Some(library(&value()?)?),
            _ => return Err(format!("unknown flag {arg:?}")),
        }
    }
    if flags.duel && flags.matrix {
        return Err("--duel and --matrix cannot be combined".into());
    }
    if flags.smoke && (flags.against.is_some() || flags.duel || flags.matrix) {
        return Err("--smoke cannot be combined with --against, --duel or --matrix".into());
    }
    let known = |name: &String| match flags.table() {
        Table::Matrix => SHAPES.iter().any(|(shape, _)| shape == name),
        Table::Duel => DUELS.iter().any(|duel| duel.name == name),
        Table::Rows => ROWS.iter().any(|row| row.name == name) || cold_rows::is_known(name),
    };
    match flags.rows.iter().find(|name| !known(name)) {
        Some(name) => Err(format!("unknown row {name:?}; --list names them")),
        None => Ok(flags),
    }
}

/// Returns the path of a library, which must exist: builds before the first run take minutes.
fn library(path: &str) -> Result<PathBuf, Failure> {
    std::fs::canonicalize(path).map_err(|e| format!("--against {path}: {e}"))
}

fn number(name: &str, text: &str) -> Result<u64, Failure> {
    match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err(format!("{name} {text}: expected a number of 1 or more")),
    }
}

fn work(flags: &Flags) -> Result<(), Failure> {
    if flags.list {
        match flags.table() {
            Table::Matrix => SHAPES.iter().for_each(|(name, flags)| println!("{name:<20} {flags}")),
            Table::Duel => {
                DUELS.iter().for_each(|duel| println!("{:<20} {}", duel.name, duel.args))
            }
            Table::Rows => list(),
        }
        return Ok(());
    }
    let place = place::Place::find()?;
    let default = match flags.against {
        Some(_) => place.root.join("target/bench-against"),
        None => place.root.join("docs/benchmarks").join(environment::date()),
    };
    let out = flags.out.clone().unwrap_or(default);
    archive::unpack(&out)?;
    if !flags.report {
        let is_table = matches!(flags.table(), Table::Rows);
        let needs_lmdb = is_table && selected(flags).iter().any(|row| row.data == "lmdb");
        let bench = Bench::build(&place, flags, &out, needs_lmdb)?;
        match flags.table() {
            Table::Matrix => matrix(flags, &bench)?,
            Table::Duel => duel::run(flags, &bench, &place, &duels(flags))?,
            Table::Rows => {
                table(flags, &bench)?;
                duel::run(flags, &bench, &place, &cold_duels(flags))?;
            }
        }
    }
    if flags.against.is_some() {
        print!("{}", against::text(&out));
        return archive::pack(&out);
    }
    let reports = match flags.matrix {
        true => vec![report::matrix(&out)?],
        false => [report::table(&out)?, cold::table(&out)?].into_iter().flatten().collect(),
    };
    archive::pack(&out)?;
    if reports.is_empty() {
        return Err(format!("{}: no row was measured", out.display()));
    }
    reports.iter().for_each(|report| println!("{}", report.display()));
    Ok(())
}

/// Prints the rows of both tables.
fn list() {
    let lines =
        |rows: &[Row]| rows.iter().for_each(|row| println!("{:<26} {}", row.name, row.what));
    lines(ROWS);
    println!("\n{:<26} all rows below", cold_rows::GROUP);
    lines(COLD_ROWS);
    for duel in COLD_DUELS {
        let phases: Vec<&str> = duel.phases.iter().map(|phase| phase.what).collect();
        println!("{:<26} {}", duel.name, phases.join("; "));
    }
}

/// Returns the duels that `--duel` runs.
fn duels(flags: &Flags) -> Vec<&'static Duel> {
    let wanted = |duel: &&Duel| flags.rows.is_empty() || flags.rows.iter().any(|r| r == duel.name);
    DUELS.iter().filter(wanted).collect()
}

/// Returns the duels among the rows of `--rows cold`.
fn cold_duels(flags: &Flags) -> Vec<&'static Duel> {
    COLD_DUELS.iter().filter(|duel| cold_rows::is_wanted(duel.name, &flags.rows)).collect()
}

fn selected(flags: &Flags) -> Vec<&'static Row> {
    let wanted = |row: &&Row| match flags.rows.as_slice() {
        // Rows with a peer of their own do not compare two builds.
        _ if flags.against.is_some() && row.has_own_peer() => false,
        [] => flags.long || !row.long,
        names => names.iter().any(|name| name == row.name),
    };
    let cold = COLD_ROWS.iter().filter(|row| cold_rows::is_wanted(row.name, &flags.rows));
    ROWS.iter().filter(wanted).chain(cold).collect()
}

/// Measures the rows, data set by data set.
fn table(flags: &Flags, bench: &Bench<'_>) -> Result<(), Failure> {
    let rows = selected(flags);
    let mut count = 0;
    for data in DATA.iter().chain(COLD_DATA) {
        let rows: Vec<&&Row> = rows.iter().filter(|row| row.data == data.name).collect();
        if rows.is_empty() {
            continue;
        }
        if !data.fill.is_empty() {
            bench.fill(data)?;
        }
        for row in rows {
            count += 1;
            bench.row(row, data, &format!("{count} of {}", selected(flags).len()))?;
        }
        bench.remove(data)?;
    }
    Ok(())
}

/// Measures the shapes; each runs all kinds in one process per engine.
fn matrix(flags: &Flags, bench: &Bench<'_>) -> Result<(), Failure> {
    let wanted = |name: &str| flags.rows.is_empty() || flags.rows.iter().any(|row| row == name);
    let shapes: Vec<_> = SHAPES.iter().filter(|(name, _)| wanted(name)).collect();
    for (i, (name, shape)) in shapes.iter().enumerate() {
        bench.shape(name, &[SMALL, shape, KINDS], &format!("{} of {}", i + 1, shapes.len()))?;
    }
    Ok(())
}

/// Returns the directory of a data set.
fn directory(flags: &Flags, place: &place::Place, data: &Data) -> PathBuf {
    match data.on_disk {
        true => flags.disk_dir.clone().unwrap_or_else(|| place.root.join("target/bench-synced")),
        false => flags.dir.join(data.name),
    }
}
