//! Finds and reads the files of run directories: lines of JSON with their file and line number, environments, and the
//! text reports. What cannot be read becomes a [`Problem`] with its place; it never ends the report.

use crate::compare::damage;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Directories below this depth are not read: a link may lead back up.
const DEPTH_MAX: usize = 12;

/// A directory of the command line.
#[derive(Clone, Debug)]
pub struct Root {
    /// The name that replaces the engines' names, from `NAME=DIR`.
    pub name: Option<String>,
    /// The directory, or a file of JSON lines.
    pub path: PathBuf,
}

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The number of the file in [`Sources::files`].
    pub file: usize,
    /// The line, from 1.
    pub line: usize,
}

/// One line that is a JSON object.
#[derive(Clone, Debug)]
pub struct Line {
    /// Where it is.
    pub place: Place,
    /// The number of its run in [`Sources::runs`], if there is an environment.
    pub run: Option<usize>,
    /// The name of its root.
    pub name: Option<String>,
    /// The side and the number of the pair, from directories such as `a/001`.
    pub pair: Option<(String, u64)>,
    /// The object.
    pub object: Value,
}

/// A directory with an `environment.json`.
#[derive(Debug)]
pub struct Run {
    /// The directory.
    pub path: String,
    /// The environment.
    pub environment: Value,
    /// What the suite printed.
    pub text: Option<String>,
}

/// Something that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file, with the line where that is known.
    pub place: String,
    /// What is wrong.
    pub text: String,
}

/// Everything that was read.
#[derive(Debug, Default)]
pub struct Sources {
    /// Files with results or time lines, in the order in which they were read.
    pub files: Vec<String>,
    /// Run directories.
    pub runs: Vec<Run>,
    /// Results.
    pub results: Vec<Line>,
    /// Lines of single seconds.
    pub seconds: Vec<Line>,
    /// What could not be read.
    pub problems: Vec<Problem>,
}

/// What a directory hands down to those below it.
#[derive(Clone, Default)]
struct Above {
    depth: usize,
    run: Option<usize>,
    name: Option<String>,
    side: Option<String>,
    pair: Option<(String, u64)>,
}

impl Sources {
    /// Reads files and directories.
    ///
    /// # Errors
    /// A root that does not exist.
    pub fn read(roots: &[Root]) -> Result<Sources, String> {
        let mut sources = Sources::default();
        for root in roots {
            let outside = Above { name: root.name.clone(), ..Above::default() };
            let above = below(&outside, &root.path);
            let kind = std::fs::metadata(&root.path)
                .map_err(|e| format!("{}: cannot be read: {e}", root.path.display()))?;
            if kind.is_dir() {
                sources.directory(&root.path, above);
            } else {
                sources.lines(&root.path, &above);
            }
        }
        Ok(sources)
    }

    fn problem(&mut self, path: &Path, line: Option<usize>, text: impl Into<String>) {
        let place = match line {
            Some(line) => format!("{}:{line}", path.display()),
            None => path.display().to_string(),
        };
        self.problems.push(Problem { place, text: text.into() });
    }

    fn directory(&mut self, path: &Path, mut above: Above) {
        if above.depth > DEPTH_MAX {
            return self.problem(path, None, "not read: too many directories above it");
        }
        let entries = match std::fs::read_dir(path) {
            Ok(entries) => entries,
            Err(e) => return self.problem(path, None, format!("cannot be listed: {e}")),
        };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        if let Some(environment) = self.environment(path) {
            let text = std::fs::read_to_string(path.join("report.txt")).ok();
            self.runs.push(Run { path: path.display().to_string(), environment, text });
            above.run = Some(self.runs.len() - 1);
        }
        let is_results = |path: &&PathBuf| path.extension().is_some_and(|e| e == "jsonl");
        paths.iter().filter(is_results).for_each(|path| self.lines(path, &above));
        for path in paths.iter().filter(|path| path.is_dir()) {
            self.directory(path, below(&above, path));
        }
    }

    fn environment(&mut self, dir: &Path) -> Option<Value> {
        let path = dir.join("environment.json");
        let bytes = std::fs::read(&path).ok()?;
        match serde_json::from_slice(&bytes) {
            Ok(Value::Object(object)) => return Some(Value::Object(object)),
            Ok(_) => self.problem(&path, None, "expected a JSON object"),
            Err(e) => self.problem(&path, Some(e.line()), e.to_string()),
        }
        None
    }

    fn lines(&mut self, path: &Path, above: &Above) {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(e) => return self.problem(path, None, format!("cannot be read: {e}")),
        };
        let is_timeline = path.file_name().is_some_and(|name| name == "timeline.jsonl");
        self.files.push(path.display().to_string());
        let file = self.files.len() - 1;
        for (at, bytes) in bytes.split(|byte| *byte == b'\n').enumerate() {
            if bytes.trim_ascii().is_empty() {
                continue;
            }
            let line = at + 1;
            let object = match serde_json::from_slice::<Value>(bytes) {
                Ok(object) if object.is_object() => object,
                Ok(_) => {
                    self.problem(path, Some(line), "expected a JSON object; the line is skipped");
                    continue;
                }
                Err(e) => {
                    self.problem(path, Some(line), format!("{}; the line is skipped", damage(&e)));
                    continue;
                }
            };
            let place = Place { file, line };
            let (run, name, pair) = (above.run, above.name.clone(), above.pair.clone());
            let line = Line { place, run, name, pair, object };
            if is_timeline { &mut self.seconds } else { &mut self.results }.push(line);
        }
    }
}

/// Returns what a directory hands down to one in it: `a/001` is side a of pair 1.
fn below(above: &Above, path: &Path) -> Above {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut inner = Above { depth: above.depth + 1, side: None, ..above.clone() };
    if name == "a" || name == "b" {
        inner.side = Some(name.into_owned());
    } else if let (Some(side), Ok(pair)) = (&above.side, name.parse()) {
        inner.pair = Some((side.clone(), pair));
    }
    inner
}
