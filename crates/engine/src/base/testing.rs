//! Transcripts: tests in text files.
//!
//! A transcript is a list of blocks with empty lines between them. A block has a command with its arguments, lines of
//! input, the line `----`, and the expected output. Lines that begin with `#` are comments. The first block is a
//! comment that explains the commands. With `REWRITE=1` a test writes the present outputs into its files instead of
//! comparing them; the change is then reviewed as a diff.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// A command of a transcript.
pub(crate) struct Command<'a> {
    /// Its name.
    pub(crate) name: &'a str,
    /// The rest of its line.
    pub(crate) arguments: &'a str,
    /// The lines of input, without comments.
    pub(crate) lines: Vec<&'a str>,
}

impl<'a> Command<'a> {
    /// Reads a block up to its expected output; `None` if it has no command.
    fn parse(asked: &'a str) -> Option<Command<'a>> {
        let mut lines = asked.lines().filter(|line| !line.starts_with('#'));
        let first = lines.next()?;
        let (name, arguments) = first.split_once(' ').unwrap_or((first, ""));
        Some(Command { name, arguments, lines: lines.collect() })
    }

    /// Returns the value of the argument `name=value`.
    pub(crate) fn value(&self, name: &str) -> Option<&'a str> {
        let mut pairs = self.arguments.split_whitespace().filter_map(|a| a.split_once('='));
        pairs.find(|(n, _)| *n == name).map(|(_, value)| value)
    }

    /// Returns the number behind `name=`.
    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        self.value(name).map(|n| n.parse().unwrap_or_else(|_| panic!("{name}={n}: no number")))
    }

    /// Whether the argument `name` is given, without a value.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.arguments.split_whitespace().any(|argument| argument == name)
    }

    /// Panics if there is an argument with another name than these.
    pub(crate) fn allow(&self, names: &[&str]) {
        for argument in self.arguments.split_whitespace() {
            let name = argument.split_once('=').map_or(argument, |(name, _)| name);
            assert!(names.contains(&name), "{}: unknown argument {argument}", self.name);
        }
    }
}

/// Runs every transcript of a folder below `crates/engine/src`, each with an interpreter of its own, and compares the
/// outputs with the expected ones.
pub(crate) fn check_transcripts<I>(folder: &str, interpreter: impl Fn() -> I)
where
    I: FnMut(&Command<'_>) -> String,
{
    let rewrite = std::env::var_os("REWRITE").is_some();
    let mut changes = Vec::new();
    for path in transcripts(folder) {
        let text = std::fs::read_to_string(&path).unwrap();
        let said = run(&text, &path, interpreter());
        if rewrite {
            std::fs::write(&path, &said).unwrap();
            continue;
        }
        if said != text {
            changes.push(format!("{}: {}", path.display(), first_change(&text, &said)));
        }
    }
    assert!(changes.is_empty(), "{}\nREWRITE=1 accepts these changes", changes.join("\n\n"));
}

fn transcripts(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(folder);
    let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let mut texts: Vec<_> = files.filter(|p| p.extension().is_some_and(|e| e == "txt")).collect();
    texts.sort();
    assert!(!texts.is_empty(), "{} has no transcripts", folder.display());
    texts
}

/// Returns the transcript with the present outputs.
fn run(text: &str, path: &Path, mut interpreter: impl FnMut(&Command<'_>) -> String) -> String {
    assert!(text.starts_with('#'), "{}: expected a comment about the commands", path.display());
    let mut out = String::new();
    for block in text.split("\n\n").map(str::trim).filter(|block| !block.is_empty()) {
        let asked = block.split("\n----").next().unwrap_or(block);
        match Command::parse(asked) {
            None => out.push_str(asked),
            Some(command) => {
                let said = interpreter(&command);
                let said = said.trim_end();
                assert!(!said.contains("\n\n"), "an empty line ends a block:\n{said}");
                let _ = write!(out, "{asked}\n----\n{said}");
            }
        }
        out.truncate(out.trim_end().len());
        out.push_str("\n\n");
    }
    out.trim_end().to_owned() + "\n"
}

/// Describes the first block that differs.
fn first_change(expected: &str, said: &str) -> String {
    let mut blocks = expected.split("\n\n").zip(said.split("\n\n"));
    match blocks.find(|(old, new)| old != new) {
        Some((old, new)) => format!("expected\n{old}\nnow\n{new}"),
        None => "blocks were added or removed, or spaces".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_replace_those_in_the_text() {
        let text = "# About.\n\n# Why.\nadd by=3\n1\n# half\n2\n----\nold\nlines\n\nnone\n----\n";
        let run = |text: &str| {
            run(text, Path::new("x"), |command| {
                let sum: u64 = command.lines.iter().map(|line| line.parse::<u64>().unwrap()).sum();
                command.number("by").map_or(String::new(), |by| format!("{}\n", sum * by))
            })
        };
        let expected = "# About.\n\n# Why.\nadd by=3\n1\n# half\n2\n----\n9\n\nnone\n----\n";
        assert_eq!(run(text), expected);
        assert_eq!(run(expected), expected, "it is stable");
        assert!(first_change(text, expected).starts_with("expected\n# Why."));
    }

    #[test]
    fn arguments_are_found_by_their_names() {
        let command = Command::parse("# c\nrun a=1 b c=x=y").unwrap();
        assert_eq!((command.name, command.arguments), ("run", "a=1 b c=x=y"));
        assert_eq!((command.number("a"), command.value("c")), (Some(1), Some("x=y")));
        assert!(command.has("b") && !command.has("a") && command.value("b").is_none());
        command.allow(&["a", "b", "c"]);
        assert!(std::panic::catch_unwind(|| command.allow(&["a", "c"])).is_err());
    }
}
