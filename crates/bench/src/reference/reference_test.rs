use super::parts::{NEW_DATABASE, Places, Plan};
use std::path::PathBuf;

const PLAN: Plan = Plan { minutes: 25.0, engines: 2, pairs: 3, threads: 2 };

#[test]
fn the_parts_take_less_than_the_minutes() {
    for plan in
        [PLAN, Plan { minutes: 120.0, engines: 3, pairs: 7, ..PLAN }, Plan { minutes: 8.0, ..PLAN }]
    {
        let parts = plan.parts().unwrap();
        let runs = plan.engines as f64 * f64::from(plan.pairs);
        let seconds: f64 = parts.iter().map(|part| part.seconds * runs).sum();
        let whole = plan.minutes * 60.0;
        assert!((whole * 0.6..whole * 0.9).contains(&seconds), "{plan:?}: {seconds} s");
    }
    let error = Plan { minutes: 1.0, ..PLAN }.parts().unwrap_err();
    assert!(error.contains("need at least 6 minutes"), "{error}");
}

#[test]
fn commands_are_commands_of_this_program_without_placeholders() {
    let places = Places {
        engine: "rocksdb:/a lib".to_owned(),
        db: PathBuf::from("/db"),
        ram: PathBuf::from("/ram"),
        results: PathBuf::from("/r"),
        workloads: PathBuf::from("/w"),
    };
    let mut names = Vec::new();
    for part in PLAN.parts().unwrap() {
        names.push(part.name);
        for words in part.commands(&places) {
            if words == [NEW_DATABASE] {
                continue;
            }
            assert!(words.iter().all(|word| !word.contains('{')), "{words:?}");
            assert!(words.contains(&"rocksdb:/a lib".to_owned()), "{words:?}");
            let all = ["ferrolith-bench".to_owned()].into_iter().chain(words.clone());
            let parsed = crate::command::command().try_get_matches_from(all);
            assert!(parsed.is_ok(), "{words:?}: {}", parsed.unwrap_err());
        }
    }
    assert_eq!(names, ["in-memory", "tuning", "forestdb", "pegasus", "ycsb"]);
}
