//! Fenced code blocks of a document, and the rule that each program in one is compiled or tested.

use super::collect;
use std::fs;
use std::path::Path;

/// Languages whose blocks are programs.
const PROGRAMS: [&str; 5] = ["rust", "c", "go", "python", "cpp"];

/// Programs that no test compiles: the document, a text in the block, and the reason.
const EXCEPTIONS: [(&str, &str, &str); 2] = [
    ("docs/server/redis.md", "import redis", "tools/check-clients.sh runs it"),
    ("docs/server/redis.md", "package main", "tools/check-clients.sh runs it"),
];

/// One fenced block.
pub(super) struct Block<'a> {
    /// The word after the fence; empty for commands and plain text.
    pub(super) language: &'a str,
    /// The line of the document that follows the fence, counted from 1.
    pub(super) line: usize,
    pub(super) text: String,
}

/// Returns all fenced blocks, in order.
pub(super) fn of(document: &str) -> Vec<Block<'_>> {
    let (mut blocks, mut open) = (Vec::new(), None::<Block<'_>>);
    for (i, line) in document.lines().enumerate() {
        let fence = line.trim_start().strip_prefix("```");
        open = match (open, fence) {
            (None, Some(info)) => {
                let language = info.split([',', ' ']).next().unwrap_or("");
                Some(Block { language, line: i + 2, text: String::new() })
            }
            (Some(block), Some(_)) => {
                blocks.push(block);
                None
            }
            (Some(mut block), None) => {
                block.text.push_str(line);
                block.text.push('\n');
                Some(block)
            }
            (None, None) => None,
        };
    }
    blocks
}

/// The sources that prove that a program in a document is compiled.
pub(super) struct Witnesses {
    /// All Rust sources: a page that one of them includes as documentation is compiled by doctests.
    sources: String,
    /// The programs that a test builds.
    examples: Vec<String>,
}

impl Witnesses {
    pub(super) fn collect(root: &Path, sources: &[std::path::PathBuf]) -> Witnesses {
        let read = |path: &std::path::PathBuf| fs::read_to_string(path).unwrap_or_default();
        let includes = |text: &str| {
            let lines = text.lines().filter(|line| line.contains("#[doc = include_str!("));
            lines.map(|line| format!("{line}\n")).collect::<String>()
        };
        let mut examples = Vec::new();
        for extension in ["rs", "c", "go", "py"] {
            collect(&root.join("crates"), extension, &mut examples);
        }
        examples.retain(|path| path.components().any(|part| part.as_os_str() == "examples"));
        Witnesses {
            sources: sources.iter().map(|path| includes(&read(path))).collect(),
            examples: examples.iter().map(read).collect(),
        }
    }

    /// Checks that each program in the document is a doctest, a part of an example, or a listed exception.
    pub(super) fn check(&self, name: &str, document: &str, problems: &mut Vec<String>) {
        if self.sources.contains(&format!("/{name}\")")) {
            return;
        }
        for block in of(document).iter().filter(|block| PROGRAMS.contains(&block.language)) {
            let is_example = self.examples.iter().any(|text| text.contains(block.text.trim()));
            let is_exception =
                EXCEPTIONS.iter().any(|(page, part, _)| *page == name && block.text.contains(part));
            if !is_example && !is_exception {
                problems.push(format!(
                    "{name}:{}: no test compiles this {} program. Show a part of a file in crates/*/examples, include \
                     the page as a doctest, or list it in xtask/src/tidy/blocks.rs",
                    block.line, block.language
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "text\n```rust,no_run\nlet a = 1;\n```\n\n```\ncargo x tidy\n```\n";

    #[test]
    fn blocks_are_found_with_language_and_line() {
        let blocks = of(PAGE);
        let seen: Vec<_> = blocks.iter().map(|b| (b.language, b.line, b.text.as_str())).collect();
        assert_eq!(seen, [("rust", 3, "let a = 1;\n"), ("", 7, "cargo x tidy\n")]);
    }

    #[test]
    fn a_program_needs_a_witness() {
        let problems = |sources: &str, examples: &[&str]| {
            let examples = examples.iter().map(|text| text.to_string()).collect();
            let mut problems = Vec::new();
            Witnesses { sources: sources.to_owned(), examples }.check("x.md", PAGE, &mut problems);
            problems.len()
        };
        assert_eq!(problems("", &["fn main() {}"]), 1);
        assert_eq!(problems("", &["fn main() {\nlet a = 1;\n}"]), 0);
        assert_eq!(problems("#[doc = include_str!(\"../x.md\")]", &[]), 0);
    }
}
