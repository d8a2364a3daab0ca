//! LOG: what RocksDB writes into it stands in ours, too. The same script runs over both libraries; each line is
//! reduced to its shape (numbers, paths and times replaced), and every shape of RocksDB's must be in our LOG, or in
//! the list of those that are not, with the reason. The texts that programs read as properties are compared alike.

use crate::script::{self, key};
use ferrolith_interop::figures::Figures;
use ferrolith_interop::store::Engine;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

/// Beginnings of shapes that our LOG lacks, and why.
const ALLOWED: &[(&str, &str)] = &[
    ("Git sha", "another project"),
    ("Compile date", "builds are reproducible"),
    ("kCustomCompression", "codecs of users are not supported"),
    ("DMutex implementation", "another one"),
    ("SstFileManager instance", "there is one only if the user makes one"),
    ("Created manifest", "the sizes before and after are not kept"),
    ("Recovered to log #N next seq", "of a log without records nothing is said"),
    ("Deleted file PATH immediately, rate", "the figures are those of an SST file manager"),
    ("[WARN] PATH Tail prefetch", "tables are opened without prefetching a tail"),
    ("[WARN] At least one SST file opened without unique ID", "every table is checked"),
    ("Calling FlushMemTableToOutputFile", "a function's name; `flush_started` says the rest"),
    ("[JOB N] Try to delete WAL files size", "each deleted file has a line"),
    ("Block cache AutoHyperClockCache", "another cache"),
    ("Block cache entry stats", "kinds of entries differ"),
    ("[family] Level summary", "the family may be gone before its flush has written its last line"),
    ("** Compaction Stats [family]", "a report may come while the family lives, or not"),
    ("** File Read Latency Histogram By Level [family]", "as above"),
    ("------------------------------------------------------", "below the head of a histogram"),
    ("** Level N read latency histogram", "times of reads are not kept by level"),
    ("Count: N Average", "times of reads are not kept by level"),
    ("Min: N Median", "times of reads are not kept by level"),
    ("Percentiles: PN", "times of reads are not kept by level"),
    ("( N, N ]", "times of reads are not kept by level"),
    ("[ N, N ]", "times of reads are not kept by level"),
];

/// Whether a word is a number, or contains nothing but one and punctuation.
fn shape_of_word(word: &str) -> String {
    if word.contains('/') && word.len() > 8 {
        return "PATH".to_owned();
    }
    // Ids of sessions and of databases.
    let id = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let is_session =
        id.len() == 20 && id.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
    if is_session || (id.len() == 36 && id.matches('-').count() == 4) {
        return word.replace(id, "ID");
    }
    let mut out = String::new();
    let mut chars = word.chars().peekable();
    while let Some(c) = chars.next() {
        let starts = c.is_ascii_digit();
        if !starts {
            // A sign belongs to its number.
            if c == '-' && chars.peek().is_some_and(char::is_ascii_digit) {
                continue;
            }
            out.push(c);
            continue;
        }
        while chars.peek().is_some_and(|c| c.is_ascii_hexdigit() || *c == '.' || *c == 'x') {
            let mut ahead = chars.clone();
            let next = ahead.next();
            if next == Some('.') && !ahead.peek().is_some_and(char::is_ascii_digit) {
                break;
            }
            chars.next();
        }
        out.push('N');
    }
    out
}

/// A line without what differs from run to run.
fn shape(line: &str) -> Option<String> {
    // Time and thread; lines that continue an entry have none.
    let text = match line.split_once(' ') {
        Some((time, rest)) if time.len() == 26 && time.starts_with("20") => {
            rest.split_once(' ').map_or("", |(_, text)| text)
        }
        _ => line,
    };
    let mut text = text.to_owned();
    if let Some(rest) = text.strip_prefix("(Original Log Time ") {
        text = rest.split_once(") ")?.1.to_owned();
    }
    // The place in RocksDB's sources, behind the level.
    for level in ["[WARN] ", "[ERROR] ", ""] {
        let rest = text.strip_prefix(level).filter(|rest| rest.starts_with('['));
        let place = rest.and_then(|rest| rest.split_once("] "));
        if let Some((_, rest)) = place.filter(|(place, _)| place.contains(".cc:")) {
            text = format!("{level}{rest}");
            break;
        }
    }
    let words = text.split_whitespace().map(shape_of_word);
    let shape = words.collect::<Vec<_>>().join(" ");
    (!shape.is_empty()).then_some(shape)
}

/// All lines of LOG and of the LOGs before it.
fn log_lines(dir: &Path) -> Vec<String> {
    let mut files: Vec<_> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("LOG"))
        .collect();
    files.sort();
    let text = |path| String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
    files.iter().map(text).flat_map(|t| t.lines().map(str::to_owned).collect::<Vec<_>>()).collect()
}

fn shapes(lines: &[String]) -> BTreeSet<String> {
    lines.iter().filter_map(|line| shape(line)).collect()
}

