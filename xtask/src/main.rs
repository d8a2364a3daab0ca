//! `cargo x`: the project's own checks, the same on every desk and in CI.

mod abi;
mod bench;
mod compat;
mod faults;
mod package;
mod smoke;
mod sys;
mod tidy;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo x <command>

  abi     writes the states in abi.tsv, include/rocksdb/c.h and docs/c-abi.md; --check: only looks
  bench   measures Ferrolith beside RocksDB and LMDB, and writes a table: cargo x bench --help
  compat  other projects' test suites, on the real RocksDB and on ours: cargo x compat --help
  deb     Debian packages of librocksdb: cargo x deb --help
  faults  a full disk at each stage of writing, on each file system: cargo x faults --help
  install librocksdb.so, librocksdb.a, header and pkg-config file; uninstall removes them: cargo x install --help
  smoke   C programs that call every function that we have, on both libraries: cargo x smoke --help
  sys     the packages librocksdb-sys: the crate rocksdb, its tests and its dependents on ours: cargo x sys --help
  tidy    import order of the engine's folders, unsafe list, file headers, width of comments; links, commands, numbers
          and programs in documents
";

/// The help of a command; `None` if there is no such command.
fn usage(command: &str) -> Option<&'static str> {
    match command {
        "abi" => Some(abi::USAGE),
        "bench" => Some(bench::USAGE),
        "compat" => Some(compat::USAGE),
        "faults" => Some(faults::USAGE),
        "deb" | "install" | "uninstall" => Some(package::USAGE),
        "smoke" => Some(smoke::USAGE),
        "sys" => Some(sys::USAGE),
        "tidy" | "help" => Some(USAGE),
        _ => None,
    }
}

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("abi") => abi::run(std::env::args().skip(2)),
        Some("bench") => bench::run(std::env::args().skip(2)),
        Some("compat") => compat::run(std::env::args().skip(2)),
        Some("faults") => faults::run(std::env::args().skip(2)),
        Some(command @ ("deb" | "install" | "uninstall")) => {
            package::run(command, std::env::args().skip(2))
        }
        Some("smoke") => smoke::run(std::env::args().skip(2)),
        Some("sys") => sys::run(std::env::args().skip(2)),
        Some("tidy") => tidy::run(),
        Some("help" | "--help" | "-h") => {
            print!("{USAGE}");
            ExitCode::SUCCESS
        }
        other => {
            eprintln!("cargo x: unknown command {:?}\n\n{USAGE}", other.unwrap_or(""));
            ExitCode::from(2)
        }
    }
}
