//! Lists the public interface that rustdoc's JSON describes; `cargo x public-api` runs it.
//!
//! `public_api JSON LIST [--check]` writes LIST, or compares with it. Implementations that every type has, and those
//! that `derive` writes, are left out: they follow from the types.

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (json, list, is_check) = match &args[..] {
        [json, list] => (json, list, false),
        [json, list, flag] if flag == "--check" => (json, list, true),
        _ => {
            eprintln!("usage: public_api JSON LIST [--check]");
            return ExitCode::from(2);
        }
    };
    match run(json, list, is_check) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{e}");
            ExitCode::FAILURE
        }
    }
}

fn run(json: &str, list: &str, is_check: bool) -> Result<(), Box<dyn std::error::Error>> {
    let api = public_api::Builder::from_rustdoc_json(json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build()?;
    let now = api.to_string();
    if !is_check {
        return Ok(std::fs::write(list, now)?);
    }
    let before = std::fs::read_to_string(list).map_err(|e| format!("{list}: {e}"))?;
    if before == now {
        return Ok(());
    }
    let missing = |from: &str, sign: char, of: &str| {
        for line in of.lines().filter(|line| !from.lines().any(|other| other == *line)) {
            eprintln!("{sign}{line}");
        }
    };
    missing(&now, '-', &before);
    missing(&before, '+', &now);
    Err(format!("{list} differs from the public API: run cargo x public-api to update it").into())
}
