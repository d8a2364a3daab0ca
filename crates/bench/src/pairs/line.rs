//! Command lines with placeholders.

use crate::target::Result;
use std::path::Path;

/// The placeholders, and what replaces them.
const PLACEHOLDERS: [&str; 3] = ["{engine}", "{db}", "{results}"];

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

    /// Returns the words with placeholders replaced.
    pub fn words(&self, engine: &str, db: &Path, results: &Path) -> Vec<String> {
        let values = [engine.to_owned(), db.display().to_string(), results.display().to_string()];
        let replaced = |word: &String| {
            let pairs = PLACEHOLDERS.iter().zip(&values);
            pairs.fold(word.clone(), |word, (placeholder, value)| word.replace(placeholder, value))
        };
        self.0.iter().map(replaced).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_keep_words_whole() {
        let line = Line::parse("ycsb run -p 'a b' --engine={engine} --db {db} --json {results}/x");
        let words = line.unwrap().words("rocksdb:/a lib", Path::new("/my dir"), Path::new("r"));
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
    fn lines_that_cannot_be_compared_are_refused() {
        let error = |text: &str| Line::parse(text).unwrap_err();
        assert_eq!(error("ycsb 'run"), "\"ycsb 'run\": a quotation does not end");
        assert_eq!(error(" "), "\" \": expected a command");
        assert_eq!(error("ycsb {results}"), "\"ycsb {results}\": expected {engine} in it");
        assert_eq!(error("ycsb {engine}"), "\"ycsb {engine}\": expected {results} in it");
    }
}
