//! The format of sources outside the workspace, which `cargo fmt` does not reach.

use std::io::{self, Write};
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

/// Passes the text on standard input, so that rustfmt does not follow `mod` to the generated bindings. It then ignores
/// `--check` in its exit code, so its output is compared.
fn is_formatted(root: &Path, text: &str) -> io::Result<bool> {
    let mut rustfmt = Command::new("rustfmt")
        .args(["--edition", "2024", "--config-path"])
        .arg(root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    if let Some(mut input) = rustfmt.stdin.take() {
        input.write_all(text.as_bytes())?;
    }
    let formatted = rustfmt.wait_with_output()?;
    if !formatted.status.success() {
        return Err(io::Error::other(formatted.status.to_string()));
    }
    Ok(formatted.stdout == text.as_bytes())
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
