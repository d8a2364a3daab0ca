//! A child of the interop tests: opens a directory with one engine and does the steps it is told.

fn main() {
    // A panic of any thread, those of the background included, must not go unnoticed.
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        report(info);
        std::process::abort();
    }));
    let args: Vec<String> = std::env::args().skip(1).collect();
    let result = match args.split_first() {
        Some((word, rest)) if word == "sweep" => ferrolith_interop::sweep::main(rest),
        _ => ferrolith_interop::steps::main(&args),
    };
    if let Err(error) = result {
        eprintln!("interop-peer: {error}");
        std::process::exit(1);
    }
}
