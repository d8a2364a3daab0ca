//! `db_bench`; everything is in the library.

fn main() -> std::process::ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    ferrolith_bench::main(&args)
}
