//! Programs of tests: `./test` names them, so that it can run one of them apart. None may be forgotten there.

use std::fs;
use std::path::Path;

/// Checks that `./test` names every program of tests of every package.
pub(super) fn check(root: &Path, problems: &mut Vec<String>) {
    let script = fs::read_to_string(root.join("test")).unwrap_or_default();
    let mut manifests = Vec::new();
    super::collect(&root.join("crates"), "toml", &mut manifests);
    manifests.sort();
    for path in manifests.iter().filter(|path| path.ends_with("Cargo.toml")) {
        // Packages outside the workspace are checked by `cargo x sys`.
        if path.components().any(|part| part.as_os_str() == "librocksdb-sys") {
            continue;
        }
        let manifest = fs::read_to_string(path).unwrap_or_default();
        for name in missing(&manifest, &script) {
            let path = path.strip_prefix(root).unwrap_or(path).display();
            problems
                .push(format!("{path}: ./test does not run its test {name}: add --test {name}"));
        }
    }
}

/// Returns the tests of a manifest that the script does not name.
fn missing<'a>(manifest: &'a str, script: &str) -> Vec<&'a str> {
    let sections = manifest.split("\n[[test]]\n").skip(1);
    let names = sections.filter_map(|section| section.lines().next()?.strip_prefix("name = "));
    let words: Vec<&str> = script.split_whitespace().collect();
    let is_named = |name: &str| words.windows(2).any(|pair| pair == ["--test", name]);
    names.map(|name| name.trim_matches('"')).filter(|name| !is_named(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_no_script_names_is_found() {
        let manifest = "[lib]\nname = \"x\"\n\n[[test]]\nname = \"it\"\npath = \"a.rs\"\n\n[[test]]\nname = \"new\"\n";
        assert_eq!(missing(manifest, "cargo test --lib --test it -- new"), ["new"]);
        assert!(missing(manifest, "cargo test --test it --test new").is_empty());
    }
}
