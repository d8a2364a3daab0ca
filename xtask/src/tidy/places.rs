//! System services that only one folder of the engine may use: time, threads, locks and atomics, randomness, files. So
//! a deterministic simulator can replace them by replacing that folder. Tests are exempt.

use std::collections::BTreeMap;

/// The text that a line of code is searched for, the folders where it is allowed, and what other folders use.
struct Rule {
    what: &'static str,
    forms: &'static [&'static str],
    only_in: &'static [&'static str],
    instead: &'static str,
}

const RULES: &[Rule] = &[
    Rule {
        what: "a clock of std",
        forms: &["std::time::", "SystemTime", "UNIX_EPOCH"],
        only_in: &["env/"],
        instead: "crate::env::clock",
    },
    Rule {
        what: "a thread of std",
        forms: &["std::thread", "loom::thread"],
        only_in: &["env/"],
        instead: "crate::env::threads, or crate::env::clock to sleep",
    },
    Rule {
        what: "a lock or an atomic that is not from env",
        forms: &["std::sync::", "core::sync::", "parking_lot", "loom::sync"],
        only_in: &["env/"],
        instead: "crate::env::sync",
    },
    Rule {
        what: "chance",
        forms: &["RandomState", "DefaultHasher", "urandom", "getrandom", "fastrand"],
        only_in: &["env/"],
        instead: "crate::env::random",
    },
    Rule {
        what: "a file or a call of the operating system",
        forms: &["std::fs", "std::os::", "std::net", "libc::"],
        only_in: &["fs/", "env/mapping.rs", "env/random.rs"],
        instead: "crate::fs",
    },
];

/// Harmless matches of the patterns above: a duration, ownership, the type of a thread-local, and the name of a lock in
/// LOG.
const HARMLESS: &[&str] = &[
    "std::time::Duration",
    "std::sync::Arc",
    "std::sync::Weak",
    "std::sync::{Arc, Weak}",
    "std::thread::LocalKey",
    "DMutex implementation: parking_lot::Mutex",
];

/// Reports each line outside tests that uses the system directly.
pub(super) fn check(engine: &BTreeMap<String, String>, problems: &mut Vec<String>) {
    for (name, text) in engine {
        for (i, line) in super::production_code(name, text).lines().enumerate() {
            let mut code = line.split("//").next().unwrap_or("").to_owned();
            // `use std::{…}` would hide what is imported.
            if code.trim_start().starts_with("use std::{") {
                problems.push(format!(
                    "crates/engine/src/{name}:{}: import each module of std by itself",
                    i + 1
                ));
            }
            HARMLESS.iter().for_each(|form| code = code.replace(form, ""));
            for rule in RULES {
                let is_allowed = rule.only_in.iter().any(|place| name.starts_with(place));
                if !is_allowed && rule.forms.iter().any(|form| code.contains(form)) {
                    problems.push(format!(
                        "crates/engine/src/{name}:{}: {} outside of {}: use {}",
                        i + 1,
                        rule.what,
                        rule.only_in.join(" and "),
                        rule.instead
                    ));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(name: &str, text: &str) -> Vec<String> {
        let mut problems = Vec::new();
        check(&BTreeMap::from([(name.to_owned(), text.to_owned())]), &mut problems);
        problems
    }

    #[test]
    fn each_rule_finds_what_is_planted() {
        for (line, instead) in [
            ("let a = std::time::Instant::now();", "env::clock"),
            ("std::thread::sleep(time);", "env::threads"),
            ("use std::sync::atomic::AtomicBool;", "env::sync"),
            ("use std::sync::{Arc, Mutex};", "env::sync"),
            ("use parking_lot::Mutex;", "env::sync"),
            ("let seed = RandomState::new();", "env::random"),
            ("std::fs::remove_file(path)?;", "crate::fs"),
            ("let e = libc::EIO;", "crate::fs"),
            ("use std::{fs, io};", "import each module"),
        ] {
            let found = problems("write/new.rs", &format!("\n{line}\n"));
            assert_eq!(found.len(), 1, "{line}: {found:?}");
            assert!(found[0].starts_with("crates/engine/src/write/new.rs:2: "), "{found:?}");
            assert!(found[0].contains(instead), "{found:?}");
            assert_eq!(problems("write/new_test.rs", line), [""; 0], "tests are exempt");
            assert_eq!(problems("write/new.rs", &format!("// {line}")), [""; 0], "a comment");
        }
    }

    #[test]
    fn the_owners_and_harmless_names_pass() {
        assert_eq!(problems("env/clock.rs", "std::time::Instant::now()"), [""; 0]);
        assert_eq!(problems("fs/posix/sys.rs", "libc::fsync(fd)"), [""; 0]);
        assert_eq!(problems("write/a.rs", "use std::sync::{Arc, Weak};"), [""; 0]);
        assert_eq!(problems("write/a.rs", "use std::time::Duration;"), [""; 0]);
        let inline = "#[cfg(test)]\nmod tests {\n    use std::thread;\n}\n";
        assert_eq!(problems("write/a.rs", inline), [""; 0]);
    }
}
