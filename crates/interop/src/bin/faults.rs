//! `cargo x faults`: the fault matrix, and the children that it starts.

use std::process::ExitCode;

fn main() -> ExitCode {
    // A panic of any thread, those of the background included, must not go unnoticed.
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        report(info);
        std::process::abort();
    }));
    let args: Vec<String> = std::env::args().skip(1).collect();
    ferrolith_interop::faults::main(&args)
}
