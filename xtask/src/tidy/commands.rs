//! Checks commands in documents: the program, its subcommand, its flags, and the packages, tests and examples that it
//! names must exist. Checks fenced blocks without a language and commands in backticks.

use super::blocks;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Flags of cargo itself that take a name which can be looked up, and where its source may be.
const NAMED: [(&str, &[&str]); 4] = [
    ("--test", &["tests/{}.rs", "tests/{}/main.rs"]),
    ("--bench", &["benches/{}.rs", "benches/{}/main.rs"]),
    ("--example", &["examples/{}.rs", "examples/{}/main.rs"]),
    ("--bin", &["src/bin/{}.rs", "src/bin/{}/main.rs"]),
];

/// The names against which commands are checked.
pub(super) struct Known {
    root: PathBuf,
    /// Package name to its directory.
    packages: BTreeMap<String, PathBuf>,
    /// Flags of db_bench, without dashes.
    db_bench: Vec<String>,
}

impl Known {
    pub(super) fn collect(root: &Path) -> Known {
        let crates = fs::read_dir(root.join("crates")).into_iter().flatten().flatten();
        let directories = crates.map(|entry| entry.path()).chain([root.join("xtask")]);
        let packages = directories.filter_map(|directory| {
            let manifest = fs::read_to_string(directory.join("Cargo.toml")).ok()?;
            let name = manifest.lines().find_map(|line| line.strip_prefix("name = \""))?;
            Some((name.trim_end_matches('"').to_owned(), directory))
        });
        let page = fs::read_to_string(root.join("docs/db_bench.md")).unwrap_or_default();
        let flags = page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
        let builtins = page.split("`--").skip(1);
        let builtins = builtins.filter_map(|rest| rest.split(['`', '=', ' ']).next());
        Known {
            root: root.to_owned(),
            packages: packages.collect(),
            db_bench: flags.chain(builtins).map(str::to_owned).collect(),
        }
    }

    /// Checks every command of a document.
    pub(super) fn check(&self, name: &str, document: &str, problems: &mut Vec<String>) {
        let mut report = |line: usize, command: &str| {
            if let Err(problem) = self.command(command) {
                problems.push(format!("{name}:{line}: {problem}, in `{}`", command.trim()));
            }
        };
        let blocks = blocks::of(document);
        for block in blocks.iter().filter(|block| ["", "sh", "bash"].contains(&block.language)) {
            for (i, line) in block.text.lines().enumerate() {
                let line = line.split(" #").next().unwrap_or(line);
                line.split([';', '|']).flat_map(|part| part.split("&&")).for_each(|command| {
                    report(block.line + i, command);
                });
            }
        }
        for (i, line) in document.lines().enumerate() {
            line.split('`').skip(1).step_by(2).for_each(|command| report(i + 1, command));
        }
    }

