//! ForestDB's options and guarantees in this suite.

use super::super::ini::Ini;
use super::super::rall::{Arguments, STEPS};
use super::*;

fn config(step: &str, periodic: &str) -> Config {
    let words = ["1000", "log", "/db", "16", "1", "2", "0", "5", "9", "1", "forestdb:/l.so", "20"];
    let words: Vec<String> = words.iter().chain(&[periodic, "1"]).map(|w| (*w).into()).collect();
    let arguments = Arguments::new(words.try_into().unwrap()).unwrap();
    let step = STEPS.iter().find(|known| known.name == step).unwrap();
    Config::new(&arguments.ini(step, "forestdb", (8, 512)).unwrap()).unwrap()
}

fn kind() -> Kind {
    Kind::parse("forestdb:/l.so").unwrap()
}

#[test]
fn the_engine_with_its_library_is_named_on_command_lines_of_later_runs() {
    assert_eq!((kind().name, kind().choice().argument()), ("forestdb", "forestdb:/l.so".into()));
    let same = Kind::parse("rocksdb:/l.so").unwrap();
    assert_eq!(same.choice().argument(), "rocksdb:/l.so");
    assert!(Kind::parse("forestdb").unwrap_err().contains("forestdb:PATH"));
}

#[test]
fn a_step_has_the_options_of_the_fork_and_an_ini_file_its_own() {
    let flags = |config: &Config, more: &[String]| {
        kind().flags(Path::new("/db"), config, Stage::Measure, more).unwrap()
    };
    let of_step = flags(&config("ows.1", "no"), &[]);
    assert_eq!((of_step.text("engine"), of_step.text("engine_lib")), ("forestdb", "/l.so"));
    assert_eq!((of_step.uint("cache_size"), of_step.text("compression_type")), (16 * MB, "snappy"));
    let expected = "wal_threshold=4096;compaction_threshold=50;compactor_sleep_duration=15;\
        num_compactor_threads=4;num_wal_partitions=31;num_bcache_partitions=31";
    assert_eq!(of_step.text("forestdb_options"), expected);
    let ini = "[db_config]\nfdb_wal = 7\nauto_compaction_threads = 2\n\
        [compaction]\nthreshold = 3\nperiod = 4\nblock_reuse = 5";
    let own = flags(&Config::new(&Ini::parse("ini", ini).unwrap()).unwrap(), &[]);
    let expected = "wal_threshold=7;compaction_threshold=3;compactor_sleep_duration=4;\
        num_compactor_threads=2;num_wal_partitions=31;num_bcache_partitions=31;block_reusing_threshold=5";
    assert_eq!(own.text("forestdb_options"), expected);
    assert_eq!(own.text("compression_type"), "none");
    let more = ["--forestdb_options=wal_threshold=1".to_owned()];
    assert_eq!(flags(&config("ows.1", "no"), &more).text("forestdb_options"), "wal_threshold=1");
}

#[test]
fn guarantees_are_those_of_the_other_engines_unless_the_library_commits() {
    let auto = ["--forestdb_commit=auto".to_owned()];
    let of = |step: &str, periodic: &str, stage: Stage, more: &[String]| {
        let (mode, guarantee) = kind().writes(&config(step, periodic), stage, more);
        (mode.sync, mode.disable_wal, guarantee.split(':').next().unwrap())
    };
    let (load, run) = (Stage::Load, Stage::Measure);
    assert_eq!(of("ows.1", "no", run, &[]), (true, false, "sync"));
    assert_eq!(of("ows.1", "no", run, &auto), (true, false, "sync"));
    assert_eq!(of("owa.1", "no", run, &[]), (false, false, "async"));
    assert_eq!(of("owa.1", "no", run, &auto), (false, false, "auto"));
    assert_eq!(of("load", "no", load, &[]), (false, true, "no commits"));
    assert_eq!(of("load", "yes", load, &[]), (true, false, "sync"));
    let lmdb = Kind::parse("lmdb").unwrap().writes(&config("load", "no"), load, &auto);
    assert!(!lmdb.0.disable_wal && lmdb.1.starts_with("async"));
}
