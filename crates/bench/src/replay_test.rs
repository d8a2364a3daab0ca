use super::*;
use serde_json::json;

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

#[test]
fn results_go_to_the_new_directory_and_nowhere_else() {
    let replaced = |line: &str| with_results(&words(line), Path::new("/new")).join(" ");
    assert_eq!(replaced("tuning --results old --scale 2"), "tuning --scale 2 --results /new");
    assert_eq!(replaced("ycsb run --json=x --results=old"), "ycsb run --results /new");
    // What follows -- is not ours.
    let engine = "ycsb load --json x -- --cache_size=5 --json=y";
    assert_eq!(replaced(engine), "ycsb load --results /new -- --cache_size=5 --json=y");
}

#[test]
fn what_is_missing_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("environment.json");
    let error = |object: Value| {
        std::fs::write(&file, object.to_string()).unwrap();
        Record::read(dir.path()).and_then(|record| record.check()).unwrap_err()
    };
    let none = Record::read(&dir.path().join("none")).unwrap_err();
    assert!(
        none.contains("none/environment.json: ")
            && none.ends_with("expected a run directory of ferrolith-bench")
    );
    assert!(error(json!({"schema": 1})).contains("no command is recorded"));
    let command = "ferrolith-bench ycsb load -P /none/workload";
    assert!(error(json!({"command": command})).contains("no directory is recorded"));
    assert!(
        error(json!({"command": "rm -r /", "directory": "/"}))
            .contains("expected ferrolith-bench SUITE")
    );
    assert!(
        error(json!({"command": "ferrolith-bench 'a", "directory": "/"}))
            .contains("expected ferrolith-bench")
    );
    assert!(
        error(json!({"command": command, "directory": "/none"}))
            .contains("directory /none does not exist any more")
    );
    let missing = error(json!({"command": command, "directory": "/"}));
    assert!(missing.contains("needs /none/workload, which does not exist any more"), "{missing}");
    let ini = json!({"command": "ferrolith-bench forestdb run /none.ini", "directory": "/"});
    assert!(error(ini).contains("needs /none.ini"));
    let library = json!({
        "command": "ferrolith-bench tuning", "directory": "/", "engines": [{"library": "/none.so"}],
    });
    assert!(error(library).contains("needs /none.so"));
}

#[test]
fn files_of_a_command_are_found_at_any_place() {
    let files = |line: &str| super::files(&shlex::split(line).unwrap()).join(" ");
    assert_eq!(files("ycsb run -P a --file b -p x=1 -- -P c"), "a b");
    assert_eq!(files("forestdb run --quiet --dir d x.ini --seed 3"), "x.ini");
    assert_eq!(files("forestdb rall 1 log db"), "");
    let pairs = "pairs --b-flags '-P z' --dir d 'ycsb load -P a {engine}' --a=x 'forestdb run b.ini -P {results}/c'";
    assert_eq!(files(pairs), "a b.ini");
}
