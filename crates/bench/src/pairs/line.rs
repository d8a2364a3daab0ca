//! Command lines with placeholders.

use crate::target::Result;
use std::path::Path;

/// The placeholders within words, and what replaces them.
const PLACEHOLDERS: [&str; 3] = ["{engine}", "{db}", "{results}"];

/// The word in whose place the flags of a side are put.
const FLAGS: &str = "{flags}";

/// What differs between the two sides.
#[derive(Clone, Debug, Default)]
pub struct Side {
    /// The value of `{engine}`.
    pub engine: String,
    /// The words for `{flags}`.
    pub flags: Vec<String>,
}

/// One command line, split into words as a shell does.
#[derive(Clone, Debug)]
pub struct Line(Vec<String>);

impl Line {
    /// Splits a command line.
    ///
    /// # Errors
    /// An open quotation, no word, no `{engine}` or no `{results}`: such a command would measure one side only, or
    /// leave nothing to compare.
    pub fn parse(text: &str) -> Result<Line> {
        let words =
            shlex::split(text).ok_or_else(|| format!("{text:?}: a quotation does not end"))?;
        if words.is_empty() {
            return Err(format!("{text:?}: expected a command"));
        }
        let has = |placeholder: &str| words.iter().any(|word| word.contains(placeholder));
        for placeholder in ["{engine}", "{results}"] {
            if !has(placeholder) {
                return Err(format!("{text:?}: expected {placeholder} in it"));
            }
        }
        Ok(Line(words))
    }

    /// Returns whether the flags of the sides have a place in the line.
    pub fn has_flags(&self) -> bool {
        self.0.iter().any(|word| word == FLAGS)
    }

    /// Returns the words with placeholders replaced.
    pub fn words(&self, side: &Side, db: &Path, results: &Path) -> Vec<String> {
        let values = [side.engine.clone(), db.display().to_string(), results.display().to_string()];
        let replaced = |word: &String| {
            let pairs = PLACEHOLDERS.iter().zip(&values);
            pairs.fold(word.clone(), |word, (placeholder, value)| word.replace(placeholder, value))
        };
        let expanded = |word: &String| match word == FLAGS {
            true => side.flags.clone(),
            false => vec![replaced(word)],
        };
        self.0.iter().flat_map(expanded).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_keep_words_whole() {
        let line = Line::parse("ycsb run -p 'a b' --engine={engine} --db {db} --json {results}/x");
        let side = Side { engine: "rocksdb:/a lib".to_owned(), flags: Vec::new() };
        let words = line.unwrap().words(&side, Path::new("/my dir"), Path::new("r"));
        let expected = [
            "ycsb",
            "run",
            "-p",
            "a b",
            "--engine=rocksdb:/a lib",
            "--db",
            "/my dir",
            "--json",
            "r/x",
        ];
        assert_eq!(words, expected);
    }

    #[test]
    fn flags_of_a_side_replace_a_word() {
        let line = Line::parse("ycsb {engine} {flags} {results} -- x{flags}").unwrap();
        assert!(line.has_flags());
        let words = |flags: &[&str]| {
            let flags = flags.iter().map(|flag| flag.to_string()).collect();
            let side = Side { engine: "lmdb".to_owned(), flags };
            line.words(&side, Path::new("d"), Path::new("r")).join(" ")
        };
        assert_eq!(words(&["--slowdown", "10"]), "ycsb lmdb --slowdown 10 r -- x{flags}");
        assert_eq!(words(&[]), "ycsb lmdb r -- x{flags}");
    }

    #[test]
    fn lines_that_cannot_be_compared_are_refused() {
        let error = |text: &str| Line::parse(text).unwrap_err();
        assert_eq!(error("ycsb 'run"), "\"ycsb 'run\": a quotation does not end");
        assert_eq!(error(" "), "\" \": expected a command");
        assert_eq!(error("ycsb {results}"), "\"ycsb {results}\": expected {engine} in it");
        assert_eq!(error("ycsb {engine}"), "\"ycsb {engine}\": expected {results} in it");
    }
}
