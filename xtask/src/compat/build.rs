//! Builds programs from sources, once, and determines the command of each test.
//!
//! The list of a suite's tests is kept in `lists/SUITE-VERSION.tsv` of the cache: name, working directory, program,
//! arguments. If that file exists, a run needs neither a compiler nor a registry.

use super::place::{self, Place};
use super::{Failure, Kind, Suite, fetch};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One test of a suite, runnable.
pub(crate) struct Test {
    pub(crate) name: String,
    pub(crate) dir: PathBuf,
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<String>,
}

/// Returns a suite's tests; builds missing programs.
pub(crate) fn tests(place: &Place, suite: &Suite) -> Result<Vec<Test>, Failure> {
    let list = place.cache.join("lists").join(format!("{}.tsv", suite.versioned()));
    if let Some(tests) = read_list(&list) {
        return Ok(tests);
    }
    eprintln!("compat: building {} {} (once)", suite.title, suite.version);
    let sources = fetch::sources(place, suite)?;
    let tests = match suite.kind {
        Kind::Go { .. } => go(place, suite, &sources)?,
        Kind::Crate { documentation: false } => {
            rust(cargo(place, &sources)?, Some(&place.stub()), &sources, &["--tests"])?
        }
        Kind::Crate { documentation: true } => {
            rust_documentation(cargo(place, &sources)?, &bin(place, suite)?, &sources)?
        }
        Kind::SysCrate => {
            rust(cargo(place, &sources)?, Some(&place.stub()), &sources, &["--test", "ffi"])?
        }
        Kind::CTest { .. } => c_test(place, suite, &sources)?,
    };
    if tests.is_empty() {
        return Err(format!("{}: no tests found", suite.name));
    }
    place::make_dir(&place.cache.join("lists"))?;
    let mut text = String::new();
    for test in &tests {
        let (dir, program) = (test.dir.display(), test.program.display());
        text += &format!("{}\t{dir}\t{program}\t{}\n", test.name, test.args.join("\t"));
    }
    place::write(&list, &text)?;
    Ok(tests)
}

/// Reads the kept list, if its programs still exist.
fn read_list(path: &Path) -> Option<Vec<Test>> {
    let text = fs::read_to_string(path).ok()?;
    let tests = text.lines().map(|line| {
        let mut columns = line.split('\t').map(str::to_string);
        let (name, dir, program) = (columns.next()?, columns.next()?.into(), columns.next()?);
        let args = columns.filter(|a| !a.is_empty()).collect();
        Some(Test { name, dir, program: program.into(), args })
    });
    let tests: Option<Vec<Test>> = tests.collect();
    tests.filter(|tests| tests.iter().all(|t| t.program.exists()))
}

fn go(place: &Place, suite: &Suite, sources: &Path) -> Result<Vec<Test>, Failure> {
    let bin = bin(place, suite)?;
    let program = bin.join("grocksdb.test");
    let include = bin.join("include/rocksdb");
    place::make_dir(&include)?;
    fs::copy(sources.join("c.h"), include.join("c.h")).map_err(|e| format!("c.h: {e}"))?;
    let mut go = Command::new("go");
    go.current_dir(sources)
        .env("CGO_CFLAGS", format!("-I{}", bin.join("include").display()))
        .env("CGO_LDFLAGS", format!("-L{} -lrocksdb", place.stub().display()));
    // The tag disables its own list of compression libraries: librocksdb.so contains them.
    go.args(["test", "-tags", "grocksdb_no_link", "-c", "-o"]).arg(&program).arg(".");
    place::check(go)?;
    let mut listing = Command::new(&program);
    listing.args(["-test.list", "."]).current_dir(sources);
    listing.env("LD_LIBRARY_PATH", place.stub());
    let names = place::output(listing)?;
    let names = names.lines().filter(|line| line.starts_with("Test"));
    let test = |name: &str| Test {
        name: name.to_string(),
        dir: sources.to_owned(),
        program: program.clone(),
        args: vec!["-test.v".into(), "-test.run".into(), format!("^{name}$")],
    };
    Ok(names.map(test).collect())
}

/// Tests that only a compiler can run; they need no engine.
const COMPILE_FAIL: &[&str] = &["outlive", "test_open_with_multiple_refs_as_single_threaded"];

