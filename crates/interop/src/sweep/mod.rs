//! Cases that both libraries are put to, through the C ABI: every setter with odd values, every property, option
//! strings, and situations that are errors. A case says what happened in one line; the test compares the lines.
//!
//! A child runs the cases of a group one after the other, from a given one on, and names each before it begins, so that
//! the parent knows which case killed it and goes on behind it.

mod context;
mod exercise;
mod properties;
mod setters;
mod situations;
mod strings;
mod uses;

use crate::abi::Abi;
use crate::store::Result;
pub use context::Context;
use std::io::Write;
use std::path::Path;

/// A case: a name, and what it does.
pub struct Case {
    /// Unique within its group; one line.
    pub name: String,
    run: Box<dyn Fn(&mut Context<'_>)>,
}

impl Case {
    /// A case.
    pub fn new(name: impl Into<String>, run: impl Fn(&mut Context<'_>) + 'static) -> Case {
        Case { name: name.into(), run: Box::new(run) }
    }
}

/// The groups of cases.
pub const GROUPS: [&str; 4] = ["setters", "strings", "properties", "situations"];

/// The cases of a group.
pub fn cases(group: &str) -> Vec<Case> {
    match group {
        "setters" => setters::cases(),
        "strings" => strings::cases(),
        "properties" => properties::cases(),
        "situations" => situations::cases().into_iter().chain(uses::cases()).collect(),
        _ => Vec::new(),
    }
}

/// `interop-peer sweep LIBRARY GROUP DIRECTORY FIRST LAST`: runs cases, and prints `begin N NAME` and `end N LINE`
/// for each.
pub fn main(args: &[String]) -> Result<()> {
    let [library, group, dir, first, last] = args else {
        return Err("expected LIBRARY GROUP DIRECTORY FIRST LAST".into());
    };
    let abi = Abi::load(Path::new(library))?;
    let number = |text: &str| text.parse::<usize>().map_err(|e| e.to_string());
    let (first, last) = (number(first)?, number(last)?);
    let mut out = std::io::stdout();
    let mut write = |line: String| -> Result<()> {
        out.write_all(line.as_bytes()).and_then(|()| out.flush()).map_err(|e| e.to_string())
    };
    for (at, case) in cases(group).iter().enumerate().take(last).skip(first) {
        write(format!("begin {at} {}\n", case.name))?;
        let dir = Path::new(dir).join(at.to_string());
        std::fs::create_dir_all(&dir).map_err(|e| e.to_string())?;
        let mut context = Context::new(&abi, &dir);
        (case.run)(&mut context);
        write(format!("end {at} {}\n", context.transcript()))?;
        let _ = std::fs::remove_dir_all(&dir);
    }
    Ok(())
}

/// Whether a text fits a pattern, in which `*` stands for any text.
pub fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}
