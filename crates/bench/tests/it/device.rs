//! Benchmarks that prepare reads from a device, and seeks to skewed keys.

use super::modes::on_both;
use super::{bad, bench, good, lines, text};

/// Returns how many seeks found their key, of how many.
fn found(out: &str) -> (u64, u64) {
    let line = lines(out).into_iter().find(|line| line.0 == "seekrandom").unwrap();
    let (_, text) = line.2.rsplit_once('(').unwrap();
    let mut numbers = text.split(' ').filter_map(|word| word.parse().ok());
    (numbers.next().unwrap(), numbers.next().unwrap())
}

#[test]
fn seeks_are_skewed_only_if_asked() {
    on_both("skew", |dir, engine| {
        let db = dir.arg("db", "db");
        // Random writes leave about a third of the keys out. This skew leaves only one key number.
        let args = ["--num=300", "--seed=1", "--read_random_exp_range=1000000000", &db];
        good(&[&["--benchmarks=fillrandom"], &args[..], engine].concat());
        let seek = ["--benchmarks=seekrandom", "--use_existing_db", "--reads=200"];
        let uniform = found(&good(&[&seek[..], &args, engine].concat()).0);
        assert!((1..200).contains(&uniform.0) && uniform.1 == 200, "{uniform:?}");
        let skewed = [&seek[..], &args, &["--skew_seeks"], engine].concat();
        let skewed = found(&good(&skewed).0);
        assert!([(0, 200), (200, 200)].contains(&skewed), "{skewed:?}");
    });
}

#[test]
#[cfg(target_os = "linux")]
fn files_leave_the_page_cache_or_it_is_an_error() {
    let list = "--benchmarks=fillrandom,flush,evictfiles,readrandom";
    on_both("evict", |dir, engine| {
        let db = dir.arg("db", "db");
        let output = bench(&[&[list, "--num=2000", &db], engine].concat());
        if text(&output.stderr).contains("is in memory") {
            return eprintln!("skipped on a device: the temporary directory is in memory");
        }
        let out = text(&output.stdout);
        assert!(
            out.contains("evicted ") && lines(&out).iter().any(|l| l.0 == "readrandom"),
            "{out}"
        );
    });
    let memory = std::path::Path::new("/dev/shm");
    if !memory.exists() {
        return eprintln!("skipped in memory: there is no /dev/shm");
    }
    let dir = memory.join(format!("db_bench-it-{}", std::process::id()));
    let error = bad(&[list, "--num=100", &format!("--db={}", dir.display())]);
    std::fs::remove_dir_all(&dir).unwrap();
    assert!(error.contains("is in memory, choose one on a device"), "{error}");
}
