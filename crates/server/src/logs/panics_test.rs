//! Panics of threads, in processes of their own: a log and a hook are for a whole process.

use super::*;
use std::process::Command;

/// The variables of the environment with which this test runs itself: the file of the log, and its form.
const FILE: &str = "FERROLITH_TEST_LOG";
const FORMAT: &str = "FERROLITH_TEST_LOG_FORMAT";

/// Starts a log, and lets a thread panic.
fn panic_in(file: &Path) {
    let format = match std::env::var(FORMAT).unwrap() {
        json if json == "json" => Format::Json,
        _ => Format::Text,
    };
    let levels = std::env::var("FERROLITH_TEST_LOG_LEVELS").unwrap().parse().unwrap();
    let _logs = Logs::start(format, Some(file), &levels).unwrap();
    let thread = std::thread::Builder::new().name("worker-7".to_owned());
    let thread = thread.spawn(|| panic!("on \"purpose\"\nand again {}", 5)).unwrap();
    assert!(thread.join().is_err());
    warn!(target: "ferrolith::server", "later");
}

/// Returns what such a process writes to the log and to standard error.
fn written(format: &str, levels: &str) -> (String, String) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("log");
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "logs::tests::a_panic_of_a_thread_is_one_record", "--nocapture"])
        .env(FILE, &file)
        .env(FORMAT, format)
        .env("FERROLITH_TEST_LOG_LEVELS", levels)
        .output()
        .unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{errors}");
    (std::fs::read_to_string(file).unwrap(), errors)
}

#[test]
fn a_panic_of_a_thread_is_one_record() {
    if let Some(file) = std::env::var_os(FILE) {
        return panic_in(Path::new(&file));
    }
    let (text, errors) = written("text", "notice");
    let [line, later] = text.lines().collect::<Vec<_>>()[..] else { panic!("two lines: {text}") };
    let expected = r#"ERROR ferrolith::server: panic: on \"purpose\"\nand again 5 thread="worker-7" location="#;
    assert!(line.contains(expected) && line.contains("panics_test.rs:"), "{line}");
    assert!(
        later.contains("WARN ferrolith::server: later") && !errors.contains("purpose"),
        "{errors}"
    );

    let (text, _) = written("json", "warning,backup=debug");
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [panic, _] = &lines[..] else { panic!("two lines: {text}") };
    assert_eq!(panic["message"], r#"panic: on \"purpose\"\nand again 5"#);
    assert_eq!((&panic["level"], &panic["target"]), (&"ERROR".into(), &"ferrolith::server".into()));
    assert_eq!(panic["thread"], "worker-7");
    assert!(panic["location"].as_str().unwrap().contains("panics_test.rs:"), "{panic}");

    // A log without the part leaves it to standard error.
    let (text, errors) = written("text", "notice,server=nothing");
    assert!(text.is_empty() && errors.contains("worker-7"), "{text} {errors}");
    assert!(errors.contains("on \"purpose\""), "{errors}");
}
