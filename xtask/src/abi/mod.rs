//! `cargo x abi`: keeps `abi.tsv`, our `rocksdb/c.h` and the documentation in step with the sources of crates/capi.
//!
//! * The state column of `abi.tsv`: `implemented`, `accepted` (the function's comment begins with
//!   "Accepted without effect") or `unsupported` (no source has it, or its comment begins with
//!   "Refused").
//! * `include/rocksdb/c.h`: types and prototypes from `abi.tsv`, constants from `c_constants.h`.
//! * The numbers in docs/c-abi.md.
//! * Hand-written signatures must be those of `abi.tsv`: arity, and the kind of each argument.
//!
//! The parts: [`table`] (rows), [`types`] (C and Rust types, made comparable), [`sources`]
//! (functions in Rust files), [`header`], [`document`].

mod document;
mod header;
mod sources;
mod table;
mod types;

pub(crate) use table::{Row, Table};
pub(crate) use types::{agree, of_rust as type_of_rust, split};

use std::fs;
use std::path::Path;
use std::process::ExitCode;

pub(crate) const USAGE: &str = "usage: cargo x abi [--check]";

pub(crate) fn run(mut args: impl Iterator<Item = String>) -> ExitCode {
    let check = match (args.next().as_deref(), args.next()) {
        (None, None) => false,
        (Some("--check"), None) => true,
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match work(check) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problems) => {
            problems.iter().for_each(|p| eprintln!("abi: {p}"));
            ExitCode::FAILURE
        }
    }
}

fn work(check: bool) -> Result<(), Vec<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let capi = root.join("crates/capi");
    let read = |path: &Path| {
        fs::read_to_string(path).map_err(|e| vec![format!("{}: {e}", path.display())])
    };
    let mut table = Table::parse(&read(&capi.join("abi.tsv"))?)?;
    let functions = sources::functions(&capi.join("src")).map_err(|e| vec![e])?;
    let problems = table.compare(&functions);
    if !problems.is_empty() {
        return Err(problems);
    }
    table.set_states(&functions);

    let document = root.join("docs/c-abi.md");
    let outputs = [
        (capi.join("abi.tsv"), table.print()),
        (
            capi.join("include/rocksdb/c.h"),
            header::print(&table, &read(&capi.join("c_constants.h"))?),
        ),
        (document.clone(), document::update(&table, &read(&document)?).map_err(|e| vec![e])?),
    ];
    let mut stale = Vec::new();
    for (path, text) in outputs {
        if fs::read_to_string(&path).is_ok_and(|old| old == text) {
            continue;
        }
        if check {
            stale.push(format!("{} is stale: run `cargo x abi`", path.display()));
        } else {
            fs::write(&path, text).map_err(|e| vec![format!("{}: {e}", path.display())])?;
            println!("abi: wrote {}", path.display());
        }
    }
    let count = |state| table.rows.iter().filter(|r| r.state == state).count();
    println!(
        "abi: {} functions: {} implemented, {} accepted, {} unsupported",
        table.rows.len(),
        count("implemented"),
        count("accepted"),
        count("unsupported")
    );
    if stale.is_empty() { Ok(()) } else { Err(stale) }
}

/// Returns the table with the states found in the sources, whatever its file contains.
pub(crate) fn table_with_states() -> Result<Table, String> {
    let capi = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("crates").join("capi");
    let text = fs::read_to_string(capi.join("abi.tsv")).map_err(|e| format!("abi.tsv: {e}"))?;
    let mut table = Table::parse(&text).map_err(|problems| problems.join("\n"))?;
    table.set_states(&sources::functions(&capi.join("src"))?);
    Ok(table)
}

/// Returns a row's arguments, each with its name if it has one.
pub(crate) fn split_arguments(row: &Row) -> Vec<String> {
    types::split(&row.arguments)
}

/// `i32`, `*rocksdb_t`: see [`types`].
pub(crate) fn type_of_argument(argument: &str) -> String {
    types::of_c_argument(argument)
}

pub(crate) fn type_of_return(row: &Row) -> String {
    types::of_c(&row.returns)
}
