//! Checks of documents: links and paths in backticks must lead to a file, and documents must not refer to anything that
//! a reader of the repository cannot see.

use std::fs;
use std::path::{Path, PathBuf};

/// Endings of names in backticks that are treated as paths if they contain a slash.
const PATH_ENDINGS: [&str; 9] =
    [".rs", ".md", ".sh", ".toml", ".tsv", ".c", ".txt", ".json", ".svg"];

/// Folders of the repository: a name in backticks that begins with one is a path, whatever its ending.
const FOLDERS: [&str; 5] = ["crates/", "docs/", "tools/", "xtask/", ".ci/"];

/// Paths in RocksDB's repository that documents name.
const THEIRS: [&str; 2] = ["tools/benchmark.sh", "tools/benchmark_compare.sh"];

/// Returns the Markdown files of the repository, without raw results.
pub(super) fn all(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    super::collect(&root.join("docs"), "md", &mut found);
    let top = fs::read_dir(root).into_iter().flatten().flatten().map(|entry| entry.path());
    found.extend(top.filter(|path| path.extension().is_some_and(|e| e == "md")));
    found.sort();
    found
}

/// Links must lead to a file, relative to the document; so must paths in backticks, relative to the repository, to the
/// engine's sources, or to the document.
pub(super) fn check_paths(root: &Path, document: &Path, text: &str, problems: &mut Vec<String>) {
    let name = document.strip_prefix(root).unwrap_or(document).display();
    let here = document.parent().unwrap_or(root);
    let text = without_code_blocks(text);
    for piece in text.split("](").skip(1) {
        let target = piece.split(')').next().unwrap_or("");
        let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
        if path.contains("://") {
            continue;
        }
        let file = if path.is_empty() { document.to_owned() } else { here.join(path) };
        if !file.exists() {
            problems.push(format!("{name}: link to {path}, which does not exist"));
        } else if !anchor.is_empty() && !anchors(&file).iter().any(|known| known == anchor) {
            problems.push(format!("{name}: link to #{anchor}, but {path} has no such heading"));
        }
    }
    for piece in text.split('`').skip(1).step_by(2) {
        let is_path = piece.contains('/')
            && (PATH_ENDINGS.iter().any(|ending| piece.ends_with(ending))
                || FOLDERS.iter().any(|folder| piece.starts_with(folder)))
            && !piece.contains(|c: char| c.is_whitespace() || "<>*{}$~:".contains(c))
            && !piece.starts_with('/');
        let places = [
            root.to_path_buf(),
            root.join("crates/engine/src"),
            root.join("crates"),
            here.to_path_buf(),
        ];
        // Generated on request: not in a fresh checkout.
        let elsewhere = piece.starts_with("target/") || THEIRS.contains(&piece);
        if is_path && !elsewhere && !places.iter().any(|place| place.join(piece).exists()) {
            problems.push(format!("{name}: `{piece}` does not exist"));
        }
    }
}

/// ARCHITECTURE.md lists the engine's folders in the order that imports must follow.
pub(super) fn check_folders(root: &Path, order: &[&str], problems: &mut Vec<String>) {
    let page = fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap_or_default();
    let rows = page.lines().filter(|line| line.starts_with('|'));
    let listed: Vec<&str> = rows
        .filter(|row| row.contains("](crates/engine/src/"))
        .filter_map(|row| row.split_once("| [")?.1.split(']').next())
        .collect();
    if listed != order {
        problems.push(format!("ARCHITECTURE.md lists the folders {listed:?}, expected {order:?}"));
    }
}

/// Checks that README names the compiler that rust-toolchain.toml pins.
pub(super) fn check_compiler(root: &Path, problems: &mut Vec<String>) {
    let read = |name: &str| fs::read_to_string(root.join(name)).unwrap_or_default();
    let toolchain = read("rust-toolchain.toml");
    let channel = toolchain.split("channel = \"").nth(1).and_then(|rest| rest.split('"').next());
    let version = channel.unwrap_or("").trim_end_matches(".0");
    if version.is_empty() || !read("README.md").contains(&format!("Rust {version}")) {
        problems.push(format!("README.md: expected \"Rust {version}\", as in rust-toolchain.toml"));
    }
}

/// Returns the anchors of a Markdown file's headings: lower case, without punctuation, hyphens for spaces.
fn anchors(file: &Path) -> Vec<String> {
    let text = without_code_blocks(&fs::read_to_string(file).unwrap_or_default());
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let kept = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

/// Returns everything outside fenced code.
fn without_code_blocks(text: &str) -> String {
    let mut inside = false;
    let mut kept = String::with_capacity(text.len());
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            inside = !inside;
        } else if !inside {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// Refuses issue numbers, and hosts of package registries: links to a crate must go to its documentation.
pub(super) fn check_references(name: &str, text: &str, problems: &mut Vec<String>) {
    const REGISTRY: &str = concat!("https://crates", ".io");
    for (i, line) in text.lines().enumerate() {
        let lower = line.to_ascii_lowercase();
        let numbered = lower
            .split("issue ")
            .skip(1)
            .any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        if numbered {
            problems
                .push(format!("{name}:{}: an issue number, which readers cannot look up", i + 1));
        }
        if line.contains(REGISTRY) {
            problems.push(format!("{name}:{}: link to the crate's documentation instead", i + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut problems = Vec::new();
        check_paths(root, &root.join("docs/style.md"), text, &mut problems);
        problems
    }

    #[test]
    fn links_and_paths_that_lead_nowhere_are_found() {
        assert_eq!(
            paths("[a](testing.md#full-disks) [b](../README.md) `docs/style.md` `wal/writer.rs`"),
            [""; 0]
        );
        assert_eq!(paths("[a](nowhere.md)").len(), 1);
        assert_eq!(paths("[a](testing.md#nowhere) [b](#nowhere)").len(), 2);
        assert_eq!(paths("[a](docs/style.md)").len(), 1, "links are relative to the document");
        assert_eq!(paths("see `xtask/src/nothing.rs`").len(), 1);
        assert_eq!(paths("see `crates/nothing`").len(), 1);
        assert_eq!(
            paths(
                "`crates/capi` `name.md` `<dir>/x.rs` `target/x.tsv` `a b/c.rs` `https://x/y.md`"
            ),
            [""; 0]
        );
        assert_eq!(paths("```\n[a](nowhere.md)\n```\n"), [""; 0]);
    }

    #[test]
    fn folders_in_another_order_are_found() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut problems = Vec::new();
        check_folders(root, super::super::ORDER, &mut problems);
        assert_eq!(problems, [""; 0]);
        check_folders(root, &["base", "error"], &mut problems);
        assert_eq!(problems.len(), 1);
    }

    #[test]
    fn references_that_nobody_can_follow_are_found() {
        let found = |text: &str| {
            let mut problems = Vec::new();
            check_references("x", text, &mut problems);
            problems.len()
        };
        assert_eq!(found(concat!("as Issue", " 4 wants")), 1);
        assert_eq!(found(concat!("https://crates", ".io/crates/x")), 1);
        assert_eq!(found("an issue is open; issues 4"), 0);
    }
}
