//! The program `ferrolith-server`.

fn main() {
    eprintln!("ferrolith-server: this build has no listener");
    std::process::exit(1);
}