    /// Text that is not a known command passes.
    fn command(&self, text: &str) -> Result<(), String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let is_setting = |word: &&&str| word.contains('=') && !word.starts_with('-');
        let skipped = words.iter().take_while(is_setting).count();
        match &words[skipped..] {
            ["cargo", "x"] => Ok(()),
            ["cargo", "x", command, rest @ ..] => self.ours(command, rest),
            ["cargo", toolchain, rest @ ..] if toolchain.starts_with('+') => self.cargo(rest),
            ["cargo", rest @ ..] => self.cargo(rest),
            [script @ ("./test" | "./demo"), rest @ ..] => {
                let text = fs::read_to_string(self.root.join(script)).unwrap_or_default();
                flags(rest).try_for_each(|flag| in_text(&text, flag, script))
            }
            [program, rest @ ..] if is_db_bench(program) => flags(rest).try_for_each(|flag| {
                let name = flag.trim_start_matches('-');
                let is_known = |name: &str| self.db_bench.iter().any(|known| known == name);
                match is_known(name) || name.strip_prefix("no").is_some_and(is_known) {
                    true => Ok(()),
                    false => Err(format!("db_bench has no flag {flag}")),
                }
            }),
            _ => Ok(()),
        }
    }

    /// A command of this program.
    fn ours(&self, command: &str, rest: &[&str]) -> Result<(), String> {
        let Some(usage) = crate::usage(command) else {
            return Err(format!("cargo x has no command {command}"));
        };
        flags(rest).try_for_each(|flag| in_text(usage, flag, &format!("cargo x {command}")))
    }

    /// Checks a cargo command: its packages, and the sources that its flags name.
    fn cargo(&self, words: &[&str]) -> Result<(), String> {
        let end = words.iter().position(|word| *word == "--").unwrap_or(words.len());
        let (ours, program) = words.split_at(end);
        let mut package = None;
        let mut source = None;
        for pair in ours.windows(2) {
            if ["-p", "--package"].contains(&pair[0]) {
                let directory = self.packages.get(pair[1]);
                package = Some(directory.ok_or(format!("no package {}", pair[1]))?);
            }
        }
        for pair in ours.windows(2) {
            let Some((_, places)) = NAMED.iter().find(|(flag, _)| *flag == pair[0]) else {
                continue;
            };
            let all: Vec<&PathBuf> = package.map_or(self.packages.values().collect(), |p| vec![p]);
            let found = all
                .iter()
                .flat_map(|package| {
                    places.iter().map(|place| package.join(place.replace("{}", pair[1])))
                })
                .find(|path| path.exists());
            // The name of a binary may differ from its file's: the manifest has it.
            let named = format!("name = \"{}\"", pair[1]);
            let in_manifest = all.iter().any(|package| {
                fs::read_to_string(package.join("Cargo.toml")).is_ok_and(|m| m.contains(&named))
            });
            if found.is_none() && !in_manifest {
                return Err(format!("found no source for {} {}", pair[0], pair[1]));
            }
            source = found.filter(|_| pair[0] == "--bin");
        }
        // Flags of our own binaries are in their sources.
        let Some(directory) = source.as_deref().and_then(Path::parent) else { return Ok(()) };
        let mut files = Vec::new();
        super::collect(directory, "rs", &mut files);
        let text: String =
            files.iter().map(|file| fs::read_to_string(file).unwrap_or_default()).collect();
        flags(program).try_for_each(|flag| in_text(&text, flag, "the program"))
    }
}

fn is_db_bench(program: &str) -> bool {
    program == "db_bench" || program.ends_with("/db_bench")
}

/// Returns the flags among words, without values.
fn flags<'a>(words: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
    let flags = words.iter().filter(|word| word.starts_with('-') && word.len() > 2);
    flags.map(|word| word.split('=').next().unwrap_or(word).trim_end_matches(['.', ',']))
}

/// Checks that a flag is in a text as a whole word.
fn in_text(text: &str, flag: &str, program: &str) -> Result<(), String> {
    let mut rest = text.split(flag).skip(1);
    let goes_on = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '-');
    match rest.any(|rest| !goes_on(rest)) {
        true => Ok(()),
        false => Err(format!("{program} has no flag {flag}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_do_not_exist_are_found() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let known = Known::collect(root);
        let problems = |text: &str| {
            let mut problems = Vec::new();
            known.check("page", text, &mut problems);
            problems.len()
        };
        for right in [
            "`cargo x bench --rows a,b` `cargo x` `cargo build -p ferrolith` `other --flag`",
            "`A=b cargo test -p ferrolith --test it model` `cargo bench -p ferrolith --bench epoch`",
            "`./test --long` `./demo --num=5` `db_bench --noprogress_reports --num 5 -seed=1`",
            "```\ncargo x deb          # a --comment\ncargo run -p ferrolith-interop --bin os-calls -- --new\n```",
            "```toml\ncargo x nothing\n```",
        ] {
            assert_eq!(problems(right), 0, "{right}");
        }
        for wrong in [
            "`cargo x nothing`",
            "`cargo x tidy --fix`",
            "`cargo x bench --row a`",
            "`cargo test -p nothing`",
            "`cargo test -p ferrolith --test nothing`",
            "`./test --longer`",
            "`db_bench --nothing=1`",
            "```\ncd x && cargo x nothing\n```",
            "```sh\ncargo run -p ferrolith-interop --bin os-calls -- --nothing\n```",
        ] {
            assert_eq!(problems(wrong), 1, "{wrong}");
        }
    }
}