/// Returns the tests of a crate in `sources`, built by `cargo`. Programs linked with the stub need its directory.
pub(crate) fn rust(
    mut cargo: Command,
    stub: Option<&Path>,
    sources: &Path,
    which: &[&str],
) -> Result<Vec<Test>, Failure> {
    cargo.args(["test", "--no-run", "--message-format=json"]).args(which);
    let messages = place::output(cargo)?;
    let mut tests = Vec::new();
    for line in messages.lines().filter(|l| l.contains("\"test\":true}")) {
        let field = |key: &str| line.split(key).nth(1)?.split('"').next();
        let Some(program) = field("\"executable\":\"") else { continue };
        let target = line.split("\"target\":").nth(1).unwrap_or("");
        let name = target.split("\"name\":\"").nth(1).and_then(|rest| rest.split('"').next());
        let name =
            if target.starts_with("{\"kind\":[\"lib\"]") { "unit" } else { name.unwrap_or("") };
        list_rust(stub, sources, Path::new(program), name, &mut tests)?;
    }
    Ok(tests)
}

fn list_rust(
    stub: Option<&Path>,
    sources: &Path,
    program: &Path,
    target: &str,
    tests: &mut Vec<Test>,
) -> Result<(), Failure> {
    let list = |more: &[&str]| {
        let mut command = Command::new(program);
        command.args(["--list", "--format", "terse"]).args(more);
        command.current_dir(sources);
        stub.map(|dir| command.env("LD_LIBRARY_PATH", dir));
        place::output(command)
    };
    let ignored = list(&["--ignored"])?;
    for line in list(&[])?.lines().filter(|l| !ignored.contains(l)) {
        let Some(name) = line.strip_suffix(": test") else { continue };
        if COMPILE_FAIL.iter().any(|part| name.contains(part)) {
            continue;
        }
        tests.push(Test {
            name: format!("{target}::{name}"),
            dir: sources.to_owned(),
            program: program.to_owned(),
            args: ["--exact", name, "--nocapture", "--test-threads=1"].map(String::from).into(),
        });
    }
    Ok(())
}

/// Builds documentation tests as programs that are kept in `bin`, with an unstable option of rustdoc.
pub(crate) fn rust_documentation(
    mut build: Command,
    bin: &Path,
    sources: &Path,
) -> Result<Vec<Test>, Failure> {
    build.args(["test", "--doc"]).env(
        "RUSTDOCFLAGS",
        format!("-Z unstable-options --no-run --persist-doctests {}", bin.display()),
    );
    let said = place::output(build)?;
    // "test src/db.rs - db::DB::get (line 12) - compile ... ok": one marked `no_run` is only built.
    let mut tests = Vec::new();
    for line in said.lines().filter_map(|l| l.strip_prefix("test ")) {
        let Some((what, rest)) = line.split_once(" (line ") else { continue };
        let Some((number, rest)) = rest.split_once(')') else { continue };
        let file = what.split(" - ").next().unwrap_or(what);
        let flat = file.replace(['/', '.', '-'], "_");
        let program = bin.join(format!("{flat}_{number}_0/rust_out"));
        if rest.contains("fail") || rest.contains("ignored") || !program.exists() {
            continue;
        }
        if only_compiled(&sources.join(file), number) {
            continue;
        }
        tests.push(Test {
            name: format!("{file}:{number}"),
            dir: sources.to_owned(),
            program,
            args: Vec::new(),
        });
    }
    Ok(tests)
}

/// Returns whether the code block that begins at line `number` is marked `no_run`.
fn only_compiled(file: &Path, number: &str) -> bool {
    let text = fs::read_to_string(file).unwrap_or_default();
    let line = number.parse::<usize>().ok().and_then(|n| text.lines().nth(n.saturating_sub(1)));
    line.is_some_and(|line| line.contains("no_run"))
}

/// Phases of RocksDB's C test that need features we do not have, each with the phase that follows them: secondary
/// instances, and remote compaction.
const LATER_PHASES: [(&str, &str); 3] = [
    ("open_as_secondary", "open_db_paths"),
    ("remote_compaction_service", "remote_compaction_null_callback_handling"),
    ("remote_compaction_canceled_flag", "sst_file_manager"),
];

