//! The ten-line programs of docs/c-abi.md in C, Go, Rust and Python, each built and run by the commands that the page
//! shows, against a fresh installation.

use crate::compat::place::{self, Place};
use crate::compat::{Failure, rust_bindings};
use crate::package;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The output of each program.
const EXPECTED: &str = "planet:3 = Earth";

/// One way to build and run a program.
struct Case<'a> {
    name: &'static str,
    build: Option<Command>,
    /// The program and its arguments before the directory.
    run: Vec<PathBuf>,
    /// Where the program finds the library; `None` if the library is part of the program.
    library: Option<&'a Path>,
}

/// Installs with cargo's dev profile below target/smoke, then builds and runs each program. Prints a line for each.
pub(super) fn judge(place: &Place) -> Result<bool, Failure> {
    let work = place.root.join("target/smoke/languages");
    let prefix = work.join("prefix");
    package::install_below(place, &prefix, "dev")?;
    let mut good = true;
    for case in cases(place, &work, &prefix)? {
        good &= run(&work, case)?;
    }
    Ok(good & documented(place)?)
}

fn cases<'a>(place: &Place, work: &Path, prefix: &'a Path) -> Result<Vec<Case<'a>>, Failure> {
    let examples = place.root.join("crates/capi/examples");
    let (include, lib) = (prefix.join("include"), prefix.join("lib"));
    let program = |name: &str| work.join(name);
    let shared = Some(prefix);

    // Run the page's commands in a shell. Both create `hello`, which runs before the next one is built.
    let page = place::read(&place.root.join("docs/c-abi.md"))?;
    let source = place::read(&examples.join("c/hello.c"))?;
    place::write(&work.join("hello.c"), &source)?;
    let shown = |row: &str| -> Result<Command, Failure> {
        let line = page.lines().find_map(|line| line.strip_prefix(&format!("| {row} | `")));
        let command = line.and_then(|rest| rest.split('`').next());
        let command = command.ok_or(format!("docs/c-abi.md has no command for {row}"))?;
        let mut shell = Command::new("sh");
        shell.current_dir(work).args(["-e", "-c", command]).env("PREFIX", prefix);
        Ok(shell)
    };
    let (c, linked) = (shown("C")?, shown("C, static")?);

    let go = |name: &str, tags: &[&str], ldflags: String| {
        let mut go = Command::new("go");
        go.current_dir(examples.join("go")).env("GOFLAGS", "-mod=mod");
        go.env("CGO_CFLAGS", format!("-I{}", include.display())).env("CGO_LDFLAGS", ldflags);
        // Checksums go into the work folder's own file, not beside the example.
        go.args(["build", "-modfile"])
            .arg(work.join("go.mod"))
            .args(tags)
            .arg("-o")
            .arg(program(name))
            .arg(".");
        go
    };
    let module = place::read(&examples.join("go/go.mod"))?;
    place::write(&work.join("go.mod"), &module)?;
    let no_link =
        go("go", &["-tags", "grocksdb_no_link"], format!("-L{} -lrocksdb", lib.display()));
    let plain = go("go-plain", &[], format!("-L{0} -L{0}/ferrolith/cgo", lib.display()));

    let mut rust = Command::new("cargo");
    rust.current_dir(examples.join("rust"))
        .args(["build", "--quiet", "--target-dir"])
        .arg(work.join("rust"));
    rust.env("ROCKSDB_LIB_DIR", &lib);
    rust_bindings(&mut rust)?;

    let case = |name, build, path: PathBuf, library| Case {
        name,
        build: Some(build),
        run: vec![path],
        library,
    };
    Ok(vec![
        case("C", c, program("hello"), shared),
        case("C, static", linked, program("hello"), None),
        case("Go, tag grocksdb_no_link", no_link, program("go"), shared),
        case("Go, plain cgo", plain, program("go-plain"), shared),
        case("Rust, crate rocksdb", rust, work.join("rust/debug/hello"), shared),
        Case {
            name: "Python, ctypes",
            build: None,
            run: vec!["python3".into(), examples.join("python/hello.py")],
            library: shared,
        },
    ])
}

fn run(work: &Path, case: Case) -> Result<bool, Failure> {
    if let Some(build) = case.build {
        place::check(build).map_err(|e| format!("{}: {e}", case.name))?;
    }
    let database = work.join("db");
    let _ = std::fs::remove_dir_all(&database);
    let mut command = Command::new(&case.run[0]);
    command
        .args(&case.run[1..])
        .arg(&database)
        .env_remove("LD_PRELOAD")
        .env_remove("LD_LIBRARY_PATH");
    if let Some(prefix) = case.library {
        command.env("LD_LIBRARY_PATH", prefix.join("lib"));
    }
    let said = place::output(command).map_err(|e| format!("{}: {e}", case.name))?;
    let good = said.trim() == EXPECTED;
    println!(
        "{}: {}",
        case.name,
        if good { "ok".to_string() } else { format!("FAILED: it printed {said:?}") }
    );
    Ok(good)
}

/// Checks that the page shows each program unchanged.
fn documented(place: &Place) -> Result<bool, Failure> {
    let page = place::read(&place.root.join("docs/c-abi.md"))?;
    let mut good = true;
    for file in ["c/hello.c", "go/main.go", "rust/src/main.rs", "python/hello.py"] {
        let program = place::read(&place.root.join("crates/capi/examples").join(file))?;
        if !page.contains(program.trim_end()) {
            println!("docs/c-abi.md does not show crates/capi/examples/{file} as it is");
            good = false;
        }
    }
    Ok(good)
}