/// Waits until LOG has a line with this text; it comes from a thread in the background.
fn wait_for(dir: &Path, text: &str) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !log_lines(dir).iter().any(|line| line.contains(text)) {
        assert!(Instant::now() < deadline, "{text:?} does not appear in {}", dir.display());
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Runs everything that LOG tells of; its lines.
fn run(engine: Engine, root: &Path) -> Vec<String> {
    let dir = root.join(engine.name());
    let options = "disable_auto_compactions=true;compression=kNoCompression;\
                   merge_operator=stringappend;stats_dump_period_sec=1";
    let mut db = Figures::open_with(engine, &dir, options).unwrap();
    script::run(&mut db, &root.join(format!("{}.sst", engine.name()))).unwrap();
    db.churn("family").unwrap();
    db.pause_deletions().unwrap();
    db.set_option("level0_slowdown_writes_trigger", "21").unwrap();
    wait_for(&dir, "** DB Stats **");
    db.close();
    log_lines(&dir)
}

/// Dumps of options are compared by `options_text.rs` (a change of one option has RocksDB print all), statistics by
/// `statistics.rs`.
fn is_elsewhere(shape: &str) -> bool {
    let words: Vec<&str> = shape.split(' ').collect();
    let first = words[0];
    let is_option = first.ends_with(':') && first.starts_with(|c: char| c.is_ascii_lowercase());
    first.starts_with("rocksdb.")
        || first.starts_with("Options.")
        || first.starts_with("compaction_options_")
        || (is_option && (words.len() == 2 || first.contains('_')))
}

#[test]
fn every_line_of_rocksdbs_log_has_its_like() {
    let root = tempfile::tempdir().unwrap();
    let theirs = run(Engine::Rocksdb, root.path());
    let ours = shapes(&run(Engine::Ferrolith, root.path()));
    let is_allowed = |shape: &str| ALLOWED.iter().any(|(begin, _)| shape.starts_with(begin));
    let missing: Vec<_> = shapes(&theirs)
        .into_iter()
        .filter(|shape| !ours.contains(shape) && !is_elsewhere(shape) && !is_allowed(shape))
        .collect();
    assert!(missing.is_empty(), "\n{}\n\nours:\n{}", missing.join("\n"), join(&ours));
}

fn join(shapes: &BTreeSet<String>) -> String {
    let shown = shapes.iter().filter(|shape| !is_elsewhere(shape)).cloned();
    shown.collect::<Vec<_>>().join("\n")
}

/// One table on level 0 is too many: writers are delayed, or stopped, before a compaction can help.
#[test]
fn stalls_are_told_in_the_same_words() {
    let root = tempfile::tempdir().unwrap();
    let told = |engine: Engine, name: &str, stop: u32, verb: &str| {
        let dir = root.path().join(name).join(engine.name());
        std::fs::create_dir_all(&dir).unwrap();
        let options = format!(
            "level0_file_num_compaction_trigger=1;level0_slowdown_writes_trigger=1;\
             level0_stop_writes_trigger={stop};compression=kNoCompression"
        );
        let db = Figures::open_with(engine, &dir, &options).unwrap();
        db.put(b"key", b"value").unwrap();
        db.flush().unwrap();
        drop(db);
        let lines = log_lines(&dir);
        let line = lines.iter().find(|line| line.contains(verb));
        line.and_then(|line| shape(line)).unwrap_or_else(|| panic!("{engine:?}: {lines:#?}"))
    };
    for (name, stop, verb, expected) in [
        (
            "delayed",
            20,
            "Stalling writes because",
            "[WARN] [default] Stalling writes because we have N levelN files rate N",
        ),
        (
            "stopped",
            1,
            "Stopping writes because",
            "[WARN] [default] Stopping writes because we have N levelN files",
        ),
    ] {
        for engine in [Engine::Rocksdb, Engine::Ferrolith] {
            assert_eq!(told(engine, name, stop, verb), expected, "{engine:?}");
        }
    }
}

/// A compaction that the closing of its database ends is not said to have failed.
#[test]
fn a_compaction_that_close_ends_has_not_failed() {
    let root = tempfile::tempdir().unwrap();
    for engine in [Engine::Rocksdb, Engine::Ferrolith] {
        let dir = root.path().join(engine.name());
        let options = "level0_file_num_compaction_trigger=2;compression=kNoCompression";
        let db = Figures::open_with(engine, &dir, options).unwrap();
        let long = vec![b'x'; 20_000];
        for _ in 0..4 {
            for i in 0..500 {
                db.put(&key(i), &long).unwrap();
            }
            db.flush().unwrap();
        }
        drop(db);
        for line in log_lines(&dir) {
            let fails = line.contains("failed") || line.contains("Compaction error");
            assert!(!fails, "{engine:?}: {line}");
        }
    }
}

/// `rocksdb.dbstats` and `rocksdb.levelstats` have the same lines with numbers in the same form.
#[test]
fn numbers_of_reports_have_rocksdbs_form() {
    let root = tempfile::tempdir().unwrap();
    let report = |engine: Engine, name: &str| {
        let dir = root.path().join(name).join(engine.name());
        std::fs::create_dir_all(&dir).unwrap();
        let db = Figures::open_with(engine, &dir, "").unwrap();
        for i in 0..27_300 {
            db.put(&key(i), b"v").unwrap();
        }
        db.flush().unwrap();
        db.property(&format!("rocksdb.{name}")).unwrap().unwrap()
    };
    let both = |name| (report(Engine::Rocksdb, name), report(Engine::Ferrolith, name));
    let (theirs, ours) = both("dbstats");
    for text in [&theirs, &ours] {
        let line = "Cumulative writes: 27K writes, 27K keys, 27K commit groups, 1.0 writes per commit group";
        assert!(text.contains(line), "{text}");
        assert!(
            text.contains("Cumulative WAL: 27K writes, 0 syncs, 27300.00 writes per sync"),
            "{text}"
        );
    }
    let (theirs, ours) = both("levelstats");
    assert_eq!(ours, theirs);
    let (theirs, ours) = both("cfstats-no-file-histogram");
    let lines = |text: &str| {
        let lines = text.lines().filter(|line| !line.starts_with("Block cache"));
        lines.filter_map(shape).collect::<Vec<_>>()
    };
    assert_eq!(lines(&ours), lines(&theirs));
}
