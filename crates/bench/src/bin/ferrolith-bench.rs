//! `ferrolith-bench`; everything is in the library.

fn main() -> std::process::ExitCode {
    ferrolith_bench::suites_main(std::env::args().collect())
}
