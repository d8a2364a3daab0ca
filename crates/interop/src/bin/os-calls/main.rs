//! Makes every call of the operating system that the engine makes fail, one by one, and checks what comes of it.
//!
//! ```text
//! os-calls [--sample N] [--part TEXT] [--site TEXT] [--error NAME] [--rewrite] [--jobs N]
//! ```
//!
//! The program stands in for the C library's functions ([`interpose`]). It walks through the engine ([`parts`]) and
//! notes who calls them ([`sites`]); the sites must be those of `tests/testdata/os-calls.txt`, so that a new call is
//! seen. Then a child process per site and error walks the part with that call failing, once or until the cause is
//! gone ([`plan`]), and checks the promises of [`scene`]. [`driver`] starts the children and judges them.

#![cfg(target_os = "linux")]

mod child;
mod driver;
mod errors;
mod interpose;
mod parts;
mod plan;
mod scene;
mod sites;

fn main() -> std::process::ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.first().map(String::as_str) {
        Some("record") => child::record(std::path::Path::new(&args[1])),
        Some("fail") => child::fail(&args[1..]),
        _ => driver::run(&args),
    }
}
