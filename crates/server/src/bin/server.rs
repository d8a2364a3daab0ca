//! `ferrolith-server`: serves a directory. `ferrolith server` is the same.

use std::process::ExitCode;

fn main() -> ExitCode {
    ferrolith_server::program::main(std::env::args_os().collect())
}
