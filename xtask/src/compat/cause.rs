//! The first cause in the output of a failed test, on one line.

/// A cause is truncated to this length, because it is a line of a table.
const CHARACTERS_MAX: usize = 200;

/// Returns the first cause in `output`; `end` is how the process ended.
pub(crate) fn find(output: &str, end: &str) -> String {
    let refused = refused(output);
    let said = rust_panic(output).or_else(|| testify(output)).or_else(|| crash(output, end));
    let said = said.or_else(|| c_phase(output)).unwrap_or_else(|| end.to_string());
    let text = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = match text.char_indices().nth(CHARACTERS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    };
    match refused {
        Some(names) => format!("{text} (refused before: {names})"),
        None => text,
    }
}

/// Returns functions that the library does not have, from the stub's line or the library's own.
fn refused(output: &str) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for rest in output.split("UNIMPLEMENTED ").skip(1) {
        let name = rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next();
        names.extend(name.filter(|n| !names.contains(n)));
    }
    names.truncate(6);
    (!names.is_empty()).then(|| names.join(", "))
}

/// "thread 'x' panicked at tests/test_db.rs:12:5:" and the lines of its message.
fn rust_panic(output: &str) -> Option<String> {
    let (_, rest) = output.split_once(" panicked at ")?;
    let mut lines = rest.lines();
    let place = lines.next()?.trim_end_matches(':');
    let message = lines.take_while(|l| !l.is_empty() && !l.starts_with("note:")).take(5);
    Some(format!("{place}: {}", message.collect::<Vec<_>>().join(" ")))
}

/// Go's assertions: "Error Trace: db_test.go:12", "Error: Expected nil …".
fn testify(output: &str) -> Option<String> {
    let after = |key: &str| output.split_once(key).map(|(_, rest)| rest);
    let trace = after("Error Trace:")?.lines().next()?.trim();
    let place = trace.rsplit('/').next().unwrap_or(trace);
    let error = after("Error:")?;
    let error = error.split("Test:").next()?.trim();
    Some(format!("{place}: {error}"))
}

/// Returns the C function that was called, which a crash under Go names.
fn crash(output: &str, end: &str) -> Option<String> {
    let panic = output.lines().find(|l| l.starts_with("panic: ") || l.starts_with("fatal error: "));
    let signal = output.lines().find(|l| l.starts_with("SIG") || l.starts_with("[signal "));
    let function = output.split_once("_Cfunc_").map(|(_, rest)| rest);
    let function = function.and_then(|rest| rest.split('(').next());
    let what = signal.or(panic)?;
    let what = what.split(": ").take(2).collect::<Vec<_>>().join(": ");
    Some(match function {
        Some(function) => format!("{what} in {function}"),
        None => format!("{what}; {end}"),
    })
}

/// RocksDB's C test prints "=== Test name" before each phase, and the condition if one fails.
fn c_phase(output: &str) -> Option<String> {
    let phase = output.lines().rfind(|l| l.starts_with("=== Test "))?;
    let last = output.lines().rfind(|l| !l.is_empty() && *l != phase).unwrap_or("");
    Some(format!("{}: {last}", phase.trim_start_matches("=== Test ")))
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn missing_functions_are_named() {
        let output =
            "thread 'x' (3) panicked at tests/a.rs:1:2:\nboom\nnote: y\nUNIMPLEMENTED rocksdb_x\n";
        assert_eq!(find(output, "SIGABRT"), "tests/a.rs:1:2: boom (refused before: rocksdb_x)");
    }

    #[test]
    fn go_assertions_and_crashes_are_found() {
        let output = "x\n Error Trace:\t/a/b/db_test.go:25\n  Error:  \tNot equal:\n  expected: 1\n  Test: \tT\n";
        assert_eq!(find(output, ""), "db_test.go:25: Not equal: expected: 1");
        let output = "SIGSEGV: segmentation violation\nPC=0\ng._Cfunc_rocksdb_get(0x1)\n";
        assert_eq!(find(output, ""), "SIGSEGV: segmentation violation in rocksdb_get");
    }

    #[test]
    fn silence_is_how_it_ended() {
        assert_eq!(find("", "killed after 120 s"), "killed after 120 s");
    }
}
