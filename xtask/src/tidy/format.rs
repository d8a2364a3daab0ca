//! The format of sources outside the workspace, which `cargo fmt` does not reach.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// The folder whose packages are outside the workspace.
const OUTSIDE: &str = "crates/librocksdb-sys/";

/// Compares a source file below [`OUTSIDE`] with rustfmt's output.
pub(super) fn check(root: &Path, name: &str, text: &str, problems: &mut Vec<String>) {
    if !name.starts_with(OUTSIDE) {
        return;
    }
    match is_formatted(root, text) {
        Ok(true) => {}
        Ok(false) => problems.push(format!("{name}: run rustfmt --edition 2024 {name}")),
        Err(e) => problems.push(format!("{name}: cannot run rustfmt: {e}")),
    }
}

/// Passes the text on standard input, so that rustfmt does not follow `mod` to the generated bindings.
fn is_formatted(root: &Path, text: &str) -> std::io::Result<bool> {
    let mut rustfmt = Command::new("rustfmt")
        .args(["--edition", "2024", "--check", "--config-path"])
        .arg(root)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()?;
    if let Some(mut input) = rustfmt.stdin.take() {
        input.write_all(text.as_bytes())?;
    }
    Ok(rustfmt.wait()?.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_outside_the_workspace_must_be_formatted() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let check = |name: &str, text: &str| {
            let mut problems = Vec::new();
            check(root, name, text, &mut problems);
            problems.len()
        };
        assert_eq!(check("crates/librocksdb-sys/build.rs", "mod bindings;\n\nfn main() {}\n"), 0);
        assert_eq!(check("crates/librocksdb-sys/build.rs", "fn main()  {  }\n"), 1);
        assert_eq!(check("crates/capi/build.rs", "fn main()  {  }\n"), 0);
    }
}
