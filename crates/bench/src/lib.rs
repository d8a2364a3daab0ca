//! `db_bench`: RocksDB's benchmark for Ferrolith and for any library with RocksDB's C functions; and `ferrolith-bench`,
//! which runs benchmark suites on the same engines.
//!
//! Flags, keys and output are those of RocksDB's tool, so that existing command lines work and results can be compared.
//! The same loops run on every engine: see [`target`].
#![deny(unsafe_code)]

pub mod both;
mod checks;
mod command;
mod compare;
mod comparison;
pub mod config;
pub mod engine_writes;
#[cfg(test)]
mod fit;
pub mod flags;
pub mod forestdb;
pub mod histogram;
pub mod html_report;
pub mod in_memory;
pub mod json;
pub mod keys;
pub mod pairs;
pub mod parameters;
pub mod pegasus;
pub mod process;
pub mod progress;
pub mod rate;
pub mod reference;
pub mod remote;
pub mod replay;
pub mod report;
pub mod rng;
pub mod shared;
pub mod stats;
pub mod target;
pub mod tuning;
pub mod values;
pub mod workloads;
pub mod ycsb;

pub use command::main as suites_main;

#[cfg(test)]
#[path = "page_test.rs"]
mod page;

use flags::{Flags, Parsed};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

/// Runs the program with its arguments.
pub fn main(args: &[String]) -> ExitCode {
    let flags = match flags::parse(args) {
        Ok(Parsed::Run(flags, notices)) => {
            for notice in notices {
                eprintln!("{notice}");
            }
            flags
        }
        Ok(Parsed::Print(text)) => {
            report::say(&text);
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let seed = seed(&flags);
    let result = if flags.text("engine") == "both" {
        both::run(&flags, args, seed)
    } else {
        workloads::run(&flags, seed)
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn seed(flags: &Flags) -> u64 {
    match flags.int("seed") {
        0 => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let seed = now.as_micros() as u64;
            report::say(&format!("Set seed to {seed} because --seed was 0"));
            seed
        }
        seed => seed as u64,
    }
}
