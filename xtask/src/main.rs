//! `cargo x`: the project's own commands, the same on every developer's machine and in CI.

mod abi;
mod bench;
mod compat;
mod faults;
mod package;
mod public_api;
mod smoke;
mod sys;
mod tidy;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo x <command>

  abi        updates abi.tsv, include/rocksdb/c.h and docs/c-abi.md; --check only compares
  bench      measures Ferrolith, RocksDB and LMDB, and writes a comparison table
  compat     runs other projects' test suites on RocksDB's and Ferrolith's C library
  deb        builds Debian packages of the C library, or of the server
  faults     tests full disks at each stage of writing, on several file systems
  install    installs librocksdb.so, librocksdb.a, the header and the pkg-config file
  public-api lists the public items of the crate ferrolith; --check only compares
  smoke      runs C programs that call every implemented C function, on both libraries
  sys        tests the crate rocksdb and crates that use it on Ferrolith's librocksdb-sys packages
  tidy       checks style: imports, unsafe code, file headers, comments; links, commands, numbers and programs in documents
  uninstall  removes the files that install has written

cargo x <command> --help lists the flags of a command.
";

/// Returns the help of a command, or `None` if there is no such command.
fn usage(command: &str) -> Option<&'static str> {
    match command {
        "abi" => Some(abi::USAGE),
        "bench" => Some(bench::USAGE),
        "compat" => Some(compat::USAGE),
        "faults" => Some(faults::USAGE),
        "deb" | "install" | "uninstall" => Some(package::USAGE),
        "public-api" => Some(public_api::USAGE),
        "smoke" => Some(smoke::USAGE),
        "sys" => Some(sys::USAGE),
        "tidy" | "help" => Some(USAGE),
        _ => None,
    }
}

fn main() -> ExitCode {
    let command = std::env::args().nth(1);
    let help = std::env::args().skip(2).any(|arg| arg == "--help" || arg == "-h");
    if let Some(usage) = command.as_deref().and_then(usage).filter(|_| help) {
        println!("{}", usage.trim_end());
        return ExitCode::SUCCESS;
    }
    match command.as_deref() {
        Some("abi") => abi::run(std::env::args().skip(2)),
        Some("bench") => bench::run(std::env::args().skip(2)),
        Some("compat") => compat::run(std::env::args().skip(2)),
        Some("faults") => faults::run(std::env::args().skip(2)),
        Some(command @ ("deb" | "install" | "uninstall")) => {
            package::run(command, std::env::args().skip(2))
        }
        Some("public-api") => public_api::run(std::env::args().skip(2)),
        Some("smoke") => smoke::run(std::env::args().skip(2)),
        Some("sys") => sys::run(std::env::args().skip(2)),
        Some("tidy") => tidy::run(),
        None | Some("help" | "--help" | "-h") => {
            print!("{USAGE}");
            ExitCode::SUCCESS
        }
        Some(other) => {
            eprintln!("cargo x: unknown command {other:?}\n\n{USAGE}");
            ExitCode::from(2)
        }
    }
}
