//! The first line of scripts and libraries: `#!lua name=... flags=...`.

use super::flags::Flags;
use crate::resp::split_words;

/// The header of a script for EVAL.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct ScriptHeader {
    pub flags: Flags,
    /// Where the code begins: at the end of the header's line, so that line numbers stay.
    pub code_start: usize,
}

/// The header of a library.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct LibraryHeader {
    pub name: Vec<u8>,
    /// The name of the interpreter.
    pub engine: Vec<u8>,
    /// Where the code begins.
    pub code_start: usize,
}

fn lossy(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// Reads the header of a script. A script without one runs as scripts always did. The error is Redis's text without
/// a code.
pub(super) fn script(source: &[u8]) -> Result<ScriptHeader, String> {
    if !source.starts_with(b"#!") {
        return Ok(ScriptHeader { flags: Flags::COMPATIBLE, code_start: 0 });
    }
    let line = first_line(source).ok_or("Invalid script shebang")?;
    let parts = split_words(line).ok_or("Invalid engine in script shebang")?;
    let Some((engine, options)) = parts.split_first() else {
        return Err("Invalid engine in script shebang".to_owned());
    };
    if engine != b"#!lua" {
        return Err(format!("Unexpected engine in script shebang: {}", lossy(engine)));
    }
    let mut flags = Flags::default();
    for option in options {
        let Some(names) = option.strip_prefix(b"flags=") else {
            return Err(format!("Unknown lua shebang option: {}", lossy(option)));
        };
        for name in names.split(|byte| *byte == b',').filter(|_| !names.is_empty()) {
            let flag = Flags::of_name(name);
            flags.insert(
                flag.ok_or_else(|| format!("Unexpected flag in script shebang: {}", lossy(name)))?,
            );
        }
    }
    Ok(ScriptHeader { flags, code_start: line.len() })
}

/// Reads the header of a library. The error is Redis's text without a code.
pub(super) fn library(source: &[u8]) -> Result<LibraryHeader, String> {
    if !source.starts_with(b"#!") {
        return Err("Missing library metadata".to_owned());
    }
    let line = first_line(source).ok_or("Invalid library metadata")?;
    let parts = split_words(line).ok_or("Invalid library metadata")?;
    let Some((engine, options)) = parts.split_first() else {
        return Err("Invalid library metadata".to_owned());
    };
    let mut name = None;
    for option in options {
        let (field, given) = option.split_at_checked(5).unwrap_or((option, b""));
        if !field.eq_ignore_ascii_case(b"name=") {
            return Err(format!("Invalid metadata value given: {}", lossy(option)));
        }
        if name.is_some() {
            let text = "Invalid metadata value, name argument was given multiple times";
            return Err(text.to_owned());
        }
        name = Some(given.to_vec());
    }
    Ok(LibraryHeader {
        name: name.ok_or("Library name was not given")?,
        engine: engine.strip_prefix(b"#!").unwrap_or(engine).to_vec(),
        code_start: line.len(),
    })
}

/// Returns the first line without its end. `None` if no line ends.
fn first_line(source: &[u8]) -> Option<&[u8]> {
    let end = memchr::memchr(b'\n', source)?;
    source.get(..end)
}