/// Builds RocksDB's own C test from the sources that the crate contains: complete, and without the phases for missing
/// features, because it ends at the first phase that fails.
fn c_test(place: &Place, suite: &Suite, sources: &Path) -> Result<Vec<Test>, Failure> {
    let bin = bin(place, suite)?;
    let rocksdb = sources.join("rocksdb");
    let whole = place::read(&rocksdb.join("db/c_test.c"))?;
    let part = LATER_PHASES.iter().try_fold(whole.clone(), |text, (from, to)| cut(&text, from, to));
    let part = part.ok_or("c_test.c: its phases have changed")?;
    let mut tests = Vec::new();
    for (name, text) in [("c_test", whole), ("c_test_without_later_features", part)] {
        let (source, program) = (bin.join(format!("{name}.c")), bin.join(name));
        place::write(&source, &text)?;
        let mut cc = Command::new("cc");
        cc.args(["-O1", "-g", "-w", "-o"]).arg(&program).arg(&source);
        cc.arg("-I").arg(rocksdb.join("include")).arg("-I").arg(&rocksdb);
        cc.arg("-L").arg(place.stub()).args(["-lrocksdb", "-lm", "-lpthread"]);
        place::check(cc)?;
        tests.push(Test { name: name.into(), dir: sources.into(), program, args: Vec::new() });
    }
    Ok(tests)
}

/// Returns the text without the phases from `from` up to `to`.
fn cut(text: &str, from: &str, to: &str) -> Option<String> {
    let begin = |phase: &str| text.find(&format!("StartPhase(\"{phase}\")"));
    let (from, to) = (begin(from)?, begin(to)?);
    (from <= to).then(|| format!("{}{}", &text[..from], &text[to..]))
}

fn bin(place: &Place, suite: &Suite) -> Result<PathBuf, Failure> {
    let dir = place.cache.join("bin").join(suite.versioned());
    place::make_dir(&dir)?;
    Ok(dir)
}

/// Returns a cargo command in a suite's sources that links with the stub. All suites share a target directory.
fn cargo(place: &Place, sources: &Path) -> Result<Command, Failure> {
    let mut cargo = Command::new("cargo");
    cargo
        .current_dir(sources)
        .env("CARGO_TARGET_DIR", place.cache.join("target"))
        .env("ROCKSDB_LIB_DIR", place.stub())
        .env("LD_LIBRARY_PATH", place.stub())
        // Less to write and link; and rustdoc's unstable options on a stable compiler.
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .env("CARGO_PROFILE_TEST_DEBUG", "0")
        .env("CARGO_INCREMENTAL", "0")
        .env("RUSTC_BOOTSTRAP", "1")
        .env_remove("RUSTFLAGS");
    rust_bindings(&mut cargo)?;
    Ok(cargo)
}

/// Sets up the build of the crate `librocksdb-sys` so that it can generate its bindings.
pub(crate) fn rust_bindings(cargo: &mut Command) -> Result<(), Failure> {
    cargo.env("LIBCLANG_PATH", libclang()?);
    cargo.env("BINDGEN_EXTRA_CLANG_ARGS", format!("-I{}", compiler_headers()?));
    Ok(())
}

/// Returns the directory of a libclang, with which the Rust suites' bindings are generated.
fn libclang() -> Result<PathBuf, Failure> {
    if let Some(dir) = std::env::var_os("LIBCLANG_PATH") {
        return Ok(dir.into());
    }
    let find = || {
        let llvm = fs::read_dir("/usr/lib").ok()?.flatten().map(|e| e.path().join("lib"));
        let places = llvm.chain(["/usr/lib/x86_64-linux-gnu".into(), "/usr/lib64".into()]);
        places.into_iter().find(|dir| {
            let names = fs::read_dir(dir).into_iter().flatten().flatten().map(|e| e.file_name());
            let mut names = names.map(|n| n.to_string_lossy().into_owned());
            names.any(|n| n.starts_with("libclang.so") || n.starts_with("libclang-1"))
        })
    };
    if let Some(dir) = find() {
        return Ok(dir);
    }
    let mut apt = Command::new("sh");
    apt.args(["-c", "apt-get update -qq && apt-get install -y -qq libclang1"]);
    place::check(apt)?;
    find().ok_or("found no libclang: install it, or set LIBCLANG_PATH".into())
}

/// Returns the C compiler's own headers (stddef.h), which libclang alone does not have.
fn compiler_headers() -> Result<String, Failure> {
    let mut cc = Command::new("cc");
    cc.arg("-print-file-name=include");
    Ok(place::output(cc)?.trim().to_string())
}
